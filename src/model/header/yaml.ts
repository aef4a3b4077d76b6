// YAML of document headers to plain values, where `plain.ts` does not read it. The only importer of `yaml`.
//
// A header is untrusted. A few hundred bytes of nested brackets keep the library busy for seconds and can abort the
// process, so document.ts bounds raw bytes before it sees them; aliases, tags and complex keys are refused, and values
// are built here, not by it.

import {
  CST, isAlias, isMap, isScalar, isSeq, Lexer, parseAllDocuments, type Node, type YAMLMap,
} from 'yaml';
import type { RuleName } from '../../errors.ts';
import type { HeaderText, HeaderValue } from './text.ts';

/**
 * What a header says, or why it says nothing.
 *
 * @example
 * ```ts
 * import { parse } from 'openchatml';
 * import { readYaml } from 'openchatml/yaml';
 *
 * const text = 'version: 2.2\nnote: |\n  two\n  lines\n---\n<|start|>user<|message|>Hi<|end|>';
 * const [transcript] = parse(text, { yaml: readYaml }).transcripts;
 * console.log(JSON.stringify(transcript?.header?.['note'])); // "two\nlines\n"
 * ```
 */
export function readYaml(text: string): HeaderText | RuleName {
  const root = rootOf(text);
  if (typeof root === 'string') return root;
  if (root === null) return { version: null, fields: Object.create(null), problems: [] };
  const problems: RuleName[] = [];
  const fields = plainValue(root, problems) as HeaderText['fields'];
  const version = versionOf(root);
  if (version) fields['version'] = version;
  return { version, fields, problems };
}

/** The mapping at the root; null for a header without content; or what is wrong. */
function rootOf(text: string): YAMLMap | null | RuleName {
  try {
    for (const token of new Lexer().lex(text)) {
      const type = CST.tokenType(token);
      if (type === 'alias' || type === 'tag') return 'bad-yaml';
    }
    // Duplicate keys are found below: the library's own search takes quadratic time.
    const documents = parseAllDocuments(text, {
      uniqueKeys: false, merge: false, prettyErrors: false, logLevel: 'silent',
    });
    if (!Array.isArray(documents)) return null;
    const [document] = documents;
    if (documents.length !== 1 || !document || document.errors.length > 0) {
      return documents.length === 0 ? null : 'bad-yaml';
    }
    const root = document.contents as Node | null;
    if (root === null || (isScalar(root) && root.value === null && !root.source)) return null;
    if (!isPlain(root)) return 'bad-yaml';
    return isMap(root) ? root : 'not-a-mapping';
  } catch {
    return 'bad-yaml';
  }
}

/** No aliases and no complex keys, at any depth. */
function isPlain(node: unknown): boolean {
  if (isAlias(node)) return false;
  if (isMap(node)) return node.items.every((pair) => (pair.key === null || isScalar(pair.key)) && isPlain(pair.value));
  return !isSeq(node) || node.items.every(isPlain);
}

const keyText = (key: unknown): string => (isScalar(key) ? String(key.value) : '');

/** A value without the library's classes; the last of equal keys stays. */
function plainValue(node: unknown, problems: RuleName[]): HeaderValue {
  if (isMap(node)) {
    const object: { [key: string]: HeaderValue } = Object.create(null);
    for (const pair of node.items) {
      const key = keyText(pair.key);
      if (key in object) problems.push('duplicate-key');
      object[key] = plainValue(pair.value, problems);
    }
    return object;
  }
  if (isSeq(node)) return node.items.map((item) => plainValue(item, problems));
  if (!isScalar(node)) return null;
  const { value } = node;
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean' ? value
    : value == null ? null
    : String(value);
}

function versionOf(root: YAMLMap): string | null {
  const node = root.items.findLast((pair) => keyText(pair.key) === 'version')?.value;
  if (node === null || node === undefined) return null;
  if (!isScalar(node)) return '';
  if (node.value === null) return null;
  return (node.source ?? String(node.value)).trim() || null;
}
