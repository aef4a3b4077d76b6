// Transcripts of 2.2, Harmony and 0.1 as chat records, in bytes: those that lose no more of their messages than
// RecordWritten tells, and are written as the writers of these forms write them, never become values. The simple
// version is `convertTranscript` to `messages`.

import {
  ASSISTANT, CHAT_ANSWER, CHAT_ARGUMENTS, CHAT_ASSISTANT, CHAT_BEGINS, CHAT_BODY, CHAT_CALL, CHAT_CALL_ARGUMENTS,
  CHAT_CALL_END, CHAT_CALL_NAME, CHAT_CALLS, CHAT_CALLS_END, CHAT_COMMENTARY, CHAT_END, CHAT_FROM_NAME, CHAT_FROM_TOOL,
  CHAT_HARMONY, CHAT_HINT, CHAT_LINE, CHAT_ID, CHAT_JSON, CHAT_LOST_CALL_ID, CHAT_LOST_HINT, CHAT_LOST_MASK,
  CHAT_LOST_REPLY_ID, CHAT_LOST_SHIFT, CHAT_MADE_ID, CHAT_NULL, CHAT_PIECES, CHAT_PLAIN, CHAT_PREAMBLE, CHAT_PREAMBLES,
  CHAT_REPLY, CHAT_REPLY_CONTENT, CHAT_REPLY_NAME, CHAT_RESULT, CHAT_THINKING, CHAT_TO, CHAT_TO_ASSISTANT,
  CHAT_TO_TOOL, CHAT_TOOL, DEVELOPER, END, EOF_END, IMPLICIT_END, KIND, MESSAGE, RETURN, ROLE_MASK, ROLE_SHIFT,
  ROW_BYTES, ROW_WORDS, SYSTEM, TOKEN_MASK, TOKEN_SHIFT, USER,
} from '../../abi.ts';
import { ByBytes } from '../../model/by-bytes.ts';
import { messageData, type TranscriptData } from '../../model/data.ts';
import type { DocumentHeader } from '../../model/header/document.ts';
import { Message, type MessageContext } from '../../model/message.ts';
import type { TranscriptInfo } from '../../model/transcript.ts';
import type { Build } from '../../scan/builds.ts';
import { type Batch, fromOf, kindOf, kindWord, nextOf, toOf } from '../../scan/table.ts';
import { TextMachine } from '../../scan/text-machine.ts';
import { convertTranscript } from '../convert.ts';
import { neutralOf } from '../neutral.ts';
import type { Loss } from '../loss.ts';
import type { ChatRecord } from './read.ts';
import { headerPieces } from './record-texts.ts';
import { idGained, tellBeside } from './tell.ts';

const KIB = 1024;
/** The machine's input: pieces | rows | bytes. */
const ROWS_AT = 4 * KIB;
const ROWS_BYTES = 64 * KIB;
const BYTES_AT = ROWS_AT + ROWS_BYTES;
const MOST_BYTES = 128 * KIB;
/** Of output, the most that a byte and a row become. */
const LONGEST = 6;
const OF_ROW = 256;

const ENCODER = new TextEncoder();
const NOTHING = new Uint8Array(0);

type RowsDialect = 'openchatml-2.2' | 'harmony' | 'openchatml-0.1';

/** What a record says before the messages that the rows of others are. */
interface Opening {
  /** Up to the first message of others: the rest of the object behind `"id": …,`. */
  readonly bytes: Uint8Array;
  /** Messages in it. */
  readonly messages: number;
}

export interface RecordWritten {
  /** What stands between `{"id": …,` and the messages. */
  readonly opening: Uint8Array;
  /** They, without `]}`. Valid until the next record is written. */
  readonly messages: Uint8Array;
  /**
   * What has no place in a record: fields of the document header, the ends of answers, commentary that is hidden; and
   * what Harmony does not say: ids, or that the type of arguments is binding.
   */
  readonly losses: readonly Loss[];
}

/** What a reply begins with, whatever its words say and in which order. */
const OF_TOOL = '<|start|>tool';
const INSTRUCTS: ReadonlySet<string | null> = new Set(['system', 'developer']);

