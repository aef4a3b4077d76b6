// Which columns of a table are read as the fields of its records.

/** Columns that records have. */
export const COLUMNS: readonly string[] = [
  'id', 'text', 'prompt', 'completion', 'messages', 'conversations', 'conversation', 'tools', 'version', 'dialect',
  'system', 'instructions', 'input', 'output', 'chosen', 'rejected', 'instruction', 'history',
];

/** What is asked and answered where a table has none of HOLDING. */
const ASKED: readonly string[] = [
  'question', 'query', 'problem', 'response', 'answer', 'solution', 'system_prompt', 'context',
];
const HOLDING: readonly string[] = ['messages', 'conversations', 'conversation', 'text', 'completion', 'output'];

/** The columns that are read, in their order. `wanted`: those that are read in any case, where they exist. */
export function chooseColumns(names: readonly string[], wanted: readonly string[]): string[] {
  const holds = names.some((name) => HOLDING.includes(name));
  return names.filter((name) => wanted.includes(name) || (!holds && ASKED.includes(name)));
}
