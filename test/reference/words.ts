// What the words of a message header mean: role, channel, attributes, content type (rulings section 4).
import type { Field, Word } from './frames.ts';
import type { Note } from './findings.ts';
import type { Range } from './text.ts';

export interface Reading {
  role: string | null;
  name: string | null;
  recipient: string | null;
  explicitChannel: string | null;
  contentType: string | null;
  /** The word that the content type comes from, and whether it stands first in a constrain field. */
  typeWord: Range | null;
  constrained: boolean;
  intent: string | null;
  callId: string | null;
  /** Two different intents, channels or roles: never shown. */
  ambiguous: boolean;
  /** Ambiguous, with two recipients or call ids, or with an empty attribute: never dispatched. */
  undispatched: boolean;
  notes: Note[];
}

export interface Circumstances {
  /** 0.1: four roles, no `functions.x`, names may be non-ASCII. */
  legacy: boolean;
  /** A role that is not written in the header: the caller's, or assistant after a missing `<|start|>`. */
  role: string | null;
  /** Is the last field cut short because `<|message|>` is missing? Then its role may stand after its channel. */
  early: boolean;
  from: number;
  headerTo: number;
}

export interface NamedRole {
  role: string;
  name: string | null;
}

const ROLES: ReadonlySet<string> = new Set(['system', 'developer', 'user', 'assistant', 'tool']);
const LEGACY_ROLES: ReadonlySet<string> = new Set(['system', 'user', 'assistant', 'tool']);
export const CHANNELS: ReadonlySet<string> = new Set(['analysis', 'commentary', 'final']);
const KEPT_FROM_USERS = ['analysis', 'commentary'];
const KEYS: ReadonlySet<string> = new Set(['to', 'call_id', 'name', 'intent', 'content_type']);
const NO_TOOLS: ReadonlySet<string> = new Set(['assistant', 'user', 'all']);

/** A word that is a role by itself; null for any other. */
export function knownRole(text: string, legacy: boolean): NamedRole | null {
  const roles = legacy ? LEGACY_ROLES : ROLES;
  if (roles.has(text)) return { role: text, name: null };
  if (!legacy && /^functions\.[A-Za-z0-9_.-]+$/.test(text)) return { role: 'tool', name: text };
  const colon = text.indexOf(':');
  const role = text.slice(0, Math.max(colon, 0));
  return roles.has(role) && colon + 1 < text.length ? { role, name: text.slice(colon + 1) } : null;
}

/**
 * A channel that a further word names (R-STRAY-WORD). Also one that is kept from users, where the word ends with it,
 * but for what are no letters: `assistantanalysis` lacks a space.
 */
export function furtherChannel(text: string): string | null {
  if (CHANNELS.has(text)) return text;
  if (knownRole(text, false) !== null) return null;
  let end = text.length;
  while (end > 0 && !/[a-zA-Z]/.test(text[end - 1]!)) end--;
  return KEPT_FROM_USERS.find((channel) => text.slice(0, end).endsWith(channel)) ?? null;
}

export function isTool(recipient: string | null): boolean {
  return recipient !== null && !NO_TOOLS.has(recipient);
}

export function isKnownAttribute(word: Word): boolean {
  return word.key !== null && KEYS.has(word.key);
}

/**
 * How many words at the front of a header's last field belong to the header when `<|message|>` is missing; the body
 * begins at the next one (R-MISSING-MESSAGE). `spoken` marks text after the caller's prompt: only attributes count.
 */
export function frontWords(field: Field, spoken: boolean): number {
  const { kind, words } = field;
  let role = spoken;
  let channel = spoken;
  for (const [index, word] of words.entries()) {
    if (kind === 'constrain' && index === 0) continue;
    if (isKnownAttribute(word)) continue;
    if (word.key === null && kind === 'start' && !role && knownRole(word.text, false) !== null) role = true;
    else if (word.key === null && kind !== 'constrain' && !channel && CHANNELS.has(word.text)) channel = true;
    else if (word.key === null && kind === 'start' && role && !channel && furtherChannel(word.text)) channel = true;
    else return kind === 'channel' && words.length === 1 && word.key === null ? 1 : index;
  }
  return words.length;
}

