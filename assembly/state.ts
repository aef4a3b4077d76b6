// Where the machine is, between two calls. Positions are addresses in the window.

import { DIALECT_FLAGS, DIALECT_ROLES } from '../src/abi';
import { DIALECT } from './tokens';

// States of the frame machine.
export const AT_BEGIN: i32 = 0; // start of input: a byte order mark may follow
export const AT_ROLE_BEGIN: i32 = 1; // start of input that completes a caller's role
export const AT_ROLE_BLANK: i32 = 2; // the same, after the byte order mark
export const GAP: i32 = 3;
export const GAP_KEY: i32 = 4; // in a first line that may be `key:`; it began at `lineFrom`
export const GAP_DASHES: i32 = 5; // after `---`, in blanks; the line began at `lineFrom`
export const HEADER_LINE: i32 = 6; // at the beginning of a line of a document header
export const HEADER_REST: i32 = 7; // further in such a line
export const HEADER_MARKER: i32 = 8; // after `---` or `...` at its beginning, in blanks
export const FIELDS: i32 = 9; // in a message header
export const LINE: i32 = 10; // in a message header that ends at a newline
export const IN_BODY: i32 = 11;
export const IN_LITERAL: i32 = 12;
export const ENDED: i32 = 13; // the input has ended

/** The window, placed by the host; what is in [window, dataEnd) is input. `origin` is what positions count from. */
export let window: usize = 0;
export let dataEnd: usize = 0;
export let isFinal: bool = false;
export let origin: i32 = 0;
/** Dialect flags and roles. */
export let flags: u32 = 0;
export let roles: u32 = 0;

export let state: i32 = GAP;
/** Only a byte order mark and white space so far. */
export let first: bool = false;
/** The byte before is an LF in this gap (or the line is the first one). */
export let newline: bool = false;
/** Window position (may be negative) of the line that is being decided, or of the text of a caller's role. */
export let lineFrom: i32 = 0;
/** The document header has had a line with content; this line has (1: a comment, 2: content). */
export let hadContent: bool = false;
export let lineContent: i32 = 0;
/** Which words the field that is being read holds, and the window position of its text. */
export let fieldWords: i32 = 0;
export let fieldText: i32 = 0;

export function setState(value: i32): void { state = value; }
export function setFirst(value: bool): void { first = value; }
export function setNewline(value: bool): void { newline = value; }
export function setLineFrom(value: i32): void { lineFrom = value; }
export function setHadContent(value: bool): void { hadContent = value; }
export function setLineContent(value: i32): void { lineContent = value; }

// @ts-ignore: decorator
@inline
export function setFieldText(words: i32, position: i32): void {
  fieldWords = words;
  fieldText = position;
}

export function placeWindow(at: usize): void {
  window = at;
}

export function setInput(length: i32, final: bool, from: i32): void {
  dataEnd = window + <usize>length;
  isFinal = final;
  origin = from;
}

export function readDialect(): void {
  flags = load<u32>(DIALECT, DIALECT_FLAGS);
  roles = load<u32>(DIALECT, DIALECT_ROLES);
}

/** Position of an address, as rows count it. */
// @ts-ignore: decorator
@inline
export function position(p: usize): i32 {
  return <i32>(p - window) + origin;
}

const FARTHEST: i32 = -0x60000000;

/** The window moved forward by `bytes`. */
export function slidePositions(bytes: i32): void {
  // Neither is asked for how far away it is beyond that, and a wrapped one would lie ahead.
  lineFrom = max(lineFrom - bytes, FARTHEST);
  fieldText = max(fieldText - bytes, FARTHEST);
}

export function saveState(at: usize): void {
  store<i32>(at, state);
  store<i32>(at, lineFrom, 4);
  store<i32>(at, fieldText, 8);
  store<i32>(at, lineContent, 12);
  store<i32>(at, fieldWords, 16);
  store<u8>(at, <u8>first, 20);
  store<u8>(at, <u8>newline, 21);
  store<u8>(at, <u8>hadContent, 22);
  store<u8>(at, load<u8>(window - 1), 23);
}

export function restoreState(at: usize): void {
  state = load<i32>(at);
  lineFrom = load<i32>(at, 4);
  fieldText = load<i32>(at, 8);
  lineContent = load<i32>(at, 12);
  fieldWords = load<i32>(at, 16);
  first = load<bool>(at, 20);
  newline = load<bool>(at, 21);
  hadContent = load<bool>(at, 22);
  store<u8>(window - 1, load<u8>(at, 23));
}
