// What a conversion writes. Lines of JSON begin with an id, in raw text with the number of the transcript: a part that
// was begun before those ahead of it were counted says where such numbers stand.

import type { ChatRecord } from '../../formats/chat/read.ts';
import type { RecordWritten } from '../../formats/chat/record-messages.ts';
import type { ToolDefinition } from '../../model/data.ts';
import { partEnd } from '../../utf8.ts';
import { GatheredBytes } from './gathered-bytes.ts';
import type { Piece } from './job.ts';

type Id = string | number | null;

const RECORD_END = new TextEncoder().encode(']}\n');

const openingOf = (id: Id): string => `{"id":${JSON.stringify(id)},`;
/** Bytes of it behind the number. */
const AFTER_NUMBER = 2;

export class ConvertOutput extends GatheredBytes {
  readonly #isGuess: boolean;
  /** The JSON of a record's tools, by the definitions that they are made of: a third of what records hold. */
  readonly #known = new WeakMap<readonly ToolDefinition[], string>();

  /** `isGuess`: transcripts before are not counted yet. */
  constructor(isGuess: boolean) {
    super();
    this.#isGuess = isGuess;
  }

  /** A piece that was handed out, with the numbers in it that others have to count on. */
  numbered(piece: Piece): Piece {
    const { marks } = this;
    return piece instanceof Uint8Array && marks.length > 0 ? { bytes: piece, numbers: marks } : piece;
  }

  /** How a line begins, up to what stands behind its id. */
  *#open(id: Id): Generator<Uint8Array, void, void> {
    const opening = openingOf(id);
    if (this.#takeOpening(opening)) return;
    yield* this.flush();
    if (!this.#takeOpening(opening)) yield* this.addText(opening);
  }

  /** False: it would fill a piece. */
  #takeOpening(opening: string): boolean {
    if (!this.takeText(opening)) return false;
    if (this.#isGuess) this.mark(AFTER_NUMBER);
    return true;
  }

  /** A line of JSON: an id, and an object's members. `size`: bytes that they come from at most. */
  *addLine(id: Id, members: object, size: number): Generator<Uint8Array, void, void> {
    yield* this.#open(id);
    if (size < LONG || !holdsLong(members)) return yield* this.addText(`${JSON.stringify(members).slice(1)}\n`);
    let before = '';
    for (const [key, value] of Object.entries(members)) {
      if (value === undefined) continue;
      yield* this.#addValue(`${before}${JSON.stringify(key)}:`, value, '');
      before = ',';
    }
    yield* this.addText('}\n');
  }

  /** A chat record. `definitions`: what its tools are made of; `size`: bytes that it comes from at most. */
  *addRecord(
    id: Id, { tools, messages }: ChatRecord, definitions: readonly ToolDefinition[], size: number,
  ): Generator<Uint8Array, void, void> {
    let text = this.#known.get(definitions);
    if (text === undefined) this.#known.set(definitions, (text = JSON.stringify(tools)));
    yield* this.#open(id);
    yield* this.#addValue(`"tools":${text},"messages":`, messages, '}\n', size);
  }

  /** A chat record that was written from rows. */
  *addWritten(id: Id, { opening, messages }: RecordWritten): Generator<Uint8Array, void, void> {
    yield* this.#open(id);
    for (const bytes of [opening, messages, RECORD_END]) if (!this.take(bytes)) yield* this.add(bytes);
  }

  /** The JSON of a value between two texts. */
  *#addValue(before: string, value: unknown, after: string, size = Infinity): Generator<Uint8Array, void, void> {
    if (size < LONG || !holdsLong(value)) return yield* this.addText(`${before}${JSON.stringify(value)}${after}`);
    yield* this.addText(before);
    for (const part of partsOf(value)) yield* this.addText(part);
    yield* this.addText(after);
  }
}

/** Items of a list that are written together, and units of a text: all of a long one would be held beside it. */
const TOGETHER = 256;
const LONG = 1 << 16;

function holdsLong(value: unknown): boolean {
  if (typeof value === 'string') return value.length > LONG;
  if (typeof value !== 'object' || value === null) return false;
  if (Array.isArray(value)) return value.length > TOGETHER || value.some(holdsLong);
  // Objects of JSON have no members but their own; their values in a list would be new memory.
  for (const key in value) if (holdsLong((value as { readonly [name: string]: unknown })[key])) return true;
  return false;
}

/** The JSON of a value, what is long in parts. */
function* partsOf(value: unknown): Generator<string, void, void> {
  if (!holdsLong(value)) return yield JSON.stringify(value);
  if (typeof value === 'string') return yield* partsOfText(value);
  if (Array.isArray(value)) return yield* partsOfList(value);
  let before = '{';
  for (const [key, member] of Object.entries(value as object)) {
    if (member === undefined) continue;
    yield `${before}${JSON.stringify(key)}:`;
    yield* partsOf(member);
    before = ',';
  }
  yield '}';
}

function* partsOfList(list: readonly unknown[]): Generator<string, void, void> {
  let before = '[';
  for (let from = 0; from < list.length; ) {
    let to = from;
    while (to < list.length && to - from < TOGETHER && !holdsLong(list[to])) to++;
    yield before;
    if (to > from) yield JSON.stringify(list.slice(from, to)).slice(1, -1);
    else yield* partsOf(list[to++]);
    from = to;
    before = ',';
  }
  yield ']';
}

function* partsOfText(text: string): Generator<string, void, void> {
  yield '"';
  for (let from = 0; from < text.length; ) {
    const to = partEnd(text, from, LONG);
    yield JSON.stringify(text.slice(from, to)).slice(1, -1);
    from = to;
  }
  yield '"';
}
