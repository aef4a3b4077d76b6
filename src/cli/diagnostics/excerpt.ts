// The piece of a header that a diagnostic is about, for people to look at. Never a byte of a body: what is shown
// begins at the header's own tokens and ends at its `<|message|>`, or at the diagnostic's end when it is not sure
// where the header ends.

import type { InputSource } from '../../corpus/input/source.ts';
import { decodeUtf8 } from '../../utf8.ts';
import { escapeLine } from '../print.ts';
import type { Told } from './report.ts';
import { ruleOf } from './rule-of.ts';

/** Bytes that are looked at around a word, and characters that are shown of each part. */
const REACH = 256;
const SHOWN = 60;

export interface Excerpt {
  readonly line: string;
  /** Carets below what is meant. */
  readonly marks: string;
}

/** The excerpt of a diagnostic; null where it would show more than a header. */
export function excerptOf(input: InputSource, { rule, from, to }: Told): Excerpt | null {
  const { shows } = ruleOf(rule);
  if (to <= from || shows === undefined) return null;
  let begin = from;
  let end = Math.min(to, from + REACH);
  if (shows === 'word') {
    begin = Math.max(input.first, from - REACH);
    const before = headerBefore(latin1(input.bytes(begin, from)));
    begin += before.at;
    if (before.mayGoOn) end = to + restOfHeader(latin1(input.bytes(to, to + REACH)));
  }
  const bytes = Uint8Array.from(input.bytes(begin, end));
  const lineFrom = bytes.lastIndexOf(LF, from - begin - 1) + 1;
  const lf = bytes.indexOf(LF, from - begin);
  const lineTo = lf < 0 ? bytes.length : lf;
  const text = (a: number, b: number): string => escapeLine(decodeUtf8(bytes.subarray(a, Math.max(a, b))));
  const left = cutLeft(text(begin === from ? 0 : lineFrom, from - begin));
  const meant = cutRight(text(from - begin, Math.min(to - begin, lineTo)));
  const right = cutRight(text(Math.min(to - begin, lineTo), lineTo));
  return { line: left + meant + right, marks: ' '.repeat(left.length) + '^'.repeat(Math.max(1, meant.length)) };
}

const LF = 0x0a;
const latin1 = (bytes: Uint8Array): string => Buffer.from(bytes).toString('latin1');

const cutLeft = (text: string): string => (text.length > SHOWN ? `...${text.slice(3 - SHOWN)}` : text);
const cutRight = (text: string): string => (text.length > SHOWN ? `${text.slice(0, SHOWN - 3)}...` : text);

/** Where the header begins, in the text before one of its words; and whether it may be followed up to `<|message|>`. */
function headerBefore(text: string): { at: number; mayGoOn: boolean } {
  let nearest = text.length;
  let at = text.lastIndexOf('<|');
  while (at >= 0 && text[at - 1] !== '<') {
    if (text.startsWith('<|start|>', at)) return { at, mayGoOn: true };
    if (text.startsWith('<|im_start|>', at)) return { at, mayGoOn: false };
    if (!isField(text, at)) break;
    // Only the nearest field is certain to be of the same header, unless a start token follows.
    if (nearest === text.length) nearest = at;
    at = at === 0 ? -1 : text.lastIndexOf('<|', at - 1);
  }
  return { at: nearest, mayGoOn: nearest < text.length };
}

/** Length of the rest of a header that ends with `<|message|>`; 0 when it may end otherwise. */
function restOfHeader(text: string): number {
  let at = text.indexOf('<|');
  while (at >= 0 && text[at - 1] !== '<') {
    if (text.startsWith('<|message|>', at)) return at + '<|message|>'.length;
    if (!isField(text, at)) return 0;
    at = text.indexOf('<|', at + 1);
  }
  return 0;
}

function isField(text: string, at: number): boolean {
  return text.startsWith('<|channel|>', at) || text.startsWith('<|constrain|>', at);
}
