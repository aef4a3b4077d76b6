// Prints what shapes of hostile.ts cost as whole processes, each beside honest text of its size in the same command:
//
//   node --import ts-blank-space/register test/hostile-table.ts [--size MIB] [--known] [--drawn N] [--from N]
//     [--only COMMAND,…] [--command FILE] [--piped] [PLACE FRAGMENT]…
//
// Honest are the real dialogues beside the checkout. OPENCHATML_SEED draws other shapes. Of each command of a shape one
// line goes to standard output, with tabs: MiB resident at most, seconds of processor time, times the honest ones, the
// same for each byte that is read or written, the exit code, the command, the shape. What a command writes it was asked
// for: a line for each line, each message or each record, however small they are. `--piped`: the input comes from a
// pipe. A machine is slow now and then: what is honest, and what takes long beside it, is measured three times, of
// which the least counts.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { gunzipSync } from 'node:zlib';
import { commandsOf, drawShape, KNOWN_SHAPES, nameOfFile, type RecordForm, type Shape, shapeAt } from './hostile.ts';
import { COMMAND, usedBy } from './peak.ts';
import { randomOf, SEED } from './random.ts';
import { sharedData } from './skip.ts';

const MIB = 1 << 20;
/** Seconds that a command is given. */
const LIMIT = 300;
const { values: given, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    size: { type: 'string', default: '16' },
    known: { type: 'boolean', default: false },
    drawn: { type: 'string', default: '0' },
    from: { type: 'string', default: '0' },
    only: { type: 'string' },
    command: { type: 'string', default: COMMAND },
    piped: { type: 'boolean', default: false },
  },
});
const size = Number(given.size) * MIB;
const only = given.only?.split(',') ?? null;
const folder = mkdtempSync(join(tmpdir(), 'openchatml-hostile-'));
const FILES: Readonly<Record<string, string>> = {
  record: 'messages.jsonl', harmony: 'harmony.txt', 'openchatml-0.1': 'chatml-0.1.txt',
  'openchatml-2.2': 'openchatml-2.2.txt',
};

function shapes(): Shape[] {
  const random = randomOf(SEED);
  const drawn = Array.from({ length: Number(given.drawn) }, () => drawShape(random)).slice(Number(given.from));
  const named = positionals.flatMap((name, i) => i % 2 === 0 ? [shapeAt(name, positionals[i + 1]!)] : []);
  return [...named, ...(given.known ? KNOWN_SHAPES : []), ...drawn];
}

type Chat = { readonly messages: readonly { readonly role: string; readonly content: string | null }[] };

/** A chat record in another form, without what it calls. */
const IN_FORM: Readonly<Record<RecordForm, (line: string) => string>> = {
  list: (line) => line,
  turns: (line) => [...messagesOf(line).map((one) => JSON.stringify(one)), '{"messages":[]}'].join('\n'),
  text: (line) => JSON.stringify({
    text: said(line).map(({ role, content }) => `<|start|>${role}<|message|>${content}<|end|>`).join('\n'),
  }),
  conversations: (line) => JSON.stringify({
    conversations: said(line).map(({ role, content }) => ({ from: role === 'user' ? 'human' : 'gpt', value: content })),
  }),
  fields: (line) => JSON.stringify({ instruction: said(line)[0]?.content, output: said(line)[1]?.content }),
};

const messagesOf = (line: string): Chat['messages'] => (JSON.parse(line) as Chat).messages;
const said = (line: string): Chat['messages'] =>
  messagesOf(line).filter(({ role, content }) => role !== 'tool' && content !== null);

function inForm(bytes: Buffer, form: RecordForm, most: number): Uint8Array {
  const lines: string[] = [];
  let length = 0;
  for (let from = 0, to = bytes.indexOf('\n'); to >= 0; to = bytes.indexOf('\n', (from = to + 1))) {
    const line = IN_FORM[form](bytes.toString('utf8', from, to));
    length += Buffer.byteLength(line) + 1;
    if (length + 2 > most) break;
    lines.push(line);
  }
  return Buffer.from(form === 'list' ? `[${lines.join(',')}]` : `${lines.join('\n')}\n`);
}

/** The real dialogues in a dialect, and of records in a form, as many as fit. */
function honest(dialect: Shape['dialect'], form: Shape['form']): Shape {
  const data = sharedData('dialogues');
  if (data === null) throw new Error('the dialogues are needed: what is honest is measured with them');
  const bytes = gunzipSync(readFileSync(join(data, `${FILES[dialect]}.gz`)));
  const end = (to: number): number => dialect === 'record' ? bytes.lastIndexOf('\n', to) + 1 : to;
  const fits = (most: number): Uint8Array => bytes.subarray(0, end(Math.min(most, bytes.length)));
  const inItsForm = (most: number): Uint8Array => form === undefined ? fits(most) : inForm(bytes, form, most);
  return { name: 'honest', dialect, form, bytes: inItsForm };
}

const kindOf = ({ dialect, form }: Shape): string => form ?? dialect;

/** The honest ones, by dialect or form, and command: seconds, and seconds for each byte that is moved. */
const known = new Map<string, readonly [seconds: number, each: number]>();
/** Times the honest seconds from which on a shape is measured again. */
const LONG = 3.3;
const TIMES = 3;

function measure(shape: Shape): void {
  const path = join(folder, nameOfFile(shape));
  const bytes = shape.bytes(size);
  writeFileSync(path, bytes);
  const input = given.piped ? bytes : null;
  const out = join(folder, 'out');
  for (const argv of commandsOf(given.piped ? '-' : path, out)) {
    const name = argv.filter((word) => !word.startsWith(folder)).join(' ');
    if (only !== null && !only.includes(argv[0]!)) continue;
    const key = `${kindOf(shape)} ${name}`;
    const isLong = (taken: number): boolean => taken > LONG * (known.get(key)?.[0] ?? 0);
    const first = used(argv, out, input);
    const { written, status } = first;
    let { peak, seconds } = first;
    for (let time = 1; time < TIMES && isLong(seconds); time++) {
      const again = used(argv, out, input);
      peak = Math.max(peak, again.peak);
      seconds = Math.min(seconds, again.seconds);
    }
    const each = seconds / (size + written);
    if (shape.name === 'honest') known.set(key, [seconds, each]);
    const [honestSeconds, honestEach] = known.get(key)!;
    const times = [seconds / honestSeconds, each / honestEach].map((ratio) => ratio.toFixed(1));
    const numbers = [(peak / 1024).toFixed(0), seconds.toFixed(2), ...times, status];
    console.log([...numbers, name, shape.name === 'honest' ? `honest ${kindOf(shape)}` : shape.name].join('\t'));
  }
}

function used(argv: readonly string[], out: string, input: Uint8Array | null): ReturnType<typeof usedBy> {
  if (argv[0] !== 'merge') rmSync(out, { recursive: true, force: true });
  return usedBy(argv, given.command, LIMIT, input);
}

try {
  const wanted = shapes();
  const kinds = new Map(wanted.map((shape) => [kindOf(shape), shape]));
  for (const { dialect, form } of kinds.values()) measure(honest(dialect, form));
  for (const shape of wanted) measure(shape);
} finally {
  rmSync(folder, { recursive: true, force: true });
}
