// The worker that reads files of any size: statistics in steps, so that the page shows them live and can cancel.

import type { DialectId } from '../index.ts';
import { areLines, gatherStatistics, type GatheringStep } from '../report.ts';
import { LinesNoted, SparsePlaces } from './file-source.ts';
import type { FromWorker, ToWorker } from './protocol.ts';
import { packingOf, unpack } from './unpack.ts';

/** How often the page is told, and how often it is given statistics, in milliseconds. */
const TELL = 100;
const SHOW = 700;

let isCancelled = false;

const tell = (message: FromWorker): void => postMessage(message);

/** Lets messages come in. */
const { port1, port2 } = new MessageChannel();
const pause = (): Promise<void> => new Promise((resolve) => {
  port1.onmessage = () => resolve();
  port2.postMessage(null);
});

async function read(file: File, dialect: string): Promise<void> {
  const began = performance.now();
  const head = new Uint8Array(await file.slice(0, 4).arrayBuffer());
  const packing = packingOf(head);
  let told = began;
  const content = packing === null ? file : await unpack(file, packing, (read) => {
    if (isCancelled) throw new Error('cancelled');
    if (performance.now() - told < TELL) return;
    told = performance.now();
    tell({ kind: 'unpacking', read });
  });
  const source = new LinesNoted(content);
  const transcripts = new SparsePlaces();
  const name = file.name.replace(/\.(?:gz|zst)$/i, '');
  const options = dialect === 'auto' ? {} : { dialect: dialect as DialectId };
  let last: GatheringStep | undefined;
  let shown = began;
  const seconds = (): number => (performance.now() - began) / 1000;
  for (const step of gatherStatistics(name, source, { ...options, watch: (from) => transcripts.add(from) })) {
    last = step;
    source.notes = step.holdsRecords;
    const now = performance.now();
    if (now - told < TELL) continue;
    told = now;
    const statistics = now - shown >= SHOW ? step.statistics() : null;
    if (statistics !== null) shown = performance.now();
    tell({ kind: 'step', position: step.position, size: content.size, seconds: seconds(), statistics });
    await pause();
    if (isCancelled) return tell({ kind: 'cancelled' });
  }
  const holds = !last!.holdsRecords ? 'text' : areLines(source) ? 'lines' : 'records';
  const places = (holds === 'text' ? transcripts : source.lines).result();
  tell({ kind: 'done', statistics: last!.statistics(), seconds: seconds(), holds, places, content });
}

addEventListener('message', ({ data }: MessageEvent<ToWorker>) => {
  if (data.kind === 'cancel') {
    isCancelled = true;
    return;
  }
  isCancelled = false;
  read(data.file, data.dialect).catch((error: unknown) => {
    if (isCancelled) tell({ kind: 'cancelled' });
    else tell({ kind: 'failed', words: error instanceof Error ? error.message : String(error) });
  });
});
tell({ kind: 'ready' });
