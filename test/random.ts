// Seeded random input for tests: bytes made of the fragments that scanners and parsers stumble over.
import { CHANNEL_NAMES, ROLE_NAMES, TOKEN_NAMES } from '../src/scan/dialects.ts';

/** OPENCHATML_SEED, or a new one; print it with every failure. */
export const SEED = Number(process.env['OPENCHATML_SEED'] ?? Date.now() % 0x7fffffff);

export interface Random {
  /** An integer of 0 … below - 1. */
  below(below: number): number;
  /** True once in `times`. */
  once(times: number): boolean;
  pick<T>(from: readonly T[]): T;
}

/** mulberry32 */
export function randomOf(seed: number): Random {
  let state = seed >>> 0;
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = Math.imul(state ^ (state >>> 15), state | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return (t ^ (t >>> 14)) >>> 0;
  };
  const below = (limit: number): number => Math.floor((next() / 0x1_0000_0000) * limit);
  return { below, once: (times) => below(times) === 0, pick: (from) => from[below(from.length)]! };
}

const tokens = (from: number, to: number): string[] => TOKEN_NAMES.slice(from, to).map((name) => `<|${name}|>`);
const FRAME = tokens(1, 10);
const LINE = tokens(10, 28);
const ALL = [...FRAME, ...LINE];
const ROLES = ROLE_NAMES.slice(1);
const CHANNELS = CHANNEL_NAMES.slice(1);
const NAMES = [...ROLES, ...CHANNELS];
const SHORT = [
  '<', '<<', '<|', '<<|', '|>', '>', '|', '[', ']', '-', '--', ':', '=', ' ', '  ', '\t', '\r', '\n', '\n\n', '\r\n',
  '\0', '\x7f', '\u00a0',
];
const BOUNDS = [
  ...TOKEN_NAMES.slice(28), '<s', '</', '[BO', '[EOS', '<S>', '<|foo|>', '<<|foo|>', '<think>', '</think>',
  '<tool_call>', '\n<tool_call>', '</tool_call>', '<tool_response>', '</tool_response>', '<tool_',
];
const HEADER_LINES = [
  '---', '---\n', '\n---\n', '\n---  \t\r\n', '\n----\n', '\n--\n', ' ---\n', '...\n', '\n... \n', 'version: 2.2\n',
  '\nversion: 2.0\n',
  '\nversion:', '\nversio: 2\n', 'key: x\n', '\nkey: x\n', 'key:x\n', 'a-b_c9:\r\n', '_k:', '9k: x\n', '# c', '# c\n',
  '\n  # c\n',
  '\n<|start|>', '"<|start|>"', '\n"<<|start|>u"', '<|start|>u', '<<|start|>u', '\n<|message|>', '\n<|im_start|>',
  '\n<|reason|>',
];
const ATTRIBUTES = [
  'to=functions.x', 'to=assistant', 'to=user', 'to=all', 'to=', 'to=assistants', 'call_id=c1', 'name=n',
  'name=\u00e9', 'intent=debug',
  'content_type=json', 'content_type=', 'x=y', '=', 'to=a=b',
];
const WORDS = [
  'a', 'hi', 'json', 'word', 'functions.x', 'user:eric', 'analysisx', 'assistantassistant', '{"a":1}', '\u00e9\u4f60',
  'a long line of text', 'assistantanalysis', 'userassistantcommentary', '\u2013commentary?', 'assistantanalysisx',
  'assistant:analysis', 'assistant-:analysis',
];
const BYTE_ORDER_MARK = [0xef, 0xbb, 0xbf];
const BAD_BYTES = [[0xff], [0xc3], [0xe2, 0x82], [0xef, 0xbb], [0xed, 0xa0, 0x80], [0x80], BYTE_ORDER_MARK];
const ENDS = ['<|end|>', '<|call|>', '<|return|>', '<|end|>\n', '<|end|><|return|>', '<|call|> \n<|end|>', ''];

