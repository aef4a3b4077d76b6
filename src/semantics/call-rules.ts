// Calls and their replies in one transcript (R-CALL): ids, who answers what, channels, what is still open.

import { FUNCTION_OUTPUT, HAS_LINE } from '../abi.ts';
import type { Finding } from '../errors.ts';
import { isToolRecipient } from '../model/attributes.ts';
import type { Message } from '../model/message.ts';
import type { TranscriptInfo } from '../model/transcript.ts';
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

/** Is told of calls that become open and of those that no longer are, by their first byte: for places of what is told later. */
export interface OpenCalls {
  opened(from: number): void;
  closed(from: number): void;
}

/** Open calls and ids that one transcript is remembered to have; beyond, the oldest are given up. */
const OPEN_CALLS = 65536;
const IDS = 1 << 20;

/** 1.x text: no ids, no channels (R-1X). */
const isOneX = (transcript: TranscriptInfo): boolean => /^1(\.[0-9]+)?$/.test(transcript.header?.version ?? '');

/** Tools that the model brings with it: they are called on analysis too, and need no definition. */
export const isBuiltin = (recipient: string): boolean => /^(browser(\.|$)|python$|container\.)/.test(recipient);

/** A tool's name as names are compared. */
export const plainName = (name: string): string => (name.startsWith('functions.') ? name.slice(10) : name);

export class CallRules {
  readonly #hasIds: boolean;
  readonly #needsIds: boolean;
  readonly #channels: 'error' | 'warning' | 'none';
  readonly #watcher: OpenCalls | undefined;
  readonly #open = new Set<Call>();
  readonly #inOrder = new Queue<Call>();
  readonly #byName = new Queues<Call>();
  /** Calls by id; null: answered. */
  readonly #ids = new Map<string, Call | null>();
  #called = false;

  constructor(transcript: TranscriptInfo, watcher?: OpenCalls) {
    const { id, flags } = transcript.dialect;
    const isPlainText = (flags & HAS_LINE) !== 0 || isOneX(transcript);
    this.#hasIds = id === 'openchatml-2.2';
    this.#needsIds = id === 'openchatml-2.2' && !isPlainText;
    this.#channels = isPlainText ? 'none' : id === 'harmony' ? 'warning' : 'error';
    this.#watcher = watcher;
  }

  /** What is wrong with a message as a call or a reply. `names`: of its function calls, in 0.1. */
  *message(message: Message, names: readonly (string | null)[]): Generator<Finding, void, void> {
    const span = { from: message.from, to: message.header.to };
    if (message.isAmbiguous || message.isUndispatchable) {
      // Takes no part in the matching.
    } else if (message.dialect.flags & HAS_LINE) {
      yield* this.#lineMessage(message, span, names);
    } else if (message.role === 'tool') {
      yield* this.#reply(this.#hasIds ? message.callId : null, message.name, span);
    } else if (isToolRecipient(message.recipient)) {
      if (message.role === 'assistant') yield* this.#call(message, message.recipient!, span);
    } else if (message.end === 'call') {
      yield { rule: 'call-without-recipient', ...span };
    }
  }

  /** The transcript has ended: calls that have no reply. */
  *end(): Generator<Finding, void, void> {
    for (const call of this.#open) {
      yield { rule: 'open-call', from: call.from, to: call.to };
      this.#watcher?.closed(call.from);
    }
    this.#open.clear();
  }

  *#lineMessage(message: Message, span: { from: number; to: number }, names: readonly (string | null)[]): Generator<Finding, void, void> {
    if (message.role === 'assistant') {
      for (const name of names) yield* this.#add({ id: null, name, ...span, isDone: false });
    } else if (message.role === 'tool') {
      for (const mark of message.marks()) if (mark.token === FUNCTION_OUTPUT) yield* this.#reply(null, null, span);
    }
  }

  *#call(message: Message, recipient: string, span: { from: number; to: number }): Generator<Finding, void, void> {
    const id = this.#hasIds ? message.callId : null;
    const { channel } = message;
    const mayThink = isBuiltin(recipient) && channel === 'analysis';
    if (this.#channels !== 'none' && channel !== 'commentary' && !mayThink) {
      yield { rule: 'call-channel', ...span, severity: this.#channels };
    }
    if (id === null) {
      if (this.#needsIds) yield { rule: 'missing-call-id', ...span };
    } else if (this.#ids.has(id)) {
      yield { rule: 'duplicate-call-id', ...span };
    }
    yield* this.#add({ id, name: plainName(recipient), ...span, isDone: false });
  }

  *#add(call: Call): Generator<Finding, void, void> {
    this.#called = true;
    this.#open.add(call);
    this.#inOrder.add(call);
    if (call.name !== null) this.#byName.add(call.name, call);
    if (call.id !== null) {
      this.#ids.delete(call.id);
      this.#ids.set(call.id, call);
      if (this.#ids.size > IDS) this.#forgetIds();
    }
    this.#watcher?.opened(call.from);
    if (this.#open.size > OPEN_CALLS) {
      const oldest = this.#inOrder.first()!;
      yield { rule: 'open-call', from: oldest.from, to: oldest.to };
      this.#close(oldest);
    }
  }

  /** The older half goes at once: the first key alone is searched for behind all that went before it. */
  #forgetIds(): void {
    let left = IDS / 2;
    for (const id of this.#ids.keys()) {
      if (left-- === 0) break;
      this.#ids.delete(id);
    }
  }

  *#reply(id: string | null, author: string | null, span: { from: number; to: number }): Generator<Finding, void, void> {
    const name = author && plainName(author);
    if (id === null) {
      if (this.#needsIds) yield { rule: 'missing-call-id', ...span };
      const call = name === null ? this.#inOrder.first() : this.#byName.first(name);
      if (call) this.#answer(call);
      else yield this.#unmatched(span);
      return;
    }
    const call = this.#ids.get(id);
    if (call === null) yield { rule: 'duplicate-reply', ...span };
    else if (!call || (name !== null && call.name !== null && name !== call.name)) yield this.#unmatched(span);
    else this.#answer(call);
  }

  /** A reply before any call: the text may be an excerpt. */
  #unmatched(span: { from: number; to: number }): Finding {
    return { rule: 'unmatched-reply', ...span, ...(!this.#called && { severity: 'warning' }) };
  }

  #answer(call: Call): void {
    if (call.id !== null && this.#ids.get(call.id) === call) this.#ids.set(call.id, null);
    this.#close(call);
  }

  #close(call: Call): void {
    this.#open.delete(call);
    call.isDone = true;
    // Forgets what is done at the front.
    this.#inOrder.first();
    if (call.name !== null) this.#byName.first(call.name);
    this.#watcher?.closed(call.from);
  }
}
