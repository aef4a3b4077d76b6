// Every fixture: as a whole on every build, at every split, byte by byte and in pieces of every size; every byte in one
// tile.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { parseOn } from '../src/model/parse.ts';
import type { ReadOptions } from '../src/model/walk.ts';
import type { Machine } from '../src/scan/machine.ts';
import { MemorySource, type Source } from '../src/scan/source.ts';
import { Twin } from '../src/scan/twin/twin.ts';
import { WasmMachine } from '../src/scan/wasm.ts';
import { checkSource } from '../src/rules/check-source.ts';
import { after } from './long.ts';
import { Chunked, recordsOf, rowsOf } from './read.ts';
import { CASES, type Fixture, printRows, readFixtures } from './fixture.ts';

const BUILDS: Record<string, Machine> = {
  simd: new WasmMachine({ build: 'simd' }),
  scalar: new WasmMachine({ build: 'scalar' }),
  js: new Twin(),
  'simd, small table': new WasmMachine({ build: 'simd', tableRows: 8, window: 1024 }),
};

const UPDATE = process.env['OPENCHATML_UPDATE_ROWS'] === '1';

function diagnosticsOf(
  machine: Machine, source: Source, options: ReadOptions,
): Omit<Fixture['diagnostics'][number], never>[] {
  return [...checkSource(machine, source, options)].map(({ severity, code, rule, from, to, transcript }) => ({
    severity, code, rule, from, to, transcript,
  }));
}

const order = (a: { from: number; rule: string }, b: { from: number; rule: string }): number =>
  a.from - b.from || (a.rule < b.rule ? -1 : a.rule > b.rule ? 1 : 0);

function expectMessages(fixture: Fixture, machine: Machine): void {
  const records = recordsOf(machine, new MemorySource(fixture.input), fixture.options);
  const expected = fixture.messages.map((message, i) => {
    const { shown: _, 'content-length': length, ...fields } = message;
    return length === undefined
      ? fields
      : { ...fields, content: records[i]?.content.length === length ? records[i].content : length };
  });
  expect(records.map(({ record: _, ...fields }) => fields)).toEqual(expected);
}

function expectDiagnostics(fixture: Fixture, machine: Machine): void {
  const expected = [...fixture.diagnostics].sort(order);
  const found = diagnosticsOf(machine, new MemorySource(fixture.input), fixture.options).sort(order);
  expect(found.map((diagnostic, i) => (expected[i]?.to === null ? { ...diagnostic, to: null } : diagnostic)))
    .toEqual(expected);
}

/** All results for one way of cutting. */
function everything(fixture: Fixture, machine: Machine, cuts: (read: number) => number): string {
  const { input, options } = fixture;
  const records = recordsOf(machine, new Chunked(input, cuts), options);
  return JSON.stringify([records, diagnosticsOf(machine, new Chunked(input, cuts), options)]);
}

describe.each(readFixtures().map((fixture): [string, Fixture] => [fixture.name, fixture]))('%s', (_, fixture) => {
  const { input, options } = fixture;

  test.each(Object.keys(BUILDS))('messages and diagnostics (%s)', (build) => {
    expectMessages(fixture, BUILDS[build]!);
    expectDiagnostics(fixture, BUILDS[build]!);
  });

  test('rows, and every byte in one tile', () => {
    const parsed = parseOn(BUILDS['simd']!, input, options);
    const rows = printRows(parsed.rows);
    if (UPDATE) updateRows(fixture, rows);
    else expect(rows).toEqual(fixture.rows);
    let at = 0;
    for (const tile of parsed.tiles()) {
      expect([tile.from, tile.to > tile.from], tile.part).toEqual([at, true]);
      at = tile.to;
    }
    expect(at).toBe(input.length);
    const messages = [...parsed.messages()];
    expect(messages.map((message) => message.content))
      .toEqual(recordsOf(BUILDS['js']!, new MemorySource(input), options).map((r) => r.content));
  });

  test('files and fill-ins', () => {
    const parsed = parseOn(BUILDS['simd']!, input, options);
    const span = (part: { from: number; to: number } | null): string | null => part && `${part.from}..${part.to}`;
    const lines = parsed.transcripts.flatMap((transcript) => [
      ...transcript.files().map((file) => `${transcript.number} file ${span(file)}`),
      ...transcript.files().flatMap((file) => file.fillIns.map((task) => {
        const parts = (['prefix', 'middle', 'suffix'] as const).flatMap((part) => {
          return task[part] ? [`${part}=${span(task[part])}`] : [];
        });
        return `${transcript.number} fill-in ${parts.join(' ')}`;
      })),
    ]);
    expect(lines).toEqual(fixture.sequence);
  });

  test('every split gives the same', () => {
    const whole = rowsOf(BUILDS['simd']!, new MemorySource(input), options);
    const expectSame = (build: string, told: string, cuts: (read: number) => number): void => {
      const rows = rowsOf(BUILDS[build]!, new Chunked(input, cuts), options);
      // Compared by hand: an expectation for each would take a fourth of the time.
      if (rows !== whole) expect(rows, `${build}, ${told}`).toBe(whole);
    };
    for (const build of ['simd', 'js', 'simd, small table']) {
      for (let at = 1; at < input.length; at = build === 'simd' ? at + 1 : after(at)) {
        expectSame(build, `cut at ${at}`, (read) => (read === 0 ? at : input.length));
      }
      for (let size = 1; size <= input.length; size = after(size)) expectSame(build, `pieces of ${size}`, () => size);
    }
    const all = everything(fixture, BUILDS['simd']!, () => input.length);
    for (const build of Object.values(BUILDS)) {
      for (const size of [1, 2, 3, 7]) expect(everything(fixture, build, () => size)).toBe(all);
    }
  });
});

/** Writes the table into the page. */
function updateRows(fixture: Fixture, rows: string[]): void {
  const page = fixture.page.replace(/\n*```rows\n[^]*?```\n?$/, '').replace(/\n*$/, '\n');
  writeFileSync(
    join(CASES, `${fixture.name}.md`), `${page}\n\`\`\`rows\n${rows.map((row) => `${row}\n`).join('')}\`\`\`\n`,
  );
}

test('the fixtures are there', () => {
  expect(readFixtures().length).toBeGreaterThan(400);
});
