// Messages as columns against messages as records, value by value: whatever their headers say, and whatever bytes are
// in them.
import { describe, expect, test } from 'vitest';
import { messagesOf } from '../../../src/corpus/messages.ts';
import { Columns, NULL_BOOLEAN } from '../../../src/corpus/tables/columns.ts';
import { MessageColumns } from '../../../src/corpus/tables/message-columns.ts';
import { MESSAGE_COLUMNS } from '../../../src/corpus/tables/message-schema.ts';
import { createMachine } from '../../../src/index.ts';
import type { ReadOptions } from '../../../src/model/walk.ts';
import { MemorySource } from '../../../src/scan/source.ts';
import { decodeUtf8 } from '../../../src/utf8.ts';
import { randomOf, SEED } from '../../random.ts';

type Cell = string | number | boolean | null;
type Row = Record<string, Cell>;

const STRICT = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
const machine = createMachine();
const rows = new MessageColumns();

/** What the columns hold, row by row. */
function rowsOf({ schema, stores, rows: count }: Columns): Row[] {
  return Array.from({ length: count }, (_, row) => Object.fromEntries(schema.map(({ name }, i): [string, Cell] => {
    const store = stores[i]!;
    switch (store.kind) {
      case 'words': return [name, store.texts[store.ids[row]!] ?? null];
      case 'texts': {
        const bytes = store.values.subarray(row === 0 ? 0 : store.ends[row - 1], store.ends[row]);
        return [name, store.nulls[row] === 1 ? null : STRICT.decode(bytes)];
      }
      case 'integers': return [name, Number.isNaN(store.values[row]) ? null : store.values[row]!];
      case 'booleans': return [name, store.values[row] === NULL_BOOLEAN ? null : store.values[row] === 1];
    }
  })));
}

/** The messages of a text, by records and by columns. */
function both(bytes: Uint8Array, options: ReadOptions = {}): { records: Row[]; columns: Row[]; wordBytes: number } {
  const records: Row[] = [];
  rows.begin('a.txt');
  for (const { message, transcript, index, source } of messagesOf(machine, new MemorySource(bytes), options)) {
    const record = message.toRecord();
    records.push({ path: 'a.txt', ...record, content: message.content } as unknown as Row);
    rows.addMessage(message, transcript, transcript.number, index, source, null, (offset) => offset);
  }
  const wordBytes = rows.columns.data().wordBytes;
  return { records, columns: rowsOf(rows.columns), wordBytes };
}

const bytesOf = (...parts: (string | number[])[]): Uint8Array =>
  Buffer.concat(parts.map((part) => Buffer.from(part as string)));

/** Parts of characters. */
const HALVES = [[0xc3], [0xa9], [0xe2, 0x82], [0xac], [0xf0, 0x9f, 0x99], [0x82]];
const HEADER = 'version: 2.2\n---\n';
const CASES: [name: string, bytes: Uint8Array, options?: ReadOptions][] = [
  ['nothing', bytesOf('')],
  ['usual messages, again and again', bytesOf(HEADER, (
    '<|start|>user<|message|>Hi<|end|><|start|>assistant<|channel|>analysis<|message|>So.<|end|>'
    + '<|start|>assistant to=functions.f call_id=c1<|channel|>commentary<|constrain|>json<|message|>{}<|call|>'
    + '<|start|>functions.f to=assistant call_id=c1<|channel|>commentary<|message|>é 🙂<|end|>'
    + '<|start|>assistant<|channel|>final<|message|><|return|>'
  ).repeat(3))],
  ['every word of a header', bytesOf(
    HEADER, '<|start|>user name=eva intent=debug content_type=text<|message|>a<|end|>',
    '<|start|>assistant<|channel|>commentary intent=preamble<|message|>b<|end|>',
    '<|start|>assistant<|channel|>commentary json to=python<|message|>c<|end|><|start|>user:eric<|message|>d<|end|>',
  )],
  ['words that are none', bytesOf(
    HEADER, '<|start|>robot<|message|>a<|end|><|start|>assistant<|channel|>other<|message|>b<|end|>',
    '<|start|>assistant user<|message|>c<|end|><|start|>user to=a to=b<|message|>d<|end|>',
    '<|start|>user call_id=ü<|message|>e<|end|><|start|>user name=', [0xff], '<|message|>f<|end|>',
  )],
  ['messages that are cut, and that begin late', bytesOf(
    'analysis<|message|>a<|end|><|message|>b<|start|>user<|message|>c<|end|><|start|>tool',
  )],
  ['escapes, literal blocks, stray tokens, trailing terminators', bytesOf(
    '<|start|>user<|message|>a<<|end|>b<|literal|><|end|><<|x<|endliteral|>c<|channel|>d<|end|> <|return|>',
    '<|start|>user<|message|><<|end|><|end|>',
  )],
  ['bytes that are no UTF-8', bytesOf(
    '<|start|>user<|message|>', [0xc3], '<|end|><|start|>user<|message|>', [0xa9], '<|end|>',
    '<|start|>user<|message|>', [0xe2, 0x82], '<<|end|>', [0xac], 'x<|end|>',
    '<|start|>user<|message|>', [0x80, 0xff], 'é', [0xf0, 0x9f], '<|end|><|start|>user<|message|>\ufeffgood<|end|>',
  )],
  ['an old dialect', bytesOf(
    '<|im_start|>system\nBe kind.\n<|im_end|>\n<|im_start|>user name=é\nHi\r\n<|im_end|>\n',
    '<|im_start|>assistant\n<|function_call|>{"name":"f","arguments":{}}\n<|im_end|>\n',
    '<|im_start|>assistant\n<|function_call|>{}shown<|im_end|>\n<|im_start|>tool\n<|function_output|>1<|im_end|>',
  )],
  ['Harmony, whose messages must have a channel', bytesOf(
    '<|start|>assistant<|message|>a<|end|><|start|>assistant<|channel|>final<|message|>b<|return|>',
  ), { dialect: 'harmony' }],
  ['channels that must be given', bytesOf(HEADER, '<|start|>assistant<|message|>a<|end|>'), { requireChannels: true }],
];

