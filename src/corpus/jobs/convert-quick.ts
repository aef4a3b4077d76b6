// Which conversions can be written from rows, so that most of what is converted never becomes values. Whoever plans
// jobs asks, too, and has no need of the converters.

import { type DialectId, DIALECTS } from '../../scan/dialects.ts';
import type { FileForm, FileOptions } from '../records/unit.ts';
import type { ConvertWork } from './job.ts';

/** Records can be written from their rows: as text of 2.2 or Harmony, as chat records of OpenAI, or as ShareGPT. */
export function canWriteRows(job: ConvertWork, { field }: FileOptions): boolean {
  const { to, from, format, forTerminal, apart, prompt, end, calls, reasoning = 'keep' } = job;
  if (apart || prompt || end !== undefined || field !== undefined || reasoning !== 'keep') return false;
  const isPlain = !job.neutralise && !job.system && job.constrain === undefined;
  const isDialect = to === 'openchatml-2.2' || (to === 'harmony' && isPlain);
  const isText = isDialect && (format === 'ndjson' || !forTerminal);
  const isChat = (to === 'messages' || to === 'sharegpt') && calls === undefined;
  return (isText || isChat) && formOfRows(from) !== null;
}

/** How records are read to be written from their rows: from a form that is taken for what it is. Null: they are not. */
export function formOfRows(from: ConvertWork['from']): FileForm | null {
  if (from === 'messages') return 'messages';
  if (from === 'sharegpt') return 'conversations';
  return from === 'auto' || Object.hasOwn(DIALECTS, from) ? 'auto' : null;
}

/** Text can be written from its rows as chat records, which say all that most of it says. */
export function canBeRecords({ to, apart, prompt, end, calls, reasoning = 'keep' }: ConvertWork): boolean {
  return to === 'messages' && !apart && !prompt && end === undefined && calls === undefined && reasoning === 'keep';
}

/** The dialects of which most text is written so. Of 0.1, whose files are one transcript, little is. */
export const isRowsDialect = (dialect: DialectId | undefined): boolean =>
  dialect === 'openchatml-2.2' || dialect === 'harmony';
