// The page begins: draws, opens what the address holds, and then loads the rest, so that nothing is to be loaded later.

import { render } from 'preact';
import { App, loadRest } from './app.tsx';
import { openLink } from './share-button.tsx';
import { checks } from './store.ts';

const app = document.getElementById('app')!;
app.replaceChildren();
render(<App />, app);
document.body.dataset['state'] = 'ready';
await openLink();
addEventListener('hashchange', () => void openLink());

// After the first paint.
await new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve)));
const [{ FULL }] = await Promise.all([
  import('./full-checks.ts'), import('./results.ts'),
  import('./editor.ts'), import('./share.ts'), import('./hidden.ts'), import('./vocabulary.ts'), loadRest(),
  import('./corpus.tsx').then(({ prepare }) => prepare()),
]);
checks.value = FULL;
document.body.dataset['state'] = 'complete';
