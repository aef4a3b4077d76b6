// Rows of this package for what messages mean: checking, rendering, writing, converting bytes that are in memory.
import type { TranscriptData } from '../src/model/data.ts';
import { convertTranscript, type Form } from '../src/formats/convert.ts';
import { neutralOf } from '../src/formats/neutral.ts';
import { renderHtml } from '../src/formats/render/html.ts';
import { renderText } from '../src/formats/render/text.ts';
import { transcriptData } from '../src/formats/transcript-data.ts';
import { writeTranscript } from '../src/formats/write/write.ts';
import { parse } from '../src/index.ts';
import { check } from '../src/tools.ts';
import type { ReadOptions } from '../src/model/walk.ts';
import type { MemoryContender, MemoryInput } from './contender.ts';
import type { Answer } from './counts.ts';

/** The corpora of the bench hold messages in the shapes that these rows understand; hostile ones do not come here. */
const optionsOf = (input: { notation: string }): ReadOptions =>
  ({ dialect: input.notation === 'harmony' ? 'harmony' : 'auto' });

/** What was read before the time is taken, for rows that only write. */
const ready = new WeakMap<Buffer, TranscriptData[]>();

function dataOf(input: MemoryInput): TranscriptData[] {
  let data = ready.get(input.bytes);
  if (!data) {
    data = parse(input.bytes, optionsOf(input)).transcripts.map(transcriptData);
    ready.set(input.bytes, data);
  }
  return data;
}

function rendering(name: string, render: typeof renderText): MemoryContender {
  return {
    name,
    does: `${name}, what an end user may see, as string pieces`,
    exact: true,
    run(input) {
      let characters = 0;
      for (const piece of render(parse(input.bytes, optionsOf(input)))) characters += piece.length;
      return characters > 0 ? {} : { bytes: -1 };
    },
  };
}

/** Data that is ready, to text in the dialect it came from; the text is read back before it is timed. */
const writing: MemoryContender = {
  name: 'write',
  does: 'messages that are data already, to the text of their dialect',
  exact: true,
  prepare(input) {
    const text = written(input);
    const messages = [...parse(text, optionsOf(input)).messages()].length;
    if (messages !== input.counts.messages) {
      throw new Error(`${messages} messages read back, not ${input.counts.messages}`);
    }
  },
  run: (input): Answer => (written(input).length > 0 ? {} : { bytes: -1 }),
};

function written(input: MemoryInput): string {
  const pieces = dataOf(input).map((data) => writeTranscript(data, input.notation).text);
  return pieces.join('');
}

function converting(to: Form): MemoryContender {
  return {
    name: `convert to ${to}`,
    does: `bytes to ${to}, refusals and losses included`,
    exact: true,
    run(input) {
      let transcripts = 0;
      for (const transcript of parse(input.bytes, optionsOf(input)).transcripts) {
        const { text, record } = convertTranscript(neutralOf(transcriptData(transcript), transcript.dialect).data, to, {
          neutralise: true,
        });
        if (text !== null || JSON.stringify(record) !== '') transcripts++;
      }
      return { transcripts };
    },
  };
}

export const MEANING_IN_MEMORY: readonly MemoryContender[] = [
  {
    name: 'check',
    does: 'every diagnostic of bytes in memory; a corpus that conforms has no error',
    exact: true,
    run(input) {
      const errors = check(input.bytes, optionsOf(input)).filter(({ severity }) => severity === 'error');
      if (errors.length > 0) {
        throw new Error(`${errors.length} errors, the first is ${errors[0]!.rule} at ${errors[0]!.from}`);
      }
      return {};
    },
  },
  rendering('render as text', renderText),
  rendering('render as html', renderHtml),
  writing,
  converting('openchatml-2.2'),
  converting('harmony'),
  converting('messages'),
];
