// The state of the page, in one place: what was opened, how it is read, what is selected. Views read signals; functions
// here are all that changes them.

import { computed, signal } from '@preact/signals';
import type { Span } from '../index.ts';
import {
  type Analysis, analyse, AUTOMATIC, type Checks, type PageOptions, type ReadChoice, readOptions, type RecordText,
  STRUCTURE,
} from './analysis.ts';
import { type Edit, edited } from './bytes.ts';
import { TextMap } from './text-map.ts';

export interface Input {
  readonly name: string;
  readonly bytes: Uint8Array;
  /** The text was made of a record. */
  readonly record?: RecordText | undefined;
}

export type Panel = 'findings' | 'message' | 'convert' | 'stream' | 'tokens';

const ENCODER = new TextEncoder();
/** Texts that the editor holds; larger ones are read as files. */
export const LARGEST_TEXT = 1024 * 1024;

export const input = signal<Input>({ name: '', bytes: new Uint8Array(0) });
export const choice = signal<ReadChoice>(AUTOMATIC);
export const checks = signal<Checks>(STRUCTURE);
/** A text that was opened; editing does not change it. */
export const opened = signal(0);
export const text = computed(() => new TextMap(input.value.bytes));
export const analysis = computed<Analysis>(() => {
  const { bytes, record } = input.value;
  return analyse(bytes, choice.value, checks.value, record);
});
/** How the text is read now, by all who read it. */
export function readingNow(): PageOptions {
  return { ...readOptions(choice.value), ...input.value.record?.reading, yaml: checks.value.yaml };
}

/** Bytes that views show as selected, and who selected them: who did need not follow. */
export const selection = signal<(Span & { readonly by: 'editor' | 'page' }) | null>(null);
/** Number of the message that is looked at; it is the one that holds the selection. */
export const current = signal<number | null>(null);
/** The rule that is explained. */
export const explained = signal<string | null>(null);
export const panel = signal<Panel>('findings');
export const asUser = signal(false);
/** Hidden messages that were asked for. */
export const revealed = signal<ReadonlySet<number>>(new Set());
export const notice = signal<{ readonly text: string; readonly isError: boolean } | null>(null);
export const showsKeys = signal(false);
/** What a corpus is shown instead of a text. */
export const view = signal<'text' | 'corpus'>('text');

/** Texts before the latest fixes, the last one at the end. */
const undoable = signal<readonly Input[]>([]);
export const canUndo = computed(() => undoable.value.length > 0);

export function openText(
  name: string, bytes: Uint8Array | string, how: ReadChoice = AUTOMATIC, record?: RecordText,
): void {
  input.value = { name, bytes: typeof bytes === 'string' ? ENCODER.encode(bytes) : bytes, record };
  choice.value = how;
  view.value = 'text';
  undoable.value = [];
  forget();
  opened.value++;
}

function forget(): void {
  selection.value = current.value = explained.value = null;
  revealed.value = new Set();
}

/** What stays when the text becomes another one: places in the record are known no more. */
function unplaced(): Omit<Input, 'bytes'> {
  const { name, record } = input.peek();
  return { name, record: record && { ...record, pointer: () => null } };
}

/** The text was edited. */
export function edit(changed: string): void {
  if (changed === text.peek().text) return;
  input.value = { ...unplaced(), bytes: ENCODER.encode(changed) };
  selection.value = current.value = null;
}

/** A fix: `bytes` instead of [from, to), to be undone. */
export function replace(edits: readonly Edit[]): void {
  const { bytes } = input.peek();
  undoable.value = [...undoable.peek(), input.peek()];
  input.value = { ...unplaced(), bytes: edited(bytes, edits) };
  selection.value = current.value = null;
}

export function undo(): void {
  const before = undoable.peek().at(-1);
  if (before === undefined) return;
  undoable.value = undoable.peek().slice(0, -1);
  input.value = before;
  selection.value = current.value = null;
}

/** Shows bytes in every view. */
export function select(span: Span, by: 'editor' | 'page' = 'page'): void {
  selection.value = { from: span.from, to: span.to, by };
  current.value = messageAt(span.from);
}

export function messageAt(position: number): number | null {
  const found = analysis.peek().messages.find(({ from, to }) => position >= from && position < to);
  return found?.number ?? null;
}

export function selectMessage(number: number): void {
  const message = analysis.peek().messages[number];
  if (message === undefined) return;
  selection.value = { from: message.from, to: message.to, by: 'page' };
  current.value = number;
}

export function reveal(number: number, isShown: boolean): void {
  const next = new Set(revealed.peek());
  if (isShown) next.add(number);
  else next.delete(number);
  revealed.value = next;
}

export function tell(words: string, isError = false): void {
  notice.value = words === '' ? null : { text: words, isError };
}
