// The page as a whole: what was opened, the text beside the conversation, and panels below.

import type { ComponentType } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { DIALECTS } from '../index.ts';
import type { ReadChoice } from './analysis.ts';
import { Explain, Findings } from './findings.tsx';
import { Keys, listenToKeys } from './keys.tsx';
import { openFile, openPasted } from './open.ts';
import { type Sample, samples } from './samples.ts';
import { ShareButton } from './share-button.tsx';
import {
  analysis, choice, input, notice, openText, panel, type Panel, showsKeys, tell, view,
} from './store.ts';
import { TextPane } from './text-pane.tsx';
import { Timeline } from './timeline.tsx';

const ROLES = ['assistant', 'user', 'system', 'developer', 'tool'];

function Samples() {
  const groups = new Map<string, Sample[]>();
  for (const sample of samples()) groups.set(sample.group, [...(groups.get(sample.group) ?? []), sample]);
  return (
    <details class="samples" onToggle={enter} onKeyDown={leaveByKey} onFocusOut={leave}>
      <summary>Samples</summary>
      <div class="menu">{[...groups].map(([group, list]) => (
        <section key={group} aria-label={group}>
          <h3>{group}</h3>
          {list.map((sample) => (
            <button type="button" key={sample.name} onClick={(event) => {
              event.currentTarget.closest('details')!.open = false;
              void take(sample);
            }}>{sample.title}</button>
          ))}
        </section>
      ))}</div>
    </details>
  );
}

async function take({ name, text, dialect }: Sample): Promise<void> {
  if (dialect === 'records') return openFile(new File([text], name));
  openText(name, text, { dialect: dialect as ReadChoice['dialect'], role: '', stopStripped: false });
}

function enter(event: Event): void {
  const details = event.currentTarget as HTMLDetailsElement;
  if (details.open) details.querySelector<HTMLElement>('.menu button')?.focus();
}

function leaveByKey(event: KeyboardEvent): void {
  const details = event.currentTarget as HTMLDetailsElement;
  if (event.key !== 'Escape' || !details.open) return;
  details.open = false;
  details.querySelector('summary')!.focus();
}

function leave(event: FocusEvent): void {
  const details = event.currentTarget as HTMLDetailsElement;
  const next = event.relatedTarget as Node | null;
  if (next !== null && !details.contains(next)) details.open = false;
}

function Reading() {
  const { dialect, role, stopStripped } = choice.value;
  const set = (change: Partial<ReadChoice>): void => void (choice.value = { ...choice.peek(), ...change });
  return (
    <div class="reading">
      <label>Dialect <select value={dialect} onChange={(event) => {
        set({ dialect: event.currentTarget.value as ReadChoice['dialect'] });
      }}>
        {['auto', ...Object.keys(DIALECTS)].map((id) => <option value={id} key={id}>{id}</option>)}
      </select></label>
      <label>Completion of <select value={role} onChange={(event) => set({ role: event.currentTarget.value })}>
        <option value="">nobody</option>
        {ROLES.map((one) => <option value={one} key={one}>{one}</option>)}
      </select></label>
      <label><input type="checkbox" checked={stopStripped} onChange={(event) => {
        set({ stopStripped: event.currentTarget.checked });
      }} /> stop token stripped</label>
    </div>
  );
}

function Top() {
  return (
    <header class="top">
      <h1><span class="logo" aria-hidden="true">{'<|'}<b>oc</b>{'|>'}</span> openchatml</h1>
      <label class="button open">Open a file
        <input type="file" onChange={(event) => {
          const [file] = event.currentTarget.files ?? [];
          event.currentTarget.value = '';
          if (file !== undefined) void openFile(file);
        }} />
      </label>
      <Samples />
      {view.value === 'text' && <Reading />}
      <span class="space" />
      <ShareButton />
      <button type="button" aria-label="Keys" title="Keys (?)" onClick={() => (showsKeys.value = true)}>?</button>
    </header>
  );
}

function Verdict() {
  const { findings, transcripts, messages } = analysis.value;
  if (input.value.bytes.length === 0) return null;
  const errors = findings.filter(({ severity }) => severity === 'error').length;
  const warnings = findings.filter(({ severity }) => severity === 'warning').length;
  const look = errors > 0 ? 'error' : warnings > 0 ? 'warning' : 'good';
  const shape = { error: '✖', warning: '▲', good: '✔' }[look];
  const many = (count: number, word: string): string => `${count} ${word}${count === 1 ? '' : 's'}`;
  const words = look === 'good' ? 'No errors, no warnings' : `${many(errors, 'error')}, ${many(warnings, 'warning')}`;
  const dialects = [...new Set(transcripts.map(({ dialect }) => dialect))].join(', ');
  return (
    <p class={`verdict ${look}`} role="status" id="verdict">
      <strong><span aria-hidden="true">{shape}</span> {words}</strong>
      {' '}<span class="note">{input.value.name !== '' && <bdi>{input.value.name}: </bdi>}
        {many(messages.length, 'message')}
        {dialects !== '' && `, ${dialects}`}, {many(input.value.bytes.length, 'byte')}</span>
    </p>
  );
}

