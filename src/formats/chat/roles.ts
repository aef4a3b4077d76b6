// Words for who says a message, beside those of OpenAI.

/** What each of them is. */
export const OTHER_ROLES: ReadonlyMap<unknown, string> = new Map([
  ['human', 'user'], ['gpt', 'assistant'], ['chatgpt', 'assistant'], ['model', 'assistant'], ['bot', 'assistant'],
  ['function', 'tool'], ['tool_response', 'tool'], ['observation', 'tool'], ['ipython', 'tool'],
]);

/** An assistant's, whose text is JSON of one call, or a list of them. */
export const CALLING: ReadonlySet<unknown> = new Set(['tool_call', 'function_call']);
