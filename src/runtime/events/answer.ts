// What of a stream is the answer of a model, step by step: texts, calls and reasoning that open, grow and close, and
// how it ended. The forms of other APIs are names for these steps.
//
// An answer holds what an assistant says to the user or to a tool, and nothing else. What is hidden has no step, and
// reasoning has some only where the stream gives it. What of the output belongs to it is for stream/extent.ts.

import { neutralOf } from '../../formats/neutral.ts';
import { isToolRecipient } from '../../model/attributes.ts';
import { plainName, takesText, toolName } from '../../tools/name.ts';
import type { DoneMessage, StreamedMessage, StreamEvent, StreamRule } from '../stream/event.ts';
import { Extent } from '../stream/extent.ts';
import type { StreamRescue } from '../stream/rescue.ts';

/** A text for the user, a call, or reasoning. */
export interface Item {
  readonly kind: 'text' | 'call' | 'reasoning';
  /** Among the items of the answer, and among its calls. */
  readonly index: number;
  readonly callIndex: number;
  readonly id: string;
  /** A text that is shown before the answer (R-VISIBLE). */
  readonly isPreamble: boolean;
  /** Of a call: its id, unique in the answer; its bare name; whether its arguments are to be JSON. */
  readonly callId: string;
  readonly name: string;
  readonly isJson: boolean;
  /** What has come so far: the text, the arguments or the reasoning; and the summary of that, null: none. */
  text: string;
  summary: string | null;
}

/**
 * `calls`: it ended in calls. `cut`: the output or a call of it is not whole; `filtered`: by a content filter.
 * `failed`: the model failed, or stopped for a call that nobody may make.
 */
export type Ending = 'stop' | 'calls' | 'cut' | 'filtered' | 'cancelled' | 'failed';

export type Step =
  | { readonly type: 'open'; readonly item: Item }
  | { readonly type: 'delta' | 'summary'; readonly item: Item; readonly delta: string; readonly isFirst: boolean }
  | { readonly type: 'close'; readonly item: Item; readonly isWhole: boolean }
  | { readonly type: 'end'; readonly ending: Ending };

export interface AnswerOptions {
  /** As the stream has it: with it all of the stream is one output of a model. */
  readonly role?: string | undefined;
  /** As the stream has it: what ends as a call to nobody is shown, and is no call (R-RESCUE). */
  readonly rescue?: StreamRescue | boolean | undefined;
}

/** Finish reasons of a model that stopped before it was done. */
const CUT: ReadonlySet<string> = new Set(['length', 'max_tokens', 'max_output_tokens', 'content_filter']);

export class Answer {
  /** As the model's server tells it; known when the output has ended. */
  finishReason: string | null = null;
  readonly #isCompletion: boolean;
  readonly #extent: Extent;
  #steps: Step[] = [];
  #dialect: StreamedDialect = null;
  #added: StreamedMessage | null = null;
  #open: Item | null = null;
  #items = 0;
  #calls = 0;
  readonly #callIds = new Set<string>();
  /** Of a transcript: its last message answers. */
  #isAnswered = false;
  #hasCutCall = false;
  /** A text or a call is longer than is read of one. */
  #isBounded = false;
  /** The last message is a call that contradicts itself or has no message token, or holds a 0.1 call that is none. */
  #isRefused = false;
  /** The last message whose header is not ended by its message token. */
  #lacksMessage: string | null = null;
  #isEnded = false;

  constructor({ role, rescue = false }: AnswerOptions) {
    this.#isCompletion = role !== undefined;
    this.#extent = new Extent(this.#isCompletion, Boolean(rescue));
  }

