// `messages`: one record a message, as lines of JSON.

import { messagesOf, type PlacedMessage } from '../corpus/messages.ts';
import { messageRecord, type MessageRecord } from '../formats/record.ts';
import type { Message } from '../model/message.ts';
import type { Source } from '../scan/source.ts';
import type { SharedOptions } from './options.ts';
import type { Output } from './output.ts';
import type { MakeSpinner } from './progress.ts';
import { FAILED, OK, Run } from './run.ts';
import type { Host } from './stream.ts';

export interface MessagesOptions extends SharedOptions {
  readonly format: 'ndjson';
  readonly onlyRole?: readonly string[];
  readonly onlyChannel?: readonly string[];
  readonly transcript?: number;
  readonly at?: number;
}

/** A body of more bytes is written in pieces. */
const LARGEST_STRING = 16 * 1024 * 1024;
/** What `scan` calls the role of a message that has none. */
const NO_ROLE = '(none)';

/** `largestString`: bytes of a body that is still written as one string. */
export function messages(
  paths: readonly string[],
  options: MessagesOptions,
  host: Host,
  makeSpinner: MakeSpinner | null,
  largestString: number = LARGEST_STRING,
): number {
  const run = new Run(options, host, makeSpinner);
  run.each(paths, ({ path, source, options: readOptions }) => {
    const start = `{"path":${JSON.stringify(path)},`;
    for (const placed of messagesOf(run.machine, source, readOptions)) {
      if (isPast(placed, options)) break;
      if (isWanted(placed, options)) writeRecord(run.out, start, placed, largestString);
    }
  });
  run.out.flush();
  return run.failed ? FAILED : OK;
}

/** No further message can be wanted. */
function isPast({ message, transcript }: PlacedMessage, options: MessagesOptions): boolean {
  return (options.transcript !== undefined && transcript.number > options.transcript)
    || (options.at !== undefined && message.from > options.at);
}

function isWanted({ message, transcript }: PlacedMessage, options: MessagesOptions): boolean {
  if (options.transcript !== undefined && transcript.number !== options.transcript) return false;
  if (options.at !== undefined && message.to <= options.at) return false;
  if (options.onlyRole && !options.onlyRole.includes(message.role ?? NO_ROLE)) return false;
  return !options.onlyChannel || options.onlyChannel.includes(message.channel);
}

function writeRecord(out: Output, start: string, placed: PlacedMessage, largestString: number): void {
  const { message, transcript, index, source } = placed;
  const record = messageRecord(message, transcript, index, source);
  const columns = start + columnsOf(record);
  if (record.body_to - record.body_from <= largestString) {
    out.json(`${columns}${JSON.stringify(message.content)}}`);
  } else {
    out.jsonPiece(`${columns}"`);
    writeContent(out, message, source);
    out.json('"}');
  }
}

const quote = (value: string | null): string => (value === null ? 'null' : JSON.stringify(value));

/** The columns up to the name of the last one. Written out, since this is the way of every message. */
function columnsOf(record: MessageRecord): string {
  return `"record":${record.record},"transcript":${record.transcript},"index":${record.index}`
    + `,"role":${quote(record.role)},"name":${quote(record.name)}`
    + `,"recipient":${quote(record.recipient)},"channel":${quote(record.channel)}`
    + `,"explicit_channel":${quote(record.explicit_channel)},"content_type":${quote(record.content_type)}`
    + `,"intent":${quote(record.intent)},"call_id":${quote(record.call_id)},"end":"${record.end}"`
    + `,"visible":${record.visible},"from":${record.from},"to":${record.to}`
    + `,"body_from":${record.body_from},"body_to":${record.body_to},"content":`;
}

const PART = 1024 * 1024;

/**
 * Writes a body as the inside of a JSON string. A decoder gives whole characters only, so each piece is JSON by
 * itself.
 */
function writeContent(out: Output, message: Message, source: Source): void {
  const part = new Uint8Array(PART);
  for (const { from, to } of message.contentSpans()) {
    const decoder = new TextDecoder('utf-8', { ignoreBOM: true });
    for (let at = from; at < to; ) {
      const read = source.read(at, part.subarray(0, Math.min(PART, to - at)));
      if (read === 0) break;
      at += read;
      writePiece(out, decoder.decode(part.subarray(0, read), { stream: true }));
    }
    writePiece(out, decoder.decode());
  }
}

function writePiece(out: Output, text: string): void {
  if (text !== '') out.jsonPiece(JSON.stringify(text).slice(1, -1));
}
