// Texts of a record that stand beside a list of messages, or in its place: of the system; an instruction, its input and
// output. Where each of them lies, until the record ends, and the messages that they become.

import { ASSISTANT, BODY, FINAL, PARTS, SYSTEM, USER } from '../../src/abi';
import { writePlain, writeSaid } from './messages';
import { markElsewhere } from './state';
import { IN_RECORD, kindOfBody, textFrom, textTo, textValue } from './value';
import { refuseTags } from './written';

/** A text beside the messages, 16 bytes: its body's kind (0: there is none), its span. */
// @ts-ignore: decorator
@lazy const TEXTS: usize = memory.data(5 * 16, 16);
export const T_SYSTEM: usize = 0;
export const T_INSTRUCTIONS: usize = 16;
export const T_INSTRUCTION: usize = 32;
export const T_INPUT: usize = 48;
export const T_OUTPUT: usize = 64;

/** A record begins: it has none yet. */
export function beginBeside(): void { memory.fill(TEXTS, 0, 5 * 16); }

// @ts-ignore: decorator
@inline
export function kindAt(text: usize): u32 { return load<u32>(TEXTS + text); }
// @ts-ignore: decorator
@inline
export function fromAt(text: usize): usize { return load<u32>(TEXTS + text, 4); }
// @ts-ignore: decorator
@inline
export function toAt(text: usize): usize { return load<u32>(TEXTS + text, 8); }

/** The text at p, with its quotes. */
export function keepText(p: usize, text: usize): usize {
  p = textValue(p, IN_RECORD);
  if (p == 0 || textFrom == 0) return p;
  store<u32>(TEXTS + text, kindOfBody());
  store<u32>(TEXTS + text, <u32>textFrom, 4);
  store<u32>(TEXTS + text, <u32>textTo, 8);
  return p;
}

export function writeSystem(text: usize): void {
  const from = fromAt(text);
  markElsewhere();
  refuseTags(SYSTEM, kindAt(text), from, toAt(text));
  writePlain(SYSTEM, from - 1, toAt(text) + 1, 0, 0, kindAt(text), from, toAt(text));
}

/** The instruction, the input, or both as one message. */
export function writeAsked(): void {
  let kind = kindAt(T_INSTRUCTION);
  let from = fromAt(T_INSTRUCTION);
  let to = toAt(T_INSTRUCTION);
  if (fromAt(T_INPUT) != toAt(T_INPUT)) {
    const isAlone = from == to;
    kind = isAlone ? kindAt(T_INPUT) : BODY | PARTS;
    from = isAlone ? fromAt(T_INPUT) : min(from, fromAt(T_INPUT));
    to = isAlone ? toAt(T_INPUT) : max(to, toAt(T_INPUT));
  }
  refuseTags(USER, kind, from, to);
  writePlain(USER, from - 1, to + 1, 0, 0, kind, from, to);
}

export function writeOutput(): void {
  const from = fromAt(T_OUTPUT);
  const to = toAt(T_OUTPUT);
  refuseTags(ASSISTANT, kindAt(T_OUTPUT), from, to);
  writeSaid(FINAL, from - 1, to + 1, 0, 0, kindAt(T_OUTPUT), from, to);
}
