// What a row of the tables is: something that reads a corpus and answers with the counts that it knows.
import type { JsonlCorpus, Corpus } from './corpus.ts';
import type { Answer, Counts } from './counts.ts';

interface Row {
  name: string;
  /** What it does and what it counts, in one line. */
  does: string;
  /** Its answer must equal the generator's counts. The answer of others is shown beside the right one. */
  exact: boolean;
  /** Why it cannot run on this corpus or machine; null when it can. */
  unfit?(input: Corpus): string | null;
}

/** Reads a file. */
export interface Contender extends Row {
  /** Runs a command: the time that starting any command takes is subtracted. */
  command?: boolean;
  /** Linear by design, so that it may also run on the hostile shapes. */
  hostile?: boolean;
  /** Asks for the same chats as JSON lines. */
  jsonl?: boolean;
  /** Called once for each corpus, outside the measured time. */
  prepare?(input: FileInput): void | Promise<void>;
  run(input: FileInput): Answer | Promise<Answer>;
  /** Called once after each corpus, also after a failure. */
  dispose?(): void | Promise<void>;
}

export interface FileInput extends Corpus {
  jsonl: JsonlCorpus | null;
}

/** Works on a corpus that is in memory already. */
export interface MemoryContender extends Row {
  prepare?(input: MemoryInput): void | Promise<void>;
  run(input: MemoryInput): Answer;
}

export interface MemoryInput extends Corpus {
  bytes: Buffer;
  text: string;
  counts: Counts;
}
