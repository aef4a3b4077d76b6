// Messages as text for a terminal: a heading, and the body indented, so that no body can write a heading.

import { escapeLine, escapeText } from '../../printable.ts';
import type { Message } from '../../model/message.ts';
import {
  bodyParts, checkInput, detailsOf, hiddenLabel, type Input, type Item, itemsOf, LineEnds, RENDER_OPTIONS,
  type RenderOptions, shortened,
} from './parts.ts';
import { checkOptions } from '../../options.ts';

/**
 * What an end user may see, as text, piece by piece: memory does not grow with the transcript. Nothing in it steers a
 * terminal: control characters and those that turn the direction of writing are shown as escapes. Throws a TypeError on
 * a wrong input.
 *
 * @example
 * ```ts
 * import { parse } from 'openchatml';
 * import { renderText } from 'openchatml/convert';
 *
 * console.log([...renderText(parse('<|start|>user<|message|>Hi<|end|>'))].join('').trim());
 * // user
 * //   Hi
 * ```
 */
export function renderText(input: Input, options: RenderOptions = {}): Generator<string, void, void> {
  checkInput(input);
  checkOptions(options, RENDER_OPTIONS);
  return textPieces(input, options);
}

function* textPieces(input: Input, options: RenderOptions): Generator<string, void, void> {
  const debug = options.debug === true;
  for (const item of itemsOf(input, options)) {
    switch (item.kind) {
      case 'transcript':
        if (item.number > 0) yield `--- transcript ${item.number} ---\n\n`;
        break;
      case 'note':
        yield `(${item.hidden} ${item.hidden === 1 ? 'message' : 'messages'} hidden)\n\n`;
        break;
      case 'message': {
        const heading = headingOf(item, debug);
        const { from, to } = item.message.body;
        // Of a body without a byte there is no line.
        if (from === to) {
          yield `${heading}\n`;
          break;
        }
        yield heading;
        yield* bodyOf(item.message, item.hidden !== null, debug);
        yield '\n';
      }
    }
  }
}

function headingOf({ message, hidden }: Item & { kind: 'message' }, debug: boolean): string {
  const { role, name } = message;
  let line = role === null ? '(no role)' : escapeLine(shortened(role));
  if (name !== null) line += ` (${escapeLine(shortened(name))})`;
  if (hidden !== null) line += ` [hidden: ${hiddenLabel(message, hidden)}]`;
  if (debug) for (const [key, value] of detailsOf(message)) line += ` ${escapeLine(key)}=${escapeLine(value)}`;
  return `${line}\n`;
}

/** Lines of a body, each indented; the last one ends. */
function* bodyOf(message: Message, hidden: boolean, debug: boolean): Generator<string, void, void> {
  const lines = new LineEnds();
  let atLineStart = true;
  const indented = (text: string): string => {
    let out = '';
    let from = 0;
    while (from < text.length) {
      const lf = text.indexOf('\n', from);
      const to = lf < 0 ? text.length : lf;
      if (to > from) out += (atLineStart ? '  ' : '') + text.slice(from, to);
      if (lf >= 0) out += '\n';
      atLineStart = lf >= 0;
      from = to + 1;
    }
    return out;
  };
  let cut: string | null = null;
  for (const part of bodyParts(message, hidden, debug)) {
    if (part.cut !== cut) {
      const before = escapeText(lines.end()) + (cut === null ? '' : '[/hidden]');
      yield indented(before + (part.cut === null ? '' : `[hidden: ${part.cut}]`));
      cut = part.cut;
    }
    yield indented(escapeText(lines.take(part.text)));
  }
  yield indented(escapeText(lines.end()) + (cut === null ? '' : '[/hidden]'));
  if (!atLineStart) yield '\n';
}
