// Tools of records, when the scanner asks for them: whether they can be read, and whether all of their schemas can be
// used, so that it needs to ask no more about calls that fit.

import type { ToolDefinition } from '../../model/data.ts';
import type { RecordMachine } from '../../scan/record-machine.ts';
import type { ToolMemory } from '../../tools/known.ts';
import type { RecordTools } from '../records/record-tools.ts';

/** False: the host must read the record at a row. */
export function settleTools(machine: RecordMachine, tools: RecordTools, row: number, memory: ToolMemory): boolean {
  if (!tools.settle(row)) return false;
  const entry = tools.entryOf(row);
  if (tools.definitionsOf(entry).every((tool) => isUsable(tool, memory))) machine.trustTools(entry);
  return true;
}

/** A schema with patterns, of which the budget decides, is looked at by each call. */
function isUsable(tool: ToolDefinition, { usual }: ToolMemory): boolean {
  if (usual === undefined || JSON.stringify(tool.parameters ?? null).includes('"pattern')) return false;
  return usual.find(tool)?.refused === null;
}
