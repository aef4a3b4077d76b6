// One transcript from plain messages to any form, by the conventions of that form. What a text gave becomes plain
// messages in neutral.ts.

import { HAS_ESCAPE } from '../abi.ts';
import { checkMessages } from '../model/check-data.ts';
import type { MessageData, TranscriptData } from '../model/data.ts';
import type { Edges } from '../model/edges.ts';
import { DIALECTS, type DialectId } from '../scan/dialects.ts';
import { type AnthropicRecord, toAnthropic } from './chat/anthropic.ts';
import { isNamedFromCall, tellMismatches, withCallIds, withOrderedReplies } from './chat/calls.ts';
import { type ResponsesRecord, toResponses } from './chat/responses.ts';
import { liftTools, placeTools, type ToolsForm } from './chat/tools.ts';
import type { ChatRecord } from './chat/read.ts';
import { toOpenAI } from './chat/write.ts';
import { withCallShape, withPlainBuiltins } from './call-shape.ts';
import { type AnswerEnds, withAnswerEnds } from './ends.ts';
import { toHarmony } from './harmony/harmony.ts';
import { systemOfHeader } from './harmony/settings.ts';
import { HARMONY_SYSTEM_FIELDS, type HarmonySystem } from './harmony/system.ts';
import type { InterchangeRecord } from './interchange/shape.ts';
import { toInterchange20, toInterchange22 } from './interchange/write.ts';
import { toLine } from './v01/v01.ts';
import { filesWithout } from './files.ts';
import type { Loss } from './loss.ts';
import { withoutMedia } from './media.ts';
import { withTagsFor } from './hermes.ts';
import { nameGained } from './chat/tell.ts';
import { type ShareGptRecord, toShareGpt } from './chat/sharegpt.ts';
import { withCarriedNames } from './write/names.ts';
import { lossesOfTags } from './written-calls.ts';
import { joinWritten, lossesOfQuotes, splitWritten } from './written-thoughts.ts';
import { transcriptTexts } from './write/write.ts';
import { type DroppedMessage, messagesForCompletion, type SamplingOptions } from '../rules/sampling.ts';
import { checkOneOf, checkOption, checkOptions, FLAG, type Known } from '../options.ts';

/** What a transcript can be written as: a dialect's text, or a JSON record. */
export type Form = DialectId | keyof RecordForms;

/** The names of all forms that a transcript can be written in. */
export const FORMS: readonly Form[] = [
  ...(Object.keys(DIALECTS) as DialectId[]),
  'interchange-2.0',
  'interchange-2.2',
  'messages',
  'anthropic',
  'responses',
  'sharegpt',
];

/** How a transcript is written in another form. All options may be left out. */
export interface ConvertOptions {
  /**
   * Control tokens in bodies of a dialect without an escape are broken up instead of refused, and names that a header
   * cannot carry are cleaned.
   */
  readonly neutralise?: boolean | undefined;
  /** How Harmony text tells a content type. */
  readonly contentType?: 'constrain' | 'bare' | undefined;
  /**
   * Old reasoning is left out by a rule of `messagesForCompletion`; `think`: it is written as text, `<think>…</think>`,
   * which Harmony does not know. Default `keep`.
   */
  readonly reasoning?: SamplingOptions['rule'] | 'think' | undefined;
  /**
   * `hermes`: calls, replies and definitions are written as text (R-HERMES), `<tool_call>`, `<tool_response>` and
   * `<tools>`, in 0.1, `messages` and `sharegpt`. Tags in other texts are refused there, or broken up (`neutralise`).
   */
  readonly calls?: 'hermes' | undefined;
  /**
   * In Harmony: a system message in its layout, with the reasoning effort and the builtin tools of the header, unless
   * the transcript begins with one. An object says what else stands in it.
   */
  readonly system?: boolean | HarmonySystem | undefined;
  /** How answers end (R-END-WRITE): in `<|end|>`, the last one in `<|return|>`, or all. Left out: as in the data. */
  readonly end?: AnswerEnds | undefined;
  /** What stands around a transcript of 0.1: the base model's BOS and EOS; an empty text: nothing. */
  readonly edges?: Edges | undefined;
  /** In 2.2: calls that say no content type, and whose arguments are JSON, get `<|constrain|>json` (2.2 §12.4). */
  readonly constrainCalls?: boolean | undefined;
  /** @internal Reasoning that is written as text stays where it is. */
  readonly asWritten?: boolean | undefined;
  /** @internal Calls stay as they are, for readers to tell what is wrong with them. */
  readonly asGiven?: boolean | undefined;
  /** @internal Text is given in parts. */
  readonly asTexts?: boolean | undefined;
}

