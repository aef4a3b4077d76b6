// A file of records, or a large one: the report of it, live while it is read, and single records out of it.

import { signal } from '@preact/signals';
import { useEffect, useRef, useState } from 'preact/hooks';
import { drawPlots, makeSortable, reportBody, type StatisticsJson } from '../report.ts';
import { AUTOMATIC, choiceFor, type ReadChoice } from './analysis.ts';
import type { Places } from './file-source.ts';
import type { FromWorker, Holds, ToWorker } from './protocol.ts';
import { lineOf, readRecords, transcriptAt } from './records.ts';
import { LARGEST_TEXT, openText, tell, view } from './store.ts';
import { reportElements, startWorker } from './trusted.ts';

interface Reading {
  readonly file: File;
  /** How it is read, and the transcripts that are cut out of it. */
  readonly choice: ReadChoice;
  readonly state: 'reading' | 'done' | 'cancelled';
  /** Share of the file that was read, from 0 to 1. */
  readonly done: number;
  readonly words: string;
  readonly seconds: number;
  readonly statistics: StatisticsJson | null;
  readonly found: { readonly places: Places; readonly content: Blob; readonly holds: Holds } | null;
}

const reading = signal<Reading | null>(null);
/** Number of the line whose record is shown as a text; null: none is. */
export const recordLine = signal<number | null>(null);

let worker: Worker | undefined;

/** Starts the worker, once: it waits for files. Is done when it is there. */
export function prepare(): Promise<void> {
  if (worker !== undefined) return Promise.resolve();
  const made = worker = startWorker();
  return new Promise((resolve) => {
    made.addEventListener('message', ({ data }: MessageEvent<FromWorker>) => {
      if (data.kind === 'ready') resolve();
      else take(data);
    });
  });
}

const send = (message: ToWorker): void => worker!.postMessage(message);

function take(message: Exclude<FromWorker, { kind: 'ready' }>): void {
  const now = reading.peek();
  if (now === null) return;
  switch (message.kind) {
    case 'unpacking':
      reading.value = { ...now, done: message.read / now.file.size, words: `unpacking: ${size(message.read)}` };
      return;
    case 'step': {
      const { position, size: all, seconds, statistics } = message;
      const words = `${size(position)} of ${size(all)}, ${size(position / Math.max(seconds, 0.001))}/s`;
      const done = all === 0 ? 1 : position / all;
      reading.value = { ...now, done, words, seconds, statistics: statistics ?? now.statistics };
      return;
    }
    case 'done': {
      const { statistics, seconds, places, content, holds } = message;
      const rate = size(content.size / Math.max(seconds, 0.001));
      const words = `${size(content.size)} in ${seconds.toFixed(1)} s, ${rate}/s`;
      const found = { places, content, holds };
      reading.value = { ...now, state: 'done', done: 1, words, seconds, statistics, found };
      return;
    }
    case 'cancelled':
      reading.value = { ...now, state: 'cancelled', words: 'cancelled' };
      return;
    case 'failed':
      reading.value = null;
      view.value = 'text';
      tell(`${now.file.name} cannot be read: ${message.words}.`, true);
  }
}

/** Opens a file of records: a single one as a text, all others as a corpus. */
export async function openCorpus(file: File): Promise<void> {
  if (file.size <= LARGEST_TEXT) {
    const bytes = new Uint8Array(await file.arrayBuffer());
    const records = bytes[0] === 0x1f || bytes[0] === 0x28 ? [] : readRecords(bytes);
    if (typeof records !== 'string' && records.length === 1) {
      recordLine.value = null;
      reading.value = null;
      openText(file.name, records[0]!.bytes, AUTOMATIC, records[0]!.record);
      return;
    }
  }
  await prepare();
  if (reading.peek()?.state === 'reading') {
    tell('A file is being read: cancel it first.', true);
    return;
  }
  recordLine.value = null;
  const choice = choiceFor(file.name);
  reading.value = { file, choice, state: 'reading', done: 0, words: '', seconds: 0, statistics: null, found: null };
  view.value = 'corpus';
  send({ kind: 'read', file, dialect: choice.dialect });
}

const UNITS = ['bytes', 'KiB', 'MiB', 'GiB', 'TiB'];

function size(bytes: number): string {
  let [rest, unit] = [bytes, 0];
  while (rest >= 1024 && unit < UNITS.length - 1) {
    rest /= 1024;
    unit++;
  }
  return `${unit === 0 ? Math.round(rest) : rest.toFixed(1)} ${UNITS[unit]}`;
}

async function openLine(line: number): Promise<void> {
  const { file, found } = reading.peek()!;
  if (found === null) return;
  await orTell(`The record in line ${line}`, async () => {
    const bytes = await lineOf(found.content, found.places, line);
    if (bytes === null) return tell(`There is no line ${line}.`, true);
    const records = readRecords(bytes);
    if (typeof records === 'string') throw new Error(records);
    const [first] = records;
    if (first === undefined) throw new Error('there is none');
    recordLine.value = line;
    openText(`${file.name}, line ${line}`, first.bytes, AUTOMATIC, first.record);
  });
}

