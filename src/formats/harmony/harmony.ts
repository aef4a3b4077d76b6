// Transcripts as Harmony has them, and back (R-HIP1, 2.2 §12). The framing of the text is the writer's.

import type { MessageData, ToolDefinition, TranscriptData } from '../../model/data.ts';
import { tellMismatches } from '../chat/calls.ts';
import { matchReplies, messagesForCompletion } from '../../rules/sampling.ts';
import {
  type DeveloperStyle, harmonyDeveloper, hasFunctionTools, isDeveloperLayout, mergeTools, readHarmonyDeveloper,
} from './developer.ts';
import { fromHarmonyMessage, type Place, toHarmonyMessage } from './message.ts';
import { type HarmonySystem, harmonySystem, readHarmonySystem } from './system.ts';
import { loseFiles, movedFiles } from '../files.ts';
import type { Loss } from '../loss.ts';
import { withoutMedia } from '../media.ts';
import { splitWritten } from '../written-thoughts.ts';
import { checkOneOf, checkOptions, type Known } from '../../options.ts';

/** How data is laid out for Harmony. */
export interface ToHarmonyOptions {
  /**
   * Where system messages go that are not of Harmony's own layout. `keep`: the first message stays what it is;
   * `developer`: they become the instructions of a developer message. A later system message always does: Harmony text
   * would begin a new transcript.
   */
  readonly instructions?: 'keep' | 'developer' | undefined;
  /** A system message to begin with, unless the transcript begins with one of that layout. */
  readonly system?: HarmonySystem | false | undefined;
  /** Old reasoning to leave out, by a rule of `messagesForCompletion`; default `keep`. */
  readonly reasoning?: 'keep' | 'harmony' | 'ocm' | undefined;
  /** For training: the last message, when it is an answer, ends in `<|return|>`. All others end in `<|end|>`. */
  readonly training?: boolean | undefined;
  /** Layout of developer messages: openai-harmony's (default), or that of the models' chat template. */
  readonly style?: DeveloperStyle | undefined;
}

/** How Harmony's layouts and conventions are taken. */
export interface FromHarmonyOptions {
  /** The layout that developer messages must have to be taken apart; `toHarmony` with it builds them again. */
  readonly style?: DeveloperStyle | undefined;
  /**
   * By Harmony's convention an assistant's commentary to nobody is a preamble, for users to see: only `true` takes it
   * for one (R-VISIBLE). Otherwise it stays hidden.
   */
  readonly preambles?: boolean | undefined;
}

const TO_OPTIONS: Known<ToHarmonyOptions> = { instructions: 1, system: 1, reasoning: 1, training: 1, style: 1 };
const FROM_OPTIONS: Known<FromHarmonyOptions> = { style: 1, preambles: 1 };

export interface Converted {
  readonly data: TranscriptData;
  readonly losses: Loss[];
}

/**
 * Neutral data to Harmony-shaped data (2.2 §12, R-HIP1), in which the writer finds no field that Harmony has no place
 * for. What users may not see stays hidden; what cannot be carried is reported as a loss. Throws a Refusal for a tool
 * that cannot be declared, a RangeError that names a wrong option.
 *
 * @example
 * ```ts
 * import { toHarmony } from 'openchatml/convert';
 *
 * const said = { role: 'assistant', channel: 'final', content: '4', end: 'end' } as const;
 * const { data } = toHarmony({ header: null, tools: [], messages: [said] }, { training: true });
 * console.log(data.messages[0]?.end); // return
 * ```
 */
export function toHarmony(given: TranscriptData, options: ToHarmonyOptions = {}): Converted {
  checkOptions(options, TO_OPTIONS);
  const { instructions = 'keep', system = false, reasoning = 'keep', training = false, style = 'harmony' } = options;
  checkOneOf('instructions', instructions, ['keep', 'developer']);
  checkOneOf('style', style, ['harmony', 'template']);
  const losses: Loss[] = [];
  const split = splitWritten(withoutMedia(given, losses));
  losses.push(...split.losses);
  const { data } = split;
  const { dropped } = messagesForCompletion(data.messages, { rule: reasoning });
  for (const { index, reason } of dropped) {
    if (reason === 'analysis') losses.push({ what: 'thinking', message: index, detail: 'old reasoning is left out' });
    else losses.push({ what: 'end', message: index, detail: 'a prompt without a message is left out' });
  }
  const left = new Set(dropped.map(({ index }) => index));
  const kept = [...data.messages.keys()].filter((index) => !left.has(index));
  const first = data.messages[kept[0] ?? 0];
  const needsSystem = system !== false && !(first && isOwnSystem(first));

  const calls = callsByReply(data.messages);
  const messages = kept.map((index, at) => {
    const message = data.messages[index]!;
    const place: Place = { index, call: calls.get(index), endsInReturn: training && at === kept.length - 1 };
    const shaped = toHarmonyMessage(message, place, losses);
    if (shaped.role === 'developer') {
      // What has the heading already is read as what the layout puts it before.
      const read = readHarmonyDeveloper(shaped.content, style);
      const detail = 'the heading # Instructions is read as none';
      if ((read?.instructions ?? null) !== null) losses.push({ what: 'field', message: index, detail });
      return withInstructions(shaped, style);
    }
    if (shaped.role !== 'system') return shaped;
    if (at === 0 && !needsSystem && (instructions === 'keep' || isOwnSystem(message))) return shaped;
    losses.push({
      what: 'role', message: index, detail: 'a system message becomes the instructions of a developer message',
    });
    return withInstructions({ ...shaped, role: 'developer' }, style);
  });
  tellMismatches(data.messages, losses);
  placeTools(messages, data.tools, style, losses);
  if (needsSystem) {
    const functionTools =
      system.functionTools ?? messages.some(({ role, content }) => role === 'developer' && hasFunctionTools(content));
    messages.unshift({ role: 'system', content: harmonySystem({ ...system, functionTools }), end: 'end' });
  }
  if (Object.keys(data.header ?? {}).some((key) => key !== 'version')) losses.push({ what: 'header', message: null });
  loseFiles(data, losses);
  return { data: { header: null, tools: [], messages }, losses };
}