const PANELS: readonly { readonly id: Panel; readonly title: string }[] = [
  { id: 'findings', title: 'Findings' },
  { id: 'message', title: 'Bytes and JSON' },
  { id: 'convert', title: 'Convert' },
  { id: 'stream', title: 'Stream' },
  { id: 'tokens', title: 'Tokens' },
];

/** Panels that come after the first load. */
const LATER: Partial<Record<Panel, () => Promise<ComponentType>>> = {
  message: async () => (await import('./detail.tsx')).MessageDetail,
  convert: async () => (await import('./convert.tsx')).Convert,
  stream: async () => (await import('./stream.tsx')).Stream,
  tokens: async () => (await import('./tokens.tsx')).Tokens,
};

/** Loads what comes after the first paint, so that nothing is to be loaded later. */
export async function loadRest(): Promise<void> {
  await Promise.all([...Object.values(LATER).map((load) => load()), import('./examples.ts')]);
}

function Later({ id }: { id: Panel }) {
  const [View, setView] = useState<ComponentType | null>(null);
  useEffect(() => {
    let isWanted = true;
    void LATER[id]!().then((found) => isWanted && setView(() => found));
    return () => void (isWanted = false);
  }, [id]);
  return View === null ? <p class="empty">Loading…</p> : <View />;
}

function Panels() {
  const move = (event: KeyboardEvent): void => {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (step === undefined) return;
    const at = PANELS.findIndex(({ id }) => id === panel.value);
    panel.value = PANELS[(at + step + PANELS.length) % PANELS.length]!.id;
    document.getElementById(`tab-${panel.value}`)?.focus();
  };
  return (
    <section class="pane panels" aria-label="Details">
      <div role="tablist" aria-label="Details" onKeyDown={move}>
        {PANELS.map(({ id, title }) => (
          <button type="button" role="tab" id={`tab-${id}`} key={id} aria-selected={panel.value === id}
            aria-controls="panel" tabIndex={panel.value === id ? 0 : -1} onClick={() => (panel.value = id)}>
            {title}{id === 'findings' && analysis.value.findings.length > 0 && ` (${analysis.value.findings.length})`}
          </button>
        ))}
      </div>
      <div role="tabpanel" id="panel" aria-labelledby={`tab-${panel.value}`}>
        {panel.value === 'findings'
          ? <div class="found-and-why"><Findings /><Explain /></div>
          : <Later id={panel.value} key={panel.value} />}
      </div>
    </section>
  );
}

/** The way back to the corpus that a text was taken out of. */
function Back() {
  const [View, setView] = useState<ComponentType | null>(null);
  useEffect(() => void import('./corpus.tsx').then(({ BackToCorpus }) => setView(() => BackToCorpus)), []);
  return View === null ? null : <View />;
}

function Corpus() {
  const [View, setView] = useState<ComponentType | null>(null);
  useEffect(() => void import('./corpus.tsx').then(({ Corpus: found }) => setView(() => found)), []);
  return View === null ? null : <View />;
}

export function App() {
  const [isDropping, setDropping] = useState(false);
  useEffect(() => listenToKeys(), []);
  useEffect(() => {
    const over = (event: DragEvent): void => {
      event.preventDefault();
      setDropping(true);
    };
    const leave = (event: DragEvent): void => {
      if (event.relatedTarget === null) setDropping(false);
    };
    const drop = (event: DragEvent): void => {
      event.preventDefault();
      setDropping(false);
      const file = event.dataTransfer?.files[0];
      const words = event.dataTransfer?.getData('text/plain') ?? '';
      if (file !== undefined) void openFile(file);
      else if (words !== '') void openPasted(words);
    };
    const paste = (event: ClipboardEvent): void => {
      const file = event.clipboardData?.files[0];
      const words = event.clipboardData?.getData('text/plain') ?? '';
      const isField = (event.composedPath()[0] as HTMLElement | undefined)?.closest('input, textarea, .cm-editor');
      // Into an empty text, or beside it: a whole one. Into a text: a part, which its editor takes.
      const isWhole = file !== undefined || words.length > 256 * 1024 || input.peek().bytes.length === 0 || !isField;
      if (!isWhole || (file === undefined && words === '')) return;
      event.preventDefault();
      event.stopPropagation();
      void (file === undefined ? openPasted(words) : openFile(file));
    };
    const ends = new AbortController();
    const options = { capture: true, signal: ends.signal };
    addEventListener('dragover', over, options);
    addEventListener('dragleave', leave, options);
    addEventListener('drop', drop, options);
    addEventListener('paste', paste, options);
    return () => ends.abort();
  }, []);
  return (
    <>
      <Top />
      <main>
        {notice.value !== null && <p class={`notice${notice.value.isError ? ' error' : ''}`} role="alert">
          {notice.value.text} <button type="button" class="link" onClick={() => tell('')}>close</button>
        </p>}
        {view.value === 'corpus' ? <Corpus /> : <>
          <Back />
          <Verdict />
          <div class="columns"><TextPane /><Timeline /></div>
          <Panels />
        </>}
      </main>
      <footer>
        <p>Nothing leaves this machine. The page has no permission to connect to anything: see its policy
          (<code>connect-src 'none'</code>) in the source of the page, and the empty list of requests in the network
          tools of the browser while you work. It also works with the network switched off.</p>
      </footer>
      {isDropping && <div class="dropping" aria-hidden="true">Drop it here</div>}
      <Keys />
    </>
  );
}
