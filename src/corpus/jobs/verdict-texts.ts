// The line of JSON that tells the verdict on one line of an input.

import { KnownBytes } from '../../model/known-bytes.ts';
import type { CorpusRecord, RecordProblem } from '../records/record.ts';
import type { FileOptions } from '../records/unit.ts';
import type { FilterWork } from './job.ts';
import { judged, type VerdictMessage, verdictMessage } from './verdict.ts';
import type { Judge } from './verdict-judge.ts';
import type { Line } from './verdict-lines.ts';
import { recordOfLine } from './verdict-record.ts';

type TextsWork = Pick<FilterWork, 'emit' | 'passthrough' | 'largest' | 'largestList'>;

export class VerdictTexts {
  readonly #judge: Judge;
  readonly #unit: FileOptions;
  readonly #work: TextsWork;
  /** The verdict alone is told: what it says of short lines is known when they come again. */
  readonly #isAlone: boolean;
  readonly #refused = new RefusedTexts();
  readonly #known = new KnownBytes<string>();

  constructor(judge: Judge, unit: FileOptions, work: TextsWork) {
    this.#judge = judge;
    this.#unit = unit;
    this.#work = work;
    this.#isAlone = work.emit === 'verdict' && !work.passthrough;
  }

  /** The text for a line, with its end. Never throws on data. */
  textOf(line: Line): string {
    return `{"n":${line.number},${this.#isAlone ? this.#knownRest(line) : this.#rest(line)}\n`;
  }

  /** What stands behind the number. */
  #rest(line: Line): string {
    const { emit, passthrough, largest, largestList } = this.#work;
    const record = recordOfLine(line, this.#judge.machine, largest);
    const messages = emit === 'messages' ? new MessageList(largestList) : null;
    const verdict = this.#judge.record(record, this.#unit, messages === null ? {} : {
      message: (visited, { place }) => messages.add(verdictMessage(visited, place)),
    }, line.from);
    const text = idOf(record) + verdict.text(messages?.text);
    return passthrough ? `${text.slice(0, -1)},"record":${judged(record).text() ?? 'null'}}` : text;
  }

  #knownRest(line: Line): string {
    // A byte order mark may begin the first one.
    const { judged: told } = line;
    if (told !== undefined) return idText(told.id()) + told.verdict.text();
    const isOwn = line.from > 0 && !line.isTooLong;
    const known = isOwn ? this.#known.get(line.bytes) : undefined;
    if (known !== undefined) return known;
    const record = recordOfLine(line, this.#judge.machine, this.#work.largest);
    const text = (): string => this.#judge.record(record, this.#unit, {}, line.from).text();
    // Problems are known by where they are.
    if ('problem' in record) return this.#refused.of(record, text);
    const rest = idOf(record) + text();
    if (isOwn) this.#known.keep(line.bytes, rest);
    return rest;
  }
}

/** What stands between the number of a line and `"ok"`. */
const idText = (id: string | null): string => (id === null ? '' : `"id":${id},`);

const idOf = (record: CorpusRecord | RecordProblem): string => idText(judged(record).id());

/** Verdicts on short lines that hold no record: where it goes wrong is all that tells them apart. */
class RefusedTexts {
  readonly #texts = new Map<string, Map<number, string>>();

  of({ problem, from, to, at }: RecordProblem, make: () => string): string {
    if (to >= SHORT || from > 0) return make();
    let texts = this.#texts.get(problem);
    if (texts === undefined) this.#texts.set(problem, (texts = new Map<number, string>()));
    const key = to * SHORT + (at ?? -1);
    let text = texts.get(key);
    if (text === undefined) texts.set(key, (text = make()));
    return text;
  }
}

const SHORT = 128;

/** Messages as JSON. */
class MessageList {
  readonly #largest: number;
  #text = '';

  constructor(largest: number) {
    this.#largest = largest;
  }

  /** Throws a RangeError when they are too long for one line; then there are none. */
  add(message: VerdictMessage): void {
    const text = JSON.stringify(message);
    const before = this.#text;
    this.#text = '';
    if (before.length + text.length > this.#largest) throw new RangeError('too many messages for one text');
    this.#text = before === '' ? text : `${before},${text}`;
  }

  get text(): string {
    return `[${this.#text}]`;
  }
}
