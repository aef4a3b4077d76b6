// Inputs built to defeat a scanner. Each is a head, a unit repeated, and a tail, so that what is in it grows by the
// same numbers with each unit. All are read as OpenChatML 2.2.
import { type Counts, bumpAll, emptyCounts, sum } from './counts.ts';
import { textualTokens } from './notation.ts';
import type { Output } from './output.ts';

type Growth = Partial<Omit<Counts, 'bytes' | 'textual' | 'occurrences' | 'openers'>>;

export interface Shape {
  name: string;
  about: string;
  head: string;
  unit: string;
  tail: string;
  /** What head and tail hold together, with the first unit where the first or the last one is special. */
  base: Growth;
  each: Growth;
  /** Units that `base` counts already. */
  counted?: number;
}

const OPEN = '<|start|>user<|message|>';
const CLOSE = ' <|end|>\n';

const MESSAGE: Growth = {
  messages: 1,
  roles: { user: 1 },
  channels: { final: 1 },
  unchanneled: 1,
  ends: { end: 1 },
  tokens: { start: 1, message: 1, end: 1 },
};
const ONE: Growth = { ...MESSAGE, transcripts: 1 };
/** A message that is a start token and nothing else: without a role, in no `roles`. */
const BARE: Growth = { messages: 1, channels: { final: 1 }, unchanneled: 1, tokens: { start: 1 } };

export const SHAPES: readonly Shape[] = [
  { name: 'lt', about: 'a body of `<`', head: OPEN, unit: '<', tail: CLOSE, base: ONE, each: {} },
  { name: 'lt-gap', about: 'nothing but `<`', head: '', unit: '<', tail: '\n', base: {}, each: {} },
  { name: 'lt-bar', about: 'a body of `<|`', head: OPEN, unit: '<|', tail: CLOSE, base: ONE, each: {} },
  { name: 'lt-lt-bar', about: 'a body of `<<|`', head: OPEN, unit: '<<|', tail: CLOSE, base: ONE, each: {} },
  {
    name: 'escapes',
    about: '`<<|start|>`',
    head: OPEN,
    unit: '<<|start|>',
    tail: CLOSE,
    base: ONE,
    each: { escapes: 1 },
  },
  {
    name: 'starts',
    about: '`<|start|>`: the most messages a byte',
    head: '',
    unit: '<|start|>',
    tail: '',
    // The last one is ended by the end of the input.
    base: { ...BARE, transcripts: 1, ends: { eof: 1 } },
    each: { ...BARE, ends: { implicit: 1 } },
    counted: 1,
  },
  {
    name: 'strays',
    about: '`<|end|>` in a gap',
    head: '',
    unit: '<|end|>',
    tail: '',
    base: {},
    each: { tokens: { end: 1 } },
  },
  {
    name: 'trailing',
    about: '`<|end|>` after a message',
    head: `${OPEN}x`,
    unit: '<|end|>',
    tail: '',
    base: ONE,
    each: { tokens: { end: 1 } },
    counted: 1,
  },
  {
    name: 'minimal',
    about: 'empty messages',
    head: '',
    unit: `${OPEN}<|end|>`,
    tail: '',
    base: { transcripts: 1 },
    each: MESSAGE,
  },
  {
    name: 'unclosed',
    about: 'a message that never ends',
    head: OPEN,
    unit: 'and so on ',
    tail: '',
    base: { ...ONE, ends: { eof: 1 }, tokens: { start: 1, message: 1 } },
    each: {},
  },
  {
    name: 'unclosed-many',
    about: 'messages without a terminator',
    head: '',
    unit: `${OPEN}x`,
    tail: '',
    base: { ...ONE, ends: { eof: 1 }, tokens: { start: 1, message: 1 } },
    each: { ...MESSAGE, ends: { implicit: 1 }, tokens: { start: 1, message: 1 } },
    counted: 1,
  },
  {
    name: 'literal',
    about: 'one literal block full of tokens',
    head: `${OPEN}<|literal|>`,
    unit: '<|start|>user<|message|>x<|end|>\n',
    tail: '<|endliteral|><|end|>\n',
    base: { ...ONE, literals: 1, tokens: { start: 1, message: 1, end: 1, literal: 1, endliteral: 1 } },
    each: {},
  },
  {
    name: 'literal-plain',
    about: 'one literal block without any',
    head: `${OPEN}<|literal|>`,
    unit: 'and so on ',
    tail: '<|endliteral|><|end|>\n',
    base: { ...ONE, literals: 1, tokens: { start: 1, message: 1, end: 1, literal: 1, endliteral: 1 } },
    each: {},
  },
  {
    name: 'literal-flips',
    about: '`<|literal|><|endliteral|>`',
    head: OPEN,
    unit: '<|literal|><|endliteral|>',
    tail: CLOSE,
    base: ONE,
    each: { literals: 1, tokens: { literal: 1, endliteral: 1 } },
  },
  {
    name: 'channels',
    about: 'a message header of channel fields',
    head: '<|start|>user',
    unit: '<|channel|>final',
    tail: '<|message|>x<|end|>\n',
    base: { ...ONE, unchanneled: 0 },
    each: { tokens: { channel: 1 } },
  },
  {
    name: 'attributes',
    about: 'a message header of attributes',
    head: '<|start|>user',
    unit: ' a=b',
    tail: '<|message|>x<|end|>\n',
    base: ONE,
    each: {},
  },
  {
    name: 'rules',
    about: '`---` lines: one endless header',
    head: '',
    unit: '---\n',
    tail: `${OPEN}x<|end|>\n`,
    base: ONE,
    each: {},
  },
  {
    name: 'versions',
    about: '`version:` lines: one endless header',
    head: '',
    unit: 'version: 2.2\n',
    tail: `${OPEN}x<|end|>\n`,
    base: ONE,
    each: {},
  },
  {
    name: 'headers',
    about: '`version:` and `---` lines: a transcript each',
    head: '',
    unit: 'version: 2.2\n---\n',
    tail: `${OPEN}x<|end|>\n`,
    base: MESSAGE,
    each: { transcripts: 1 },
  },
];

const BLOCK = 1 << 16;

/** Writes a shape of at most `size` bytes (of one unit at least) and tells what is in it. */
export function writeShape(shape: Shape, size: number, output: Output): Counts {
  const { head, unit, tail } = shape;
  const units = Math.max(1, Math.floor((size - head.length - tail.length) / unit.length));
  const block = Buffer.from(unit.repeat(Math.ceil(BLOCK / unit.length)));
  output.ascii(head);
  for (let left = units * unit.length; left > 0; left -= block.length) {
    output.copy(block, 0, Math.min(left, block.length));
  }
  output.ascii(tail);
  const counts = emptyCounts();
  grow(counts, shape.base, 1);
  grow(counts, shape.each, units - (shape.counted ?? 0));
  bumpAll(counts.textual, textualTokens(head + tail, 'openchatml-2.2'));
  bumpAll(counts.textual, textualTokens(unit, 'openchatml-2.2'), units);
  counts.occurrences = sum(counts.textual);
  counts.openers = counts.textual['start'] ?? 0;
  counts.bytes = output.bytes;
  return counts;
}

function grow(counts: Counts, by: Growth, times: number): void {
  for (const key of Object.keys(by) as (keyof Growth)[]) {
    const value = by[key];
    const old = counts[key];
    if (typeof value === 'object') bumpAll(old as Record<string, number>, value, times);
    else (counts as unknown as Record<string, number>)[key] = (old as number) + (value as number) * times;
  }
}
