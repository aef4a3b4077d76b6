// Sinks for planned conversations: text in one of the notations with its counts, and the same chats as JSON lines.
import type { Part } from './body.ts';
import type { Message, Sink } from './chat.ts';
import { type Counts, bump, bumpAll, emptyCounts, sum } from './counts.ts';
import { type Notation, opener, textualTokens, token } from './notation.ts';
import type { Output } from './output.ts';

/** Document headers in the forms that writers use; the last is the specification's own, with tokens inside its YAML. */
const HEADERS = [
  'version: 2.2\nmodel: gpt-oss-120b\ngeneration_settings:\n  temperature: 0.7\n',
  '---\nversion: 2.2\nmodel: gpt-oss-20b\n---\n',
  '# exported\nversion: 2.2\n\n',
  `version: 2.2
model: gpt-oss-120b
generation_settings:
  temperature: 0.7
  reasoning_effort: "medium"
  builtin_tools: ["browser","python"]
capabilities:
  roles: ["system","developer","user","assistant","functions.*","tool"]
  channels: ["analysis","commentary","final"]
  tokens: ["<|start|>","<|channel|>","<|message|>","<|call|>","<|end|>","<|literal|>","<|endliteral|>"]
`,
].map((text) => ({ text, tokens: textualTokens(text, 'openchatml-2.2') }));

/** Where text goes: a file, or memory. */
export type TextOutput = Pick<Output, 'ascii' | 'copy' | 'bytes'>;

export class TextWriter implements Sink {
  readonly #counts: Counts = emptyCounts();
  readonly #tally = new Float64Array(ROLES.length * 48);
  readonly #output: TextOutput;
  readonly #notation: Notation;
  readonly #size: number;
  /** The end of the last message, written together with the head of the next: fewer, longer writes. */
  #tail = '';

  constructor(output: TextOutput, notation: Notation, size: number) {
    this.#output = output;
    this.#notation = notation;
    this.#size = size;
  }

  /** What has been written up to the last transcript that is finished. */
  counts(): Counts {
    const counts = structuredClone(this.#counts);
    this.#tally.forEach((times, cell) => {
      if (times > 0) this.#add(counts, cell, times);
    });
    for (const name of ['literal', 'endliteral']) {
      if (counts.literals === 0) break;
      bump(counts.tokens, name, counts.literals);
      bump(counts.textual, name, counts.literals);
    }
    counts.occurrences = sum(counts.textual);
    counts.openers = counts.textual[opener(this.#notation)] ?? 0;
    return counts;
  }

  begin(): void {
    const counts = this.#counts;
    if (this.#notation === 'openchatml-0.1') this.#output.ascii('<s>\n');
    if (this.#notation === 'openchatml-2.2') {
      // A header in the middle of a file opens with `---` or `version:`; a comment does so only at the start.
      const at = counts.transcripts === 0 ? 2 : ([0, 1, 1, 3][counts.transcripts & 3] as number);
      const header = HEADERS[at] as (typeof HEADERS)[number];
      this.#output.ascii(header.text);
      bumpAll(counts.textual, header.tokens);
    }
    counts.transcripts++;
  }

  message(message: Message): void {
    this.#count(message);
    const old = this.#notation === 'openchatml-0.1';
    this.#output.ascii(this.#tail + (old ? this.#oldHead(message) : this.#head(message)));
    this.#parts(message);
    if (old) this.#tail = '\n<|im_end|>\n';
    // Harmony text has nothing between its messages.
    else this.#tail = this.#notation === 'harmony' ? token(message.end) : `<|${message.end}|>\n`;
  }

  finish(): void {
    this.#output.ascii(this.#tail);
    this.#tail = '';
    if (this.#notation === 'openchatml-0.1') this.#output.ascii('</s>\n');
    this.#counts.bytes = this.#output.bytes;
  }

  full(): boolean {
    return this.#output.bytes >= this.#size;
  }

  #head(message: Message): string {
    const { role, channel, recipient, callId, name, intent, contentType, constrain } = message;
    const harmony = this.#notation === 'harmony';
    const aliased = role === 'tool' && (harmony || message.compatible);
    const after = role === 'assistant' && message.compatible && recipient !== '';
    let head = `<|start|>${aliased ? name : role}`;
    if (recipient !== '' && !after) head += ` to=${recipient}`;
    if (callId !== '') head += ` call_id=${callId}`;
    if (name !== '' && !aliased) head += ` name=${name}`;
    if (intent !== '') head += ` intent=${intent}`;
    if (contentType !== '') head += ` content_type=${contentType}`;
    if (channel !== '') head += `<|channel|>${channel}`;
    if (after) head += ` to=${recipient}`;
    if (constrain !== '') head += harmony ? ` <|constrain|>${constrain}` : `<|constrain|>${constrain}`;
    return `${head}<|message|>`;
  }

  #oldHead({ role, name, recipient }: Message): string {
    const head = name === '' ? `<|im_start|>${role}\n` : `<|im_start|>${role} name=${name}\n`;
    if (role === 'tool') return `${head}<|function_output|>\n`;
    return recipient === '' ? head : `${head}<|function_call|>\n`;
  }

  #parts(message: Message): void {
    const output = this.#output;
    for (const { kind, bytes, from, to } of message.parts) {
      if (kind === 'escape') output.ascii('<');
      if (kind === 'literal') output.ascii('<|literal|>');
      output.copy(bytes, from, to);
      if (kind === 'literal') output.ascii('<|endliteral|>');
    }
  }

