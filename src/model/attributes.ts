// What the words of a message header mean: role, channel, recipient, attributes, content type (rulings §4).

import type { Finding } from '../errors.ts';
import { HEADER_BYTES } from './header/document.ts';
import type { Field, Word } from './words.ts';

/** A `key=value` word of a message's header (2.2 §3), with its span in bytes. */
export interface Attribute {
  readonly key: string;
  readonly value: string;
  /** Byte positions of the whole word. */
  readonly from: number;
  readonly to: number;
}

export interface HeaderMeaning {
  role: string | null;
  name: string | null;
  recipient: string | null;
  /** The channel that is written; null when none is. The effective one is `final` then. */
  explicitChannel: string | null;
  contentType: string | null;
  /** Where the word stands that gives the content type. */
  contentTypeSpan: { from: number; to: number } | null;
  /** The content type comes from the constrain field: it binds (R-CONSTRAINT). */
  constrained: boolean;
  intent: string | null;
  callId: string | null;
  /** Every `key=value` word in order, also those that count for nothing. */
  attributes: Attribute[];
  /** The header is longer than what is read of one: what stands behind may say anything. */
  readInPart: boolean;
  /** Two different channels, intents or roles, or read in part: never shown. */
  ambiguous: boolean;
  /** Two different recipients or call ids, an empty value, or read in part: never dispatched. */
  undispatchable: boolean;
  /** A channel field is there, whatever it says. */
  hasChannelField: boolean;
  findings: Finding[];
}

const ROLES: ReadonlySet<string> = new Set(['system', 'developer', 'user', 'assistant', 'tool']);
const LINE_ROLES: ReadonlySet<string> = new Set(['system', 'user', 'assistant', 'tool']);
const CHANNELS: ReadonlySet<string> = new Set(['analysis', 'commentary', 'final']);
const KEYS: ReadonlySet<string> = new Set(['to', 'call_id', 'name', 'intent', 'content_type']);
const PERSONS: ReadonlySet<string> = new Set(['assistant', 'user', 'all']);

export interface NamedRole {
  readonly role: string;
  readonly name: string | null;
}

/** What a word says by itself as a role: a known role, `functions.<name>`, `role:name`; null for any other (R-ROLE). */
export function knownRole(word: string, lineDialect: boolean): NamedRole | null {
  const roles = lineDialect ? LINE_ROLES : ROLES;
  if (roles.has(word)) return { role: word, name: null };
  if (!lineDialect && /^functions\.[A-Za-z0-9_.-]+$/.test(word)) return { role: 'tool', name: word };
  const colon = word.indexOf(':');
  const role = word.slice(0, Math.max(colon, 0));
  return roles.has(role) && colon + 1 < word.length ? { role, name: word.slice(colon + 1) } : null;
}

/** A recipient that is a tool: any but assistant, user, all (R-CALL). */
export const isToolRecipient = (recipient: string | null): boolean => recipient !== null && !PERSONS.has(recipient);

export const isChannel = (word: string): boolean => CHANNELS.has(word);

/** A word that ends with the name of a channel that hides, perhaps with signs behind it: `assistantanalysis`. */
const GLUED = /(analysis|commentary)[^A-Za-z]*$/;

/**
 * The channel that a bare word of the start field names behind a role; null: none. What would hide the message counts
 * where it is glued to something, too: its thoughts must not be shown for a missing space.
 */
export function strayChannel(word: string): string | null {
  if (CHANNELS.has(word)) return word;
  return knownRole(word, false) ? null : (GLUED.exec(word)?.[1] ?? null);
}

const isAttribute = (word: Word): boolean => word.text.includes('=');

export const isKnownAttribute = (word: Word): boolean => isAttribute(word) && KEYS.has(keyOf(word));

const keyOf = (word: Word): string => word.text.slice(0, word.text.indexOf('='));

/** All values of one attribute: the last of the start field, the last of the other fields, and which there were. */
interface Occurrences {
  start: Word | null;
  later: Word | null;
  readonly values: Set<string>;
}

/**
 * Reads the fields of one header.
 * `given`: the role that is not written (a completion's, or assistant). `loose`: the header was cut in its start field,
 * where a channel word may stand before the role.
 */
export function readMeaning(
  fields: readonly Field[],
  given: NamedRole | null,
  lineDialect: boolean,
  loose: boolean,
  message: { from: number; headerTo: number },
): HeaderMeaning {
  const reader = new Reader(lineDialect);
  for (const field of fields) reader.field(field);
  return reader.meaning(given, loose, message);
}

