// What the page shows of a text: transcripts, messages with what a user sees of them, calls joined to their replies,
// findings with their places. Plain data, the same for the same bytes in a browser and in Node.

import {
  check, type Diagnostic, type DialectId, type HiddenReason, Lines, type Message, parse, type ReadOptions,
  type ReadYaml, type StructureOptions, type Transcript,
} from '../index.ts';

export interface ReadChoice {
  readonly dialect: DialectId | 'auto';
  /** The text is a completion of this role; empty: it is none. */
  readonly role: string;
  readonly stopStripped: boolean;
}

export const AUTOMATIC: ReadChoice = { dialect: 'auto', role: '', stopStripped: false };

/** How a file is read, by its name, packed or not. */
export const choiceFor = (name: string): ReadChoice =>
  (/\.harmony(?:\.gz|\.zst)?$/.test(name) ? { ...AUTOMATIC, dialect: 'harmony' } : AUTOMATIC);

type Written =
  'index' | 'role' | 'name' | 'recipient' | 'channel' | 'explicitChannel' | 'intent' | 'callId' | 'contentType' | 'end'
  | 'from' | 'to' | 'body' | 'content';

export interface ShownMessage extends Pick<Message, Written> {
  /** In the input; `index` is that in its transcript. */
  readonly number: number;
  readonly transcript: number;
  /** What an end user sees; null: nothing, for a reason. */
  readonly shown: string | null;
  readonly hidden: HiddenReason | null;
  readonly isCall: boolean;
  readonly isReply: boolean;
  /** Number of the reply of a call, or of the call of a reply; null: none is known. */
  readonly partner: number | null;
}

/** The text was made of a record: how it is read, and the way back. */
export interface RecordText {
  readonly reading: PageOptions;
  readonly checking: StructureOptions;
  /** JSON pointer, in the record, of what a finding is about; null: it is not known. */
  pointer(finding: Diagnostic): string | null;
}

export interface FindingView extends Diagnostic {
  /** JSON pointer in the record that the text was made of. */
  readonly pointer: string | null;
  readonly line: number;
  readonly column: number;
}

export interface TranscriptView {
  readonly number: number;
  readonly dialect: DialectId;
  readonly version: string | null;
  readonly from: number;
  readonly messages: number;
}

export interface Analysis {
  readonly transcripts: readonly TranscriptView[];
  readonly messages: readonly ShownMessage[];
  readonly findings: readonly FindingView[];
}

/** How an input is read here: by the exact words. */
export type PageOptions = Omit<ReadOptions, 'rescue'>;

/** What checks: of the first load the structure, with full-checks.ts tools, their arguments and any YAML, too. */
export interface Checks {
  readonly isFull: boolean;
  check(input: Uint8Array, options: StructureOptions): Diagnostic[];
  readonly yaml: ReadYaml | undefined;
}

export const STRUCTURE: Checks = { isFull: false, check, yaml: undefined };

/** The options of the library for what was chosen. */
export function readOptions({ dialect, role, stopStripped }: ReadChoice): PageOptions {
  return { dialect, ...(role !== '' && { role }), ...(stopStripped && { stopStripped }) };
}

export function analyse(bytes: Uint8Array, choice: ReadChoice, checks: Checks, record?: RecordText): Analysis {
  const options = { ...readOptions(choice), ...record?.reading, yaml: checks.yaml };
  const parsed = parse(bytes, options);
  const messages = parsed.transcripts.flatMap((transcript) => {
    return [...transcript].map((message) => viewOf(message, transcript));
  });
  const { found, pairs } = checkAll(bytes, { ...options, ...record?.checking }, checks);
  const lines = new Lines((from, to) => bytes.subarray(from, to));
  return {
    transcripts: parsed.transcripts.map(({ number, dialect, version, from, length }) => {
      return { number, dialect, version, from, messages: length };
    }),
    messages: join(messages, pairs),
    findings: found.map((finding) => {
      return { ...finding, ...lines.at(finding.from), pointer: record?.pointer(finding) ?? null };
    }),
  };
}

/** Who is no tool. */
const PERSONS: readonly string[] = ['assistant', 'user', 'all'];

function viewOf(message: Message, transcript: Transcript): Omit<ShownMessage, 'number'> {
  const { index, role, recipient, callId } = message;
  const hidden = message.hiddenReason();
  const shown = hidden === null ? message.show() : null;
  const isLine = transcript.dialect === 'openchatml-0.1';
  const toTool = recipient !== null && !PERSONS.includes(recipient);
  const calls = isLine ? message.functionCalls.length > 0 : role === 'assistant' && toTool;
  const replies = isLine ? message.functionReplies.length > 0 : role === 'tool';
  return {
    index, transcript: transcript.number, role, name: message.name, recipient, channel: message.channel,
    explicitChannel: message.explicitChannel, intent: message.intent, callId, contentType: message.contentType,
    end: message.end, from: message.from, to: message.to, body: message.body, content: message.content, shown, hidden,
    isCall: calls, isReply: replies, partner: null,
  };
}

/** Checks, and is told which reply answers which call, by their first bytes. */
function checkAll(
  bytes: Uint8Array, options: StructureOptions, checks: Checks,
): { readonly found: Diagnostic[]; readonly pairs: readonly (readonly [call: number, reply: number])[] } {
  const pairs: [call: number, reply: number][] = [];
  let at = 0;
  const openCalls = { opened() {}, closed: (from: number) => void pairs.push([from, at]) };
  const visitor = { message: ({ from }: Message) => void (at = from), transcriptEnd() {} };
  return { found: checks.check(bytes, { ...options, openCalls, visitor }), pairs };
}

/** Joins replies to the calls that they answer. */
function join(
  messages: readonly Omit<ShownMessage, 'number'>[], pairs: readonly (readonly [call: number, reply: number])[],
): ShownMessage[] {
  const numbers = new Map(messages.map(({ from }, number) => [from, number]));
  const partners = new Map<number, number>();
  for (const [call, reply] of pairs) {
    const [a, b] = [numbers.get(call), numbers.get(reply)];
    if (a !== undefined && b !== undefined && a !== b) partners.set(a, b).set(b, a);
  }
  return messages.map((message, number) => ({ ...message, number, partner: partners.get(number) ?? null }));
}
