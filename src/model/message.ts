// A message: a view of what is written, and what the rules of visibility make of it.

import { type End, MessageView } from './message-view.ts';
import {
  DEBUG_OPTION, type HiddenReason, hiddenReason, show, type ShowOptions, VISIBILITY_OPTIONS, type VisibilityOptions,
} from './visibility.ts';
import { checkOptions } from '../options.ts';

export { bareBytes, type End, HIDDEN_CHANNELS, type MessageContext, type Span } from './message-view.ts';

/** A message as plain data for tables and JSON Lines: the columns of `openchatml messages`, in their order. */
export interface MessageRecord {
  /** Number of the record in its container; null in raw text. */
  readonly record: number | null;
  /** Number of the transcript in the input, and of the message in the transcript; both from 0. */
  readonly transcript: number;
  readonly index: number;
  readonly role: string | null;
  readonly name: string | null;
  readonly recipient: string | null;
  readonly channel: string;
  readonly explicit_channel: string | null;
  readonly content_type: string | null;
  readonly intent: string | null;
  readonly call_id: string | null;
  readonly end: End;
  /** An end user may see the message (R-VISIBLE). */
  readonly visible: boolean;
  /** Byte positions in the input. */
  readonly from: number;
  readonly to: number;
  readonly body_from: number;
  readonly body_to: number;
  readonly content: string;
}

/**
 * One message of a transcript: a view that reads its header and body from the input's bytes when a field is asked for.
 * Positions are bytes, half open. What users may see is decided by R-VISIBLE.
 *
 * @example
 * ```ts
 * import { parse } from 'openchatml';
 *
 * const [message] = parse('<|start|>assistant<|channel|>analysis<|message|>Hm.<|end|>').messages();
 * console.log(message?.channel, message?.isVisible, message?.hiddenReason()); // analysis false channel
 * ```
 */
export class Message extends MessageView {
  /** An end user may see the message: everything that is not on the list of R-VISIBLE is hidden. */
  get isVisible(): boolean {
    return hiddenReason(this) === null;
  }

  /** Why an end user may not see the message; null: they may. `options` may open more than the rules do. */
  hiddenReason(options?: VisibilityOptions): HiddenReason | null {
    checkOptions(options, VISIBILITY_OPTIONS);
    return hiddenReason(this, options);
  }

  /**
   * The text of the message for an end user: without reasoning and calls that stand in it. With `debug: true` the whole
   * content of any message. Throws a VisibilityError for a hidden message otherwise.
   */
  show(options?: ShowOptions): string {
    checkOptions(options, VISIBILITY_OPTIONS, DEBUG_OPTION);
    return show(this, options);
  }

  /** The message as plain data, hidden content included: the columns of `openchatml messages`. */
  toRecord(): MessageRecord {
    const { from, to } = this.body;
    return {
      record: null,
      transcript: this.transcript.number,
      index: this.index,
      role: this.role,
      name: this.name,
      recipient: this.recipient,
      channel: this.channel,
      explicit_channel: this.explicitChannel,
      content_type: this.contentType,
      intent: this.intent,
      call_id: this.callId,
      end: this.end,
      visible: this.isVisible,
      from: this.from,
      to: this.to,
      body_from: from,
      body_to: to,
      content: this.content,
    };
  }
}
