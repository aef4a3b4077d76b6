// The section stream: a transcript that arrives in pieces, from one byte to 64 KiB, as events; text beside a state
// machine that is written by hand; token ids beside openai-harmony, token by token; and what a piece costs when the
// message it belongs to is long, and when many streams take turns.
import { readFileSync } from 'node:fs';
import { parse } from '../src/index.ts';
import type { StreamEvent } from '../src/runtime/stream/event.ts';
import { MessageStream } from '../src/runtime/stream/stream.ts';
import { O200K_HARMONY, TokenStream } from '../src/runtime/token.ts';
import { type Corpus, corpus, type Kind } from './corpus.ts';
import { HandWritten } from './hand-written.ts';
import { interleave, type Job, median } from './measure.ts';
import { fixed, megabytes, type Result, table } from './report.ts';
import type { Outcome, Settings } from './sections.ts';
import { type Outside, RIVALS, vocabulary } from './stream-outside.ts';

const CORPUS_SIZE = 4_000_000;
const NO_IDS = 'skipped: openai-harmony makes the ids';
/** Rounds of rows that take seconds. */
const MOST_ROUNDS = 5;

interface Row {
  readonly name: string;
  readonly does: string;
  run(): Sum;
}

/** What a run saw. */
interface Sum {
  events: number;
  messages: number;
  /** UTF-16 code units of all deltas. */
  units: number;
  pieces: number;
}

function add(sum: Sum, events: readonly StreamEvent[]): void {
  sum.events += events.length;
  for (const event of events) {
    if (event.type === 'response.output_item.done') sum.messages++;
    else if ('delta' in event) sum.units += event.delta.length;
  }
}

function fed<T>(stream: { end(): StreamEvent[] }, pieces: Iterable<T>, feed: (piece: T) => StreamEvent[]): Sum {
  const sum: Sum = { events: 0, messages: 0, units: 0, pieces: 0 };
  for (const piece of pieces) {
    add(sum, feed(piece));
    sum.pieces++;
  }
  add(sum, stream.end());
  return sum;
}

const OPTIONS = { dialect: 'harmony', reasoning: true, missingChannel: true } as const;

function* cut(bytes: Uint8Array, size: number): Generator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

function byPieces(name: string, does: string, bytes: Uint8Array, size: number): Row {
  return {
    name,
    does,
    run() {
      const stream = new MessageStream(OPTIONS);
      return fed(stream, cut(bytes, size), (piece) => stream.feed(piece));
    },
  };
}

/** Text in pieces of `size` characters, none of which is cut. */
function textPieces(bytes: Uint8Array, size: number): string[] {
  const characters = [...new TextDecoder().decode(bytes)];
  const pieces: string[] = [];
  for (let at = 0; at < characters.length; at += size) pieces.push(characters.slice(at, at + size).join(''));
  return pieces;
}

function byText(pieces: readonly string[]): Row[] {
  return [
    {
      name: 'text of 4',
      does: 'fed in texts of four characters',
      run() {
        const stream = new MessageStream(OPTIONS);
        return fed(stream, pieces, (piece) => stream.feed(piece));
      },
    },
    {
      name: 'hand-written',
      does: 'a state machine of 80 lines (bench/hand-written.ts), fed in the same texts',
      run() {
        const sum: Sum = { events: 0, messages: 0, units: 0, pieces: pieces.length };
        const reader = new HandWritten();
        for (const piece of pieces) {
          const events = reader.feed(piece);
          sum.events += events.length;
          for (const event of events) {
            if (event.type === 'done') sum.messages++;
            else sum.units += event.delta.length;
          }
        }
        return sum;
      },
    },
  ];
}

