// A likely message rather than an exact one (R-RESCUE): headers in bodies, fillers, what was said before the first
// token, completions whose tokens are stripped.
import { splitWords } from './frames.ts';
import type { Field, Word } from './frames.ts';
import { decode } from './text.ts';
import type { Dialect, Source, Token } from './tokens.ts';
import { CHANNELS, furtherChannel, isKnownAttribute, knownRole } from './words.ts';

const MARK = /<\|(?:start|end)_(?:reflect|introspect|reason)\|>/;
/** The longest header that ends a body. */
const LONGEST = 1024;

/** (a) The `<|message|>` of the header that the stray token at `index` begins; null: it begins none. */
export function headerInBody(
  source: Source, dialect: Dialect, tokens: readonly Token[], index: number,
): Token | null {
  const [channel, second, third] = tokens.slice(index, index + 3);
  if (channel?.name !== 'channel' || second === undefined) return null;
  const isTyped = second.name === 'constrain';
  const message = isTyped ? third : second;
  if (message?.name !== 'message' || message.from - channel.from > LONGEST) return null;
  if (dialect.id !== 'harmony' && MARK.test(decode(source.bytes, channel.to, message.from))) return null;
  if (dialect.escape && [second, message].some(({ from }) => source.bytes[from - 1] === 0x3c)) return null;
  const words = (from: number, to: number): Word[] => splitWords(source, dialect, from, to, []);
  const [name, ...rest] = words(channel.to, second.from);
  if (name === undefined || !CHANNELS.has(name.text) || rest.some(({ key }) => key === null)) return null;
  if (!isTyped) return message;
  const [type, ...others] = words(second.to, message.from);
  return type === undefined || others.some(({ key }) => key === null) ? null : message;
}

/** (b) Fields without the channels that are fillers. */
export function withoutFillers(fields: readonly Field[]): readonly Field[] {
  const others = fields.filter(({ kind }) => kind === 'channel').slice(0, -1);
  const areFillers = others.every(({ words }) => {
    const bare = words.filter(({ key }) => key === null);
    const to = words.filter(({ key }) => key === 'to').map(({ value }) => value);
    return bare.map(({ text }) => text).join() === 'commentary' && to.every((it) => ['assistant', 'user'].includes(it));
  });
  return areFillers ? fields.filter((field) => !others.includes(field)) : fields;
}

/** (c) Words that are no header. */
export function areSaid(words: readonly Word[]): boolean {
  if (words.some(isKnownAttribute)) return false;
  return words.some(({ text, key }) => {
    return key === null && furtherChannel(text) === null && knownRole(text, false) === null;
  });
}

export interface StrippedPart {
  readonly fields: readonly Field[];
  readonly headerTo: number;
  readonly to: number;
  readonly isLast: boolean;
}

const WHOLE =
  /^analysis([^]*?)(assistant(?:final|commentary to=[A-Za-z0-9_.-]+(?:[ \t\r\n]*[A-Za-z]+(?=[ \t\r\n]*[{[]))?))/;

/** (d) The part that begins at `from` of a completion that begins at `textFrom` and holds no token. */
export function strippedPart(source: Source, dialect: Dialect, textFrom: number, from: number): StrippedPart | null {
  const { bytes, tokens } = source;
  if (tokens.some(({ name }) => dialect.tokens.has(name))) return null;
  const text = Buffer.from(bytes.subarray(textFrom)).toString('latin1');
  if (dialect.id !== 'harmony' && MARK.test(text)) return null;
  const found = WHOLE.exec(text);
  if (found === null) return null;
  const second = textFrom + 'analysis'.length + found[1]!.length;
  const channelOf = (at: number, to: number): Field[] =>
    [{ kind: 'channel', token: null, words: splitWords(source, dialect, at, to, []) }];
  if (from === textFrom) {
    const headerTo = from + 'analysis'.length;
    return { fields: channelOf(from, headerTo), headerTo, to: second, isLast: false };
  }
  if (from !== second) return null;
  const headerTo = second + found[2]!.length;
  return { fields: channelOf(second + 'assistant'.length, headerTo), headerTo, to: bytes.length, isLast: true };
}
