// What a command found, read from the file that its output went to.
import { closeSync, fstatSync, openSync, readFileSync, readSync } from 'node:fs';
import { tableFromIPC } from '@uwdata/flechette';
import { parquetReadObjects } from 'hyparquet';
import { type Counts, scanFile } from '../../src/node.ts';
import { eachLine, LINES } from '../chunks.ts';
import { bump } from '../counts.ts';
import type { Found } from '../group.ts';
import { loop, LOOPS, type Looped } from './loop.ts';

export type Look = (path: string) => Partial<Found> | Promise<Partial<Found>>;

export const LOOKS = {
  scan: (path) => counted(JSON.parse(readFileSync(path, 'utf8')) as Counts),
  check: (path) => ({ errors: errorsOf(path) }),
  audit: (path) => ({ hiddenTokens: errorsOf(path) }),
  messages(path) {
    const answer = empty();
    eachLine(path, (from, to) => add(answer, JSON.parse(LINES.toString('utf8', from, to)) as MessageRow));
    return counted(answer);
  },
  async parquet(path) {
    const answer = empty();
    const fd = openSync(path, 'r');
    try {
      const file = { byteLength: fstatSync(fd).size, slice: (from: number, to?: number) => bytesOf(fd, from, to) };
      const rows = await parquetReadObjects({ file, columns: ['role', 'recipient'] });
      for (const row of rows) add(answer, row as unknown as MessageRow);
    } finally {
      closeSync(fd);
    }
    return counted(answer);
  },
  arrow(path) {
    const answer = empty();
    const table = tableFromIPC(readFileSync(path)).select(['role', 'recipient']);
    for (const row of table) add(answer, row as unknown as MessageRow);
    return counted(answer);
  },
  filter(path) {
    const answer = { lines: 0, calls: 0, errors: 0 };
    eachLine(path, (from, to) => {
      const { calls, err, more = 0 } = JSON.parse(LINES.toString('utf8', from, to)) as Verdict;
      answer.lines++;
      answer.calls += calls;
      answer.errors += err.length + more;
    });
    return answer;
  },
  text: (path) => counted(scanFile(path)),
  records: (path) => loop(path),
  shareGpt: (path) => LOOPS['sharegpt']!(path),
  looped: (path) => JSON.parse(readFileSync(path, 'utf8')) as Looped,
  none: () => ({}),
} satisfies Record<string, Look>;

interface MessageRow {
  role: string;
  recipient: string | null;
}

interface Verdict {
  calls: number;
  err: unknown[];
  more?: number;
}

type Tally = Pick<Counts, 'messages' | 'calls' | 'roles'>;
const empty = () => ({ messages: 0, calls: 0, roles: {} as Record<string, number> });

function add(answer: ReturnType<typeof empty>, { role, recipient }: MessageRow): void {
  answer.messages++;
  bump(answer.roles, role);
  if (role === 'assistant' && recipient !== null) answer.calls++;
}

/** Definitions of tools are a developer's message here, and none in a record. */
function counted({ messages, calls, roles }: Tally): Partial<Found> {
  const { developer = 0, ...said } = roles;
  return { messages: messages - developer, calls, roles: said, definitions: developer };
}

function errorsOf(path: string): number {
  const last = readFileSync(path, 'utf8').trimEnd().split('\n').at(-1)!;
  return (JSON.parse(last) as { summary: { errors: number } }).summary.errors;
}

async function bytesOf(fd: number, from: number, to = fstatSync(fd).size): Promise<ArrayBuffer> {
  const bytes = new ArrayBuffer(to - from);
  for (let at = 0; at < bytes.byteLength; ) {
    const read = readSync(fd, new Uint8Array(bytes, at), 0, bytes.byteLength - at, from + at);
    if (read === 0) throw new Error('the file ends early');
    at += read;
  }
  return bytes;
}
