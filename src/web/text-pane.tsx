// The text: a plain field at first, the editor when it has come. Both write into the same state.

import { effect } from '@preact/signals';
import { useEffect, useRef, useState } from 'preact/hooks';
import { parse, type Tile } from '../index.ts';
import type { Editor, Mark } from './editor.ts';
import { analysis, edit, input, opened, readingNow, select, selection, text } from './store.ts';

/** Edits wait so long for the next one before they are read. */
const PAUSE = 120;

const LOOKS: Partial<Record<Tile['part'], string>> = {
  'document-header': 'head', start: 'tok', header: 'head', channel: 'tok', constrain: 'tok', message: 'tok',
  terminator: 'tok', trailing: 'tok', gap: 'dim',
};

function marksOf(): Mark[] {
  const map = text.value;
  return [...parse(input.value.bytes, readingNow()).tiles()].flatMap(({ part, from, to }) => {
    const look = LOOKS[part];
    return look === undefined ? [] : [{ ...map.span({ from, to }), look }];
  });
}

/** Keeps the editor as the state is; answers what ends that. */
function follow(editor: Editor): () => void {
  const ends = [
    effect(() => {
      editor.setText(text.value.text);
      editor.setReadOnly(!text.value.isExact);
      editor.setMarks(marksOf());
      const map = text.value;
      editor.setProblems(analysis.value.findings.map(({ from, to, severity, rule, message }) => {
        return { ...map.span({ from, to }), severity, message: `${rule}: ${message}` };
      }));
    }),
    effect(() => {
      const span = selection.value;
      editor.show(span && text.value.span(span), span?.by === 'page');
    }),
  ];
  return () => ends.forEach((end) => end());
}

export function TextPane() {
  const host = useRef<HTMLDivElement>(null);
  const [isReady, setReady] = useState(false);
  useEffect(() => {
    let [timer, end, isGone] = [0, () => {}, false];
    void import('./editor.ts').then(({ Editor }) => {
      if (isGone || host.current === null) return;
      const editor = new Editor(host.current, text.peek().text, 'Transcript', {
        changed(changed) {
          clearTimeout(timer);
          const of = opened.peek();
          // By then another text may be there.
          timer = window.setTimeout(() => opened.peek() === of && edit(changed), PAUSE);
        },
        selected: ({ from }) => {
          const at = text.peek().byteAt(from);
          select({ from: at, to: at }, 'editor');
        },
      });
      end = follow(editor);
      setReady(true);
    });
    return () => {
      isGone = true;
      clearTimeout(timer);
      end();
    };
  }, []);
  return (
    <section class="pane text-pane" aria-label="Text">
      {!isReady && <textarea
        class="plain-editor" aria-label="Transcript" spellcheck={false} key={opened.value} value={text.value.text}
        readOnly={!text.value.isExact} onInput={(event) => edit(event.currentTarget.value)}
        placeholder="Paste a transcript here, or drop a file anywhere."
      />}
      <div class={isReady ? 'editor' : 'editor waiting'} ref={host} />
      {!text.value.isExact && <p class="note">Some bytes are not UTF-8: the text is shown and not edited.</p>}
    </section>
  );
}
