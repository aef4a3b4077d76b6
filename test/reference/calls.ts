// Calls and replies of one transcript (R-CALL, R-1X, R-ATTR-DUP), told in order and matched by going through all calls.
import { legacyCalls } from './content.ts';
import type { Note } from './findings.ts';
import type { ParsedMessage } from './message.ts';
import { tokensIn } from './tokens.ts';
import type { Dialect, Source } from './tokens.ts';
import { isTool } from './words.ts';

export interface CallCircumstances {
  readonly dialect: Dialect;
  readonly declared: boolean;
  readonly firstMajor: boolean;
}

interface Call {
  readonly message: ParsedMessage;
  readonly id: string | null;
  /** Null in 0.1, where order alone counts. */
  readonly name: string | null;
  answered: boolean;
}

export class CallReader {
  readonly notes: Note[] = [];
  private readonly calls: Call[] = [];
  private readonly source: Source;
  private readonly dialect: Dialect;
  private readonly declared: boolean;
  private readonly firstMajor: boolean;

  constructor(source: Source, { dialect, declared, firstMajor }: CallCircumstances) {
    this.source = source;
    this.dialect = dialect;
    this.declared = declared;
    this.firstMajor = firstMajor;
  }

  /** What is never dispatched takes no part, and no rule of calls is told of it: its header's findings say enough. */
  read(message: ParsedMessage): void {
    const { role, recipient, undispatched } = message.reading;
    if (message.openTurn || undispatched) return;
    if (this.dialect.id === 'openchatml-0.1') this.readLegacy(message);
    else if (role === 'tool') this.readReply(message);
    else if (role === 'assistant' && recipient !== null && isTool(recipient)) this.readCall(message, recipient);
    else if (message.end === 'call' && !isTool(recipient)) this.note(message, 'call-without-recipient');
  }

  end(): void {
    for (const { message, answered } of this.calls) if (!answered) this.note(message, 'open-call');
  }

  private note({ from, to }: ParsedMessage, rule: string, severity?: Note['severity']): void {
    this.notes.push({ rule, from, to, ...(severity && { severity }) });
  }

  private readCall(message: ParsedMessage, recipient: string): void {
    const allowed = isBuiltin(recipient) ? ['commentary', 'analysis'] : ['commentary'];
    if (!this.firstMajor && !allowed.includes(message.reading.explicitChannel ?? 'final')) {
      this.note(message, 'call-channel', this.dialect.id === 'harmony' ? 'warning' : 'error');
    }
    const id = this.readId(message);
    if (id !== null && this.calls.some((call) => call.id === id)) this.note(message, 'duplicate-call-id');
    this.calls.push({ message, id, name: bareName(recipient), answered: false });
  }

  private readReply(message: ParsedMessage): void {
    const { name } = message.reading;
    const id = this.readId(message);
    const fits = (call: Call): boolean => name === null || call.name === bareName(name);
    if (id === null) {
      this.answer(message, this.calls.find((call) => !call.answered && fits(call)));
      return;
    }
    // An id that two calls have is the later one's.
    const call = this.calls.findLast((earlier) => earlier.id === id);
    if (call?.answered) this.note(message, 'duplicate-reply');
    else this.answer(message, call !== undefined && fits(call) ? call : undefined);
  }

  /** The id of a call or reply; null in the dialects that have none, whatever the header says. */
  private readId(message: ParsedMessage): string | null {
    if (this.dialect.id !== 'openchatml-2.2') return null;
    const { callId } = message.reading;
    if (callId === null && !this.firstMajor) {
      this.note(message, 'missing-call-id', this.declared ? 'error' : 'warning');
    }
    return callId;
  }

  private answer(message: ParsedMessage, call: Call | undefined): void {
    if (call !== undefined) call.answered = true;
    else this.note(message, 'unmatched-reply', this.calls.length > 0 ? 'error' : 'warning');
  }

  /** In 0.1 each function token is one call or one reply; thoughts, where they are text, are the assistant's. */
  private readLegacy(message: ParsedMessage): void {
    const { role } = message.reading;
    const body = { from: message.bodyFrom, to: message.bodyTo };
    if (role === 'assistant') {
      for (const _ of legacyCalls(this.source, this.dialect, body)) {
        this.calls.push({ message, id: null, name: null, answered: false });
      }
    } else if (role === 'tool') {
      for (const { name } of tokensIn(this.source, this.dialect.tokens, body.from, body.to)) {
        if (name === 'function_output') this.answer(message, this.calls.find(({ answered }) => !answered));
      }
    }
  }
}

function isBuiltin(recipient: string): boolean {
  if (recipient === 'browser' || recipient === 'python') return true;
  return recipient.startsWith('browser.') || recipient.startsWith('container.');
}

function bareName(name: string): string {
  return name.startsWith('functions.') ? name.slice('functions.'.length) : name;
}
