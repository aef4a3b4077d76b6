// Calls and their replies in one transcript (R-CALL): ids, who answers what, channels, what is still open.

import {
  HAS_LINE, LEDGER_HAS_IDS, LEDGER_NEEDS_COMMENTARY, LEDGER_NEEDS_IDS,
  LEDGER_NEEDS_RECIPIENT,
} from '../abi.ts';
import type { Finding, Tell } from '../errors.ts';
import { isToolRecipient } from '../model/attributes.ts';
import type { CallChannels } from '../model/header/document.ts';
import type { End, Message } from '../model/message.ts';
import type { TranscriptInfo } from '../model/transcript.ts';
import type { Dialect } from '../scan/dialects.ts';
import { isBuiltin, plainName } from '../tools/name.ts';
import { CallsById } from './calls-by-id.ts';
import { Queue, Queues } from './queue.ts';

/** A call that waits for its reply. */
interface Call {
  readonly id: string | null;
  readonly name: string | null;
  /** The span that findings about it have: the message's first byte to the end of its header. */
  readonly from: number;
  readonly to: number;
  isDone: boolean;
}

/**
 * Is told of calls that become open and of those that no longer are, by their first byte: for places of what is told
 * later.
 */
export interface OpenCalls {
  opened(from: number): void;
  closed(from: number): void;
}

/** Open calls and ids that one transcript is remembered to have; beyond, the oldest are given up. */
const OPEN_CALLS = 65536;
const IDS = 1 << 20;
const MOST_NAMES = 65536;

/** What tells which document a transcript follows. */
export interface Kind {
  readonly dialect: Pick<Dialect, 'id' | 'flags'>;
  readonly header: { readonly version: string | null } | null;
}

/** 1.x text: no ids, no channels (R-1X). */
const isOneX = ({ header }: Kind): boolean =>
  header?.version?.startsWith('1') === true && /^1(\.[0-9]+)?$/.test(header.version);

/** Channels for calls that the header allows in place of the usual ones (R-BUILTIN). */
export const channelsOf = ({ header }: Pick<TranscriptInfo, 'header'>): CallChannels =>
  header?.callChannels ?? USUAL_CHANNELS;

const USUAL_CHANNELS: CallChannels = { builtins: null, functions: null };
const BUILTIN_CHANNELS: readonly string[] = ['analysis', 'commentary'];
const FUNCTION_CHANNELS: readonly string[] = ['commentary'];

/** Whether a call may stand on a channel. */
export function isCallChannel(channel: string, isToBuiltin: boolean, { builtins, functions }: CallChannels): boolean {
  const channels = isToBuiltin ? (builtins ?? BUILTIN_CHANNELS) : (functions ?? FUNCTION_CHANNELS);
  return channels.includes(channel);
}

const tellNothing: Tell = () => {};

/** What a transcript asks of its calls. */
interface Asked {
  readonly hasIds: boolean;
  readonly needsIds: boolean;
  readonly channels: 'error' | 'warning' | 'none';
  /** The document that its calls and replies must follow; null: another one. */
  readonly version: '2.2' | '2.0' | null;
  /** The same for the scanner, which passes over calls and replies of which nothing is to be told (LEDGER_…). */
  readonly ledger: number;
}

function asked(
  hasIds: boolean, needsIds: boolean, channels: Asked['channels'], version: Asked['version'] = null,
): Asked {
  const ledger = (hasIds ? LEDGER_HAS_IDS : 0) | (needsIds ? LEDGER_NEEDS_IDS : 0)
    | (channels === 'none' ? 0 : LEDGER_NEEDS_COMMENTARY) | (version === '2.0' ? LEDGER_NEEDS_RECIPIENT : 0);
  return { hasIds, needsIds, channels, version, ledger };
}

const ASKED = {
  lines: asked(false, false, 'none'),
  oneX: asked(true, false, 'none'),
  withIds: asked(true, true, 'error', '2.2'),
  harmony: asked(false, false, 'warning'),
  withoutIds: asked(false, false, 'error', '2.0'),
};

