// What a person wants to know of a corpus. Parts of it are counted apart and added up: all is sums, extremes, fixed
// histograms, and first ones in a fixed order, so that neither the order nor the grouping of the parts changes
// anything. Nothing of a body is kept, but for the names of called functions, which in 0.1 stand there.

import { FINAL, HAS_LINE } from '../../abi.ts';
import type { Diagnostic } from '../../errors.ts';
import { isToolRecipient } from '../../model/attributes.ts';
import type { Message } from '../../model/message.ts';
import type { TranscriptInfo } from '../../model/transcript.ts';
import { CHANNEL_NAMES, ROLE_NAMES } from '../../scan/dialects.ts';
import { plainName } from '../../tools/name.ts';
import { namesOf, readLineCalls } from '../../rules/v01-calls.ts';
import { isVisible } from '../../rules/visibility.ts';
import { type CountTokens, type Encoding, tokenCounter } from '../tokens.ts';
import { readStatistics, type StatisticsJson, writeStatistics } from './statistics-json.ts';
import { Cell } from './statistics-parts.ts';
import type { SamplePlace } from './statistics-samples.ts';
import { CHANNELS, DIALECT_IDS, ENDS, PAIRS, Sums } from './statistics-sums.ts';

export type { SpreadJson, StatisticsJson } from './statistics-json.ts';
export type { Sample, SamplePlace } from './statistics-samples.ts';

const UNKNOWN = 0;
const SHOWN = 1;
const HIDDEN = 2;

/** What is wrong with a call, and not with the text around it. */
const CALL_CODES: ReadonlySet<string | null> = new Set(['E-CALL-SCHEMA', 'E-BODY-CONSTRAINT-VIOLATION']);

type Bytes = { bytes(from: number, to: number): Uint8Array };

/** The message that was counted last, when it makes calls. */
interface LastCall {
  readonly from: number;
  readonly to: number;
  /** Null: of several calls, nobody knows which one. */
  readonly name: string | null;
  readonly rules: string[];
}

interface CountsToo {
  readonly characters?: boolean | undefined;
  readonly tokens?: Encoding | undefined;
}

/** A name for calls that name none. */
const NAMELESS = '(none)';

export class Statistics extends Sums {
  /** What comes is chat data of a record, not a text in a dialect. */
  isChat = false;
  readonly #countsCharacters: boolean;
  readonly #countTokens: CountTokens | null;
  readonly #shown = new Uint8Array(DIALECT_IDS.length * 2 * PAIRS);
  #transcript: TranscriptInfo | null = null;
  #shownAt = 0;
  #lastCall: LastCall | null = null;

  /** `characters`: code points of bodies are counted too; `tokens`: those of contents, in a vocabulary. */
  constructor({ characters = false, tokens }: CountsToo = {}) {
    super();
    this.#countsCharacters = characters;
    this.#countTokens = tokens === undefined ? null : tokenCounter(tokens);
  }

  /** What the JSON form says. Throws a TypeError when it is none. */
  static fromJSON(json: unknown): Statistics {
    const statistics = new Statistics();
    readStatistics(json, statistics);
    return statistics;
  }

  /** An input was read. `bytes`: of it, decompressed. */
  file(bytes: number): void {
    this.files++;
    this.bytes += bytes;
  }

  /** A record was read, a good or a bad one. */
  record(): void {
    this.records++;
  }

  /** The record is none that can be read; it is a finding too. */
  badRecord(rule: string, message: string, at: SamplePlace): void {
    this.badRecords++;
    this.found(rule).note('error', message, at);
  }

  /** A transcript has ended, at `to`; it holds so many messages. */
  transcriptEnd(transcript: TranscriptInfo, messages: number, to: number): void {
    this.dialects[DIALECT_IDS.indexOf(this.isChat ? 'chat' : transcript.dialect.id)]!++;
    this.transcriptMessages.note(messages);
    this.transcriptBytes.note(to - transcript.from);
    this.#lastCall = null;
  }

