// What is dropped, pasted or chosen: short texts go to the editor, records and large files to the reader of files.

import { choiceFor } from './analysis.ts';
import { LARGEST_TEXT, openText, tell } from './store.ts';

/** Names that records and compressed files have. */
const RECORDS = /\.(?:jsonl|ndjson|json|gz|zst)$/i;
/** How records and compressed files begin. */
const BEGINNING = /^(?:\ufeff)?\s*(?:\{\s*["}]|\[\s*[{\]])/;

const isPacked = ([a, b, c, d]: Uint8Array): boolean =>
  (a === 0x1f && b === 0x8b) || (a === 0x28 && b === 0xb5 && c === 0x2f && d === 0xfd);

export async function openFile(file: File): Promise<void> {
  try {
    const head = new Uint8Array(await file.slice(0, 4096).arrayBuffer());
    const holdsRecords = RECORDS.test(file.name) || BEGINNING.test(new TextDecoder().decode(head));
    if (file.size > LARGEST_TEXT || holdsRecords || isPacked(head)) {
      const { openCorpus } = await import('./corpus.tsx');
      await openCorpus(file);
      return;
    }
    openText(file.name, new Uint8Array(await file.arrayBuffer()), choiceFor(file.name));
  } catch (error) {
    tell(`${file.name} cannot be read${error instanceof Error ? `: ${error.message}` : ''}.`, true);
  }
}

/** A text that was pasted, wherever. */
export async function openPasted(text: string): Promise<void> {
  if (text.length <= LARGEST_TEXT / 4 && !BEGINNING.test(text)) openText('pasted', text);
  else await openFile(new File([text], 'pasted'));
}
