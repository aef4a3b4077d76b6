// Records whose chats stand under other names: items of Responses, prompts with completions that are texts,
// preferences, of which each side is a chat, and instructions.

import { typeOf } from '../../formats/chat/responses.ts';
import { tokenOfText } from '../../formats/control-tokens/known.ts';
import { isShareGpt, without } from './chat-form.ts';
import type { FieldText, Path } from './entries.ts';
import type { CorpusRecord } from './record.ts';
import { isSaid } from './turns.ts';

type Fields = { readonly [name: string]: unknown };

/** A chat of a record. */
export interface Chat {
  /** The record to read. */
  readonly record: CorpusRecord;
  /** The fields whose lists, or texts, follow each other in it. */
  readonly names: readonly string[];
  /** Where these stand, if they are no members of the record. */
  readonly paths?: readonly Path[];
  readonly isText: boolean;
  /** Its form, where the entries do not tell it. */
  readonly form?: 'responses';
  /** Where its messages stand that are texts of fields. */
  readonly texts?: readonly FieldText[];
  /** A member of the record whose name the messages of `texts` take. */
  readonly hidden?: string | null;
  /** Which of several chats of the record it is. */
  readonly side: 'chosen' | 'rejected' | null;
}

export function textsOf({ record, names }: Chat): string[] {
  const fields = record.value as { readonly [name: string]: string };
  return names.map((name) => fields[name]!);
}

/** Whether a prompt and its completion are one text that holds transcripts: a token stands in it. */
export const arePieces = (prompt: string, completion: string): boolean => holdsToken(prompt + completion);

const TOKEN = /<\|[a-z_]+\|>/g;

/**
 * Whether the text of a record is to be read: beside a pair of COPIED it is a copy of them in a template, unless a
 * token stands in it.
 */
export const isTranscriptBeside = (fields: Fields, text: string): boolean =>
  !COPIED.some((names) => names.every((name) => typeof fields[name] === 'string')) || holdsToken(text);

/** Pairs of fields that are copied so. */
export const COPIED = [['prompt', 'completion'], ['instruction', 'output']] as const;

/** Whether a control token of a dialect stands in a text, which may be a transcript then: `<|` is an operator, too. */
export function holdsToken(text: string): boolean {
  for (const [token] of text.matchAll(TOKEN)) if (tokenOfText(token) !== undefined) return true;
  return false;
}
const SIDES = ['chosen', 'rejected'] as const;

/** The chats of a record that has none under the usual names; empty: it has none at all. */
export function otherChats(record: CorpusRecord): Chat[] {
  const fields = record.value as Fields;
  const { input, output, chosen, rejected, prompt, completion } = fields;
  if (typeof prompt === 'string' && typeof completion === 'string') {
    const said = [answer(completion, 'completion')];
    return [saidChat(record, without(fields, ['prompt', 'completion']), question(prompt, 'prompt'), said, null)];
  }
  // Messages, and the one that answers them.
  if (Array.isArray(input) && !Array.isArray(output) && isAnswer(output)) {
    const { instructions, system = instructions } = fields;
    const value = { ...without(fields, ['instructions']), ...(typeof instructions === 'string' && { system }) };
    return [{ record: { ...record, value }, names: ['input', 'output'], isText: false, side: null }];
  }
  if (hasItems(input) || hasItems(output)) {
    const names = ['input', 'output'].filter((name) => Array.isArray(fields[name]));
    const chat = { record, isText: false, form: 'responses', side: null } as const;
    if (typeof output !== 'string') return [{ ...chat, names }];
    const texts: FieldText[] = [];
    texts[(input as readonly unknown[]).length] = { name: 'output', at: 0 };
    return [{ ...chat, names: ['input', 'output'], texts }];
  }
  if (areSides(chosen, rejected)) return preferred(record, fields);
  if (typeof chosen === 'string' && typeof rejected === 'string') return preferredText(record, fields);
  const said = instructed(fields);
  if (said === null) return [];
  return [chatOfTexts(record, without(fields, ['system', 'instruction', 'input', 'output', 'history']), said, null)];
}

