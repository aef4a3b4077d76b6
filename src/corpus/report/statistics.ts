// What a person wants to know of a corpus. Parts of it are counted apart and added up: all is sums, extremes, fixed
// histograms, and first ones in a fixed order, so that neither the order nor the grouping of the parts changes
// anything. Nothing of a body is kept, but for the names of called functions, which in 0.1 stand there.

import {
  ASSISTANT, BODY, BY_ROLE, CALL, CHANNEL_MASK, CHANNEL_SHIFT, FINAL, FROM, HAS_LINE, IMPLIED, KIND, KIND_MASK, NEXT,
  PLAIN, RETURN, ROLE_MASK, ROLE_SHIFT, ROW_WORDS, TO, TOKEN_MASK, TOKEN_SHIFT, TOOL,
} from '../../abi.ts';
import type { Diagnostic } from '../../errors.ts';
import { isToolRecipient } from '../../model/attributes.ts';
import { START_BYTES } from '../../model/header-view.ts';
import { bareBytes, Message, type MessageContext } from '../../model/message.ts';
import { MESSAGE_TOKEN_BYTES } from '../../model/message-header.ts';
import { readHeaderWords } from '../../model/plain-header.ts';
import type { TranscriptInfo } from '../../model/transcript.ts';
import { hasWrittenCalls } from '../../model/message-rows.ts';
import { CHANNEL_NAMES, ROLE_NAMES } from '../../scan/dialects.ts';
import { type Batch, fromOf, nextOf, toOf } from '../../scan/table.ts';
import { plainName } from '../../tools/name.ts';
import { namesOf, readLineCalls } from '../../rules/v01-calls.ts';
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

