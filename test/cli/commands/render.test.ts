// `render`: what it writes for one input and several, its options, and what becomes of inputs that cannot be read.
import { spawnSync } from 'node:child_process';
import { closeSync, openSync, readdirSync, readFileSync, readSync } from 'node:fs';
import { hostname } from 'node:os';
import { dirname, join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { render, type RenderCommandOptions } from '../../../src/cli/commands/render.ts';
import { hostPart } from '../../../src/corpus/output-temporary.ts';
import { htmlHead, htmlTail } from '../../../src/formats/render/render.ts';
import { at, CLEAN, file } from '../harness.ts';

const TALK = 'version: 2.2\n---\n<|start|>system<|message|>Be kind<|end|>\n<|start|>user<|message|>Hello<|end|>\n'
  + '<|start|>assistant<|channel|>analysis<|message|>Greet<|end|>\n'
  + '<|start|>assistant<|channel|>commentary<|message|>Plan<|end|>\n'
  + '<|start|>assistant<|channel|>final<|message|>Hi\x1b[2J\n<|return|>\n';

interface Result {
  code: number;
  out: string;
  err: string;
}

async function run(
  paths: string[],
  options: Partial<RenderCommandOptions> = {},
  stdin = -1,
): Promise<Result> {
  const result: Result = { code: -1, out: '', err: '' };
  const host = {
    stdin: { fd: stdin, isTTY: stdin < 0 },
    stdout: { isTTY: false, write: (text: string) => void (result.out += text) },
    stderr: { isTTY: false, write: (text: string) => void (result.err += text) },
    env: {},
    version: '',
  };
  result.code = await render(paths, { dialect: 'auto', color: 'auto', format: 'text', ...options }, host, null);
  return result;
}

test('text: what an end user may see', async () => {
  const path = file('render/talk.txt', TALK);
  expect(await run([path])).toEqual({ code: 0, err: '', out: 'user\n  Hello\n\nassistant\n  Hi\\x1b[2J\n\n' });
  expect((await run([path], { notes: true })).out).toMatch(/\n\n\(3 messages hidden\)\n\n$/);
  const stdin = openSync(path, 'r');
  expect((await run([], {}, stdin)).out).toBe((await run([path])).out);
  closeSync(stdin);
});

test('debug shows the rest, marked', async () => {
  const { out } = await run([file('render/talk.txt', TALK)], { debug: true });
  expect(out).toMatch(/^system \[hidden: system\] .*\n  Be kind\n/);
  expect(out).toMatch(/\nassistant \[hidden: analysis\] channel=analysis .*\n  Greet\n/);
  expect(out).toMatch(/\nassistant \[hidden: commentary\] channel=commentary .*\n  Plan\n/);
  expect(out).toMatch(/\nassistant channel=final end=return .*\n  Hi/);
});

test('html: one page', async () => {
  const { code, out, err } = await run([file('render/talk.txt', TALK)], { format: 'html' });
  expect([code, err]).toEqual([0, '']);
  expect(out.startsWith(htmlHead())).toBe(true);
  expect(out.endsWith(`</section>\n${htmlTail()}`)).toBe(true);
  expect(out.match(/<article/g)).toHaveLength(2);
  expect(out).not.toMatch(/Be kind|Greet|Plan/);
});

test('several files and transcripts are told apart', async () => {
  const two = file('render/two/b\x1b.txt', CLEAN + CLEAN);
  const one = file('render/two/a.txt', CLEAN);
  const talk = 'user\n  Hello\n\nassistant\n  Hi there\n\n';
  const heading = (path: string): string => `==> ${path.replace('\x1b', '\\x1b')} <==\n\n`;
  expect((await run([two])).out).toBe(`${talk}--- transcript 1 ---\n\n${talk}`);
  const both = `${heading(one)}${talk}${heading(two)}${talk}--- transcript 1 ---\n\n${talk}`;
  expect((await run([one, two])).out).toBe(both);
  expect((await run([at('render/two')])).out).toBe(both);
  const { out } = await run([one, two], { format: 'html' });
  const headings = [one, two].map((path) => `<h2><bdi>${path.replace('\x1b', '\\x1b')}</bdi></h2>`);
  expect(out.match(/<h2><bdi>.*<\/bdi><\/h2>/g)).toEqual(headings);
  expect(out.match(/<h3>Transcript \d/g)).toEqual(['<h3>Transcript 0', '<h3>Transcript 0', '<h3>Transcript 1']);
  expect(out.match(/<section/g)).toHaveLength(out.match(/<\/section>/g)!.length);
});

test('one transcript of each file; reading stops behind it', async () => {
  const long = `<|start|>user<|message|>${'x'.repeat(3_000_000)}`;
  const path = file('render/stop.txt', CLEAN + TALK + CLEAN + long);
  const stdin = openSync(path, 'r');
  const shown = 'user\n  Hello\n\nassistant\n  Hi\\x1b[2J\n\n';
  expect((await run([], { transcript: 1 }, stdin)).out).toBe(`--- transcript 1 ---\n\n${shown}`);
  expect(readSync(stdin, Buffer.alloc(3_000_000))).toBeGreaterThan(2_000_000);
  closeSync(stdin);
  const none = { code: 0, out: '', err: `${path}: holds no message in transcript 9\n` };
  expect(await run([path], { transcript: 9 })).toEqual(none);
});

test('an input without messages is told', async () => {
  const empty = file('render/empty.txt', 'nothing here');
  const records = file('render/records.jsonl', '{"messages":[]}\n');
  expect((await run([empty, records])).err).toBe(`${empty}: holds no message\n${records}: holds no message\n`);
});

test('records are shown as what they hold, never as they stand', async () => {
  const hidden = '<|start|>assistant<|channel|>analysis<|message|>Hidden<|end|>';
  const lines = [
    { text: `${hidden}${TALK}` }, { messages: [{ role: 'assistant', thinking: 'Hidden', content: 'Shown' }] }, 1,
  ];
  const path = file('render/records.jsonl', lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
  const { code, out, err } = await run([path]);
  expect(code).toBe(0);
  expect(out).toContain('Shown');
  expect(out).not.toMatch(/Hidden|messages|<\|/);
  expect(err).toContain(`${path}:3: `);
  expect((await run([path], { transcript: 2 })).out).toMatch(/^(?:--- transcript 2 ---\n\n)?assistant\n  Shown\n\n$/);
});

test('the opt-ins', async () => {
  const plan = '<|start|>assistant<|channel|>commentary<|message|>Plan<|end|>';
  const path = file('render/raw.harmony', `${plan}<|start|>assistant<|message|>Bare<|end|>`);
  expect((await run([path])).out).toBe('');
  expect((await run([path], { harmonyPreambles: true })).out).toBe('assistant\n  Plan\n\n');
  expect((await run([path], { missingChannel: true })).out).toBe('assistant\n  Bare\n\n');
  expect((await run([path], { dialect: 'openchatml-2.2' })).out).toBe('assistant\n  Bare\n\n');
});

test('an input that cannot be read is told, the others come, the page ends', async () => {
  const path = file('render/talk.txt', TALK);
  const missing = at('render/missing.txt');
  const text = await run([missing, path]);
  expect(text.code).toBe(2);
  expect(text.err).toContain('missing.txt: no such file');
  expect(text.out).toContain('  Hello\n');
  const page = await run([missing, path, missing], { format: 'html' });
  expect(page.code).toBe(2);
  expect(page.out.endsWith(htmlTail())).toBe(true);
  expect(page.out.match(/<section/g)).toHaveLength(page.out.match(/<\/section>/g)!.length);
});

test('what an input that breaks off has opened is closed', async () => {
  const path = file('render/talk.txt', TALK);
  const cut = file('render/cut.gz', gzipSync(TALK).subarray(0, -4));
  const { code, out, err } = await run([cut, path], { format: 'html' });
  expect(code).toBe(2);
  expect(err).toContain(`${cut}: `);
  const first = out.slice(htmlHead().length);
  const closed = `<section class="input">\n<h2><bdi>${cut}</bdi></h2>\n</section>\n`;
  expect(first.startsWith(`${closed}<section class="input">\n`)).toBe(true);
  expect(out.endsWith(`</section>\n</section>\n${htmlTail()}`)).toBe(true);
});

describe('pages in a folder', () => {
  /** The files of a folder, by name. */
  const filesIn = (path: string): Map<string, string> =>
    new Map(readdirSync(path).sort().map((name) => [name, readFileSync(join(path, name), 'utf8')]));

  test('what fits on one page is that page', async () => {
    const path = file('render/talk.txt', TALK);
    expect(await run([path], { format: 'html', output: at('render/one') })).toEqual({ code: 0, out: '', err: '' });
    const files = filesIn(at('render/one'));
    expect([...files.keys()]).toEqual(['index.html']);
    expect(files.get('index.html')).toBe((await run([path], { format: 'html' })).out);
  });

  test('a large input has an index and pages that lead on; nothing hidden is in them', async () => {
    const said = `<|start|>user<|message|>${'a <b>\n'.repeat(2000)}<|end|>`;
    const path = file('render/large.txt', `${TALK}${said.repeat(100)}`.repeat(3));
    const small = file('render/<script>.txt', TALK);
    const { code, err } = await run([small, path], { format: 'html', output: at('render/many') });
    expect([code, err]).toEqual([0, '']);
    const files = filesIn(at('render/many'));
    const count = files.size - 1;
    expect(count).toBeGreaterThan(5);
    const index = files.get('index.html')!;
    const links = [...index.matchAll(/<a href="([^"]*)">Page (\d+)<\/a>/g)];
    expect(links.map(([, name]) => name)).toEqual(Array.from({ length: count }, (_, i) => `page-${i + 1}.html`));
    expect(index).toContain('&lt;script&gt;.txt</bdi>, Transcript 0 to <bdi>');
    let bodies = 0;
    for (let number = 1; number <= count; number++) {
      const page = files.get(`page-${number}.html`)!;
      expect(Buffer.byteLength(page)).toBeLessThan(1024 * 1024);
      expect(page).toContain('<a href="index.html">Index</a>');
      expect(page.includes(`<a href="page-${number + 1}.html">`)).toBe(number < count);
      expect(page.startsWith('<!DOCTYPE html>') && page.endsWith(htmlTail())).toBe(true);
      expect(page).not.toMatch(/Be kind|Greet|Plan|<script/);
      bodies += page.split('a &lt;b&gt;').length - 1;
    }
    expect(bodies).toBe(3 * 100 * 2000);
    // The same with threads.
    await run([small, path], { format: 'html', output: at('render/threads'), threads: 2 });
    expect(filesIn(at('render/threads'))).toEqual(files);
  });

  test('a folder stays empty where no input could be read, and has what could', async () => {
    const path = file('render/talk.txt', TALK);
    const options = { format: 'html', output: at('render/none') } as const;
    const { code, err } = await run([at('render/missing.txt')], options);
    expect([code, err]).toEqual([2, expect.stringContaining('missing.txt: no such file')]);
    expect([...filesIn(at('render/none')).keys()]).toEqual([]);
    expect((await run([at('render/missing.txt'), path], options)).code).toBe(2);
    expect([...filesIn(at('render/none')).keys()]).toEqual(['index.html']);
  });

  test('a folder that holds something, or cannot be made, is left as it is', async () => {
    const path = file('render/talk.txt', TALK);
    file('render/full/page-7.html', 'of before');
    for (const [output, words] of [['full', 'holds something already'], ['talk.txt', 'cannot be made']] as const) {
      const { code, err } = await run([path], { format: 'html', output: at(`render/${output}`) });
      expect([code, err]).toEqual([2, expect.stringContaining(words)]);
    }
    expect([...filesIn(at('render/full')).keys()]).toEqual(['page-7.html']);
  });

  test('what a process left that is gone is in nobody’s way', async () => {
    const { pid } = spawnSync(process.execPath, ['--version']);
    const left = file(`render/left/index.html.tmp.${hostPart(hostname())}.${pid}`, 'a part');
    const path = file('render/talk.txt', TALK);
    expect((await run([path], { format: 'html', output: dirname(left) })).code).toBe(0);
    expect([...filesIn(dirname(left)).keys()]).toEqual(['index.html']);
  });

  test('an input that breaks off is told, and ends', async () => {
    const cut = file('render/cut.gz', gzipSync(TALK).subarray(0, -4));
    const path = file('render/talk.txt', TALK);
    const { code } = await run([cut, path], { format: 'html', output: at('render/broken') });
    const page = filesIn(at('render/broken')).get('index.html')!;
    expect([code, page.match(/<section/g)!.length]).toEqual([2, page.match(/<\/section>/g)!.length]);
  });
});

test('--form and --field say where records hold what is shown', async () => {
  const messages = [{ role: 'user', content: 'Shown' }];
  const path = file('render/field.jsonl', `${JSON.stringify({ text: TALK, chat: messages })}\n`);
  expect((await run([path], { field: 'chat' })).out).toBe('user\n  Shown\n\n');
  expect((await run([path])).out).not.toContain('Shown');
  const other = await run([path], { form: 'messages' });
  expect([other.out, other.err]).toEqual(['', expect.stringContaining('it has no messages')]);
});
