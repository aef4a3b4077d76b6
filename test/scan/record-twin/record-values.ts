// What the twin of the record scanner reads values with: members, texts, words, the parts of a content. What of them is
// lost is counted here, too.

import * as abi from '../../../src/abi.ts';
import type { JsonNode } from './record-json.ts';

/** Whether JSON may hold a number that is beyond what a double holds. */
const holdsHuge = (json: string): boolean =>
  json.replaceAll(/"(?:[^"\\]|\\.)*"/g, '""').match(/[0-9.eE+-]+/g)?.some((number) => {
    return number.replace(/^-/, '').length > 200 || /e[+-]?[0-9]{3}/i.test(number);
  }) === true;

/** Containers in one another in arguments that are no string. */
export const DEEPEST_ARGUMENTS = 60;

// Why a record has no rows of its own.
export const RARE = Symbol('rare');
export const FULL = Symbol('full');

/** A line: in its text each character stands for a byte. */
export interface Line {
  readonly bytes: Uint8Array;
  readonly text: string;
  /** Where it begins in the input. */
  readonly from: number;
  /** From 0, in the scan. */
  readonly number: number;
}

/**
 * The members of an object that are known. Rare: one of them stands twice; one of `others` is there, which belong to
 * another form; an escape in a key, which may be one of all these.
 */
export function membersOf(
  { members }: JsonNode, known: readonly string[], others: readonly string[] = [],
): Map<string, JsonNode> {
  const found = new Map<string, JsonNode>();
  for (const [key, value] of members) {
    if (others.includes(key) || key.includes('\\')) throw RARE;
    if (!known.includes(key)) continue;
    if (found.has(key)) throw RARE;
    found.set(key, value);
  }
  return found;
}

export const isNull = (text: string, { from, to }: Span): boolean => text.slice(from, to) === 'null';

/** Whether an object has members that nothing is known of. */
export const hasOthers = (text: string, { members }: JsonNode, known: readonly string[]): boolean =>
  members.some(([key, value]) => !known.includes(key) && !isNull(text, value));

/** Unknown members of an object that are counted; what may be a number that a double does not hold. */
const MOST_OTHERS = 16;
const ROUNDED = /\d[eE]|[\d.]{16}/;

/** A member that may not be empty. */
export function filled(node: JsonNode): JsonNode {
  if (node.kind !== 'object' || node.members.length === 0) throw RARE;
  return node;
}

/** An escape; two of them where they are halves of one character. */
const ESCAPES = /\\(?:u[dD][89abAB]..\\u[dD][c-fC-F]..|u....|.)/g;
const LONE_HALF = /^\\u[dD][89a-fA-F]..$/;

/** Beside ESCAPED and CODED: a surrogate without a partner. */
const LONE = 0x400;

/** What stands in JSON: ESCAPED, CODED (an escape that a writer may leave out), LONE. */
export function escapesOf(json: string): number {
  let found = 0;
  for (const [escape] of json.matchAll(ESCAPES)) {
    found |= abi.ESCAPED;
    if (escape[1] === 'u' || escape[1] === '/') found |= abi.CODED;
    if (LONE_HALF.test(escape)) found |= LONE;
  }
  return found;
}

/** A value's place in the line. */
export interface Span {
  readonly from: number;
  readonly to: number;
}

/** What is read as text: BODY with its flags. */
export interface Text extends Span {
  readonly kind: number;
}

export interface Call {
  readonly id: Span | null;
  readonly name: Span | null;
  readonly given: Text | null;
}

/** A part of a content. */
export interface Block extends Span {
  readonly what: 'text' | 'other' | 'redacted_thinking' | 'thinking' | 'tool_use' | 'tool_result';
  readonly body: Text | null;
  readonly id: Span | null;
  readonly name: Span | null;
}

export const acts = ({ what }: Block): boolean => what !== 'text' && what !== 'other';

const PART_KEYS = ['type', 'text'];
const TEXT_TYPE = /^"(?:(?:input|output|summary|reasoning)_)?text"$/;
/** Types of parts for which a placeholder is shown, with their quotes. */
const SHOWN_TYPE = /^"(?=ima|aud|vid|fil|doc|inp)[a-z_]{1,32}"$/;
/** Those that act, with the members that they have. */
const ACTING: Readonly<Record<string, readonly string[]>> = {
  '"thinking"': ['thinking'], '"redacted_thinking"': [], '"tool_use"': ['id', 'name', 'input'],
  '"tool_result"': ['tool_use_id', 'content'],
};
/** The tag that says something in what each role says (R-HERMES). */
const TAGS: Readonly<Record<number, string>> = {
  [abi.ASSISTANT]: '<tool_call>', [abi.SYSTEM]: '<tools>', [abi.USER]: '<tool_response>', [abi.TOOL]: '<tool_response>',
};
/** Parts of a content. */
const MOST_BLOCKS = 256;