/** Every value that one attribute was given, and the last one of the start field and of the other fields. */
interface Occurrences {
  values: Set<string>;
  start: Occurrence | null;
  later: Occurrence | null;
}

interface Occurrence {
  value: string;
  word: Range;
}

type Attributes = Map<string, Occurrences>;

export function readFields(fields: readonly Field[], circumstances: Circumstances): Reading {
  const { legacy, early } = circumstances;
  const notes: Note[] = [];
  const attributes: Attributes = new Map();

  const startWords: Word[] = [];
  const channels = new Set<string>();
  let channel: string | null = null;
  let constrained: Occurrence | null = null;
  let bareType: Occurrence | null = null;
  const takeWord = (word: Word, field: Field): boolean => {
    if (word.key !== null) readAttribute(word, field.kind === 'start', legacy, attributes, notes);
    return word.key !== null;
  };

  for (const field of fields) {
    if (field.kind === 'start') {
      for (const word of field.words) if (!takeWord(word, field)) startWords.push(word);
    } else if (field.kind === 'channel') {
      const types: Word[] = [];
      let first: Word | undefined;
      for (const word of field.words) {
        if (takeWord(word, field)) continue;
        if (first === undefined) {
          first = word;
        } else if (word.text.includes('.')) {
          notes.push({ rule: 'bare-recipient', from: word.from, to: word.to });
          occur(attributes, 'to', word.text, false, word, notes);
        } else {
          types.push(word);
        }
      }
      channel = noteChannel(field, first, channels, notes);
      for (const word of types.slice(0, -1)) notes.push({ rule: 'stray-word', from: word.from, to: word.to });
      const last = types.at(-1);
      if (last !== undefined) bareType = { value: last.text, word: last };
    } else {
      const [type, ...rest] = field.words;
      if (type !== undefined) constrained = { value: type.text, word: type };
      for (const word of rest) {
        if (!takeWord(word, field)) notes.push({ rule: 'stray-word', from: word.from, to: word.to });
      }
    }
  }

  noteUnknownChannel(fields, notes);
  const recipient = effective(attributes, 'to');
  const last = fields.at(-1);
  const loose = early && last?.kind === 'start';
  const roleWord = loose ? startWords.find((word) => knownRole(word.text, legacy) !== null) : startWords[0];
  const given = givenRole(circumstances);
  const written = given ?? (roleWord === undefined ? null : readRole(roleWord, recipient, legacy, notes));
  const further = startWords.filter((word) => given !== null || word !== roleWord);
  const strays = readStrayWords(further, written, given === null ? roleWord : undefined, legacy, notes);

  // A channel name among the stray words is the channel when no channel field follows.
  const explicitChannel = channel ?? strays.channels.at(-1) ?? null;
  let role = written?.role ?? null;
  if (written === null) {
    notes.push({ rule: 'missing-role', from: circumstances.from, to: circumstances.headerTo });
    if (explicitChannel !== null || isTool(recipient)) role = 'assistant';
  }
  const hints = attributes.get('content_type');
  const type = constrained ?? hints?.later ?? hints?.start ?? bareType;
  const several = (key: string): boolean => (attributes.get(key)?.values.size ?? 0) > 1;
  const ambiguous = strays.otherRole || new Set([...channels, ...strays.channels]).size > 1 || several('intent');
  return {
    role,
    name: written?.name ?? effective(attributes, 'name'),
    recipient,
    explicitChannel,
    contentType: type?.value ?? null,
    typeWord: type?.word ?? null,
    constrained: constrained !== null,
    intent: effective(attributes, 'intent'),
    callId: effective(attributes, 'call_id'),
    ambiguous,
    undispatched: ambiguous || ['to', 'call_id'].some(several) || notes.some(({ rule }) => rule === 'empty-attribute'),
    notes,
  };
}

