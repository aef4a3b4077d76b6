// Raw transcripts as plain data, also those that rows stand for.

import { type RawOptions, type TranscriptsEnd, transcriptsOrRows } from '../../../src/corpus/records/raw.ts';
import type { RawTranscript } from '../../../src/corpus/records/open-transcript.ts';
import type { PlainReadOptions } from '../../../src/model/part-walk.ts';
import type { Machine } from '../../../src/scan/machine.ts';
import type { Source } from '../../../src/scan/source.ts';

export function* rawTranscripts(
  machine: Machine, source: Source, options: PlainReadOptions, setting: RawOptions = {},
): Generator<RawTranscript, TranscriptsEnd, void> {
  const all = transcriptsOrRows(machine, source, options, setting);
  for (let next = all.next(); ; next = all.next()) {
    if (next.done) return next.value;
    yield 'read' in next.value ? next.value.read() : next.value;
  }
}
