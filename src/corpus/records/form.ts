// Which form records have: told by the file's ending, its first bytes, and the fields of each record.

import { versionOfTurns } from '../../formats/interchange/shape.ts';
import { isBlankByte } from '../../model/bytes.ts';
import type { Source } from '../../scan/source.ts';
import {
  BACKSLASH, CLOSE_LIST, CLOSE_OBJECT, isWideJson, isWideMarked, OPEN_LIST, OPEN_OBJECT, QUOTE,
} from './json-bytes.ts';
import { FirstBytes, WIDEST } from './layout.ts';

/** Forms of JSON records; `text`: a field of that name holds raw transcripts. */
export type RecordForm =
  'messages' | 'anthropic' | 'responses' | 'sharegpt' | 'interchange-2.0' | 'interchange-2.2' | 'text';

export type InterchangeForm = Extract<RecordForm, `interchange-${string}`>;

export const isInterchange = (form: string): form is InterchangeForm => form.startsWith('interchange-');

/** Whether turns by themselves are read as records of a form. */
export const canBeTurns = (form: string): boolean =>
  form === 'messages' || form === 'anthropic' || isInterchange(form);

/** The endings that records have. */
export const RECORD_ENDINGS: readonly string[] = ['.jsonl', '.ndjson', '.json'];

const PEEK = 4096;
const RECORD_NAME = /\.(?:jsonl|ndjson)(?:\.gz|\.zst)?$/;
const JSON_NAME = /\.(?:jsonl|ndjson|json)(?:\.gz|\.zst)?$/;

/** How raw transcripts begin. */
const RAW = /^(?:<\||<s>|\[BOS\]|---|version:)/;
const LESS = 0x3c;
/** Characters of a beginning that are looked at. */
const LOOK = 8;

/**
 * Whether an input holds records: because it begins as a JSON object or list does, or, where it begins neither so nor
 * as a transcript, by its ending. An answer that is JSON has its token directly behind it. Reads its first bytes only.
 */
export function holdsRecords(path: string, source: Source): boolean {
  let seen = '';
  const bytes = new FirstBytes(source);
  for (let at = 0; at < PEEK && seen.length < LOOK; at++) {
    const byte = bytes.next();
    if (byte === undefined) break;
    if (!isBlankByte(byte)) seen += String.fromCharCode(byte);
  }
  const first = source.bytes(0, WIDEST);
  if (isWideJson(first) || (isWideMarked(first) && JSON_NAME.test(path))) return true;
  // A list of objects, or of such lists, or an object with a key: `[BOS]` and other raw text begin otherwise.
  if (/^\x1e?(?:\{"|\{\}|\[\{|\[\]|\[\[\{)/.test(seen)) return RECORD_NAME.test(path) || !isAnswer(source);
  return RECORD_NAME.test(path) && !RAW.test(seen);
}

/** Whether a `<` stands directly behind the first value, an object or a list of up to 1 MiB. */
function isAnswer(source: Source): boolean {
  const bytes = new FirstBytes(source);
  let depth = 0;
  for (let byte = bytes.next(); byte !== undefined; byte = bytes.next()) {
    if (byte === QUOTE) {
      for (byte = bytes.next(); byte !== undefined && byte !== QUOTE; byte = bytes.next()) {
        if (byte === BACKSLASH) bytes.next();
      }
    } else if (byte === OPEN_OBJECT || byte === OPEN_LIST) depth++;
    else if ((byte === CLOSE_OBJECT || byte === CLOSE_LIST) && --depth === 0) return bytes.next() === LESS;
  }
  return false;
}

/** The form of a record; null: it has none that is known. */
export function formOf(value: unknown): RecordForm | null {
  if (typeof value !== 'object' || value === null) return null;
  const { messages, conversations, text, version } = value as { [key: string]: unknown };
  if (Array.isArray(messages)) return messagesForm(messages as unknown[], version);
  if (Array.isArray(conversations)) return 'sharegpt';
  return typeof text === 'string' ? 'text' : null;
}

/**
 * The interchange forms say their version, and 2.2 has fields of its own. A later major version is none that is known,
 * as the reader tells; a lower one may be that of the data.
 */
function messagesForm(messages: readonly unknown[], version: unknown): RecordForm {
  const text = typeof version === 'number' && !Number.isInteger(version) ? String(version) : version;
  if (typeof text === 'string' && /^(?:[2-9]|[1-9][0-9]{1,8})\.[0-9]{1,9}$/.test(text))
    return text === '2.0' ? 'interchange-2.0' : 'interchange-2.2';
  const hasOwnFields = messages.some(
    (message) => typeof message === 'object' && message !== null && ('tool_call' in message || 'channel' in message),
  );
  return hasOwnFields ? 'interchange-2.2' : 'messages';
}

/** Members of turns that nobody but the interchange forms has, beside those of `messagesForm`. */
const OWN_MEMBERS = ['recipient', 'call_id', 'constrained', 'marked'];
/** The same of the calls in a list of 2.0. */
const OWN_OF_CALLS = ['recipient', 'content_type', 'constrained'];

/**
 * The form of turns by themselves, which say no version: what anybody's chat may be is read as it is in `messages`
 * (R-JSON: the documents print turns of 2.0 as OpenAI has them).
 */
export function formOfTurns(turns: readonly object[]): 'messages' | InterchangeForm {
  const areOwn = messagesForm(turns, undefined) !== 'messages' || turns.some((turn) => {
    const { tool_calls: calls } = turn as { readonly tool_calls?: unknown };
    return holdsOne(turn, OWN_MEMBERS) || (Array.isArray(calls) && calls.some((call) => holdsOne(call, OWN_OF_CALLS)));
  });
  return areOwn ? `interchange-${versionOfTurns(turns)}` : 'messages';
}

function holdsOne(value: unknown, names: readonly string[]): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return names.some((name) => ((value as { readonly [name: string]: unknown })[name] ?? null) !== null);
}