function givenRole({ role, legacy }: Circumstances): NamedRole | null {
  return role === null ? null : (knownRole(role, legacy) ?? bareRole(role));
}

function bareRole(role: string): NamedRole {
  return { role, name: null };
}

function readAttribute(word: Word, inStart: boolean, legacy: boolean, attributes: Attributes, notes: Note[]): void {
  const { key, value, from, to } = word;
  if (key === null) return;
  const mayBeNonAscii = legacy && key === 'name';
  if (word.hasControl || (word.hasNonAscii && !mayBeNonAscii)) notes.push({ rule: 'unusual-value', from, to });
  if (!KEYS.has(key)) notes.push({ rule: 'unknown-attribute', from, to });
  else if (value === '') notes.push({ rule: 'empty-attribute', from, to });
  else occur(attributes, key, value, inStart, word, notes);
}

function occur(
  attributes: Attributes,
  key: string,
  value: string,
  inStart: boolean,
  { from, to }: Word,
  notes: Note[],
): void {
  const known = attributes.get(key);
  if (known !== undefined) {
    notes.push({ rule: 'duplicate-attribute', from, to, severity: repeats(known.values, value) ? 'info' : 'error' });
  }
  const occurrences = known ?? { values: new Set<string>(), start: null, later: null };
  occurrences.values.add(value);
  if (inStart) occurrences.start = { value, word: { from, to } };
  else occurrences.later = { value, word: { from, to } };
  attributes.set(key, occurrences);
}

/** Was this one value, and no other, seen before? */
function repeats(seen: ReadonlySet<string>, value: string): boolean {
  return seen.size === 1 && seen.has(value);
}

/** The value that counts: the start field's last one, else the other fields' last one. */
function effective(attributes: Attributes, key: string): string | null {
  const { start = null, later = null } = attributes.get(key) ?? {};
  return (start ?? later)?.value ?? null;
}

function noteChannel(field: Field, word: Word | undefined, channels: Set<string>, notes: Note[]): string {
  const channel = word?.text ?? '';
  const { from, to } = field.token ?? { from: 0, to: 0 };
  if (channels.size > 0) {
    notes.push({ rule: 'duplicate-channel', from, to, severity: repeats(channels, channel) ? 'info' : 'error' });
  }
  channels.add(channel);
  return channel;
}

/** Only the channel that counts is told: the last field's one (R-CHANNEL). */
function noteUnknownChannel(fields: readonly Field[], notes: Note[]): void {
  const field = fields.findLast(({ kind }) => kind === 'channel');
  if (field === undefined) return;
  const word = field.words.find(({ key }) => key === null);
  if (CHANNELS.has(word?.text ?? '')) return;
  const { from, to } = word ?? field.token ?? { from: 0, to: 0 };
  notes.push({ rule: 'unknown-channel', from, to });
}

function readRole(word: Word, recipient: string | null, legacy: boolean, notes: Note[]): NamedRole {
  const known = knownRole(word.text, legacy);
  if (known !== null) return known;
  if (recipient === 'assistant' && !legacy) return { role: 'tool', name: word.text };
  notes.push({ rule: 'unknown-role', from: word.from, to: word.to });
  return bareRole(word.text);
}

function readStrayWords(
  words: readonly Word[],
  role: NamedRole | null,
  roleWord: Word | undefined,
  legacy: boolean,
  notes: Note[],
): { channels: string[]; otherRole: boolean } {
  const channels: string[] = [];
  let otherRole = false;
  for (const { text, from, to } of words) {
    const other = knownRole(text, legacy);
    const channel = legacy ? null : furtherChannel(text);
    const same = other === null ? channel === null && text === roleWord?.text : other.role === role?.role;
    notes.push({ rule: 'stray-word', from, to, severity: same ? 'warning' : 'error' });
    if (channel !== null) channels.push(channel);
    else if (other !== null && !same) otherRole = true;
  }
  return { channels, otherRole };
}