function outsideLine(
  rival: (typeof RIVALS)[number], answer: Outside | string, made: Corpus, bytes: number, outcome: Outcome,
): string[] {
  if (typeof answer === 'string') {
    const note = `skipped: ${answer}`;
    outcome.results.push(blank(made, bytes, rival, note));
    return [rival.name, '-', '-', '-', '-', note];
  }
  const { ids, seconds, messages } = answer;
  const ms = median(seconds) * 1000;
  const note = messages === made.counts.messages ? '' : `it sees ${messages} messages`;
  const speed = { ms, gigabytesPerSecond: bytes / ms / 1e6, rounds: seconds.length };
  outcome.results.push({ ...blank(made, bytes, rival, note), ...speed });
  return [...line(rival.name, ms, bytes, null, ids.length).slice(0, -1), note];
}

/** Messages and code units that every row must see: those of the whole text. */
function expected(bytes: Uint8Array): { messages: number; units: number } {
  let messages = 0;
  let units = 0;
  for (const { role, channel, recipient, content } of parse(bytes, { dialect: 'harmony' }).messages()) {
    messages++;
    const isHidden = (role !== 'assistant' && role !== 'user') || (channel === 'commentary' && recipient === null);
    if (!isHidden) units += content.length;
  }
  return { messages, units };
}

async function measured(
  rows: readonly Row[], made: Corpus, bytes: Uint8Array, settings: Settings, outcome: Outcome,
): Promise<string[][]> {
  const right = expected(bytes);
  const sums = new Map<string, Sum>();
  const jobs: Job[] = [];
  for (const row of rows) {
    const sum = row.run();
    sums.set(row.name, sum);
    const isRight = sum.messages === right.messages && sum.units === right.units;
    if (!isRight) outcome.wrong++;
    const note =
      isRight ? '' : `WRONG: ${sum.messages} messages, ${sum.units} units, not ${right.messages}, ${right.units}`;
    outcome.results.push(blank(made, bytes.length, row, note));
    if (isRight) jobs.push({ name: row.name, run: () => row.run() });
  }
  const timings = new Map(
    (await interleave(jobs, Math.min(settings.rounds, MOST_ROUNDS))).map(({ name, times }) => [name, times]),
  );
  return rows.map(({ name }) => {
    const result = outcome.results.find(({ row }) => row === name)!;
    const times = timings.get(name);
    if (!times) return [name, '-', '-', '-', '-', result.note];
    const { pieces, events } = sums.get(name)!;
    result.ms = median(times);
    result.gigabytesPerSecond = bytes.length / result.ms / 1e6;
    result.rounds = times.length;
    return line(name, result.ms, bytes.length, events, pieces);
  });
}

function line(name: string, ms: number, bytes: number, events: number | null, pieces: number): string[] {
  const rate = events === null ? '-' : fixed(events / ms / 1e3, 2);
  return [name, fixed(ms, 1), fixed(bytes / ms / 1e3, 1), rate, fixed((ms * 1e6) / pieces, 0), ''];
}

function blank(made: Corpus, bytes: number, { name, does }: { name: string; does: string }, note: string): Result {
  const shared = { section: 'stream', corpus: made.name, notation: made.notation, bytes } as const;
  return { ...shared, row: name, does, ms: null, gigabytesPerSecond: null, toBase: null, base: null, rounds: 0, note };
}

/** What a piece of four bytes costs in bodies of growing length. */
async function lengths(settings: Settings): Promise<string> {
  const rows: string[][] = [['body', 'ms', 'MB/s', 'ns a piece', '']];
  const text = new TextEncoder().encode('All work and no play. ');
  const jobs = [2 ** 16, 2 ** 18, 2 ** 20, 2 ** 22].map((size) => {
    const body = new Uint8Array(size).map((_, i) => text[i % text.length]!);
    const run = (): void => {
      // The same number of bytes for each length.
      for (let left = 2 ** 22; left > 0; left -= size) {
        const stream = new MessageStream(OPTIONS);
        stream.feed('<|start|>assistant<|channel|>final<|message|>');
        for (const piece of cut(body, 4)) stream.feed(piece);
      }
    };
    return { name: `${size / 1024} KiB`, run };
  });
  for (const { run } of jobs) run();
  for (const { name, times } of await interleave(jobs, Math.min(settings.rounds, MOST_ROUNDS))) {
    const ms = Math.min(...times);
    rows.push([name, fixed(ms, 1), fixed(2 ** 22 / ms / 1e3, 1), fixed((ms * 1e6) / 2 ** 20, 0), '']);
  }
  return table(rows);
}

