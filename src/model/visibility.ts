// Who may see a message: one allow-list, and what hides a message that is on it (R-VISIBLE).

import { HAS_LINE } from '../abi.ts';
import { isToolRecipient } from './attributes.ts';
import { isBlank } from './bytes.ts';
import type { HeaderView } from './header-view.ts';
import type { MessageView } from './message-view.ts';
import { shownSpans, shownText } from './shown.ts';
import type { TranscriptInfo } from './transcript-info.ts';
import type { Known } from '../options.ts';

/** What an application may show beyond the rules. Only `true` opens anything. */
export interface VisibilityOptions {
  /** In the Harmony profile an assistant's commentary to nobody is a preamble by convention: show it. */
  readonly harmonyPreambles?: boolean | undefined;
  /** Show messages as `final` that lack a channel where one is required (R-CHANNEL-MISSING). */
  readonly missingChannel?: boolean | undefined;
}

export const VISIBILITY_OPTIONS: Known<VisibilityOptions> = { harmonyPreambles: 1, missingChannel: 1 };

/**
 * Why a message is hidden. `header-limit`: its header is longer than what is read of one. `call`: nothing of a 0.1
 * call, or beside replies in what a user says, is left to show, or of what stands before the calls of a record.
 */
export type HiddenReason =
  | 'role'
  | 'header-limit'
  | 'ambiguous'
  | 'recipient'
  | 'channel'
  | 'intent'
  | 'open-turn'
  | 'missing-channel'
  | 'missing-start'
  | 'call';

interface Allowed {
  readonly roles: readonly string[];
  readonly channel: string;
  readonly intent: (intent: string | null) => boolean;
  readonly optIn?: keyof VisibilityOptions;
  /** What else must be so. */
  readonly where?: (message: HeaderView) => boolean;
}

const isHarmony = ({ dialect, header }: TranscriptInfo): boolean => {
  return dialect.id === 'harmony' || header?.harmony === true;
};

/** A commentary without recipient may be a call that went wrong: then it is no preamble, but for R-RESCUE. */
const isNoCall = (message: HeaderView): boolean => {
  return message.recipient === null && !message.isUndispatchable && (message.end !== 'call' || message.isRescued);
};

/** The allow-list: what fits no row is hidden. */
const ALLOWED: readonly Allowed[] = [
  { roles: ['user', 'assistant'], channel: 'final', intent: (intent) => intent !== 'debug' },
  {
    roles: ['assistant'], channel: 'commentary', intent: (intent) => intent === 'preamble',
    // 2.0 has no intents, and hides commentary (2.0 §5).
    where: ({ dialect }) => dialect.id !== 'openchatml-2.0',
  },
  {
    roles: ['assistant'], channel: 'commentary', intent: (intent) => intent === null,
    optIn: 'harmonyPreambles', where: (message) => isHarmony(message.transcript) && isNoCall(message),
  },
];

/** What else hides a message that a row allows. */
const HIDING: readonly {
  readonly reason: HiddenReason;
  readonly hides: (message: HeaderView) => boolean;
  readonly unless?: keyof VisibilityOptions;
}[] = [
  { reason: 'header-limit', hides: (message) => message.isReadInPart },
  { reason: 'ambiguous', hides: (message) => message.isAmbiguous },
  { reason: 'recipient', hides: (message) => isToolRecipient(message.recipient) },
  { reason: 'open-turn', hides: (message) => message.isOpenTurn },
  { reason: 'missing-channel', hides: lacksChannel, unless: 'missingChannel' },
  {
    reason: 'missing-start',
    hides: (message) => message.missingStart === 'missing' && !message.reading.meaning.hasChannelField,
  },
];

/** Roles of which some row shows something. */
const SHOWN_ROLES: ReadonlySet<string | null> = new Set(ALLOWED.flatMap(({ roles }) => roles));

const SPEAKERS: readonly string[] = ['assistant', 'tool'];
const ASSISTANT: readonly string[] = ['assistant'];
const NOBODY: readonly string[] = [];

/** Roles whose messages must have a channel in this transcript (R-CHANNEL-MISSING). */
function rolesWithChannel(transcript: TranscriptInfo): readonly string[] {
  if (transcript.header?.requiresChannels || transcript.asksForChannels) return SPEAKERS;
  return transcript.dialect.id === 'harmony' ? ASSISTANT : NOBODY;
}

/**
 * What of a transcript decides whether its bare messages may be seen: transcripts of one number give one answer for one
 * role and channel, as long as the message is a leaf and the input does not end in it.
 */
