// Calls, replies and definitions as Hermes and Qwen write them (R-HERMES): as text between tags, in what is said. The
// way back is written-calls.ts.

import { type MessageData, type TranscriptData, withFields } from '../model/data.ts';
import {
  callTagsIn, CLOSE_CALL, CLOSE_REPLY, OPEN_CALL, OPEN_REPLY, OPEN_TOOLS, repliesIn,
} from '../model/hermes.ts';
import { isCall, isShown } from '../rules/message-data.ts';
import { isBlank, skipBlanks } from '../tools/json.ts';
import { toolRecipient } from '../tools/name.ts';
import { OpenCalls, type TaggedReply, tellMismatches, withOrderedReplies } from './chat/calls.ts';
import { nameGained, Telling } from './chat/tell.ts';
import { filesByPlace, movedFiles } from './files.ts';
import { withListedTools } from './listed-tools.ts';
import { type Loss, type LossName, Refusal } from './loss.ts';
import { withoutParts } from './media.ts';
import { isJson, readReplyText, writeReplyText } from './v01/json.ts';
import { isBlankText, marksOf, newlineAfter } from './v01/marks.ts';
import { splitCalls, withoutWrittenTools } from './written-calls.ts';
import { writtenIn } from './written-thoughts.ts';

export interface HermesOptions {
  /** The text is 0.1's, which places definitions itself, and whose readers forget open calls where a user speaks. */
  readonly isLine: boolean;
  /** A tag in a text, that would make a call, a reply or definitions of it, is broken up instead of refused. */
  readonly neutralise: boolean;
}

/**
 * A transcript without calls and replies as messages of their own: they stand in what is said. Throws a Refusal that
 * names the message.
 */
export function withTagsFor(given: TranscriptData, options: HermesOptions): { data: TranscriptData; losses: Loss[] } {
  const { messages: ordered, losses } = withOrderedReplies(given.messages);
  tellMismatches(ordered, losses);
  const data = { ...given, messages: ordered };
  const files = filesByPlace(data);
  const writer = new Writer(options, losses);
  const starts: number[] = [];
  for (const [index, message] of ordered.entries()) {
    if (files.has(index)) writer.flush();
    // Texts are put together, but for what a user says.
    writer.take(message.role === 'user' ? message : withoutParts(message, index, losses), index);
    // What is written later begins with what is held back.
    starts.push(writer.held);
  }
  writer.flush();
  const { messages } = writer;
  const moved = movedFiles(data, starts, messages.length);
  if (options.isLine || data.tools.length === 0) return { data: { ...data, messages, ...moved }, losses };
  const listed = withListedTools(messages, data.tools, 'tags', withoutWrittenTools, losses);
  const shift = listed.length - messages.length;
  const { files: shifted } = movedFiles(data, starts.map((start) => start + shift), listed.length);
  return { data: { ...data, tools: [], messages: listed, ...(shifted !== undefined && { files: shifted }) }, losses };
}

interface Placed {
  readonly message: MessageData;
  readonly index: number;
}

class Writer {
  readonly messages: MessageData[] = [];
  readonly #isLine: boolean;
  readonly #neutralise: boolean;
  readonly #losses: Loss[];
  readonly #tell: Telling;
  /** The calls that a reader knows when it comes to the next message. */
  #open = new OpenCalls();
  /** What an assistant says before its calls, and these; or replies: what may still go on. */
  #said: Placed | null = null;
  #calls: Placed[] = [];
  #replies: { readonly attributes: MessageData['attributes']; readonly texts: string[] } | null = null;

  constructor({ isLine, neutralise }: HermesOptions, losses: Loss[]) {
    this.#isLine = isLine;
    this.#neutralise = neutralise;
    this.#losses = losses;
    this.#tell = new Telling(losses);
  }

  /** Number of the message that is written next, or was begun. */
  get held(): number {
    return this.messages.length - (this.#isHolding ? 0 : 1);
  }

  get #isHolding(): boolean {
    return this.#said !== null || this.#calls.length > 0 || this.#replies !== null;
  }

