// A file of tool definitions: JSON as chat records hold it, or Harmony's declarations.

import { readFileSync, statSync } from 'node:fs';
import type { ToolDefinition } from '../../model/data.ts';
import { readDeclarations } from '../../tools/declarations.ts';
import { isObject, own } from '../../tools/json.ts';
import { toolsFromOpenAI } from '../../tools/records.ts';
import { InputError, systemReason } from '../error.ts';

/** Bytes of a file that is read. */
const LARGEST = 16 * 1024 * 1024;

/**
 * The definitions of a regular file: a JSON list as the `tools` of chat records, an object with such a list, or text
 * with `namespace functions { … }`. Throws an InputError that says what is wrong with it.
 */
export function readToolsFile(path: string): readonly ToolDefinition[] {
  const text = readText(path);
  const first = text.trimStart()[0];
  const isJson = first === '[' || first === '{';
  const { tools, problems } = isJson ? toolsFromOpenAI(listOf(path, text)) : readDeclarations(text);
  // A definition with a field that says nothing about arguments was read.
  const problem = problems.find(({ reason }) => reason !== 'field');
  if (problem) {
    const { reason, from } = problem;
    const where = isJson ? `tool ${from}` : `character ${from}`;
    throw new InputError(
      path, `holds a definition that cannot be read (${reason}, at ${where})`, 'mend it, or leave it out',
    );
  }
  if (tools.length === 0) throw new InputError(
    path, 'defines no tool', 'write a JSON list of tools, or declarations in `namespace functions { … }`',
  );
  return tools;
}

function readText(path: string): string {
  if (path === '-') throw new InputError(path, 'standard input is read for transcripts', 'name a file of definitions');
  try {
    const status = statSync(path);
    if (!status.isFile()) throw new InputError(path, 'is not a regular file', 'name a file of definitions');
    if (status.size > LARGEST) throw new InputError(path, `is larger than ${LARGEST} bytes`, 'define fewer tools');
    return readFileSync(path, 'utf8').replace(/^\ufeff/, '');
  } catch (error) {
    if (error instanceof InputError) throw error;
    throw new InputError(path, `cannot be read: ${systemReason(error)}`, '', error);
  }
}

/** The list in a JSON text: the text itself, or what stands under `tools`. */
function listOf(path: string, text: string): unknown {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) && own(value, 'tools') !== undefined ? own(value, 'tools')
      : Array.isArray(value) ? value
      : [value];
  } catch {
    // The engine's message would quote the file.
    throw new InputError(
      path, 'is no JSON', 'write a JSON list of tools, or declarations in `namespace functions { … }`',
    );
  }
}
