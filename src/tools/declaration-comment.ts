// What the comments of a declaration say: description, title, examples, default. The layout is the one openai-harmony
// writes.

import { type Comment, unquote } from './declaration-lexer.ts';
import { isObject, own, parseJson } from './json.ts';

/** The keywords of a schema that comments carry. */
export interface Words {
  title?: string;
  description?: string;
  examples?: string[];
}

const EXAMPLES = 'Examples:';
const DEFAULT = 'default: ';

/** The comments above a field: a title and a bare line, the description, examples (before it or after it). */
export function readWords(comments: readonly Comment[]): Words {
  const words: Words = {};
  let lines = comments.map((comment) => comment.text);
  if (comments.length >= 2 && comments[1]!.isBare) {
    words.title = lines[0]!;
    lines = lines.slice(2);
  }
  const head = lines.lastIndexOf(EXAMPLES);
  if (head >= 0) {
    let tail = head + 1;
    while (tail < lines.length && isExample(lines[tail]!)) tail++;
    if (tail > head + 1 && (head === 0 || tail === lines.length)) {
      words.examples = lines.slice(head + 1, tail).map((line) => unquote(line.slice(2)));
      lines = [...lines.slice(0, head), ...lines.slice(tail)];
    }
  }
  if (lines.length > 0) words.description = lines.join('\n');
  return words;
}

function isExample(line: string): boolean {
  return line.length >= 4 && line.startsWith('- "') && line.endsWith('"');
}

/** The lines above a tool. */
export function readDescription(comments: readonly Comment[]): string | undefined {
  return comments.length > 0 ? comments.map((comment) => comment.text).join('\n') : undefined;
}

/** The default that a comment after a field, or the last one above a `oneOf`, tells. */
export function readDefault(comment: string, schema: unknown): { value: unknown } | null {
  return comment.startsWith(DEFAULT) ? { value: defaultOf(comment.slice(DEFAULT.length), schema) } : null;
}

/** The comment after one branch of a `oneOf`: its description, its default, or both in one line. */
export function readBranch(comment: string, schema: unknown): { description?: string; default?: { value: unknown } } {
  const at = comment.lastIndexOf(DEFAULT);
  const text = at < 0 ? '' : comment.slice(at + DEFAULT.length);
  const isDefault = at === 0 || (at > 0 && comment[at - 1] === ' ');
  if (!isDefault || (parseJson(text) === undefined && !isMember(text, schema))) return { description: comment };
  const value = { value: defaultOf(text, schema) };
  return at === 0 ? { default: value } : { description: comment.slice(0, at - 1), default: value };
}

/**
 * A member of the enum stands without quotes; anything else is JSON. The template ends the comment with the field's
 * comma.
 */
function defaultOf(text: string, schema: unknown): unknown {
  for (const candidate of text.endsWith(',') ? [text, text.slice(0, -1)] : [text]) {
    if (isMember(candidate, schema)) return candidate;
    const value = parseJson(candidate);
    if (value !== undefined) return value;
    if (candidate.length >= 2 && candidate.startsWith('"') && candidate.endsWith('"')) return unquote(candidate);
  }
  return text;
}

function isMember(text: string, schema: unknown): boolean {
  const members = isObject(schema) ? own(schema, 'enum') : undefined;
  return Array.isArray(members) && members.includes(text);
}