  take(message: MessageData, index: number): void {
    const { role } = message;
    if (isCall(message)) {
      this.#call(message, index);
    } else if (role === 'tool') {
      this.#reply(message, index);
    } else {
      this.flush();
      if (role !== 'assistant' && role !== 'system' && this.#isLine) this.#open = new OpenCalls();
      const cleaned = this.#cleaned(message, index);
      const isPreamble = role === 'assistant' && isShown(message) && message.channel === 'commentary';
      // What marks bound in it must not go on in arguments.
      if (isPreamble && message.marked !== true) this.#said = { message: cleaned, index };
      else this.messages.push(cleaned);
    }
  }

  /** Writes what may have gone on. */
  flush(): void {
    const [said, calls, replies] = [this.#said, this.#calls, this.#replies];
    [this.#said, this.#calls, this.#replies] = [null, [], null];
    if (calls.length > 0) this.#pushCalls(said, calls);
    else if (said !== null) this.messages.push(said.message);
    if (replies === null) return;
    const { attributes, texts } = replies;
    const tagged: TaggedReply = {
      role: 'tool', recipient: 'assistant', channel: 'commentary', content: texts.join('\n'), end: 'end', tagged: true,
      ...(attributes !== undefined && { attributes }),
    };
    this.messages.push(tagged);
  }

  #lose(what: LossName, message: number, detail: string): void {
    this.#losses.push({ what, message, detail });
  }

  #call(message: MessageData, index: number): void {
    const { recipient, content, callId = null, end = 'call' } = message;
    this.#tell.call(message, index);
    if (callId !== null) this.#lose('call-id', index, 'left out');
    if (end !== 'call') this.#lose('end', index, `${end} becomes call`);
    const name = this.#tell.bare(recipient!, index, 'recipient');
    const text = withoutBlanks(content);
    if (!text.startsWith('{') || !isJson(text)) {
      throw new Refusal(index, 'the arguments of the call are no JSON object', 'make them one');
    }
    if (text !== content) this.#lose('field', index, 'white space around the arguments');
    const before = this.#calls[0] ?? this.#said;
    if (this.#replies !== null || (before !== null && !isSameSpeaker(before.message, message))) this.flush();
    const written = `${OPEN_CALL}\n{"name": ${JSON.stringify(name)}, "arguments": ${text}}\n${CLOSE_CALL}`;
    this.#calls.push({ message: { ...message, content: written }, index });
    this.#open.call(null, toolRecipient(name));
  }

  /** One message with calls; two, where what is said before them would take them for a part of itself. */
  #pushCalls(said: Placed | null, calls: readonly Placed[]): void {
    const { message: { role, name, attributes }, index } = calls[0]!;
    const speaker = { role, ...(name != null && { name }), ...(attributes !== undefined && { attributes }) };
    const text = calls.map(({ message }) => message.content).join('\n');
    const alone: MessageData = withFields(speaker, { channel: 'final', content: text, end: 'end' } as const);
    if (said !== null) {
      const { content, written } = said.message;
      const isThought = content.endsWith('\n') && writtenIn(said.message)?.to === content.length;
      const both = {
        ...alone, content: content + (isThought ? '' : newlineAfter(content)) + text, ...(written && { written }),
      };
      if (isBlankText(content)) this.#lose('field', said.index, 'a blank preamble');
      else if (isReadAs(both, calls.length, content)) {
        this.messages.push(both);
        return;
      } else this.messages.push(said.message);
    }
    if (!isReadAs(alone, calls.length, null)) {
      throw new Refusal(index, 'the call would not be read as one', 'check its name and the size of its arguments');
    }
    this.messages.push(alone);
  }

  #reply(message: MessageData, index: number): void {
    const { callId = null, attributes, end = 'end' } = message;
    this.#tell.reply(message, index);
    if (callId !== null) this.#lose('call-id', index, 'left out');
    if (end !== 'end') this.#lose('end', index, `${end} becomes end`);
    const goesOn = this.#replies !== null && attributes === undefined && this.#replies.attributes === undefined;
    if (!goesOn) this.flush();
    const replies = (this.#replies ??= { attributes, texts: [] });
    replies.texts.push(`${OPEN_REPLY}\n${this.#replyText(message, index)}${CLOSE_REPLY}`);
  }

  /** What stands between the tags: the text by itself where a reader gives it to the right tool (R-REPLY-01). */
  #replyText({ name = null, content }: MessageData, index: number): string {
    const waits = this.#open.first()?.recipient ?? null;
    const isText = !content.includes(CLOSE_REPLY) && readReplyText(content) === null
      && !(this.#isLine && content.includes('<|'));
    const isNext = name === waits || name === null;
    if (name === null && waits !== null) this.#losses.push(nameGained(index));
    const bare = isNext ? '' : this.#tell.bare(name, index, 'name');
    this.#open.reply(null, isNext ? null : toolRecipient(bare));
    if (isText && isNext) return content + newlineAfter(content);
    return `${writeReplyText(bare, content)}\n`;
  }

  /** Without tags that a reader would take for more than text. */
  #cleaned(message: MessageData, index: number): MessageData {
    const { role, content } = message;
    const [tag, places] = role === 'assistant' ? [OPEN_CALL, isShown(message) ? callsIn(message) : []]
      : role === 'user' ? [OPEN_REPLY, repliesIn(content).length > 0 ? placesOf(OPEN_REPLY, content) : []]
        // 0.1 looks after them.
        : [OPEN_TOOLS, this.#isLine || !hasLists(content) ? [] : placesOf(OPEN_TOOLS, content)];
    if (places.length === 0) return message;
    if (!this.#neutralise) {
      const reason = `the body holds ${tag}, which readers take for more than text`;
      throw new Refusal(index, reason, 'write calls as the form has them, or ask to neutralise tokens');
    }
    this.#lose('field', index, `tags of the body neutralised with spaces: ${places.length}`);
    let text = '';
    let at = 0;
    for (const place of places) {
      text += `${content.slice(at, place)}< `;
      at = place + 1;
    }
    return { ...message, content: text + content.slice(at) };
  }
}

/** Without white space at its ends. */
function withoutBlanks(text: string): string {
  let to = text.length;
  while (isBlank(text.charCodeAt(to - 1))) to--;
  return text.slice(skipBlanks(text, 0), to);
}

const isSameSpeaker = (a: MessageData, b: MessageData): boolean =>
  (a.name ?? null) === (b.name ?? null) && JSON.stringify(a.attributes ?? []) === JSON.stringify(b.attributes ?? []);

/** A reader finds so many calls in the message, and before them what was `said`. */
function isReadAs(message: MessageData, calls: number, said: string | null): boolean {
  const parts = splitCalls(message) ?? [];
  const before = said === null ? 0 : 1;
  return parts.length === calls + before && parts.slice(before).every(isCall)
    && (said === null || parts[0]!.content === said);
}

/** Where calls begin in what an assistant says. */
function callsIn(message: MessageData): number[] {
  const { content, marked } = message;
  if (!content.includes(OPEN_CALL)) return [];
  const tags = callTagsIn(content);
  const front = writtenIn(message, tags)?.to ?? 0;
  const thoughts = marked === true ? marksOf(content).thoughts : [];
  return tags
    .map(({ from }) => from)
    .filter((from) => from >= front && !thoughts.some((thought) => from >= thought.from && from < thought.to));
}

const hasLists = (content: string): boolean => withoutWrittenTools(content).tools.length > 0;

/** All places: where one is broken up, the next might be taken for what it was. */
function placesOf(tag: string, content: string): number[] {
  const places: number[] = [];
  for (let at = content.indexOf(tag); at >= 0; at = content.indexOf(tag, at + 1)) places.push(at);
  return places;
}
