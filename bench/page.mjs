// The validator page in Chromium, measured: how long the first result takes, and a large file: its rate beside the same
// reading in Node, the longest task of the page, and memory. `node bench/page.mjs [MEGABYTES]`; dist/ must be built.
import { spawn } from 'node:child_process';
import { closeSync, existsSync, mkdtempSync, openSync, readSync, rmSync, statSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { build } from 'esbuild';
import { chromium } from 'playwright-core';
import { peakOfRenderers } from '../test/web/renderers.mjs';

const MEGABYTES = Number(process.argv[2] ?? 300);
const CHROMIUM = ['/usr/bin/chromium', '/usr/bin/google-chrome'].find(existsSync);
const folder = mkdtempSync(join(tmpdir(), 'openchatml-bench-page-'));

const report = join(folder, 'report.mjs');
await build({
  absWorkingDir: join(import.meta.dirname, '..'), entryPoints: ['src/report.ts'], outfile: report, bundle: true,
  format: 'esm', platform: 'node', target: 'es2022', logLevel: 'warning',
});
const { gatherStatistics } = await import(pathToFileURL(report).href);

const TOOLS = [{
  type: 'function',
  function: { name: 'weather', parameters: { type: 'object', properties: { days: { type: 'number' } } } },
}];
const WORDS = 'How is the weather in the mountains when the wind comes from the north and the lake is still? ';

const MAKERS = {
  'records.jsonl': (i) => `${JSON.stringify({
    tools: TOOLS,
    messages: [
      { role: 'user', content: `Number ${i}: ${WORDS.repeat(1 + (i % 12))}` },
      {
        role: 'assistant', content: null, tool_calls: [{
          id: `c${i}`, type: 'function', function: { name: 'weather', arguments: `{"days":${i % 97 ? 2 : '"two"'}}` },
        }],
      },
      { role: 'tool', tool_call_id: `c${i}`, content: '{"ok":true}' },
      { role: 'assistant', content: WORDS.repeat(1 + (i % 9)) },
    ],
  })}\n`,
  'text.ocml': (i) => `version: 2.2\n---\n<|start|>user<|message|>Number ${i}: ${WORDS.repeat(1 + (i % 12))}`
    + `${i % 97 ? '<|end|>' : ''}\n<|start|>assistant<|channel|>analysis<|message|>${WORDS}<|end|>\n`
    + `<|start|>assistant<|channel|>final<|message|>${WORDS.repeat(1 + (i % 9))}<|return|>\n`,
};

function generate(name) {
  const path = join(folder, name);
  const file = openSync(path, 'w');
  let written = 0;
  for (let i = 0; written < MEGABYTES * 1e6;) {
    let part = '';
    while (part.length < 1 << 20) part += MAKERS[name](i++);
    written += writeSync(file, part);
  }
  closeSync(file);
  return path;
}

/** The same statistics by the same code in Node, from the same file. */
function inNode(name, path) {
  const file = openSync(path, 'r');
  const source = {
    end: statSync(path).size,
    read: (at, into) => readSync(file, into, 0, into.length, at),
    bytes: (from, to) => {
      const bytes = new Uint8Array(to - from);
      return bytes.subarray(0, readSync(file, bytes, 0, bytes.length, from));
    },
    release: () => {},
  };
  const began = performance.now();
  let last;
  for (const step of gatherStatistics(name, source)) last = step;
  const statistics = last.statistics();
  const seconds = (performance.now() - began) / 1000;
  closeSync(file);
  return { seconds, records: statistics.records, messages: statistics.messages.pairs.length };
}

const mib = (bytes) => `${(bytes / 2 ** 20).toFixed(1)} MiB`;

async function measure(browser, url, name) {
  const path = generate(name);
  const page = await (await browser.newContext()).newPage();
  await page.addInitScript(() => {
    globalThis.longest = 0;
    new PerformanceObserver((list) => {
      for (const { duration } of list.getEntries()) globalThis.longest = Math.max(globalThis.longest, duration);
    }).observe({ type: 'longtask', buffered: true });
  });
  await page.goto(url);
  await page.waitForSelector('body[data-state="complete"]');
  await page.evaluate(() => void (globalThis.longest = 0));
  let most = 0;
  const before = peakOfRenderers();
  const session = await page.context().newCDPSession(page);
  const sample = setInterval(() => {
    session.send('Runtime.getHeapUsage').then(({ usedSize }) => (most = Math.max(most, usedSize))).catch(() => {});
  }, 250);
  await page.setInputFiles('.open input', path);
  await page.waitForSelector('.corpus-head[data-state="done"]', { timeout: 600_000 });
  clearInterval(sample);
  const words = await page.locator('.corpus-head .note').innerText();
  const seconds = Number(/in ([\d.]+) s/.exec(words)[1]);
  const longest = await page.evaluate(() => globalThis.longest);
  const after = peakOfRenderers();
  const { size } = statSync(path);
  const node = inNode(name, path);
  console.log(`${name}: ${(size / 1e6).toFixed(0)} MB in ${seconds} s, ${(size / 1e6 / seconds).toFixed(0)} MB/s; `
    + `in Node ${(size / 1e6 / node.seconds).toFixed(0)} MB/s: ${(node.seconds / seconds).toFixed(2)} of its rate; `
    + `longest task ${longest.toFixed(0)} ms; heap of the page at most ${mib(most)}; `
    + `peak memory of the browser's processes for pages ${mib(before)} before, ${mib(after)} after`);
  await page.context().close();
}

/** A link that holds a sample, as the page makes it. */
async function linkToSample(browser, url) {
  const page = await (await browser.newContext()).newPage();
  await page.goto(url);
  await page.waitForSelector('body[data-state="complete"]');
  await page.locator('.samples summary').click();
  await page.locator('.menu button').nth(5).click();
  await page.getByRole('button', { name: 'Share' }).click();
  await page.waitForFunction(() => document.querySelector('.link-text').value.includes('#t='));
  const link = await page.locator('.link-text').inputValue();
  await page.context().close();
  return link.slice(link.indexOf('#'));
}

/** Milliseconds from the opening of the address to a verdict, as the page sees it. Nothing is cached. */
async function firstResult(browser, address) {
  const page = await (await browser.newContext()).newPage();
  await page.addInitScript(() => {
    new MutationObserver(() => {
      if (document.getElementById('verdict')) globalThis.first ??= performance.now();
    }).observe(document, { childList: true, subtree: true });
  });
  await page.goto(address);
  await page.waitForSelector('#verdict');
  const first = await page.evaluate(() => globalThis.first);
  await page.context().close();
  return first;
}

const command = new URL('../dist/cli/main.js', import.meta.url).pathname;
const argv = [command, 'serve', '--port', '0', '-q'];
const server = spawn(process.execPath, argv, { stdio: ['ignore', 'pipe', 'inherit'] });
const url = String(await new Promise((resolve) => server.stdout.once('data', resolve))).trim();
const browser = await chromium.launch({
  executablePath: CHROMIUM, args: ['--no-sandbox', '--enable-precise-memory-info'],
});
try {
  const link = await linkToSample(browser, url);
  const times = [];
  for (let i = 0; i < 5; i++) times.push(await firstResult(browser, url + link));
  const median = (list) => list.toSorted((a, b) => a - b)[list.length >> 1].toFixed(0);
  console.log(`cold load: a text is shown and checked ${median(times)} ms after the address was opened`);
  for (const name of Object.keys(MAKERS)) await measure(browser, url, name);
} finally {
  await browser.close();
  server.kill('SIGINT');
  rmSync(folder, { recursive: true });
}
