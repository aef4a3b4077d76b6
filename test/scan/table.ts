// The offset table as text for tests, and what holds for every table whatever the input.
import * as abi from '../../src/abi.ts';
import { CHANNEL_NAMES, ROLE_NAMES, TOKEN_NAMES, type Dialect } from '../../src/scan/dialects.ts';

const KINDS = [
  '', 'message', 'field', 'body', 'mark', 'literal', 'escape', 'stray', 'trailing', 'header', 'text', 'bound', 'file',
];
const RECIPIENTS = ['', 'person', 'tool'];
const MESSAGE_FLAGS: [number, string][] = [
  [abi.PLAIN, 'plain'], [abi.IMPLIED, 'implied'], [abi.BY_ROLE, 'by-role'], [abi.NO_BODY_TOKEN, 'no-body-token'],
  [abi.IMPLICIT_END, 'implicit-end'], [abi.EOF_END, 'eof-end'], [abi.AT_START, 'at-start'],
];

export interface Row {
  kind: number;
  token: number;
  from: number;
  to: number;
  next: number;
  word: number;
}

export function rowsOf(table: Int32Array): Row[] {
  const rows: Row[] = [];
  for (let at = 0; at < table.length; at += abi.ROW_WORDS) {
    const word = table[at + abi.KIND]!;
    rows.push({
      kind: word & abi.KIND_MASK,
      token: (word >>> abi.TOKEN_SHIFT) & abi.TOKEN_MASK,
      from: table[at + abi.FROM]!,
      to: table[at + abi.TO]!,
      next: table[at + abi.NEXT]!,
      word,
    });
  }
  return rows;
}

const decode = (bytes: Uint8Array): string => new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes);

/** One line a row: two spaces a level (told by NEXT), kind, token, what the word says, `|` and the bytes of the row. */
export function show(table: Int32Array, input: Uint8Array): string[] {
  const ends: number[] = [];
  return rowsOf(table).map((row, number) => {
    while (ends.length > 0 && ends.at(-1)! <= number) ends.pop();
    const words = [KINDS[row.kind], TOKEN_NAMES[row.token], ...sayings(row)].filter((word) => word !== '');
    const line = `${'  '.repeat(ends.length)}${words.join(' ')}|${decode(input.subarray(row.from, row.to))}`;
    ends.push(row.next);
    return line;
  });
}

function sayings({ kind, word }: Row): string[] {
  if (kind === abi.HEADER) return (word & abi.AT_START) === 0 ? [] : ['at-start'];
  if (kind === abi.LITERAL) return (word & abi.UNTERMINATED) === 0 ? [] : ['unterminated'];
  if (kind !== abi.MESSAGE) return [];
  const flags = MESSAGE_FLAGS.filter(([bit]) => (word & bit) !== 0).map(([, name]) => name);
  const ids: [string, number, readonly string[]][] = [
    ['role', (word >>> abi.ROLE_SHIFT) & abi.ROLE_MASK, ROLE_NAMES],
    ['channel', (word >>> abi.CHANNEL_SHIFT) & abi.CHANNEL_MASK, CHANNEL_NAMES],
    ['to', (word >>> abi.RECIPIENT_SHIFT) & abi.RECIPIENT_MASK, RECIPIENTS],
  ];
  return [...flags, ...ids.filter(([, id]) => id !== 0).map(([name, id, names]) => `${name}:${names[id]}`)];
}

/** What may stand below what. */
const PARENTS: Record<number, number[]> = {
  [abi.FIELD]: [abi.MESSAGE],
  [abi.BODY]: [abi.MESSAGE],
  [abi.TRAILING]: [abi.MESSAGE],
  [abi.LITERAL]: [abi.BODY],
  [abi.ESCAPE]: [abi.MESSAGE, abi.FIELD, abi.BODY],
  [abi.STRAY]: [abi.MESSAGE, abi.FIELD, abi.BODY],
  [abi.MARK]: [abi.MESSAGE, abi.FIELD, abi.BODY],
};
const TOP = [abi.MESSAGE, abi.HEADER, abi.TEXT, abi.STRAY, abi.BOUND, abi.FILE];
/** Classes of the tokens that have no row of their own: start token, body token, terminator, the token of a field. */
const OWN_TOKENS: Record<number, number[]> = {
  [abi.MESSAGE]: [abi.CLASS_OPEN, abi.CLASS_TEXT, abi.CLASS_CLOSE],
  [abi.FIELD]: [abi.CLASS_NAME],
};
const HAS_CHILDREN = [abi.MESSAGE, abi.FIELD, abi.BODY];

