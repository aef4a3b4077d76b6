// The rows of whole messages, read for a likely message rather than an exact one (R-RESCUE): one message becomes
// several. What decides is in rescue.ts.

import {
  BODY, BY_ROLE, EOF_END, FIELD, HAS_LINE, IMPLICIT_END, KIND_MASK, MESSAGE, NEXT, NO_BODY_TOKEN, ROW_WORDS, STRAY,
  STRIPPED, TOKEN_MASK, TOKEN_SHIFT,
} from '../abi.ts';
import { BatchEdit } from '../scan/batch-edit.ts';
import { type Batch, fromOf, type GrowingTable, kindOf, kindWord, nextOf, type Table, toOf } from '../scan/table.ts';
import { HeaderView } from './header-view.ts';
import { MESSAGE_TOKEN_BYTES } from './message-header.ts';
import {
  BodyBreaks, countingFields, ENDING, isSaid, OPENED, type Rescue, SAID, strippedFields, strippedParts,
} from './rescue.ts';
import { splitWords } from './words.ts';

/** A row and those below it, with positions in the input. */
interface Node {
  word: number;
  from: number;
  to: number;
  below: Node[];
}

/**
 * For the option `rescue`: prefers a likely message to an exact one (R-RESCUE), where a model forgot or doubled a
 * token, or a server stripped them.
 *
 * @example
 * ```ts
 * import { parse, rescue } from 'openchatml';
 *
 * const output = '<|channel|>analysis<|message|>Hm.<|channel|>final<|message|>Four.<|return|>';
 * for (const { channel, content } of parse(output, { dialect: 'harmony', role: 'assistant', rescue }).messages()) {
 *   console.log(channel, content);
 * }
 * // analysis Hm.
 * // final Four.
 * ```
 */
export const rescue: Rescue = { rows: (role) => new RescueRows(role), countingFields, strippedFields };

class RescueRows {
  readonly #role: string | null;

  /** `role`: the caller's. */
  constructor(role: string | null) {
    this.#role = role;
  }

  /** The batch with messages that are divided; the same one where none is. */
  cut(batch: Batch): Batch {
    if ((batch.dialect.flags & HAS_LINE) !== 0) return batch;
    const edit = new BatchEdit(batch);
    for (let row = batch.from; row < batch.to; row = nextOf(batch, row)) {
      const messages = kindOf(batch, row) === MESSAGE ? this.#messages(batch, row) : null;
      if (messages === null) continue;
      const table = edit.replace(row, nextOf(batch, row));
      for (const message of messages) addNode(table, message);
    }
    return edit.end();
  }

  /** The messages that the message at `row` is; null: it is one. */
  #messages(batch: Batch, row: number): Node[] | null {
    const isCompletion = (kindWord(batch, row) & BY_ROLE) !== 0;
    if (!isCompletion && !hasStrayBelow(batch, row)) return null;
    const stripped = isCompletion && this.#role === 'assistant' ? strippedMessages(batch, row) : null;
    if (stripped !== null) return stripped;
    const message = nodeOf(batch, row);
    const said = isCompletion ? takeSaid(batch, row, message) : null;
    const isAssistant = (): boolean => {
      if (said !== null) return true;
      return new HeaderView(batch, row, {
        dialect: batch.dialect, transcript: null, role: this.#role, rescue,
      }).role === 'assistant';
    };
    const messages = said === null ? [message] : [said, message];
    for (let last = message; hasStray(last) && (last !== message || isAssistant()); ) {
      const next = takeBroken(batch, last);
      if (next === null) break;
      messages.push(next);
      last = next;
    }
    return messages.length === 1 ? null : messages;
  }
}

const kindIn = (node: Node): number => node.word & KIND_MASK;
const bodyIn = (message: Node): Node => message.below.find((node) => kindIn(node) === BODY)!;
const hasStray = (message: Node): boolean => bodyIn(message).below.some((node) => kindIn(node) === STRAY);

/** Most messages have none. */
function hasStrayBelow(table: Table, row: number): boolean {
  for (let below = row + 1; below < nextOf(table, row); below++) if (kindOf(table, below) === STRAY) return true;
  return false;
}