/** The record at hand: its values, and what is known of all of it. */
export class RecordValues {
  flags = abi.RECORD;
  /** What the TOOLS row says beside what is known of them. */
  toolsFlags = 0;
  /** Where definitions stand in what a system says. */
  writtenTools: Span | null = null;
  /** Fields that are lost, each told as one; words that are renamed. */
  lost = 0;
  readonly renamed = new Set<string>();
  readonly #text: string;
  /** Calls and replies are written in texts; calls stand by themselves. Rare: both. */
  #isWritten = false;
  #hasCalls = false;

  constructor({ text }: Line) {
    this.#text = text;
  }

  losesIf(does: boolean): void {
    if (does) this.flags |= abi.HAS_LOSSES;
  }

  loseFields(count: number): void {
    this.lost += count;
    this.losesIf(this.lost > abi.MOST_LOST);
  }

  /** Nobody counts what is lost. */
  loseUncounted(): void {
    this.losesIf(this.lost + this.renamed.size > 0);
  }

  /** Members that nothing is known of, in a record or an entry: each is a field that is lost. */
  loseOthers({ members }: JsonNode, known: readonly string[]): void {
    const others = members.filter(([key]) => !known.includes(key));
    const isOdd = new Set(others.map(([key]) => key)).size < others.length || others.length > MOST_OTHERS;
    const given = others.filter(([, value]) => !isNull(this.#text, value));
    const mayRound = others.some(([, value]) =>
      value.kind !== 'string' && ROUNDED.test(this.#text.slice(value.from, value.to)));
    this.losesIf(isOdd || mayRound);
    if (!isOdd && !mayRound) this.loseFields(given.length);
  }

  acts(how: 'written' | 'by-themselves'): void {
    if (how === 'written') this.#isWritten = true;
    else this.#hasCalls = true;
    if (this.#isWritten && this.#hasCalls) throw RARE;
  }

  /** Members stand where no chat record of OpenAI has them. */
  standsElsewhere(): void {
    this.toolsFlags |= abi.ELSEWHERE;
  }

  /** Definitions stand in a content. */
  takeTools(list: Span): void {
    if (this.writtenTools !== null) throw RARE;
    this.writtenTools = list;
    this.loseFields(1);
    this.standsElsewhere();
  }

  /** The members of an entry. */
  entryMembers(node: JsonNode, known: readonly string[], others: readonly string[] = []): Map<string, JsonNode> {
    this.loseOthers(node, known);
    return membersOf(node, known, others);
  }

  members(node: JsonNode, known: readonly string[], others: readonly string[] = []): Map<string, JsonNode> {
    this.losesIf(hasOthers(this.#text, node, known));
    return membersOf(node, known, others);
  }

  /** It is there, and is not null. */
  isGiven(node: JsonNode | undefined): node is JsonNode {
    return node !== undefined && !isNull(this.#text, node);
  }

  known(node: JsonNode | undefined, words: Readonly<Record<string, number>>): number {
    const id = node === undefined ? undefined : words[this.raw(node)];
    if (id === undefined) throw RARE;
    return id;
  }

  raw({ from, to }: Span): string {
    return this.#text.slice(from, to);
  }

  /** Text or nothing: what stands between the quotes. */
  string(node: JsonNode | undefined): Text | null {
    if (node === undefined || this.raw(node) === 'null') return null;
    if (node.kind !== 'string') throw RARE;
    return this.#body({ from: node.from + 1, to: node.to - 1 });
  }

  /** Whether a tag stands in a content that says something there from who has this role. */
  holdsTag(role: number, content: Text): boolean {
    const tag = TAGS[role];
    const raw = this.raw(content);
    if (tag === undefined || !raw.includes(tag)) return false;
    if ((content.kind & abi.PARTS) !== 0) return true;
    // A call begins a line, and text without escapes has one.
    if (role === abi.ASSISTANT && (content.kind & abi.ESCAPED) === 0) return raw.startsWith(tag);
    // A tool says nothing but replies.
    return role !== abi.TOOL || (content.kind & abi.VALUE) !== 0 || /^(?: |\\[nrt])*[<\\]/.test(raw);
  }

  /** A content of another form than entries of chat: one that holds a tag is rare. */
  refuseTags(role: number, content: Text | null): void {
    if (content !== null && this.holdsTag(role, content)) throw RARE;
  }

  /** A name or an id: text without escapes, or nothing. */
  word(node: JsonNode | undefined): Span | null {
    const text = this.string(node);
    if (text !== null && text.kind !== abi.BODY) throw RARE;
    return text;
  }

  /** Arguments that are an object. */
  object(node: JsonNode | undefined): Text {
    if (node?.kind !== 'object' || node.depth > DEEPEST_ARGUMENTS) throw RARE;
    if (holdsHuge(this.raw(node))) throw RARE;
    const body = this.#body(node);
    return { ...body, kind: body.kind | abi.VALUE };
  }

  /** What may be a body, with what stands in it. */
  #body({ from, to }: Span): Text {
    const escapes = escapesOf(this.raw({ from, to }));
    if ((escapes & LONE) !== 0) throw RARE;
    return { kind: abi.BODY | escapes, from, to };
  }

  /** The parts of a list. `before`: those of the content in which it stands; `isInReply`: it is a reply's. */
  parts({ items }: JsonNode, before = 0, isInReply = false): Block[] {
    const blocks: Block[] = [];
    for (const part of items) {
      if (part.kind === 'string') {
        this.#refuseCutTag(this.string(part));
        blocks.push({ what: 'other', from: part.from, to: part.to, body: null, id: null, name: null });
      } else blocks.push(this.#part(part, before + blocks.length, isInReply));
    }
    if (before + blocks.length > MOST_BLOCKS) throw RARE;
    return blocks;
  }

  /** The parts of a content: texts are joined, which is told. */
  joinParts(blocks: readonly Block[]): void {
    if (blocks.length > 0 && blocks.every(({ what }) => what === 'text')) this.loseFields(1);
    else this.flags |= abi.HAS_PARTS;
  }

  /** A part that ends in what may be a tag, with which the next one may go on. */
  #refuseCutTag(text: Text | null): void {
    if (text !== null && /<[a-z_]{0,13}$/.test(this.raw(text))) throw RARE;
  }

  #part(part: JsonNode, before: number, isInReply: boolean): Block {
    const has = this.members(filled(part), PART_KEYS);
    const type = has.get('type');
    const given = has.get('text');
    const text = this.string(given);
    if (given !== undefined && text === null) throw RARE;
    this.#refuseCutTag(text);
    const block = { from: part.from, to: part.to, body: text, id: null, name: null };
    const name = type === undefined ? '"text"' : this.raw(type);
    if (TEXT_TYPE.test(name)) {
      if (given === undefined) throw RARE;
      return { ...block, what: 'text' };
    }
    const members = ACTING[name];
    if (members === undefined) {
      if (!SHOWN_TYPE.test(name)) throw RARE;
      return { ...block, what: 'other' };
    }
    if (isInReply) throw RARE;
    return { ...block, ...this.#acting(name, membersOf(part, members), before) };
  }

  #acting(type: string, has: ReadonlyMap<string, JsonNode>, before: number): Omit<Block, keyof Span> {
    const what = JSON.parse(type) as Block['what'];
    const none = { what, body: null, id: null, name: null };
    switch (what) {
      case 'thinking': {
        const body = this.string(has.get('thinking'));
        if (body === null || body.from === body.to) throw RARE;
        return { ...none, body: inPart(body) };
      }
      case 'tool_use': {
        const body = this.object(has.get('input'));
        return { ...none, body, id: this.word(has.get('id')), name: this.word(has.get('name')) };
      }
      case 'tool_result': {
        const body = this.textOrParts(has.get('content'), before, true);
        return { ...none, body: body && inPart(body), id: this.word(has.get('tool_use_id')) };
      }
      default:
        return none;
    }
  }

  /** A text, or a list of parts; null: there is none. */
  textOrParts(node: JsonNode | undefined, before = 0, isInReply = false): Text | null {
    if (node?.kind !== 'list') return this.string(node);
    this.flags |= abi.HAS_PARTS;
    const blocks = this.parts(node, before, isInReply);
    if (blocks.some(acts)) throw RARE;
    return blocks.length === 0 ? { kind: abi.BODY | abi.PARTS, from: node.from, to: node.to } : bodyOf(blocks);
  }
}

export const inPart = (body: Text): Text => ({ ...body, kind: body.kind | abi.IN_PART });

/** The body that parts are together; a text by itself is that text. */
export function bodyOf(blocks: readonly Block[]): Text {
  const [first] = blocks;
  if (blocks.length === 1 && first!.what === 'text') return inPart(first!.body!);
  return { kind: abi.BODY | abi.PARTS, from: first!.from, to: blocks.at(-1)!.to };
}