  #count(message: Message): void {
    const { role, channel, end, recipient, constrain, parts } = message;
    const call = role === 'assistant' && recipient !== '' ? 1 : 0;
    const typed = constrain !== '' ? 2 : 0;
    const cell = ROLES.indexOf(role) * 48 + CHANNELS.indexOf(channel) * 12 + ENDS.indexOf(end) * 4 + typed + call;
    (this.#tally[cell] as number)++;
    for (const part of parts) if (part.kind !== 'text') this.#quote(part);
  }

  #quote({ kind, tokens }: Part): void {
    const counts = this.#counts;
    const old = this.#notation === 'openchatml-0.1';
    if (kind === 'mark') bumpAll(old ? counts.tokens : counts.marks, tokens);
    else if (kind === 'escape') counts.escapes++;
    else counts.literals++;
    if (old || kind !== 'mark') bumpAll(counts.textual, tokens);
  }

  /** Adds `times` messages of one kind to the counts. */
  #add(counts: Counts, cell: number, times: number): void {
    const old = this.#notation === 'openchatml-0.1';
    const role = ROLES[Math.floor(cell / 48)] as string;
    const channel = old ? '' : (CHANNELS[Math.floor(cell / 12) % 4] as string);
    const end = old ? 'end' : (ENDS[Math.floor(cell / 4) % 3] as string);
    const call = (cell & 1) === 1;
    counts.messages += times;
    bump(counts.roles, role, times);
    bump(counts.channels, channel || 'final', times);
    bump(counts.ends, end, times);
    if (channel === '') counts.unchanneled += times;
    if (call) counts.calls += times;
    const tokens = old ? ['im_start', 'im_end'] : ['start', 'message', end];
    if (old && role === 'tool') tokens.push('function_output');
    if (old && call) tokens.push('function_call');
    if (channel !== '') tokens.push('channel');
    if (!old && (cell & 2) === 2) tokens.push('constrain');
    for (const name of tokens) {
      bump(counts.tokens, name, times);
      bump(counts.textual, name, times);
    }
  }
}

/** The kinds of message are tallied in one array: a corpus holds millions, and they are of few kinds. */
const ROLES: readonly Message['role'][] = ['user', 'assistant', 'tool', 'system', 'developer'];
const CHANNELS: readonly Message['channel'][] = ['', 'analysis', 'commentary', 'final'];
const ENDS: readonly Message['end'][] = ['end', 'call', 'return'];

/** The same chats as one `{"messages": [...]}` a line; a transcript of very many messages is cut into several lines. */
export class JsonlWriter implements Sink {
  messages = 0;
  lines = 0;
  readonly #output: Output;
  readonly #wanted: number;
  #line: Record<string, string>[] = [];

  constructor(output: Output, wanted: number) {
    this.#output = output;
    this.#wanted = wanted;
  }

  begin(): void {
    this.#flush();
  }

  message({ role, channel, recipient, callId, name, parts }: Message): void {
    const content = parts.map(({ bytes, from, to }) => bytes.toString('utf8', from, to)).join('');
    const record: Record<string, string> = { role, content };
    if (channel !== '') record['channel'] = channel;
    if (recipient !== '') record['recipient'] = recipient;
    if (callId !== '') record['call_id'] = callId;
    if (name !== '') record['name'] = name;
    this.#line.push(record);
    this.messages++;
    if (this.#line.length === LINE) this.#flush();
  }

  finish(): void {
    this.#flush();
  }

  full(): boolean {
    return this.messages >= this.#wanted;
  }

  #flush(): void {
    if (this.#line.length === 0) return;
    this.#output.utf8(`${JSON.stringify({ messages: this.#line })}\n`);
    this.#line = [];
    this.lines++;
  }
}

/** Messages in a line of a file that is one transcript. Longer than any transcript of a file of many. */
const LINE = 256;
