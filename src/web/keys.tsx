// Keys of the page, and the list of them.

import { useEffect, useRef } from 'preact/hooks';
import { showFinding } from './findings.tsx';
import {
  analysis, asUser, current, panel, type Panel, reveal, revealed, selection, selectMessage, showsKeys, undo,
} from './store.ts';

interface Key {
  readonly key: string;
  readonly words: string;
  run(): void;
}

function step(by: number): void {
  const { length } = analysis.peek().messages;
  if (length === 0) return;
  const at = current.peek();
  selectMessage(at === null ? (by > 0 ? 0 : length - 1) : Math.max(0, Math.min(length - 1, at + by)));
}

function stepFinding(by: number): void {
  const findings = [...analysis.peek().findings].sort((a, b) => a.from - b.from);
  if (findings.length === 0) return;
  const at = selection.peek()?.from ?? -1;
  const next = by > 0 ? findings.find(({ from }) => from > at) ?? findings[0]!
    : findings.findLast(({ from }) => from < at) ?? findings.at(-1)!;
  panel.value = 'findings';
  showFinding(next);
}

const to = (id: Panel) => (): void => void (panel.value = id);

const KEYS: readonly Key[] = [
  { key: 'j', words: 'the next message', run: () => step(1) },
  { key: 'k', words: 'the message before', run: () => step(-1) },
  { key: 'n', words: 'the next finding', run: () => stepFinding(1) },
  { key: 'p', words: 'the finding before', run: () => stepFinding(-1) },
  {
    key: 'h', words: 'show or fold the hidden message that is chosen', run: () => {
      const number = current.peek();
      if (number !== null) reveal(number, !revealed.peek().has(number));
    },
  },
  { key: 'u', words: 'as the user sees it, or all', run: () => void (asUser.value = !asUser.peek()) },
  { key: 'z', words: 'undo the last fix', run: undo },
  { key: '1', words: 'findings', run: to('findings') },
  { key: '2', words: 'bytes and JSON of the chosen message', run: to('message') },
  { key: '3', words: 'convert', run: to('convert') },
  { key: '4', words: 'stream', run: to('stream') },
  { key: '5', words: 'tokens', run: to('tokens') },
  { key: '?', words: 'this list', run: () => void (showsKeys.value = true) },
];

/** Keys work where nothing is typed. Answers what ends that. */
export function listenToKeys(): () => void {
  const listener = (event: KeyboardEvent): void => {
    const target = event.composedPath()[0] as HTMLElement;
    const isTyping = target.isContentEditable || /^(?:INPUT|TEXTAREA|SELECT)$/.test(target.tagName);
    if (isTyping || event.ctrlKey || event.metaKey || event.altKey) return;
    const found = KEYS.find(({ key }) => key === event.key);
    if (found === undefined || showsKeys.peek()) return;
    event.preventDefault();
    found.run();
  };
  addEventListener('keydown', listener);
  return () => removeEventListener('keydown', listener);
}

export function Keys() {
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    if (showsKeys.value) dialog.current!.showModal();
  }, [showsKeys.value]);
  return (
    <dialog ref={dialog} aria-labelledby="keys-title" onClose={() => (showsKeys.value = false)}>
      <h2 id="keys-title">Keys</h2>
      <dl class="keys">{KEYS.map(({ key, words }) => (
        <div key={key}><dt><kbd>{key}</kbd></dt><dd>{words}</dd></div>
      ))}</dl>
      <p class="note">They work where nothing is typed. In the text, Ctrl-F finds and Ctrl-Z undoes.</p>
      <form method="dialog"><button type="submit">Close</button></form>
    </dialog>
  );
}
