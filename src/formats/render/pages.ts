// Sections of a page, as renderHtml writes them, cut into pages of a bounded size: between messages, or within a long
// one. Whatever is open where a page ends is open again in the next one, with its headings; a message that is hidden
// stays in its closed details, with its label.

import { joined } from '../../model/bytes.ts';

/** UTF-8 bytes. From `soft` on the next message begins a page; at `hard` a page ends anywhere in a body. */
export interface PageBounds {
  readonly soft: number;
  readonly hard: number;
}

/** With what stands around, and what closes open elements and opens them again, a page is about 1 MiB. */
export const PAGE_BOUNDS: PageBounds = { soft: 768 * 1024, hard: 992 * 1024 };

/** Where in the inputs a page begins or ends: its headings, as HTML. */
export interface PagePlace {
  /** Of several inputs. */
  readonly input: string | null;
  readonly transcript: string | null;
}

export interface PageInfo {
  /** From 1. */
  readonly number: number;
  /** Messages, of which the first and the last may stand on other pages too. */
  readonly messages: number;
  readonly first: PagePlace;
  readonly last: PagePlace;
}

export interface PageSink {
  /** Of the page at hand; valid until the call is over. */
  write(bytes: Uint8Array): void;
  /** The page at hand is whole. */
  end(info: PageInfo, isLast: boolean): void;
}

interface Open {
  readonly name: string;
  /** What opens it again: its tag and its heading. */
  again: string;
  /** What was written of it, as long as it may be a heading; null: it is none. */
  heading: string | null;
}

const LT = 0x3c;
const GT = 0x3e;
const LF = 0x0a;
const AMPERSAND = 0x26;
const SEMICOLON = 0x3b;
/** Bytes of the longest entity that escaping writes. */
const LONGEST_ENTITY = 10;
/** Bytes before the end of a page in which the end of a line ends it. */
const LONGEST_LINE = 4096;
const HEADING = /^h[2-5]$/;
const BLOCKS: ReadonlySet<string> = new Set(['article', 'section']);
const BODY = '<div class="body"';
const LABEL = '<span class="label">';
/** What is hidden within a message, with its label. */
const CUT = '<span class="cut">';
const INPUT = '<section class="input">';
const CONTINUED = ' (continued)';

const ENCODER = new TextEncoder();
const DECODER = new TextDecoder();

export class Pages {
  readonly #sink: PageSink;
  readonly #bounds: PageBounds;
  #open: Open[] = [];
  #rest: Uint8Array = new Uint8Array(0);
  #number = 1;
  #size = 0;
  /** Bytes of the page at hand behind which no text stands. */
  #limit: number;
  #isInBody = false;
  /** The page ends before the next text of the body. */
  #isDue = false;
  #messages = 0;
  #first: PagePlace | null = null;
  #input: string | null = null;
  #transcript: string | null = null;

  constructor(sink: PageSink, bounds: PageBounds = PAGE_BOUNDS) {
    this.#sink = sink;
    this.#bounds = bounds;
    this.#limit = bounds.hard;
  }

  /** Takes what comes next, cut anywhere. */
  take(piece: Uint8Array): void {
    const bytes = this.#rest.length === 0 ? piece : joined(this.#rest, piece);
    let at = 0;
    while (at < bytes.length) {
      const tag = bytes.indexOf(LT, at);
      if (tag < 0) {
        const to = wholeTo(bytes, at);
        this.#text(bytes.subarray(at, to));
        at = to;
        break;
      }
      this.#text(bytes.subarray(at, tag));
      at = tag;
      const to = bytes.indexOf(GT, tag) + 1;
      if (to === 0) break;
      this.#tag(bytes.subarray(tag, to));
      at = to;
    }
    this.#rest = bytes.slice(at);
  }

  /** The input is over, wherever it broke off: all that is open ends. */
  endInput(): void {
    this.#rest = new Uint8Array(0);
    while (this.#open.length > 0) this.#write(`</${this.#open.pop()!.name}>`);
    this.#isInBody = false;
    this.#input = null;
    this.#transcript = null;
  }

  /** All has come. */
  end(): void {
    this.endInput();
    this.#endPage(true);
  }

  #write(html: Uint8Array | string): void {
    const bytes = typeof html === 'string' ? ENCODER.encode(html) : html;
    this.#size += bytes.length;
    this.#sink.write(bytes);
  }

