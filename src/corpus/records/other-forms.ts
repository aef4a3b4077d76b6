// Records whose chats stand under other names: items of Responses, prompts with completions that are texts,
// preferences, of which each side is a chat, and instructions.

import { typeOf } from '../../formats/chat/responses.ts';
import { tokenOfText } from '../../formats/control-tokens/known.ts';
import { without } from './chat-form.ts';
import type { FieldText } from './entries.ts';
import type { CorpusRecord } from './record.ts';

type Fields = { readonly [name: string]: unknown };

/** A chat of a record. */
export interface Chat {
  /** The record to read. */
  readonly record: CorpusRecord;
  /** The fields whose lists, or texts, follow each other in it. */
  readonly names: readonly string[];
  readonly isText: boolean;
  /** Its form, where the entries do not tell it. */
  readonly form?: 'responses';
  /** Where its messages stand that are texts of fields. */
  readonly texts?: readonly FieldText[];
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
    return [saidChat(record, without(fields, ['prompt', 'completion']), prompt, said, null)];
  }
  if (hasItems(input) || hasItems(output)) {
    const names = ['input', 'output'].filter((name) => Array.isArray(fields[name]));
    return [{ record, names, isText: false, form: 'responses', side: null }];
  }
  if (Array.isArray(chosen) && Array.isArray(rejected)) return preferred(record, fields);
  if (typeof chosen === 'string' && typeof rejected === 'string') return preferredText(record, fields);
  const said = instructed(fields);
  if (said === null) return [];
  return [chatOfTexts(record, without(fields, ['system', 'instruction', 'input', 'output', 'history']), said, null)];
}

const ITEMS: ReadonlySet<unknown> = new Set(['message', 'reasoning', 'function_call', 'function_call_output']);

const hasItems = (list: unknown): boolean => Array.isArray(list) && list.some((item) => ITEMS.has(typeOf(item)));

function preferred(record: CorpusRecord, fields: Fields): Chat[] {
  const { prompt } = fields;
  return SIDES.map((side) => {
    const rest = without(fields, SIDES.filter((other) => other !== side));
    // A prompt that is text is the first message of the lists, too.
    const isSaid = typeof prompt === 'string' && begins(fields[side] as readonly unknown[], prompt);
    const value = isSaid ? without(rest, ['prompt']) : rest;
    const names = Array.isArray(prompt) ? ['prompt', side] : [side];
    return { record: { ...record, value }, names, isText: false, side };
  });
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
  const texts = [prompt, fields['chosen'], fields['rejected']] as (string | null)[];
  const isText = texts.some((text) => text !== null && holdsToken(text));
  const dialogues = isText || prompt !== null ? null : SIDES.map((side) => dialogueIn(fields[side] as string, side));
  const isDialogue = dialogues?.every((turns) => turns !== null) ?? false;
  return SIDES.map((side, number) => {
    const rest = without(fields, SIDES.filter((other) => other !== side));
    if (isText) {
      const names = prompt === null ? [side] : ['prompt', side];
      return { record: { ...record, value: rest }, names, isText, side };
    }
    const said = isDialogue ? dialogues![number]! : [answer(fields[side] as string, side)];
    return saidChat(record, without(rest, ['prompt', side]), prompt, said, side);
  });
}

/** A message, and the field in whose text it stands. */
interface Said extends FieldText {
  readonly role: string;
  readonly content: string;
}

const answer = (content: string, name: string): Said => ({ role: 'assistant', content, name, at: 0 });

/** The system's text, if there is one. */
const systemOf = (system: unknown): Said[] =>
  (typeof system === 'string' && system !== '' ? [{ role: 'system', content: system, name: 'system', at: 0 }] : []);

/** The system's text, the prompt as a user's, and what is said behind it. */
function saidChat(
  record: CorpusRecord, rest: Fields, prompt: string | null, said: readonly Said[], side: Chat['side'],
): Chat {
  const { system } = rest;
  const asked = prompt === null ? [] : [{ role: 'user', content: prompt, name: 'prompt', at: 0 }];
  const value = typeof system === 'string' ? without(rest, ['system']) : rest;
  return chatOfTexts(record, value, [...systemOf(system), ...asked, ...said], side);
}

function chatOfTexts(record: CorpusRecord, rest: Fields, texts: readonly Said[], side: Chat['side']): Chat {
  const messages = texts.map(({ role, content }) => ({ role, content }));
  return { record: { ...record, value: { ...rest, messages } }, names: ['messages'], isText: false, side, texts };
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

/** `instruction`, `input` and `output` as messages. */
function instructed(fields: Fields): Said[] | null {
  const { system = null, instruction, input = null, output, history = null } = fields;
  const isText = (value: unknown): boolean => value === null || typeof value === 'string';
  if (typeof instruction !== 'string' || typeof output !== 'string' || !isText(input) || !isText(system)) return null;
  // Turns that came before are no list of messages.
  if (history !== null && !(Array.isArray(history) && history.length === 0)) return null;
  const asked = Object.entries({ instruction, input }).filter(([, text]) => text !== null && text !== '');
  return [
    ...systemOf(system),
    {
      role: 'user', content: asked.map(([, text]) => text).join('\n\n'), name: asked[0]?.[0] ?? 'instruction',
      at: asked.length > 1 ? null : 0,
    },
    answer(output, 'output'),
  ];
}
