// Sections that renderHtml writes, cut into pages: whole elements, the same text, hidden what was hidden.
import { describe, expect, test } from 'vitest';
import { type PageInfo, Pages } from '../../../src/formats/render/pages.ts';
import { renderHtml } from '../../../src/formats/render/render.ts';
import { parse } from '../../../src/index.ts';
import { runs } from '../../long.ts';
import { randomInput, randomOf, SEED } from '../../random.ts';

interface Cut {
  readonly pages: string[];
  readonly infos: PageInfo[];
}

/** `next`: bytes of the next piece. */
function cut(html: string, soft: number, hard: number, next: () => number): Cut {
  const pages: string[] = [];
  const infos: PageInfo[] = [];
  let parts: Uint8Array[] = [];
  const sink = {
    write: (bytes: Uint8Array) => void parts.push(bytes.slice()),
    end: (info: PageInfo) => {
      pages.push(new TextDecoder('utf-8', { fatal: true }).decode(Buffer.concat(parts)));
      infos.push(info);
      parts = [];
    },
  };
  const cutter = new Pages(sink, { soft, hard });
  const bytes = Buffer.from(html);
  for (let at = 0; at < bytes.length;) {
    const to = at + next();
    cutter.take(bytes.subarray(at, to));
    at = to;
  }
  cutter.end();
  return { pages, infos };
}

interface Shown {
  /** The text of all bodies, labels apart, and of those in details. */
  bodies: string;
  hidden: string;
  headings: string[];
}

/** What a page shows; its tags must be paired, and its entities whole. */
function shownBy(html: string, key: string): Shown {
  const shown: Shown = { bodies: '', hidden: '', headings: [] };
  const open: string[] = [];
  for (const [, tag, text] of html.matchAll(/(<[^>]*>)|([^<]+)/g)) {
    if (tag?.startsWith('</')) expect(`</${/^<([a-z0-9]+)/.exec(open.pop() ?? '')?.[1]}>`, key).toBe(tag);
    else if (tag !== undefined) open.push(tag);
    if (text === undefined) continue;
    expect(text.replaceAll(/&(?:amp|lt|gt|quot|#39);/g, ''), key).not.toContain('&');
    if (open.some((one) => /^<h[2-5]>/.test(one))) shown.headings.push(text);
    if (open.includes('<span class="label">') || !open.some((one) => one.startsWith('<div class="body"'))) continue;
    shown.bodies += text;
    if (open.includes('<details>') || open.includes('<span class="cut">')) shown.hidden += text;
  }
  expect(open, key).toEqual([]);
  return shown;
}

describe(`random input (OPENCHATML_SEED=${SEED})`, () => {
  test.each([false, true])('debug: %s: every page is whole, and together they show what one page shows', (debug) => {
    let several = 0;
    for (let run = 0; run < runs(800); run++) {
      const random = randomOf(SEED + run);
      const parsed = parse(randomInput(random, 20), { dialect: random.pick(['auto', 'openchatml-0.1'] as const) });
      const html = [...renderHtml(parsed, { fragment: true, debug })].join('');
      const key = `run ${run}: ${JSON.stringify(html)}`;
      const [soft, hard] = [30 + random.below(200), 100 + random.below(300)];
      const { pages, infos } = cut(html, soft, hard, () => 1 + random.below(300));
      // However the bytes come.
      expect(cut(html, soft, hard, () => 1 + random.below(3)).pages, key).toEqual(pages);
      expect(cut(html, soft, hard, () => Infinity).pages, key).toEqual(pages);
      const shown = pages.map((page) => shownBy(page, key));
      const all = shownBy(html, key);
      expect(shown.map(({ bodies }) => bodies).join(''), key).toBe(all.bodies);
      expect(shown.map(({ hidden }) => hidden).join(''), key).toBe(all.hidden);
      expect(infos.map(({ number }) => number), key).toEqual(pages.map((_, i) => i + 1));
      expect(infos.reduce((sum, { messages }) => sum + messages, 0), key)
        .toBeGreaterThanOrEqual(html.split('<article').length - 1);
      if (pages.length > 1) several++;
    }
    expect(several).toBeGreaterThan(0);
  });
});

test('a long message goes on, under its headings, on pages of a bounded size', () => {
  const text = `version: 2.2\n<|start|>user name=eric<|message|>${'é<&\n'.repeat(40_000)}<|end|>`;
  const html = [...renderHtml(parse(text), { fragment: true })].join('');
  const { pages, infos } = cut(html, 10_000, 20_000, () => 4096);
  expect(pages.length).toBeGreaterThan(20);
  expect(Math.max(...pages.map((page) => Buffer.byteLength(page)))).toBeLessThan(20_000 + 200);
  expect(pages[1]).toContain('<h2>Transcript 0 (continued)</h2>');
  expect(pages[1]).toContain('<bdi>user</bdi> <bdi class="name">eric</bdi> (continued)</h3>');
  // Lines are not cut.
  for (const page of pages.slice(0, -1)) expect(page).toMatch(/\n<\/div><\/article><\/section>$/);
  const place = { input: null, transcript: 'Transcript 0' };
  expect(infos[1]).toEqual({ number: 2, messages: 1, first: place, last: place });
});

test('what is hidden goes on in closed details, and within a message under its label', () => {
  const long = 'x\n'.repeat(1000);
  const text = `<|start|>assistant<|channel|>analysis<|message|>${long}<|end|>`
    + `<|start|>assistant<|message|>a<|start_reason|>${long}<|end_reason|>b<|end|>`;
  const html = [...renderHtml(parse(text), { fragment: true, debug: true })].join('');
  const { pages } = cut(html, 600, 800, () => 100);
  const hidden = pages.filter((page) => page.includes('x\n'));
  expect(hidden.length).toBeGreaterThan(5);
  const told = /<details>\n?<summary>.*hidden: |<span class="cut"><span class="label">hidden: /;
  for (const page of hidden) expect(page).toMatch(told);
});

test('an input that breaks off ends with all that it has opened', () => {
  const ends: string[] = [];
  const parts: Uint8Array[] = [];
  const pages = new Pages({ write: (bytes) => void parts.push(bytes.slice()), end: () => void ends.push('end') });
  pages.take(Buffer.from('<section class="input">\n<h2>a</h2>\n<section class="transcript">\n<h3>T</h3>\n<arti'));
  pages.endInput();
  pages.take(Buffer.from('<section class="input">\n<h2>b</h2>\n</section>\n'));
  pages.end();
  shownBy(Buffer.concat(parts).toString(), 'broken');
  expect(ends).toEqual(['end']);
});
