// Where the entries of a chat stand in its record: items of lists, the one turn that the record is, or texts of its
// fields, which are messages by themselves.

import { pointerTo } from '../../tools/json.ts';
import type { Spot } from './pointer.ts';

/** A message that is the text of a field. */
export interface FieldText {
  readonly name: string;
  /** Where the text stands in the field, when that is a list. */
  readonly inner?: readonly number[];
  /** UTF-16 code units of the text before the content; null: the content was put together of it and of others. */
  readonly at: number | null;
  /** The content is a part of the text, in which other messages stand, too. */
  readonly isPart?: boolean;
}

/** Steps to a value: names of members, numbers of items. */
export type Path = readonly (string | number)[];

export class Entries {
  readonly #lists: readonly Path[];
  readonly #lengths: readonly number[];
  readonly #texts: readonly FieldText[] | undefined;

  /**
   * `lists`: those that hold the entries, one or two, none where the record is the list. With a length of 0 such a
   * value is the one entry. `texts`: the messages, where they are no entries of lists.
   */
  constructor(lists: readonly Path[], lengths: readonly number[], texts?: readonly FieldText[]) {
    this.#lists = lists;
    this.#lengths = lengths;
    this.#texts = texts;
  }

  /** The text of which an entry is made, by its number in all lists; null: it is of another kind. */
  text(number: number): FieldText | null {
    return this.#texts?.[number] ?? null;
  }

  pointer(number: number): string {
    return this.#path(number).reduce<string>(pointerTo, '');
  }

  /** Null: it is not found. */
  spot(root: Spot, number: number): Spot | null {
    return this.#path(number).reduce<Spot | null>(
      (spot, step) => (typeof step === 'string' ? spot?.member(step) : spot?.item(step)) ?? null, root,
    );
  }

  #path(number: number): Path {
    const text = this.text(number);
    if (text !== null) return [text.name, ...text.inner ?? []];
    const [list, other] = this.#lists;
    const [length = 0, otherLength] = this.#lengths;
    if (list === undefined) return length === 0 ? [] : [number];
    if (number < length) return [...list, number];
    if (other === undefined) return list;
    return otherLength === 0 ? other : [...other, number - length];
  }
}
