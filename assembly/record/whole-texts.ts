// Texts in which whole transcripts stand: of the member `text`, and of a prompt with its completion.

import { mayHoldTranscript } from './plain-text';
import {
  hasRoom, isOdd, markElsewhere, markFull, markOdd, markText, markTranscript, numberOf, push, row,
} from './state';
import { IN_RECORD, kindOfBody, textFrom, textTo, textValue } from './value';

/** Whether such as may be transcripts are wanted. */
let isWanted: bool = false;
export function beginTexts(isTranscriptWanted: bool): void { isWanted = isTranscriptWanted; }

/** A text that may hold transcripts. */
export function writeText(p: usize): void {
  textValue(p, IN_RECORD);
  if (mayHoldTranscript(textFrom, textTo)) writeTranscript(p, 0);
  else {
    markElsewhere();
    markText();
  }
}

/** A text, or two (`second` 0: one): together the text of a transcript. */
export function writeTranscript(first: usize, second: usize): void {
  markElsewhere();
  if (!isWanted) markOdd();
  if (!hasRoom(2)) markFull();
  if (isOdd) return;
  markTranscript();
  writePiece(first);
  if (second != 0) writePiece(second);
}

function writePiece(p: usize): void {
  const kind = kindAtQuote(p);
  push(kind, textFrom, textTo, numberOf(row) + 1);
}

/** The kind of the text at p, which stands from `textFrom` to `textTo`. */
export function kindAtQuote(p: usize): u32 {
  textValue(p, IN_RECORD);
  return kindOfBody();
}
