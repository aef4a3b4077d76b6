// `audit --diff`: what a copy would have otherwise, a text at a time; of long texts what is around the changes.

import type { ShownChange } from '../../corpus/jobs/job.ts';
import type { TokenEdit } from '../../formats/control-tokens/edits.ts';
import type { Output } from '../output.ts';
import { type Colors, escapeLine } from '../print.ts';

/** Characters that are shown before and behind a change, and of a change itself. */
const AROUND = 30;
const MOST = 400;

/** Two lines of a diff: a part of the text, as it is and as it will be. */
interface Hunk {
  readonly from: number;
  readonly to: number;
  readonly edits: readonly TokenEdit[];
}

/** The head of a file's changes. */
export function writeDiffHead(out: Output, path: string, colors: Colors): void {
  out.line(colors.bold(`--- ${escapeLine(path)}\n+++ ${escapeLine(path)}\n`));
}

/** The changed texts of an input. */
export class Diff {
  readonly #out: Output;
  readonly #colors: Colors;
  /** What was shown last, and its hunks: texts repeat. */
  #last: Pick<ShownChange, 'text' | 'edits'> | undefined;
  #hunks: readonly string[] = [];

  constructor(out: Output, colors: Colors) {
    this.#out = out;
    this.#colors = colors;
  }

  /** `line`: of the file. */
  write(change: ShownChange, line: number): void {
    const { where, text, edits, hasMore } = change;
    if (this.#last?.edits !== edits || this.#last.text !== text) {
      this.#last = { text, edits };
      const hunks = hunksOf(text, edits.map((edit) => narrowed(text, edit)));
      this.#hunks = hunks.map((hunk) => shownHunk(text, hunk, this.#colors));
    }
    const head = this.#colors.cyan(`@@ ${line} ${escapeLine(where)} @@`);
    for (const hunk of this.#hunks) this.#out.line(`${head}\n${hunk}\n`);
    if (hasMore) this.#out.line(`${head}\n... further changes of this text are not shown\n`);
  }
}

/** The text as it is and as it will be, a line each. */
function shownHunk(text: string, { from, to, edits }: Hunk, colors: Colors): string {
  const begin = whole(text, Math.max(from - AROUND, 0));
  const end = whole(text, Math.min(to + AROUND, text.length));
  let after = '';
  let at = begin;
  for (const { index, length, text: replacement } of edits) {
    after += text.slice(at, index) + replacement;
    at = index + length;
  }
  after += text.slice(at, end);
  const shown = (sign: string, part: string): string =>
    `${sign}${begin > 0 ? '...' : ''}${cut(escapeLine(part))}${end < text.length ? '...' : ''}`;
  return `${colors.red(shown('-', text.slice(begin, end)))}\n${colors.green(shown('+', after))}`;
}

function cut(text: string): string {
  if (text.length <= MOST) return text;
  return `${text.slice(0, whole(text, MOST / 2))} ... ${text.slice(whole(text, text.length - MOST / 2))}`;
}

/** Not within a surrogate pair. */
function whole(text: string, at: number): number {
  const unit = text.charCodeAt(at);
  return unit >= 0xdc00 && unit < 0xe000 && at > 0 ? at - 1 : at;
}

/** The edit without what it leaves as it is at its beginning and its end. */
function narrowed(text: string, edit: TokenEdit): TokenEdit {
  const { index, length, text: replacement } = edit;
  const most = Math.min(length, replacement.length);
  let begin = 0;
  while (begin < most && text.charCodeAt(index + begin) === replacement.charCodeAt(begin)) begin++;
  let end = 0;
  while (
    end < most - begin &&
    text.charCodeAt(index + length - 1 - end) === replacement.charCodeAt(replacement.length - 1 - end)
  ) {
    end++;
  }
  return {
    ...edit,
    index: index + begin,
    length: length - begin - end,
    text: replacement.slice(begin, replacement.length - end),
  };
}

/** Edits near each other are shown together. */
function hunksOf(text: string, edits: readonly TokenEdit[]): Hunk[] {
  const hunks: { from: number; to: number; edits: TokenEdit[] }[] = [];
  for (const edit of edits) {
    const { index, length } = edit;
    const last = hunks.at(-1);
    if (last && index - last.to <= 2 * AROUND && index + length - last.from < MOST / 2) {
      last.to = Math.min(index + length, text.length);
      last.edits.push(edit);
    } else hunks.push({ from: index, to: index + length, edits: [edit] });
  }
  return hunks;
}
