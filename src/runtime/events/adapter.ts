// What the forms of other APIs have in common: steps of an answer in, events of the form out.

import type { StreamEvent } from '../stream/event.ts';
import type { Usage } from '../usage.ts';
import { Answer, type AnswerOptions, type Step } from './answer.ts';
import { checkOptions, checkText, type Known, toldOf } from '../../options.ts';
import { givenRole } from '../../model/walk.ts';

/** What stands in a response beside its output: `id`, `model` and `created_at` (seconds), and what is echoed. */
export interface ResponseFields {
  readonly id?: string | undefined;
  readonly model?: string | undefined;
  readonly created_at?: number | undefined;
  readonly [field: string]: unknown;
}

/** What an adapter of events knows beside the stream. */
export interface AdapterOptions extends AnswerOptions {
  /** What stands in the response: its `id`, `model`, `created_at`, and what is to be echoed. */
  readonly response?: ResponseFields | undefined;
}

const ADAPTER_OPTIONS: Known<AdapterOptions> = { response: 1, role: 1, rescue: 1 };

/** Throws a TypeError for what is no object with the fields of a response. */
export function checkResponse(response: unknown): void {
  if (response === undefined) return;
  if (typeof response !== 'object' || response === null) {
    throw new TypeError('option response: expected an object with id, model, created_at');
  }
  const { id, model, created_at } = response as { readonly [Name in keyof ResponseFields]: unknown };
  checkText('option response.id', id);
  checkText('option response.model', model);
  if (created_at === undefined || Number.isFinite(created_at)) return;
  throw new TypeError(`option response.created_at: expected seconds; got ${toldOf(created_at)}`);
}

let responses = 0;

export abstract class Adapter<Event> {
  readonly #answer: Answer;
  #events: Event[] = [];
  #isBegun = false;
  /** What the output cost, for the last events; null: it is not known. */
  usage: Usage | null = null;
  protected readonly about: { readonly id: string; readonly model: string; readonly created_at: number };

  constructor(prefix: string, options: AdapterOptions) {
    checkOptions(options, ADAPTER_OPTIONS);
    checkResponse(options.response);
    givenRole(options.role);
    this.#answer = new Answer(options);
    const { id, model = '', created_at = Math.floor(Date.now() / 1000) } = options.response ?? {};
    this.about = { id: id ?? `${prefix}_${responses++}`, model, created_at };
  }

  /** What comes before anything of the model; `take` gives it too, when it was not asked for. */
  begin(): Event[] {
    this.#begin();
    return this.#taken();
  }

  /** The events that an event of the stream brings. */
  take(event: StreamEvent): Event[] {
    this.#begin();
    for (const step of this.#answer.take(event)) this.step(step);
    return this.#taken();
  }

  /** The model has failed: the last events of the form, unless they were given. */
  fail(): Event[] {
    this.#begin();
    for (const step of this.#answer.fail()) this.step(step);
    return this.#taken();
  }

  /** Why the model stopped, as its server says it; known before the stream ends. */
  get finishReason(): string | null {
    return this.#answer.finishReason;
  }

  set finishReason(reason: string | null) {
    this.#answer.finishReason = reason;
  }

  protected abstract opening(): void;
  protected abstract step(step: Step): void;

  protected tell(event: Event): void {
    this.#events.push(event);
  }

  #begin(): void {
    if (this.#isBegun) return;
    this.#isBegun = true;
    this.opening();
  }

  #taken(): Event[] {
    const events = this.#events;
    this.#events = [];
    return events;
  }
}