const ITEMS: ReadonlySet<unknown> = new Set([
  'message', 'reasoning', 'function_call', 'function_call_output', 'custom_tool_call', 'custom_tool_call_output',
]);

/** Whether a list holds items of Responses. */
export const hasItems = (list: unknown): boolean => Array.isArray(list) && list.some((item) => ITEMS.has(typeOf(item)));

/** Whether two values are the sides of a preference: lists of messages, or an answer each. */
const areSides = (...sides: readonly unknown[]): boolean => sides.every(Array.isArray) || sides.every(isAnswer);

/** Who says an answer, in the words of the forms. */
const ANSWERING: ReadonlySet<unknown> = new Set([
  'assistant', 'gpt', 'chatgpt', 'model', 'bot', 'function_call', 'tool_call',
]);

/** Whether a message, or the first one of a list, is an answer: what is asked stands elsewhere then. */
function isAnswer(side: unknown): boolean {
  const first: unknown = Array.isArray(side) ? side[0] : side;
  if (typeof first !== 'object' || first === null) return false;
  const { role, from } = first as Fields;
  return ANSWERING.has(role ?? from);
}

/** The record with one side only. */
const withSide = (record: CorpusRecord, fields: Fields, side: Chat['side']): CorpusRecord =>
  ({ ...record, value: without(fields, SIDES.filter((other) => other !== side)) });

/** Names of lists of messages, in the order in which they are looked for. */
export const LISTS = ['messages', 'conversations', 'conversation'] as const;

/** The list of messages of a record; undefined: it has none. */
export function listOf(fields: Fields): string | undefined {
  return LISTS.find((name) => {
    const list = fields[name];
    // Others call other things so, too.
    return Array.isArray(list) && (name !== 'conversation' || isSaid(list[0]));
  });
}

/** Whether the sides of a record are answers, to its list of messages where it has one. */
export const areAnswers = (value: unknown): boolean =>
  SIDES.every((side) => isAnswer((value as Fields | null)?.[side]));

/** The chats of a record whose sides answer its list of messages; empty: it is another record. */
export function answeredChats(record: CorpusRecord): Chat[] {
  if (typeof record.value !== 'object' || record.value === null) return [];
  const fields = record.value as Fields;
  if (!areAnswers(fields)) return [];
  const name = listOf(fields);
  if (name === undefined) return [];
  return SIDES.map((side) => ({
    record: withSide(record, fields, side), names: [name, side], isText: false, side,
  }));
}

function preferred(record: CorpusRecord, fields: Fields): Chat[] {
  const { prompt } = fields;
  const isAsked = SIDES.every((side) => isAnswer(fields[side]));
  const asked = isAsked ? askedOf(fields) : null;
  return SIDES.map((side) => {
    const own = withSide(record, fields, side);
    const rest = own.value as Fields;
    if (asked !== null && asked.said.content !== '') return askedChat(own, asked, side);
    // A prompt that is text is the first message of the lists, too.
    const isSaid = typeof prompt === 'string' && begins([fields[side]].flat(), prompt);
    const value = isSaid ? without(rest, ['prompt']) : rest;
    const names = Array.isArray(prompt) ? ['prompt', side] : [side];
    return { record: { ...own, value }, names, isText: false, side };
  });
}

/** The chat of a side behind what is asked, in a text of its own. */
function askedChat(record: CorpusRecord, { said, names }: Asked, side: 'chosen' | 'rejected'): Chat {
  const rest = without(record.value as Fields, names);
  const entries = [rest[side]].flat();
  const { role, content } = said;
  const prompt = [isShareGpt(entries) ? { from: 'human', value: content } : { role, content }];
  return {
    record: { ...record, value: { ...rest, prompt } }, names: ['prompt', side], isText: false, side, texts: [said],
  };
}

/** What a user asks, and the fields whose texts it is. */
interface Asked {
  readonly said: Said;
  readonly names: readonly string[];
}

