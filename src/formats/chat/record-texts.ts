// The pieces that texts of 2.2 and Harmony are made of where they come from rows of chat records: what
// assembly/record/texts.ts puts between the values of a message, by its kind. They are cut out of what the writer
// gives.

import type { MessageData } from '../../model/data.ts';
import type { Pieces } from '../../scan/record-machine.ts';
import { writeHead, writeMessage } from '../write/write.ts';
import { ofLastFile } from './last-file.ts';

const DIALECT = 'openchatml-2.2';
// Values of messages, which stand in no piece.
const ID = 'ID';
const NAME = 'NAME';
const CONTENT = 'CONTENT';
const BEFORE_ID = ' call_id=';
const BEFORE_NAME = ' name=';
const JSON_TYPE = { contentType: 'json', constrained: true } as const;
const TO_TOOL = { recipient: `functions.${NAME}`, channel: 'commentary', ...JSON_TYPE } as const;
const REPLY = { recipient: 'assistant', channel: 'commentary', name: `functions.${NAME}` } as const;

/** In the order of assembly/record/lines.ts. */
const KINDS: readonly Omit<MessageData, 'content'>[] = [
  { role: 'system', name: NAME },
  { role: 'developer', name: NAME },
  { role: 'user', name: NAME },
  { role: 'assistant', name: NAME, channel: 'final' },
  { role: 'assistant', name: NAME, channel: 'analysis' },
  { role: 'assistant', name: NAME, channel: 'commentary', intent: 'preamble' },
  { role: 'assistant', callId: ID, ...TO_TOOL, end: 'call' },
  { role: 'tool', callId: ID, ...REPLY },
  { role: 'assistant', name: NAME },
];

const ENCODER = new TextEncoder();

/** The header of a preamble, and what stands around the values in those of calls and replies, in order. */
export function headerPieces(): {
  preamble: string; toTool: string; id: string; constrained: string; fromTool: string; name: string; result: string;
} {
  const [preamble, call, reply] = KINDS.slice(5, 8).map(ofKind) as [string[], string[], string[]];
  return {
    preamble: preamble[0]! + preamble[1]!, toTool: call[0]!, id: BEFORE_ID, constrained: call[1]!,
    fromTool: reply[0]!, name: `${BEFORE_NAME}functions.`, result: reply[1]!,
  };
}

type TextForm = 'openchatml-2.2' | 'harmony';

const made: Partial<Record<TextForm, Pieces>> = {};

/** The pieces, in the order of assembly/record/texts.ts. */
export function textPieces(form: TextForm): Pieces {
  return (made[form] ??= piecesOf(textsOf(form), []));
}

/** The same for texts in lines of JSON. Who has no id gets its place in the file. */
export const lineTextPieces = (form: TextForm, path: string): Pieces => LINES[form](path);

const LINES: Readonly<Record<TextForm, (path: string) => Pieces>> = {
  'openchatml-2.2': ofLastFile((path) => linesOf('openchatml-2.2', path)),
  harmony: ofLastFile((path) => linesOf('harmony', path)),
};

function linesOf(form: TextForm, path: string): Pieces {
  const texts = textsOf(form).map((text) => JSON.stringify(text).slice(1, -1));
  return piecesOf(texts, ['{"id":', `${JSON.stringify(path).slice(0, -1)}:`, ',"text":"', '"}\n']);
}

function textsOf(form: TextForm): string[] {
  if (form === 'harmony') return ['', '', '', '', ...KINDS.flatMap(ofHarmony)];
  const head = writeHead({ header: null, tools: [] }, DIALECT).text;
  return [head, BEFORE_ID, BEFORE_NAME, `${BEFORE_NAME}functions.`, ...KINDS.flatMap(ofKind)];
}

/** `around`: what stands around a text in a line. */
function piecesOf(texts: readonly string[], around: readonly string[]): Pieces {
  const pieces = [...texts, ...around].map((text) => ENCODER.encode(text));
  return { pieces, longest: longestMessage(pieces) };
}

/** A tool's name stands before what else the header of its reply says. */
function ofHarmony({ callId: _, ...kind }: Omit<MessageData, 'content'>): string[] {
  const isNamed = kind.role === 'tool' || kind.end === 'call';
  const message = { ...kind, name: isNamed ? kind.name : null, intent: null, content: CONTENT };
  const [header, end] = writeMessage(message, 0, 'harmony').text.split(CONTENT) as [string, string];
  const name = isNamed ? header.indexOf(NAME) : header.length;
  return [header.slice(0, name), header.slice(name + NAME.length), end];
}

let given: Pieces | undefined;

/** The same for records as they are given: other texts of definitions belong to them. */
export function givenPieces(): Pieces {
  return (given ??= { ...textPieces('openchatml-2.2') });
}

/** The beginning, of calls up to the tool's name; from behind the values up to the content; the end. */
function ofKind(kind: Omit<MessageData, 'content'>): string[] {
  const [header, end] = writeMessage({ ...kind, content: CONTENT }, 0, DIALECT).text.split(CONTENT) as [string, string];
  const from = kind.end === 'call' ? header.indexOf(NAME) : header.search(/ (?:call_id|name)=/);
  const last = kind.end === 'call' ? ID : NAME;
  return [header.slice(0, from), header.slice(header.indexOf(last) + last.length), end];
}

/** Bytes of all pieces of the longest message, and of those around a text. */
function longestMessage(pieces: readonly Uint8Array[]): number {
  const sum = (some: readonly Uint8Array[]): number => some.reduce((bytes, { length }) => bytes + length, 0);
  const around = sum(pieces.slice(0, 4)) + sum(pieces.slice(4 + 3 * KINDS.length));
  return around + Math.max(...KINDS.map((_, kind) => sum(pieces.slice(4 + 3 * kind, 7 + 3 * kind))));
}
