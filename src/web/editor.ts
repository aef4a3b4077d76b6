// The editor: CodeMirror in a shadow root, so that its styles are constructed sheets, which the page's policy allows.
// Loaded after the first paint. It knows text and spans of text, and nothing of transcripts.

import { defaultKeymap, history, historyKeymap } from '@codemirror/commands';
import { lintGutter, setDiagnostics } from '@codemirror/lint';
import { highlightSelectionMatches, searchKeymap } from '@codemirror/search';
import { Annotation, Compartment, EditorState, RangeSetBuilder, StateEffect, StateField } from '@codemirror/state';
import {
  Decoration, type DecorationSet, drawSelection, EditorView, highlightActiveLine, highlightSpecialChars, keymap,
  lineNumbers,
} from '@codemirror/view';
import type { Severity, Span } from '../index.ts';

/** A stretch of text and what it looks like: `tok`, `head`, `dim`. */
export interface Mark extends Span {
  readonly look: string;
}

export interface Problem extends Span {
  readonly severity: Severity;
  readonly message: string;
}

export interface EditorEvents {
  changed(text: string): void;
  selected(span: Span): void;
}

const setMarks = StateEffect.define<readonly Mark[]>();
const setShown = StateEffect.define<Span | null>();
/** The page itself changed the text or the selection. */
const byPage = Annotation.define<true>();

const LOOKS = new Map<string, Decoration>();

function lookOf(look: string): Decoration {
  let found = LOOKS.get(look);
  if (!found) LOOKS.set(look, (found = Decoration.mark({ class: `oc-${look}` })));
  return found;
}

const marks = StateField.define<DecorationSet>({
  create: () => Decoration.none,
  update(before, { changes, effects }) {
    let set = before.map(changes);
    for (const effect of effects) {
      if (!effect.is(setMarks)) continue;
      const builder = new RangeSetBuilder<Decoration>();
      for (const { from, to, look } of effect.value) if (to > from) builder.add(from, to, lookOf(look));
      set = builder.finish();
    }
    return set;
  },
  provide: (field) => EditorView.decorations.from(field),
});

const shown = StateField.define<DecorationSet>({
  create: () => Decoration.none,
  update(before, { changes, effects }) {
    let set = before.map(changes);
    for (const effect of effects) {
      if (!effect.is(setShown)) continue;
      const span = effect.value;
      set = span === null || span.to <= span.from ? Decoration.none : Decoration.set([
        lookOf('shown').range(span.from, span.to),
      ]);
    }
    return set;
  },
  provide: (field) => EditorView.decorations.from(field),
});

const THEME = EditorView.theme({
  '&': { height: '100%', fontSize: '13px', color: 'var(--ink)', backgroundColor: 'var(--field)' },
  '&.cm-focused': { outline: '2px solid var(--accent)', outlineOffset: '-2px' },
  '.cm-scroller': { fontFamily: 'var(--mono)', lineHeight: '1.55', overflow: 'auto' },
  '.cm-content': { caretColor: 'var(--ink)', padding: '8px 0' },
  '.cm-gutters': { backgroundColor: 'var(--field)', color: 'var(--dim)', border: 'none' },
  '.cm-activeLine, .cm-activeLineGutter': { backgroundColor: 'var(--hover)' },
  '&.cm-focused .cm-selectionBackground, .cm-selectionBackground': { backgroundColor: 'var(--select) !important' },
  '.cm-cursor': { borderLeftColor: 'var(--ink)' },
  '.cm-specialChar': { color: 'var(--error)', fontWeight: '600' },
  '.oc-tok': { color: 'var(--token)', fontWeight: '600' },
  '.oc-head': { color: 'var(--head)' },
  '.oc-dim': { color: 'var(--dim)' },
  '.oc-shown': { backgroundColor: 'var(--mark)' },
  '.cm-tooltip': {
    backgroundColor: 'var(--panel)', color: 'var(--ink)', border: '1px solid var(--line)', borderRadius: '6px',
  },
  '.cm-panels': { backgroundColor: 'var(--panel)', color: 'var(--ink)', borderColor: 'var(--line)' },
  '.cm-textfield': { backgroundColor: 'var(--field)', color: 'var(--ink)', border: '1px solid var(--line)' },
  '.cm-button': { backgroundImage: 'none', backgroundColor: 'var(--hover)', color: 'var(--ink)' },
});

export class Editor {
  readonly #view: EditorView;
  readonly #readOnly = new Compartment();

  constructor(host: HTMLElement, text: string, label: string, events: EditorEvents) {
    const root = host.attachShadow({ mode: 'open' });
    const listen = EditorView.updateListener.of(({ docChanged, selectionSet, state, transactions }) => {
      if (transactions.some((transaction) => transaction.annotation(byPage))) return;
      if (docChanged) events.changed(state.doc.toString());
      if (selectionSet) events.selected(state.selection.main);
    });
    this.#view = new EditorView({
      root,
      parent: root,
      state: EditorState.create({
        doc: text,
        extensions: [
          // A carriage return is a character of the text: it must come back as it was.
          EditorState.lineSeparator.of('\n'),
          lineNumbers(), lintGutter(), history(), drawSelection(), highlightActiveLine(),
          highlightSpecialChars({ addSpecialChars: /[\r\u00a0]/g }), highlightSelectionMatches(),
          keymap.of([...defaultKeymap, ...historyKeymap, ...searchKeymap]), EditorView.lineWrapping,
          EditorView.contentAttributes.of({ 'aria-label': label }),
          marks, shown, THEME, listen, this.#readOnly.of([]),
        ],
      }),
    });
  }

  /** The text becomes another one: only what differs changes, so that the place stays. */
  setText(text: string): void {
    const before = this.#view.state.doc.toString();
    if (before === text) return;
    let from = 0;
    while (from < before.length && from < text.length && before[from] === text[from]) from++;
    let [a, b] = [before.length, text.length];
    while (a > from && b > from && before[a - 1] === text[b - 1]) {
      a--;
      b--;
    }
    this.#view.dispatch({ changes: { from, to: a, insert: text.slice(from, b) }, annotations: byPage.of(true) });
  }

  setReadOnly(isReadOnly: boolean): void {
    const extension = isReadOnly ? EditorState.readOnly.of(true) : [];
    this.#view.dispatch({ effects: this.#readOnly.reconfigure(extension), annotations: byPage.of(true) });
  }

  /** Marks in order, without overlap. */
  setMarks(list: readonly Mark[]): void {
    this.#view.dispatch({ effects: setMarks.of(list), annotations: byPage.of(true) });
  }

  setProblems(problems: readonly Problem[]): void {
    const length = this.#view.state.doc.length;
    const kept = problems.filter(({ to }) => to <= length);
    this.#view.dispatch(setDiagnostics(this.#view.state, kept.map((problem) => ({ ...problem }))),
      { annotations: byPage.of(true) });
  }

  /** Highlights a span; `scroll`: and goes there. */
  show(span: Span | null, scroll: boolean): void {
    const length = this.#view.state.doc.length;
    const inside = span && { from: Math.min(span.from, length), to: Math.min(span.to, length) };
    const effects: StateEffect<unknown>[] = [setShown.of(inside)];
    if (inside !== null && scroll) effects.push(EditorView.scrollIntoView(inside.from, { y: 'center' }));
    this.#view.dispatch({
      effects, annotations: byPage.of(true),
      ...(inside !== null && scroll && { selection: { anchor: inside.from } }),
    });
  }
}
