// The writer: messages to text, in any dialect. It frames what it is given and maps nothing: what the dialect has no
// place for is a loss, and what it cannot carry without corrupting it, or without showing what is hidden, is refused
// (R-REFUSE, 2.2 §11).

import { HAS_HEADERS, HAS_LINE } from '../../abi.ts';
import { isToolRecipient } from '../../model/attributes.ts';
import type { MessageData, TranscriptData } from '../../model/data.ts';
import { checkEdges, type Edges } from '../../model/edges.ts';
import type { HeaderValue } from '../../model/header/text.ts';
import { writeDocumentHeader } from '../../model/header/write.ts';
import { type Dialect, DIALECTS, type DialectId } from '../../scan/dialects.ts';
import { filesByPlace, loseFiles } from '../files.ts';
import { isLong } from '../gathered-text.ts';
import { type Loss, Refusal } from '../loss.ts';
import { tellMedia } from '../media.ts';
import { type BodyOptions, gatherBody } from './body.ts';
import { writeFiles } from './files.ts';
import { type HeaderOptions, writeMessageHeader } from './header.ts';
import { checkOneOf, checkOptions, type Known } from '../../options.ts';

/** How a transcript is written in a dialect. All options may be left out. */
export interface WriteOptions extends BodyOptions, HeaderOptions {
  /** In 2.x: a document header, made when the data has none. Default true. */
  readonly header?: boolean | undefined;
  /** In 0.1: `<s>` and `</s>` around the messages (the default), `[BOS]` and `[EOS]`, or nothing. */
  readonly bounds?: 's' | 'bracket' | 'none' | undefined;
  /** In 0.1: the base model's own tokens instead (0.1 extended §2); one that is left out is as in `bounds`. */
  readonly edges?: Edges | undefined;
}

const WRITE_OPTIONS: Known<WriteOptions> = {
  header: 1, bounds: 1, edges: 1, markers: 1, neutralise: 1, contentType: 1,
};

/** Text of a dialect, and what it has no place for. */
export interface Written {
  readonly text: string;
  readonly losses: Loss[];
}

const CHOICES: Readonly<Record<string, readonly unknown[]>> = {
  markers: ['auto', 'keep', 'quote'],
  contentType: ['constrain', 'bare', 'given'],
  bounds: ['s', 'bracket', 'none'],
  header: [true, false],
  neutralise: [true, false],
};

const BOUNDS = { s: ['<s>\n', '</s>\n'], bracket: ['[BOS]', '[EOS]\n'], none: ['', ''] } as const;

/** Behind the header of a transcript that holds nothing: the header of the next one would be read as part of it. */
export const END_OF_HEADER = '---\n';

/**
 * A whole transcript as text. Throws a Refusal that names the message (R-REFUSE). Texts of several transcripts can be
 * put together in one file: in 2.x their document headers divide them, in 0.1 their bounds.
 *
 * @example
 * ```ts
 * import { writeTranscript } from 'openchatml/convert';
 *
 * const data = { header: null, tools: [], messages: [{ role: 'user', content: '<|end|>' }] };
 * console.log(writeTranscript(data, 'openchatml-2.2', { header: false }).text.trim());
 * // <|start|>user<|message|><<|end|><|end|>
 * ```
 */
export function writeTranscript(data: TranscriptData, dialect: DialectId, options: WriteOptions = {}): Written {
  const { texts, losses } = transcriptTexts(data, dialect, options);
  return { text: texts.join(''), losses };
}

/** The same in parts: bodies that are long and were escaped are not put together. */
export function transcriptTexts(
  data: TranscriptData, dialect: DialectId, options: WriteOptions = {},
): { texts: readonly string[]; losses: Loss[] } {
  const known = takeDialect(dialect, options);
  const losses: Loss[] = [];
  const texts = [headOf(data, known, options, losses)];
  const { messages } = data;
  const hasFiles = (known.flags & HAS_LINE) !== 0;
  if (!hasFiles) loseFiles(data, losses);
  const files = hasFiles ? filesByPlace(data) : null;
  for (let index = 0; index <= messages.length; index++) {
    const here = files?.get(index);
    if (here) texts.push(writeFiles(here, texts.at(-1)!, index === 0, options, losses));
    const message = messages[index];
    if (message) addMessage(texts, message, index, known, options, messages[index - 1], losses);
  }
  texts.push(messages.length === 0 && texts[0] !== '' && !hasFiles ? END_OF_HEADER : tailOf(known, options));
  return { texts: texts.some(isLong) ? texts : [texts.join('')], losses };
}

