// Which columns of a table are read as the fields of its records.

/** Columns that records have. */
export const COLUMNS: readonly string[] = [
  'id', 'text', 'prompt', 'completion', 'messages', 'conversations', 'conversation', 'tools', 'version', 'dialect',
  'system', 'system_prompt', 'instructions', 'input', 'output', 'chosen', 'rejected', 'instruction', 'history',
];

/** What is asked and answered, also by a server: rows without such a column may hold their chats in these. */
export const ASKED: readonly string[] = [
  'question', 'query', 'problem', 'response', 'answer', 'solution', 'context', 'body', 'params', 'request', 'choices',
  'result', 'preferred_output', 'non_preferred_output',
];

/** The columns that are read, in their order. `wanted`: those that are read beside what is asked and answered. */
export const chooseColumns = (names: readonly string[], wanted: readonly string[]): string[] =>
  names.filter((name) => wanted.includes(name) || ASKED.includes(name));