class Reader {
  readonly #lineDialect: boolean;
  readonly #findings: Finding[] = [];
  readonly #attributes: Attribute[] = [];
  readonly #occurrences = new Map<string, Occurrences>();
  readonly #startWords: Word[] = [];
  readonly #channels = new Set<string>();
  #channelWord: { from: number; to: number } | null = null;
  #channel: string | null = null;
  #constrained: Word | null = null;
  #bareType: Word | null = null;
  #hasEmpty = false;

  constructor(lineDialect: boolean) {
    this.#lineDialect = lineDialect;
  }

  field(field: Field): void {
    if (field.kind === 'start') {
      for (const word of this.#takeAttributes(field.words, true)) this.#startWords.push(word);
    } else if (field.kind === 'channel') {
      this.#channelField(field);
    } else {
      const [type, ...rest] = field.words;
      if (type) this.#constrained = type;
      for (const word of this.#takeAttributes(rest, false)) this.#find('stray-word', word);
    }
  }

  #find(rule: Finding['rule'], span: { from: number; to: number }, severity?: Finding['severity']): void {
    this.#findings.push({ rule, from: span.from, to: span.to, ...(severity && { severity }) });
  }

  /** Takes the attributes out of `words`; answers the bare words. */
  #takeAttributes(words: readonly Word[], inStart: boolean): Word[] {
    const bare: Word[] = [];
    for (const word of words) {
      if (isAttribute(word)) this.#attribute(word, inStart);
      else bare.push(word);
    }
    return bare;
  }

  #attribute(word: Word, inStart: boolean): void {
    const key = keyOf(word);
    const value = word.text.slice(key.length + 1);
    this.#attributes.push({ key, value, from: word.from, to: word.to });
    if (isUnusual(value, this.#lineDialect && key === 'name')) this.#find('unusual-value', word);
    if (!KEYS.has(key)) {
      this.#find('unknown-attribute', word);
    } else if (value === '') {
      this.#hasEmpty = true;
      this.#find('empty-attribute', word);
    } else {
      this.#occur(key, value, inStart, word);
    }
  }

  #occur(key: string, value: string, inStart: boolean, word: Word): void {
    let known = this.#occurrences.get(key);
    if (known) {
      this.#find('duplicate-attribute', word, known.values.size === 1 && known.values.has(value) ? 'info' : undefined);
    } else {
      known = { start: null, later: null, values: new Set() };
      this.#occurrences.set(key, known);
    }
    known.values.add(value);
    const valued = { ...word, text: value };
    if (inStart) known.start = valued;
    else known.later = valued;
  }

