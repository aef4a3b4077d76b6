// The texts of a record that a chat template may put into a transcript: every string, and every key, of its messages
// and tools; and the fields of plain text around them.

import { CALLING, OTHER_ROLES } from '../../formats/chat/roles.ts';
import { makesToken, tailOf } from '../../formats/control-tokens/find.ts';
import type { JsonPlace, JsonSpan } from '../records/json-place.ts';
import { answeredIn, requestOf } from '../records/request.ts';
import { isSaid, isTurn, turnsOf } from '../records/turns.ts';
import { holdsChat } from '../records/unit.ts';
import { fieldPath, heldAt, type Inner } from '../records/within.ts';
import { isObject, type JsonObject as Fields } from '../../tools/json.ts';

/** Where a value stands, for people: the steps to it, of deep ones the first. */
export interface Path {
  readonly outer: Path | null;
  readonly step: string | number;
  readonly depth: number;
}

export interface AuditField {
  /** Of a key, the path of its value. */
  readonly path: Path;
  /** The text is a key, not a value. */
  readonly isKey: boolean;
  readonly text: string;
  /** Where it stands in the record's bytes, with its quotes; null when that was not asked for. */
  readonly span: JsonSpan | null;
  /** Who says it; null: nobody in particular. */
  readonly role: string | null;
  /** What makes a token together with the beginning of the text; empty: nothing. */
  readonly before: string;
  /** What a template puts behind it. */
  readonly after: string;
  readonly edges: 'both' | 'start' | 'end' | 'none';
}

/** Fields that hold lists of messages; as a string, some hold plain text of one side. */
const LISTS = [
  'messages', 'conversations', 'conversation', 'input', 'output', 'prompt', 'completion', 'chosen', 'rejected',
  'preferred_output', 'non_preferred_output',
];
const TEXTS: Readonly<Record<string, string | null>> = {
  text: null,
  system: 'system', instructions: 'system', system_prompt: 'system',
  prompt: 'user', instruction: 'user', input: 'user', inputs: 'user', question: 'user', query: 'user', problem: 'user',
  completion: 'assistant', chosen: 'assistant', rejected: 'assistant', output: 'assistant', response: 'assistant',
  answer: 'assistant', solution: 'assistant', targets: 'assistant',
};
/** What stands beside such a field and goes into the same prompt; by itself it says nothing of a record. */
const BESIDE: Readonly<Record<string, string | null>> = { context: 'user', history: null };
/** The dialogue before, as pairs of what a user said and what was answered. */
const HISTORY = 'history';
const TOOLS = ['tools', 'functions'];
/** Fields that may be one message. */
const ANSWERS = ['output', 'chosen', 'rejected'];
/** Names of everything that is looked into, which columns of a table may have. */
export const AUDITED: readonly string[] = [...LISTS, ...Object.keys(TEXTS), ...Object.keys(BESIDE), ...TOOLS];
/** What of a message a template shows as its text. */
const CONTENT: ReadonlySet<string> = new Set([
  'content', 'value', 'text', 'thinking', 'reasoning_content', 'reasoning', 'output', 'summary',
]);
/** Items of Responses, which have no role. */
const ITEMS: Readonly<Record<string, string>> = {
  reasoning: 'assistant', function_call: 'assistant', function_call_output: 'tool',
};

/** The role that a message says it has. */
export const roleOf = (said: string): string =>
  OTHER_ROLES.get(said) ?? (CALLING.has(said) ? 'assistant' : said === 'function_response' ? 'tool' : said);

/** What ends a text: a `<` before it would make it an escape. */
const END = '<|end|>';
/** Keys that hold nothing to look for. */
const PLAIN_KEY = /^\w*$/;

export interface RecordTexts {
  readonly fields: readonly AuditField[];
  /** Whole transcripts, each in one field, or in the two of a prompt and its completion. */
  readonly transcripts: readonly (readonly AuditField[])[];
}

/**
 * The texts of a record; null: it has none of the fields. `named`: a field that the caller names, beside the known
 * ones. `root`: the places of the record's values, for spans.
 */
