// What others count of chat records: records, messages by role, calls. What is not installed says how to install it.
import { type Asked, askedDuckDb, askedOrjson, askedSimdjson } from '../asked.ts';
import { findCommand, startCommand } from '../commands.ts';
import type { Found, Goal, Row } from '../group.ts';

export interface Rivals {
  rows: Row[];
  goals: Goal[];
  close(): void;
}

const PROGRAM = `reduce inputs as $record ({"lines": 0, "roles": {}, "calls": 0};
  .lines += 1 | reduce $record.messages[] as $message (.;
    .roles[$message.role] += 1 | .calls += ($message.tool_calls | length)))`;

export async function rivals(path: string): Promise<Rivals> {
  const [duck1, duck2, orjson, simd1, simd2] = await Promise.all([
    askedDuckDb(1), askedDuckDb(2), askedOrjson(), askedSimdjson(1), askedSimdjson(2),
  ]);
  const row = (asked: Asked | string, query: string, name: string, does: string): Row => ({
    name,
    does,
    elsewhere: true,
    ...(typeof asked === 'string' ? { skipped: asked } : { note: asked.version }),
    async run() {
      return answerOf(await (asked as Asked).ask(query, path));
    },
  });
  const load = row(simd1, 'load', 'simdjson load + parse', 'its own padded_string::load, then the same');
  return {
    rows: [
      row(duck1, 'roles', 'DuckDB ->> 1 thread', 'JSON functions on each line'),
      row(duck2, 'roles', 'DuckDB ->> 2 threads', 'the same'),
      row(duck1, 'roles-column', 'DuckDB read_json 1 thread', 'its reader of JSON lines, messages as a list of rows'),
      row(duck2, 'roles-column', 'DuckDB read_json 2 threads', 'the same'),
      row(orjson, 'roles', 'orjson', 'a loop in Python, each line by orjson'),
      {
        name: 'jq',
        does: 'a reduction over its inputs',
        command: true,
        ...(findCommand('jq') === null && { skipped: 'jq is not installed (apt-get install jq)' }),
        async run() {
          const output = await startCommand('jq', ['-nc', PROGRAM, path], 'read');
          return JSON.parse(output) as Pick<Found, 'lines' | 'roles' | 'calls'>;
        },
      },
      row(simd1, 'parse', 'simdjson parse', 'On-Demand, iterate_many, of a file that is in memory already'),
      load,
      row(simd2, 'load', 'simdjson load + parse 2 threads', 'the same, with the next batch indexed on another thread'),
    ],
    goals: [{ row: 'scan 1 thread', base: load.name, least: 1 }],
    close() {
      for (const asked of [duck1, duck2, orjson, simd1, simd2]) if (typeof asked !== 'string') asked.close();
    },
  };
}

function answerOf([lines, user, assistant, tool, calls]: readonly number[]): Partial<Found> {
  return { lines: lines!, roles: { user: user!, assistant: assistant!, tool: tool! }, calls: calls! };
}
