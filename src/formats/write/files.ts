// Files and fill-ins outside of messages as text of 0.1 (R-FIM): each file on lines of its own, tokens of a fill-in
// where they stood. What a reader would take for something else is refused, as 0.1 has no escape.

import type { FileData, FillInData } from '../../model/data.ts';
import type { Edges } from '../../model/edges.ts';
import type { FillInPart } from '../../model/sequence.ts';
import { literalPattern } from '../../pattern.ts';
import { DIALECTS, TOKEN_NAMES } from '../../scan/dialects.ts';
import { BOS, CLASS_FILE, CLASS_OPEN, ENDLITERAL } from '../../abi.ts';
import { type Loss, Refusal } from '../loss.ts';

export interface FilesOptions {
  /** Tokens in texts are broken up with spaces, which is a loss instead of a refusal. */
  readonly neutralise?: boolean | undefined;
  /** The base model's own tokens, which are no text either. */
  readonly edges?: Edges | undefined;
}

const SEPARATOR = '<|file_separator|>';
const PARTS: readonly FillInPart[] = ['prefix', 'middle', 'suffix'];

const patternOf = (texts: readonly string[], flags = ''): RegExp =>
  new RegExp(texts.map(literalPattern).join('|'), flags);

/** What begins or divides something in a gap: a message, a file, a fill-in, a transcript. */
const DIVIDERS = patternOf([
  ...DIALECTS['openchatml-0.1'].tokens
    .filter(({ tokenClass }) => tokenClass === CLASS_OPEN || tokenClass === CLASS_FILE).map(({ text }) => text),
  ...TOKEN_NAMES.slice(BOS),
], 'g');
/** What could decide for another dialect: where it comes first, or behind lines like those of a header (R-DETECT). */
const NEWER = patternOf(
  DIALECTS['openchatml-2.2'].tokens.filter(({ id }) => id <= ENDLITERAL).map(({ text }) => text),
);
/** Lines that look like a document header, with a token of a fill-in within one. */
const HEADER = /^[ \t\r\n\ufeff]*(?:---|#|[A-Za-z_][\w-]*:)[^]*[^\n]<\|fim_/;
const ENDS_EARLY = /^[ \t\r\n]*<\|im_end\|>/;
const STRAY_ENDS = /<\|im_end\|>/g;
const LONE_SURROGATE = /\p{Cs}/u;

/** The files that stand in one place. `behind`: what is written before them; empty: they begin the text. */
export function writeFiles(
  files: readonly FileData[], behind: string, isFirst: boolean, options: FilesOptions, losses: Loss[],
): string {
  const bodies = files.map((file, i) => cleanBody(file, i, options, losses));
  const [first = ''] = bodies;
  const needsSeparator = files[0]?.separated === true || isLost(files, first)
    || (isFirst ? NEWER.test(first) || HEADER.test(first) : ENDS_EARLY.test(first));
  const blocks = bodies.map((body) => (body === '' ? '' : `${body}${body.endsWith('\r') ? '\r' : ''}\n`));
  const text = (needsSeparator ? `${SEPARATOR}\n` : '') + blocks.join(`${SEPARATOR}\n`);
  // A newline at the beginning is not part of the first file.
  const isApart = behind === '' ? !/^(?:\r?\n|\ufeff)/.test(text) : behind.endsWith('\n');
  const whole = isApart ? text : `\n${text}`;
  for (const edge of [options.edges?.bos, options.edges?.eos]) {
    if (edge && whole.includes(edge)) {
      throw new Refusal(null, 'a file holds the text that stands for BOS or EOS', 'name other ones');
    }
  }
  return whole;
}

/** Without a separator before it, the first file would count for nothing. */
function isLost(files: readonly FileData[], first: string): boolean {
  const hasTask = files[0]!.parts.some((part) => typeof part !== 'string');
  return !hasTask && (files.length === 1 || !/[^ \t\r\n]/.test(first.replace(STRAY_ENDS, '')));
}

function cleanBody({ parts }: FileData, index: number, { neutralise }: FilesOptions, losses: Loss[]): string {
  const refuse = (reason: string, remedy: string): never => {
    throw new Refusal(null, `file ${index} ${reason}`, remedy);
  };
  let count = 0;
  const clean = (text: string): string => {
    if (LONE_SURROGATE.test(text)) refuse('holds half of a surrogate pair, which UTF-8 cannot', 'replace it');
    return text.replace(DIVIDERS, (token) => {
      if (neutralise !== true) refuse(`holds ${token}, and 0.1 has no escape for it`, 'ask to neutralise tokens');
      count++;
      return token.startsWith('<|') ? `<| ${token.slice(2, -2)} |>` : `${token[0]} ${token.slice(1)}`;
    });
  };
  let body = '';
  let before: readonly FillInPart[] = [];
  for (const part of parts) {
    const isText = typeof part === 'string';
    const order = isText ? [] : orderOf(part);
    if (!isText && order.length === 0) refuse('holds a fill-in without parts in the order it says', 'leave order out');
    const joins = before.length > 0 && (isText ? part !== '' : !before.includes(order[0]!));
    if (joins) refuse('holds a part that would be read as part of the fill-in before it', 'put it into that fill-in');
    body += isText ? clean(part) : order.map((name) => `<|fim_${name}|>${clean(part[name]!)}`).join('');
    if (!isText) before = order;
  }
  if (count > 0) {
    losses.push({ what: 'field', message: null, detail: `control tokens of a file neutralised with spaces: ${count}` });
  }
  return body;
}

/** The parts of a fill-in in their order; empty: it has none, or they are not those that the order names. */
function orderOf(task: FillInData): readonly FillInPart[] {
  const there = PARTS.filter((part) => task[part] !== null);
  const { order = there } = task;
  return order.length === there.length && there.every((part) => order.includes(part)) ? order : [];
}
