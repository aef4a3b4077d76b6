// Parquet files that no writer makes, put together byte by byte: Thrift's compact protocol, and pages of runs.

const latin1 = (text: string): number[] => [...Buffer.from(text, 'latin1')];
const bytes32 = (n: number): number[] => [n & 0xff, (n >> 8) & 0xff, (n >> 16) & 0xff, (n >>> 24) & 0xff];

function varint(n: number): number[] {
  const bytes: number[] = [];
  for (; n >= 0x80; n = Math.floor(n / 0x80)) bytes.push((n % 0x80) | 0x80);
  return [...bytes, n];
}
const zigzag = (n: number): number[] => varint(2 * n);

export const I32 = 5;
export const I64 = 6;
const BINARY = 8;
const LIST = 9;
const STRUCT = 12;

type Field = readonly [id: number, type: number, bytes: readonly number[]];
export const int = (id: number, n: number, type = I32): Field => [id, type, zigzag(n)];
export const text = (id: number, of: string): Field => [id, BINARY, [...varint(of.length), ...latin1(of)]];
export const struct = (id: number, ...fields: readonly Field[]): Field => [id, STRUCT, thrift(...fields)];
export const list = (id: number, type: number, items: readonly (readonly number[])[]): Field =>
  [id, LIST, [(Math.min(items.length, 15) << 4) | type, ...items.flat()]];

/** Fields in rising order. */
export function thrift(...fields: readonly Field[]): number[] {
  const bytes: number[] = [];
  let last = 0;
  for (const [id, type, value] of fields) {
    bytes.push(((id - last) << 4) | type, ...value);
    last = id;
  }
  return [...bytes, 0];
}

/** `count` times a number of a bit or two. */
const run = (value: number, count: number): number[] => [...varint(2 * count), value];
const levels = (runs: readonly number[]): number[] => [...bytes32(runs.length), ...runs];

/**
 * A file of one row whose `messages` is a list of `pages` times `items` texts, all of them one of `length` bytes; its
 * pages have `more` in their headers.
 */
export function oneList(pages: number, items: number, length: number, more: readonly Field[] = []): Buffer {
  const dictionary = [...bytes32(length), ...new Array<number>(length).fill(0x78)];
  const size = dictionary.length;
  const first = [...thrift(int(1, 2), int(2, size), int(3, size), struct(7, int(1, 1), int(2, 0))), ...dictionary];
  const data = Array.from({ length: pages }, (_, number) => {
    const repeats = number > 0 ? run(1, items) : [...run(0, 1), ...run(1, items - 1)];
    const page = [...levels(repeats), ...levels(run(2, items)), 1, ...run(0, items)];
    const header = struct(5, int(1, items), int(2, 8), int(3, 3), int(4, 3));
    return [...thrift(int(1, 0), int(2, page.length), int(3, page.length), header, ...more), ...page];
  });
  const body = [...latin1('PAR1'), ...first, ...data.flat()];
  const element = (name: string, ...[before, behind]: [Field[], Field[]]): number[] =>
    thrift(...before, text(4, name), ...behind);
  const schema = [
    element('root', [], [int(5, 1)]), element('messages', [int(3, 1)], [int(5, 1), int(6, 3)]),
    element('list', [int(3, 2)], [int(5, 1)]), element('element', [int(1, 6), int(3, 0)], [int(6, 0)]),
  ];
  const path = ['messages', 'list', 'element'].map((name) => [name.length, ...latin1(name)]);
  const column = thrift(int(2, 4, I64), struct(3,
    int(1, 6), list(2, I32, [0, 3, 8].map(zigzag)), list(3, BINARY, path), int(4, 0), int(5, items * pages, I64),
    int(6, body.length - 4, I64), int(7, body.length - 4, I64), int(9, 4 + first.length, I64), int(11, 4, I64)));
  const group = thrift(list(1, STRUCT, [column]), int(2, body.length - 4, I64), int(3, 1, I64));
  const end = thrift(int(1, 1), list(2, STRUCT, schema), int(3, 1, I64), list(4, STRUCT, [group]));
  return Buffer.from([...body, ...end, ...bytes32(end.length), ...latin1('PAR1')]);
}