const CONVERT_OPTIONS: Known<ConvertOptions> = {
  neutralise: FLAG, contentType: 1, reasoning: 1, calls: 1, system: 1, end: 1, edges: 1, constrainCalls: FLAG,
  asWritten: FLAG, asGiven: FLAG, asTexts: FLAG,
};

const REASONING: readonly ConvertOptions['reasoning'][] = ['keep', 'harmony', 'ocm', 'think'];
const ENDS: readonly AnswerEnds[] = ['end', 'return', 'all-returns'];

/** The records of the JSON forms. */
export interface RecordForms {
  readonly 'interchange-2.0': InterchangeRecord;
  readonly 'interchange-2.2': InterchangeRecord;
  readonly messages: ChatRecord;
  readonly anthropic: AnthropicRecord;
  readonly responses: ResponsesRecord;
  readonly sharegpt: ShareGptRecord;
}

/** A transcript as text of a dialect. */
export interface ConvertedText {
  readonly text: string;
  readonly record: null;
  /** @internal The text in parts that nothing has put together, where they were asked for; `text` is empty then. */
  readonly texts?: readonly string[];
  /** The messages of the text, in order. */
  readonly messages: readonly MessageData[];
  readonly losses: Loss[];
}

/** A transcript as a record. */
export interface ConvertedRecord<Name extends keyof RecordForms> {
  readonly text: null;
  readonly record: RecordForms[Name];
  readonly messages: null;
  readonly losses: Loss[];
}

/** What a transcript becomes in a form: text of a dialect, or a record. */
export type Converted<To extends Form = Form> =
  To extends keyof RecordForms ? ConvertedRecord<To> : ConvertedText;

export const isDialect = (form: string): form is DialectId => Object.hasOwn(DIALECTS, form);

/**
 * Writes a transcript in a form. What the form cannot carry is told in `losses`; a Refusal is thrown where leaving it
 * out would falsify the transcript or show what is hidden, a RangeError for a wrong option, a TypeError for messages of
 * a chat record. Losses and refusals number messages of the data, or, where the form adds some, those written.
 *
 * @example
 * ```ts
 * import { convertTranscript, fromOpenAI } from 'openchatml/convert';
 *
 * const { data } = fromOpenAI({ messages: [{ role: 'user', content: 'Hi' }] });
 * console.log(convertTranscript(data, 'harmony').text); // <|start|>user<|message|>Hi<|end|>
 * console.log(convertTranscript(data, 'sharegpt').record.conversations.length); // 1
 * ```
 */
export function convertTranscript<To extends Form>(
  data: TranscriptData, to: To, options: ConvertOptions = {},
): Converted<To> {
  checkOptions(options, CONVERT_OPTIONS);
  checkMessages(data?.messages);
  return convertTo(data, to, options) as Converted<To>;
}

