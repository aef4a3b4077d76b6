// Sharing: a link to the text as it is read, and to the finding that is chosen. It warns of what users do not see.

import { useRef, useState } from 'preact/hooks';
import type { Shared } from './share.ts';
import { analysis, choice, explained, input, openText, readingNow, replace, selection, tell, view } from './store.ts';
import { showFinding } from './findings.tsx';

export function ShareButton() {
  const dialog = useRef<HTMLDialogElement>(null);
  const [link, setLink] = useState<string | null>(null);
  const [isLong, setLong] = useState(false);
  const [hidden, setHidden] = useState('');
  const make = async (): Promise<void> => {
    const { linkOf, LONGEST_LINK } = await import('./share.ts');
    const { hiddenWords } = await import('./hidden.ts');
    setHidden(hiddenWords(analysis.peek()));
    const hash = await linkOf(current());
    setLink(`${location.href.replace(/#.*$/, '')}${hash}`);
    setLong(hash.length > LONGEST_LINK);
    if (!dialog.current!.open) dialog.current!.showModal();
  };
  const use = async (): Promise<void> => {
    history.replaceState(null, '', link);
    try {
      await navigator.clipboard.writeText(link!);
      tell('The link is copied, and stands in the address.');
    } catch {
      tell('The link stands in the address.');
    }
    dialog.current!.close();
  };
  return (
    <>
      <button type="button" disabled={input.value.bytes.length === 0 || view.value !== 'text'}
        onClick={() => void make()}>Share</button>
      <dialog ref={dialog} aria-labelledby="share-title">
        <h2 id="share-title">Share this text</h2>
        <p>The link holds the text itself, compressed, behind the <code>#</code>: browsers send that part to nobody.
          {explained.value !== null && ' It leads to the finding that is chosen.'}</p>
        {hidden !== '' && <p class="warning" role="alert">
          ▲ Hidden from users: {hidden}. Whoever has the link can read it.{' '}
          <button type="button" onClick={() => void takeOut().then(make)}>Take it out first</button>
        </p>}
        {isLong && <p class="warning">▲ The link is longer than some programs take ({link!.length} characters).</p>}
        <p><label>Link <input class="link-text" readOnly value={link ?? ''} /></label></p>
        <form method="dialog" class="bar">
          <button type="button" onClick={() => void use()}>Copy the link</button>
          <button type="submit">Close</button>
        </form>
      </dialog>
    </>
  );
}

function current(): Shared {
  const { name, bytes } = input.peek();
  const rule = explained.peek();
  const span = selection.peek();
  const finding = rule !== null && span !== null ? { rule, from: span.from } : null;
  return { name, bytes, choice: choice.peek(), finding };
}

async function takeOut(): Promise<void> {
  const { hiddenEdits } = await import('./hidden.ts');
  replace(hiddenEdits(input.peek().bytes, readingNow(), analysis.peek()));
}

/** Opens what the address holds, if it holds something. */
export async function openLink(): Promise<void> {
  if (location.hash.length < 2) return;
  const { readLink } = await import('./share.ts');
  try {
    const shared = await readLink(location.hash);
    if (shared === null) return;
    openText(shared.name, shared.bytes, shared.choice);
    const { finding } = shared;
    const found = finding && analysis.peek().findings.find(({ rule, from }) => {
      return rule === finding.rule && from === finding.from;
    });
    if (found) showFinding(found);
  } catch (error) {
    tell(error instanceof Error ? error.message : String(error), true);
  }
}
