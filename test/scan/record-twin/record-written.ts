// What is written as text in contents between tags (R-HERMES), for the twin of the record scanner.

import * as abi from '../../../src/abi.ts';
import { type JsonNode, readJson } from './record-json.ts';
import { isToolName } from './record-rows.ts';
import { type Call, DEEPEST_ARGUMENTS, escapesOf, inPart, RARE, type Span, type Text } from './record-values.ts';

const PIECES = /\\u....|\\.|[^\\]/gs;
const LONGEST_THOUGHT = 1 << 18;
const MOST_REPLIES = 256;
const MOST_MISSES = 60;
const BLANK = /^[ \t\r\n]*$/;
const BLANKS = /[ \t\r\n]*/y;
/** Containers in one another in a call or a reply. */
const DEEPEST = DEEPEST_ARGUMENTS + 1;
const MOST_OPENED = 1024;

function behindBlanks(text: string, at: number): number {
  BLANKS.lastIndex = at;
  BLANKS.test(text);
  return BLANKS.lastIndex;
}

const withoutNewline = (text: string): string => text.replace(/\r?\n$/, '');

/** The inside of a string as text, and where its characters stand. */
class Inside {
  readonly text: string;
  readonly #raw: string;
  readonly #from: number;
  readonly #places: number[] = [];

  constructor(raw: string, from: number) {
    this.#raw = raw;
    this.#from = from;
    const pieces = raw.match(PIECES) ?? [];
    let at = 0;
    for (const piece of pieces) {
      this.#places.push(at);
      at += piece.length;
    }
    this.#places.push(at);
    this.text = pieces.map((piece) => (piece[0] === '\\' ? (JSON.parse(`"${piece}"`) as string) : piece)).join('');
  }

