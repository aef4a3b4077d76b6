// The text that is looked for in the contents of messages: in a message, and in lines that messages have become.

import type { Message } from '../../model/message.ts';
import { literalPattern } from '../../pattern.ts';
import type { MessageFilters } from './job.ts';

const LF = 0x0a;
/** What JSON may write with an escape of its own, and what stands for bytes that are no text. */
const NEVER_PLAIN = /[\0-\x1f"\\/\x7f\ufffd\p{Surrogate}]/u;
/** Any character may be written so. */
const ESCAPE = Buffer.from('\\u');

export class TextFilter {
  readonly #grep: string;
  readonly #isPlain: boolean;
  readonly #bytes: Buffer;
  readonly #pattern: RegExp | null;
  /** A part of the text that stands as it is in a line whose content holds it, unless that line has an escape. */
  readonly #part: Buffer;
  /** The same of any case, of a line's bytes as characters. */
  readonly #partPattern: RegExp | null;
  /** Lines that `keep` has left so far. */
  kept = 0;

  constructor({ grep, ignoreCase }: { readonly grep: string; readonly ignoreCase?: boolean | undefined }) {
    const isAnyCase = ignoreCase === true;
    this.#grep = grep;
    this.#bytes = Buffer.from(grep, 'utf8');
    // What is no UTF-8 becomes the first one of these; half a character has no bytes.
    this.#isPlain = !isAnyCase && !/[\ufffd\p{Surrogate}]/u.test(grep);
    this.#pattern = isAnyCase ? new RegExp(literalPattern(grep), 'iu') : null;
    const parts = grep.split(isAnyCase ? /[^\x20-\x7e]|["\\/]/ : new RegExp(NEVER_PLAIN, 'u'));
    const part = parts.reduce((longest, it) => (it.length > longest.length ? it : longest), '');
    this.#part = Buffer.from(part, 'utf8');
    this.#partPattern = isAnyCase ? new RegExp([...part].map(anyCase).join(''), 'g') : null;
  }

  /** Whether a message's content holds the text: its bytes are looked at, where these are the content. */
  holds(message: Message): boolean {
    if (!this.#isPlain || !message.isLeaf) return this.#isIn(message.content);
    const { buffer, byteOffset, length } = message.rawBody;
    return Buffer.from(buffer, byteOffset, length).includes(this.#bytes);
  }

  #isIn(content: string): boolean {
    return this.#pattern === null ? content.includes(this.#grep) : this.#pattern.test(content);
  }

  /** Lines can be looked through for a part of the text, so that few need be read. */
  get takesLines(): boolean {
    return this.#part.length > 0;
  }

  /** Moves the lines whose content holds the text to the front. Answers their bytes. */
  keep(lines: Uint8Array): Uint8Array {
    const bytes = Buffer.from(lines.buffer, lines.byteOffset, lines.length);
    const characters = this.#partPattern === null ? '' : bytes.toString('latin1');
    let length = 0;
    let next = this.#find(bytes, characters, 0);
    let escape = bytes.indexOf(ESCAPE);
    for (let from = 0; from < bytes.length; ) {
      if (next >= 0 && next < from) next = this.#find(bytes, characters, from);
      if (escape >= 0 && escape < from) escape = bytes.indexOf(ESCAPE, from);
      const found = next < 0 || (escape >= 0 && escape < next) ? escape : next;
      if (found < 0) break;
      from = bytes.lastIndexOf(LF, found) + 1;
      const to = bytes.indexOf(LF, found) + 1;
      if (this.#isIn((JSON.parse(bytes.toString('utf8', from, to)) as { content: string }).content)) {
        bytes.copyWithin(length, from, to);
        length += to - from;
        this.kept++;
      }
      from = to;
    }
    return lines.subarray(0, length);
  }

  #find(bytes: Buffer, characters: string, from: number): number {
    const pattern = this.#partPattern;
    if (pattern === null) return bytes.indexOf(this.#part, from);
    pattern.lastIndex = from;
    return pattern.exec(characters)?.index ?? -1;
  }
}

export const textFilterOf = ({ grep, ignoreCase }: MessageFilters): TextFilter | null =>
  grep === undefined ? null : new TextFilter({ grep, ignoreCase });

/** A character of ASCII in any case, in UTF-8: two letters have a third case, outside of ASCII. */
function anyCase(character: string): string {
  const [lower, upper] = [character.toLowerCase(), character.toUpperCase()];
  if (lower === upper) return literalPattern(character);
  const further = lower === 's' ? '|\xc5\xbf' : lower === 'k' ? '|\xe2\x84\xaa' : '';
  return `(?:[${lower}${upper}]${further})`;
}
