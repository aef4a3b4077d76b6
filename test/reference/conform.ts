// What documents ask of who writes (R-CONFORM), as far as one message tells it.
import type { Note } from './findings.ts';
import type { HeaderReading } from './header.ts';
import type { ParsedMessage } from './message.ts';
import type { Dialect } from './tokens.ts';
import { isTool } from './words.ts';

interface Circumstances {
  readonly dialect: Dialect;
  /** A 1.x transcript, of which the later documents ask nothing. */
  readonly firstMajor: boolean;
  readonly header: Pick<HeaderReading, 'roles' | 'channels'> | null;
}

const INTENTS = ['preamble', 'status', 'debug'];

/** All stand at the message's first byte. */
export function conformNotes({ dialect, firstMajor, header }: Circumstances, message: ParsedMessage): Note[] {
  const { reading, end, from, headerTo, openTurn, inPart } = message;
  const { role, name, recipient, intent, explicitChannel, undispatched } = reading;
  if (openTurn || inPart) return [];
  const is22 = dialect.id === 'openchatml-2.2' && !firstMajor;
  const is20 = dialect.id === 'openchatml-2.0' && !firstMajor;
  const isFinal = explicitChannel === null || explicitChannel === 'final';
  const isCall = role === 'assistant' && isTool(recipient) && !undispatched;
  const hasRole = (listed: readonly string[]): boolean =>
    listed.includes(role!) || (role === 'tool' && (listed.includes('functions.*') || listed.includes(name!)));
  const { roles = null, channels = null } = header ?? {};
  const broken: [string, boolean][] = [
    [
      'undeclared',
      (roles !== null && role !== null && !hasRole(roles))
        || (channels !== null && !channels.includes(explicitChannel ?? 'final')),
    ],
    ['unknown-intent', intent !== null && !INTENTS.includes(intent)],
    ['missing-tool-name', is22 && role === 'tool' && name === null],
    ['reply-recipient', is20 && role === 'tool' && recipient === null],
    ['return-not-final', end === 'return' && !(role === 'assistant' && isFinal)],
    ['call-end', (is22 || is20) && isCall && (end === 'end' || end === 'return')],
  ];
  return broken.filter(([, is]) => is).map(([rule]) => ({ rule, from, to: headerTo }));
}