/**
 * What stands before the first message: a document header, or what bounds a transcript of 0.1 (R-CONCAT). What has
 * no place in it is a loss. Throws a RangeError for a wrong dialect, or a wrong value of an option.
 *
 * @example
 * ```ts
 * import { writeHead } from 'openchatml/convert';
 *
 * console.log(writeHead({ header: null, tools: [] }, 'openchatml-2.2').text.trim()); // version: 2.2
 * ```
 */
export function writeHead(
  data: Pick<TranscriptData, 'header' | 'tools'>,
  dialect: DialectId,
  options: WriteOptions = {},
): Written {
  const losses: Loss[] = [];
  return { text: headOf(data, takeDialect(dialect, options), options, losses), losses };
}

function headOf(
  data: Pick<TranscriptData, 'header' | 'tools'>,
  { id, flags }: Dialect,
  options: WriteOptions,
  losses: Loss[],
): string {
  if (data.tools.length > 0) losses.push({ what: 'tools', message: null, detail: 'they stand in no message' });
  if (flags & HAS_HEADERS && options.header !== false) return headerText(data.header ?? {}, id, losses);
  if (Object.keys(data.header ?? {}).some((key) => key !== 'version')) losses.push({ what: 'header', message: null });
  return flags & HAS_LINE ? edgesOf(options)[0] : '';
}

/**
 * One message, with what stands between it and the next one. `index`: its number, for losses and refusals. `before`:
 * the message before it, which in Harmony decides whether this one would begin another transcript. Throws a Refusal for
 * what would not be read back as it is, or would be shown though hidden (R-REFUSE, 2.2 §11).
 *
 * @example
 * ```ts
 * import { writeMessage } from 'openchatml/convert';
 *
 * console.log(writeMessage({ role: 'user', content: 'Hi' }, 0, 'harmony').text); // <|start|>user<|message|>Hi<|end|>
 * ```
 */
export function writeMessage(
  message: MessageData,
  index: number,
  dialect: DialectId,
  options: WriteOptions = {},
  before?: MessageData,
): Written {
  const losses: Loss[] = [];
  const texts: string[] = [];
  addMessage(texts, message, index, takeDialect(dialect, options), options, before, losses);
  return { text: texts.join(''), losses };
}

function addMessage(
  texts: string[],
  message: MessageData,
  index: number,
  dialect: Dialect,
  options: WriteOptions,
  before: MessageData | undefined,
  losses: Loss[],
): void {
  const { id, flags } = dialect;
  if (id === 'harmony') refuseBoundary(message, index, before);
  tellMedia(message, index, losses);
  const header = writeMessageHeader(message, index, id, options, losses);
  const body = gatherBody(message, index, dialect, options, losses);
  const end = flags & HAS_LINE ? lineEnd(message, index, losses)
    : `<|${terminator(message, index, losses)}|>${id === 'harmony' ? '' : '\n'}`;
  // What is short is one part with what stands around it.
  if (typeof body !== 'string') texts.push(header, ...body.texts, end);
  else if (isLong(body)) texts.push(header, body, end);
  else texts.push(header + body + end);
}

/**
 * What stands after the last message: in 0.1 what bounds a transcript (R-CONCAT), in other dialects nothing. A 2.x
 * transcript without messages must be ended with a line `---` before another one follows. Throws a
 * RangeError for a wrong dialect, or a wrong value of an option.
 *
 * @example
 * ```ts
 * import { writeTail } from 'openchatml/convert';
 *
 * console.log(writeTail('openchatml-0.1').trim()); // </s>
 * ```
 */