  /** The steps that an event brings; after the one that ends the answer there are none. */
  take(event: StreamEvent): Step[] {
    if (this.#isEnded) return [];
    switch (event.type) {
      case 'transcript.begin':
        this.#dialect = event.dialect;
        break;
      case 'response.output_item.added':
        this.#begin(event.message, event.message_id);
        break;
      case 'diagnostic':
        this.#find(event.diagnostic.rule, event.message_id);
        break;
      case 'response.delta':
        this.#grow('text', event.message_id, event.delta);
        break;
      case 'response.reasoning_text.delta':
        this.#grow('reasoning', event.message_id, event.delta);
        break;
      case 'response.reasoning_summary_text.delta':
        this.#summarize(event.message_id, event.delta);
        break;
      case 'response.function_call_arguments.delta':
        if (this.#open?.kind === 'call') this.#add(event.delta);
        break;
      case 'response.output_item.done':
        this.#finish(event.message, event.message_id);
        break;
      case 'response.cancel':
        this.#end('cancelled');
        break;
      case 'response.completed':
        this.#end(this.#endingOf(event.stop));
        break;
      case 'response.incomplete':
        this.#end(this.#endingOf(event.reason === 'no-stop-token' ? 'open' : null));
    }
    return this.#taken();
  }

  /** The model has failed: what is open ends. */
  fail(): Step[] {
    if (!this.#isEnded) this.#end('failed');
    return this.#taken();
  }

  #taken(): Step[] {
    const steps = this.#steps;
    this.#steps = [];
    return steps;
  }

  #begin(message: StreamedMessage, id: string): void {
    this.#added = null;
    if (message.role !== 'assistant') this.#isAnswered = false;
    if (!this.#extent.begin(message)) return;
    this.#added = message;
    this.#isRefused = message.kind === 'call' && (message.isAmbiguous || message.isUndispatchable);
    if (message.kind === 'call' && !this.#isRefused) this.#openCall(id, message.recipient!, message);
  }

  #find(rule: StreamRule, id: string | null): void {
    if (rule === 'missing-message') this.#lacksMessage = id;
    if (this.#added === null) return;
    if (rule === 'bad-call-object') this.#isRefused = true;
    const isSaid = this.#added.kind === 'text' || this.#added.kind === 'call';
    if (isSaid && (rule === 'body-limit' || rule === 'literal-limit')) this.#isBounded = true;
  }

  #openItem(kind: Item['kind'], id: string, call: Pick<Item, 'callId' | 'name' | 'isJson'> = NO_CALL): Item {
    const message = this.#added!;
    const item: Item = {
      kind, id, ...call, index: this.#items++, callIndex: kind === 'call' ? this.#calls++ : -1,
      isPreamble: kind === 'text' && message.channel === 'commentary', text: '', summary: null,
    };
    this.#open = item;
    this.#steps.push({ type: 'open', item });
    return item;
  }

  #openCall(id: string, recipient: string, { callId, contentType }: CallHeader): void {
    let own = callId ?? `call_${id}`;
    for (let n = 1; this.#callIds.has(own); n++) own = n === 1 ? `call_${id}` : `call_${id}_${n}`;
    this.#callIds.add(own);
    const isJson = !takesText(plainName(recipient), contentType);
    this.#openItem('call', id, { callId: own, name: toolName(recipient), isJson });
  }

  #grow(kind: 'text' | 'reasoning', id: string, delta: string): void {
    const within = this.#added?.kind;
    // Reasoning that is written as text stands before what it led to, in one message.
    if (within !== kind && !(kind === 'reasoning' && within === 'text')) return;
    if (this.#open !== null && this.#open.kind !== kind) this.#close(true);
    if (this.#open === null) this.#openItem(kind, kind === within ? id : `${id}_reasoning`);
    this.#add(delta);
  }

  #add(delta: string): void {
    const item = this.#open!;
    const isFirst = item.text === '';
    item.text += delta;
    this.#steps.push({ type: 'delta', item, delta, isFirst });
  }

  #summarize(id: string, delta: string): void {
    if (this.#added?.kind !== 'reasoning') return;
    const item = this.#open ?? this.#openItem('reasoning', id);
    const isFirst = item.summary === null;
    item.summary = (item.summary ?? '') + delta;
    this.#steps.push({ type: 'summary', item, delta, isFirst });
  }

  #finish(message: DoneMessage, id: string): void {
    if (this.#added === null) {
      this.#extent.pass(message);
      return;
    }
    if (message.kind === 'text' && message.visible && this.#open?.kind !== 'text') {
      this.#close(message.status === 'completed');
      this.#openItem('text', id);
    }
    // A call that has ended, and is not whole for its header alone, is refused.
    const isRefused = this.#lacksMessage === id && message.status === 'incomplete' && message.end === 'call';
    if (message.kind === 'call') this.#isRefused ||= isRefused;
    this.#close(message.status === 'completed', isRefused);
    if (this.#dialect === 'openchatml-0.1' && message.kind === 'text') this.#lineCalls(message, id);
    this.#added = null;
    const { end } = this.#extent.finish(message);
    this.#isAnswered = end === 'return' && message.kind !== 'call';
  }

  /** Calls of 0.1 stand in the content of a message. */
  #lineCalls({ role, content = '', status, written }: DoneMessage, id: string): void {
    const marks = written === undefined ? { marked: true } : { marked: true, written };
    const messages = [{ role, content, ...marks, end: 'end' as const }];
    const { data } = neutralOf({ header: null, tools: [], messages }, 'openchatml-0.1');
    let number = 0;
    for (const { recipient = null, content: text, callId = null, contentType = null } of data.messages) {
      if (recipient === null || !isToolRecipient(recipient)) continue;
      this.#openCall(`${id}_${number++}`, recipient, { callId, contentType });
      if (text !== '') this.#add(text);
      this.#close(status === 'completed');
    }
  }

  #close(isWhole: boolean, isRefused = false): void {
    const item = this.#open;
    if (item === null) return;
    this.#open = null;
    if (item.kind === 'call' && !isWhole && !isRefused) this.#hasCutCall = true;
    this.#steps.push({ type: 'close', item, isWhole });
  }

  /**
   * `stop`: the stop token; `open`: none, after a message that another token ended; null: the output is not complete.
   */
  #endingOf(stop: string | null): Ending {
    const hasCalls = this.#isCompletion && (this.#calls > 0 || this.#isRefused);
    const isMissing = stop === null || (stop === 'open' && !hasCalls);
    const isCut = (stop === 'end' || stop === 'open') && CUT.has(this.finishReason ?? '');
    if (!this.#extent.isWhole && (isMissing || isCut)) {
      return this.finishReason === 'content_filter' ? 'filtered' : 'cut';
    }
    if (this.#hasCutCall || this.#isBounded) return 'cut';
    if (this.#isRefused) return 'failed';
    // A client makes the calls of a completion, wherever they stand in it.
    return this.#callIds.size > 0 && (this.#isCompletion || !this.#isAnswered) ? 'calls' : 'stop';
  }

  #end(ending: Ending): void {
    this.#close(false);
    this.#isEnded = true;
    this.#steps.push({ type: 'end', ending });
  }
}

type StreamedDialect = Extract<StreamEvent, { type: 'transcript.begin' }>['dialect'] | null;
type CallHeader = Pick<StreamedMessage, 'callId' | 'contentType'>;

const NO_CALL = { callId: '', name: '', isJson: false };
