// Inputs that are made to be expensive: a fragment, repeated at a place of a transcript or of a chat record.
import type { DialectId } from '../src/scan/dialects.ts';
import type { Random } from './random.ts';

/** Where a fragment is repeated: `before` and `after` stand around it. */
interface Place {
  readonly name: string;
  readonly dialect: DialectId | 'record';
  readonly before: string;
  readonly after: string;
  /** Of records that are no chat records, one a line. */
  readonly form?: RecordForm | undefined;
}

export type RecordForm = 'list' | 'turns' | 'text' | 'conversations' | 'fields';

export interface Shape {
  readonly name: string;
  readonly dialect: Place['dialect'];
  readonly form?: RecordForm | undefined;
  /** The input, of about so many bytes. */
  readonly bytes: (size: number) => Uint8Array;
}

const place = (name: string, dialect: Place['dialect'], before: string, after: string, form?: RecordForm): Place =>
  ({ name, dialect, before, after, form });
const message = (header: string): string => `version: 2.2\n<|start|>${header}<|message|>`;
/** An answer of a server. */
const CHOICE = '{"message":{"role":"assistant","content":"x"}}';
const CALL = 'assistant to=functions.f call_id=1<|channel|>commentary';

const PLACES: readonly Place[] = [
  place('header', 'openchatml-2.2', 'version: 2.2\n<|start|>user', '<|message|>x<|end|>\n'),
  place('channel field', 'openchatml-2.2', 'version: 2.2\n<|start|>assistant<|channel|>', '<|message|>x<|end|>\n'),
  place('value', 'openchatml-2.2', 'version: 2.2\n<|start|>user name=', '<|message|>x<|end|>\n'),
  place('body', 'openchatml-2.2', message('user'), '<|end|>\n'),
  place('answer', 'openchatml-2.2', message('assistant<|channel|>final'), '<|return|>\n'),
  place('analysis', 'openchatml-2.2', message('assistant<|channel|>analysis'), '<|end|>\n'),
  place('definitions', 'openchatml-2.2', message('developer'), '<|end|>\n'),
  place('JSON', 'openchatml-2.2', message(`${CALL}<|constrain|>json`), '<|call|>\n'),
  place('gap', 'openchatml-2.2', `${message('user')}x<|end|>`, '<|start|>user<|message|>x<|end|>\n'),
  place('document header', 'openchatml-2.2', 'version: 2.2\n', '\n<|start|>user<|message|>x<|end|>\n'),
  place('open literal', 'openchatml-2.2', `${message('user')}<|literal|>`, ''),
  place('prompt', 'harmony', '<|start|>assistant', ''),
  place('body of Harmony', 'harmony', '<|start|>assistant<|channel|>final<|message|>', '<|return|>'),
  place('line', 'openchatml-0.1', '<|im_start|>assistant', '\nx<|im_end|>\n'),
  place('answer of 0.1', 'openchatml-0.1', '<|im_start|>assistant\n', '<|im_end|>\n'),
  place('tool of 0.1', 'openchatml-0.1', '<|im_start|>tool\n', '<|im_end|>\n'),
  place('system of 0.1', 'openchatml-0.1', '<|im_start|>system\n', '<|im_end|>\n'),
  place('gap of 0.1', 'openchatml-0.1', '<|im_start|>user\nx<|im_end|>', '<|im_start|>user\nx<|im_end|>\n'),
  place('content', 'record', '{"messages":[{"role":"assistant","content":"', '"}]}\n'),
  place('arguments', 'record',
    '{"messages":[{"role":"assistant","tool_calls":[{"id":"c","type":"function","function":{"name":"f","arguments":"',
    '"}}]}]}\n'),
  place('role', 'record', '{"messages":[{"role":"', '","content":"x"}]}\n'),
  place('messages', 'record', '{"messages":[{"role":"user","content":"x"}', ']}\n'),
  place('keys', 'record', '{"messages":[{"role":"user","content":"x"', '}]}\n'),
  place('lines', 'record', '{"messages":[{"role":"user","content":"x"}]}\n', ''),
  place('list', 'record', '[{"messages":[{"role":"user","content":"x"}]}', ']\n', 'list'),
  place('turns', 'record', '{"role":"user","content":"x"}\n', '', 'turns'),
  place('text', 'record', '{"text":"version: 2.2\\n<|start|>assistant<|message|>', '<|end|>"}\n', 'text'),
  place('text of 0.1', 'record', '{"text":"<|im_start|>assistant\\n', '<|im_end|>"}\n', 'text'),
  place('value of ShareGPT', 'record', '{"conversations":[{"from":"gpt","value":"', '"}]}\n', 'conversations'),
  place('output', 'record', '{"instruction":"x","output":"', '"}\n', 'fields'),
  place('choices', 'record',
    `{"request":{"messages":[{"role":"user","content":"x"}]},"choices":[${CHOICE}`, ']}\n', 'fields'),
  place('prompt of a record', 'record', '{"prompt":"', '","completion":"x"}\n', 'fields'),
];