  /** Only bodies are divided, before what does not fit or behind the end of a line: wherever pieces begin. */
  #text(text: Uint8Array): void {
    if (!this.#isInBody || this.#open.at(-1)!.heading !== null) {
      this.#record(text);
      this.#write(text);
      return;
    }
    for (let rest = text; rest.length > 0; ) {
      if (this.#isDue) this.#cut();
      const room = Math.max(0, this.#limit - this.#size);
      const line = rest.indexOf(LF, Math.max(0, room - LONGEST_LINE)) + 1;
      this.#isDue = line > 0 && line <= room;
      const to = this.#isDue ? line : rest.length <= room ? rest.length : cutAt(rest, room);
      if (to > 0) this.#write(rest.subarray(0, to));
      rest = rest.subarray(to);
      this.#isDue ||= rest.length > 0;
    }
  }

  #tag(bytes: Uint8Array): void {
    const tag = DECODER.decode(bytes);
    if (tag.startsWith('</')) {
      this.#record(bytes);
      this.#write(bytes);
      const closed = this.#open.pop();
      if (closed?.again.startsWith(BODY)) this.#isInBody = false;
      this.#close(closed);
      return;
    }
    const name = /^<([a-z0-9]+)/.exec(tag)![1]!;
    if (BLOCKS.has(name) && this.#size >= this.#bounds.soft) this.#cut();
    this.#record(bytes);
    const mayBeHeading = HEADING.test(name) || name === 'summary' || tag === LABEL;
    this.#open.push({ name, again: tag, heading: mayBeHeading ? tag : null });
    this.#write(bytes);
    if (tag.startsWith(BODY)) this.#isInBody = true;
    if (name !== 'article') return;
    this.#messages++;
    this.#first ??= this.#place;
  }

  /** Headings that are open hold what is written. */
  #record(bytes: Uint8Array): void {
    for (const open of this.#open) if (open.heading !== null) open.heading += DECODER.decode(bytes);
  }

  /** The heading of an element opens with it again. */
  #close(closed: Open | undefined): void {
    const above = this.#open.at(-1);
    if (closed === undefined || closed.heading === null || above === undefined) return;
    const { name, heading, again } = closed;
    if (name === 'span') {
      if (above.again === CUT) above.again += heading;
      return;
    }
    const isHeading = name === 'summary' ? above.name === 'details' : BLOCKS.has(above.name);
    if (!isHeading) return;
    const inner = heading.slice(again.length, -`</${name}>`.length);
    const isInput = above.again === INPUT;
    above.again += `${again}${inner}${CONTINUED}</${name}>\n`;
    if (isInput) this.#input = inner;
    else if (above.name === 'section') this.#transcript = inner;
  }

  get #place(): PagePlace {
    return { input: this.#input, transcript: this.#transcript };
  }

  #cut(): void {
    for (const { name } of [...this.#open].reverse()) this.#write(`</${name}>`);
    this.#endPage(false);
    this.#number++;
    this.#size = 0;
    this.#messages = this.#open.some(({ name }) => name === 'article') ? 1 : 0;
    this.#first = this.#messages > 0 ? this.#place : null;
    for (const { again } of this.#open) this.#write(again);
    this.#isDue = false;
    // Every page holds some text, however much is open.
    this.#limit = Math.max(this.#bounds.hard, this.#size + LONGEST_ENTITY);
  }

  #endPage(isLast: boolean): void {
    const last = this.#place;
    this.#sink.end({ number: this.#number, messages: this.#messages, first: this.#first ?? last, last }, isLast);
  }
}

/** Where a text that goes on may be taken up to: no entity and no character is cut. */
function wholeTo(bytes: Uint8Array, from: number): number {
  let to = bytes.length;
  let first = to - 1;
  while (first > from && first > to - 4 && (bytes[first]! & 0xc0) === 0x80) first--;
  const lead = bytes[first]!;
  if (lead >= 0xc0 && to - first < (lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : 2)) to = first;
  return outsideEntity(bytes, to, from);
}

/** Up to `most` bytes of a text, which is whole. */
function cutAt(text: Uint8Array, most: number): number {
  let to = most;
  while (to > 0 && (text[to]! & 0xc0) === 0x80) to--;
  return outsideEntity(text, to, 0);
}

function outsideEntity(bytes: Uint8Array, to: number, from: number): number {
  for (let at = to - 1; at >= from && at > to - LONGEST_ENTITY; at--) {
    if (bytes[at] === SEMICOLON) return to;
    if (bytes[at] === AMPERSAND) return at;
  }
  return to;
}
