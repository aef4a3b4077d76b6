// Files and fill-ins of 0.1 as plain data (R-FIM).

import { decodeUtf8 } from '../utf8.ts';
import type { FileData, FilePart } from './data.ts';
import type { Span } from './message.ts';
import type { FileInSequence, FillIn, FillInPart } from './sequence.ts';

interface Bytes {
  bytes(from: number, to: number): Uint8Array;
}

const SEPARATOR_LENGTH = '<|file_separator|>'.length;
/** Of each of the three tokens of a fill-in. */
const TOKEN_LENGTH = '<|fim_prefix|>'.length;
const BYTE_ORDER_MARK = '\ufeff';

/** The data of files that follow one another. `before`: the number of the message before which a file stands. */
export function filesData(
  files: readonly FileInSequence[], source: Bytes, before: (file: Span) => number,
): FileData[] {
  return files.map((file, i): FileData => {
    const isFirst = file.from - SEPARATOR_LENGTH !== files[i - 1]?.to;
    const separated = isFirst && file.isSeparated ? { separated: true } as const : {};
    return { before: before(file), ...separated, parts: partsOf(file, source) };
  });
}

/** Text stands before the first token; all that follows belongs to a token. */
function partsOf({ from, to, fillIns }: FileInSequence, source: Bytes): FilePart[] {
  const spans = fillIns.map(spansOf);
  const first = spans[0]?.[0]?.[1];
  let text = textOf(source, from, first === undefined ? to : first.from - TOKEN_LENGTH);
  if (from === 0 && text.startsWith(BYTE_ORDER_MARK)) text = text.slice(1);
  text = withoutNewlineBefore(text);
  if (first === undefined) text = withoutNewlineBehind(text);
  const tasks = spans.map((own): FilePart => {
    const texts: { [K in FillInPart]: string | null } = { prefix: null, middle: null, suffix: null };
    for (const [part, span] of own) {
      const given = textOf(source, span.from, span.to);
      texts[part] = span.to === to ? withoutNewlineBehind(given) : given;
    }
    return { ...texts, order: own.map(([part]) => part) };
  });
  return text === '' ? tasks : [text, ...tasks];
}

const PARTS: readonly FillInPart[] = ['prefix', 'middle', 'suffix'];

/** The parts that a fill-in has, in the order in which they stand. */
function spansOf(task: FillIn): [FillInPart, Span][] {
  const there = PARTS.flatMap((part): [FillInPart, Span][] => (task[part] === null ? [] : [[part, task[part]]]));
  return there.sort(([, a], [, b]) => a.from - b.from);
}

const textOf = (source: Bytes, from: number, to: number): string => decodeUtf8(source.bytes(from, to));
const withoutNewlineBefore = (text: string): string => text.replace(/^\r?\n/, '');
const withoutNewlineBehind = (text: string): string => text.replace(/\r?\n$/, '');