export function writeTail(dialect: DialectId, options: WriteOptions = {}): string {
  return tailOf(takeDialect(dialect, options), options);
}

function tailOf({ flags }: Dialect, options: WriteOptions): string {
  return flags & HAS_LINE ? edgesOf(options)[1] : '';
}

/** Tokens that are named stand directly beside the messages, as `[BOS]` does. */
function edgesOf({ bounds = 's', edges = {} }: WriteOptions): readonly [bos: string, eos: string] {
  const [before, behind] = BOUNDS[bounds];
  const eos = edges.eos === undefined ? behind : edges.eos === '' ? '' : `${edges.eos}\n`;
  return [edges.bos ?? before, eos];
}

function takeDialect(dialect: DialectId, options: WriteOptions): Dialect {
  if (!Object.hasOwn(DIALECTS, dialect)) {
    throw new RangeError(`dialect: expected ${Object.keys(DIALECTS).join(', ')}; got ${JSON.stringify(dialect)}`);
  }
  checkOptions(options, WRITE_OPTIONS);
  for (const [name, values] of Object.entries(CHOICES)) checkOneOf(name, options[name as keyof WriteOptions], values);
  checkEdges(options.edges);
  return DIALECTS[dialect];
}

function headerText(header: { readonly [key: string]: HeaderValue }, dialect: DialectId, losses: Loss[]): string {
  const { version } = header;
  const isText = typeof version === 'string' && /^[12](\.\d{1,9})?$/.test(version);
  if (!isText && version !== undefined && typeof version !== 'number') {
    losses.push({ what: 'header', message: null, detail: 'the version is none that is known' });
  }
  const text = writeDocumentHeader(versionText(version, dialect), header);
  if (text !== null) return text;
  throw new Refusal(
    null,
    'the document header holds what a reader would not take back',
    'make its fields smaller or simpler',
  );
}

/**
 * The version as it is when it is text that asks for this dialect, else the dialect's own: a number has lost zeros
 * (R-VERSION).
 */
function versionText(version: HeaderValue | undefined, dialect: DialectId): string {
  if (dialect === 'openchatml-2.0') return '2.0';
  return typeof version === 'string' && /^2\.\d{1,9}$/.test(version) && version !== '2.0' ? version : '2.2';
}

/** The name of the token that ends the body. */
function terminator(message: MessageData, index: number, losses: Loss[]): 'end' | 'call' | 'return' {
  const { end } = message;
  if (end === undefined) {
    return message.role === 'assistant' && isToolRecipient(message.recipient ?? null) ? 'call' : 'end';
  }
  if (end === 'end' || end === 'call' || end === 'return') return end;
  loseCut(end, index, losses);
  return 'end';
}

/** One newline before the token is not part of a body; after a CR it takes a CR of its own (R-TRIM). */
function lineEnd(message: MessageData, index: number, losses: Loss[]): string {
  const { end } = message;
  if (end === 'implicit' || end === 'eof') loseCut(end, index, losses);
  else if (end === 'call' || end === 'return') losses.push({ what: 'end', message: index });
  return `${message.content.endsWith('\r') ? '\r' : ''}\n<|im_end|>\n`;
}

function loseCut(end: string, index: number, losses: Loss[]): void {
  if (end !== 'implicit' && end !== 'eof') {
    throw new Refusal(index, 'the end is none that can be written', 'use end, call or return');
  }
  losses.push({ what: 'end', message: index, detail: 'the message was cut, and is written as a whole one' });
}

/** In Harmony, which has no document headers, two roles begin a transcript (R-CONCAT). */
function refuseBoundary(message: MessageData, index: number, before: MessageData | undefined): void {
  if (!before) return;
  if (message.role === 'system') {
    throw new Refusal(index, 'a later system message would begin another transcript', 'make it a developer message');
  }
  if (message.role === 'developer' && before.end === 'return') {
    const reason = 'a developer message after <|return|> would begin another transcript';
    throw new Refusal(index, reason, 'end the message before it with end');
  }
}
