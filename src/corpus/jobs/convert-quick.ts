// Which conversions can be written from rows, so that most of what is converted never becomes values. Whoever plans
// jobs asks, too, and has no need of the converters.

import { DIALECTS } from '../../scan/dialects.ts';
import type { FileOptions } from '../records/unit.ts';
import type { ConvertWork } from './job.ts';

/** Chat records can be written from their rows: as text, which says no id; from a form that is taken for what it is. */
export function canBeRows(job: ConvertWork, { field }: FileOptions): boolean {
  const { to, from, format, forTerminal, apart, prompt, end, reasoning = 'keep' } = job;
  if (apart || prompt || end !== undefined || field !== undefined) return false;
  const isText = to === 'openchatml-2.2' && format === 'text' && !forTerminal && reasoning === 'keep';
  return isText && (from === 'auto' || from === 'messages' || Object.hasOwn(DIALECTS, from));
}

/** Text can be written from its rows as chat records, which say all that most of it says. */
export function canBeRecords({ to, apart, prompt, end, calls, reasoning = 'keep' }: ConvertWork): boolean {
  return to === 'messages' && !apart && !prompt && end === undefined && calls === undefined && reasoning === 'keep';
}
