// Records whose messages stand under other names than lists of entries, for the twin: `prompt` with `completion`;
// `chosen` and `rejected`; `instruction`, `input`, `output`; items, which record-items.ts reads. And the system's text
// beside the messages.

import * as abi from '../../../src/abi.ts';
import { Entries } from './record-entries.ts';
import { Items } from './record-items.ts';
import type { JsonNode } from './record-json.ts';
import type { RecordRows } from './record-rows.ts';
import { escapesOf, filled, isNull, RARE, type Span, type Text } from './record-values.ts';

/** Members of these forms, beside `system`. */
const NAMES = ['instructions', 'instruction', 'input', 'output', 'history'];
/** Members whose values are kept until the record ends. */
const PAIR = ['prompt', 'completion', 'chosen', 'rejected'];

/** Names that others give to a prompt. */
const QUESTIONS = ['question', 'query', 'problem'];
/** Names of a question and its answer, and of the system's text before them. */
const SAID = [...QUESTIONS, 'answer', 'response', 'solution', 'system_prompt'];
/** Members that may be a request or its answer, a turn, or a list in a text: these come first. */
const BEFORE_THEM = ['body', 'params', 'request', 'choices', 'result', 'role', 'conversation'];
/** One that the builds know as another. */
const SAME: Readonly<Record<string, string>> = { query: 'question' };

type Members = JsonNode['members'];
type OtherForm = 'field' | 'items' | 'text' | 'completion' | 'lists' | 'answers' | 'instruction' | 'exchange';

/** The form in which the messages of a record's members stand; null: in none that is known here. */
export function formOf(text: string, members: Members, forms: number): OtherForm | null {
  if ((forms & abi.FORM_OTHERS) === 0) return null;
  const isField = members.some(isTextField) && !isCopied(text, members);
  if ((forms & abi.FORM_TRANSCRIPTS) !== 0 && isField) return 'field';
  const isList = ([key, { kind }]: readonly [string, JsonNode]): boolean =>
    ['input', 'output'].includes(key) && kind === 'list';
  if (members.some(isList)) return 'items';
  if (isField || isOfOther(text, members)) return null;
  if (members.some(([key]) => PAIR.includes(key) && key !== 'prompt')) return formOfPair(text, members);
  if (!hasPair(members) && hasTexts(members, 'instruction', 'output')) return 'instruction';
  return exchangeOf(text, members) === null ? null : 'exchange';
}

interface Exchange {
  readonly asked: string;
  readonly answered: string;
}

/** Where a question and its answer stand; null: there is none, or the host must find out. */
function exchangeOf(text: string, members: Members): Exchange | null {
  const isUnsure = members.some(([key, node]) => [...NAMES, ...BEFORE_THEM].includes(key)
    || ([...SAID, 'prompt'].includes(key) && node.kind !== 'string' && !isNull(text, node)));
  const names = [...SAID, 'prompt'].filter((name) => hasTexts(members, name));
  if (isUnsure || (names.includes('system_prompt') && hasTexts(members, 'system'))) return null;
  const asked = names.filter((name) => name === 'prompt' || QUESTIONS.includes(name));
  if (new Set(asked.map((name) => SAME[name] ?? name)).size !== 1) return null;
  const fitting = asked[0] === 'prompt' ? ['response'] : asked[0] === 'problem' ? ['solution'] : ['answer', 'response'];
  const answered = names.filter((name) => fitting.includes(name));
  return answered.length === 1 ? { asked: asked[0]!, answered: answered[0]! } : null;
}

/** Members of which nothing is lost, as they are messages. */
export function usedIn(text: string, members: Members, form: OtherForm | 'messages'): readonly string[] {
  if (form !== 'exchange') return MADE_OF[form] ?? [];
  return ['system', 'system_prompt', ...Object.values(exchangeOf(text, members)!)];
}

const MADE_OF: Readonly<Partial<Record<OtherForm | 'messages', readonly string[]>>> = {
  text: ['prompt', 'completion', 'system'],
  completion: ['prompt', 'completion'],
  instruction: ['system', 'instruction', 'input', 'output', 'history'],
};