export function textsOf(record: unknown, named: string | null, root: JsonPlace | null = null): RecordTexts | null {
  if (Array.isArray(record)) return textsOfTurns(record, root);
  if (!isObject(record)) return null;
  const path = fieldPath(named ?? undefined);
  if (path !== null) {
    const holder = heldAt(record, path.holder);
    return textsBehind(record, holder, holder === null ? null : path.name, root);
  }
  // What other commands read is looked into, whatever stands beside it.
  if (named !== null || holdsChat(record)) return textsBehind(record, null, named, root);
  const held = [requestOf(record), ...answeredIn(record)].filter((one) => one !== null);
  const texts = [textsBehind(record, null, null, root), ...held.map((one) => textsOfHeld(record, one, null, root))];
  return merged(texts);
}

/** The texts of a record, and of an object in it; null: there is none. */
function textsBehind(
  record: Fields, holder: Inner | null, named: string | null, root: JsonPlace | null,
): RecordTexts | null {
  const isRecord = holder === null || holder.path.length === 0;
  const own = textsIn(record, isRecord ? named : null, (key) => itemOf(record, key, root));
  return isRecord ? own : merged([own, textsOfHeld(record, holder, named, root)]);
}

/** The texts of an object that a record holds. */
function textsOfHeld(
  record: Fields, { value, path: [first, ...path] }: Inner, named: string | null, root: JsonPlace | null,
): RecordTexts | null {
  const item = path.reduce<Item>((at, step) => {
    return inner(at, (at.value as { readonly [step: string | number]: unknown })[step], step);
  }, itemOf(record, first as string, root));
  return textsIn(value, named, (key) => inner(item, value[key], key));
}

function merged(texts: readonly (RecordTexts | null)[]): RecordTexts | null {
  const some = texts.filter((one) => one !== null);
  if (some.length < 2) return some[0] ?? null;
  return { fields: some.flatMap(({ fields }) => fields), transcripts: some.flatMap(({ transcripts }) => transcripts) };
}

/** The same of an object, whose members are the items. */
function textsIn(record: Fields, named: string | null, itemAt: (key: string) => Item): RecordTexts | null {
  const transcripts: AuditField[][] = [];
  const { prompt, completion } = record;
  const isPair = typeof prompt === 'string' && typeof completion === 'string' && isTranscript(prompt);
  const collector = new Collector();
  let isKnown = false;
  for (const key of Object.keys(record)) {
    const item = itemAt(key);
    if (Array.isArray(item.value) && (LISTS.includes(key) || key === named)) {
      isKnown = true;
      collector.messages(item.value, (value, i) => inner(item, value, i));
    } else if (typeof item.value === 'string' && (Object.hasOwn(TEXTS, key) || key === named)) {
      isKnown = true;
      if (isPair && (key === 'prompt' || key === 'completion')) continue;
      if ((key === 'text' || key === named) && isTranscript(item.value)) {
        transcripts.push([fieldOf(item)]);
        continue;
      }
      collector.text(item, TEXTS[key] ?? null);
    } else if (ANSWERS.includes(key) && isSaid(item.value)) {
      isKnown = true;
      collector.messages([item.value], () => item);
    } else if (TOOLS.includes(key)) collector.walk(item, null);
    else if (Object.hasOwn(BESIDE, key)) collector.beside(item, BESIDE[key]!);
  }
  if (!isKnown && isTurn(record)) {
    isKnown = true;
    collector.turn(record, itemAt);
  }
  if (isPair) transcripts.push(['prompt', 'completion'].map((key) => fieldOf(itemAt(key))));
  return isKnown ? { fields: collector.fields, transcripts } : null;
}

/** The texts of turns that a record is a list of; null: it is another list. */
function textsOfTurns(list: readonly unknown[], root: JsonPlace | null): RecordTexts | null {
  if (turnsOf(list) === null) return null;
  const collector = new Collector();
  collector.messages(list, (value, i) => ({
    value, path: { outer: null, step: i, depth: 0 }, place: within(root, i),
  }));
  return { fields: collector.fields, transcripts: [] };
}

