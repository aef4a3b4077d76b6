// What was read and found, as JSON: for saving, and the same for the same bytes in a browser and in Node.

import { analyse, AUTOMATIC, type ReadChoice, type RecordText } from './analysis.ts';
import { FULL } from './full-checks.ts';

export function resultsJson(bytes: Uint8Array, choice: ReadChoice = AUTOMATIC, record?: RecordText): string {
  const { transcripts, messages, findings } = analyse(bytes, choice, FULL, record);
  return `${JSON.stringify({ schema: 'openchatml/page/1', transcripts, messages, findings }, null, 1)}\n`;
}
