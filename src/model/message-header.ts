// What a message's header says that is not plain, and where it ends: the words of its fields up to the body, or up to
// the first one that can only be body where the message token or the newline is missing (R-MISSING-MESSAGE).

import { BY_ROLE, EOF_END, NO_BODY_TOKEN, STRAY, STRIPPED } from '../abi.ts';
import { fromOf, kindWord, rowsBelow, type Table, toOf } from '../scan/table.ts';
import { frontWords, type HeaderMeaning, isPrompt, lineWords, type NamedRole, readMeaning } from './attributes.ts';
import type { Rescue } from './rescue.ts';
import { type Field, readFields } from './words.ts';

export interface Header {
  readonly meaning: HeaderMeaning;
  /** First byte after the header: the body's, when there is one. */
  readonly to: number;
  readonly openTurn: boolean;
  /** The header is not ended by its message token or newline. */
  readonly cut: boolean;
  /** The same with the places that its meaning has; without it they are right. */
  placed?(): Header;
}

export interface HeaderPlace {
  readonly table: Table;
  /** Of the message, and of its body. */
  readonly row: number;
  readonly bodyRow: number;
  /** First byte of the start field's text. */
  readonly textFrom: number;
  /** What is given instead of a start token; null: there is one. */
  readonly given: NamedRole | null;
  /** A likely message rather than an exact one (R-RESCUE). */
  readonly rescue: Rescue | null;
}

/** Length of `<|message|>`, and of `<|channel|>`. */
export const MESSAGE_TOKEN_BYTES = 11;

/** Of 2.x and Harmony. */
export function readHeader({ table, row, bodyRow, textFrom, given, rescue }: HeaderPlace): Header {
  const word = kindWord(table, row);
  const from = fromOf(table, row);
  const stop = fromOf(table, bodyRow);
  if (word & STRIPPED) {
    const fields = rescue!.strippedFields(table.source, from, stop);
    const meaning = readMeaning(fields, given, false, false, { from, headerTo: stop });
    return { meaning, to: stop, openTurn: false, cut: true };
  }
  const cut = (word & NO_BODY_TOKEN) !== 0;
  const { fields, hasLast } = readFields(table, row, textFrom, cut ? stop : stop - MESSAGE_TOKEN_BYTES);
  const hasGivenRole = (word & BY_ROLE) !== 0;
  let to = stop;
  let openTurn = false;
  const last = fields.length - 1;
  const field = fields[last]!;
  // The body begins in the last field: where that is not read, all is taken for header.
  if (cut && hasLast) {
    const count = frontWords(field, hasGivenRole && last === 0);
    // Where all that is read is header, the rest is taken for header, too.
    to = field.words[count]?.from ?? stop;
    openTurn = (word & EOF_END) !== 0 && last === 0 && given === null
      && isPrompt(field.words, false) && rowsBelow(table, row, STRAY).next().done === true;
    fields[last] = { ...field, words: field.words.slice(0, count) };
  }
  const loose = cut && hasLast && last === 0;
  const read = (of: readonly Field[]): HeaderMeaning => readMeaning(of, given, false, loose, { from, headerTo: to });
  const meaning = read(fields);
  const counting = rescue === null ? fields : rescue.countingFields(fields);
  if (counting === fields) return { meaning, to, openTurn, cut };
  // What is found stays so, and so does what is written.
  const { findings, attributes } = meaning;
  return { meaning: { ...read(counting), findings, attributes }, to, openTurn, cut };
}

/** Of 0.1. */
export function readLine({ table, row, bodyRow, textFrom, given }: HeaderPlace): Header {
  const word = kindWord(table, row);
  const from = fromOf(table, row);
  const bodyFrom = fromOf(table, bodyRow);
  const hasGivenRole = (word & BY_ROLE) !== 0;
  const newline = (word & NO_BODY_TOKEN) === 0;
  const textTo = newline && !hasGivenRole ? bodyFrom - 1 : bodyFrom;
  const field = readFields(table, row, textFrom, hasGivenRole ? from : textTo).fields[0]!;
  const count = hasGivenRole ? 0 : lineWords(field.words, newline);
  const words = field.words.slice(0, count);
  const to = field.words[count]?.from ?? bodyFrom;
  const whole = count === field.words.length;
  const bodyTo = toOf(table, bodyRow);
  return {
    meaning: readMeaning([{ ...field, words }], given, true, false, { from, headerTo: to }),
    to,
    openTurn: (word & EOF_END) !== 0 && !hasGivenRole && whole && bodyTo === bodyFrom && isPrompt(words, true),
    cut: !hasGivenRole && (!newline || !whole),
  };
}
