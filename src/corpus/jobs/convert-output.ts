// What a conversion writes. Lines of JSON begin with an id, in raw text with the number of the transcript: a part that
// was begun before those ahead of it were counted says where such numbers stand.

import type { ChatRecord } from '../../formats/chat/read.ts';
import type { ToolDefinition } from '../../model/data.ts';
import { GatheredBytes } from './gathered-bytes.ts';
import type { Piece } from './job.ts';

type Id = string | number | null;

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

  /** How a line begins, up to what stands behind its id, if it fills no piece; false: it would. */
  takeOpening(id: Id): boolean {
    return this.#takeOpening(openingOf(id));
  }

  *addOpening(id: Id): Generator<Uint8Array, void, void> {
    const opening = openingOf(id);
    yield* this.flush();
    if (!this.#takeOpening(opening)) yield* this.addText(opening);
  }

  #takeOpening(opening: string): boolean {
    if (!this.takeText(opening)) return false;
    if (this.#isGuess) this.mark(AFTER_NUMBER);
    return true;
  }

  /** A line of JSON: an id, and an object's members. */
  *addLine(id: Id, members: object): Generator<Uint8Array, void, void> {
    if (!this.takeOpening(id)) yield* this.addOpening(id);
    const values: unknown[] = Object.values(members);
    if (!values.some(isLong)) return yield* this.addText(`${JSON.stringify(members).slice(1)}\n`);
    let before = '';
    for (const [key, value] of Object.entries(members)) {
      if (value === undefined) continue;
      yield* this.addText(`${before}${JSON.stringify(key)}:`);
      for (const text of textsOf(value)) yield* this.addText(text);
      before = ',';
    }
    yield* this.addText('}\n');
  }

  /** A chat record. `definitions`: what its tools are made of. */
  *addRecord(
    id: Id, { tools, messages }: ChatRecord, definitions: readonly ToolDefinition[],
  ): Generator<Uint8Array, void, void> {
    let text = this.#known.get(definitions);
    if (text === undefined) this.#known.set(definitions, (text = JSON.stringify(tools)));
    if (!this.takeOpening(id)) yield* this.addOpening(id);
    const before = `"tools":${text},"messages":`;
    if (!isLong(messages)) return yield* this.addText(`${before}${JSON.stringify(messages)}}\n`);
    yield* this.addText(before);
    for (const part of textsOf(messages)) yield* this.addText(part);
    yield* this.addText('}\n');
  }
}

/** Items of a list that are written together: all of a long one would be held as text beside them. */
const TOGETHER = 256;

const isLong = (value: unknown): boolean => Array.isArray(value) && value.length > TOGETHER;

/** The JSON of a value, a list in parts. */
function* textsOf(value: unknown): Generator<string, void, void> {
  if (!Array.isArray(value)) return yield JSON.stringify(value);
  for (let from = 0; from < value.length; from += TOGETHER) {
    const items = JSON.stringify(value.slice(from, from + TOGETHER)).slice(1, -1);
    yield `${from === 0 ? '[' : ','}${items}`;
  }
  yield value.length === 0 ? '[]' : ']';
}