export class RecordMessages {
  readonly #text: TextMachine;
  readonly #rows: Int32Array;
  /** By the bytes of the messages that open a transcript: a corpus repeats them. Null: they must be read as values. */
  readonly #openings = {
    'openchatml-2.2': new ByBytes<Opening | null>(),
    harmony: new ByBytes<Opening | null>(),
    'openchatml-0.1': new ByBytes<Opening | null>(),
  };
  /** The last document header, which many transcripts have, and what is lost of it. */
  #header: DocumentHeader | null = null;
  #losses: readonly Loss[] = [];

  constructor({ build }: { readonly build?: Build | undefined } = {}) {
    const output = LONGEST * MOST_BYTES + (ROWS_BYTES / ROW_BYTES) * OF_ROW;
    this.#text = new TextMachine({ build, input: BYTES_AT + MOST_BYTES, output });
    this.#rows = this.#text.rows(ROWS_AT, ROWS_BYTES);
    this.#text.setPieces(pieces().map((piece) => ENCODER.encode(piece)), 0);
  }

  /**
   * The record of the transcript whose messages are the top-level rows [from, to) of a batch; null: it must be read as
   * a value. `preambles`: as `fromHarmony` has it.
   */
  write(
    batch: Batch, from: number, to: number, info: TranscriptInfo, context: MessageContext, preambles = false,
  ): RecordWritten | null {
    const { id } = info.dialect;
    if (id === 'openchatml-2.0' || info.asksForChannels || context.rescue) return null;
    const ofHeader = this.#lossesOf(info.header);
    if (ofHeader === null) return null;
    let row = from;
    const instructions: Message[] = [];
    for (; row < to && kindOf(batch, row) === MESSAGE; row = nextOf(batch, row)) {
      const message = new Message(batch, row, context);
      if (!INSTRUCTS.has(message.role)) break;
      // Lists of tools are marks in 0.1.
      if (!message.isBare || (!message.isLeaf && !message.isLine) || message.end !== 'end') return null;
      instructions.push(message);
    }
    const opening = this.#opening(batch, instructions, id);
    if (opening === null) return null;
    const how = id === 'harmony' ? CHAT_HARMONY | (preambles ? CHAT_PREAMBLES : 0)
      : id === 'openchatml-0.1' ? CHAT_LINE : 0;
    const ends: Loss[] = [];
    const messages = this.#messages(batch, row, to, opening.messages, how, ends);
    if (messages === null) return null;
    return { opening: opening.bytes, messages, losses: this.#told(ofHeader, ends, opening.messages, messages) };
  }

  /** Null: the header cannot be read, or has a say in who may see a message. */
  #lossesOf(header: DocumentHeader | null): readonly Loss[] | null {
    if (header === null) return NO_LOSSES;
    if (header.fields === null || header.harmony || header.requiresChannels) return null;
    if (header !== this.#header) {
      const losses: Loss[] = [];
      tellBeside({ header: header.fields, tools: [], messages: [] }, losses);
      this.#header = header;
      this.#losses = losses;
    }
    return this.#losses;
  }

  /** All that is lost, as `toOpenAI` tells it. `before`: messages of the record before those that were written. */
  #told(
    ofHeader: readonly Loss[], ends: readonly Loss[], before: number, written: Uint8Array,
  ): readonly Loss[] {
    const lost = written.length > 0 ? this.#text.lost : [];
    if (lost.length === 0 && ends.length === 0) return ofHeader;
    const ids: Loss[] = [];
    const others = [...ends];
    for (const word of lost) {
      const what = word & CHAT_LOST_MASK;
      const message = before + (word >>> CHAT_LOST_SHIFT);
      if (what === CHAT_LOST_CALL_ID || what === CHAT_LOST_REPLY_ID) {
        ids.push(idGained(message, what === CHAT_LOST_REPLY_ID));
      } else if (what === CHAT_LOST_HINT) {
        others.push({ what: 'content-type', message, detail: 'a hint becomes binding' });
      } else others.push({ what: 'channel', message, detail: 'becomes thinking' });
    }
    if (others.length > ends.length) others.sort((a, b) => a.message! - b.message!);
    return [...ids, ...ofHeader, ...others];
  }

  #opening(batch: Batch, messages: readonly Message[], dialect: RowsDialect): Opening | null {
    if (messages.length === 0) return NO_INSTRUCTIONS;
    const bytes = batch.source.bytes(messages[0]!.from, messages.at(-1)!.to);
    if (bytes.length > MOST_BYTES) return null;
    return this.#openings[dialect].get(bytes, () => openingOf(messages, dialect));
  }

  /** `before`: messages that the record has already. `ends`: takes the ends of answers that become others. */
  #messages(
    batch: Batch, row: number, to: number, before: number, how: number, ends: Loss[],
  ): Uint8Array | null {
    if (row === to) return NOTHING;
    const { words, base, first } = batch;
    const rows = to - row;
    const at = fromOf(batch, row);
    if (!(words instanceof Int32Array) || rows * ROW_BYTES > ROWS_BYTES) return null;
    this.#rows.set(words.subarray((row - first) * ROW_WORDS, (to - first) * ROW_WORDS));
    let last = row;
    for (let [next, index] = [row, before]; next < to; next = nextOf(batch, next), index++) {
      last = next;
      if (!isReturned(kindWord(batch, next))) continue;
      this.#rows[(next - row) * ROW_WORDS + KIND]! += (END - RETURN) << TOKEN_SHIFT;
      ends.push({ what: 'end', message: index, detail: 'return becomes end' });
    }
    const bytes = toOf(batch, last) - at;
    if (bytes > MOST_BYTES) return null;
    const text = this.#text;
    text.input.set(batch.source.bytes(at, at + bytes), BYTES_AT);
    const begins = before === 0 ? CHAT_BEGINS : 0;
    const end = text.chat(ROWS_AT, rows, row, at - base, BYTES_AT, BYTES_AT + bytes, how | begins);
    return end === 0 ? null : text.output.subarray(0, end);
  }
}

