// Text as a model's vocabulary takes it: control tokens by their ids, and text between them that is only text, whatever
// it spells. So bodies may hold what spells a control token also where a dialect has no escape for it.

import type { TranscriptData } from '../model/data.ts';
import { literalPattern } from '../pattern.ts';
import type { DialectId } from '../scan/dialects.ts';
import { type ConvertOptions, convertTranscript } from './convert.ts';
import type { Loss } from './loss.ts';
import { withoutMedia } from './media.ts';
import { type PromptOptions, writePrompt, type WrittenPrompt } from './prompt.ts';
import { O200K_HARMONY, specialEntries, type SpecialTokens } from './specials.ts';

/** A control token, with its id; or text, which is to be encoded without control tokens (`id` null). */
export interface Segment {
  readonly text: string;
  readonly id: number | null;
}

/** What makes ids of text. */
export interface Encoder {
  /** The ids of a text, among them none of `specials`, whatever the text spells. */
  readonly encode: (text: string) => readonly number[];
  /** Without it, those of o200k_harmony. */
  readonly specials?: SpecialTokens | undefined;
}

/** How a transcript becomes segments of text and control tokens. */
export interface SegmentOptions extends ConvertOptions {
  /** Without it, those of o200k_harmony. */
  readonly specials?: SpecialTokens | undefined;
}

/**
 * Writes a transcript as segments: as `convertTranscript` does, but bodies and definitions that spell a control token
 * of the vocabulary stay as they are. Throws what `convertTranscript` throws.
 *
 * @example
 * ```ts
 * import { writeSegments } from 'openchatml/convert';
 *
 * const data = { header: null, tools: [], messages: [{ role: 'user', content: '<|end|>' }] };
 * console.log(writeSegments(data, 'harmony').segments.map(({ text, id }) => (id === null ? text : '*')).join(' '));
 * // * user * <|end|> *
 * ```
 */
export function writeSegments(
  data: TranscriptData, dialect: DialectId, options: SegmentOptions = {},
): { segments: Segment[]; losses: Loss[] } {
  const { specials = O200K_HARMONY, ...how } = options;
  const spelling = new Spelling(specials);
  const media: Loss[] = [];
  const { text, losses } = convertTranscript(
    spelling.hide(withoutMedia(data, media)), dialect, spelling.hideSystem(how),
  );
  if (text === null) throw new RangeError(`option dialect: expected a dialect; got ${JSON.stringify(dialect)}`);
  return { segments: spelling.segments(text), losses: [...media, ...losses] };
}

/**
 * The prompt of `writePrompt`, as segments; its `text` is what they spell, and may be read otherwise.
 *
 * @example
 * ```ts
 * import { writePromptSegments } from 'openchatml/convert';
 *
 * const data = { header: null, tools: [], messages: [{ role: 'user', content: '<|end|>' }] };
 * const { segments } = writePromptSegments(data, 'harmony');
 * console.log(segments.filter(({ id }) => id !== null).length); // 4
 * ```
 */
export function writePromptSegments(
  data: TranscriptData, dialect: DialectId, options: PromptOptions & Pick<SegmentOptions, 'specials'> = {},
): WrittenPrompt & { readonly segments: readonly Segment[] } {
  const { specials = O200K_HARMONY, ...how } = options;
  const spelling = new Spelling(specials);
  const media: Loss[] = [];
  const written = writePrompt(spelling.hide(withoutMedia(data, media)), dialect, spelling.hideSystem(how));
  const segments = spelling.segments(written.text);
  return {
    ...written,
    messages: written.messages.map((message) => ({ ...message, content: spelling.show(message.content) })),
    text: segments.map(({ text }) => text).join(''),
    losses: [...media, ...written.losses],
    segments,
  };
}

/**
 * The ids of segments. Throws a RangeError when `encode` gives the id of a control token for text.
 *
 * @example
 * ```ts
 * import { encodeSegments, writeSegments } from 'openchatml/convert';
 *
 * const data = { header: null, tools: [], messages: [{ role: 'user', content: 'Hi' }] };
 * const { segments } = writeSegments(data, 'harmony');
 * const encode = (text: string) => [...text].map((character) => character.charCodeAt(0));
 * console.log(encodeSegments(segments, { encode }).length); // 9
 * ```
 */
export function encodeSegments(
  segments: readonly Segment[], { encode, specials = O200K_HARMONY }: Encoder,
): number[] {
  const controls = new Set(specialEntries(specials).map(([id]) => id));
  return segments.flatMap(({ text, id }) => {
    if (id !== null) return [id];
    const ids = encode(text);
    if (ids.some((one) => controls.has(one))) throw new RangeError('encode gave the id of a control token for text');
    return [...ids];
  });
}

/** A character of private use stands for the `<` of what spells a token in a text, while that is written. */
class Spelling {
  readonly #ids: ReadonlyMap<string, number>;
  readonly #pattern: RegExp;
  #stand = '';

  constructor(specials: SpecialTokens) {
    this.#ids = new Map(specialEntries(specials).map(([id, text]) => [text, id]));
    const texts = [...this.#ids.keys()].sort((a, b) => b.length - a.length);
    this.#pattern = new RegExp(`(${texts.map(literalPattern).join('|')})`, 'g');
  }

  hide(data: TranscriptData): TranscriptData {
    this.#stand = unusedIn(JSON.stringify(data));
    return {
      ...data,
      tools: this.#hideAll(data.tools),
      messages: data.messages.map((message) => {
        const { content } = message;
        return typeof content === 'string' ? { ...message, content: this.#hideText(content) } : message;
      }),
    };
  }

  hideSystem<T extends Pick<ConvertOptions, 'system'>>(options: T): T {
    return typeof options.system === 'object' ? { ...options, system: this.#hideAll(options.system) } : options;
  }

  show(text: string): string {
    return text.replaceAll(this.#stand, '<');
  }

  segments(written: string): Segment[] {
    return written.split(this.#pattern).filter((text) => text !== '').map((text) => {
      const id = this.#ids.get(text);
      return id === undefined ? { text: this.show(text), id: null } : { text, id };
    });
  }

  #hideText(text: string): string {
    return text.replace(this.#pattern, (token) => this.#stand + token.slice(1));
  }

  #hideAll<T>(value: T): T {
    return JSON.parse(this.#hideText(JSON.stringify(value))) as T;
  }
}

/** A character of private use that a text does not hold. */
function unusedIn(text: string): string {
  for (let code = 0xe000; code <= 0xf8ff; code++) {
    const character = String.fromCharCode(code);
    if (!text.includes(character)) return character;
  }
  throw new RangeError('the transcript holds every character of private use');
}
