// Messages with channels, recipients and replies into the shape of 0.1, which has bodies only. What is hidden stays
// hidden: it becomes a thought or is refused. Text that 0.1 would read as a token is refused, unless the caller asks to
// neutralise it.

import type { MessageData, ToolDefinition, TranscriptData } from '../../model/data.ts';
import { CLOSE_THINK, thoughtIn } from '../../model/written-thought.ts';
import { toolName, toolRecipient } from '../../tools/name.ts';
import { readSystem } from './from.ts';
import { isJson, readReplyText, writeCallText, writeReplyText } from './json.ts';
import {
  CALL,
  END_THOUGHT,
  endsInThought,
  isBlankText,
  isNamedThought,
  newlineAfter,
  OUTPUT,
  START_THOUGHT,
  staysInside,
} from './marks.ts';
import { isTagged, MISMATCH, mismatches } from '../chat/calls.ts';
import { filesByPlace, movedFiles } from '../files.ts';
import { withListedTools } from '../listed-tools.ts';
import { type Loss, type LossName, Refusal } from '../loss.ts';
import { neutralised } from '../write/body.ts';
import { isCall, isShown } from '../../rules/message-data.ts';

export interface ToLineOptions {
  /** A token in a text, that would mean something there, becomes `<| im_end |>`: a loss instead of a refusal. */
  readonly neutralise?: boolean | undefined;
  /** Definitions stand between tags, as calls and replies do by now. */
  readonly tagged?: boolean | undefined;
}

/** Tokens that a body cannot hold: those of the frame, and by what the message is, those that would mean something. */
const FRAME = /<\|im_(?:start|end)\|>/g;
const SAID = /<\|(?:im_start|im_end|start_reflect|start_introspect|start_reason|function_call)\|>/g;
const MARKED = /<\|(?:im_start|im_end|function_call)\|>/g;
const THOUGHTS = /<\|(?:start|end)_(?:reflect|introspect|reason)\|>/g;
const LISTS = /<\|function_list\|>|<tools>/g;
const OUT = /<\|(?:im_start|im_end|function_output)\|>/g;
/** JSON has an escape for all of them. */
const NOTHING = /(?!)/g;

/** Messages into the shape of 0.1; the writer frames them. Throws a Refusal that names the message. */
export function toLine(data: TranscriptData, options: ToLineOptions = {}): { data: TranscriptData; losses: Loss[] } {
  const shaper = new Shaper(options);
  if (Object.keys(data.header ?? {}).some((key) => key !== 'version')) shaper.lose('header', null);
  const files = filesByPlace(data);
  const starts: number[] = [];
  const placed = inOrder(data.messages, files, shaper.losses);
  for (const at of mismatches(placed.map(({ message }) => message))) {
    shaper.losses.push({ what: 'reply', message: placed[at]!.index, detail: MISMATCH });
  }
  for (const [at, { message, index }] of placed.entries()) {
    // No message goes on behind a file.
    if (files.has(at)) shaper.flush();
    starts.push(shaper.messages.length);
    shaper.take(message, index);
  }
  shaper.flush();
  const shift = shaper.placeTools(data.tools);
  const { messages, losses } = shaper;
  const moved = movedFiles(data, starts.map((start) => start + shift), messages.length);
  return { data: { header: null, tools: [], messages, ...moved }, losses };
}

interface Placed {
  readonly message: MessageData;
  readonly index: number;
}

/**
 * Outputs answer calls in order (0.1 extended §8.4): replies that stand together are put into the order of their calls.
 */