/** `\xff` is the byte, as all here are. */
const FRAGMENTS: readonly string[] = [
  ' a', ' a=b', ' name=v', ' to=functions.f', ' user', 'x', '\xff', 'a\xff', '\xe2\x82', '\x00', '\r', '\n', ' ', '<',
  '<<|end|>', '<|literal|>', '<|literal|><|endliteral|>', '<|channel|>', '<|channel|>final', '<|constrain|>json ',
  '<|end|>', '<|start|>', '<|start|>user', '<|start|>user<|message|>x<|end|>', '<|message|>', '<|im_start|>user\n',
  '<|start_reason|>', '<|start_reason|>x<|end_reason|>', '<|start_reason|><|end_reason|>\n<tool_call>',
  '<|function_call|>', '<|function_call|>{"name":"f","arguments":{}}', '<|function_output|>', '<|function_list|>',
  '<|function_list|>[{"name":"f"}]', '<|fim_prefix|>', '<|file_separator|>a', 'x<s>', '<s>', '</s>',
  '<think>', '<think></think>', '\n<tool_call>', '\n<tool_call>{"name":"f","arguments":{}}</tool_call>',
  '<tool_response>x</tool_response>', '<tools>{"name":"f"}</tools>', '<|END|>', '<\u007cend|>', '&lt;', '\\u003c|end|>',
  '\\ud800', '\\n<tool_call>', '[', '{"a":', '[1,', '"', '- ', 'k: 1\n', '---\nversion: 2.2\n---\n',
  ',{"role":"user","content":"x"}', ',{"role":"tool","content":1}', ',"k":1', ',"tool_calls":[]', '{}\n', '{\n',
  '{"messages":[]}\n', '{"role":"user","content":"x"}\n', ',{"messages":[{"role":"user","content":"x"}]}',
  'namespace functions { type f = (_: {a: string}) => any; }\n', '// ', 'type ',
];

/** Those that have been expensive, or ended in an error: a place and a fragment each. */
const KNOWN: readonly (readonly [place: string, fragment: string])[] = [
  ['header', ' a'], ['header', ' a=b'], ['header', '<|channel|>final'], ['header', '<|literal|>'], ['header', '\xff'],
  ['value', '<<|end|>'], ['body', '\xff'], ['body', 'a\xff'], ['body', '<<|end|>'], ['body', '<|channel|>'],
  ['answer', '<|start_reason|>x<|end_reason|>'], ['answer', '<|start_reason|>'], ['gap', '<|constrain|>json '],
  ['gap', '\xff'], ['gap of 0.1', 'x<s>'], ['answer of 0.1', '<|function_call|>'],
  ['answer of 0.1', '<|start_reason|><|end_reason|>\n<tool_call>'], ['tool of 0.1', '<|function_output|>'],
  ['system of 0.1', '<|function_list|>'], ['content', '<|end|>'], ['content', '\\n<tool_call>'],
  ['arguments', '<|end|>'], ['body of Harmony', '<<|END|><|constrain|>json '], ['body of Harmony', '\\ud800'],
  ['content', '<think></think>'], ['gap', '<|start|>user'], ['prompt', '<|fim_prefix|><|start|><|start|>user'],
  ['messages', ',{"role":"user","content":"x"}'], ['turns', '{"role":"user","content":"x"}\n'], ['text', '<<|end|>'],
  ['text', '<|start|>user'], ['turns', '{"messages":[]}\n&lt;---\n'],
  ['choices', `,${CHOICE}`],
  ['role', 'namespace functions { type f = (_: {a: string}) => any; }\n<|start|>'],
];

