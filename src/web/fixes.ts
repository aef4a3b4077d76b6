// Fixes that are safe: those that say what the text already means, and change nothing else. Each is a few edits of
// bytes; what cannot be mended without knowing what was meant has none.

import type { DialectId, Diagnostic, RuleName, Span } from '../index.ts';
import type { Analysis, ShownMessage } from './analysis.ts';
import type { Edit } from './bytes.ts';
import type { TextMap } from './text-map.ts';

export interface Fix {
  /** What the button says. */
  readonly title: string;
  readonly edits: readonly Edit[];
}

interface Place {
  readonly finding: Diagnostic;
  readonly bytes: Uint8Array;
  readonly message: ShownMessage | undefined;
  readonly dialect: DialectId;
  /** A span, one character a byte: places in it are places in the bytes, whatever they mean. */
  text(from: number, to: number): string;
}

type Make = (place: Place) => Fix | null;

const DECODER = new TextDecoder('latin1');
/** White space of the format: SP, HTAB, LF, CR. */
const BLANKS: readonly (number | undefined)[] = [0x20, 0x09, 0x0a, 0x0d];
const BYTE_ORDER_MARK = '\xef\xbb\xbf';
const LESS_THAN = 0x3c;

const insert = (at: number, words: string, title: string): Fix =>
  ({ title, edits: [{ from: at, to: at, with: words }] });

/** The word of a header goes, with the blank before it. */
const removeWord: Make = ({ finding: { from, to }, text }) => {
  const before = text(from - 1, from) === ' ' ? 1 : 0;
  return { title: 'Remove the word', edits: [{ from: from - before, to, with: '' }] };
};

/** The terminator of a message, if it has one. */
function terminatorOf({ message, text }: Place): Span | null {
  if (message === undefined) return null;
  const behind = text(message.body.to, message.to);
  const found = /<\|(?:end|call|return|im_end)\|>/.exec(behind);
  if (found === null) return null;
  const from = message.body.to + found.index;
  return { from, to: from + found[0].length };
}

const endWith = (token: string): Make => (place) => {
  const terminator = terminatorOf(place);
  return terminator && { title: `End it with ${token}`, edits: [{ ...terminator, with: token }] };
};

const close: Make = ({ message, dialect, bytes }) => {
  if (message === undefined) return null;
  const token = dialect === 'openchatml-0.1' ? '<|im_end|>' : message.isCall ? '<|call|>' : '<|end|>';
  // Line ends before the next message stay between the messages.
  let at = message.to;
  while (at > message.body.from && BLANKS.includes(bytes[at - 1])) at--;
  // Behind a `<` it would be escaped.
  const isEscaped = dialect === 'openchatml-2.2' && bytes[at - 1] === LESS_THAN;
  return isEscaped ? null : insert(at, token, `End it with ${token}`);
};

const FIXES: Partial<Record<RuleName, Make>> = {
  'missing-header': ({ dialect, text }) => {
    const at = text(0, 3) === BYTE_ORDER_MARK ? 3 : 0;
    return dialect === 'openchatml-2.2' ? insert(at, 'version: 2.2\n---\n', 'Add the document header') : null;
  },
  'empty-attribute': removeWord,
  'bare-recipient': ({ finding }) => insert(finding.from, 'to=', 'Write to= before it'),
  'trailing-terminator': ({ finding: { from, to } }) =>
    ({ title: 'Remove it', edits: [{ from, to, with: '' }] }),
  'stray-token': ({ finding: { from, to }, message, dialect, text }) => {
    const isInBody = message !== undefined && from >= message.body.from && to <= message.body.to;
    return isInBody && dialect === 'openchatml-2.2' && text(from, from + 2) === '<|'
      ? insert(from, '<', 'Escape it') : null;
  },
  'missing-end': close,
  truncated: close,
  'return-not-final': (place) => endWith(place.message?.isCall ? '<|call|>' : '<|end|>')(place),
  'call-end': endWith('<|call|>'),
  'reply-recipient': ({ message, text }) => {
    if (message === undefined) return null;
    const word = /^<\|start\|>[^ \t\r\n]+?(?=[ \t\r\n]|<\|)/.exec(text(message.from, message.body.from));
    return word && insert(message.from + word[0].length, ' to=assistant', 'Add to=assistant');
  },
};

/** The fix of a finding; null: none is safe. What is no UTF-8 is not edited, and has none. */
export function fixOf(
  finding: Diagnostic, { messages, transcripts }: Analysis, { bytes, isExact }: TextMap,
): Fix | null {
  const make = FIXES[finding.rule];
  const dialect = transcripts[finding.transcript]?.dialect ?? transcripts[0]?.dialect;
  if (!isExact || make === undefined || dialect === undefined) return null;
  const message = messages.find(({ from, to }) => finding.from >= from && finding.from < to);
  const text = (from: number, to: number): string => DECODER.decode(bytes.subarray(Math.max(0, from), to));
  return make({ finding, bytes, message, dialect, text });
}