function inOrder(
  messages: readonly MessageData[], files: ReadonlyMap<number, unknown>, losses: Loss[],
): Placed[] {
  const placed = messages.map((message, index) => ({ message, index }));
  const calls = new Map<string, number>();
  for (let at = 0; at < placed.length; at++) {
    const { message } = placed[at]!;
    if (isCall(message) && message.callId != null) calls.set(message.callId, at);
    if (message.role !== 'tool') continue;
    let to = at + 1;
    while (placed[to]?.message.role === 'tool' && !files.has(to)) to++;
    const run = placed.slice(at, to);
    const orderOf = (it: Placed): number => calls.get(it.message.callId ?? '') ?? -1;
    if (run.every((it) => orderOf(it) >= 0)) {
      const sorted = [...run].sort((a, b) => orderOf(a) - orderOf(b));
      sorted.forEach((it, i) => {
        if (it === run[i]) return;
        losses.push({ what: 'grouping', message: it.index, detail: 'the reply moves to the place of its call' });
      });
      sorted.forEach((it, i) => (placed[at + i] = it));
    }
    at = to - 1;
  }
  return placed;
}

/** One assistant message of 0.1 that is being made: thoughts, then a preamble, then calls. */
interface Turn {
  readonly speaker: Pick<MessageData, 'name' | 'attributes'>;
  readonly thoughts: string[];
  preamble: { text: string; index: number } | null;
  readonly calls: string[];
}

class Shaper {
  readonly losses: Loss[] = [];
  readonly messages: MessageData[] = [];
  readonly #neutralise: boolean;
  readonly #tagged: boolean;
  #turn: Turn | null = null;

  constructor({ neutralise = false, tagged = false }: ToLineOptions) {
    this.#neutralise = neutralise;
    this.#tagged = tagged;
  }

  lose(what: LossName, index: number | null, detail?: string): void {
    this.losses.push({ what, message: index, ...(detail !== undefined && { detail }) });
  }

  take(message: MessageData, index: number): void {
    this.#loseEnd(message, index);
    switch (message.role) {
      case 'system':
      case 'developer':
        return this.#system(message, index);
      case 'user':
        return this.#user(message, index);
      case 'tool':
        return this.#reply(message, index);
      case 'assistant':
        break;
      default:
        throw new Refusal(index, 'the role is none that 0.1 has', 'use system, user, assistant or tool');
    }
    if (isCall(message)) this.#call(message, index);
    else if (!isShown(message)) this.#thought(message, index);
    else if ((message.channel ?? 'final') === 'final') this.#final(message, index);
    else this.#preamble(message, index);
  }

  /** Ends the assistant message that is being made. */
  flush(): void {
    const turn = this.#turn;
    this.#turn = null;
    if (!turn) return;
    const { speaker, thoughts, preamble, calls } = turn;
    if (preamble && calls.length === 0) {
      this.lose('channel', preamble.index, 'a preamble without a call is an answer in 0.1');
      this.lose('intent', preamble.index);
    }
    const parts = calls.map((call) => `${CALL}\n${call}`);
    const said = preamble && (calls.length > 0 ? preamble.text + newlineAfter(preamble.text) : preamble.text);
    const rest = (said ?? '') + parts.join('\n');
    const separator = preamble || calls.length > 0 ? '\n' : '';
    const content = thoughts.join('\n') + (thoughts.length > 0 ? separator : '') + rest;
    this.#emit({ role: 'assistant', ...speaker, content });
  }

  /**
   * Tools stand at the end of the first system message, which is made when there is none. Answers with the number of
   * messages that were made.
   */
  placeTools(tools: readonly ToolDefinition[]): number {
    if (tools.length === 0) return 0;
    const style = this.#tagged ? 'tags' : 'token';
    const listed = withListedTools(this.messages, tools, style, readSystem, this.losses);
    const made = listed.length - this.messages.length;
    this.messages.splice(0, Infinity, ...listed);
    return made;
  }

