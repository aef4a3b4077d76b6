// What a document asks of who writes a transcript, and what changes nothing in how it is read (R-CONFORM): warnings.

import type { Finding, Tell } from '../errors.ts';
import { isToolRecipient } from '../model/attributes.ts';
import { type DocumentHeader, type HeaderProblem, property } from '../model/header/document.ts';
import type { HeaderValue } from '../model/header/text.ts';
import type { End, HeaderView, Span } from '../model/header-view.ts';
import type { TranscriptInfo } from '../model/transcript.ts';
import { isObject } from '../tools/json.ts';
import { askedOf, type Ended } from './calls.ts';

const INTENTS: ReadonlySet<string> = new Set(['preamble', 'status', 'debug']);

/** What is wrong with what a header says. */
export function conformOfHeader(message: HeaderView, transcript: TranscriptInfo, tell: Tell): void {
  const { from, header: { to } } = message;
  const { intent } = message;
  if (intent !== null && !INTENTS.has(intent)) tell({ rule: 'unknown-intent', from, to });
  const detail = undeclared(message, transcript);
  if (detail !== null) tell({ rule: 'undeclared', from, to, detail });
  if (message.role !== 'tool') return;
  const { version } = askedOf(transcript);
  if (version === '2.2' && message.name === null) tell({ rule: 'missing-tool-name', from, to });
  if (version === '2.0' && message.recipient === null) tell({ rule: 'reply-recipient', from, to });
}

/** The header says which roles or channels there are. */
export const declaresSome = ({ header }: TranscriptInfo): boolean =>
  header !== null && (header.roles !== null || header.channels !== null);

const EFFORTS: readonly (HeaderValue | undefined)[] = [undefined, 'low', 'medium', 'high'];

/** What is wrong with a document header, what the documents do not allow (R-CONFORM) last. */
export function* problemsOf({ problems, version, fields }: DocumentHeader): Generator<HeaderProblem, void, void> {
  yield* problems;
  for (const detail of badValues(version, property(fields, 'generation_settings'))) {
    yield { rule: 'bad-header-value', detail };
  }
}

function* badValues(version: string | null, settings: HeaderValue | undefined): Generator<string, void, void> {
  if (version !== null && !/^[0-9]+\.[0-9]+$/.test(version)) yield 'version is not major.minor';
  const temperature = property(settings, 'temperature');
  const isNumber = typeof temperature === 'number' && Number.isFinite(temperature);
  const tools = property(settings, 'builtin_tools');
  const isName = (item: HeaderValue): boolean => typeof item === 'string' && item !== '';
  if (!EFFORTS.includes(property(settings, 'reasoning_effort'))) yield 'reasoning_effort is none of low, medium, high';
  if (temperature !== undefined && !isNumber) yield 'temperature is no number';
  if (tools !== undefined && !(Array.isArray(tools) && tools.every(isName))) yield 'builtin_tools is no list of names';
}

/** What of a message the lists of the header leave out, in words; null: nothing. */
function undeclared({ role, name, channel }: HeaderView, { header }: TranscriptInfo): string | null {
  const { roles = null, channels = null } = header ?? {};
  // A tool has a role of its own in the older form.
  const isTool = role === 'tool' && (roles?.includes('functions.*') || (name !== null && roles?.includes(name)));
  const left: string[] = [];
  if (roles !== null && role !== null && !roles.includes(role) && !isTool) left.push('the role');
  if (channels !== null && !channels.includes(channel)) left.push('the channel');
  return left.length > 0 ? left.join(' and ') : null;
}

/** What is wrong with how a message ended; `at`: its first byte to the end of its header. */
export function conformOfEnd(message: Ended, end: End, transcript: TranscriptInfo, at: Span, tell: Tell): void {
  if (end !== 'end' && end !== 'return') return;
  const { from, to } = at;
  const isAssistant = message.role === 'assistant';
  if (end === 'return' && !(isAssistant && message.channel === 'final')) tell({ rule: 'return-not-final', from, to });
  if (!isAssistant || !isToolRecipient(message.recipient) || message.isAmbiguous || message.isUndispatchable) return;
  if (askedOf(transcript).version !== null) tell({ rule: 'call-end', from, to });
}

/** Names in the object of a call that documents speak of. */
const CALL_FIELDS: readonly string[] = ['tool_calls', 'tool_call'];
const DEADLINE = 'deadline_ms';
const UNDERSCORE = 0x5f;
const BACKSLASH = 0x5c;

/** Whether a call's body may hold one of the names; most hold none, and need not be read. */
export function mayNameFields(body: Uint8Array): boolean {
  for (let at = body.indexOf(UNDERSCORE); at >= 0; at = body.indexOf(UNDERSCORE, at + 1)) {
    // `l_ca` and `e_ms`
    if (body[at + 1] === 0x63 ? body[at - 1] === 0x6c : body[at + 1] === 0x6d && body[at - 1] === 0x65) return true;
  }
  for (let at = body.indexOf(BACKSLASH); at >= 0; at = body.indexOf(BACKSLASH, at + 1)) {
    if (body[at + 1] === 0x75) return true;
  }
  return false;
}

/** `deadline_ms` as documents have it (2.2 §8.2). */
export const isDeadline = (value: unknown): value is number => typeof value === 'number' && value > 0;

/**
 * What is wrong with the object of a call. `isNamed`: a name is a property of the tool's definition, and no matter of
 * the documents.
 */
export function* conformOfCall(
  value: unknown, isNamed: (name: string) => boolean, { from, to }: Span,
): Generator<Finding, void, void> {
  if (!isObject(value)) return;
  const detail = CALL_FIELDS.find((name) => Object.hasOwn(value, name) && !isNamed(name));
  if (detail !== undefined) yield { rule: 'mixed-call', from, to, detail };
  if (!Object.hasOwn(value, DEADLINE) || isNamed(DEADLINE)) return;
  const deadline = value[DEADLINE];
  if (!isDeadline(deadline)) yield { rule: 'bad-deadline', from, to };
}
