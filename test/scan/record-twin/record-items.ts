// Items of Responses, for the twin: each is a message of its own.

import * as abi from '../../../src/abi.ts';
import { ROLES } from './record-entries.ts';
import type { JsonNode } from './record-json.ts';
import type { RecordRows } from './record-rows.ts';
import { inPart, RARE, type Text } from './record-values.ts';

const ITEM_KEYS = ['type', 'role', 'content', 'summary', 'output', 'call_id', 'name', 'arguments'];

/** The items of a record, one after the other. */
export class Items {
  readonly #record: RecordRows;
  /** The row of what an assistant said, which a call may follow. */
  #said: number | null = null;

  constructor(record: RecordRows) {
    this.#record = record;
  }

  take(item: JsonNode): void {
    const record = this.#record;
    const has = record.members(item, ITEM_KEYS, ['phase']);
    record.standsElsewhere();
    const given = has.get('type');
    const type = given === undefined ? (has.has('role') ? '"message"' : '') : record.raw(given);
    const role = has.has('role') ? record.known(has.get('role'), ROLES) : 0;
    if (has.has('role') && type !== '"message"') throw RARE;
    record.losesIf(has.has('role') && record.raw(has.get('role')!) === '"function"');
    const content = record.textOrParts(has.get('content'));
    const said = record.textOrParts(has.get('summary'));
    const summary = said && inPart(said);
    const output = record.textOrParts(has.get('output'));
    const id = record.word(has.get('call_id'));
    const name = record.word(has.get('name'));
    const called = this.#arguments(has.get('arguments'));
    if (type === '"message"') {
      this.#said = null;
      record.refuseTags(role, content);
      if (role === abi.ASSISTANT) this.#said = record.writeSaid(item, abi.FINAL, null, content);
      else if (role === abi.TOOL || role === 0) throw RARE;
      else record.writePlain(item, role, null, content);
    } else if (type === '"reasoning"') {
      // A summary stands for reasoning that is not there.
      const isThere = content !== null && !isEmptyList(has.get('content'));
      const [node, text] = isThere ? [has.get('content'), content] : [has.get('summary'), summary];
      if (text !== null && this.#isThought(node!, text)) record.writeSaid(item, abi.ANALYSIS, null, text);
    } else if (type === '"function_call"') {
      if (this.#said !== null) record.makePreamble(this.#said);
      this.#said = null;
      record.writeCall(item, null, { id, name, given: called });
    } else if (type === '"function_call_output"') {
      this.#said = null;
      record.refuseTags(abi.TOOL, output);
      record.writeReply(item, id, null, output);
    } else throw RARE;
  }

  /** An empty text makes no message; whether parts are one would have to be found out. */
  #isThought(node: JsonNode, text: Text): boolean {
    if ((text.kind & abi.PARTS) === 0) return text.to > text.from;
    if (isEmptyList(node)) return false;
    const parts = this.#record.parts(node);
    if (!parts.some(({ what, body }) => what === 'text' && body!.to > body!.from)) throw RARE;
    return true;
  }

  #arguments(node: JsonNode | undefined): Text | null {
    if (!this.#record.isGiven(node)) return null;
    return node.kind === 'string' ? this.#record.string(node) : this.#record.object(node);
  }
}

const isEmptyList = (node: JsonNode | undefined): boolean => node?.kind === 'list' && node.items.length === 0;
