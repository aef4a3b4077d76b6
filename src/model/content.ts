// The content of a body: its bytes without the `<` of escapes and without the tokens of literal blocks (R-ESCAPE,
// R-LITERAL).

import { ESCAPE, HAS_ESCAPE, LITERAL, UNTERMINATED } from '../abi.ts';
import { type Dialect, TOKEN_NAMES } from '../scan/dialects.ts';
import { fromOf, kindOf, kindWord, nextOf, type Table, toOf } from '../scan/table.ts';

/** Byte positions of the input, half open. */
interface Piece {
  readonly from: number;
  readonly to: number;
}

/** The content's spans in the body [from, to) of the message at `row`; null: it is simply the body. */
export function contentPieces(table: Table, row: number, dialect: Dialect, from: number, to: number): Piece[] | null {
  const end = nextOf(table, row);
  if (!(dialect.flags & HAS_ESCAPE) || row + 1 === end) return null;
  const pieces: Piece[] = [];
  let at = from;
  const cut = (until: number, then: number): void => {
    if (until > at) pieces.push({ from: at, to: until });
    at = then;
  };
  for (let below = row + 1; below < end; below++) {
    const rowFrom = fromOf(table, below);
    if (rowFrom < from || rowFrom >= to) continue;
    const kind = kindOf(table, below);
    if (kind === ESCAPE) {
      cut(rowFrom, rowFrom + 1);
    } else if (kind === LITERAL) {
      const rowTo = toOf(table, below);
      cut(rowFrom, rowFrom + TOKEN_NAMES[8]!.length + 4);
      cut(kindWord(table, below) & UNTERMINATED ? rowTo : rowTo - TOKEN_NAMES[9]!.length - 4, rowTo);
    }
  }
  if (pieces.length === 0 && at === from) return null;
  cut(to, to);
  return pieces;
}