/** A message or a piece of one, likely well made. */
function message(random: Random): string {
  if (random.once(4)) {
    const space = random.pick(['', '\n', '\r\n', ' ', ' name=n\n']);
    const end = `${random.pick(['', '\n', '\r\n'])}<|im_end|>${random.pick(['', '\n'])}`;
    const text = random.once(3) ? tagged(random) : random.pick(WORDS);
    return `<|im_start|>${random.pick(ROLES)}${space}${text}${end}`;
  }
  const attribute = (): string => (random.once(3) ? ` ${random.pick(ATTRIBUTES)}` : '');
  const channel = random.once(2) ? `<|channel|>${random.pick(CHANNELS)}${attribute()}${attribute()}` : '';
  const type = `${random.pick(['', ' '])}<|constrain|>${random.pick(['json', ' json', 'json ', ''])}`;
  const constrain = random.once(5) ? type : '';
  const start = random.once(8) ? '' : `<|start|>${random.pick(ROLES)}${attribute()}${attribute()}`;
  return `${start}${channel}${constrain}<|message|>${body(random)}${random.pick(ENDS)}`;
}

function body(random: Random): string {
  switch (random.below(6)) {
    case 5: return `${random.pick(WORDS)}<|channel|>${random.pick(LEAKS)}${random.pick(SHORT)}${random.pick(WORDS)}`;
    case 4: return thought(random);
    case 0: return `${random.pick(WORDS)}<${random.pick(ALL)}${random.pick(WORDS)}`;
    case 1: return `<|literal|>${random.pick(WORDS)}${random.pick(ALL)}${random.pick(SHORT)}<|endliteral|>`;
    default: return random.pick(WORDS);
  }
}

const LEAKS = ['analysis', 'commentary', 'final', 'anal', 'analysis<|message|>', 'commentary to=x', ''];

/** Reasoning as models write it, well made or not. */
function thought(random: Random): string {
  const front = random.pick(['', '', '\n', 'a']) + random.pick(['<think>', '<think>', '<thin', '', '<think><think>']);
  const inside = random.pick([...WORDS, '', '\n', ...ALL]);
  const end = random.pick(['</think>', '</think>', '</think', '<</think>', '</think> \n</think>', '']);
  return front + inside + end + random.pick(['', '\n\n', ' ', '<|literal|>', '<|endliteral|>']) + random.pick(WORDS);
}

/** Calls and replies as Hermes writes them, well made or not. */
function tagged(random: Random): string {
  const name = random.pick(['tool_call', 'tool_call', 'tool_response']);
  const front = random.pick(['', '\n', 'a', '<think>', '<think>\n</think>\n', '<|start_reason|>\n']);
  const inside = random.pick(['{"name":"f","arguments":{}}', ...WORDS, '']);
  const end = random.pick([`</${name}>`, `</${name}>`, `</${name}`, '', `</${name}>\n<${name}>`]);
  return `${front}<${name}>${random.pick(['', '\n'])}${inside}${end}${random.pick(['', ' ', '\n', 'a', '</think>'])}`;
}

function fragment(random: Random): string {
  switch (random.below(14)) {
    case 0: case 1: case 2: return message(random);
    case 3: return random.pick(FRAME);
    case 4: return random.pick(random.once(3) ? LINE : FRAME);
    case 5: return random.pick(ALL).slice(0, 1 + random.below(8));
    case 6: return random.pick(ALL).slice(1 + random.below(8));
    case 7: return `<${random.pick(ALL)}`;
    case 8: return random.pick(SHORT);
    case 9: return random.pick(BOUNDS);
    case 10: return random.pick(HEADER_LINES);
    case 11: return ` ${random.pick(ATTRIBUTES)}`;
    case 12: return random.pick(['<|start|>', '<|im_start|>', '', '<|channel|>']) + random.pick(NAMES);
    default: return random.pick(WORDS);
  }
}

/** Up to `most` fragments; now and then behind a byte order mark, a header or blank lines, or with bad bytes. */
export function randomInput(random: Random, most = 14): Uint8Array {
  const bytes: number[] = [];
  const add = (text: string): void => void bytes.push(...new TextEncoder().encode(text));
  if (random.once(6)) bytes.push(...BYTE_ORDER_MARK);
  if (random.once(4)) add(random.pick(['\n', ' ', '\r\n\r\n', ' \n\t']));
  if (random.once(4)) add(random.pick(HEADER_LINES));
  for (let left = random.below(most + 1); left > 0; left--) {
    if (random.once(25)) bytes.push(...random.pick(BAD_BYTES));
    else add(fragment(random));
  }
  return Uint8Array.from(bytes);
}

/** `work` for many seeds; a failure tells its own. */
export function forSeeds(runs: number, work: (random: Random) => void): void {
  for (let run = 0; run < runs; run++) {
    try {
      work(randomOf(SEED + run));
    } catch (error) {
      throw new Error(`OPENCHATML_SEED=${SEED + run}: ${(error as Error).message}`, { cause: error });
    }
  }
}