/** A message that makes calls. */
interface Caller {
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

/** Messages with calls whose errors may still be told. */
const MOST_CALLERS = 65_536;

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
  /** Of the transcript at hand, by rising position. */
  #callers: Caller[] = [];

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
    this.found(rule).note({ severity: 'error', message }, at);
  }

  /** A transcript has ended, at `to`; it holds so many messages. */
  transcriptEnd(transcript: TranscriptInfo, messages: number, to: number): void {
    this.dialects[DIALECT_IDS.indexOf(this.isChat ? 'chat' : transcript.dialect.id)]!++;
    this.transcriptMessages.note(messages);
    this.transcriptBytes.note(to - transcript.from);
    this.#callers = [];
  }

  /**
   * The next message. What is found in it is told before the message after it. `source`: where its bytes can be read.
   */
  message(message: Message, transcript: TranscriptInfo, source: Bytes): void {
    const { role, end, explicitChannel, body, isBare } = message;
    const isLine = (message.dialect.flags & HAS_LINE) !== 0;
    const isUsual = isBare && end !== 'eof' && message.isLeaf && message.missingStart === 'no'
      && !hasWrittenCalls(message);
    this.ends[ENDS.indexOf(end)]!++;
    let cell: Cell;
    if (isUsual) {
      const channelId = explicitChannel === null ? 0 : CHANNEL_NAMES.indexOf(explicitChannel);
      const pair = ROLE_NAMES.indexOf(role!) * CHANNELS + channelId;
      cell = this.#usual(pair, this.#isShown(pair, transcript, () => message), body.from, body.to, source);
    } else {
      cell = this.cell(role, explicitChannel ?? 'final');
      this.#note(cell, message.isVisible, body.from, body.to, source);
    }
    if (this.#countTokens !== null) cell.tokens.note(this.#countTokens(message.content));
    if (!isBare) {
      const type = message.contentType;
      if (type !== null) this.contentTypes.at(type).count++;
    }
    if (isLine) this.replies += message.functionReplies.length;
    else if (role === 'tool' && !isUsual) this.replies++;
    if (role === 'assistant' && !isUsual) this.#calls(message, isLine, source);
  }

  /** Counts the body of a message with nothing but a role and a channel. */
  #usual(pair: number, isShown: boolean, from: number, to: number, source: Bytes): Cell {
    const cell = (this.cells[pair % CHANNELS === 0 ? pair + FINAL : pair] ??= new Cell());
    this.#note(cell, isShown, from, to, source);
    if (Math.trunc(pair / CHANNELS) === TOOL) this.replies++;
    return cell;
  }

  #note(cell: Cell, isShown: boolean, from: number, to: number, source: Bytes): void {
    cell.bodies.note(to - from);
    if (this.#countsCharacters) cell.characters.note(charactersIn(source, from, to));
    if (!isShown) return;
    cell.visible++;
    cell.visibleBytes += to - from;
  }

  /**
   * The messages of rows [from, to), plain and well ended: those that say no more than a role and a channel are counted
   * by their rows.
   */
  messages(batch: Batch, from: number, to: number, context: MessageContext, transcript: TranscriptInfo): void {
    const { words, first, base, source, dialect } = batch;
    const isBlock = (dialect.flags & HAS_LINE) === 0 && this.#countTokens === null;
    for (let row = from, next = row; row < to; row = next) {
      const at = (row - first) * ROW_WORDS;
      next = words[at + NEXT]!;
      const word = words[at + KIND]!;
      // A leaf has its fields, one row each, and its body.
      const body = (next - 1 - first) * ROW_WORDS;
      const isLeaf = (word & PLAIN) !== 0 && (words[body + KIND]! & KIND_MASK) === BODY;
      if (!isBlock || !isLeaf || (word & (IMPLIED | BY_ROLE)) !== 0) {
        this.message(new Message(batch, row, context), transcript, source);
        continue;
      }
      const token = (word >> TOKEN_SHIFT) & TOKEN_MASK;
      this.ends[token === CALL ? 1 : token === RETURN ? 2 : 0]!++;
      const pair = ((word >> ROLE_SHIFT) & ROLE_MASK) * CHANNELS + ((word >> CHANNEL_SHIFT) & CHANNEL_MASK);
      const bodyFrom = words[body + FROM]!;
      const bodyTo = words[body + TO]!;
      const view = (): Message => new Message(batch, row, context);
      const isBare = bodyFrom - words[at + FROM]! === bareBytes(word);
      const isShown = isBare ? this.#isShown(pair, transcript, view) : this.#says(batch, row, pair, transcript, view);
      this.#usual(pair, isShown, base + bodyFrom, base + bodyTo, source);
    }
  }

  /** Counts what the header of a plain message says beside its role and channel; answers whether it is shown. */
  #says(batch: Batch, row: number, pair: number, transcript: TranscriptInfo, view: () => Message): boolean {
    const from = fromOf(batch, row);
    const textTo = fromOf(batch, nextOf(batch, row) - 1) - MESSAGE_TOKEN_BYTES;
    const said = readHeaderWords(batch, row, from + START_BYTES, textTo);
    const { contentType, intent } = said;
    if (contentType !== null) this.contentTypes.at(contentType).count++;
    const { recipient } = said;
    if (isToolRecipient(recipient)) {
      if (Math.trunc(pair / CHANNELS) === ASSISTANT) this.#called([plainName(recipient!)], from, toOf(batch, row));
      return false;
    }
    return intent === null ? this.#isShown(pair, transcript, view) : view().isVisible;
  }

  /**
   * A finding. An error in a call counts for its tool when it is told of that message, before its transcript ends.
   * `at`: where the finding is in the file, which is not what positions in a text of a record count from.
   */
  diagnostic(diagnostic: Diagnostic, at: SamplePlace): void {
    const { rule, severity, code } = diagnostic;
    this.found(rule).note(diagnostic, at);
    if (severity !== 'error' || !CALL_CODES.has(code)) return;
    const caller = this.#callerOf(diagnostic);
    if (caller === undefined || caller.rules.includes(rule)) return;
    const calls = caller.name === null ? this.severalCalls : this.tools.at(caller.name);
    if (caller.rules.length === 0) calls.failing++;
    caller.rules.push(rule);
    calls.fail(rule);
  }

  /** The message with calls that holds what was found; an empty place is that of the message that ends there. */
  #callerOf({ from, to }: Diagnostic): Caller | undefined {
    const callers = this.#callers;
    const last = from === to ? from - 1 : from;
    let [low, high] = [0, callers.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (callers[middle]!.from <= last) low = middle + 1;
      else high = middle;
    }
    const caller = callers[low - 1];
    return caller && last < caller.to ? caller : undefined;
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
  #isShown(pair: number, transcript: TranscriptInfo, message: () => Message): boolean {
    if (this.#transcript !== transcript) {
      const asks = transcript.asksForChannels || transcript.header?.requiresChannels === true;
      this.#shownAt = (DIALECT_IDS.indexOf(transcript.dialect.id) * 2 + (asks ? 1 : 0)) * PAIRS;
      this.#transcript = transcript;
    }
    const at = this.#shownAt + pair;
    if (this.#shown[at] === UNKNOWN) this.#shown[at] = message().isVisible ? SHOWN : HIDDEN;
    return this.#shown[at] === SHOWN;
  }

  /** So many calls of the text that follows could not be read (R-HERMES). */
  unread(calls: number): void {
    if (calls > 0) this.tools.at(NAMELESS).calls += calls;
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
    this.#called(names, message.from, message.to);
  }

  /** The message [from, to) calls these tools. */
  #called(names: readonly string[], from: number, to: number): void {
    for (const name of names) this.tools.at(name).calls++;
    if (this.#callers.length === MOST_CALLERS) this.#callers.splice(0, MOST_CALLERS / 2);
    this.#callers.push({ from, to, name: names.every((name) => name === names[0]) ? names[0]! : null, rules: [] });
  }
}

/** Bytes that are read at once. */
const PART = 1024 * 1024;

/** Code points of a body of any length: bytes that begin a character. */
function charactersIn(source: Bytes, from: number, to: number): number {
  let count = 0;
  for (let at = from; at < to; at += PART) {
    const bytes = source.bytes(at, Math.min(at + PART, to));
    for (let i = 0; i < bytes.length; i++) if ((bytes[i]! & 0xc0) !== 0x80) count++;
  }
  return count;
}