describe('columns are what records say', () => {
  test.each(CASES)('%s', (_, bytes, options) => {
    const { records, columns, wordBytes } = both(bytes, options);
    expect(columns).toEqual(records);
    const words = MESSAGE_COLUMNS.filter(({ type }) => type === 'word').map(({ name }) => name);
    const lengths = records.flatMap((record) => words.map((name) => Buffer.byteLength((record[name] ?? '') as string)));
    expect(wordBytes).toBe(lengths.reduce((sum, length) => sum + length, 0));
  });

  test(`random pieces (seed ${SEED})`, () => {
    const pieces = [
      '<|start|>user<|message|>', '<|start|>assistant<|channel|>analysis<|message|>',
      '<|start|>assistant to=functions.f call_id=c<|channel|>commentary<|message|>', '<|start|>tool name=n<|message|>',
      '<|end|>', '<|call|>', '<|return|>', '<|message|>', '<|literal|>', '<|endliteral|>', '<', 'text', 'é', '🙂', ' ',
      '\n',
    ].map((text) => [...Buffer.from(text)]);
    for (let run = 0; run < 400; run++) {
      const random = randomOf(SEED + run);
      const parts = Array.from({ length: random.below(30) }, () => {
        if (random.once(6)) return [random.below(256)];
        return random.pick(random.once(9) ? HALVES : pieces);
      });
      const { records, columns } = both(bytesOf(...parts), { dialect: 'openchatml-2.2' });
      expect(columns, `seed ${SEED + run}`).toEqual(records);
    }
  });
});

const SCHEMA = [
  { name: 'word', type: 'word', nullable: true },
  { name: 'text', type: 'text', nullable: true },
  { name: 'number', type: 'integer', nullable: true },
  { name: 'flag', type: 'boolean', nullable: true },
] as const;

function addRow(columns: Columns<typeof SCHEMA>, i: number): void {
  const { word, text, number, flag } = columns.cells;
  const row = columns.rows;
  word.ids[row] = word.idOf(i % 4 === 0 ? null : `w${i % 7}`);
  if (i % 5 === 0) text.setNull();
  else {
    text.begin();
    // A part by itself: the two bytes make no character.
    text.add(Buffer.from(i % 11 === 0 ? [0x61, 0xc3] : `${i} é`));
    text.add(Buffer.from(i % 11 === 0 ? [0xa9] : ''));
  }
  number.values[row] = i % 3 === 0 ? NaN : i * 2 ** 33;
  flag.values[row] = i % NULL_BOOLEAN;
  columns.next(word.lengthOf(word.ids[row]!));
}

test('columns that are put together are the same as if they had been one', () => {
  const whole = new Columns(SCHEMA);
  const joined = new Columns(SCHEMA);
  const part = new Columns(SCHEMA);
  for (let i = 0; i < 5000; i++) {
    addRow(whole, i);
    addRow(part, i);
    if (i % 997 === 0 || i === 4999) {
      joined.append(structuredClone(part.data()));
      part.clear();
      expect(part.bytes).toBe(0);
    }
  }
  expect(joined.data()).toEqual(whole.data());
  expect(joined.bytes).toBe(whole.bytes);
  expect(rowsOf(joined)[11]!['text']).toBe(decodeUtf8(Buffer.from([0x61, 0xc3])) + decodeUtf8(Buffer.from([0xa9])));
});
