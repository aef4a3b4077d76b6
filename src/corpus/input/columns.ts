// Which columns of a table are read as the fields of its records.

/** Columns that records have. */
export const COLUMNS: readonly string[] = [
  'id', 'text', 'prompt', 'completion', 'messages', 'conversations', 'conversation', 'tools', 'version', 'dialect',
  'system', 'system_prompt', 'instructions', 'input', 'output', 'chosen', 'rejected', 'instruction', 'history',
];

/** What is asked and answered, also by a server, where a table has no other columns that hold it. */
const ASKED: readonly string[] = [
  'question', 'query', 'problem', 'response', 'answer', 'solution', 'context', 'body', 'params', 'request', 'choices',
  'result',
];
const HOLDING: readonly string[] = ['messages', 'conversations', 'text', 'completion'];

/**
 * The columns that are read, in their order. `wanted`: those that are read in any case, where they exist; `isNested`:
 * whether a column holds lists or objects.
 */
export function chooseColumns(
  names: readonly string[], wanted: readonly string[], isNested: (name: string) => boolean,
): string[] {
  const has = (name: string): boolean => names.includes(name);
  const holds = HOLDING.some(has) || (has('conversation') && isNested('conversation'))
    || (has('output') && (has('instruction') || has('input')));
  return names.filter((name) => wanted.includes(name) || (!holds && ASKED.includes(name)));
}
