// The content of a body: its bytes without the `<` of escapes and without the tokens of literal blocks (R-ESCAPE,
// R-LITERAL).

import { ESCAPE, HAS_ESCAPE, LITERAL, UNTERMINATED } from '../abi.ts';
import { type Dialect, TOKEN_NAMES } from '../scan/dialects.ts';
import { decodeUtf8 } from '../utf8.ts';
import { fromOf, kindOf, kindWord, nextOf, type Table, toOf } from '../scan/table.ts';

/** Byte positions of the input, half open. */
interface Piece {
  readonly from: number;
  readonly to: number;
}

/** The content's spans in the body [from, to) of the message at `row`; null: it is simply the body. */
export function contentPieces(
  table: Table, row: number, dialect: Dialect, from: number, to: number,
): Iterable<Piece> | null {
  const end = nextOf(table, row);
  if (!(dialect.flags & HAS_ESCAPE)) return null;
  for (let below = row + 1; below < end; below++) {
    const rowFrom = fromOf(table, below);
    if (rowFrom < from || rowFrom >= to) continue;
    const kind = kindOf(table, below);
    if (kind === ESCAPE || kind === LITERAL) return piecesOf(table, below, end, from, to);
  }
  return null;
}

/** Cut at the rows [first, end). */
function* piecesOf(
  table: Table, first: number, end: number, from: number, to: number,
): Generator<Piece, void, void> {
  let at = from;
  for (let below = first; below < end; below++) {
    const rowFrom = fromOf(table, below);
    if (rowFrom >= to) break;
    const kind = kindOf(table, below);
    if (kind !== ESCAPE && kind !== LITERAL) continue;
    if (rowFrom > at) yield { from: at, to: rowFrom };
    if (kind === ESCAPE) {
      at = rowFrom + 1;
      continue;
    }
    const rowTo = toOf(table, below);
    const textFrom = rowFrom + TOKEN_NAMES[8]!.length + 4;
    const textTo = kindWord(table, below) & UNTERMINATED ? rowTo : rowTo - TOKEN_NAMES[9]!.length - 4;
    if (textTo > textFrom) yield { from: textFrom, to: textTo };
    at = rowTo;
  }
  if (to > at) yield { from: at, to };
}

/** Pieces on their way to be decoded; nobody else comes between. */
const gathered = new Uint8Array(16 * 1024);

/** The text of pieces, each decoded by itself; those that cannot make a character together are decoded at once. */
export function textOfPieces(source: { bytes(from: number, to: number): Uint8Array }, pieces: Iterable<Piece>): string {
  let length = 0;
  let text = '';
  const flush = (): void => {
    if (length > 0) text += decodeUtf8(gathered.subarray(0, length));
    length = 0;
  };
  for (const { from, to } of pieces) {
    if (length + to - from > gathered.length) flush();
    const bytes = source.bytes(from, to);
    if (bytes.length > gathered.length) {
      text += decodeUtf8(bytes);
      continue;
    }
    if (length > 0 && gathered[length - 1]! >= 0x80 && bytes[0]! >= 0x80) flush();
    gathered.set(bytes, length);
    length += bytes.length;
  }
  flush();
  return text;
}