const hasTexts = (members: Members, ...names: string[]): boolean =>
  names.every((name) => members.some(([key, { kind }]) => key === name && kind === 'string'));

const isSaid = (members: Members): boolean =>
  hasTexts(members, 'instruction', 'output') || hasTexts(members, 'prompt', 'completion');

/** Whether the member `text` may be a copy of what stands beside it: no token shows in it as it is written. */
function isCopied(text: string, members: Members): boolean {
  const field = members.findLast(isTextField)![1];
  const raw = text.slice(field.from + 1, field.to - 1);
  return isSaid(members) && ((escapesOf(raw) & abi.CODED) !== 0 || !TOKEN_START.test(raw));
}

/** Whether who says a message, or the first one of a list, may be an assistant. */
function mayAnswer(text: string, side: JsonNode): boolean {
  const first = side.kind === 'list' ? side.items[0] : side;
  if (first?.kind !== 'object') return false;
  const speaker = first.members.find(([key]) => key === 'role' || key === 'from')?.[1];
  return speaker === undefined || !['"user"', '"human"', '"system"'].includes(text.slice(speaker.from, speaker.to));
}

const isTextField = ([key, { kind }]: readonly [string, JsonNode]): boolean => key === 'text' && kind === 'string';

const hasPair = (members: Members): boolean => members.some(([key]) => PAIR.includes(key));

/** The values of PAIR that are there. */
const pairOf = (text: string, members: Members): (JsonNode | undefined)[] =>
  PAIR.map((name) => members.findLast(([key, node]) => key === name && !isNull(text, node))?.[1]);

function formOfPair(text: string, members: Members): OtherForm | null {
  const [prompt, completion, chosen, rejected] = pairOf(text, members);
  const are = (kind: JsonNode['kind'], ...nodes: (JsonNode | undefined)[]): boolean =>
    nodes.every((node) => node?.kind === kind);
  if (prompt !== undefined && completion !== undefined) {
    if (are('string', prompt, completion)) return 'text';
    return are('list', prompt, completion) ? 'completion' : null;
  }
  if (are('list', chosen, rejected)) return 'lists';
  return are('string', prompt ?? chosen, chosen, rejected) ? 'answers' : null;
}

/** Another form comes first, or a value is none that these forms have. */
const isOfOther = (text: string, members: Members): boolean => members.some(([key, node]) => {
  if (key === 'text') return node.kind !== 'string';
  if (!NAMES.includes(key) || isNull(text, node)) return false;
  if (key === 'history') return node.kind !== 'list' || node.items.length > 0;
  return node.kind !== 'string' && !(['input', 'output'].includes(key) && node.kind === 'list');
});

/** In a text: a token's beginning. Where a character is written as an escape, what may stand for one of it. */
const TOKEN_START = /<\|/;
/** The first `<|`, when it begins a token that a transcript mostly begins with. */
const FIRST_TOKEN = /^(?:(?!<\|).)*<\|(?:start|im_start|message|channel|fim_prefix|file_separator)\|>/s;
const CODED_START = /<\||00[37][cC]/;

