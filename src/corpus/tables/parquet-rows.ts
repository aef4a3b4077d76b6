// Rows of nested columns, put together value by value from the levels of their columns, and written as JSON at once:
// no object is made for a row. The library puts whole row groups together, which takes ten times the memory of what
// they hold.

import type { SchemaTree } from 'hyparquet';
import { jsonKey, type JsonWriter } from './json-writer.ts';
import type { ColumnValues } from './parquet-column.ts';
import type { PageLibrary } from './parquet-library.ts';
import { keepsNull, keyText, PARSERS, textOf, writeJson, writeJsonText } from './parquet-values.ts';

const COMMA = 0x2c;
const OPEN_LIST = 0x5b;
const CLOSE_LIST = 0x5d;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;

/** What makes a value of the values of a variant, whose texts are text already. */
const VARIANT_PARSERS = { ...PARSERS, stringFromBytes: (bytes: Uint8Array | undefined) => bytes && textOf(bytes) };

type Kind = 'leaf' | 'group' | 'list' | 'map' | 'variant';

/**
 * A node of the schema, with the columns that it is made of. Entries of a column are taken one after another, and all
 * columns of a node have to agree: on whether it is there, and whether an item follows. Each column is looked at where
 * its entry is taken.
 */
export class RowNode {
  readonly name: string;
  /** The name as a key of JSON. */
  readonly #key: Uint8Array;
  readonly #columns: readonly ColumnValues[];
  readonly #first: ColumnValues;
  readonly #children: readonly RowNode[];
  readonly #library: PageLibrary;
  readonly #kind: Kind;
  readonly #isRepeated: boolean;
  /** Of a leaf: it holds JSON; it holds text. */
  readonly #isJson: boolean;
  readonly #isString: boolean;
  readonly #keepsNull: boolean;
  /** An item of a list is the repeated node itself, not what it holds. */
  readonly #isItem: boolean;
  /** The levels from which on what it stands in, and it itself, is there; and at which a further item of it begins. */
  readonly #outer: number;
  readonly #definition: number;
  readonly #repetition: number;

  /** `columnOf`: the column of a leaf. `outer`: the node that it stands in; none: it is a column of the table. */
  constructor(schema: SchemaTree, columnOf: (leaf: SchemaTree) => ColumnValues, library: PageLibrary, outer?: RowNode) {
    const { name, repetition_type: type, converted_type: converted, logical_type: logical } = schema.element;
    const { children } = schema;
    this.name = name;
    this.#key = jsonKey(name);
    this.#library = library;
    this.#isRepeated = type === 'REPEATED';
    this.#outer = outer === undefined ? 0 : outer.#definition;
    this.#definition = type === 'REQUIRED' ? this.#outer : this.#outer + 1;
    this.#repetition = (outer === undefined ? 0 : outer.#repetition) + (this.#isRepeated ? 1 : 0);
    this.#kind = kindOf(schema);
    this.#isJson = converted === 'JSON';
    this.#isString = converted === 'UTF8' || logical?.type === 'STRING';
    this.#keepsNull = outer !== undefined && keepsNull(name);
    this.#isItem = children.length !== 1 || name === 'array' || name === `${outer?.name}_tuple`;
    this.#children = children.map((child) => new RowNode(child, columnOf, library, this));
    this.#columns = children.length === 0 ? [columnOf(schema)] : this.#children.flatMap((child) => child.#columns);
    this.#first = this.#columns[0]!;
  }

  /** All columns are at the beginning of a row, or all are over. */
  get isBetweenRows(): boolean {
    const { isOver } = this.#first;
    return this.#columns.every((column) => column.isOver === isOver && column.repetition <= 0);
  }

  get isOver(): boolean {
    return this.#first.isOver;
  }