function convertTo(data: TranscriptData, to: Form, options: ConvertOptions): Converted {
  const { reasoning = 'keep', calls } = options;
  checkOneOf('reasoning', reasoning, REASONING);
  if (calls !== undefined && (calls !== 'hermes' || !WRITES_TAGS.has(to))) {
    throw new RangeError(`option calls: expected hermes, to ${[...WRITES_TAGS].join(', ')}; got ${
      JSON.stringify(calls)} to ${JSON.stringify(to)}`);
  }
  if (reasoning === 'think' && to === 'harmony') {
    throw new RangeError('option reasoning: harmony has no written reasoning; expected keep, ocm or harmony');
  }
  // ShareGPT has no other place for reasoning than the text.
  const stays = to === 'sharegpt' && reasoning === 'keep';
  const media: Loss[] = [];
  if (!HOLDS_MEDIA.has(to)) data = withoutMedia(data, media);
  const { end, system } = options;
  checkOneOf('end', end, ENDS);
  if (typeof system !== 'boolean') checkOption('system', system, HARMONY_SYSTEM_FIELDS);
  if (end !== undefined) {
    // A dialect's own conventions come first.
    data = { ...data, messages: withAnswerEnds(data.messages, isDialect(to) ? 'end' : end) };
  }
  const split = options.asWritten === true ? { data, losses: [] }
    : reasoning === 'think' ? joinWritten(data) : splitWritten(data, stays);
  const kept = withoutReasoning(split.data, reasoning === 'think' ? 'keep' : reasoning);
  const lifted = liftTools(kept.data, FOREIGN_TOOLS[to] ?? []);
  const { data: tagged, losses: ofTags } = calls === undefined ? { data: lifted.data, losses: [] }
    : withTagsFor(lifted.data, { isLine: to === 'openchatml-0.1', neutralise: options.neutralise === true });
  const converted = convertLifted(tagged, to, options);
  // Interchange tells them itself.
  const canQuote = isDialect(to) ? to === 'harmony' || (DIALECTS[to].flags & HAS_ESCAPE) !== 0
    : to.startsWith('interchange-');
  const said = split.said ?? data.messages;
  const quotes = canQuote ? [] : lossesOfQuotes(said);
  const tags = calls === undefined && TAKES_TAGS.has(to) ? lossesOfTags(said) : ofTags;
  const before = [...media, ...split.losses, ...kept.losses, ...lifted.losses, ...quotes, ...tags];
  return before.length === 0 ? converted : { ...converted, losses: [...before, ...converted.losses] };
}

/** Forms whose readers take calls that are written as text for calls (R-HERMES). */
const TAKES_TAGS: ReadonlySet<Form> = new Set(['openchatml-0.1', 'messages', 'anthropic', 'responses', 'sharegpt']);

/** Forms whose contents may have parts that are no text. */
const HOLDS_MEDIA: ReadonlySet<Form> = new Set(['messages', 'anthropic', 'responses']);

/** Forms in which calls may be text. */
export const WRITES_TAGS: ReadonlySet<Form> = new Set(['openchatml-0.1', 'messages', 'sharegpt']);

function withoutReasoning(
  data: TranscriptData, rule: SamplingOptions['rule'],
): { data: TranscriptData; losses: Loss[] } {
  if (rule === 'keep') return { data, losses: [] };
  const { dropped } = messagesForCompletion(data.messages, { rule });
  const losses = reasoningLost(dropped);
  const left = new Set(losses.map(({ message }) => message));
  const messages = data.messages.filter((_, index) => !left.has(index));
  return { data: { ...data, messages, ...filesWithout(data, left) }, losses };
}

/** Old reasoning that a rule drops, as losses. */
export const reasoningLost = (dropped: readonly DroppedMessage[]): Loss[] =>
  dropped.filter(({ reason }) => reason === 'analysis')
    .map(({ index }) => ({ what: 'thinking', message: index, detail: 'old reasoning is left out' }));

/** Definitions in the text of messages that a reader of the form would not find there. */
const FOREIGN_TOOLS: Readonly<Partial<Record<Form, readonly ToolsForm[]>>> = {
  'openchatml-2.2': ['list'],
  harmony: ['list'],
  'openchatml-2.0': ['declarations'],
  'openchatml-0.1': ['declarations', 'list'],
  messages: ['declarations', 'list'],
  anthropic: ['declarations', 'list'],
  responses: ['declarations', 'list'],
  sharegpt: ['declarations', 'list'],
};

function convertLifted(data: TranscriptData, to: Form, options: ConvertOptions): Converted {
  switch (to) {
    case 'messages': {
      const { record, losses } = toOpenAI(data);
      return { text: null, record, messages: null, losses };
    }
    case 'anthropic': {
      const { record, losses } = toAnthropic(data);
      return { text: null, record, messages: null, losses };
    }
    case 'responses': {
      const { record, losses } = toResponses(data);
      return { text: null, record, messages: null, losses };
    }
    case 'sharegpt': {
      const { record, losses } = toShareGpt(data);
      return { text: null, record, messages: null, losses };
    }
    case 'interchange-2.2': {
      const { record, losses } = toInterchange22(withHeader(data));
      return { text: null, record, messages: null, losses: [...losses, ...namesGained(data.messages)] };
    }
    case 'interchange-2.0': {
      const { record, losses } = toInterchange20(withHeader(data));
      return { text: null, record, messages: null, losses: [...losses, ...namesGained(data.messages)] };
    }
    default:
      if (!isDialect(to))
        throw new RangeError(`option to: expected one of ${FORMS.join(', ')}; got ${JSON.stringify(to)}`);
      return writeAs(data, to, options);
  }
}

