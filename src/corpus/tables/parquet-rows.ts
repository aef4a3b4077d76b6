// Rows of nested columns, put together value by value from the levels of their columns: as the library would, but of
// one row at a time. It puts whole row groups together, which takes ten times the memory of what they hold.

import type { SchemaTree } from 'hyparquet';
import type { ColumnValues } from './parquet-column.ts';
import type { PageLibrary } from './parquet-library.ts';
import { MapValue, PARSERS } from './parquet-values.ts';

const UNEQUAL = 'parquet columns of a value have other levels';

/** A node of the schema, with the columns that it is made of. */
export class RowNode {
  readonly name: string;
  readonly #columns: readonly ColumnValues[];
  readonly #children: readonly RowNode[];
  readonly #library: PageLibrary;
  readonly #kind: 'leaf' | 'group' | 'list' | 'map' | 'variant';
  readonly #isRepeated: boolean;
  /** The levels from which on it is there, and at which it goes on with a further item. */
  readonly #definition: number;
  readonly #repetition: number;

  /** `columnOf`: the column of a leaf. `definition`, `repetition`: levels of what it stands in. */
  constructor(
    schema: SchemaTree, columnOf: (leaf: SchemaTree) => ColumnValues, library: PageLibrary, definition = 0,
    repetition = 0,
  ) {
    const { name, repetition_type: type, logical_type: logical } = schema.element;
    this.name = name;
    this.#library = library;
    this.#isRepeated = type === 'REPEATED';
    this.#definition = type === 'REQUIRED' ? definition : definition + 1;
    this.#repetition = this.#isRepeated ? repetition + 1 : repetition;
    this.#children = schema.children.map((child) =>
      new RowNode(child, columnOf, library, this.#definition, this.#repetition));
    const isLeaf = schema.children.length === 0;
    this.#columns = isLeaf ? [columnOf(schema)] : this.#children.flatMap((child) => child.#columns);
    this.#kind = isLeaf ? 'leaf' : library.isListLike(schema) ? 'list' : library.isMapLike(schema) ? 'map'
      : logical?.type === 'VARIANT' ? 'variant' : 'group';
  }

  /** True: a row begins. False: there is no further one in any column. Throws an Error where they differ. */
  get hasRow(): boolean {
    const [first] = this.#columns;
    const isOver = first!.isOver;
    for (const column of this.#columns) {
      if (column.isOver !== isOver || column.repetition > 0) throw new Error(UNEQUAL);
    }
    return !isOver;
  }

  /** The next value. */
  read(): unknown {
    return this.#isRepeated ? this.#items(() => this.#one()) : this.#one();
  }

  /** The value, or an item of it where it is repeated. */
  #one(): unknown {
    if (this.#kind === 'leaf') {
      const [column] = this.#columns;
      const { value } = column!;
      column!.next();
      return value;
    }
    if (!this.#isThere()) return this.#pass(null);
    const [child] = this.#children;
    if (this.#kind === 'list') return child!.#items(() => child!.#item());
    if (this.#kind === 'map') {
      const key = child!.#children.find(({ name }) => name === 'key');
      const value = child!.#children.find(({ name }) => name === 'value');
      if (key === undefined || value === undefined) throw new Error('parquet map lacks its key or its value');
      return new MapValue(child!.#items(() => [key.read(), value.read()] as const));
    }
    const members: Record<string, unknown> = {};
    for (const one of this.#children) {
      const member = one.read();
      if (one.name === '__proto__') Object.defineProperty(members, one.name, { value: member, enumerable: true });
      else members[one.name] = member;
    }
    if (this.#kind === 'group') return members;
    return this.#library.decodeVariantColumn(members, { ...this.#library.DEFAULT_PARSERS, ...PARSERS } as never);
  }

  /** An item of a list: what the repeated node holds, or where lists have two levels the node itself. */
  #item(): unknown {
    return this.#children.length === 1 ? this.#children[0]!.read() : this.#one();
  }

  #items<T>(read: () => T): T[] {
    const items: T[] = [];
    if (!this.#isThere()) return this.#pass(items);
    do items.push(read()); while (this.#goesOn());
    return items;
  }

  #isThere(): boolean {
    const [first] = this.#columns;
    const isThere = first!.definition >= this.#definition;
    for (const column of this.#columns) {
      if (column.isOver || column.definition >= this.#definition !== isThere) throw new Error(UNEQUAL);
    }
    return isThere;
  }

  /** A further item follows. */
  #goesOn(): boolean {
    const [first] = this.#columns;
    const goesOn = first!.repetition === this.#repetition;
    for (const column of this.#columns) {
      if (column.repetition === this.#repetition !== goesOn) throw new Error(UNEQUAL);
    }
    return goesOn;
  }

  /** Passes the entry that stands for what is not there. */
  #pass<T>(value: T): T {
    for (const column of this.#columns) column.next();
    return value;
  }
}