const NO_LOSSES: readonly Loss[] = [];

/** An assistant ended with `<|return|>`: what models write at the end of an answer. */
const isReturned = (word: number): boolean =>
  ((word >> TOKEN_SHIFT) & TOKEN_MASK) === RETURN && ((word >> ROLE_SHIFT) & ROLE_MASK) === ASSISTANT
  && (word & (IMPLICIT_END | EOF_END)) === 0;
const opened = (head: string, messages: number): Opening => ({ bytes: ENCODER.encode(head), messages });
const NO_INSTRUCTIONS = opened('"messages":[', 0);

/** The record of the messages that open a transcript; null: something is lost of them. */
function openingOf(messages: readonly Message[], dialect: RowsDialect): Opening | null {
  const data: TranscriptData = { header: null, tools: [], messages: messages.map(messageData) };
  if (data.messages.some(({ content }) => content.includes('\ufffd'))) return null;
  const neutral = neutralOf(data, dialect);
  const { record, losses } = convertTranscript(neutral.data, 'messages');
  if (losses.length > 0 || neutral.losses.length > 0) return null;
  const { tools, messages: kept } = record as ChatRecord;
  const before = tools === undefined ? '' : `"tools":${JSON.stringify(tools)},`;
  return opened(`${before}"messages":[${kept.map((message) => JSON.stringify(message)).join(',')}`, kept.length);
}

/** By their numbers (`CHAT_…`). */
function pieces(): string[] {
  const { preamble, toTool, id, constrained, fromTool, name, result } = headerPieces();
  const all = new Array<string>(CHAT_PIECES).fill('');
  all[CHAT_PREAMBLE] = preamble;
  all[CHAT_TO_TOOL] = toTool;
  all[CHAT_ID] = id;
  all[CHAT_ARGUMENTS] = constrained;
  all[CHAT_FROM_TOOL] = fromTool.slice(OF_TOOL.length);
  all[CHAT_FROM_NAME] = name;
  all[CHAT_RESULT] = result;
  all[CHAT_PLAIN + SYSTEM] = '{"role":"system","content":"';
  all[CHAT_PLAIN + DEVELOPER] = '{"role":"developer","content":"';
  all[CHAT_PLAIN + USER] = '{"role":"user","content":"';
  all[CHAT_END] = '"}';
  all[CHAT_ANSWER] = '{"role":"assistant","content":';
  all[CHAT_NULL] = 'null';
  all[CHAT_THINKING] = ',"thinking":';
  all[CHAT_CALLS] = ',"tool_calls":[';
  all[CHAT_CALL] = '{"id":"';
  all[CHAT_CALL_NAME] = '","type":"function","function":{"name":"';
  all[CHAT_CALL_ARGUMENTS] = '","arguments":"';
  all[CHAT_CALL_END] = '"}}';
  all[CHAT_CALLS_END] = ']}';
  all[CHAT_REPLY] = '{"role":"tool","tool_call_id":"';
  all[CHAT_REPLY_NAME] = '","name":"';
  all[CHAT_REPLY_CONTENT] = '","content":"';
  all[CHAT_MADE_ID] = 'call_';
  all[CHAT_ASSISTANT] = '<|start|>assistant';
  all[CHAT_TOOL] = '<|start|>functions.';
  all[CHAT_TO] = ' to=functions.';
  all[CHAT_TO_ASSISTANT] = ' to=assistant';
  all[CHAT_COMMENTARY] = '<|channel|>commentary';
  all[CHAT_JSON] = '<|constrain|>json';
  all[CHAT_HINT] = ' json';
  all[CHAT_BODY] = '<|message|>';
  return all;
}
