// Lines of text that arrives in pieces: they end at LF, CR or CRLF, wherever the pieces are cut.

import { type Source, SourceReader } from '../source.ts';

/** Bytes (UTF-8) or text. */
export type Piece = Uint8Array | string;
/** Pieces of bytes or text as they come, from a response's body for example. */
export type PieceSource = Source<Piece>;

/**
 * What a server sent is more than is read at once, or is not what it should be.
 *
 * @example
 * ```ts
 * import { ModelError, readCompletion } from 'openchatml/stream';
 *
 * async function* body() {
 *   yield 'data: {"error":{"message":"overloaded"}}\n\n';
 * }
 * try {
 *   for await (const { text } of readCompletion(body())) console.log(text);
 * } catch (error) {
 *   console.log(error instanceof ModelError); // true
 * }
 * ```
 */
export class ModelError extends Error {
  override readonly name: string = 'ModelError';
}

/** UTF-16 units of a line, and of the data of one event. */
export const LONGEST_LINE = 4 * 1024 * 1024;

/** Throws a RangeError for what bounds no line. */
export function checkLongest(longest: number): void {
  if (Number.isSafeInteger(longest) && longest >= 1) return;
  throw new RangeError(`option longest: expected a positive integer; got ${String(longest)}`);
}

export class LineReader {
  readonly #decoder = new TextDecoder();
  readonly #longest: number;
  #open = '';
  #isFirst = true;
  /** The last piece ended in CR: a LF that comes next belongs to it. */
  #endsInReturn = false;

  constructor(longest: number = LONGEST_LINE) {
    checkLongest(longest);
    this.#longest = longest;
  }

  /** The lines that have ended, without their ends. Throws a ModelError when one is too long. */
  feed(piece: Piece): string[] {
    if (typeof piece !== 'string') return this.#take(this.#decoder.decode(piece, { stream: true }));
    // Of bytes the decoder takes the mark away.
    const isMarked = this.#isFirst && piece.startsWith('\ufeff');
    if (piece !== '') this.#isFirst = false;
    return this.#take(isMarked ? piece.slice(1) : piece);
  }

  /** What is left: the last line, which has no end; none when it is empty. */
  end(): string[] {
    const lines = this.#take(this.#decoder.decode());
    const last = this.#open;
    this.#open = '';
    return last === '' ? lines : [...lines, last];
  }

  #take(piece: string): string[] {
    if (piece === '') return [];
    const text = this.#endsInReturn && piece.startsWith('\n') ? piece.slice(1) : piece;
    this.#endsInReturn = piece.endsWith('\r');
    const lines = text.split(/\r\n|\r|\n/);
    lines[0] = this.#open + lines[0]!;
    this.#open = lines.pop()!;
    if (lines.some((line) => line.length > this.#longest) || this.#open.length > this.#longest) {
      throw new ModelError(`a line is longer than ${this.#longest} characters`);
    }
    return lines;
  }
}

/** The pieces of a source of the function `name`. Text by itself is one piece. */
export function piecesOf(source: PieceSource, name: string): SourceReader<Piece> {
  return new SourceReader(typeof source === 'string' ? [source] : source, name);
}
