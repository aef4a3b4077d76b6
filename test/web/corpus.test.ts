// Files in the page: the same report as in Node, live, compressed or not; records out of them; memory that stays.
import { spawnSync } from 'node:child_process';
import { appendFileSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { Statistics } from '../../src/corpus/report/statistics.ts';
import { gatherStatistics } from '../../src/report.ts';
import { MemorySource } from '../../src/index.ts';
import { isAll } from '../long.ts';
import { findChromium, give, launch, openPage, type Opened, settle, startServer } from './browser.ts';
import { peakOfRenderers } from './renderers.mjs';

const chromium = findChromium();
const folder = mkdtempSync(join(tmpdir(), 'openchatml-page-'));

const RECORDS = 4000;
const WEATHER = {
  type: 'function',
  function: { name: 'weather', parameters: { type: 'object', properties: { days: { type: 'number' } } } },
};

/** A record; each seventh has arguments that do not fit, each eleventh a call without a reply. */
function record(i: number): object {
  const days = i % 7 === 0 ? 'two' : 2;
  const call = { id: `c${i}`, type: 'function', function: { name: 'weather', arguments: JSON.stringify({ days }) } };
  return {
    tools: [WEATHER],
    messages: [
      { role: 'user', content: `Number ${i}: ${'how is the weather? '.repeat(i % 40)}` },
      { role: 'assistant', content: null, tool_calls: [call] },
      ...(i % 11 === 0 ? [] : [{ role: 'tool', tool_call_id: `c${i}`, content: '{}' }]),
      { role: 'assistant', content: `Cold, says ${i}.` },
    ],
  };
}

const lines = Buffer.from(Array.from({ length: RECORDS }, (_, i) => `${JSON.stringify(record(i))}\n`).join(''));
const text = (i: number): string => `version: 2.2\n---\n<|start|>user<|message|>Number ${i}${i % 9 ? '<|end|>' : ''}\n`
  + `<|start|>assistant<|channel|>final<|message|>${'Yes. '.repeat(i % 60)}<|return|>\n`;
const raw = Buffer.from(Array.from({ length: 16_000 }, (_, i) => text(i)).join(''));
/** What `scan --report` gathers of the same bytes. */
function inNode(name: string, bytes: Uint8Array): object {
  let last: object | undefined;
  for (const step of gatherStatistics(name, new MemorySource(bytes))) last = step.statistics();
  return last!;
}

/** What `scan --report` of the command shows. */
function scanned(path: string): string {
  const page = join(folder, 'report.html');
  const command = join(import.meta.dirname, '../../dist/cli/main.js');
  expect(spawnSync(process.execPath, [command, 'scan', '--report', page, path]).status).toBe(0);
  return readFileSync(page, 'utf8');
}

describe.skipIf(!isAll || chromium === null)('files in the page', () => {
  let browser: Browser;
  let server: Awaited<ReturnType<typeof startServer>>;
  let opened: Opened;
  let page: Page;
  let loaded: number;

  beforeAll(async () => {
    server = await startServer();
    browser = await launch(chromium!);
    opened = await openPage(browser, server.url);
    ({ page } = opened);
    loaded = opened.requests.length;
  });
  afterAll(async () => {
    await browser?.close();
    await server?.end();
    rmSync(folder, { recursive: true });
  });

  let name = '';
  const open = async (given: string, bytes: Uint8Array): Promise<void> => {
    name = given;
    const path = join(folder, name);
    writeFileSync(path, bytes);
    await page.setInputFiles('.open input', path);
  };
  const done = async (): Promise<void> => {
    await page.waitForSelector(`.corpus-head[data-state="done"][data-name="${name}"]`);
    await settle(page);
  };
  /** The tables of a report: their words, without those that a timing is in. */
  const tables = (): Promise<string[]> => page.locator('.report table:not(.u-legend)').evaluateAll((found) => {
    return found.map((table) => (table.textContent ?? '').replace(/\s+/g, ' ').trim());
  });

  test.each([
    ['records.jsonl.gz', gzipSync(lines)], ['text.txt', raw], ['records.jsonl', lines],
  ] as [string, Uint8Array][])('%s has the report that `scan --report` writes', async (given, bytes) => {
    await open(given, bytes);
    await done();
    const shown = await tables();
    const other = await page.context().newPage();
    await other.setContent(scanned(join(folder, name)).replace(/<script[^]*$/, ''));
    const wanted = await other.locator('table').evaluateAll((found) => {
      return found.map((table) => (table.textContent ?? '').replace(/\s+/g, ' ').trim());
    });
    await other.close();
    const plain = (list: string[]): string[] => list.map((words) => words.replace(/\S*(?:records|text)\.\S+/g, 'FILE'));
    // Tables of samples of raw text have lines in the command's report, which reads the file once more.
    const isSample = (words: string): boolean => /By file, record and position/.test(words);
    expect(plain(shown).filter((words) => !isSample(words))).toEqual(plain(wanted).filter((words) => !isSample(words)));
    expect(shown.length).toBeGreaterThan(8);
    expect(await page.locator('.report canvas').count()).toBe(3);
  });

  test('zstd is read, too', async () => {
    const path = join(folder, 'zstd.jsonl');
    writeFileSync(path, lines);
    if (spawnSync('zstd', ['-q', '-f', path]).status !== 0) return console.log('skipped: zstd is not installed');
    name = 'zstd.jsonl.zst';
    await page.setInputFiles('.open input', `${path}.zst`);
    await done();
    expect(await page.locator('.tiles').innerText()).toContain('4,000');
  });

  test('the steps add up to what a whole reading gives, for every record', () => {
    const json = inNode('records.jsonl', lines) as { records: number; files: number; bytes: number };
    expect([json.files, json.records, json.bytes]).toEqual([1, RECORDS, lines.length]);
    expect(Statistics.fromJSON(json).toJSON()).toEqual(json);
  });

  test('a record is read again and shown as a text, with places as JSON pointers', async () => {
    await open('records.jsonl', lines);
    await done();
    await page.locator('.corpus-head input').fill('3998');
    await page.getByRole('button', { name: 'Show' }).click();
    await page.waitForFunction(() => (document.querySelector('.timeline')?.textContent ?? '').includes('Number 3997'));
    await page.getByRole('button', { name: 'line before' }).click();
    await page.waitForFunction(() => (document.querySelector('.timeline')?.textContent ?? '').includes('Number 3996'));
    await page.locator('.back button').first().click();
    await page.locator('#findings details').first().locator('summary').click();
    await page.locator('#findings details').first().locator('tbody th button').nth(1).click();
    await page.waitForFunction(() => (document.querySelector('.timeline')?.textContent ?? '').includes('Number 7:'));
    const words = await page.locator('.findings tbody').innerText();
    expect(words).toContain('invalid-arguments');
    expect(words).toContain('/messages/1/tool_calls/0/function/arguments');
  });

  test('records that are not one a line are reported, and none of them is offered', async () => {
    const list = `[${Array.from({ length: 20 }, (_, i) => JSON.stringify(record(i))).join(',\n')}]\n`;
    const pretty = Array.from({ length: 20 }, (_, i) => `${JSON.stringify(record(i), null, 2)}\n`).join('');
    for (const [given, words] of [['list.json', list], ['pretty.json', pretty]] as const) {
      await open(given, Buffer.from(words));
      await done();
      await page.locator('#findings details').first().locator('summary').click();
      expect(await page.locator('#findings tbody th').count()).toBeGreaterThan(2);
      expect(await page.locator('.corpus-head input, #findings tbody th button').count()).toBe(0);
    }
  });

  test('a place in raw text opens its transcript, whatever the text before was read as', async () => {
    await give(page, 'a.ocml', '<|start|>user<|message|>Hi<|end|>');
    await page.getByLabel('Dialect').selectOption('harmony');
    await open('text.txt', raw);
    await done();
    await page.locator('#findings details').first().locator('summary').click();
    await page.locator('#findings details').first().locator('tbody th button').nth(3).click();
    await page.waitForFunction(() => (document.querySelector('.timeline')?.textContent ?? '').includes('Number 27'));
    expect(await page.locator('.card').count()).toBe(2);
    expect(await page.getByLabel('Dialect').inputValue()).toBe('auto');
  });

  test('a place in Harmony opens its transcript, read as Harmony', async () => {
    const one = (i: number): string => `<|start|>system<|message|>Hi<|end|><|start|>user<|message|>Number ${i}<|end|>`
      + `<|start|>assistant<|message|>${'Yes. '.repeat(20)}<|return|>`;
    await open('large.harmony', Buffer.from(Array.from({ length: 8000 }, (_, i) => one(i)).join('')));
    await done();
    await page.locator('#findings details').first().locator('summary').click();
    await page.locator('#findings details').first().locator('tbody th button').nth(4).click();
    await page.waitForFunction(() => (document.querySelector('.timeline')?.textContent ?? '').includes('Number 4'));
    expect(await page.locator('.card').count()).toBe(3);
    expect(await page.getByLabel('Dialect').inputValue()).toBe('harmony');
  });

  test('a file that has changed is told when a place in it is opened', async () => {
    await open('gone.txt', raw);
    await done();
    writeFileSync(join(folder, 'gone.txt'), 'other');
    await page.locator('#findings details').first().locator('summary').click();
    await page.locator('#findings details').first().locator('tbody th button').first().click();
    await page.waitForSelector('.notice.error');
    expect(await page.locator('.notice').innerText()).toMatch(/^The transcript at byte \d+ cannot be shown: /);
    await page.locator('.notice button').click();
  });

  test('damage is told, and a reading is cancelled', async () => {
    await open('bad.jsonl.gz', gzipSync(lines).subarray(0, 20_000));
    await page.waitForSelector('.notice.error');
    expect(await page.locator('.notice').innerText()).toContain('damaged');
    await open('large.txt', Buffer.concat(Array.from({ length: 24 }, () => raw)));
    await page.getByRole('button', { name: 'Cancel' }).click();
    await page.waitForSelector('.corpus-head[data-state="cancelled"]');
  });

  test('a large file is read in memory that stays bounded', async () => {
    const path = join(folder, 'large.txt');
    const parts = 80;
    writeFileSync(path, raw);
    for (let i = 1; i < parts; i++) appendFileSync(path, raw);
    expect(statSync(path).size).toBeGreaterThan(330_000_000);
    const before = peakOfRenderers();
    name = 'large.txt';
    await page.setInputFiles('.open input', path);
    await done();
    expect(await page.locator('.tiles').innerText()).toContain('1,280,000');
    expect(before).toBeGreaterThan(0);
    // Chromium frees what was read when it likes: between 25 and 134 MiB were in use in ten runs.
    expect(peakOfRenderers() - before).toBeLessThan(192 * 1024 * 1024);
  });

  test('nothing was asked for after the page had loaded, and its policy was kept', () => {
    expect(opened.errors).toEqual([]);
    expect(opened.requests.length).toBe(loaded);
  });
});
