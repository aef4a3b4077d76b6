// What of a text users do not see, and the edits that take it out: bodies of messages, parts of bodies, text between
// messages.

import { parse } from '../index.ts';
import { bodyPieces } from '../report.ts';
import type { Analysis, PageOptions, ShownMessage } from './analysis.ts';
import type { Edit } from './bytes.ts';

/** Stands where the body of a hidden message was. */
const REMOVED = '[removed]';
const BETWEEN = 'text-between-messages';
const LESS_THAN = 0x3c;

/** What is hidden, for a sentence; empty: nothing is. */
export function hiddenWords({ messages, findings }: Analysis): string {
  const whole = messages.filter(({ hidden, content }) => hidden !== null && content !== '' && content !== REMOVED);
  const parts = messages.filter(({ shown, content }) => shown !== null && shown !== content);
  const words: string[] = [];
  if (whole.length > 0) words.push(`${count(whole)} (${[...new Set(whole.map(kindOf))].join(', ')})`);
  if (parts.length > 0) words.push(`parts of ${count(parts)}`);
  if (findings.some(({ rule }) => rule === BETWEEN)) words.push('text between messages');
  return words.join(', ');
}

const count = ({ length }: readonly unknown[]): string => `${length} message${length === 1 ? '' : 's'}`;

/** What a hidden message is called: by its channel where that hides it. */
const kindOf = ({ channel, role }: ShownMessage): string => (channel === 'final' ? role ?? 'no role' : channel);

export function hiddenEdits(bytes: Uint8Array, options: PageOptions, { findings }: Analysis): Edit[] {
  const between = findings.filter(({ rule }) => rule === BETWEEN).map(({ from, to }) => ({ from, to, with: '' }));
  const inside = [...parse(bytes, options).messages()].flatMap((message) => {
    return message.isVisible ? cutsOf(message, bytes) : [{ ...message.body, with: REMOVED }];
  });
  return [...between, ...inside];
}

/** Parts of a body go one by one: tokens of literal blocks stay, in pairs, and the `<` of an escape goes. */
function cutsOf(message: Parameters<typeof bodyPieces>[0], bytes: Uint8Array): Edit[] {
  const edits: Edit[] = [];
  let end = message.body.from;
  for (const { from, to, cut } of bodyPieces(message)) {
    const hasEscape = from > end && bytes[from - 1] === LESS_THAN;
    if (cut !== null) edits.push({ from: hasEscape ? from - 1 : from, to, with: '' });
    end = to;
  }
  return edits;
}