async function openAt(position: number): Promise<void> {
  const { file, choice, found } = reading.peek()!;
  if (found === null) return;
  await orTell(`The transcript at byte ${position}`, async () => {
    const bytes = await transcriptAt(found.content, found.places, position, choice);
    if (bytes === null) throw new Error('it is longer than 1 MiB, or one before it is too long');
    openText(`${file.name}, at byte ${position}`, bytes, choice);
  });
}

/** Does what shows a part of the file; tells why, when it cannot: the file may be another one, or gone. */
async function orTell(what: string, show: () => Promise<void>): Promise<void> {
  try {
    await show();
  } catch (error) {
    tell(`${what} cannot be shown: ${error instanceof Error ? error.message : String(error)}.`, true);
  }
}

/** Above a text that was taken out of a corpus. */
export function BackToCorpus() {
  const now = reading.value;
  if (now === null || view.value !== 'text') return null;
  const line = recordLine.value;
  return (
    <p class="bar back">
      <button type="button" onClick={() => (view.value = 'corpus')}>← {now.file.name}</button>
      {line !== null && <>
        <button type="button" disabled={line < 2} onClick={() => void openLine(line - 1)}>line before</button>
        <button type="button" onClick={() => void openLine(line + 1)}>next line</button>
      </>}
    </p>
  );
}

export function Corpus() {
  const now = reading.value;
  if (now === null) return null;
  const { file, state, done, words, statistics, seconds, found } = now;
  return (
    <div class="corpus">
      <section class="pane corpus-head" aria-label="File" data-state={state} data-name={file.name}>
        <div class="bar">
          <h2><bdi>{file.name}</bdi></h2>
          <span class="note" role="status">{words}</span>
          <span class="space" />
          {state === 'reading' && <button type="button" onClick={() => send({ kind: 'cancel' })}>Cancel</button>}
          {found?.holds === 'lines' && <Line lines={found.places.count} />}
        </div>
        {state === 'reading' && <progress class="progress" max={1} value={done} aria-label="Read so far" />}
      </section>
      {statistics !== null && <Report statistics={statistics} seconds={seconds} holds={found?.holds} />}
    </div>
  );
}

function Line({ lines }: { lines: number }) {
  const [line, setLine] = useState(1);
  return (
    <form class="bar" onSubmit={(event) => {
      event.preventDefault();
      void openLine(line);
    }}>
      <label>Record in line <input type="number" min={1} max={lines} value={line} onInput={(event) => {
        setLine(Number(event.currentTarget.value));
      }} /> of {lines}</label>
      <button type="submit">Show</button>
    </form>
  );
}

function Report({ statistics, seconds, holds }: {
  statistics: StatisticsJson; seconds: number; holds: Holds | undefined;
}) {
  const host = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const element = host.current!;
    const open = new Set([...element.querySelectorAll<HTMLElement>('details[open]')].map(titleOf));
    const { html, plots } = reportBody(statistics, seconds);
    element.replaceChildren(reportElements(html));
    for (const details of element.querySelectorAll('details')) details.open = open.has(titleOf(details));
    for (const table of element.querySelectorAll<HTMLTableElement>('table.sortable')) makeSortable(table);
    if (holds === 'text' || holds === 'lines') linkSamples(element, statistics);
    for (const wide of element.querySelectorAll<HTMLElement>('.wide')) {
      wide.tabIndex = 0;
      wide.setAttribute('role', 'region');
      wide.setAttribute('aria-label', wide.querySelector('caption')?.textContent ?? 'Table');
    }
    const draw = (): (() => void) => drawPlots(plots);
    let takeAway = draw();
    const again = (): void => {
      takeAway();
      takeAway = draw();
    };
    const isDark = matchMedia('(prefers-color-scheme: dark)');
    isDark.addEventListener('change', again);
    addEventListener('resize', again);
    return () => {
      isDark.removeEventListener('change', again);
      removeEventListener('resize', again);
      takeAway();
    };
  }, [statistics, holds]);
  return <div class="pane report" ref={host} />;
}

/** What a fold is known by when the report is drawn anew. */
const titleOf = (details: HTMLElement): string =>
  `${details.closest('section')?.id} ${details.querySelector('summary')?.textContent?.replace(/:.*/, '')}`;

/** Places of findings open the record or transcript that they are in. */
function linkSamples(element: HTMLElement, { findings }: StatisticsJson): void {
  for (const details of element.querySelectorAll<HTMLDetailsElement>('details[id^="found-"]')) {
    const rule = details.querySelector('summary code')?.textContent;
    const samples = findings.find((finding) => finding.rule === rule)?.samples ?? [];
    [...details.querySelectorAll('tbody tr')].forEach((row, i) => {
      const [sample, cell] = [samples[i], row.querySelector('th')];
      if (sample === undefined || cell === null) return;
      const button = document.createElement('button');
      button.type = 'button';
      button.className = 'link';
      button.append(...cell.childNodes);
      button.addEventListener('click', () => {
        void (sample.line !== null && sample.record !== null ? openLine(sample.line) : openAt(sample.from));
      });
      cell.append(button);
    });
  }
}