/** Text that is a transcript, by its beginning and by a token that begins a message. */
export function isTranscript(text: string): boolean {
  return BEGINNING.test(text) && START.test(text);
}

/** The same of a text that holds such a token, by its bytes. */
export const beginsTranscript = (bytes: Uint8Array): boolean =>
  BEGINNING.test(Buffer.from(bytes.subarray(0, LONGEST_BEGINNING)).toString('latin1'));

/** Bytes in which most transcripts show by their beginning that they are some. */
const LONGEST_BEGINNING = 64;

const START = /<\|(?:(?:im_)?start|message)\|>/;
const BEGINNING =
  /^\ufeff?[ \t\r\n]*(?:---|version:|#|<s>|\[BOS\]|<\|(?:start|channel|message|im_start)\|>)/;

function itemOf(record: Fields, key: string, root: JsonPlace | null): Item {
  return { value: record[key], path: { outer: null, step: key, depth: 0 }, place: within(root, key) };
}

/** A text by itself. */
function fieldOf({ value, path, place }: Item): AuditField {
  return { path, isKey: false, text: value as string, span: place, role: null, before: '', after: '', edges: 'both' };
}

/** A value with its path and place. */
interface Item {
  readonly value: unknown;
  readonly path: Path;
  readonly place: JsonPlace | null;
}

const MOST_STEPS = 12;

function inner({ path, place }: Item, value: unknown, step: string | number): Item {
  const outer = path.depth === MOST_STEPS ? path : { outer: path, step, depth: path.depth + 1 };
  return { value, path: outer, place: within(place, step) };
}

function within(place: JsonPlace | null, step: string | number): JsonPlace | null {
  if (place === null || place.inner === null) return null;
  if (Array.isArray(place.inner)) return place.inner[step as number] ?? null;
  return place.inner.get(String(step)) ?? null;
}

/** Whether what stands behind a text may make a token with its end, or an escape. */
export const goesOn = (text: string): boolean => BEGUN.test(tailOf(text));
const BEGUN = /<(?:\|[\w-]*\|?)?$/;

/** The end of two texts that follow each other. A token's part that can go on holds a `<`. */
function joined(before: string, text: string): string {
  const end = tailOf(text);
  if (end.includes('<')) return end;
  return before === '' || end.length === text.length ? tailOf(before + end) : '';
}

class Collector {
  readonly fields: AuditField[] = [];
  /** The end of all content so far; of all that stands in the message at hand. */
  #content = '';
  #message = '';
  /** The first and the last content of the list at hand. */
  #first = -1;
  #last = -1;

  messages(list: readonly unknown[], itemOf: (value: unknown, i: number) => Item): void {
    this.#first = this.#last = -1;
    list.forEach((value, i) => this.#takeMessage(itemOf(value, i)));
    // The first and the last content of a list of messages are at the edges of a transcript.
    const isOne = this.#first === this.#last;
    this.#change(this.#first, { edges: isOne ? 'both' : 'start' });
    if (!isOne) this.#change(this.#last, { edges: 'end' });
    this.#content = this.#message = '';
  }

  /** A turn by itself: a record that is a message. */
  turn(fields: Fields, itemAt: (key: string) => Item): void {
    this.#takeMembers(fields, itemAt);
    this.#change(this.#first, { edges: 'both' });
  }

  /** A field of plain text. */
  text({ value, path, place }: Item, role: string | null): void {
    this.#add(value as string, path, place, role, false);
    this.#change(this.fields.length - 1, { after: END, edges: 'both' });
    this.#message = '';
  }

  /** What stands beside texts: a text, or the turns before, which stand in pairs or are messages. */
  beside(item: Item, role: string | null): void {
    const { value, path: { step } } = item;
    if (typeof value === 'string') this.text(item, role);
    else if (step !== HISTORY || !Array.isArray(value)) this.walk(item, role);
    else if (value.some(isObject)) this.messages(value, (one, i) => inner(item, one, i));
    else value.forEach((turn, i) => this.#takePair(inner(item, turn, i)));
    this.#message = '';
  }

  #takePair(pair: Item): void {
    if (!Array.isArray(pair.value)) return this.walk(pair, null);
    pair.value.forEach((text, i) => {
      const said = inner(pair, text, i);
      const role = i % 2 === 0 ? 'user' : 'assistant';
      if (typeof text === 'string') this.text(said, role);
      else this.walk(said, role);
    });
  }

  #takeMessage(message: Item): void {
    const { value } = message;
    this.#message = '';
    if (!isObject(value)) {
      this.walk(message, null, true);
      return;
    }
    this.#takeMembers(value, (key) => inner(message, value[key], key));
  }

  #takeMembers(value: Fields, memberOf: (key: string) => Item): void {
    const { role, from, type } = value;
    const said = typeof role === 'string' ? role : typeof from === 'string' ? from : null;
    const item = typeof type === 'string' && Object.hasOwn(ITEMS, type) ? ITEMS[type]! : null;
    const who = said === null ? item : roleOf(said);
    for (const key of Object.keys(value)) {
      const member = memberOf(key);
      this.#takeKey(key, member, who);
      this.walk(member, who, CONTENT.has(key));
    }
  }

  /** Every string within a value, in its order. Without recursion: values nest as deep as they like. */
  walk(whole: Item, role: string | null, isContent = false): void {
    const last = this.#last;
    if (typeof whole.value === 'string') this.#add(whole.value, whole.path, whole.place, role, isContent);
    else if (typeof whole.value === 'object' && whole.value !== null) this.#walkInto(whole, role, isContent);
    if (this.#last !== last) this.#change(this.#last, { after: END });
  }

  #walkInto(whole: Item, role: string | null, isContent: boolean): void {
    // A key of an object, when it is looked into, waits above its value.
    const open: (Item & { key?: string })[] = [whole];
    for (let next = open.pop(); next; next = open.pop()) {
      const { value, path, place, key } = next;
      if (key !== undefined) this.#takeKey(key, next, role);
      else if (typeof value === 'string') this.#add(value, path, place, role, isContent);
      else if (Array.isArray(value)) {
        for (let i = value.length - 1; i >= 0; i--) open.push(inner(next, value[i], i));
      } else if (isObject(value)) {
        for (const name of Object.keys(value).reverse()) {
          const item = inner(next, value[name], name);
          open.push(item);
          if (!PLAIN_KEY.test(name)) open.push({ ...item, key: name });
        }
      }
    }
  }

  #add(text: string, path: Path, span: JsonSpan | null, role: string | null, isContent: boolean): void {
    const before = makesToken(this.#message, text) ? this.#message
      : isContent && makesToken(this.#content, text) ? this.#content : '';
    this.fields.push({ path, isKey: false, text, span, role, before, after: '', edges: 'none' });
    this.#message = joined(this.#message, text);
    // Of a part, `type` and its like are no content.
    if (!isContent || (typeof path.step === 'string' && !CONTENT.has(path.step))) return;
    this.#content = joined(this.#content, text);
    this.#last = this.fields.length - 1;
    if (this.#first < 0) this.#first = this.#last;
  }

  #takeKey(key: string, { path, place }: Item, role: string | null): void {
    if (PLAIN_KEY.test(key)) return;
    const span = place?.key ?? null;
    this.fields.push({ path, isKey: true, text: key, span, role, before: '', after: '', edges: 'none' });
  }

  #change(index: number, change: Partial<AuditField>): void {
    if (index >= 0) this.fields[index] = { ...this.fields[index]!, ...change };
  }
}

const SHOWN_KEY = /^[A-Za-z_][\w-]{0,39}$/;
export const isShownKey = (key: string): boolean => SHOWN_KEY.test(key);

/** A path for people; a key that could be anything is not shown. */
export function pathText(path: Path): string {
  let text = '';
  for (let at: Path | null = path; at !== null; at = at.outer) {
    const { step, outer } = at;
    if (typeof step === 'number') text = `[${step}]${text}`;
    else text = `${SHOWN_KEY.test(step) ? (outer === null ? step : `.${step}`) : '[*]'}${text}`;
  }
  return path.depth === MOST_STEPS ? `${text}...` : text;
}