export function askedOf(transcript: Kind): Asked {
  const { id, flags } = transcript.dialect;
  if (flags & HAS_LINE) return ASKED.lines;
  if (id === 'harmony') return isOneX(transcript) ? ASKED.lines : ASKED.harmony;
  if (id !== 'openchatml-2.2') return isOneX(transcript) ? ASKED.lines : ASKED.withoutIds;
  return isOneX(transcript) ? ASKED.oneX : ASKED.withIds;
}

/** What an end is judged by. */
export interface Ended {
  readonly role: string | null;
  readonly channel: string;
  readonly recipient: string | null;
  readonly isAmbiguous: boolean;
  readonly isUndispatchable: boolean;
}

/** A message that ends as a call and calls no tool. */
export function isCallToNobody(message: Ended, end: End, { dialect }: { readonly dialect: Dialect }): boolean {
  const { role, recipient, isAmbiguous, isUndispatchable } = message;
  if (end !== 'call' || isAmbiguous || isUndispatchable || (dialect.flags & HAS_LINE) !== 0) return false;
  return role !== 'tool' && !isToolRecipient(recipient);
}

export class CallRules {
  readonly #asked: Asked;
  readonly #channels: CallChannels;
  readonly #builtins: readonly string[];
  readonly #watcher: OpenCalls | undefined;
  #open = 0;
  readonly #inOrder = new Queue<Call>();
  readonly #byName = new Queues<Call>();
  readonly #ids = new CallsById<Call>();
  #called = false;
  /** Tools that were called, in 0.1. */
  readonly #names = new Set<string>();

  constructor(transcript: Pick<TranscriptInfo, 'dialect' | 'header'>, watcher?: OpenCalls) {
    this.#asked = askedOf(transcript);
    this.#channels = channelsOf(transcript);
    this.#builtins = transcript.header?.builtins ?? [];
    this.#watcher = watcher;
  }

  /** Tells what is wrong with a message as a call or a reply. `names`: of its function calls or replies, in 0.1. */
  message(message: Message, names: readonly (string | null)[], tell: Tell): void {
    const { from, header: { to } } = message;
    if (message.isAmbiguous || message.isUndispatchable) {
      // Takes no part in the matching.
    } else if (message.dialect.flags & HAS_LINE) {
      this.#lineMessage(message, { from, to }, names, tell);
    } else if (message.role === 'tool') {
      this.reply(message.callId, message.name, from, to, tell);
    } else if (isToolRecipient(message.recipient)) {
      if (message.role === 'assistant') this.call(message.callId, message.recipient!, message.channel, from, to, tell);
    } else if (isCallToNobody(message, message.end, message)) {
      tell({ rule: 'call-without-recipient', from, to });
    }
  }

  /** Some call has no reply. */
  get hasOpen(): boolean {
    return this.#open > 0;
  }

  /** The transcript has ended: calls that have no reply. */
  *end(): Generator<Finding, void, void> {
    for (let call = this.#inOrder.first(); call !== undefined; call = this.#inOrder.first()) {
      yield { rule: 'open-call', from: call.from, to: call.to };
      this.#close(call);
    }
  }