const question = (content: string, name: string): Said => ({ role: 'user', content, name, at: 0 });

/** Other names for it. */
const QUESTIONS = ['question', 'query', 'problem'];

/** The question that the sides of a preference answer; null: there is none that is text. */
function askedOf(fields: Fields): Asked | null {
  const { prompt = null, instruction, input } = fields;
  if (typeof prompt === 'string') return { said: question(prompt, 'prompt'), names: ['prompt'] };
  if (prompt !== null) return null;
  const texts = Object.entries({ instruction, input }).filter(([, text]) => typeof text === 'string');
  const names = texts.map(([name]) => name);
  const said = instructionOf(fields, names);
  if (said.content !== '') return { said, names };
  const name = QUESTIONS.find((other) => typeof fields[other] === 'string' && fields[other] !== '');
  return name === undefined ? null : { said: question(fields[name] as string, name), names: [name] };
}

const begins = (list: readonly unknown[], text: string): boolean => {
  return list.some((entry) => (entry as { content?: unknown } | null)?.content === text);
};

/**
 * Sides that are text: of transcripts where a token stands in one of them, else an answer to the prompt, or without one
 * a dialogue of their own.
 */
function preferredText(record: CorpusRecord, fields: Fields): Chat[] {
  const { prompt = null } = fields;
  if (prompt !== null && typeof prompt !== 'string') return [];
  const asked = askedOf(fields);
  const texts = [asked?.said.content, fields['chosen'], fields['rejected']] as (string | undefined)[];
  // Two texts before a side are no text with it.
  const isText = (asked?.names.length ?? 1) === 1 && texts.some((text) => text !== undefined && holdsToken(text));
  const dialogues = isText || asked !== null ? null : SIDES.map((side) => dialogueIn(fields[side] as string, side));
  const isDialogue = dialogues?.every((turns) => turns !== null) ?? false;
  return SIDES.map((side, number) => {
    const own = withSide(record, fields, side);
    const names = asked?.names ?? [];
    if (isText) return { record: own, names: [...names, side], isText, side };
    const said = isDialogue ? dialogues![number]! : [answer(fields[side] as string, side)];
    return saidChat(record, without(own.value as Fields, [...names, side]), asked?.said ?? null, said, side);
  });
}

/** A message, and the field in whose text it stands. */
interface Said extends FieldText {
  readonly role: string;
  readonly content: string;
}

const answer = (content: string, name: string): Said => ({ role: 'assistant', content, name, at: 0 });

/** The system's text, if there is one. */
const systemOf = (system: unknown, name = 'system'): Said[] =>
  (typeof system === 'string' && system !== '' ? [{ role: 'system', content: system, name, at: 0 }] : []);

/** The system's text, what a user asks, and what is said behind it. */
function saidChat(
  record: CorpusRecord, rest: Fields, asked: Said | null, said: readonly Said[], side: Chat['side'],
): Chat {
  const { system } = rest;
  const value = typeof system === 'string' ? without(rest, ['system']) : rest;
  return chatOfTexts(record, value, [...systemOf(system), ...(asked === null ? [] : [asked]), ...said], side);
}

function chatOfTexts(record: CorpusRecord, rest: Fields, texts: readonly Said[], side: Chat['side']): Chat {
  const messages = texts.map(({ role, content }) => ({ role, content }));
  const hidden = (rest['messages'] ?? null) === null ? null : 'messages';
  const value = { ...rest, messages };
  return { record: { ...record, value }, names: ['messages'], isText: false, hidden, side, texts };
}

/** As Anthropic's HH-RLHF has it: each turn stands behind a blank line and its speaker. */
const TURN = /\n\n(Human|Assistant):/;
const SPEAKERS: Readonly<Record<string, string>> = { Human: 'user', Assistant: 'assistant' };

