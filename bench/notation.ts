// The notations that corpora are written in: the control tokens of each, and how one occurrence of each is found.

export type Notation = 'openchatml-2.2' | 'openchatml-0.1' | 'harmony';

const HARMONY = ['start', 'channel', 'message', 'call', 'constrain', 'return', 'end'];
const THOUGHTS = ['reflect', 'introspect', 'reason'];

export const TOKENS: Record<Notation, readonly string[]> = {
  'openchatml-2.2': [...HARMONY, 'literal', 'endliteral'],
  'openchatml-0.1': [
    ...['im_start', 'im_end', 'fim_prefix', 'fim_middle', 'fim_suffix', 'file_separator', ...THOUGHTS],
    ...THOUGHTS.flatMap((name) => [`start_${name}`, `end_${name}`]),
    ...['function_list', 'function_call', 'function_output'],
  ],
  harmony: HARMONY,
};

export function token(name: string): string {
  return `<|${name}|>`;
}

/** The token that opens a message. */
export function opener(notation: Notation): string {
  return notation === 'openchatml-0.1' ? 'im_start' : 'start';
}

/** Every place where a token of the notation stands in a text, by name. */
export function textualTokens(text: string, notation: Notation): Record<string, number> {
  const found: Record<string, number> = {};
  for (const name of TOKENS[notation]) {
    const count = text.split(token(name)).length - 1;
    if (count > 0) found[name] = count;
  }
  return found;
}
