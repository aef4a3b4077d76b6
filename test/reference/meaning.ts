// What messages mean, transcript by transcript: calls, content types, thoughts in shown text (rulings section 6).
import { CallReader } from './calls.ts';
import { contentBytes, isJson, leakIn, legacyCalls, thoughtsIn, writtenThoughtOf } from './content.ts';
import { finding } from './findings.ts';
import type { Finding, Note } from './findings.ts';
import { callFault } from './hermes.ts';
import type { ParsedMessage } from './message.ts';
import type { Dialect, Source } from './tokens.ts';
import type { PlacedMessage, Transcript } from './walk.ts';

const ALWAYS_HOLD: ReadonlySet<string> = new Set(['text', 'markdown']);
/** Where the markers of R-COT in a shown body are an error; a 1.x transcript has the first of these dialects. */
const NO_SHOWN_THOUGHTS: ReadonlySet<string> = new Set(['openchatml-2.2', 'openchatml-2.0']);

export function readMeaning(
  source: Source,
  transcripts: readonly Transcript[],
  messages: readonly PlacedMessage[],
): Finding[] {
  const findings: Finding[] = [];
  for (const [index, transcript] of transcripts.entries()) {
    const { dialect } = transcript;
    const calls = new CallReader(source, transcript);
    const notes: Note[] = [];
    for (const placed of messages) {
      if (placed.transcript !== index || placed.message.openTurn) continue;
      calls.read(placed.message);
      notes.push(...typeNotes(source, dialect, placed.message), ...thoughtNotes(source, dialect, placed.message));
      notes.push(...objectNotes(source, dialect, placed.message));
      notes.push(...typesOfDefinitions(source, dialect, placed.message));
    }
    calls.end();
    for (const note of [...calls.notes, ...notes]) findings.push(finding(index, note));
  }
  return findings;
}

/** R-CONSTRAINT; 0.1 has no content types. A JSON finding tells the body that it is about, not the byte. */
function typeNotes(source: Source, dialect: Dialect, message: ParsedMessage): Note[] {
  const { contentType, typeWord, constrained } = message.reading;
  if (message.inPart || contentType === null || typeWord === null || ALWAYS_HOLD.has(contentType)) return [];
  if (dialect.id === 'openchatml-0.1') return [];
  if (contentType !== 'json') return [{ rule: 'unknown-content-type', from: typeWord.from, to: typeWord.to }];
  if (isJson(contentBytes(source, dialect, message))) return [];
  return [{ rule: constrained ? 'invalid-json' : 'hint-mismatch', from: message.bodyFrom, to: message.bodyTo }];
}

/** R-CONFORM, R-HERMES: calls of 0.1 that are no call objects. A token's stands for its message. */
function objectNotes(source: Source, dialect: Dialect, message: ParsedMessage): Note[] {
  if (dialect.id !== 'openchatml-0.1' || message.reading.role !== 'assistant') return [];
  const { from, headerTo, bodyFrom, bodyTo } = message;
  const calls = legacyCalls(source, dialect, { from: bodyFrom, to: bodyTo });
  return calls.flatMap(({ to, isTag }, i): Note[] => {
    const at = callFault(source.bytes, { from: to, to: calls[i + 1]?.from ?? bodyTo }, isTag);
    const rule = 'bad-call-object';
    return at < 0 ? [] : [isTag ? { rule, from: at, to: at } : { rule, from, to: headerTo }];
  });
}

/** R-CONFORM: what a list of 0.1 defines and says to be no function. */
function typesOfDefinitions(source: Source, dialect: Dialect, message: ParsedMessage): Note[] {
  const { from, headerTo, bodyFrom, bodyTo, reading: { role } } = message;
  if (dialect.id !== 'openchatml-0.1' || (role !== 'system' && role !== 'developer')) return [];
  const text = new TextDecoder().decode(source.bytes.subarray(bodyFrom, bodyTo));
  const lists = text.matchAll(/<\|function_list\|>([^]*?)(?=<\|function_list\|>|$)|<tools>([^]*?)<\/tools>/g);
  const values = [...lists].flatMap(([, behindToken, betweenTags]) => jsonAtFront(behindToken ?? betweenTags ?? ''));
  const types = values.flatMap((value) =>
    typeof value === 'object' && value !== null && 'type' in value ? [value.type] : []);
  return types.some((type) => type !== 'function') ? [{ rule: 'bad-call-object', from, to: headerTo }] : [];
}

/** The objects that a text begins with, and those of arrays. */
function jsonAtFront(text: string): unknown[] {
  const rest = text.replace(/^[\s,]+/, '');
  if (!/^[[{]/.test(rest)) return [];
  for (let end = 2; end <= rest.length; end++) {
    if (!/[\]}]/.test(rest[end - 1]!)) continue;
    try {
      const value: unknown = JSON.parse(rest.slice(0, end));
      return [...(Array.isArray(value) ? (value as unknown[]) : [value]), ...jsonAtFront(rest.slice(end))];
    } catch {
      // It does not end here.
    }
  }
  return [];
}

/** R-COT, R-THINK, R-LEAK: what of an assistant body that is shown is hidden. */
function thoughtNotes(source: Source, dialect: Dialect, message: ParsedMessage): Note[] {
  if (!message.visible || message.reading.role !== 'assistant') return [];
  const written = writtenThoughtOf(source, dialect, message);
  const notes: Note[] = written === null ? [] : [{ rule: 'reasoning-in-final', ...written.marker }];
  const leak = leakIn(source, dialect, message);
  if (leak !== null) notes.push({ rule: 'leaked-channel', ...leak });
  if (!NO_SHOWN_THOUGHTS.has(dialect.id)) return notes;
  const marked = thoughtsIn(source, dialect, message);
  return [...marked.map(({ from, to }) => ({ rule: 'cot-in-final', from, to })), ...notes];
}