function shapeOf({ name, dialect, before, after, form }: Place, fragment: string): Shape {
  const bytes = (size: number): Uint8Array => Buffer.concat([
    Buffer.from(before, 'latin1'),
    Buffer.from(fragment.repeat(Math.ceil(size / fragment.length)), 'latin1'),
    Buffer.from(after, 'latin1'),
  ]);
  return { name: `${name}: ${JSON.stringify(fragment)}`, dialect, form, bytes };
}

/** A fragment at a place, by its name. */
export const shapeAt = (name: string, fragment: string): Shape =>
  shapeOf(PLACES.find((one) => one.name === name)!, fragment);

export const KNOWN_SHAPES: readonly Shape[] = KNOWN.map(([name, fragment]) => shapeAt(name, fragment));

/** A place, and one to three fragments that are repeated there together. */
export function drawShape(random: Random): Shape {
  const fragments = Array.from({ length: 1 + random.below(3) }, () => random.pick(FRAGMENTS));
  return shapeOf(random.pick(PLACES), fragments.join(''));
}

/** A name by which the commands read it in its dialect. */
export const nameOfFile = ({ dialect }: Shape): string =>
  dialect === 'record' ? 'hostile.jsonl' : dialect === 'harmony' ? 'hostile.harmony' : 'hostile.ocml';

const NO_THREADS: ReadonlySet<string> = new Set(['filter', 'merge']);

/** Every command on a file, on one thread. `out`: where some write; to be removed before all but `merge`. */
export const commandsOf = (path: string, out: string): string[][] => [
  ['scan', '--format', 'json', path], ['check', '--format', 'ndjson', path], ['messages', path],
  ['audit', '--format', 'ndjson', path], ['audit', '--fix-warnings', '--output', out, path],
  ['audit', '--fix-warnings', '--diff', path], ['render', path],
  ['convert', '--to', 'messages', path], ['convert', '--to', 'openchatml-2.2', path], ['filter', path],
  ['run', '--out', out, path], ['merge', out],
].map((argv) => [...argv, '--quiet', ...(NO_THREADS.has(argv[0]!) ? [] : ['--threads', '1'])]);

/** Transcripts of 0.1 that define tools with a pattern each, of which no two are alike, and call every one. */
export const manyPatterns = (transcripts: number, tools: number): string =>
  Array.from({ length: transcripts }, (_, i) => `<s>${patternsFrom(i * tools, tools)}</s>\n`).join('');

function patternsFrom(first: number, tools: number): string {
  const defined = Array.from({ length: tools }, (_, offset) => {
    const i = first + offset;
    const properties = { a: { type: 'string', pattern: `^(a{0,90}b?){0,9}${i}$` } };
    const parameters = { type: 'object', properties };
    return { type: 'function', function: { name: `f${i}`, description: '', parameters } };
  });
  const calls = defined.map(({ function: { name } }) =>
    `<|im_start|>assistant\n<|function_call|>{"name":"${name}","arguments":{"a":"${'a'.repeat(36)}"}}<|im_end|>\n`,
  );
  return `<|im_start|>system\n<|function_list|>${JSON.stringify(defined)}<|im_end|>\n${calls.join('')}`;
}
