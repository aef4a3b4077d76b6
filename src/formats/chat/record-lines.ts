// The pieces that lines of `messages` are made of where they come from rows of chat records: what
// assembly/record/lines.ts puts between the values of a message, by its kind. The simple version, which makes a line
// from a view, is ../message-lines.ts.

import type { End } from '../../model/message.ts';
import type { Pieces } from '../../scan/record-machine.ts';
import { ofLastFile } from './last-file.ts';

/** What a kind of message always says. `functions`: the tool that is called. */
export interface RecordKind {
  readonly role: string;
  readonly recipient: 'assistant' | 'functions' | null;
  readonly channel: string;
  readonly isExplicit: boolean;
  readonly contentType: string | null;
  readonly intent: string | null;
  readonly end: End;
  readonly visible: boolean;
}

const PLAIN = {
  recipient: null, channel: 'final', isExplicit: false, contentType: null, intent: null, end: 'end', visible: false,
} as const;
const SAID = { ...PLAIN, role: 'assistant', isExplicit: true } as const;

/** In the order of assembly/record/lines.ts. */
export const RECORD_KINDS: readonly RecordKind[] = [
  { ...PLAIN, role: 'system' },
  { ...PLAIN, role: 'developer' },
  { ...PLAIN, role: 'user', visible: true },
  { ...SAID, visible: true },
  { ...SAID, channel: 'analysis' },
  { ...SAID, channel: 'commentary', intent: 'preamble', visible: true },
  { ...SAID, recipient: 'functions', channel: 'commentary', contentType: 'json', end: 'call' },
  { ...SAID, role: 'tool', recipient: 'assistant', channel: 'commentary' },
  { ...PLAIN, role: 'assistant', visible: true },
  { ...SAID, channel: 'commentary', intent: 'preamble' },
];

const ENCODER = new TextEncoder();

/** The pieces of the lines of a file, in the order of assembly/record/lines.ts. */
export const linePieces = ofLastFile((path): Pieces => {
  const ofLines = [
    `{"path":${JSON.stringify(path)},"record":`, ',"transcript":', ',"index":', ',"to":', ',"body_from":',
    ',"body_to":', ',"content":"',
    '"}\n', '"functions.',
  ];
  const pieces = [...ofLines.map(encoded), ...OF_KINDS];
  return { pieces, longest: longestLine(pieces) };
});

const encoded = (text: string): Uint8Array => ENCODER.encode(text);
const OF_KINDS = RECORD_KINDS.flatMap(ofKind).map(encoded);

/** Up to the name; up to the tool's name of a call; up to the call's id; up to `from`. */
function ofKind({ role, recipient, channel, isExplicit, contentType, intent, end, visible }: RecordKind): string[] {
  const text = (value: string | null): string => (value === null ? 'null' : `"${value}"`);
  const isCall = recipient === 'functions';
  const to = isCall ? '"functions.' : text(recipient);
  const rest = `,"channel":"${channel}","explicit_channel":${text(isExplicit ? channel : null)},`
    + `"content_type":${text(contentType)}`
    + `,"intent":${text(intent)},"call_id":`;
  return [
    `,"role":"${role}","name":`,
    `,"recipient":${to}${isCall ? '' : rest}`,
    isCall ? rest : '',
    `,"end":"${end}","visible":${visible},"from":`,
  ];
}

/** Bytes of all pieces of the longest line. */
function longestLine(pieces: readonly Uint8Array[]): number {
  const ofLines = pieces.slice(0, 9).reduce((sum, { length }) => sum + length, 0);
  const ofKinds = RECORD_KINDS.map((_, kind) => {
    return pieces.slice(9 + 4 * kind, 13 + 4 * kind).reduce((sum, { length }) => sum + length, 0);
  });
  return ofLines + Math.max(...ofKinds);
}
