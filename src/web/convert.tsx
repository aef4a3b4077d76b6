// The text in every other form, with what is lost.

import { useState } from 'preact/hooks';
import {
  convertTranscript, type Form, FORMS, type Loss, neutralOf, Refusal, type TranscriptData, transcriptData,
} from '../convert.ts';
import { type DialectId, parse } from '../index.ts';
import { input, readingNow, tell } from './store.ts';
import { download } from './save.ts';

interface Made {
  readonly text: string;
  readonly losses: readonly Loss[];
  readonly refusals: readonly string[];
}

interface How {
  readonly neutralise: boolean;
  readonly hermes: boolean;
}

function convert(to: Form, { neutralise, hermes }: How): Made {
  const { transcripts } = parse(input.value.bytes, readingNow());
  const [parts, losses, refusals]: [string[], Loss[], string[]] = [[], [], []];
  for (const transcript of transcripts) {
    try {
      const neutral = neutralOf(transcriptData(transcript) as TranscriptData, transcript.dialect);
      const made = convertTranscript(neutral.data, to, { neutralise, ...(hermes && { calls: 'hermes' as const }) });
      parts.push(made.text ?? JSON.stringify(made.record, null, 2));
      losses.push(...neutral.losses, ...made.losses);
    } catch (error) {
      if (!(error instanceof Refusal) && !(error instanceof RangeError)) throw error;
      refusals.push(error.message);
    }
  }
  return { text: parts.join('\n'), losses, refusals };
}

const ENDINGS: Partial<Record<Form, string>> = { 'openchatml-0.1': 'chatml', harmony: 'harmony' };
const TAGGED: readonly Form[] = ['openchatml-0.1', 'messages', 'sharegpt'];

const endingOf = (form: Form): string => ENDINGS[form] ?? (form.startsWith('openchatml') ? 'ocml' : 'json');

export function Convert() {
  const [to, setTo] = useState<Form>('messages');
  const [how, setHow] = useState<How>({ neutralise: false, hermes: false });
  const { text, losses, refusals } = convert(to, { ...how, hermes: how.hermes && TAGGED.includes(to) });
  const name = `${(input.value.name || 'transcript').replace(/\.[^.]*$/, '')}.${endingOf(to)}`;
  const isEmpty = input.value.bytes.length === 0;
  return (
    <div class="convert">
      <div class="bar">
        <label>To <select value={to} onChange={(event) => setTo(event.currentTarget.value as Form)}>
          {FORMS.map((form) => <option value={form} key={form}>{form}</option>)}
        </select></label>
        <label><input type="checkbox" checked={how.neutralise} onChange={(event) => {
          setHow({ ...how, neutralise: event.currentTarget.checked });
        }} /> break up control tokens in bodies</label>
        {TAGGED.includes(to) && <label><input type="checkbox" checked={how.hermes} onChange={(event) => {
          setHow({ ...how, hermes: event.currentTarget.checked });
        }} /> calls as text</label>}
        <button type="button" disabled={text === ''} onClick={() => void copy(text)}>Copy</button>
        <button type="button" disabled={text === ''} onClick={() => download(name, text)}>Download</button>
      </div>
      {refusals.map((words, i) => <p class="error" role="alert" key={i}>Refused: {words}.</p>)}
      <div class="converted">
        <pre tabIndex={0} role="region" aria-label={`As ${to as DialectId}`}>{text === '' ? ' ' : text}</pre>
        <section aria-label="What is lost" class="losses">
          <h3>What is lost</h3>
          {losses.length === 0 && <p class="note">{isEmpty ? 'There is no text yet.' : 'Nothing.'}</p>}
          <ul>{losses.map(({ what, message, detail }, i) => (
            <li key={i}><strong>{what}</strong>{message !== null && ` of message ${message + 1}`}
              {detail !== undefined && `: ${detail}`}</li>
          ))}</ul>
        </section>
      </div>
    </div>
  );
}

async function copy(text: string): Promise<void> {
  try {
    await navigator.clipboard.writeText(text);
    tell('Copied.');
  } catch {
    tell('The browser does not let the page copy; choose the text and copy it.', true);
  }
}
