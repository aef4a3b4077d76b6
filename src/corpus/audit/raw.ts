// The audit of transcripts: tokens in the headers and bodies of their messages, as they stand in the text.

import { isUtf8 } from 'node:buffer';
import { HAS_ESCAPE } from '../../abi.ts';
import type { Severity } from '../../errors.ts';
import { type ControlToken, findTokens } from '../../formats/control-tokens/find.ts';
import { TokenEdits } from '../../formats/control-tokens/edits.ts';
import { type EscapeStyle, isMeant, isWanted } from '../../formats/control-tokens/escape.ts';
import type { Found } from '../../formats/control-tokens/found.ts';
import type { Message } from '../../model/message.ts';
import type { PlainReadOptions } from '../../model/part-walk.ts';
import { applyRules, type RuleSettings } from '../../rules/settings.ts';
import type { Machine } from '../../scan/machine.ts';
import type { Source } from '../../scan/source.ts';
import { decodeUtf8 } from '../../utf8.ts';
import { type MessagesEnd, type MessagesSetting, messagesOf } from '../messages.ts';
import { type Asked, type InMessage, KnownTexts } from './known-texts.ts';
import { holdsSign, isCleanHeader } from './signs.ts';

/** What a copy leaves out. */
export interface FixOptions {
  /** How errors are mended; without it as the text allows. */
  readonly how?: EscapeStyle | undefined;
  /** What looks like a token is mended, too; and tokens that are foreign here. */
  readonly lookAlikes?: boolean | undefined;
  readonly foreign?: boolean | undefined;
  /** Nothing is mended: findings are all that is wanted. */
  readonly tellsOnly?: boolean | undefined;
  /** Severities as a configuration has them: what is off is not mended, and counts as no error. */
  readonly rules?: RuleSettings | undefined;
}

/** What a finding counts as where texts are mended; null: as nothing. What is escaped is as it should be. */
export function settledSeverity(found: Found, { rules }: FixOptions): Severity | null {
  const { severity } = found;
  if (severity === 'info' || rules === undefined) return severity;
  return applyRules(rules)({ rule: found.rule, severity })?.severity ?? null;
}

/** Findings of a text that are told one by one; beyond, those of one kind are one. */
export const MOST_ALONE = 1000;

/** The findings in a piece of a transcript, and how they are mended. */
export interface RawText {
  readonly transcript: number;
  /** Number of the message in its transcript. */
  readonly message: number;
  /** Where the message begins in the text, and the piece. */
  readonly messageFrom: number;
  readonly from: number;
  readonly looked: Looked;
}

/** What is found in the text of a piece: the same wherever it stands. */
export interface Looked {
  readonly text: string;
  readonly found: readonly ControlToken[];
  /** Places are bytes of the piece. */
  readonly edits: TokenEdits;
  /** Errors that the edits leave. */
  readonly left: number;
  /** The piece is too large to be looked into. */
  readonly isTooLarge: boolean;
}

/** A larger body does not fit into one string with what is made of it. */
const LARGEST = 128 * 1024 * 1024;
const LARGEST_HEADER = 64 * 1024;
/** Bytes after which it is told how far everything has been looked at. */
const STEP = 64 * 1024;

/**
 * Every piece of text with a finding, in order; and now and then a position: everything before it has been looked at.
 * What is known of the end comes last.
 */
export function* auditTranscripts(
  machine: Machine,
  source: Source,
  options: PlainReadOptions & FixOptions,
  setting: MessagesSetting = {},
): Generator<RawText | number, MessagesEnd, void> {
  const messages = messagesOf(machine, source, options, setting);
  const looking = new Looking(options);
  let position = 0;
  for (let next = messages.next(); ; next = messages.next()) {
    if (next.done) return next.value;
    const { message, transcript: { number: transcript }, index, source: reading } = next.value;
    const { from: messageFrom, to } = message;
    const { inHeader, inBody, bodyFrom } = looking.message(message, reading);
    if (inHeader !== NOTHING) yield { transcript, message: index, messageFrom, from: messageFrom, looked: inHeader };
    if (inBody !== NOTHING) {
      yield { transcript, message: index, messageFrom, from: messageFrom + bodyFrom, looked: inBody };
    }
    if (to < position) continue;
    yield to;
    position = to + STEP;
  }
}

