// Tools of records, when the scanner asks for them: whether they can be read, and whether all of their schemas can be
// used, so that it needs to ask no more about calls that fit.

import type { ToolDefinition } from '../../model/data.ts';
import type { RecordMachine } from '../../scan/record-machine.ts';
import type { ToolMemory } from '../../tools/known.ts';
import { FUNCTIONS } from '../../tools/types.ts';
import { toolsToOpenAI } from '../../tools/records.ts';
import type { RecordTools } from '../records/record-tools.ts';
import type { Scanners } from './scanners.ts';

/** False: the host must read the record at a row. */
export function settleTools(machine: RecordMachine, tools: RecordTools, row: number, memory: ToolMemory): boolean {
  if (!tools.settle(row)) return false;
  const entry = tools.entryOf(row);
  if (tools.definitionsOf(entry).every((tool) => isUsable(tool, memory))) machine.trustTools(entry);
  return true;
}

/**
 * Gives the scanner of records tools that every record may call beside its own. Of what JSON cannot tell for certain it
 * knows that there is something.
 */
export function giveTools({ records, tools: memory }: Scanners, tools: readonly ToolDefinition[]): void {
  const isPlain = tools.every(({ namespace, name }) => namespace === FUNCTIONS && /^[\w-]+$/.test(name));
  const json = isPlain ? JSON.stringify(toolsToOpenAI(tools)) : '';
  records.giveTools(tools.length === 0 ? null : json, tools.every((tool) => isUsable(tool, memory)));
}

/** A schema with patterns, of which the budget decides, is looked at by each call. */
function isUsable(tool: ToolDefinition, { usual }: ToolMemory): boolean {
  if (usual === undefined || JSON.stringify(tool.parameters ?? null).includes('"pattern')) return false;
  return usual.find(tool)?.refused === null;
}