/**
 * Harmony-shaped data to neutral data: a developer message is taken apart into instructions and tools where `toHarmony`
 * builds the same text in the same place again (2.2 §12, R-HIP1). Throws a RangeError that names a wrong option.
 *
 * @example
 * ```ts
 * import { fromHarmony } from 'openchatml/convert';
 *
 * const { data } = fromHarmony({ header: null, tools: [], messages: [{ role: 'user', content: 'Hi' }] });
 * console.log(data.messages.length); // 1
 * ```
 */
export function fromHarmony(data: TranscriptData, options: FromHarmonyOptions = {}): Converted {
  checkOptions(options, FROM_OPTIONS);
  const { style = 'harmony', preambles = false } = options;
  checkOneOf('style', style, ['harmony', 'template']);
  const losses: Loss[] = [];
  const tools: ToolDefinition[] = [...data.tools];
  const messages: MessageData[] = [];
  const starts: number[] = [];
  const front = data.messages[0]?.role === 'system' ? 1 : 0;
  for (const [index, message] of data.messages.entries()) {
    starts.push(messages.length);
    const parts = message.role === 'developer' ? readHarmonyDeveloper(message.content, style) : null;
    const mayHaveTools = index === front && data.tools.length === 0;
    if (!parts || (parts.tools.length > 0 && !mayHaveTools)) {
      messages.push(fromHarmonyMessage(message, index, losses, preambles === true));
    } else if (parts.instructions !== null) {
      for (const tool of parts.tools) tools.push(tool);
      messages.push({ ...message, content: parts.instructions });
    } else if (isMadeByTools(message) && data.messages[index + 1]?.role !== 'developer') {
      for (const tool of parts.tools) tools.push(tool);
    } else {
      messages.push(message);
    }
  }
  return { data: { header: data.header, tools, messages, ...movedFiles(data, starts, messages.length) }, losses };
}

const isOwnSystem = ({ role, content }: MessageData): boolean =>
  role === 'system' && readHarmonySystem(content) !== null;

/** A developer message with the layout's heading, unless it has one. */
function withInstructions(message: MessageData, style: DeveloperStyle): MessageData {
  if (isDeveloperLayout(message.content)) return message;
  return { ...message, content: harmonyDeveloper({ instructions: message.content, tools: [] }, style).text };
}

/** A developer message that says nothing but its tools: `toHarmony` makes it anew. */
function isMadeByTools({ role: _role, content: _content, end, ...rest }: MessageData): boolean {
  return (end ?? 'end') === 'end' && Object.values(rest).every((value) => value === null || value === undefined);
}

/** Writes definitions into the developer message that stands in front, or into a new one. */
function placeTools(
  messages: MessageData[], tools: readonly ToolDefinition[], style: DeveloperStyle, losses: Loss[],
): void {
  if (tools.length === 0) return;
  const front = messages[0]?.role === 'system' ? 1 : 0;
  const message = messages[front];
  const parts = message?.role === 'developer' ? readHarmonyDeveloper(message.content, style) : null;
  const merged = { instructions: parts?.instructions ?? null, tools: mergeTools(parts?.tools ?? [], tools) };
  const written = harmonyDeveloper(merged, style);
  for (const loss of written.losses) losses.push(loss);
  if (message && parts) messages[front] = { ...message, content: written.text };
  else messages.splice(front, 0, { role: 'developer', content: written.text, end: 'end' });
}

/** Number of each reply to the call that it answers. */
function callsByReply(messages: readonly MessageData[]): Map<number, MessageData> {
  return new Map([...matchReplies(messages)].map(([call, reply]) => [reply, messages[call]!]));
}
