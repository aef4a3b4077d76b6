// Document headers of plain lines, `key: word` or `key: number`, as nearly all are: read without the YAML library,
// whose loading is a tenth of the time of a short run. `yaml.ts` reads everything else, and says the same of these.

import type { HeaderText } from './yaml.ts';

/** Key, number, word. */
const LINE =
  /([A-Za-z_][A-Za-z0-9_]{0,63}): (?:((?:0|[1-9][0-9]{0,8})(?:\.[0-9]{1,9})?)|([A-Za-z][A-Za-z0-9_./-]*))(?:\n|$)/y;
/** Words that YAML may take for a value that is no text. */
const UNUSUAL = /^(?:null|true|false)$/i;

/** What a header says; null: ask YAML. */
export function readPlain(text: string): HeaderText | null {
  const fields: HeaderText['fields'] = Object.create(null);
  let version: string | null = null;
  LINE.lastIndex = text.startsWith('---\n') ? 4 : 0;
  const to = text.replace(/\n+$/, '\n').length;
  while (LINE.lastIndex < to) {
    const [, key, number, word] = LINE.exec(text) ?? [];
    if (key === undefined || key in fields || UNUSUAL.test(key) || UNUSUAL.test(word ?? '')) return null;
    if (key === 'version') fields[key] = version = number ?? word!;
    else fields[key] = number === undefined ? word! : Number(number);
  }
  return Object.keys(fields).length === 0 ? null : { version, fields, problems: [] };
}
