// One message of any dialect: its frame, its header's meaning, what is wrong with it and who may see it.
import type { Note } from './findings.ts';
import { fieldsBefore, HEADER_LIMIT, readBody, readHead } from './frames.ts';
import type { Field, Head, Opener, Word } from './frames.ts';
import { readLegacyBody, readLegacyHead } from './legacy.ts';
import { isBareCall, isBareReply } from './content.ts';
import { areSaid, strippedPart, withoutFillers } from './rescue.ts';
import { decode, readText } from './text.ts';
import { DIALECTS } from './tokens.ts';
import type { Dialect, Source, Token } from './tokens.ts';
import { frontWords, isKnownAttribute, isTool, knownRole, readFields } from './words.ts';
import type { Reading } from './words.ts';

export type End = 'end' | 'call' | 'return' | 'implicit' | 'eof';

export interface ParsedMessage {
  readonly reading: Reading;
  readonly from: number;
  readonly to: number;
  readonly headerTo: number;
  readonly bodyFrom: number;
  readonly bodyTo: number;
  readonly content: string;
  readonly end: End;
  readonly closer: Token | null;
  readonly visible: boolean;
  /** The header ended without `<|message|>` or newline. */
  readonly early: boolean;
  /** A prompt that waits for its completion: nothing else is found about it. */
  readonly openTurn: boolean;
  /** The header is longer than what is read of one: anything may stand behind. */
  readonly inPart: boolean;
  readonly notes: readonly Note[];
  /** What ends it is a part of the next message's header (R-RESCUE). */
  readonly goesOn: boolean;
}

export interface MessageOptions {
  readonly opener: Opener;
  /** Nothing but a byte order mark and white space stands before the message. */
  readonly first: boolean;
  /** The caller's role. */
  readonly role: string | null;
  readonly stopStripped: boolean;
  /** Roles whose messages must have a channel, and whether the version that says so was declared. */
  readonly channelsFor: readonly string[];
  readonly declared: boolean;
  /** A likely message rather than an exact one; and where a completion begins. */
  readonly rescue: boolean;
  readonly textFrom: number;
}

/** What ends a message without ending it, and begins the next one. */
const GOES_ON: ReadonlySet<string> = new Set(['channel', 'constrain', 'message']);
const NOTHING: Token = { name: 'message', from: 0, to: 0 };

