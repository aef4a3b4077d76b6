// A likely message rather than an exact one (R-RESCUE), when the caller asks for it: where the rows of a scan and the
// words of a header are read in another way. These are the questions that both ways of reading ask, `parse` of the
// rows of whole messages (rescue-rows.ts) and streams of rows as they come (runtime/stream/rescue.ts).

import {
  BY_ROLE, CHANNEL, CONSTRAIN, EOF_END, IMPLICIT_END, IMPLIED, MESSAGE, MESSAGE_TOKEN, NO_BODY_TOKEN, TOKEN_MASK,
  TOKEN_SHIFT,
} from '../abi.ts';
import { CHANNEL_NAMES } from '../scan/dialects.ts';
import type { Batch } from '../scan/table.ts';
import { isChannel, isKnownAttribute, knownRole, strayChannel } from './attributes.ts';
import type { Field, Word } from './words.ts';

/**
 * What reading takes to prefer a likely message to an exact one (R-RESCUE): the option `rescue` of `parse`, `check` and
 * `scan`. Passed in, so that programs which read exactly do not carry it.
 */
export interface Rescue {
  /** @internal Divides the messages of batches; `role`: the caller's. */
  readonly rows: (role: string | null) => { cut(batch: Batch): Batch };
  /** @internal The fields of a header that count. */
  readonly countingFields: (fields: readonly Field[]) => readonly Field[];
  /** @internal The fields of a header whose control tokens a server has stripped. */
  readonly strippedFields: (source: Bytes, from: number, to: number) => Field[];
}

type Bytes = { bytes(from: number, to: number): Uint8Array };

/** What a message's word says of how it ends. */
export const ENDING = (TOKEN_MASK << TOKEN_SHIFT) | IMPLICIT_END | EOF_END;
/** Of a message that is opened without a start token, beside its end. */
export const OPENED = MESSAGE | IMPLIED;
/** Of a message of the caller's role that ends without a token. */
export const SAID = MESSAGE | BY_ROLE | NO_BODY_TOKEN | IMPLICIT_END;

/** Bytes of a header that ends a body, from its `<|channel|>` to its `<|message|>`: what is longer is text. */
const LONGEST_HEADER = 1024;

/** A token in a body that may belong to a header. */
export interface StrayToken {
  readonly token: number;
  readonly from: number;
  readonly to: number;
}

/** The message at hand ends where a header in its body begins. */
export interface BodyBreak {
  /** `<|channel|>`, and behind it perhaps `<|constrain|>`. */
  readonly fields: readonly StrayToken[];
  /** The body behind the header. */
  readonly bodyFrom: number;
}

/**
 * Follows the tokens of an assistant's body that mean nothing there: `<|channel|>`, a known channel, nothing but
 * attributes (a constrain field is one, too) and `<|message|>` are a header.
 */
export class BodyBreaks {
  readonly #source: Bytes;
  #fields: StrayToken[] = [];

  constructor(source: Bytes) {
    this.#source = source;
  }

  /** What stands from `from` on waits for what follows it; Infinity: nothing does. */
  get from(): number {
    return this.#fields[0]?.from ?? Infinity;
  }

  /** Nothing waits any more: the tokens that did. */
  release(): readonly StrayToken[] {
    const fields = this.#fields;
    if (fields.length > 0) this.#fields = [];
    return fields;
  }

  /** Whether the next token, of what stands in no header, leaves what waits as it is: then `take` comes next. */
  fits(next: StrayToken): boolean {
    const count = this.#fields.length;
    if (count === 0) return next.token === CHANNEL;
    if (next.token !== MESSAGE_TOKEN && !(next.token === CONSTRAIN && count === 1)) return false;
    return this.#isField(next.from, true);
  }

  /** A token that fits. The last one ends a header. */
  take(next: StrayToken): BodyBreak | null {
    if (next.token !== MESSAGE_TOKEN) {
      this.#fields.push(next);
      return null;
    }
    return { fields: this.release(), bodyFrom: next.to };
  }

  /** All before `to` is known: whether what waits may still be a header. */
  mayGoOn(to: number): boolean {
    return this.#isField(to, false);
  }

