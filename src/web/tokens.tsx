// Tokens of a vocabulary that is loaded from a file: how many each message has, and the ids of the one that is chosen.

import { signal } from '@preact/signals';
import { analysis, current, input, selectMessage, tell } from './store.ts';
import type { Vocabulary } from './vocabulary.ts';

const vocabulary = signal<{ readonly name: string; readonly words: Vocabulary } | null>(null);

/** Ids that are drawn. */
const MOST_IDS = 1000;

async function load(file: File): Promise<void> {
  try {
    const { readVocabulary } = await import('./vocabulary.ts');
    vocabulary.value = { name: file.name, words: readVocabulary(await file.text()) };
    tell('');
  } catch (error) {
    tell(error instanceof Error ? error.message : 'The vocabulary cannot be read.', true);
  }
}

export function Tokens() {
  const loaded = vocabulary.value;
  const picker = (
    <label class="file">{loaded === null ? 'Load a vocabulary (.tiktoken)' : `Vocabulary: ${loaded.name}`}
      {' '}<input type="file" accept=".tiktoken" onChange={(event) => {
        const [file] = event.currentTarget.files ?? [];
        if (file !== undefined) void load(file);
      }} />
    </label>
  );
  if (loaded === null) {
    return (
      <div class="tokens">
        <div class="bar">{picker}</div>
        <p class="empty">The page loads nothing by itself: give it o200k_base.tiktoken, or another file of this form,
          and it counts the tokens of each message.</p>
      </div>
    );
  }
  const { messages } = analysis.value;
  const { bytes } = input.value;
  const decoder = new TextDecoder();
  const counts = messages.map(({ from, to }) => loaded.words.encode(decoder.decode(bytes.subarray(from, to))));
  const chosen = current.value === null ? null : counts[current.value] ?? null;
  return (
    <div class="tokens">
      <div class="bar">{picker}<span class="note">{counts.reduce((sum, ids) => sum + ids.length, 0)} tokens in
        {' '}{messages.length} messages, control tokens as one each</span></div>
      <div class="streamed">
        <div class="counts" role="region" tabIndex={0} aria-label="Tokens by message"><ol>
          {messages.map(({ number, role, channel }) => (
          <li key={number}><button type="button" class="link" onClick={() => selectMessage(number)}>
            {role ?? 'no role'}, {channel}</button>: {counts[number]!.length}</li>
        ))}</ol></div>
        <section aria-label="Token ids">
          <h3>Ids of the chosen message</h3>
          <p class="ids">{chosen === null ? 'None is chosen.' : chosen.slice(0, MOST_IDS).map((id, i) => (
            <span key={i} class="id" title={loaded.words.text(id)}>{id}</span>
          ))}</p>
        </section>
      </div>
    </div>
  );
}
