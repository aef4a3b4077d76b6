// Messages as HTML: a page of its own without scripts and without anything from elsewhere, or a part of one. Every
// character of the input goes through escapeHtml.

import { escapeHtml, escapeLine } from '../../printable.ts';
import type { Message } from '../../model/message.ts';
import {
  bodyParts, checkInput, detailsOf, hiddenLabel, type Input, type Item, itemsOf, LineEnds, RENDER_OPTIONS,
  type RenderOptions, shortened,
} from './parts.ts';
import { POLICY, STYLE } from './style.ts';
import { checkOptions, type Known } from '../../options.ts';

/** How messages become HTML. */
export interface HtmlOptions extends RenderOptions {
  /** Only the transcripts' sections, for a page that has its own head and style. */
  readonly fragment?: boolean | undefined;
  /** Of the page. */
  readonly title?: string | undefined;
  /** Level of the transcripts' headings, 2 to 4; those of messages are one below. */
  readonly level?: number | undefined;
}

const HTML_OPTIONS: Known<Omit<HtmlOptions, keyof RenderOptions>> = { fragment: 1, title: 1, level: 1 };

const TITLE = 'Transcript';

/**
 * What an end user may see, as HTML, piece by piece: memory does not grow with the transcript. With `debug: true`
 * hidden messages stand in closed details, labelled. Throws a TypeError on a wrong input, a RangeError on a wrong
 * level.
 *
 * @example
 * ```ts
 * import { parse } from 'openchatml';
 * import { renderHtml } from 'openchatml/convert';
 *
 * const html = [...renderHtml(parse('<|start|>user<|message|>1 < 2<|end|>'), { fragment: true })].join('');
 * console.log(html.includes('1 &lt; 2')); // true
 * ```
 */
export function renderHtml(input: Input, options: HtmlOptions = {}): Generator<string, void, void> {
  checkInput(input);
  checkOptions(options, RENDER_OPTIONS, HTML_OPTIONS);
  const { level = 2 } = options;
  if (level !== 2 && level !== 3 && level !== 4) throw new RangeError('option level: expected 2, 3 or 4');
  return htmlPieces(input, options, level);
}

function* htmlPieces(input: Input, options: HtmlOptions, level: number): Generator<string, void, void> {
  if (options.fragment !== true) yield htmlHead(options.title);
  yield* sections(input, options, level);
  if (options.fragment !== true) yield htmlTail();
}

/** A page up to its first section. */
export function htmlHead(title: string = TITLE): string {
  const name = escapeHtml(escapeLine(title));
  return `<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${POLICY}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="referrer" content="no-referrer">
<title>${name}</title>
<style>${STYLE}</style>
</head>
<body>
<main>
<h1><bdi>${name}</bdi></h1>
`;
}

export function htmlTail(): string {
  return '</main>\n</body>\n</html>\n';
}

function* sections(input: Input, options: HtmlOptions, level: number): Generator<string, void, void> {
  const debug = options.debug === true;
  let isOpen = false;
  for (const item of itemsOf(input, options)) {
    switch (item.kind) {
      case 'transcript':
        if (isOpen) yield '</section>\n';
        isOpen = true;
        yield `<section class="transcript">\n<h${level}>Transcript ${item.number}</h${level}>\n`;
        break;
      case 'note':
        yield `<p class="note">${item.hidden} ${item.hidden === 1 ? 'message' : 'messages'} hidden</p>\n`;
        break;
      case 'message':
        yield* article(item, debug, level + 1);
    }
  }
  if (isOpen) yield '</section>\n';
}

const CLASSES: ReadonlySet<string | null> = new Set(['system', 'developer', 'user', 'assistant', 'tool']);

function* article(
  { message, hidden }: Item & { kind: 'message' },
  debug: boolean,
  level: number,
): Generator<string, void, void> {
  const { role, name } = message;
  const classes = `message ${CLASSES.has(role) ? role : 'other'}${hidden === null ? '' : ' hidden'}`;
  let heading = role === null ? '(no role)' : `<bdi>${word(role)}</bdi>`;
  if (name !== null) heading += ` <bdi class="name">${word(name)}</bdi>`;
  if (hidden !== null) heading += ` <span class="label">hidden: ${escapeHtml(hiddenLabel(message, hidden))}</span>`;
  heading = `<h${level}>${heading}</h${level}>`;
  yield `<article class="${classes}">\n${hidden === null ? heading : `<details>\n<summary>${heading}</summary>`}\n`;
  if (debug) yield detailList(message);
  yield '<div class="body" lang="" dir="auto">';
  yield* body(message, hidden !== null, debug);
  yield `</div>\n${hidden === null ? '' : '</details>\n'}</article>\n`;
}

const word = (text: string): string => escapeHtml(escapeLine(shortened(text)));

function detailList(message: Message): string {
  const entries = detailsOf(message).map(([key, value]) => `<div><dt>${word(key)}</dt><dd>${word(value)}</dd></div>`);
  return `<dl>${entries.join('')}</dl>\n`;
}

const control = (sign: string): string => `<span class="control">${sign}</span>`;

function* body(message: Message, hidden: boolean, debug: boolean): Generator<string, void, void> {
  const lines = new LineEnds();
  let cut: string | null = null;
  for (const part of bodyParts(message, hidden, debug)) {
    if (part.cut !== cut) {
      yield escapeHtml(lines.end(), control);
      if (cut !== null) yield '</span>';
      if (part.cut !== null) yield `<span class="cut"><span class="label">hidden: ${part.cut} </span>`;
      cut = part.cut;
    }
    yield escapeHtml(lines.take(part.text), control);
  }
  yield escapeHtml(lines.end(), control);
  if (cut !== null) yield '</span>';
}