/** What a piece of four characters costs where streams take turns: each is fed one piece, then the next one is. */
async function turns(settings: Settings): Promise<string> {
  const rows: string[][] = [['streams', 'ns a piece', '']];
  const pieces = textPieces(new TextEncoder().encode('All work and no play. '), 4);
  const fedOnce = 200_000;
  const jobs = [1, 100, 1000, 10_000].map((count) => {
    const streams = Array.from({ length: count }, () => new MessageStream(OPTIONS));
    for (const stream of streams) stream.feed('<|start|>assistant<|channel|>final<|message|>');
    const run = (): void => {
      for (let i = 0; i < fedOnce; i++) streams[i % count]!.feed(pieces[i % pieces.length]!);
    };
    return { name: count.toLocaleString('en'), run };
  });
  for (const { run } of jobs) run();
  for (const { name, times } of await interleave(jobs, Math.min(settings.rounds, MOST_ROUNDS))) {
    rows.push([name, fixed((Math.min(...times) * 1e6) / fedOnce, 0), '']);
  }
  return table(rows);
}

/** Measures streams on the corpus in Harmony, which all rows read. */
export async function stream(kind: Kind, settings: Settings): Promise<Outcome> {
  const outcome: Outcome = { results: [], wrong: 0 };
  const made = corpus(kind, Math.min(CORPUS_SIZE, settings.size), settings.seed);
  const bytes = new Uint8Array(readFileSync(made.path));
  settings.log(
    `\nstream: ${made.notation}, ${megabytes(bytes.length)}, ${made.counts.messages.toLocaleString('en')} messages`,
  );
  const rows = [
    byPieces('1 byte', 'fed in chunks of one byte', bytes, 1),
    byPieces('4 bytes', 'fed in chunks of four bytes', bytes, 4),
    byPieces('16 bytes', 'fed in chunks of 16 bytes', bytes, 16),
    byPieces('1 KiB', 'fed in chunks of 1 KiB', bytes, 1024),
    byPieces('64 KiB', 'fed in chunks of 64 KiB', bytes, 65_536),
    ...byText(textPieces(bytes, 4)),
  ];
  const asked = RIVALS.map((rival) => ({ rival, answer: rival.ask(bytes, Math.min(settings.rounds, MOST_ROUNDS)) }));
  const ids = asked.flatMap(({ answer }) => (typeof answer === 'string' ? [] : [answer.ids]))[0];
  const token = { name: 'ids', does: 'token ids of o200k_harmony, one at a time' };
  if (ids === undefined) {
    outcome.results.push(blank(made, bytes.length, token, NO_IDS));
  } else {
    const decode = vocabulary();
    rows.push({
      ...token,
      run() {
        const stream = new TokenStream({ ...OPTIONS, decode, specials: O200K_HARMONY });
        return fed(stream, ids, (id) => stream.feedTokens([id]));
      },
    });
  }
  const lines = await measured(rows, made, bytes, settings, outcome);
  if (ids === undefined) lines.push([token.name, '-', '-', '-', '-', NO_IDS]);
  for (const { rival, answer } of asked) lines.push(outsideLine(rival, answer, made, bytes.length, outcome));
  settings.log(table([['row', 'ms', 'MB/s', 'M events/s', 'ns a piece', 'note'], ...lines]));
  settings.log('\nstream: pieces of four bytes, by the length of the body that they belong to');
  settings.log(await lengths(settings));
  settings.log('\nstream: texts of four characters, by the number of streams that take turns');
  settings.log(await turns(settings));
  return outcome;
}