export function visibilityClass(transcript: TranscriptInfo): number {
  return rolesWithChannel(transcript).length;
}

/** Messages of some role must have a channel in this transcript. */
export function asksForChannels(transcript: TranscriptInfo): boolean {
  return rolesWithChannel(transcript).length > 0;
}

/** The message has no channel where one is required. Of a header that is read in part nobody knows. */
export function lacksChannel(message: HeaderView): boolean {
  const roles = rolesWithChannel(message.transcript);
  return roles.length > 0 && message.explicitChannel === null && message.role !== null && roles.includes(message.role)
    && !message.isReadInPart;
}

/** Why an end user may not see the message; null: they may. Everything that is not on the list is hidden. */
export function hiddenReason(message: MessageView, options: VisibilityOptions = {}): HiddenReason | null {
  return hiddenByHeader(message, options) ?? (isBareCall(message) ? 'call' : null);
}

/** The same as far as the header tells: how much of the body is there to be shown does not count. */
export function hiddenByHeader(message: HeaderView, options: VisibilityOptions): HiddenReason | null {
  if (!SHOWN_ROLES.has(message.role)) return 'role';
  if (!isAllowed(message, options)) return message.channel === 'final' ? 'intent' : 'channel';
  for (const { reason, hides, unless } of HIDING) {
    if (!(unless && options[unless] === true) && hides(message)) return reason;
  }
  return null;
}

function isAllowed(message: HeaderView, options: VisibilityOptions): boolean {
  const { role, channel } = message;
  for (const row of ALLOWED) {
    if (channel !== row.channel || !row.roles.includes(role!) || !row.intent(message.intent)) continue;
    if (row.optIn && options[row.optIn] !== true) continue;
    if (!row.where || row.where(message)) return true;
  }
  return false;
}

const PART = 64 * 1024;

/** A 0.1 call, or replies in what a user says, beside which only white space would be shown (R-CALL, R-HERMES). */
function isBareCall(message: MessageView): boolean {
  if (!(message.dialect.flags & HAS_LINE)) return isThoughtAlone(message);
  const hidden = message.role === 'assistant' ? message.functionCalls : message.functionReplies;
  return hidden.length > 0 && showsBlanks(message);
}

/**
 * A preamble of a record of which nothing but white space would be shown, as it is reasoning that is written as text:
 * what stands before a call, and would be a part of it in 0.1 (R-CALL, R-THINK).
 */
export function isThoughtAlone(message: MessageView): boolean {
  return message.transcript.isChat && message.intent === 'preamble' && message.writtenThought !== null
    && showsBlanks(message);
}

/** Nothing but white space is shown. */
function showsBlanks(message: MessageView): boolean {
  for (const { from, to } of shownSpans(message)) {
    for (let at = from; at < to; at += PART) {
      const bytes = message.source.bytes(at, Math.min(to, at + PART));
      if (!isBlank(bytes, 0, bytes.length)) return false;
    }
  }
  return true;
}

/** What `message.show` and rendering show beyond the rules of visibility (R-VISIBLE). */
export interface ShowOptions extends VisibilityOptions {
  /** A debug view: everything is shown. */
  readonly debug?: boolean | undefined;
}

export const DEBUG_OPTION: Known<Pick<ShowOptions, 'debug'>> = { debug: 1 };

/**
 * A hidden message was to be shown (R-VISIBLE). The text says at which byte it stands, and nothing of what it holds.
 *
 * @example
 * ```ts
 * import { parse, VisibilityError } from 'openchatml';
 *
 * try {
 *   for (const message of parse('<|start|>system<|message|>Secret<|end|>').messages()) message.show();
 * } catch (error) {
 *   if (error instanceof VisibilityError) console.log(error.code, error.reason); // E-PERM-VISIBILITY role
 * }
 * ```
 */
export class VisibilityError extends Error {
  override readonly name = 'VisibilityError';
  readonly code = 'E-PERM-VISIBILITY';
  readonly reason: HiddenReason;
  /** Byte position of the message. */
  readonly from: number;

  constructor(reason: HiddenReason, from: number) {
    super(`the message at byte ${from} is hidden from end users (${reason}); a debug view asks with debug: true`);
    this.reason = reason;
    this.from = from;
  }
}

/**
 * The text of a message for an end user. With `debug: true` the whole content of any message. Throws a VisibilityError
 * for a hidden message otherwise.
 */
export function show(message: MessageView, options: ShowOptions = {}): string {
  if (options.debug === true) return message.content;
  const reason = hiddenReason(message, options);
  if (reason !== null) throw new VisibilityError(reason, message.from);
  return shownText(message);
}
