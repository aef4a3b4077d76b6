// The rows of a record's entries: the half of the twin that knows what messages are. record.ts reads lines.

import * as abi from '../../../src/abi.ts';
import type { JsonNode } from './record-json.ts';
import { MOST_CALLS, type RecordRows } from './record-rows.ts';
import { acts, type Block, bodyOf, type Call, filled, RARE, type Span, type Text } from './record-values.ts';
import { callIn, writtenCalls, writtenReplies, writtenTools } from './record-written.ts';

const THOUGHT_KEYS = ['thinking', 'reasoning', 'reasoning_content'];
const CHAT_KEYS = ['role', 'content', 'name', 'tool_call_id', 'tool_calls', 'function_call', ...THOUGHT_KEYS];
const TURN_KEYS = ['from', 'value'];
const CALL_KEYS = ['id', 'type', 'function'];
const TARGET_KEYS = ['name', 'arguments'];
/** Members of an entry without a content in which nothing is said. */
const SAID_KEYS = ['role', 'content', 'name'];
/** Members of an entry whose parts act. */
const BLOCK_KEYS = ['role', 'content'];

export const ROLES: Readonly<Record<string, number>> = {
  '"system"': abi.SYSTEM, '"developer"': abi.DEVELOPER, '"user"': abi.USER, '"assistant"': abi.ASSISTANT,
  '"tool"': abi.TOOL, '"function"': abi.TOOL, '"tool_response"': abi.TOOL, '"tool_call"': abi.ASSISTANT,
};

/** Roles that are read as others, which is told. */
const OTHER_ROLES = ['"function"', '"tool_response"', '"tool_call"'];

/** Who says a turn of ShareGPT. */
const SPEAKERS: Readonly<Record<string, number>> = {
  '"human"': abi.USER, '"user"': abi.USER, '"gpt"': abi.ASSISTANT, '"chatgpt"': abi.ASSISTANT,
  '"assistant"': abi.ASSISTANT,
  '"system"': abi.SYSTEM, '"observation"': abi.TOOL, '"tool"': abi.TOOL,
};

/** Words of ShareGPT alone: the others are renamed. */
const USUAL_SPEAKERS = ['"human"', '"gpt"', '"system"', '"observation"'];

/** The entries of a list of messages, one after the other. */
export class Entries {
  readonly #record: RecordRows;
  /** The entries are turns of ShareGPT; null: none was met. */
  #ofTurns: boolean | null = null;

  constructor(record: RecordRows) {
    this.#record = record;
  }

  get isShareGpt(): boolean {
    return this.#ofTurns === true;
  }

  take(entry: JsonNode): void {
    const has = this.#record.entryMembers(filled(entry), [...CHAT_KEYS, ...TURN_KEYS], ['channel', 'tool_call']);
    // All entries of a record are of one form, told by the first.
    this.#ofTurns ??= has.has('from') && !has.has('role');
    if (this.#ofTurns) this.#takeTurn(entry, has);
    else this.#takeChat(entry, has);
  }

  #takeTurn(entry: JsonNode, has: ReadonlyMap<string, JsonNode>): void {
    const record = this.#record;
    if (CHAT_KEYS.some((key) => has.has(key))) throw RARE;
    const value = record.string(has.get('value'));
    if (value === null) throw RARE;
    const from = has.get('from');
    if (from !== undefined && record.raw(from) === '"function_call"') this.#takeTextCall(entry, value);
    else {
      if (from !== undefined && !USUAL_SPEAKERS.includes(record.raw(from))) record.renamed.add(record.raw(from));
      this.#write(entry, record.known(from, SPEAKERS), null, null, null, value, []);
    }
  }

  #takeTextCall(entry: JsonNode, text: Text): void {
    const record = this.#record;
    record.standsElsewhere();
    if (text.kind !== (abi.BODY | abi.ESCAPED)) throw RARE;
    const call = callIn(record.raw(text), text.from);
    record.acts('by-themselves');
    record.losesIf(!this.#isUsual(text, call));
    record.writeCall(entry, null, call);
  }

