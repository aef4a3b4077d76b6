// Docstrings: every public export has one, and every function and class an example that compiles and prints what it
// says.
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { RULINGS } from '../src/rules/rulings.ts';
import { printed, typeErrors } from './examples.ts';
import { ENTRIES, type Part, publicExports, ROOT } from './exports.ts';

const all = publicExports();
/** Each once, though `openchatml/node` has those of other entries too. */
const examples = [...new Map(all.flatMap(({ entry, name, file, examples: codes }) => {
  return codes.map((code, i): [string, [name: string, code: string]] => {
    return [`${file} ${name} ${i}`, [`${entry}-${name}-${i}`, code]];
  });
})).values()];

/** Packages are found from here. */
const folder = mkdtempSync(join(ROOT, 'node_modules/.docs-'));
afterAll(() => rmSync(folder, { recursive: true }));

test('every export of every entry has a docstring, and every function and class an example', () => {
  expect(new Set(all.map(({ entry }) => entry))).toEqual(new Set(ENTRIES));
  const { exports } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { exports: object };
  const names = Object.keys(exports).filter((name) => /^\.(?:\/\w+)?$/.test(name));
  const given = names.map((name) => name.slice(2) || 'index');
  expect(given.sort()).toEqual([...ENTRIES].sort());
  expect(all.length).toBeGreaterThan(500);
  expect(all.filter(({ text }) => text.length < 10).map(({ file, name }) => `${file}: ${name}`)).toEqual([]);
  const called = all.filter(({ isCalled }) => isCalled);
  expect(called.length).toBeGreaterThan(150);
  expect(called.filter(({ examples: [one] }) => one === undefined).map(({ file, name }) => `${file}: ${name}`))
    .toEqual([]);
});

describe('docstrings say', () => {
  const parts = [...new Map(all.flatMap(({ file, parts: its }) => {
    return its.map((part): [string, Part] => [`${file}: ${part.name}`, part]);
  }))];
  /** By their names, positions, sizes and times. */
  const MEASURED = [
    /^(?:from|to|at|base|offset|position|start|end|length|size|bytes|before|after)$/,
    /(?:Ms|Bytes|Length|Offset|Position|From|To|At|Size|Timeout|Delay|Time|Until)$/,
  ];
  const UNIT =
    /\b(?:number of|bytes?|code (?:point|unit)s?|UTF-16|(?:milli)?seconds?|characters?|messages|rows|tokens)\b/i;

  test('what positions, sizes and times count', () => {
    const measured = parts.filter(([, { numbers }]) => {
      return numbers.some((name) => MEASURED.some((names) => names.test(name)));
    });
    expect(measured.length).toBeGreaterThan(60);
    expect(measured.filter(([, { text }]) => !UNIT.test(text)).map(([name]) => name)).toEqual([]);
  });

  test('what is thrown, where something is', () => {
    const throwing = parts.filter(([, { throws }]) => throws);
    expect(throwing.length).toBeGreaterThan(15);
    const said = /\b(?:throws?|thrown|reject(?:s|ed)?)\b/i;
    expect(throwing.filter(([, { text }]) => !said.test(text)).map(([name]) => name)).toEqual([]);
  });

  test('which clause or ruling a function or a class is about, where its code cites one', () => {
    const about = all.filter(({ clauses }) => clauses.length > 0);
    expect(about.length).toBeGreaterThan(20);
    const silent = about.filter(({ text }) => !/\bR-[A-Z]|§\d/.test(text));
    expect(silent.map(({ file, name, clauses }) => `${file}: ${name} (${clauses.join(', ')})`)).toEqual([]);
    const cited = all.flatMap(({ text }) => text.match(/\bR-[A-Z][A-Z0-9-]+/g) ?? []);
    expect([...new Set(cited)].filter((ruling) => !(ruling in RULINGS))).toEqual([]);
  });
});

test('examples compile under --strict', () => {
  for (const [name, code] of examples) writeFileSync(join(folder, `${name}.ts`), code);
  const files = readdirSync(folder).filter((name) => name.endsWith('.ts')).map((name) => join(folder, name));
  expect(typeErrors(files)).toEqual([]);
});

/** What an example says that it prints: the comments behind its calls of console.log, and at its end. */
function saidOf(code: string): string[] {
  const last = /(?:\n\/\/ .*)+$/.exec(code)?.[0] ?? '';
  const inline = [...code.matchAll(/console\.log\(.*\); \/\/ (.*)$/gm)].map(([, text]) => text!);
  return [...inline, ...last.split('\n').slice(1).map((line) => line.slice('// '.length))];
}

/** What it prints. */
async function printedBy(name: string, code: string): Promise<string[]> {
  const here = code.replace(/'(no-such-file|one)\.(\w+)'/g, (_, base, ending) => {
    return JSON.stringify(join(folder, `${base}.${ending}`));
  });
  return (await printed(join(folder, `${name}.mjs`), here)).split('\n').slice(0, -1);
}

describe('examples print what they say:', () => {
  test.each(examples)('%s', async (name, code) => {
    const said = saidOf(code);
    expect(said.length).toBeGreaterThan(0);
    expect(await printedBy(name, code)).toEqual(said);
  });
});
