// How a message is built: what is wrong with its header, with what stands below it, and with its end.

import { HAS_ESCAPE, STRAY, TRAILING } from '../abi.ts';
import type { Tell } from '../errors.ts';
import { standsAt } from '../model/bytes.ts';
import type { Message } from '../model/message.ts';
import type { TranscriptInfo } from '../model/transcript.ts';
import { OPEN_LITERAL } from '../scan/dialects.ts';
import { conformOfEnd } from './conform.ts';
import { headerFindings } from './header.ts';

type Bytes = { bytes(from: number, to: number): Uint8Array };

/** `mayBeCut`: it ends with the input, and should not. */
export function structureFindings(
  message: Message, transcript: TranscriptInfo, source: Bytes, mayBeCut: boolean, tell: Tell,
): void {
  const { from, to, end } = message;
  const cut = !message.isPlain && message.reading.cut;
  headerFindings(message, transcript, cut, tell);
  if (end === 'implicit' && !cut) tell({ rule: 'missing-end', from, to });
  const open = message.openLiteral;
  if (message.hasRows) childFindings(message, tell);
  if (open) {
    const detail = swallowed(source, open.from, open.to);
    tell({ rule: 'unterminated-literal', from: open.from, to: open.from + OPEN_LITERAL.length, detail });
  } else if (mayBeCut) {
    tell({ rule: 'truncated', from, to });
  }
  if (!message.isReadInPart) conformOfEnd(message, end, transcript, message.header, tell);
}

function childFindings(message: Message, tell: Tell): void {
  const soft = (message.dialect.flags & HAS_ESCAPE) === 0;
  const { bodyTokenFrom } = message;
  for (const { from, to } of message.rowsOf(STRAY)) {
    tell({ rule: 'stray-token', from, to, ...(from >= bodyTokenFrom && soft && { severity: 'warning' }) });
  }
  for (const { from, to } of message.rowsOf(TRAILING)) tell({ rule: 'trailing-terminator', from, to });
}

/** What an unterminated literal holds, in numbers. */
function swallowed(source: Bytes, from: number, to: number): string {
  let tokens = 0;
  const step = 1 << 20;
  for (let at = from + OPEN_LITERAL.length; at < to; at += step) {
    // Tokens that begin in the part; the longest one has 14 bytes here.
    const part = source.bytes(at, Math.min(to, at + step + 13));
    tokens += countTokens(part, Math.min(step, to - at));
  }
  return `it holds the last ${to - from - OPEN_LITERAL.length} bytes of the input, ${tokens} control tokens among them`;
}

const FRAME_TOKENS = [
  'start', 'channel', 'message', 'call', 'constrain', 'return', 'end', 'literal', 'endliteral',
].map((name) =>
  new TextEncoder().encode(`<|${name}|>`),
);

function countTokens(bytes: Uint8Array, end: number): number {
  let count = 0;
  for (let at = bytes.indexOf(0x3c); at >= 0 && at < end; at = bytes.indexOf(0x3c, at + 1)) {
    if (bytes[at + 1] === 0x7c && FRAME_TOKENS.some((token) => standsAt(token, bytes, at))) {
      count++;
    }
  }
  return count;
}
