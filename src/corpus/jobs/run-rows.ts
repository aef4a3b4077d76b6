// What a run writes of each record or transcript, as lines of JSON: verdicts, messages, or the records themselves.

import { InputError } from '../error.ts';
import type { Unit } from '../records/unit.ts';
import type { RunEmit } from './job.ts';
import { type JudgedRecord, type Verdict, verdictMessage, type VisitedMessage } from './verdict.ts';

/** Takes what was read of one input, in order. */
export interface Rows {
  /** `before`: transcripts of the file before those of the record. */
  message?(visited: VisitedMessage, unit: Unit, before: number): void;
  /** The verdict on record `n`, or on transcript `n` of raw text (record null). */
  verdict?(verdict: Verdict, n: number, record: JudgedRecord | null): void;
  end(): void;
}

/** Takes a line, without its end. */
type WriteLine = (text: string) => void;

/** The lines of the input at `path`. What cannot become a line throws an InputError. */
export function lineRows(emit: RunEmit, path: string, write: WriteLine): Rows {
  if (emit === 'keep') return new KeptRecords(path, write);
  return emit === 'verdict' ? verdictLines(path, write) : messageLines(path, write);
}

function verdictLines(path: string, write: WriteLine): Rows {
  const start = `{"path":${JSON.stringify(path)},"n":`;
  return {
    verdict: (verdict, n, record) => {
      const id = record && record.id();
      const where = record === null ? '' : `"line":${record.line},${id === null ? '' : `"id":${id},`}`;
      write(`${start}${n},${where}${verdict.text()}`);
    },
    end: () => {},
  };
}

function messageLines(path: string, write: WriteLine): Rows {
  return {
    message: (visited, { record, place }, before) => {
      refuseLong(path, visited);
      const columns = verdictMessage(visited, place);
      write(JSON.stringify({ path, record, ...columns, transcript: before + columns.transcript }));
    },
    end: () => {},
  };
}

/** Bytes of a body that becomes one text. */
const LARGEST_BODY = 256 * 1024 * 1024;

export function refuseLong(path: string, { message }: VisitedMessage): void {
  const { from, to } = message.body;
  if (to - from <= LARGEST_BODY) return;
  const reason = `the message at byte ${from} has ${to - from} bytes, too many for a row`;
  throw new InputError(path, reason, 'use `messages`, which writes it in parts');
}

/** The records without errors, one a line, each as it is written. */
class KeptRecords implements Rows {
  readonly #path: string;
  readonly #write: WriteLine;

  constructor(path: string, write: WriteLine) {
    this.#path = path;
    this.#write = write;
  }

  verdict(verdict: Verdict, _n: number, record: JudgedRecord | null): void {
    if (record === null) {
      throw new InputError(this.#path, 'is raw text, and has no records to keep', 'write verdicts or messages of it');
    }
    const text = verdict.ok ? record.text() : null;
    if (text !== null) this.#write(text);
  }

  end(): void {}
}