  /**
   * The next message. What is found in it is told before the message after it. `source`: where its bytes can be read.
   */
  message(message: Message, transcript: TranscriptInfo, source: Bytes): void {
    const { role, end, explicitChannel, body, isBare } = message;
    const length = body.to - body.from;
    const isLine = (message.dialect.flags & HAS_LINE) !== 0;
    const isUsual = isBare && end !== 'eof' && message.isLeaf && message.missingStart === 'no'
      && !message.hasWrittenCalls;
    this.ends[ENDS.indexOf(end)]!++;
    this.#lastCall = null;
    let cell: Cell;
    let isShown: boolean;
    if (isUsual) {
      const roleId = ROLE_NAMES.indexOf(role!);
      const channelId = explicitChannel === null ? 0 : CHANNEL_NAMES.indexOf(explicitChannel);
      cell = this.cells[roleId * CHANNELS + (channelId || FINAL)] ??= new Cell();
      isShown = this.#isShown(message, transcript, source, roleId * CHANNELS + channelId);
    } else {
      cell = this.cell(role, explicitChannel ?? 'final');
      isShown = isVisible(message, transcript, source);
    }
    cell.bodies.note(length);
    if (this.#countsCharacters) cell.characters.note(charactersIn(source, body.from, body.to));
    if (this.#countTokens !== null) cell.tokens.note(this.#countTokens(message.content));
    if (isShown) {
      cell.visible++;
      cell.visibleBytes += length;
    }
    if (!isBare) {
      const type = message.contentType;
      if (type !== null) this.contentTypes.at(type).count++;
    }
    if (isLine) this.replies += message.functionReplies.length;
    else if (role === 'tool') this.replies++;
    if (role === 'assistant' && !isUsual) this.#calls(message, isLine, source);
  }

  /**
   * A finding. An error in a call counts for its tool when it is told after that message and before the next one.
   * `at`: where the finding is in the file, which is not what positions in a text of a record count from.
   */
  diagnostic(diagnostic: Diagnostic, at: SamplePlace): void {
    const { rule, severity, code, from } = diagnostic;
    this.found(rule).note(severity, diagnostic.message, at);
    const call = this.#lastCall;
    if (!call || severity !== 'error' || !CALL_CODES.has(code)) return;
    if (from < call.from || from > call.to || call.rules.includes(rule)) return;
    const calls = call.name === null ? this.severalCalls : this.tools.at(call.name);
    if (call.rules.length === 0) calls.failing++;
    call.rules.push(rule);
    calls.fail(rule);
  }

  /** Adds what was counted elsewhere, in its JSON form; nothing of it when it is none, which throws a TypeError. */
  merge(json: unknown): void {
    this.add(Statistics.fromJSON(json));
  }

  /** The same for the same sums: names and lists have a fixed order. */
  toJSON(): StatisticsJson {
    return writeStatistics(this);
  }

  /** Of messages with nothing but role, channel and body, those that are alike are all shown or all hidden. */
  #isShown(message: Message, transcript: TranscriptInfo, source: Bytes, pair: number): boolean {
    if (this.#transcript !== transcript) {
      const asks = transcript.asksForChannels || transcript.header?.requiresChannels === true;
      this.#shownAt = (DIALECT_IDS.indexOf(transcript.dialect.id) * 2 + (asks ? 1 : 0)) * PAIRS;
      this.#transcript = transcript;
    }
    const at = this.#shownAt + pair;
    if (this.#shown[at] === UNKNOWN) this.#shown[at] = isVisible(message, transcript, source) ? SHOWN : HIDDEN;
    return this.#shown[at] === SHOWN;
  }

  #calls(message: Message, isLine: boolean, source: Bytes): void {
    let names: string[];
    if (isLine) {
      const called = namesOf(readLineCalls(message, source));
      names = called.map((name) => (name === null ? NAMELESS : plainName(name)));
      if (names.length === 0) return;
    } else {
      const { recipient } = message;
      if (!isToolRecipient(recipient)) return;
      names = [plainName(recipient!)];
    }
    for (const name of names) this.tools.at(name).calls++;
    const { from, to } = message;
    this.#lastCall = { from, to, name: names.every((name) => name === names[0]) ? names[0]! : null, rules: [] };
  }
}

/** Bytes that are read at once. */
const PART = 1024 * 1024;

/** Code points of a body of any length: bytes that begin a character. */
function charactersIn(source: Bytes, from: number, to: number): number {
  let count = 0;
  for (let at = from; at < to; at += PART) {
    const bytes = source.bytes(at, Math.min(at + PART, to));
    for (const byte of bytes) if ((byte & 0xc0) !== 0x80) count++;
  }
  return count;
}
