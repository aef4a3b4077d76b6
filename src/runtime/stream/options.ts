// The options of a stream: what may be given, and what is taken when it is not.

import type { ReadYaml } from '../../model/header/text.ts';
import type { ReadOptions } from '../../model/walk.ts';
import { givenDialect, givenRole } from '../../model/walk.ts';
import type { Dialect } from '../../scan/dialects.ts';
import type { VisibilityOptions } from '../../model/visibility.ts';
import { checkFunction, checkOption, checkOptions, FLAG, type Known, toldOf } from '../../options.ts';
import type { StreamRescue } from './rescue.ts';

/**
 * How much of something is read, in bytes. A diagnostic tells of what is beyond it; the next message is read as ever.
 */
export interface StreamBounds {
  /**
   * A message header, or text that may still be one: 1 MiB. Of a message beyond it nothing is told but that it is there
   * (`header-limit`), and it is never shown. Nor is one whose header is longer than the 64 KiB that are read of it.
   */
  readonly header?: number | undefined;
  /** A body: none, but 64 MiB where the content is collected. The rest of the body is dropped (`body-limit`). */
  readonly body?: number | undefined;
  /**
   * A literal block, which swallows all that follows when its end is missing: 16 MiB. The rest of the body is dropped
   * (`literal-limit`).
   */
  readonly literal?: number | undefined;
}

/**
 * `dialect`, `role` and `stopStripped` as for `parse`, `harmonyPreambles` and `missingChannel` as for `show`.
 * Under `auto` nothing is read before the first control token has come (or 64 KiB), and after a document header again:
 * it decides the dialect.
 */
export interface StreamOptions extends Omit<ReadOptions, 'edges' | 'rescue'>, VisibilityOptions {
  /** `rescue` of `openchatml/stream`: a likely message rather than an exact one (R-RESCUE), as in ReadOptions. */
  readonly rescue?: StreamRescue | undefined;
  /**
   * Tell an assistant's analysis in `response.reasoning_text.delta`, and reasoning that is written as text in what is
   * shown (R-THINK), but for white space alone. Never show it.
   */
  readonly reasoning?: boolean | undefined;
  /**
   * Makes a moderated summary of each paragraph of it, for `response.reasoning_summary_text.delta`; empty text: none.
   */
  readonly summarize?: ((paragraph: string) => string) | undefined;
  /**
   * The prompt ended in `<think>`, as some templates end it: the first message begins within a thought, which ends
   * after the first `</think>`. Without it a thought is told by its own `<think>` (R-THINK).
   */
  readonly thinkOpen?: boolean | undefined;
  /** Give the content of each message when it is done; without it memory does not grow with a body. */
  readonly collect?: boolean | undefined;
  /** Give the text between messages in `transcript.stray`. */
  readonly strayText?: boolean | undefined;
  readonly bounds?: StreamBounds | undefined;
  /** The id of the message with this index; without it `msg_<stream>_<index>`, unique in the process. */
  readonly messageId?: ((index: number) => string) | undefined;
}

const STREAM_OPTIONS: Known<StreamOptions> = {
  dialect: 1, role: 1, stopStripped: FLAG, requireChannels: FLAG, rescue: 1, yaml: 1, harmonyPreambles: FLAG,
  missingChannel: FLAG, reasoning: FLAG, summarize: 1, thinkOpen: FLAG, collect: FLAG, strayText: FLAG, bounds: 1,
  messageId: 1,
};

const BOUNDS: Known<StreamBounds> = { header: 1, body: 1, literal: 1 };

export interface ResolvedOptions {
  readonly dialect: Dialect | undefined;
  readonly role: string | undefined;
  readonly requireChannels: boolean;
  readonly stopStripped: boolean;
  readonly rescue: StreamRescue | null;
  readonly visibility: VisibilityOptions;
  readonly reasoning: boolean;
  readonly summarize: ((paragraph: string) => string) | undefined;
  readonly thinkOpen: boolean;
  readonly collect: boolean;
  readonly strayText: boolean;
  readonly bounds: { readonly header: number; readonly body: number; readonly literal: number };
  readonly messageId: (index: number) => string;
  readonly yaml: ReadYaml | undefined;
}

const MIB = 1024 * 1024;
/** A header under way stays in memory. */
const LARGEST_HEADER = 64 * MIB;

let streams = 0;

/** Throws a TypeError or RangeError that names the option. */
export function resolveOptions(options: StreamOptions): ResolvedOptions {
  checkOptions(options, STREAM_OPTIONS);
  const { bounds = {}, messageId, summarize, harmonyPreambles, missingChannel } = options;
  checkOption('bounds', bounds, BOUNDS);
  const role = givenRole(options.role);
  checkFunction('messageId', messageId);
  checkFunction('summarize', summarize);
  checkFunction('yaml', options.yaml);
  const rescue = givenRescue(options.rescue);
  const number = streams++;
  const collect = options.collect === true;
  return {
    dialect: givenDialect(options.dialect),
    role,
    requireChannels: options.requireChannels === true,
    stopStripped: options.stopStripped === true,
    rescue,
    visibility: { harmonyPreambles, missingChannel },
    reasoning: options.reasoning === true,
    summarize,
    thinkOpen: options.thinkOpen === true,
    collect,
    strayText: options.strayText === true,
    bounds: {
      header: bound('header', bounds.header, MIB, LARGEST_HEADER),
      body: bound('body', bounds.body, collect ? 64 * MIB : Infinity, Infinity),
      literal: bound('literal', bounds.literal, 16 * MIB, Infinity),
    },
    messageId: messageId === undefined ? ((index) => `msg_${number}_${index}`) : idsOf(messageId),
    yaml: options.yaml,
  };
}

/** A function of the caller that throws a TypeError when it gives no text. */
function idsOf(ask: (index: number) => string): (index: number) => string {
  return (index) => {
    const id: unknown = ask(index);
    if (typeof id === 'string') return id;
    throw new TypeError(`option messageId: expected text from it; got ${toldOf(id)}`);
  };
}

/** Throws a TypeError for what is there and not `rescue`. */
export function givenRescue(given: StreamRescue | null | undefined): StreamRescue | null {
  const rescue = given || null;
  if (rescue === null || typeof rescue.flow === 'function') return rescue;
  throw new TypeError('option rescue: expected `rescue` of openchatml/stream');
}

function bound(name: string, value: number | undefined, standard: number, most: number): number {
  if (value === undefined) return standard;
  const isNumber = Number.isInteger(value) || value === Infinity;
  if (!isNumber || value < 1 || value > most) {
    throw new RangeError(`option bounds.${name}: expected 1 to ${most} bytes, got ${String(value)}`);
  }
  return value;
}
