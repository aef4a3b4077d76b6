// Random lines for the record scanner: chat records, and what becomes of them when bytes, pieces of JSON and halves of
// other records are put into them.
import * as abi from '../../src/abi.ts';
import { mutated, randomRecord, randomText } from '../corpus/records/random-chat.ts';
import type { Random } from '../random.ts';
import { scanByTwin } from './record-drive.ts';
import { randomContent } from './text-pieces.ts';

const texts = (list: readonly string[]): Buffer[] => list.map((text) => Buffer.from(text));

const KEYS = [
  'role', 'content', 'name', 'tool_calls', 'tool_call_id', 'function_call', 'function', 'arguments', 'id', 'type',
  'text', 'thinking', 'reasoning',
  'reasoning_content', 'messages', 'tools', 'version', 'channel', 'tool_call', 'parameters', 'x', 'rol', 'contents',
  'c\\u006fntent', '', 'system', 'input', 'output', 'instruction', 'instructions', 'history', 'prompt', 'chosen',
  'rejected', 'completion', 'question', 'query', 'problem', 'answer', 'response', 'solution', 'system_prompt',
  'tool_use_id', 'summary', 'call_id', 'phase',
];
const VALUES = [
  '"user"', '"assistant"', '"tool"', '"system"', '"developer"', '"function"', '"users"', '"f"', '"a b"', '""', '"text"',
  'null', 'true', 'false', '0', '-1.5e+3',
  '{}', '[]', '[{}]', '{"a":1}', '["x"]', '[{"type":"text","text":"x"}]', '[{"role":"user"}]',
  '{"name":"f","arguments":"{}"}', '{"name":"f","arguments":{"a":[]}}',
  '[{"id":"c","type":"function","function":{"name":"f","arguments":"{}"}}]', '"{\\"name\\":1}"', '"\\n"', '"\\/"',
  '"\\u00e9"', '"\\ud83d\\ude00"', '"\\ud83d"',
  '"\\ude00"', '"\u4f60"', '"\u{1f600}"', '"thinking"', '"tool_use"', '"tool_result"', '"redacted_thinking"',
  '"message"',
  '"input_text"', '"output_text"', '"reasoning"', '"function_call"', '"function_call_output"', '"image"',
  '[{"type":"tool_use","id":"c","name":"f","input":{}}]', '[{"type":"tool_result","tool_use_id":"c","content":"x"}]',
  '[{"type":"thinking","thinking":"x"},{"type":"text","text":"y"}]', '[{"type":"function_call","name":"f"}]',
];
/** What may stand anywhere, and is mostly wrong there. */
const PIECES = texts([
  ...KEYS.map((key) => `"${key}":`), ...VALUES, '1.', '01', '-', ',', ':', ' ', '\t', '\r', '\\n', '\\"', '\\\\', '\\x',
  '\\u12', '"', '{', '}', '[', ']',
]);
const LF = 0x0a;

/**
 * Lines to begin with, as to make one takes longer than to change it: half of them such as the scanner takes, and most
 * of them short, as a change in a long one is no other.
 */
export function linePool(random: Random, count: number): Buffer[] {
  const pool: Buffer[] = [];
  while (pool.length < count) {
    const line = Buffer.from(randomText(random, randomRecord(random)));
    if (line.length > SHORT && !random.once(8)) continue;
    const isSlow = (scanByTwin(Buffer.concat([line, END])).words[abi.KIND]! & abi.SLOW) !== 0;
    if (!isSlow || pool.length % 2 === 0) pool.push(line);
  }
  return pool;
}
const END = Buffer.from([LF]);
const SHORT = 500;

/** A content that is long for its escapes, or holds what no string may hold. */
function contentLine(random: Random): Buffer {
  const content = Buffer.from(randomContent(random, 8, true));
  const [before, after] = random.pick([
    ['{"messages":[{"role":"user","content":"', '"}]}'],
    ['{"messages":[{"role":"assistant","thinking":"', '","content":null}]}'],
    ['{"messages":[{"role":"assistant","tool_calls":[{"id":"c","function":{"name":"f","arguments":"', '"}}]}]}'],
    ['{"messages":[{"role":"user","', '":"x"}]}'],
    ['{"messages":[{"role":"system","content":["', '"]}]}'],
    ['{"messages":[{"role":"assistant","function_call":{"arguments":{"a":"', '"},"name":"f"}}]}'],
  ]);
  return Buffer.concat([Buffer.from(before), content, Buffer.from(after)]);
}

/** The beginning of one line and the end of another. */
function crossed(random: Random, a: Buffer, b: Buffer): Buffer {
  return Buffer.concat([a.subarray(0, random.below(a.length + 1)), b.subarray(random.below(b.length + 1))]);
}

/** A line with a piece in it, now and then in the place of another token. */
function pieced(random: Random, line: Buffer): Buffer {
  // Mostly where tokens begin and end.
  let at = random.below(line.length + 1);
  if (!random.once(4)) at = Math.min(line.length, nextEdge(line, at) + random.below(2));
  return replaced(line, at, random.once(2) ? nextEdge(line, at) : at, random.pick(PIECES));
}

function nextEdge(line: Buffer, at: number): number {
  while (at < line.length && !EDGES.includes(line[at]!)) at++;
  return at;
}
const EDGES = Buffer.from('{}[],:"');

const replaced = (line: Buffer, from: number, to: number, piece: Buffer): Buffer =>
  Buffer.concat([line.subarray(0, from), piece, line.subarray(to)]);

/** A line, mostly of JSON, with another value of a member or another member. */
function changed(random: Random, line: Buffer): Buffer {
  const text = line.toString('latin1');
  const start = random.below(text.length);
  if (random.once(2)) {
    VALUE.lastIndex = start;
    const found = VALUE.exec(text);
    if (found !== null) return replaced(line, found.index + 1, VALUE.lastIndex, Buffer.from(random.pick(VALUES)));
  }
  const at = text.indexOf('{"', start) + 1;
  const member = `"${random.pick(KEYS)}":${random.pick(VALUES)},`;
  return at === 0 ? line : replaced(line, at, at, Buffer.from(member));
}
const VALUE = /:\s*(?:"(?:[^"\\]|\\.)*"|[-+.a-z0-9]+|\[\]|\{\})/g;

/** One line, with its line feed. */
function randomLine(random: Random, pool: readonly Buffer[]): Buffer {
  let line = random.once(8) ? contentLine(random) : random.pick(pool);
  for (let left = random.below(3); left > 0; left--) {
    switch (random.below(10)) {
      case 0: line = mutated(random, line); break;
      case 1: line = crossed(random, line, random.pick(pool)); break;
      case 2: line = pieced(random, line); break;
      default: line = changed(random, line);
    }
  }
  if (random.once(40)) line = Buffer.from(random.pick(['', ' ', '\t\r', '{}', '[]', '{', '"', '\ufeff']));
  if (line.includes(LF)) line = line.filter((byte) => byte !== LF) as Buffer;
  return line;
}

/** Some lines, each with its line feed. */
export function randomLines(random: Random, pool: readonly Buffer[]): Buffer {
  return Buffer.concat(Array.from({ length: 1 + random.below(32) }, () => [randomLine(random, pool), END]).flat());
}