function writeAs(data: TranscriptData, to: DialectId, options: ConvertOptions): ConvertedText {
  const plain = options.asGiven === true ? { messages: data.messages, losses: [] } : withPlainBuiltins(data);
  const { messages, losses } = withCarriedNames(plain.messages, to, options.neutralise === true);
  const named = messages === data.messages ? data : { ...data, messages };
  return write(joined([...plain.losses, ...losses], shapeFor(named, to, options)), to, options);
}

/** A record says its version: without one it would be taken for another form. */
function withHeader(data: TranscriptData): TranscriptData {
  return data.header === null ? { ...data, header: {} } : data;
}

/** The data as a dialect's own conventions have it. */
function shapeFor(
  data: TranscriptData,
  dialect: DialectId,
  { neutralise, constrainCalls = false, asGiven = false, system: asks = false, calls: style }: ConvertOptions,
): { data: TranscriptData; losses: Loss[] } {
  switch (dialect) {
    case 'openchatml-0.1':
      return toLine(data, { neutralise, tagged: style !== undefined });
    case 'harmony': {
      const { messages, losses } = withOrderedReplies(data.messages);
      const training = data.messages.at(-1)?.end === 'return';
      if (asks === false) return joined(losses, toHarmony({ ...data, messages }, { training }));
      const { system: told, header } = systemOfHeader(data.header);
      const system = asks === true ? told : { ...told, ...asks };
      return joined(losses, toHarmony({ ...data, header, messages }, { training, system }));
    }
    case 'openchatml-2.0': {
      const calls = shapedCalls(data.messages, false, asGiven);
      const { messages, losses } = withOrderedReplies(calls.messages);
      tellMismatches(messages, losses);
      return joined([...calls.losses, ...losses], placeTools({ ...data, messages }, 'list'));
    }
    case 'openchatml-2.2': {
      // Every call and reply has an id there.
      const calls = shapedCalls(data.messages, constrainCalls, asGiven);
      const { messages, losses } = withCallIds(calls.messages);
      return joined([...calls.losses, ...losses], placeTools({ ...data, messages }, 'declarations'));
    }
  }
}

const shapedCalls = (messages: readonly MessageData[], constrain: boolean, asGiven: boolean): ReturnType<
  typeof withCallShape
> => (asGiven ? { messages, losses: [] } : withCallShape(messages, constrain));

/** Losses in the order in which they came. */
const joined = (
  before: readonly Loss[],
  { data, losses }: { data: TranscriptData; losses: Loss[] },
): { data: TranscriptData; losses: Loss[] } => ({ data, losses: [...before, ...losses] });

function write(
  shaped: { data: TranscriptData; losses: Loss[] },
  dialect: DialectId,
  options: ConvertOptions,
): ConvertedText {
  const { losses } = shaped;
  const { neutralise, contentType, edges, end } = options;
  // 0.1 has one end for all.
  const data = end === undefined || dialect === 'openchatml-0.1' ? shaped.data
    : { ...shaped.data, messages: withAnswerEnds(shaped.data.messages, end) };
  const { texts, losses: further } = transcriptTexts(data, dialect, { neutralise, contentType, edges });
  const { messages } = data;
  const all = [...losses, ...namesGained(messages), ...further];
  return options.asTexts === true ? { text: '', texts, record: null, messages, losses: all }
    : { text: texts.join(''), record: null, messages, losses: all };
}

/** These forms name every reply, so that the record it came from would gain the name. */
function namesGained(messages: readonly MessageData[]): Loss[] {
  return messages.flatMap((message, index): Loss[] =>
    isNamedFromCall(message) ? [nameGained(index)] : []);
}