  #emit(message: MessageData): void {
    this.messages.push(message);
  }

  #system(message: MessageData, index: number): void {
    this.flush();
    if (message.role === 'developer') this.lose('role', index, 'developer becomes system');
    this.#loseFields(message, index, ['channel', 'recipient', 'contentType', 'intent', 'callId']);
    let content = this.#clean(message, index, FRAME);
    if (readSystem(content).content !== content) content = this.#refuse(content, index, LISTS);
    this.#emit({ role: 'system', ...speakerOf(message), content });
  }

  #user(message: MessageData, index: number): void {
    this.flush();
    if (!isShown(message)) {
      throw new Refusal(index, '0.1 would show a message of the user that is hidden', 'leave it out');
    }
    this.#loseFields(message, index, ['recipient', 'contentType', 'intent', 'callId']);
    this.#emit({ role: 'user', ...speakerOf(message), content: this.#clean(message, index, FRAME) });
  }

  #final(message: MessageData, index: number): void {
    const content = this.#clean(message, index, message.marked ? MARKED : SAID);
    this.#loseFields(message, index, ['recipient', 'contentType', 'intent', 'callId']);
    const turn = this.#turn;
    // Reasoning that is written as text is hidden where the message begins with it (R-THINK).
    const joins = turn && isSpeaker(turn, message) && !turn.preamble && turn.calls.length === 0 && content !== ''
      && thoughtIn(content) === null;
    if (!joins) this.flush();
    this.#turn = null;
    const thoughts = joins ? turn.thoughts.map((thought) => `${thought}\n`).join('') : '';
    this.#emit({ role: 'assistant', ...speakerOf(message), content: thoughts + content });
  }

  /** An analysis, or what else of an assistant is hidden and no call. */
  #thought(message: MessageData, index: number): void {
    if (message.channel !== 'analysis') this.lose('channel', index, 'hidden text becomes a thought');
    this.#loseFields(message, index, ['recipient', 'contentType', 'intent', 'callId']);
    let content = this.#clean(message, index, FRAME);
    if (!isNamedThought(content)) {
      if (!staysInside(content)) {
        content = this.#refuse(content, index, THOUGHTS, 'thought markers that do not pair');
      }
      if (content.includes(CLOSE_THINK)) this.lose('field', index, MARKERS_READ);
      content = START_THOUGHT + content + END_THOUGHT;
    }
    const turn = this.#turnFor(message, (it) => it.calls.length === 0);
    if (turn.preamble) this.lose('grouping', index, 'the thought moves before the preamble');
    turn.thoughts.push(content);
  }

  #preamble(message: MessageData, index: number): void {
    this.#loseFields(message, index, ['recipient', 'contentType', 'callId']);
    const text = this.#clean(message, index, message.marked ? MARKED : SAID);
    if (isBlankText(text)) {
      this.lose('field', index, 'a blank preamble');
      return;
    }
    const follows = ({ thoughts, preamble, calls }: Turn): boolean =>
      calls.length === 0 && !preamble && (thoughts.length === 0 || thoughtIn(text) === null);
    this.#turnFor(message, follows).preamble = { text, index };
  }

  #call(message: MessageData, index: number): void {
    const recipient = message.recipient!;
    const name = toolName(recipient);
    if (toolRecipient(name) !== recipient) this.lose('recipient', index, 'it is read as one of functions');
    this.#loseFields(message, index, ['intent', 'callId']);
    if (message.channel !== 'commentary' && message.channel != null) this.lose('channel', index);
    const { contentType, constrained } = message;
    if (contentType != null && (contentType !== 'json' || !constrained)) this.lose('content-type', index);
    const text = this.#clean(message, index, SAID);
    if (!isJson(text)) throw new Refusal(index, 'the arguments are no JSON, and 0.1 holds them in JSON', 'repair them');
    if (isBlankText(text.charAt(0)) || isBlankText(text.charAt(text.length - 1))) {
      this.lose('field', index, 'white space around the arguments');
    }
    const call = this.#clean({ ...message, content: writeCallText(name, text) }, index, SAID);
    // In a thought that goes on, a call would be text.
    const follows = ({ preamble }: Turn): boolean => preamble === null || !endsInThought(preamble.text);
    this.#turnFor(message, follows).calls.push(call);
  }

  #reply(message: MessageData, index: number): void {
    this.flush();
    if (isTagged(message)) {
      this.#emit({ role: 'tool', ...speakerOf(message), content: this.#clean(message, index, OUT) });
      return;
    }
    const { name, recipient, channel } = message;
    if (recipient != null && recipient !== 'assistant') this.lose('recipient', index);
    if (channel !== 'commentary' && channel != null) this.lose('channel', index);
    this.#loseFields(message, index, ['contentType', 'intent', 'callId']);
    const short = name == null ? null : toolName(name);
    if (short !== null && toolRecipient(short) !== name) this.lose('name', index, 'it is read as one of functions');
    const content = `${OUTPUT}\n${this.#output(message, short, index)}`;
    this.#emit({ role: 'tool', ...speakerOf(message), ...(short !== null && { name: short }), content });
  }

  /** What stands behind the token (0.1 extended §8.3): text by itself only where no tool is named. */
  #output(message: MessageData, name: string | null, index: number): string {
    if (name === null && readReplyText(message.content) === null) return this.#clean(message, index, OUT);
    return writeReplyText(name ?? '', this.#clean(message, index, NOTHING));
  }

  /** The message that is being made, when the same assistant goes on in a part that may follow; else a new one. */
  #turnFor(message: MessageData, follows: (turn: Turn) => boolean): Turn {
    if (this.#turn && isSpeaker(this.#turn, message) && follows(this.#turn)) return this.#turn;
    this.flush();
    return (this.#turn = { speaker: speakerOf(message), thoughts: [], preamble: null, calls: [] });
  }

  #loseFields(message: MessageData, index: number, fields: readonly (keyof typeof LOSSES)[]): void {
    for (const field of fields) {
      if (message[field] != null && !(field === 'channel' && message.channel === 'final')) {
        this.lose(LOSSES[field], index);
      }
    }
  }

  #loseEnd(message: MessageData, index: number): void {
    const { end } = message;
    const usual = isCall(message) ? 'call' : 'end';
    if (end !== undefined && end !== usual) this.lose('end', index);
  }

  #clean({ content }: MessageData, index: number, tokens: RegExp): string {
    if (typeof content !== 'string') throw new Refusal(index, 'the content is no text', 'give it as a string');
    return this.#refuse(content, index, tokens);
  }

  /** The text without `tokens`, which are neutralised where the caller asks for it. */
  #refuse(content: string, index: number, tokens: RegExp, what?: string): string {
    let count = 0;
    const text = content.replace(tokens, (token) => {
      if (!this.#neutralise) {
        const reason = `the body holds ${what ?? token}, which 0.1 has no escape for`;
        throw new Refusal(index, reason, 'write it as openchatml-2.2, or ask to neutralise tokens');
      }
      count++;
      return token.startsWith('<|') ? `<| ${token.slice(2, -2)} |>` : `< ${token.slice(1)}`;
    });
    if (count > 0) this.lose('field', index, neutralised(count));
    return text;
  }
}

/** A thought that is written as text ends at `</think>` (R-THINK), and all before it is that thought. */
const MARKERS_READ = `with ${CLOSE_THINK} in it, the markers around the reasoning are read as part of it`;

const LOSSES = {
  channel: 'channel',
  recipient: 'recipient',
  contentType: 'content-type',
  intent: 'intent',
  callId: 'call-id',
} as const;

function speakerOf({ name, attributes }: MessageData): Pick<MessageData, 'name' | 'attributes'> {
  return { ...(name != null && { name }), ...(attributes !== undefined && { attributes }) };
}

const isSpeaker = ({ speaker }: Turn, message: MessageData): boolean =>
  JSON.stringify([speaker.name ?? null, speaker.attributes ?? []]) ===
  JSON.stringify([message.name ?? null, message.attributes ?? []]);