function nodeOf(table: Table, row: number): Node {
  const below: Node[] = [];
  for (let child = row + 1; child < nextOf(table, row); child = nextOf(table, child)) below.push(nodeOf(table, child));
  return { word: kindWord(table, row), from: fromOf(table, row), to: toOf(table, row), below };
}

function addNode(into: GrowingTable, { word, from, to, below }: Node): void {
  const row = into.count;
  into.append(Float64Array.of(word, from, to, 1), 0, 1, 0, 0);
  for (const node of below) addNode(into, node);
  into.words[row * ROW_WORDS + NEXT] = into.count;
}

/** A completion without a token, of which a server has stripped them. */
function strippedMessages(batch: Batch, row: number): Node[] | null {
  const word = kindWord(batch, row);
  if ((word & NO_BODY_TOKEN) === 0 || (word & EOF_END) === 0 || nextOf(batch, row) !== row + 2) return null;
  const [from, to] = [fromOf(batch, row), toOf(batch, row)];
  const parts = strippedParts(batch.source, from, to);
  if (parts === null) return null;
  const { bodyFrom, nextFrom, nextBodyFrom } = parts;
  const body = (at: number, end: number): Node[] => [{ word: BODY, from: at, to: end, below: [] }];
  return [
    { word: SAID | STRIPPED, from, to: nextFrom, below: body(bodyFrom, nextFrom) },
    { word: OPENED | STRIPPED | NO_BODY_TOKEN | EOF_END, from: nextFrom, to, below: body(nextBodyFrom, to) },
  ];
}

/** Takes what was said before the first token out of the message; null: it is its header. */
function takeSaid(batch: Batch, row: number, message: Node): Node | null {
  const first = message.below.findIndex((node) => kindIn(node) === FIELD || kindIn(node) === BODY);
  const next = message.below[first]!;
  if (kindIn(next) === BODY && (message.word & NO_BODY_TOKEN) !== 0) return null;
  const to = kindIn(next) === BODY ? next.from - MESSAGE_TOKEN_BYTES : next.from;
  if (!isSaid(splitWords(batch, row + 1, row + 1 + first, message.from, to))) return null;
  const below = [...message.below.splice(0, first), { word: BODY, from: to, to, below: [] }];
  const said: Node = { word: SAID, from: message.from, to, below };
  message.word = OPENED | (message.word & (ENDING | NO_BODY_TOKEN));
  message.from = to;
  return said;
}

/** Ends the message at the first header in its body, and answers the one that begins there; null: there is none. */
function takeBroken(batch: Batch, message: Node): Node | null {
  const body = bodyIn(message);
  const breaks = new BodyBreaks(batch.source);
  for (const [i, { word, from, to }] of body.below.entries()) {
    const next = { token: (word >>> TOKEN_SHIFT) & TOKEN_MASK, from, to };
    if ((word & KIND_MASK) !== STRAY || !breaks.fits(next)) breaks.release();
    if ((word & KIND_MASK) !== STRAY || !breaks.fits(next)) continue;
    const found = breaks.take(next);
    if (found === null) continue;
    const { fields, bodyFrom } = found;
    const at = fields[0]!.from;
    const header = fields.map((field, k): Node => {
      const end = fields[k + 1]?.from ?? bodyFrom - MESSAGE_TOKEN_BYTES;
      return { word: FIELD | (field.token << TOKEN_SHIFT), from: field.from, to: end, below: [] };
    });
    const rest: Node = { word: BODY, from: bodyFrom, to: body.to, below: body.below.slice(i + 1) };
    const trailing = message.below.splice(message.below.indexOf(body) + 1);
    const opened = OPENED | (message.word & ENDING);
    const broken: Node = { word: opened, from: at, to: message.to, below: [...header, rest, ...trailing] };
    body.below = body.below.slice(0, i - fields.length);
    body.to = at;
    message.word = (message.word & ~ENDING) | IMPLICIT_END;
    message.to = at;
    return broken;
  }
  return null;
}