  #isField(to: number, isWhole: boolean): boolean {
    const last = this.#fields.at(-1)!;
    if (to - this.from > LONGEST_HEADER) return false;
    return isField(latin1(this.#source.bytes(last.to, to)), last.token === CHANNEL, isWhole);
  }
}

/** A channel, or a content type, and attributes. `isWhole`: else more may follow the last word. */
function isField(text: string, isOfChannel: boolean, isWhole: boolean): boolean {
  const [first, ...rest] = text.split(/[ \t\r\n]+/).filter((word, i, { length }) => word !== '' || i === length - 1);
  const isOpen = (i: number): boolean => !isWhole && i === rest.length - 1;
  if (rest.some((word, i) => word !== '' && !word.includes('=') && !isOpen(i))) return false;
  if (first === undefined || first === '') return !isWhole;
  if (!isOfChannel || isChannel(first)) return true;
  return !isWhole && rest.length === 0 && CHANNEL_NAMES.some((known) => known.startsWith(first));
}

const DECODER = /* @__PURE__ */ new TextDecoder('latin1');

/** Bytes as characters, one for one: enough to tell words by. */
const latin1 = (bytes: Uint8Array): string => DECODER.decode(bytes);

/**
 * The words before the first token of a completion are no header but what was said: some word is neither role nor
 * channel, and no attribute is there.
 */
export function isSaid(words: readonly Word[]): boolean {
  if (words.some(isKnownAttribute)) return false;
  return words.some(({ text }) => {
    return !text.includes('=') && strayChannel(text) === null && knownRole(text, false) === null;
  });
}

/**
 * The fields of a header that count: of several channel fields only the last one, when the others hold `commentary` and
 * attributes and address no tool. The same list when all of them do.
 */
export function countingFields(fields: readonly Field[]): readonly Field[] {
  const channels = fields.filter(({ kind }) => kind === 'channel');
  if (channels.length < 2) return fields;
  const others = channels.slice(0, -1);
  return others.every(isFiller) ? fields.filter((field) => !others.includes(field)) : fields;
}

function isFiller({ words }: Field): boolean {
  const bare = words.filter(({ text }) => !text.includes('='));
  return bare.length === 1 && bare[0]!.text === 'commentary'
    && words.every(({ text }) => !text.startsWith('to=') || PERSONS.has(text));
}

const PERSONS: ReadonlySet<string> = new Set(['to=assistant', 'to=user']);

/** A completion whose control tokens a server has stripped, in two: positions of the input. */
export interface StrippedParts {
  /** Where the reasoning begins, behind its channel's name. */
  readonly bodyFrom: number;
  /** The second message, and its body. */
  readonly nextFrom: number;
  readonly nextBodyFrom: number;
}

const ANALYSIS = 'analysis';
const ANSWER = /assistantfinal|assistantcommentary to=[A-Za-z0-9_.-]+(?:[ \t\r\n]*[A-Za-z]+(?=[ \t\r\n]*[{[]))?/;
/** Bytes that are searched at once, and those of a header that their end may cut. */
const STEP = 64 * 1024;
const CUT = 1024;

/** How the text [from, to), in which no control token stands, is divided; null: it is none of these. */
export function strippedParts(source: Bytes, from: number, to: number): StrippedParts | null {
  const bodyFrom = from + ANALYSIS.length;
  if (latin1(source.bytes(from, Math.min(to, bodyFrom))) !== ANALYSIS) return null;
  for (let at = bodyFrom; at < to; at += STEP) {
    const text = latin1(source.bytes(at, Math.min(to, at + STEP + CUT)));
    const found = ANSWER.exec(text);
    if (found !== null && (found.index < STEP || at + STEP >= to)) {
      const nextFrom = at + found.index;
      return { bodyFrom, nextFrom, nextBodyFrom: nextFrom + found[0].length };
    }
  }
  return null;
}

/** The header [from, to) of one of the two, all ASCII, as fields: what stood there before the tokens went. */
export function strippedFields(source: Bytes, from: number, to: number): Field[] {
  const front = latin1(source.bytes(from, Math.min(to, from + ASSISTANT.length))) === ASSISTANT;
  const at = front ? from + ASSISTANT.length : from;
  const words: Word[] = [];
  const text = latin1(source.bytes(at, to));
  for (const { 0: word, index } of text.matchAll(/[^ \t\r\n]+/g)) {
    words.push({ from: at + index, to: at + index + word.length, text: word });
  }
  return [
    { kind: 'start', from, textFrom: from, words: [] },
    { kind: 'channel', from: at, textFrom: at, words },
  ];
}

const ASSISTANT = 'assistant';