/** Everything that is wrong with a table, whatever the input: order, nesting, tiling, and tokens that have no row. */
export function findings(table: Int32Array, input: Uint8Array, dialect: Dialect, how: number): string[] {
  const text = new TextDecoder('latin1').decode(input);
  const rows = rowsOf(table);
  const found: string[] = [];
  const wrong = (number: number, what: string): void => {
    found.push(`row ${number} (${KINDS[rows[number]?.kind ?? 0]}): ${what}`);
  };
  const expectThat = (holds: boolean, number: number, what: string): void => {
    if (!holds) wrong(number, what);
  };

  const walk = (first: number, end: number, parent: number): void => {
    let position = parent < 0 ? 0 : rows[parent]!.from;
    for (let number = first; number < end; ) {
      const row = rows[number]!;
      checkRow(number, row, parent);
      if (row.from < position) wrong(number, `begins at ${row.from}, before ${position}`);
      checkBetween(number, parent, position, row.from);
      position = row.to;
      if (row.next <= number || row.next > end) {
        wrong(number, `NEXT is ${row.next}, within ${first}…${end}`);
        return;
      }
      walk(number + 1, row.next, number);
      number = row.next;
    }
    checkBetween(end, parent, position, parent < 0 ? input.length : rows[parent]!.to);
  };

  const checkRow = (number: number, row: Row, parent: number): void => {
    const above = parent < 0 ? 0 : rows[parent]!.kind;
    const allowed = PARENTS[row.kind] ?? [];
    const canStand = above === 0 ? TOP.includes(row.kind) : allowed.includes(above);
    expectThat(canStand, number, `stands below ${KINDS[above]}`);
    const lies = row.from >= 0 && row.from <= row.to && row.to <= input.length;
    expectThat(lies, number, `${row.from}…${row.to} of ${input.length}`);
    const within = parent < 0 || (row.from >= rows[parent]!.from && row.to <= rows[parent]!.to);
    expectThat(within, number, 'is not within its parent');
    if (!HAS_CHILDREN.includes(row.kind) && row.next !== number + 1) wrong(number, `has rows below it`);
    if (row.kind === abi.MESSAGE) checkMessage(number, row);
    else if (row.token !== 0) checkToken(number, row);
    if (row.kind === abi.TEXT || row.kind === abi.HEADER) checkTokens(number, row);
    const isTrimmed = !/^[ \t\r\n]|[ \t\r\n]$/.test(text.slice(row.from, row.to));
    expectThat(row.kind !== abi.TEXT || isTrimmed, number, 'has white space at an end');
  };

  const checkToken = (number: number, row: Row): void => {
    const name = TOKEN_NAMES[row.token]!;
    const token = row.token >= abi.BOS ? name : `<|${name}|>`;
    const here = text.slice(row.from, row.to);
    const fits = row.kind === abi.FIELD || row.kind === abi.LITERAL ? here.startsWith(token)
      : here === (row.kind === abi.ESCAPE ? `<${token}` : token);
    if (!fits) wrong(number, `is ${here}`);
  };

  /** Text of a gap holds nothing that has a row of its own, a document header no line that ends it. */
  const checkTokens = (number: number, row: Row): void => {
    const here = text.slice(row.from, row.to);
    for (const { text: token, tokenClass, flags } of dialect.tokens) {
      const isText = tokenClass === abi.CLASS_INNER || tokenClass === abi.CLASS_NONE;
      if (row.kind === abi.TEXT && !isText && here.includes(token)) wrong(number, `holds ${token}`);
      const ends = row.kind === abi.HEADER && (flags & abi.ENDS_HEADER) !== 0;
      expectThat(!ends || !here.includes(`\n${token}`), number, `holds a line with ${token}`);
    }
    const bound = TOKEN_NAMES.slice(abi.BOS).find((name) => row.kind === abi.TEXT && here.includes(name));
    if (bound !== undefined) wrong(number, `holds ${bound}`);
  };

  const checkMessage = (number: number, row: Row): void => {
    const { word } = row;
    const bodies = rows.slice(number, row.next).filter(({ kind }) => kind === abi.BODY).length;
    if (bodies !== 1) wrong(number, `has ${bodies} bodies`);
    const ends = [row.token !== 0, (word & abi.IMPLICIT_END) !== 0, (word & abi.EOF_END) !== 0];
    if (ends.filter(Boolean).length !== 1) wrong(number, 'ends in no way or in several');
    if ((word & abi.EOF_END) !== 0 && row.to !== input.length) wrong(number, 'does not end with the input');
    const opener = dialect.tokens.find(({ tokenClass }) => tokenClass === abi.CLASS_OPEN)!.text;
    const opened = [text.startsWith(opener, row.from), (word & abi.IMPLIED) !== 0, (word & abi.BY_ROLE) !== 0];
    if (opened.filter(Boolean).length !== 1) wrong(number, 'is opened in no way or in several');
    const hasIds = sayings(row).some((saying) => saying.includes(':'));
    expectThat(!hasIds || (word & abi.PLAIN) !== 0, number, 'has ids without PLAIN');
    const byRole = (word & abi.BY_ROLE) !== 0;
    expectThat(!byRole || (number === 0 && how === abi.AT_ROLE), number, 'is opened by a role that nobody gave');
  };

  /** Bytes of a parent (or of the whole input) that no row below covers. */
  const checkBetween = (number: number, parent: number, from: number, to: number): void => {
    const part = text.slice(from, to);
    if (parent < 0) {
      const blank = part.replace(how !== abi.IN_GAP && from === 0 ? /^\u00ef\u00bb\u00bf/ : /^(?!)/, '');
      if (!/^[ \t\r\n]*$/.test(blank)) wrong(number, `${JSON.stringify(part)} before it has no row`);
      return;
    }
    const above = rows[parent]!;
    if (!HAS_CHILDREN.includes(above.kind)) return;
    const own = OWN_TOKENS[above.kind] ?? [];
    for (const { text: token, tokenClass } of dialect.tokens) {
      if (tokenClass === abi.CLASS_NONE) continue;
      const count = part.split(token).length - 1;
      if (count > (own.includes(tokenClass) ? 1 : 0)) wrong(number, `${token} before it has no row`);
    }
  };

  walk(0, rows.length, -1);
  return found;
}