class Looking {
  readonly #options: FixOptions;
  readonly #known = new KnownTexts<Looked>();

  constructor(options: FixOptions) {
    this.#options = options;
  }

  message(message: Message, source: Source): InMessage<Looked> {
    return this.#known.message(message, source, () => {
      const inHeader = this.#header(message, source);
      return { inHeader, inBody: this.#body(message, source), bodyFrom: message.header.to - message.from };
    });
  }

  #header({ dialect, header, isBare }: Message, source: Source): Looked {
    if (isBare) return NOTHING;
    const bytes = source.bytes(header.from, Math.min(header.to, header.from + LARGEST_HEADER));
    return this.#text(bytes, { dialect, role: null, isHeader: true });
  }

  #body({ dialect, role, body: { from, to } }: Message, source: Source): Looked {
    if (to - from > LARGEST) return TOO_LARGE;
    return to > from ? this.#text(source.bytes(from, to), { dialect, role, isHeader: false }) : NOTHING;
  }

  /** Most texts hold no sign. */
  #text(bytes: Uint8Array, asked: Asked): Looked {
    return holdsSign(bytes) ? this.#known.text(bytes, asked, this.#look) : NOTHING;
  }

  readonly #look = (bytes: Uint8Array, asked: Asked): Looked => look(bytes, asked, this.#options);
}

/** NOTHING: nothing is found. */
function look(bytes: Uint8Array, { dialect, role, isHeader }: Asked, options: FixOptions): Looked {
  if (isHeader && isCleanHeader(bytes, 0, bytes.length, dialect.id)) return NOTHING;
  const { text, isBytes } = readPiece(bytes);
  const asked = { body: dialect.id, role, edges: 'none' } as const;
  if (isHeader) {
    // The header's own tokens are no findings, and what is wrong with them is told by the rules of transcripts.
    const all = findTokens(text, asked, MOST_ALONE, undefined, isBytes);
    const found = all.filter((it) => it.severity !== 'error');
    return found.length === 0 ? NOTHING : { text, found, edits: NO_EDITS, left: 0, isTooLarge: false };
  }
  const edits = options.tellsOnly ? NO_EDITS : new TokenEdits(text, isBytes);
  let left = 0;
  const mend = (one: Found): void => {
    if (!mendIn(edits, one, role, (dialect.flags & HAS_ESCAPE) !== 0, options)) left++;
  };
  const found = findTokens(text, asked, MOST_ALONE, options.tellsOnly ? undefined : mend, isBytes);
  return found.length === 0 ? NOTHING : { text, found, edits, left, isTooLarge: false };
}

/** Nothing is added to them. */
export const NO_EDITS = new TokenEdits('');

const NOTHING: Looked = { text: '', found: [], edits: NO_EDITS, left: 0, isTooLarge: false };
const TOO_LARGE: Looked = { ...NOTHING, left: 1, isTooLarge: true };

/** Text, and whether each of its units is a byte: what is not UTF-8 is read byte by byte. */
function readPiece(bytes: Uint8Array): { text: string; isBytes: boolean } {
  if (!isUtf8(bytes)) return { text: Buffer.from(bytes).toString('latin1'), isBytes: true };
  const text = decodeUtf8(bytes);
  return { text, isBytes: text.length === bytes.length };
}

/**
 * A token of the body's own dialect gets its escape, where it has one; whatever else is to be mended is broken up.
 * False: it is to be mended, and stays.
 */
function mendIn(
  edits: TokenEdits, one: Found, role: string | null, hasEscape: boolean, options: FixOptions,
): boolean {
  const severity = settledSeverity(one, options);
  if (severity === null || (severity !== 'error' && !isWanted(one, severity, options))) return true;
  if (isMeant(one, role)) return severity !== 'error';
  const { how } = options;
  const escapes = how === 'escape' || (how === undefined && hasEscape);
  if (one.severity !== 'error' || !escapes) return edits.breakUp(one);
  if (!hasEscape || one.rule !== 'control-token') return false;
  edits.escape(one);
  return true;
}