export function readMessage(source: Source, dialect: Dialect, from: number, options: MessageOptions): ParsedMessage {
  const { opener, first, stopStripped, rescue } = options;
  const { bytes } = source;
  const whole = readHead(source, dialect, from, opener);
  const said = rescue && opener === 'caller' ? saidIn(whole) : null;
  const stripped = rescue && opener !== 'start' && options.role === 'assistant'
    ? strippedPart(source, dialect, options.textFrom, from) : null;
  const head = said ?? whole;
  const early = said !== null || stripped !== null || head.stop?.name !== 'message';
  const read = fieldsBefore(from + HEADER_LIMIT, head.fields, head.stopFrom);
  let fields: readonly Field[] = stripped?.fields ?? read.fields;
  let headerTo = stripped?.headerTo ?? head.stop?.to ?? bytes.length;
  if (early && stripped === null && !read.hasLast) {
    headerTo = head.stopFrom;
  } else if (early && stripped === null) {
    const field = fields[fields.length - 1];
    const count = frontWords(field, opener === 'caller' && field.kind === 'start');
    headerTo = field.words[count]?.from ?? head.stopFrom;
    fields = [...fields.slice(0, -1), { ...field, words: field.words.slice(0, count) }];
  }
  const role = opener === 'start' ? null : first ? (options.role ?? 'assistant') : 'assistant';
  const inPart = headerTo - from > HEADER_LIMIT;
  const circumstances = { legacy: false, role, early: early && read.hasLast, from, headerTo };
  const { notes: noted } = readFields(fields, circumstances);
  const reading = asRead(
    { ...readFields(rescue ? withoutFillers(fields) : fields, circumstances), notes: noted }, inPart,
  );
  const body = stripped !== null
    ? {
        from: headerTo,
        to: stripped.to,
        content: readText(source, dialect, headerTo, stripped.to),
        strays: [],
        unterminated: null,
        closer: stripped.isLast ? null : { ...NOTHING, from: stripped.to },
      }
    : early
    ? {
        from: headerTo,
        to: head.stopFrom,
        content: readText(source, dialect, headerTo, head.stopFrom),
        strays: [],
        unterminated: null,
        closer: head.stop,
      }
    : readBody(source, dialect, headerTo, rescue && reading.role === 'assistant');
  const { end, to } = ending(body.closer, bytes.length);

  const missingStart = opener !== 'start' && !first;
  const channelMissing = !inPart
    && reading.explicitChannel === null && reading.role !== null && options.channelsFor.includes(reading.role);
  const openTurn = isOpenTurn({ ...head, fields: read.fields }, opener) && read.hasLast;
  const notes: Note[] = [];
  if (openTurn) {
    notes.push({ rule: 'open-turn', from, to });
    if (headerTo - from > HEADER_LIMIT) notes.push({ rule: 'header-limit', from, to: headerTo });
  } else {
    notes.push(...reading.notes);
    const severity = dialect.escape ? 'error' : 'warning';
    for (const token of head.strays) notes.push({ rule: 'stray-token', from: token.from, to: token.to });
    for (const token of body.strays) notes.push({ rule: 'stray-token', from: token.from, to: token.to, severity });
    if (opener !== 'start') {
      const opening = opener === 'implied' ? tokenEnd(source, from) : headerTo;
      notes.push({ rule: missingStart ? 'missing-start' : 'completion', from, to: opening });
    }
    if (channelMissing) {
      notes.push({ rule: 'missing-channel', from, to: headerTo, severity: options.declared ? 'error' : 'warning' });
    }
    if (headerTo - from > HEADER_LIMIT) notes.push({ rule: 'header-limit', from, to: headerTo });
    if (early) notes.push({ rule: 'missing-message', from, to: headerTo });
    else if (end === 'implicit') notes.push({ rule: 'missing-end', from, to });
    if (body.unterminated !== null) {
      notes.push({ rule: 'unterminated-literal', from: body.unterminated.from, to: body.unterminated.to });
    } else if (end === 'eof' && !stopStripped) {
      notes.push({ rule: 'truncated', from, to });
    }
  }

  const channelField = fields.some((field) => field.kind === 'channel');
  const hidden = openTurn || channelMissing || (missingStart && !channelField);
  return {
    reading,
    from,
    to,
    headerTo,
    bodyFrom: body.from,
    bodyTo: body.to,
    content: body.content,
    end,
    closer: body.closer,
    visible: !hidden && mayBeShown(reading, dialect),
    early,
    openTurn,
    inPart,
    notes,
    goesOn: body.closer !== null && GOES_ON.has(body.closer.name),
  };
}

/** What was said before the first token of a completion; null: that is its header (R-RESCUE). */
function saidIn({ fields: [first, second], strays, stop }: Head): Head | null {
  const token = second?.token ?? (stop?.name === 'message' ? stop : null);
  if (token === null || !areSaid(first!.words)) return null;
  const before = strays.filter(({ from }) => from < token.from);
  return { fields: [first!], strays: before, stop: token, stopFrom: token.from };
}