/** The messages of the text of a field that begins with such a turn of a human; null: it is none. */
function dialogueIn(text: string, name: string): Said[] | null {
  const [before, ...turns] = text.split(TURN);
  if (before !== '' || turns[0] !== 'Human') return null;
  let to = 0;
  return Array.from({ length: turns.length / 2 }, (_, i) => {
    const [speaker, said] = [turns[2 * i]!, turns[2 * i + 1]!];
    const content = said.startsWith(' ') ? said.slice(1) : said;
    to += BESIDE_SPEAKER + speaker.length + said.length;
    return { role: SPEAKERS[speaker]!, content, name, at: to - content.length, isPart: true };
  });
}

/** Two line feeds and a colon. */
const BESIDE_SPEAKER = 3;

/** Other names under which a question and its answer stand. */
const PAIRS: readonly (readonly [string, string])[] = [
  ['instruction', 'response'], ['instruction', 'answer'], ['prompt', 'response'], ['question', 'answer'],
  ['question', 'response'], ['query', 'response'], ['query', 'answer'], ['problem', 'solution'], ['input', 'output'],
];

/** The chat of a record that has nothing else than a question and its answer; empty: it is another record. */
export function pairedChats(record: CorpusRecord): Chat[] {
  const fields = record.value as Fields;
  const isText = (name: string): boolean => typeof fields[name] === 'string';
  const pair = PAIRS.find((names) => names.every(isText));
  // What else is asked, or said before, is text as well.
  const isOdd = (name: string): boolean => (fields[name] ?? null) !== null && !isText(name);
  if (pair === undefined || (pair[0] === 'input' && isText('instruction')) || SYSTEMS.some(isOdd)) return [];
  const [asked, answered] = pair;
  const { history = null } = fields;
  const system = SYSTEMS.find(isText);
  const isAlone = asked === 'prompt' && history === null && system === undefined;
  if (isAlone && arePieces(fields[asked] as string, fields[answered] as string)) {
    return [{ record, names: pair, isText: true, side: null }];
  }
  const context = asked === 'instruction' ? ['input', 'context'].filter(isText) : [];
  const before = historyOf(history);
  if (before === null) return [];
  const said = [
    ...(system === undefined ? [] : systemOf(fields[system], system)), ...before,
    instructionOf(fields, [asked, ...context]), answer(fields[answered] as string, answered),
  ];
  const used = [...pair, ...context, 'history', ...(system === undefined ? [] : [system])];
  return [chatOfTexts(record, without(fields, used), said, null)];
}

const SYSTEMS = ['system', 'system_prompt'];

/** `instruction`, `input` and `output` as messages, behind those of `history`. */
function instructed(fields: Fields): Said[] | null {
  const { system = null, instruction, input = null, output, history = null } = fields;
  const isText = (value: unknown): boolean => value === null || typeof value === 'string';
  if (typeof instruction !== 'string' || typeof output !== 'string' || !isText(input) || !isText(system)) return null;
  const before = historyOf(history);
  if (before === null) return null;
  return [...systemOf(system), ...before, instructionOf(fields, ['instruction', 'input']), answer(output, 'output')];
}

/** The turns that came before, as pairs of what a user said and what was answered; null: they are something else. */
function historyOf(history: unknown): Said[] | null {
  if (history === null) return [];
  if (!Array.isArray(history)) return null;
  const said: Said[] = [];
  for (const [i, pair] of (history as unknown[]).entries()) {
    if (!Array.isArray(pair) || pair.length !== 2 || !pair.every((text) => typeof text === 'string')) return null;
    const [asked, answered] = pair as [string, string];
    said.push({ role: 'user', content: asked, name: 'history', inner: [i, 0], at: 0 });
    said.push({ role: 'assistant', content: answered, name: 'history', inner: [i, 1], at: 0 });
  }
  return said;
}

/** The texts of the fields `names` that hold one, as one message of a user. */
function instructionOf(fields: Fields, names: readonly string[]): Said {
  const asked = names.filter((name) => typeof fields[name] === 'string' && fields[name] !== '');
  const content = asked.map((name) => fields[name]).join('\n\n');
  return { role: 'user', content, name: asked[0] ?? names[0]!, at: asked.length > 1 ? null : 0 };
}