  /** A call is written as our writer writes it. */
  #isUsual(value: Text, { name, given }: Call): boolean {
    if (name === null || given === null) return false;
    const raw = (span: Span): string => this.#record.raw(span);
    return raw(value) === `{\\"name\\": \\"${raw(name)}\\", \\"arguments\\": ${raw(given)}}`;
  }

  #takeChat(entry: JsonNode, has: ReadonlyMap<string, JsonNode>): void {
    const record = this.#record;
    if (TURN_KEYS.some((key) => has.has(key))) throw RARE;
    const role = record.known(has.get('role'), ROLES);
    const said = record.raw(has.get('role')!);
    const node = has.get('content');
    record.losesIf(OTHER_ROLES.includes(said));
    if (said === '"tool_call"') {
      const text = record.string(node);
      if (has.size !== 2 || text === null) throw RARE;
      this.#takeTextCall(entry, text);
      return;
    }
    const blocks = node?.kind === 'list' ? record.parts(node) : null;
    const list = blocks === null ? null : { kind: abi.BODY | abi.PARTS, from: node!.from, to: node!.to };
    if (blocks !== null) record.joinParts(blocks);
    record.refuseTags(role, list);
    if (blocks?.some(acts)) {
      if (CHAT_KEYS.some((key) => has.has(key) && !BLOCK_KEYS.includes(key))) throw RARE;
      record.losesIf(true);
      record.standsElsewhere();
      this.#takeBlocks(entry, role, blocks);
      return;
    }
    const content = list ?? record.string(node);
    const name = record.word(has.get('name'));
    const callId = record.word(has.get('tool_call_id'));
    const thoughts = THOUGHT_KEYS.map((key) => record.string(has.get(key))).filter((thought) => thought !== null);
    // Two of them must be equal: somebody else compares.
    if (thoughts.length > 1) throw RARE;
    const calls = this.#calls(has.get('tool_calls'), has.get('function_call'));
    const doesAct = role === abi.ASSISTANT && (calls.length > 0 || thoughts.some(({ from, to }) => to > from));
    // Where nothing else is said, the host looks for what is said in other members.
    if (content === null && !doesAct && entry.members.some(([key]) => !SAID_KEYS.includes(key))) throw RARE;
    const refusal = entry.members.findLast(([key]) => key === 'refusal');
    if (content === null && role === abi.ASSISTANT && record.isGiven(refusal?.[1])) throw RARE;
    if (calls.length > 0) record.acts('by-themselves');
    for (const key of ['reasoning', 'reasoning_content']) {
      const text = record.string(has.get(key));
      if (text !== null && text.to > text.from) record.loseFields(1);
    }
    if (role === abi.ASSISTANT) {
      const isEmpty = content !== null && content.from === content.to;
      record.losesIf(callId !== null);
      if (calls.length > 0 && (isEmpty || !has.has('content'))) record.loseFields(1);
    } else record.losesIf(thoughts.length > 0 || calls.length > 0 || (role !== abi.TOOL && callId !== null));
    this.#write(entry, role, name, callId, thoughts[0] ?? null, content, calls);
  }

  #write(
    entry: Span, role: number, name: Span | null, callId: Span | null, thought: Text | null, content: Text | null,
    calls: readonly Call[],
  ): void {
    const record = this.#record;
    if (content !== null && (content.kind & abi.PARTS) === 0 && record.holdsTag(role, content)) {
      if (role === abi.ASSISTANT) {
        if (calls.length > 0) throw RARE;
        const written = writtenCalls(record.raw(content), content.from);
        this.#standsInText(written !== null);
        if (written !== null) [content, calls] = [written.said, written.calls];
      } else if (this.#takeWritten(entry, role, name, callId, content)) return;
    }
    if (role === abi.ASSISTANT) record.writeAssistant(entry, name, thought, content, calls);
    else if (role === abi.TOOL) record.writeReply(entry, callId, name, content);
    else record.writePlain(entry, role, name, content);
  }

  #standsInText(does: boolean): void {
    if (!does) return;
    this.#record.acts('written');
    this.#record.loseFields(1);
    this.#record.standsElsewhere();
  }

  /** Definitions or replies in a content; false: it holds none. */
  #takeWritten(entry: Span, role: number, name: Span | null, callId: Span | null, content: Text): boolean {
    const record = this.#record;
    const raw = record.raw(content);
    if (role === abi.SYSTEM) {
      const tools = writtenTools(raw, content.from);
      if (tools === null) return false;
      record.takeTools(tools.list);
      if (!tools.isAlone) record.writeSystem(entry, name, content);
      return true;
    }
    const isTool = role === abi.TOOL;
    const spoken = writtenReplies(raw, content.from, isTool, isTool && name !== null ? record.raw(name) : null);
    if (spoken === null) return false;
    this.#standsInText(true);
    const isAlone = isTool && spoken.filter((part) => 'reply' in part).length === 1;
    for (const part of spoken) {
      if ('said' in part) record.writePlain(entry, role, name, part.said);
      else record.writeReply(entry, isAlone ? callId : null, (isTool ? name : null) ?? part.name, part.reply);
    }
    return true;
  }

  /** An entry with blocks as Anthropic has them. */
  #takeBlocks(entry: Span, role: number, blocks: readonly Block[]): void {
    if (role === abi.ASSISTANT) this.#takeActs(entry, blocks);
    else if (role === abi.USER) this.#takeReplies(entry, blocks);
    else throw RARE;
  }

  /** Thinking, what is said, calls: in this order they are one entry. */
  #takeActs(entry: Span, blocks: readonly Block[]): void {
    const order = blocks.map(({ what }) => {
      return { thinking: 't', redacted_thinking: 'r', tool_use: 'c', tool_result: 'x', text: 's', other: 's' }[what];
    }).join('');
    if (!/^r*t?r*s*[rc]*$/.test(order) || /^r*$/.test(order)) throw RARE;
    const said = blocks.filter((block) => !acts(block));
    const calls = blocks.filter(({ what }) => what === 'tool_use')
      .map(({ id, name, body }): Call => ({ id, name, given: body }));
    const thought = blocks.find(({ what }) => what === 'thinking')?.body ?? null;
    this.#record.writeAssistant(entry, null, thought, said.length > 0 ? bodyOf(said) : null, calls);
  }

  /** Replies, and what a user says between them. */
  #takeReplies(entry: Span, blocks: readonly Block[]): void {
    let said: Block[] = [];
    const flush = (): void => {
      if (said.length > 0) this.#record.writePlain(entry, abi.USER, null, bodyOf(said));
      said = [];
    };
    for (const block of blocks) {
      if (block.what === 'tool_result') {
        flush();
        this.#record.writeReply(entry, block.id, null, block.body);
      } else if (acts(block)) throw RARE;
      else said.push(block);
    }
    flush();
  }

  #calls(list: JsonNode | undefined, single: JsonNode | undefined): Call[] {
    const record = this.#record;
    const calls: Call[] = [];
    if (list?.kind === 'list') {
      if (list.items.length === 0) record.loseFields(1);
      for (const item of list.items) {
        const has = record.members(filled(item), CALL_KEYS);
        const type = has.get('type');
        if (type !== undefined && !['"function"', 'null'].includes(record.raw(type))) throw RARE;
        const target = has.get('function');
        const called = target === undefined ? { name: null, given: null } : this.#target(target);
        calls.push({ id: record.word(has.get('id')), ...called });
      }
    } else if (record.isGiven(list)) throw RARE;
    if (record.isGiven(single)) {
      if (calls.length > 0) throw RARE;
      record.losesIf(true);
      calls.push({ id: null, ...this.#target(single) });
    }
    if (calls.length > MOST_CALLS) throw RARE;
    return calls;
  }

  #target(node: JsonNode): Pick<Call, 'name' | 'given'> {
    if (node.kind !== 'object') throw RARE;
    const has = this.#record.members(node, TARGET_KEYS);
    const name = this.#record.word(has.get('name'));
    const given = has.get('arguments');
    if (given === undefined) return { name, given: null };
    if (given.kind === 'string') return { name, given: this.#record.string(given) };
    return { name, given: this.#record.object(given) };
  }
}
