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

/**
 * Small pieces that wait to be decoded. Their text is as if each were decoded by itself; neighbours that cannot form a
 * character together are decoded at once.
 */
export class GatheredPieces {
  readonly #bytes: Uint8Array;
  #length = 0;

  /** `bytes`: room for them, which nobody else uses while something waits there. */
  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
  }

  /** False: the text of those that wait must be asked for first; where none wait, the piece is larger than the room. */
  take(piece: Uint8Array): boolean {
    const bytes = this.#bytes;
    const length = this.#length;
    const to = length + piece.length;
    if (to > bytes.length || (length > 0 && bytes[length - 1]! >= 0x80 && piece[0]! >= 0x80)) return false;
    bytes.set(piece, length);
    this.#length = to;
    return true;
  }

  /** The text of those that wait. */
  end(): string {
    const bytes = this.#bytes.subarray(0, this.#length);
    this.#length = 0;
    return decodeUtf8(bytes);
  }
}

const ROOM = new Uint8Array(16 * 1024);

/** The text of pieces. */
export function textOfPieces(source: { bytes(from: number, to: number): Uint8Array }, pieces: Iterable<Piece>): string {
  const gathered = new GatheredPieces(ROOM);
  let text = '';
  for (const { from, to } of pieces) {
    const piece = source.bytes(from, to);
    if (gathered.take(piece)) continue;
    text += gathered.end();
    if (!gathered.take(piece)) text += decodeUtf8(piece);
  }
  return text + gathered.end();
}