/** A message of 0.1; with `opener` `caller` its body begins at `from`. */
export function readLegacyMessage(source: Source, from: number, options: MessageOptions): ParsedMessage {
  const { opener, stopStripped } = options;
  const { bytes } = source;
  const spoken = opener === 'caller';
  const head = spoken
    ? { words: [], to: from, early: false, openTurn: false }
    : readLegacyHead(source, tokenEnd(source, from));
  const { early, openTurn } = head;
  const headerTo = head.to;
  const inPart = headerTo - from > HEADER_LIMIT;
  const reading = asRead(readFields([{ kind: 'start', token: null, words: head.words }], {
    legacy: true,
    role: spoken ? options.role : null,
    early: false,
    from,
    headerTo,
  }), inPart);
  const body = readLegacyBody(source, headerTo);
  const { end, to } = ending(body.closer, bytes.length);
  const notes: Note[] = [];
  if (openTurn) {
    notes.push({ rule: 'open-turn', from, to });
    if (headerTo - from > HEADER_LIMIT) notes.push({ rule: 'header-limit', from, to: headerTo });
  } else {
    notes.push(...reading.notes);
    if (headerTo - from > HEADER_LIMIT) notes.push({ rule: 'header-limit', from, to: headerTo });
    if (early) notes.push({ rule: 'missing-message', from, to: headerTo });
    else if (end === 'implicit') notes.push({ rule: 'missing-end', from, to });
    if (end === 'eof' && !stopStripped) notes.push({ rule: 'truncated', from, to });
  }
  const bareCall = (reading.role === 'assistant' && isBareCall(source, DIALECTS['openchatml-0.1'], body))
    || (reading.role === 'user' && isBareReply(source, body));
  return {
    reading,
    from,
    to,
    headerTo,
    bodyFrom: body.from,
    bodyTo: body.to,
    content: decode(bytes, body.from, body.to),
    end,
    closer: body.closer,
    visible: !openTurn && !bareCall && mayBeShown(reading, DIALECTS['openchatml-0.1']),
    early,
    openTurn,
    inPart,
    notes,
    goesOn: false,
  };
}

/** What tells that something is missing, where it may only be not read. */
const OF_WHAT_IS_MISSING: ReadonlySet<string> = new Set(['missing-role', 'unknown-role', 'unknown-channel']);

/** A header that is read in part is neither shown nor dispatched: what stands behind may forbid it. */
function asRead(reading: Reading, inPart: boolean): Reading {
  if (!inPart) return reading;
  const notes = reading.notes.filter(({ rule }) => !OF_WHAT_IS_MISSING.has(rule));
  return { ...reading, ambiguous: true, undispatched: true, notes };
}

function tokenEnd(source: Source, from: number): number {
  return source.bytes.indexOf(0x3e, from) + 1;
}

function ending(closer: Token | null, length: number): { end: End; to: number } {
  if (closer === null) return { end: 'eof', to: length };
  const { name } = closer;
  const isImplicit = name === 'start' || name === 'im_start' || GOES_ON.has(name);
  if (isImplicit) return { end: 'implicit', to: closer.from };
  const end = closer.name === 'call' || closer.name === 'return' ? closer.name : 'end';
  return { end, to: closer.to };
}

/** `<|start|>`, a known role and attributes, and then the end of the input: a prompt that waits (R-OPEN-TURN). */
function isOpenTurn(head: Head, opener: Opener): boolean {
  if (opener !== 'start' || head.stop !== null || head.fields.length !== 1 || head.strays.length > 0) return false;
  const bare: Word[] = [];
  for (const word of head.fields[0].words) {
    if (word.key === null) bare.push(word);
    else if (!isKnownAttribute(word)) return false;
  }
  return bare.length === 1 && knownRole(bare[0].text, false) !== null;
}

/** R-VISIBLE, as far as the header tells it. */
function mayBeShown(reading: Reading, dialect: Dialect): boolean {
  const { role, recipient, intent, ambiguous } = reading;
  if (ambiguous || isTool(recipient)) return false;
  const channel = reading.explicitChannel ?? 'final';
  if (role === 'assistant' && channel === 'commentary') {
    return intent === 'preamble' && dialect !== DIALECTS['openchatml-2.0'];
  }
  return (role === 'user' || role === 'assistant') && channel === 'final' && intent !== 'debug';
}

export function channelsRequired(dialect: Dialect, byHeader: boolean): readonly string[] {
  if (dialect === DIALECTS.harmony) return ['assistant'];
  return byHeader ? ['assistant', 'tool'] : [];
}
