// The chat records of the benchmarks hold what their generator says, each variant what its name says, and the loop and
// every command find that in them.
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { afterAll, describe, expect, test } from 'vitest';
import { differences } from '../bench/counts.ts';
import { closeCommands } from '../bench/commands.ts';
import * as commands from '../bench/records/commands.ts';
import { type Command, Here } from '../bench/records/commands.ts';
import { type RecordFile, recordFile } from '../bench/records/corpus.ts';
import { loop, LOOPS } from '../bench/records/loop.ts';
import type { ChatRecord, Tool } from '../bench/records/record.ts';
import { answerOf } from '../bench/records/rows.ts';
import { PLANTED, type Variant, VARIANTS } from '../bench/records/variants.ts';
import { sharedData } from './skip.ts';

const folder = mkdtempSync(join(tmpdir(), 'openchatml-bench-records-'));
const here = new Here(1);
afterAll(async () => {
  await closeCommands();
  here.close();
  rmSync(folder, { recursive: true });
});

const SIZE = 400_000;
const variantOf = (name: string): Variant => [...VARIANTS, PLANTED].find((variant) => variant.name === name)!;
const made = (name: string): RecordFile => recordFile(variantOf(name), SIZE, 7, folder, false);
const textOf = (name: string): string => readFileSync(made(name).path, 'utf8');
const linesOf = (name: string): string[] => textOf(name).trimEnd().split('\n');
const recordsOf = (name: string): ChatRecord[] => linesOf(name).map((line) => JSON.parse(line) as ChatRecord);
const plain = recordsOf('dialogues');

describe.each(VARIANTS.filter(({ isOther }) => !isOther).map(({ name }) => name))('%s', (name) => {
  test('holds what is said of it', () => {
    const { found } = made(name);
    const records = recordsOf(name);
    const messages = records.flatMap((record) => record.messages);
    const calls = messages.flatMap((message) => ('tool_calls' in message ? message.tool_calls! : []));
    const text = textOf(name);
    expect(found.bytes).toBe(Buffer.byteLength(text));
    expect(found.bytes).toBeGreaterThanOrEqual(SIZE);
    expect([found.lines, found.messages, found.calls]).toEqual([records.length, messages.length, calls.length]);
    for (const role of ['user', 'assistant', 'tool']) {
      expect(found.roles[role] ?? 0).toBe(messages.filter((message) => message.role === role).length);
    }
    // Faulty calls are those without any argument.
    expect(found.errors).toBe(calls.filter((call) => call.function.arguments === '{}').length);
    expect(found.errors > 0).toBe(name !== 'long');
    expect(found.definitions).toBe(records.filter(({ tools }) => tools !== undefined).length);
  });

  test('one call at a time, each with its reply', () => {
    for (const { messages } of recordsOf(name)) {
      messages.forEach((message, i) => {
        if (!('tool_calls' in message)) return;
        expect(messages[i + 1]).toMatchObject({ role: 'tool', tool_call_id: message.tool_calls![0]!.id });
      });
    }
  });
});

test.each(['escapes', 'compact'])('%s: the same values, spelled otherwise', (name) => {
  const records = recordsOf(name);
  expect(records.length).toBeGreaterThan(5);
  const both = Math.min(records.length, plain.length);
  expect(records.slice(0, both)).toEqual(plain.slice(0, both));
});

test('escapes: nothing but ASCII, and not in what is no prose', () => {
  const text = textOf('escapes');
  expect(/[^\x0a\x20-\x7e]/.test(text)).toBe(false);
  expect(text.split('\\u').length).toBeGreaterThan(text.length / 50);
  for (const member of ['role', 'id', 'name', 'type']) expect(text).not.toMatch(new RegExp(`"${member}": "[^"]*\\\\u`));
});

test('compact: no blank after a comma or a colon', () => {
  for (const line of linesOf('compact')) expect(line).toBe(JSON.stringify(JSON.parse(line)));
});

test('unique: no definitions twice, and those that calls use are still there', () => {
  const seen = new Set<string>();
  const namesOf = (tool: Tool): string[] => Object.keys(tool.function.parameters.properties);
  const shapes = new Set<string>();
  for (const { tools, messages } of recordsOf('unique')) {
    expect(seen.has(JSON.stringify(tools))).toBe(false);
    seen.add(JSON.stringify(tools));
    shapes.add(JSON.stringify(tools!.map(namesOf)));
    for (const message of messages) {
      if (!('tool_calls' in message)) continue;
      const { name, arguments: given } = message.tool_calls![0]!.function;
      const { properties } = tools!.find((tool) => tool.function.name === name)!.function.parameters;
      for (const key of Object.keys(JSON.parse(given) as object)) expect(properties).toHaveProperty(key);
    }
  }
  expect(shapes.size).toBe(seen.size);
});

test('long: contents of kilobytes without an escape', () => {
  const contents = recordsOf('long').flatMap(({ messages }) => messages.map(({ content }) => content!));
  expect(contents.reduce((sum, content) => sum + content.length, 0) / contents.length).toBeGreaterThan(2000);
  expect(linesOf('long').some((line) => line.includes('\\'))).toBe(false);
});

test('a seed gives one file', () => {
  const again = mkdtempSync(join(folder, 'again-'));
  const path = (seed: number): string => recordFile(VARIANTS[0]!, SIZE, seed, again, false).path;
  expect(readFileSync(path(7), 'utf8')).toBe(textOf('dialogues'));
  expect(readFileSync(path(8), 'utf8')).not.toBe(textOf('dialogues'));
});

test.skipIf(sharedData('dialogues') === null)('the real dialogues are written as they were', () => {
  const { path, found } = recordFile(VARIANTS[0]!, SIZE, 7, folder, true);
  const whole = gunzipSync(readFileSync(new URL('../../shared/data/dialogues/messages.jsonl.gz', import.meta.url)));
  expect(readFileSync(path).equals(whole.subarray(0, found.bytes))).toBe(true);
});

describe('what is found', () => {
  const right = made('dialogues').found;

  test.each(VARIANTS.map(({ name }) => name))('%s: by the loop and by scan', async (name) => {
    const { path, found } = made(name);
    expect(differences((LOOPS[name] ?? loop)(path), found)).toEqual([]);
    expect(differences(await answerOf(here, commands.SCAN, path), found)).toEqual([]);
  });

  const { SCAN, CHECK, MESSAGES, PARQUET, ARROW, FILTER, CONVERT } = commands;
  const all = [SCAN, CHECK, MESSAGES, PARQUET, ARROW, FILTER, CONVERT];
  test.each(all.map((command): [string, Command] => [command.name, command]))('by %s', async (_, command) => {
    const answer = await answerOf(here, command, made('dialogues').path);
    expect(Object.keys(answer).length).toBeGreaterThan(0);
    expect(differences(answer, right)).toEqual([]);
  });

  test('by audit', async () => {
    const { found, path } = made('planted');
    expect(found.hiddenTokens).toBe(found.lines);
    expect(await answerOf(here, commands.AUDIT, path)).toEqual({ hiddenTokens: found.lines });
    expect(await answerOf(here, commands.AUDIT, made('dialogues').path)).toEqual({ hiddenTokens: 0 });
  });
});