  #lineMessage(
    message: Message, span: { from: number; to: number }, names: readonly (string | null)[], tell: Tell,
  ): void {
    if (message.role === 'assistant') {
      for (const name of names) {
        this.#add({ id: null, name: name && plainName(name), ...span, isDone: false }, tell);
        if (name !== null && this.#names.size < MOST_NAMES) this.#names.add(plainName(name));
      }
    } else {
      if (names.filter((name) => this.#replyOfLine(name && plainName(name), span, tell)).length > 0) {
        tell({ rule: 'reply-order', ...span });
      }
    }
  }

  /** True: it names another tool than the call that it answers, a tool that was called. */
  #replyOfLine(name: string | null, { from, to }: { from: number; to: number }, tell: Tell): boolean {
    const call = this.#inOrder.first();
    this.#replyInOrder(null, from, to, tell);
    return name !== null && call !== undefined && call.name !== null && call.name !== name && this.#names.has(name);
  }

  /** A message [from, …) that calls a tool; its header ends at `to`. `id`: its call_id, where the dialect has them. */
  call(callId: string | null, recipient: string, channel: string, from: number, to: number, tell: Tell): void {
    const id = this.#asked.hasIds ? callId : null;
    const { channels } = this.#asked;
    if (channels !== 'none' && !this.#isAllowed(channel, recipient)) {
      tell({ rule: 'call-channel', from, to, severity: channels });
    }
    if (id === null) {
      if (this.#asked.needsIds) tell({ rule: 'missing-call-id', from, to });
    } else if (this.#ids.has(id)) {
      tell({ rule: 'duplicate-call-id', from, to });
    }
    this.#add({ id, name: plainName(recipient), from, to, isDone: false }, tell);
  }

  /** A call that is written as text and could not be read: whatever its reply says, it has the id of that. */
  unread({ callId: id, from, header: { to } }: Message, tell: Tell): void {
    this.#add({ id, name: null, from, to, isDone: false }, tell);
  }

  #isAllowed(channel: string, recipient: string): boolean {
    const { builtins, functions } = this.#channels;
    if (channel === 'commentary' && builtins === null && functions === null) return true;
    return isCallChannel(channel, isBuiltin(recipient, this.#builtins), this.#channels);
  }

  #add(call: Call, tell: Tell): void {
    this.#called = true;
    this.#open++;
    this.#inOrder.add(call);
    if (call.name !== null) this.#byName.add(call.name, call);
    if (call.id !== null) {
      this.#ids.add(call.id, call);
      if (this.#ids.size > IDS) this.#ids.forgetHalf();
    }
    this.#watcher?.opened(call.from);
    if (this.#open > OPEN_CALLS) {
      const oldest = this.#inOrder.first()!;
      tell({ rule: 'open-call', from: oldest.from, to: oldest.to });
      this.#close(oldest);
    }
  }

  /** Calls before any other, in order, of which nothing is to be told. */
  adopt(calls: Iterable<Omit<Call, 'isDone'> & { readonly isDone: boolean }>): void {
    for (const { id, name, from, to, isDone } of calls) {
      const call = { id, name, from, to, isDone: false };
      this.#add(call, tellNothing);
      if (isDone) this.#answer(call);
    }
  }

  /** A message [from, …) that answers a call; its header ends at `to`. `author`: the tool that it names. */
  reply(callId: string | null, author: string | null, from: number, to: number, tell: Tell): void {
    const name = author && plainName(author);
    const id = this.#asked.hasIds ? callId : null;
    if (id === null) {
      this.#replyInOrder(name, from, to, tell);
      return;
    }
    const call = this.#ids.waiting(id, name);
    if (call === null) tell({ rule: 'duplicate-reply', from, to });
    else if (!call || (name !== null && call.name !== null && name !== call.name)) tell(this.#unmatched(from, to));
    else this.#answer(call);
  }

  /** Without an id the first call that waits is answered, or the first one of that name. */
  #replyInOrder(name: string | null, from: number, to: number, tell: Tell): void {
    if (this.#asked.needsIds) tell({ rule: 'missing-call-id', from, to });
    const call = name === null ? this.#inOrder.first() : this.#byName.first(name);
    if (call) this.#answer(call);
    else tell(this.#unmatched(from, to));
  }

  /** A reply before any call: the text may be an excerpt. */
  #unmatched(from: number, to: number): Finding {
    return { rule: 'unmatched-reply', from, to, ...(!this.#called && { severity: 'warning' }) };
  }

  #answer(call: Call): void {
    // One that was given up is done already.
    if (!call.isDone) this.#close(call);
    if (call.id !== null) this.#ids.answered(call.id, call);
  }

  #close(call: Call): void {
    this.#open--;
    call.isDone = true;
    // Forgets what is done at the front.
    this.#inOrder.first();
    if (call.name !== null) this.#byName.first(call.name);
    this.#watcher?.closed(call.from);
  }
}