  span(from: number, to: number): Text {
    const [start, end] = [this.#places[from]!, this.#places[to]!];
    const kind = abi.BODY | escapesOf(this.#raw.slice(start, end));
    return { from: this.#from + start, to: this.#from + end, kind };
  }
}

interface Named {
  readonly to: number;
  readonly members: number;
  readonly name: Span | null;
  readonly given: JsonNode | null;
}

/** Behind the bracket that closes the one at `from`; -1: none does. */
function closing(text: string, from: number): number {
  const tokens = /"(?:\\[^]|[^"\\])*"|[[{]|[\]}]/g;
  tokens.lastIndex = from;
  let depth = 0;
  for (let token = tokens.exec(text); token !== null; token = tokens.exec(text)) {
    if ('[{'.includes(token[0])) depth++;
    else if (']}'.includes(token[0]) && --depth === 0) return tokens.lastIndex;
  }
  return -1;
}

/** The object at `from`, whose value of `key` is looked for; null: it is no JSON. */
function namedAt(text: string, from: number, key: string): Named | null {
  const to = text[from] === '{' ? closing(text, from) : -1;
  // Line feeds are white space in it.
  const node = to < 0 ? null : readJson(text.slice(from, to).replaceAll('\n', '\r'), DEEPEST);
  if (node === null) return null;
  if (node.members.some(([name]) => name.includes('\\'))) throw RARE;
  const valuesOf = (wanted: string): JsonNode[] =>
    node.members.filter(([name]) => name === wanted).map(([, value]) => value);
  const [names, given] = [valuesOf('name'), valuesOf(key)];
  if (names.length > 1 || given.length > 1) throw RARE;
  const [name] = names;
  if (name !== undefined && (name.kind !== 'string' || text.slice(from + name.from, from + name.to).includes('\\'))) {
    throw RARE;
  }
  const place = <T extends Span>(span: T): T => ({ ...span, from: from + span.from, to: from + span.to });
  return {
    to, members: node.members.length,
    name: name === undefined ? null : { from: from + name.from + 1, to: from + name.to - 1 },
    given: given[0] === undefined ? null : place(given[0]),
  };
}

/** A call object at `from`, with what is behind it. */
function callAt(inside: Inside, from: number): { call: Call; to: number } {
  const named = namedAt(inside.text, from, 'arguments');
  if (named === null || named.name === null || named.given?.kind !== 'object') throw RARE;
  const { name, given, to } = named;
  return { call: { id: null, name: inside.span(name.from, name.to), given: inside.span(given.from, given.to) }, to };
}

/** The call that is all of the inside of a string. */
export function callIn(raw: string, from: number): Call {
  const inside = new Inside(raw, from);
  const { call, to } = callAt(inside, behindBlanks(inside.text, 0));
  if (behindBlanks(inside.text, to) < inside.text.length) throw RARE;
  return { ...call, given: call.given && inPart(call.given) };
}

/** What an assistant says before the calls of a content, and the calls; null: there are none. */
export function writtenCalls(raw: string, from: number): { said: Text | null; calls: Call[] } | null {
  const inside = new Inside(raw, from);
  const { text } = inside;
  const closed = text.indexOf('</think>');
  const isOpened = text.startsWith('<think>', behindBlanks(text, 0));
  const front = closed >= 0 ? behindBlanks(text, closed + 8) : isOpened ? text.length : 0;
  if (front > 0 && raw.length > LONGEST_THOUGHT) throw RARE;
  const all = [...text.matchAll(/(?<![^\n])<tool_call>/g)].map(({ index }) => index);
  // The marker may stand in what a call gives.
  if (!isOpened && all.length > 0 && all[0]! < closed) throw RARE;
  const tags = all.filter((at) => at >= front);
  if (tags.length === 0) return null;
  const before = text.slice(0, tags[0]);
  const said = front > 0 && tags[0] === front ? before : withoutNewline(before);
  const calls = tags.map((at, i) => {
    const { call, to } = callAt(inside, behindBlanks(text, at + '<tool_call>'.length));
    const close = behindBlanks(text, to);
    const rest = text.slice(close, tags[i + 1]);
    if (!rest.startsWith('</tool_call>') || !BLANK.test(rest.slice('</tool_call>'.length))) throw RARE;
    return call;
  });
  return { said: BLANK.test(said) ? null : inside.span(0, said.length), calls };
}

/** What a user says, or a reply: `name` of the tool where the text tells it. */
export type Spoken = { readonly said: Text } | { readonly name: Span | null; readonly reply: Text };

/** What stands in a content with replies, in order; null: it holds none, or more than replies (`isAlone`). */
export function writtenReplies(raw: string, from: number, isAlone: boolean, author: string | null): Spoken[] | null {
  const inside = new Inside(raw, from);
  const { text } = inside;
  const replies = [...text.matchAll(/<tool_response>(.*?)<\/tool_response>/gs)];
  const spoken: (() => Spoken)[] = [];
  let at = 0;
  let isMixed = false;
  const takeText = (to: number): void => {
    const start = at;
    if (BLANK.test(text.slice(start, to))) return;
    isMixed = true;
    spoken.push(() => ({ said: inside.span(start, to) }));
  };
  for (const { 0: { length }, 1: said, index } of replies) {
    takeText(index);
    spoken.push(() => replyOf(inside, index + '<tool_response>'.length, said!, author));
    at = index + length;
  }
  takeText(text.length);
  if (replies.length === 0 || (isAlone && isMixed)) return null;
  if (replies.length > MOST_REPLIES) throw RARE;
  return spoken.map((make) => make());
}

/** The reply whose text `said` begins at `from`. `author`: the tool whose name is known. */
function replyOf(inside: Inside, from: number, said: string, author: string | null): Spoken {
  const { text } = inside;
  const to = from + said.length;
  const start = behindBlanks(text, from);
  if (text[start] === '{') {
    const named = namedAt(text, start, 'content');
    if (named === null && isDeep(text, start, to)) throw RARE;
    const isReply = named !== null && behindBlanks(text, named.to) === to && named.members === 2;
    if (isReply && named.name !== null && named.given !== null) {
      const own = text.slice(named.name.from, named.name.to);
      if (own !== '' && !isToolName(own)) throw RARE;
      if (author === null || own === '' || own === author) {
        const { from: begin, to: end, kind } = inside.span(named.given.from, named.given.to);
        const name = own === '' ? null : inside.span(named.name.from, named.name.to);
        const isString = text[named.given.from] === '"';
        return { name, reply: { from: begin, to: end, kind: isString ? kind | abi.VALUE : kind } };
      }
    }
  }
  const first = /^\r?\n/.exec(said)?.[0].length ?? 0;
  const body = withoutNewline(said.slice(first));
  return { name: null, reply: inside.span(from + first, from + first + body.length) };
}

/** JSON that nests deeper than a reply may, or may be such. */
function isDeep(text: string, from: number, to: number): boolean {
  const end = closing(text, from);
  const isJson = end >= 0 && readJson(text.slice(from, end).replaceAll('\n', '\r'), MOST_OPENED) !== null;
  return isJson || text.slice(from, to).replace(/[^[{]/g, '').length > MOST_OPENED;
}

/** Where definitions stand in what a system says, and whether anything else does; null: there are none. */
export function writtenTools(raw: string, from: number): { list: Span; isAlone: boolean } | null {
  const found: { at: number; close: number }[] = [];
  let misses = 0;
  if (raw.includes('<\\')) throw RARE;
  for (const { index: at } of raw.matchAll(/<tools>/g)) {
    const close = raw.indexOf('</tools>', at + 7);
    if (close < 0) break;
    if (/^(?: |\\[nrt])*[[{]/.test(raw.slice(at + 7))) found.push({ at, close });
    else if (++misses > MOST_MISSES) throw RARE;
  }
  const [first] = found;
  if (first === undefined) return null;
  if (found.length > 1) throw RARE;
  const { at, close } = first;
  const isAlone = /^(?:(?:\\r)?\\n)?$/.test(raw.slice(0, at)) && close + 8 === raw.length;
  return { list: { from: from + at + 7, to: from + close }, isAlone };
}