  #channelField(field: Field): void {
    let channel: Word | undefined;
    const types: Word[] = [];
    for (const word of field.words) {
      if (isAttribute(word)) {
        this.#attribute(word, false);
      } else if (!channel) {
        channel = word;
      } else if (word.text.includes('.')) {
        this.#find('bare-recipient', word);
        this.#occur('to', word.text, false, word);
      } else {
        types.push(word);
      }
    }
    for (const word of types.slice(0, -1)) this.#find('stray-word', word);
    this.#bareType = types.at(-1) ?? this.#bareType;
    const text = channel?.text ?? '';
    const token = { from: field.from, to: field.textFrom };
    if (this.#channels.size > 0) {
      this.#find(
        'duplicate-channel', token, this.#channels.size === 1 && this.#channels.has(text) ? 'info' : undefined,
      );
    }
    this.#channels.add(text);
    this.#channel = text;
    this.#channelWord = channel ?? token;
  }

  /**
   * The value that counts; of the content type the later fields' one, of all others the start field's (R-ATTR-DUP,
   * R-CTYPE).
   */
  #value(key: string): string | null {
    return this.#word(key)?.text ?? null;
  }

  #word(key: string): Word | null {
    const known = this.#occurrences.get(key);
    if (!known) return null;
    return key === 'content_type' ? (known.later ?? known.start) : (known.start ?? known.later);
  }

  #differ(key: string): boolean {
    return (this.#occurrences.get(key)?.values.size ?? 0) > 1;
  }

  meaning(given: NamedRole | null, loose: boolean, message: { from: number; headerTo: number }): HeaderMeaning {
    const recipient = this.#value('to');
    const readInPart = message.headerTo - message.from > HEADER_BYTES;
    const type = this.#constrained ?? this.#word('content_type') ?? this.#bareType;
    // What is missing may stand behind what is read, and so may the channel that counts.
    if (this.#channel !== null && !CHANNELS.has(this.#channel) && !readInPart) {
      this.#find('unknown-channel', this.#channelWord!);
    }
    const words = this.#startWords;
    const known = (word: Word): boolean => knownRole(word.text, this.#lineDialect) !== null;
    const roleWord = given ? undefined : ((loose ? words.find(known) : words[0]) ?? undefined);
    const named = given ?? (roleWord ? this.#role(roleWord, recipient, readInPart) : null);
    const strays = this.#strayWords(words.filter((word) => word !== roleWord), named, roleWord);
    const explicitChannel = this.#channel ?? strays.channels.at(-1) ?? null;
    let role = named?.role ?? null;
    if (!named) {
      if (!readInPart) this.#find('missing-role', { from: message.from, to: message.headerTo });
      if (explicitChannel !== null || isToolRecipient(recipient)) role = 'assistant';
    }
    return {
      role,
      name: named?.name ?? this.#value('name'),
      recipient,
      explicitChannel,
      contentType: type?.text ?? null,
      contentTypeSpan: type && { from: type.from, to: type.to },
      constrained: this.#constrained !== null,
      intent: this.#value('intent'),
      callId: this.#value('call_id'),
      attributes: this.#attributes,
      readInPart,
      ambiguous:
        readInPart || strays.otherRole || this.#differ('intent')
        || new Set([...this.#channels, ...strays.channels]).size > 1,
      undispatchable: readInPart || this.#hasEmpty || this.#differ('to') || this.#differ('call_id'),
      hasChannelField: this.#channel !== null,
      findings: this.#findings,
    };
  }

  #role(word: Word, recipient: string | null, readInPart: boolean): NamedRole {
    const known = knownRole(word.text, this.#lineDialect);
    if (known) return known;
    if (recipient === 'assistant' && !this.#lineDialect) return { role: 'tool', name: word.text };
    // A `to=assistant` that is not read would make a tool of it.
    if (!readInPart) this.#find('unknown-role', word);
    return { role: word.text, name: null };
  }

  /** Bare words of the start field beside the role (R-STRAY-WORD). */
  #strayWords(
    words: readonly Word[],
    role: NamedRole | null,
    roleWord: Word | undefined,
  ): { channels: string[]; otherRole: boolean } {
    const channels: string[] = [];
    let otherRole = false;
    for (const word of words) {
      const other = knownRole(word.text, this.#lineDialect);
      const channel = this.#lineDialect ? null : strayChannel(word.text);
      const same = other ? other.role === role?.role : channel === null && word.text === roleWord?.text;
      this.#find('stray-word', word, same ? 'warning' : undefined);
      if (channel !== null) channels.push(channel);
      else if (other && !same) otherRole = true;
    }
    return { channels, otherRole };
  }
}

/** Control characters, and non-ASCII ones unless they are allowed (R-ATTR-UNKNOWN). */
function isUnusual(value: string, nonAsciiAllowed: boolean): boolean {
  for (let i = 0; i < value.length; i++) {
    const unit = value.charCodeAt(i);
    if (unit < 0x20 || unit === 0x7f || (unit > 0x7f && !nonAsciiAllowed)) return true;
  }
  return false;
}

/**
 * How many words of a header's last field belong to the header when its message token is missing; the body begins at
 * the next one (R-MISSING-MESSAGE). `hasGivenRole`: the text completes a caller's role, of which no role or channel
 * is taken.
 */
export function frontWords(field: Field, hasGivenRole: boolean): number {
  let role = hasGivenRole;
  let channel = hasGivenRole;
  const { kind, words } = field;
  for (let i = 0; i < words.length; i++) {
    const word = words[i]!;
    if (kind === 'constrain' && i === 0) continue;
    if (isKnownAttribute(word)) continue;
    const bare = !isAttribute(word);
    if (bare && kind === 'start' && !role && knownRole(word.text, false)) role = true;
    else if (
      bare && kind !== 'constrain' && !channel
      && (CHANNELS.has(word.text) || (kind === 'start' && role && strayChannel(word.text)))
    ) channel = true;
    else return kind === 'channel' && words.length === 1 && bare ? 1 : i;
  }
  return words.length;
}

/** The same for a header line of 0.1; `newline`: the line is whole. */
export function lineWords(words: readonly Word[], newline: boolean): number {
  const belongs = (word: Word): boolean => isAttribute(word) || knownRole(word.text, true) !== null;
  const other = words.findIndex((word) => !belongs(word));
  if (other < 0) return words.length;
  return newline && other === 0 && words.slice(1).every(isAttribute) ? words.length : other;
}

/** A known role, known attributes, and nothing else: what may stand in an open turn (R-OPEN-TURN). */
export function isPrompt(words: readonly Word[], lineDialect: boolean): boolean {
  const bare = words.filter((word) => !isAttribute(word));
  return bare.length === 1 && knownRole(bare[0]!.text, lineDialect) !== null
    && words.every((word) => !isAttribute(word) || isKnownAttribute(word));
}