  /** Goes behind a row, of which some was taken. `row`: counts from 1. */
  skip(row: number): void {
    for (const column of this.#columns) while (column.row <= row && !column.isOver) column.next();
  }

  /**
   * Writes its value in the row at hand as a member of an object that begins at `first`. Bytes of texts are written as
   * they are. Throws Untellable, TooLong, and an Error where columns differ.
   */
  writeMember(out: JsonWriter, first: number, repetition = 0): void {
    const before = out.at;
    if (before > first) out.byte(COMMA);
    out.copy(this.#key);
    if (this.#write(out, repetition)) return;
    if (this.#keepsNull) out.ascii('null');
    else out.at = before;
  }

  /** `repetition`: the level of its first entry. False: it is null, and nothing is written. */
  #write(out: JsonWriter, repetition: number): boolean {
    return this.#isRepeated ? this.#writeItems(out, repetition, false) : this.#writeOne(out, repetition);
  }

  /** The value, or an item of it where it is repeated. */
  #writeOne(out: JsonWriter, repetition: number): boolean {
    if (this.#kind === 'leaf') {
      const value = this.#take(repetition);
      return this.#isJson && value instanceof Uint8Array ? writeJsonText(out, value) : writeJson(out, value);
    }
    if (!this.#isThere) return this.#pass(false, repetition);
    const [child] = this.#children;
    switch (this.#kind) {
      case 'list': return child!.#writeItems(out, repetition, true);
      case 'map': return child!.#writeEntries(out, repetition);
      case 'variant': return writeJson(out, this.#readVariant(repetition));
    }
    out.byte(OPEN_OBJECT);
    const first = out.at;
    for (const member of this.#children) member.writeMember(out, first, repetition);
    out.byte(CLOSE_OBJECT);
    return true;
  }

  #writeItems(out: JsonWriter, repetition: number, isOfList: boolean): boolean {
    out.byte(OPEN_LIST);
    if (!this.#isThere) this.#pass(true, repetition);
    else {
      const node = isOfList && !this.#isItem ? this.#children[0]! : null;
      let level = repetition;
      do {
        if (level !== repetition) out.byte(COMMA);
        const isTold = node === null ? this.#writeOne(out, level) : node.#write(out, level);
        if (!isTold) out.ascii('null');
        level = this.#repetition;
      } while (this.#first.repetition === level);
    }
    out.byte(CLOSE_LIST);
    return true;
  }

  #writeEntries(out: JsonWriter, repetition: number): boolean {
    const { key, value } = this.#entry();
    out.byte(OPEN_OBJECT);
    const first = out.at;
    if (!this.#isThere) this.#pass(true, repetition);
    else {
      let level = repetition;
      do {
        const before = out.at;
        const name = keyText(key.#read(level));
        if (before > first) out.byte(COMMA);
        out.copy(jsonKey(name));
        if (!value.#write(out, level)) {
          if (keepsNull(name)) out.ascii('null');
          else out.at = before;
        }
        level = this.#repetition;
      } while (this.#first.repetition === level);
    }
    out.byte(CLOSE_OBJECT);
    return true;
  }

  /** What a map's repeated node holds. Their names may be others. */
  #entry(): { readonly key: RowNode; readonly value: RowNode } {
    const [key, value] = this.#children;
    if (key === undefined || value === undefined) throw new Error('parquet map lacks its key or its value');
    return { key, value };
  }

  /** The value of a variant, which the library makes of what it is stored as. */
  #readVariant(repetition: number): unknown {
    const library = this.#library;
    return library.decodeVariantColumn(
      this.#readGroup(repetition), { ...library.DEFAULT_PARSERS, ...VARIANT_PARSERS } as never,
    );
  }

  #read(repetition: number): unknown {
    return this.#isRepeated ? this.#readItems(repetition, false) : this.#readOne(repetition);
  }

  #readOne(repetition: number): unknown {
    if (this.#kind === 'leaf') {
      const value = this.#take(repetition);
      return this.#isString && value instanceof Uint8Array ? textOf(value) : value;
    }
    if (!this.#isThere) return this.#pass(null, repetition);
    return this.#kind === 'list' ? this.#children[0]!.#readItems(repetition, true) : this.#readGroup(repetition);
  }

  #readItems(repetition: number, isOfList: boolean): unknown[] {
    const items: unknown[] = [];
    if (!this.#isThere) return this.#pass(items, repetition);
    const node = isOfList && !this.#isItem ? this.#children[0]! : null;
    let level = repetition;
    do {
      items.push(node === null ? this.#readOne(level) : node.#read(level));
      level = this.#repetition;
    } while (this.#first.repetition === level);
    return items;
  }

  #readGroup(repetition: number): Readonly<Record<string, unknown>> {
    return Object.fromEntries(this.#children.map((member) => [member.name, member.#read(repetition)]));
  }

  get #isThere(): boolean {
    return this.#first.definition >= this.#definition;
  }

  /** The value of a leaf's entry, behind which it goes. */
  #take(repetition: number): unknown {
    const column = this.#first;
    if (column.repetition !== repetition || column.definition < this.#outer) throw new Error(UNEQUAL);
    const { value } = column;
    column.next();
    return value;
  }

  /** Passes the entry that stands for what is not there. */
  #pass<T>(value: T, repetition: number): T {
    for (const column of this.#columns) {
      const { definition } = column;
      if (column.repetition !== repetition || definition < this.#outer || definition >= this.#definition) {
        throw new Error(UNEQUAL);
      }
      column.next();
    }
    return value;
  }
}

export const UNEQUAL = 'parquet columns of a value have other levels';

/** Older writers tell lists and maps by the converted type alone, some only by the logical one. */
function kindOf({ element, children }: SchemaTree): Kind {
  if (children.length === 0) return 'leaf';
  const { converted_type: converted, logical_type: logical } = element;
  const isOfRepeated = children.length === 1 && children[0]!.element.repetition_type === 'REPEATED';
  if (isOfRepeated && (converted === 'LIST' || logical?.type === 'LIST')) return 'list';
  const isMap = converted === 'MAP' || converted === 'MAP_KEY_VALUE' || logical?.type === 'MAP';
  if (isOfRepeated && isMap && children[0]!.children.length === 2) return 'map';
  return logical?.type === 'VARIANT' ? 'variant' : 'group';
}
