// R-LIKELY: headerless text that names the channels as Harmony does, with no call_id up to the first reply.
import { finding } from './findings.ts';
import type { Finding } from './findings.ts';
import { startsWith } from './tokens.ts';
import type { Source } from './tokens.ts';
import type { PlacedMessage, Transcript } from './walk.ts';

const SIGN = '# Valid channels:';
const INSTEAD_OF: ReadonlySet<string> = new Set(['missing-header', 'missing-call-id']);

/** The findings with what is told of such text. */
export function withLikeness(
  findings: readonly Finding[], source: Source, transcripts: readonly Transcript[], messages: readonly PlacedMessage[],
): Finding[] {
  const all = messages.filter(({ transcript }) => transcript === 0).map(({ message }) => message);
  const signs = all.filter(({ reading, bodyFrom, bodyTo }) =>
    reading.role === 'system' && namesChannels(source.bytes.subarray(bodyFrom, bodyTo)));
  const [first] = transcripts;
  const mayBe = first !== undefined && !first.hasHeader && first.dialect.id === 'openchatml-2.2';
  // The system's message comes first, in Harmony always.
  if (!mayBe || signs.length === 0 || signs[0] !== all[0]) return [...findings];
  const reply = all.findIndex(({ reading }) => reading.role === 'tool');
  const before = reply < 0 ? all : all.slice(0, reply + 1);
  if (before.some(({ reading }) => reading.callId !== null)) return [...findings];
  const others = findings.filter(({ rule, transcript }) => transcript > 0 || !INSTEAD_OF.has(rule));
  return [...others, ...signs.map(({ from, headerTo: to }) => finding(0, { rule: 'looks-like-harmony', from, to }))];
}

function namesChannels(body: Uint8Array): boolean {
  return body.some((_, at) => (at === 0 || body[at - 1] === 0x0a) && startsWith(body, at, SIGN));
}
