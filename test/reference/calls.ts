// Calls and replies of one transcript (R-CALL, R-1X, R-ATTR-DUP), told in order and matched by going through all calls.
import { contentBytes, isJson, legacyCalls } from './content.ts';
import type { Note } from './findings.ts';
import type { HeaderReading } from './header.ts';
import { replyTags } from './hermes.ts';
import type { ParsedMessage } from './message.ts';
import { skipWhite, tokensIn } from './tokens.ts';
import type { Dialect, Source } from './tokens.ts';
import { isTool } from './words.ts';

export interface CallCircumstances {
  readonly dialect: Dialect;
  readonly declared: boolean;
  readonly firstMajor: boolean;
  readonly header: Pick<HeaderReading, 'builtins' | 'builtinsIn' | 'callsIn'> | null;
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
  private readonly header: CallCircumstances['header'];

  constructor(source: Source, { dialect, declared, firstMajor, header }: CallCircumstances) {
    this.source = source;
    this.dialect = dialect;
    this.declared = declared;
    this.firstMajor = firstMajor;
    this.header = header;
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
    this.readObject(message);
    const { builtins = [], builtinsIn = null, callsIn = null } = this.header ?? {};
    const isOwn = [bareName(recipient), bareName(recipient).split('.')[0]].some((name) => builtins.includes(name));
    const allowed = isBuiltin(recipient) || isOwn
      ? (builtinsIn ?? ['commentary', 'analysis'])
      : (callsIn ?? ['commentary']);
    if (!this.firstMajor && !allowed.includes(message.reading.explicitChannel ?? 'final')) {
      this.note(message, 'call-channel', this.dialect.id === 'harmony' ? 'warning' : 'error');
    }
    const id = this.readId(message);
    if (id !== null && this.calls.some((call) => call.id === id)) this.note(message, 'duplicate-call-id');
    this.calls.push({ message, id, name: bareName(recipient), answered: false });
  }

  /** R-CONFORM: what the object of a call may not hold. */
  private readObject(message: ParsedMessage): void {
    const bytes = contentBytes(this.source, this.dialect, message);
    const value: unknown = isJson(bytes) ? JSON.parse(new TextDecoder().decode(bytes)) : null;
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return;
    const entries = new Map<string, unknown>(Object.entries(value));
    const note = (rule: string): void => void this.notes.push({ rule, from: message.from, to: message.headerTo });
    if (entries.has('tool_call') || entries.has('tool_calls')) note('mixed-call');
    const deadline = entries.get('deadline_ms');
    if (entries.has('deadline_ms') && !(typeof deadline === 'number' && deadline > 0)) note('bad-deadline');
  }

  private readReply(message: ParsedMessage): void {
    const { name } = message.reading;
    const id = this.readId(message);
    const fits = (call: Call): boolean => name === null || call.name === bareName(name);
    if (id === null) {
      this.answer(message, this.calls.find((call) => !call.answered && fits(call)));
      return;
    }
    // Of calls with one id each waits for a reply of its own.
    const calls = this.calls.filter((earlier) => earlier.id === id);
    if (calls.length > 0 && calls.every(({ answered }) => answered)) this.note(message, 'duplicate-reply');
    else this.answer(message, calls.find((call) => !call.answered && fits(call)));
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

  /** The name in the JSON object that begins at `from`; text may follow it. */
  private nameAt(from: number, end: number): string | null {
    const { bytes } = this.source;
    if (bytes[skipWhite(bytes, from, end)] !== 0x7b) return null;
    for (let to = end; to > from; to--) {
      if (bytes[to - 1] !== 0x7d) continue;
      try {
        const value = JSON.parse(new TextDecoder().decode(bytes.subarray(from, to))) as object;
        const name = new Map<string, unknown>(Object.entries(value)).get('name');
        return typeof name === 'string' ? bareName(name) : null;
      } catch {
        // It does not end here.
      }
    }
    return null;
  }

  private answer(message: ParsedMessage, call: Call | undefined): void {
    if (call !== undefined) call.answered = true;
    else this.note(message, 'unmatched-reply', this.calls.length > 0 ? 'error' : 'warning');
  }

  /** In 0.1 each function token or tag is one call or one reply; thoughts, where they are text, are the assistant's. */
  private readLegacy(message: ParsedMessage): void {
    const { role } = message.reading;
    const body = { from: message.bodyFrom, to: message.bodyTo };
    if (role === 'assistant') {
      const tokens = legacyCalls(this.source, this.dialect, body);
      for (const [at, { to }] of tokens.entries()) {
        const name = this.nameAt(to, tokens[at + 1]?.from ?? body.to);
        this.calls.push({ message, id: null, name, answered: false });
      }
    } else if (role === 'tool' || role === 'user') {
      const tokens = role === 'user' ? [] : [...tokensIn(this.source, this.dialect.tokens, body.from, body.to)];
      const outputs = tokens.filter(({ name }) => name === 'function_output');
      const replies = [
        ...replyTags(this.source.bytes, body), ...outputs.map(({ from, to }) => ({ from, textFrom: to, textTo: null })),
      ].sort((a, b) => a.from - b.from);
      const author = role === 'user' ? null : message.reading.name;
      let disordered = false;
      for (const [at, { textFrom, textTo }] of replies.entries()) {
        const name = this.nameAt(textFrom, textTo ?? replies[at + 1]?.from ?? body.to) ?? (author && bareName(author));
        const call = this.calls.find(({ answered }) => !answered);
        const isOther = call !== undefined && call.name !== null && call.name !== name;
        if (isOther && name !== null && this.calls.some((other) => other.name === name)) disordered = true;
        this.answer(message, call);
      }
      if (disordered) this.note(message, 'reply-order');
    }
  }
}

function isBuiltin(recipient: string): boolean {
  return ['browser', 'python', 'container'].includes(bareName(recipient).split('.')[0]);
}

function bareName(name: string): string {
  return name.startsWith('functions.') ? name.slice('functions.'.length) : name;
}