/** Texts that may be a transcript's: a header or a blank begins them; a token or a header in them. */
const HEADER_START = /^(?:$|[\0-\x20#\-\\\xef]|[\w-]*(?:$|:))/;
const TRANSCRIPT_PART = /\\u00[2-7]|\\.|<|\[(?=[BE])|-(?=-)|version:/g;

/** Sides that are dialogues, and their turns. */
const DIALOGUE = /^\\n\\nHuman:/;
const TURNS = /\\n\\n(Human|Assistant): ?((?:(?!\\n\\n(?:Human|Assistant):)(?:\\.|[^\\]))*)/gs;

const mayHold = (raw: string): boolean =>
  (raw.match(TRANSCRIPT_PART) ?? []).some((part) => part[0] !== '\\' || part.length > 2);

/** What stands beside the lists of messages. */
export class OtherForms {
  readonly #record: RecordRows;
  readonly #responses: Items;
  readonly #line: string;
  readonly #isAny: boolean;
  readonly #takesTranscripts: boolean;
  readonly #texts = new Map<string, Text>();
  readonly #met = new Set<string>();
  #hasList = false;
  #hasItems = false;
  #isBeside = false;
  #items = 0;

  /** `line`: the record's text; `forms`: FORM_…. */
  constructor(record: RecordRows, line: string, forms: number) {
    this.#record = record;
    this.#responses = new Items(record);
    this.#line = line;
    this.#isAny = (forms & abi.FORM_OTHERS) !== 0;
    this.#takesTranscripts = (forms & abi.FORM_TRANSCRIPTS) !== 0;
  }

  /** The list of messages begins. */
  beforeEntries(): void {
    this.#hasList = true;
    if (!this.#isFilled('system')) return;
    this.#writeSystem('system');
    this.#isBeside = true;
  }

  /** A member that is no list of messages, in order. */
  take(key: string, node: JsonNode): void {
    if ((key === 'text' || SAID.includes(key)) && this.#isAny) this.#takeOnce(SAME[key] ?? key);
    if (key !== 'system' && !(this.#isAny && [...NAMES, ...PAIR].includes(key))) return;
    this.#takeOnce(key);
    if (PAIR.includes(key)) return;
    if (node.kind === 'string' && key !== 'history') {
      const text = this.#record.string(node)!;
      this.#texts.set(key, text);
      if (key === 'system' && this.#hasList && text.from < text.to) throw RARE;
    } else if (['input', 'output'].includes(key) && node.kind === 'list' && !this.#hasList) {
      if (key === 'input' && this.#met.has('output')) throw RARE;
      this.#takeItems(node);
    } else if (key === 'system' && this.#record.isGiven(node)) throw RARE;
  }

  /** Members that these forms have, or may have beside them. */
  knownIn(members: Members): readonly string[] {
    if (!this.#isAny) return ['system'];
    return ['system', 'text', ...NAMES, ...PAIR, ...SAID.filter((name) => hasTexts(members, name))];
  }

  /** Those of them that are not `used` are lost, each a field. */
  loseGiven(members: Members, used: readonly string[]): void {
    const known = this.knownIn(members);
    const given = members.filter(([key, node]) => known.includes(key) && !isNull(this.#line, node));
    const left = given.filter(([key]) => !used.includes(key));
    const isOdd = ([key, { kind }]: Members[number]): boolean => key === 'system' || kind !== 'string';
    this.#record.losesIf(left.some(isOdd));
    const texts = left.filter(([key]) => key === 'text');
    const others = left.filter(([key]) => key !== 'text');
    for (const some of [texts, others]) if (!some.some(isOdd)) this.#record.loseFields(some.length);
  }

  #takeOnce(key: string): void {
    if (this.#met.has(key)) throw RARE;
    this.#met.add(key);
  }

  /** The members are read: what is still to be written. */
  end(members: Members, form: OtherForm | 'messages', isShareGpt: boolean): void {
    const [prompt, completion, chosen, rejected] = pairOf(this.#line, members);
    const field = members.find(isTextField)?.[1];
    if (form !== 'messages' && field !== undefined && isSaid(members)) this.#refuseTokens(field);
    switch (form) {
      case 'messages':
        if (this.#hasItems) throw RARE;
        // The list may be what the sides of a preference answer.
        if (this.#isAny && chosen !== undefined && rejected !== undefined && mayAnswer(this.#line, chosen)) throw RARE;
        this.#endEntries(isShareGpt);
        break;
      case 'items': {
        const isLate = this.#texts.has('instructions') && !this.#isBeside;
        const isOther = isOfOther(this.#line, members) || hasPair(members) || members.some(isTextField);
        if (this.#items === 0 || this.#texts.has('input') || isLate || isOther) throw RARE;
        if (!this.#texts.has('output')) break;
        this.#record.standsElsewhere();
        this.#writeOutput();
        break;
      }
      case 'field':
        if (this.#hasItems) throw RARE;
        this.#writeText(field!);
        break;
      case 'text':
        this.#writeCompletion(prompt!, completion!);
        break;
      case 'completion':
        this.#writeLists([prompt!, completion!]);
        break;
      case 'lists': {
        const asks = prompt?.kind === 'string' || this.#mayAsk(prompt, members);
        if (asks && mayAnswer(this.#line, chosen!)) throw RARE;
        const before = prompt?.kind === 'list' ? [prompt] : [];
        this.#writeSides(chosen!, rejected!, (side) => this.#writeLists([...before, side]));
        break;
      }
      case 'answers': {
        if (this.#mayAsk(prompt, members)) throw RARE;
        const sides = [chosen!, rejected!];
        // What begins a turn may be written as codes.
        const isCoded = (side: JsonNode): boolean => (this.#record.string(side)!.kind & abi.CODED) !== 0;
        if (prompt === undefined && sides.some(isCoded)) throw RARE;
        const isDialogue = prompt === undefined && sides.every((side) => DIALOGUE.test(this.#raw(side)));
        this.#writeSides(chosen!, rejected!, (side) => this.#writeAnswer(prompt, side, isDialogue));
        break;
      }
      case 'exchange': {
        const { asked, answered } = exchangeOf(this.#line, members)!;
        const valueOf = (name: string): JsonNode | undefined => members.find(([key]) => key === name)?.[1];
        const system = valueOf('system_prompt');
        if (system?.kind === 'string') this.#texts.set('system', this.#record.string(system)!);
        this.#writeAnswer(valueOf(asked)!, valueOf(answered)!, false);
        break;
      }
      case 'instruction':
        this.#writeInstruction();
    }
  }

  /** Whether what a user asks may stand in a text under another name than `prompt`. */
  #mayAsk(prompt: JsonNode | undefined, members: Members): boolean {
    if (prompt !== undefined) return false;
    return members.some(([key]) => QUESTIONS.includes(key))
      || this.#texts.has('instruction') || this.#texts.has('input');
  }

  /** A message of the system among the others stands for the text beside them. */
  #endEntries(isShareGpt: boolean): void {
    if (this.#isBeside && !isShareGpt && this.#record.systems > 1) throw RARE;
  }

  #writeSides(chosen: JsonNode, rejected: JsonNode, write: (side: JsonNode) => void): void {
    write(chosen);
    this.#record.beginSide(() => write(rejected));
  }

  /** The messages of lists as one transcript. */
  #writeLists(lists: readonly JsonNode[]): void {
    this.#record.standsElsewhere();
    this.#record.beginMessages();
    this.#isBeside = false;
    this.beforeEntries();
    const entries = new Entries(this.#record);
    for (const { items } of lists) for (const entry of items) entries.take(entry);
    this.#endEntries(entries.isShareGpt);
  }

  #raw(node: JsonNode): string {
    return this.#record.raw({ from: node.from + 1, to: node.to - 1 });
  }

  /** The prompt if there is one, and the text of a side: an answer, or a dialogue. */
  #writeAnswer(prompt: JsonNode | undefined, side: JsonNode, isDialogue: boolean): void {
    const record = this.#record;
    record.standsElsewhere();
    record.beginMessages();
    if (this.#isFilled('system')) this.#writeSystem('system');
    if (prompt !== undefined) record.writePlain(prompt, abi.USER, null, this.#plainText(prompt, abi.USER));
    const text = this.#plainText(side, abi.ASSISTANT);
    if (isDialogue) this.#writeDialogue(side, text);
    else record.writeSaid(side, abi.FINAL, null, text);
  }

  /** The turns of a side as messages. */
  #writeDialogue(side: JsonNode, text: Text): void {
    const { from } = text;
    this.#record.refuseTags(abi.USER, text);
    for (const { 1: speaker, 2: said, index, 0: whole } of this.#raw(side).matchAll(TURNS)) {
      const to = from + index + whole.length;
      const body = { from: to - said!.length, to, kind: abi.BODY | (said!.includes('\\') ? abi.ESCAPED : 0) };
      if (speaker === 'Human') this.#record.writePlain(side, abi.USER, null, body);
      else this.#record.writeSaid(side, abi.FINAL, null, body);
    }
  }

  /** One text, or two that are one together: that of a transcript where a token stands in it, else two messages. */
  #writeCompletion(prompt: JsonNode, completion: JsonNode): void {
    const isCoded = [prompt, completion].some((node) => (this.#record.string(node)!.kind & abi.CODED) !== 0);
    const [first, second] = [this.#raw(prompt), this.#raw(completion)];
    if (!isCoded && TOKEN_START.test(first + second)) {
      if (!FIRST_TOKEN.test(TOKEN_START.test(first) ? first : second)) throw RARE;
      this.#writeTranscript([prompt, completion]);
      return;
    }
    const pieces = [first, second, first.slice(-1) + second.slice(0, 1)];
    if (isCoded && pieces.some((piece) => CODED_START.test(piece))) throw RARE;
    this.#writeAnswer(prompt, completion, false);
  }

  /** Beside what it may be a copy of: a text in which the first token is none that begins a transcript. */
  #refuseTokens(field: JsonNode): void {
    const raw = this.#raw(field);
    const isCoded = (this.#record.string(field)!.kind & abi.CODED) !== 0;
    if (isCoded ? CODED_START.test(raw) : TOKEN_START.test(raw) && !FIRST_TOKEN.test(raw)) throw RARE;
  }

  /** A text that may hold transcripts. */
  #writeText(node: JsonNode): void {
    const raw = this.#raw(node);
    this.#record.standsElsewhere();
    this.#record.toolsFlags |= abi.IS_TEXT;
    if (HEADER_START.test(raw) || mayHold(raw)) this.#writeTranscript([node]);
  }

  /** One text, or two that are one together. */
  #writeTranscript(nodes: readonly JsonNode[]): void {
    const record = this.#record;
    record.standsElsewhere();
    if (!this.#takesTranscripts) throw RARE;
    record.toolsFlags |= abi.IS_TEXT | abi.IS_TRANSCRIPT;
    record.writeTexts(nodes.map((node) => record.string(node)!));
  }

  /** One that holds a token is the text of a transcript, which is for the host. */
  #plainText(node: JsonNode, role: number): Text {
    const text = this.#record.string(node)!;
    this.#record.refuseTags(role, text);
    const isCoded = (text.kind & abi.CODED) !== 0;
    if ((isCoded ? CODED_START : TOKEN_START).test(this.#record.raw(text))) throw RARE;
    return text;
  }

  #isFilled(name: string): boolean {
    const text = this.#texts.get(name);
    return text !== undefined && text.to > text.from;
  }

  /** With its quotes. */
  #place(name: string): Span {
    const { from, to } = this.#texts.get(name)!;
    return { from: from - 1, to: to + 1 };
  }

  #writeSystem(name: string): void {
    this.#record.standsElsewhere();
    this.#record.refuseTags(abi.SYSTEM, this.#texts.get(name)!);
    this.#record.writePlain(this.#place(name), abi.SYSTEM, null, this.#texts.get(name)!);
  }

  #writeInstruction(): void {
    if (this.#isFilled('system')) this.#writeSystem('system');
    this.#record.standsElsewhere();
    const given = ['instruction', 'input'].filter((name) => this.#isFilled(name));
    const [name = 'instruction', other] = given;
    const { from, to } = this.#texts.get(name)!;
    const second = this.#texts.get(other ?? name)!;
    const both = { from: Math.min(from, second.from), to: Math.max(to, second.to) };
    const body = other === undefined ? this.#texts.get(name)! : { kind: abi.BODY | abi.PARTS, ...both };
    this.#record.refuseTags(abi.USER, body);
    this.#record.writePlain({ from: both.from - 1, to: both.to + 1 }, abi.USER, null, body);
    this.#writeOutput();
  }

  #writeOutput(): void {
    const text = this.#texts.get('output')!;
    this.#record.refuseTags(abi.ASSISTANT, text);
    this.#record.writeSaid(this.#place('output'), abi.FINAL, null, text);
  }

  #takeItems({ items }: JsonNode): void {
    if (!this.#hasItems && this.#texts.has('instructions')) {
      this.#writeSystem('instructions');
      this.#isBeside = true;
    }
    this.#hasItems = true;
    this.#items += items.length;
    for (const item of items) this.#responses.take(filled(item));
  }
}
