// The page reads every fixture as Node does; hostile texts stay text; axe finds nothing serious.
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { readFixtures } from '../fixture.ts';
import type { ReadChoice } from '../../src/web/analysis.ts';
import { resultsJson } from '../../src/web/results.ts';
import { testLong, testOnce } from '../long.ts';
import { findChromium, give, launch, openPage, type Opened, settle, startServer } from './browser.ts';

const chromium = findChromium();
const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

describe.skipIf(chromium === null)('in Chromium', () => {
  let browser: Browser;
  let server: Awaited<ReturnType<typeof startServer>>;
  let opened: Opened;
  let page: Page;

  beforeAll(async () => {
    server = await startServer();
    browser = await launch(chromium!);
    opened = await openPage(browser, server.url);
    ({ page } = opened);
  });
  afterAll(async () => {
    await browser?.close();
    await server?.end();
  });

  testOnce('every fixture gives the same JSON as in Node', async () => {
    const fixtures = readFixtures().map(({ name, input, options: { dialect, role, stopStripped } }) => {
      const choice = { dialect: dialect ?? 'auto', role: role ?? '', stopStripped: stopStripped === true };
      return { name, choice: choice as ReadChoice, bytes: Buffer.from(input).toString('base64') };
    });
    expect(fixtures.length).toBeGreaterThan(300);
    // As text: what compiles tests would put its own import there.
    const shown = await page.evaluate(`(async (given) => {
      const { resultsJson } = await import('/results.js');
      return given.map(({ bytes, choice }) => {
        return resultsJson(Uint8Array.from(atob(bytes), (character) => character.charCodeAt(0)), choice);
      });
    })(${JSON.stringify(fixtures)})`) as string[];
    fixtures.forEach(({ name, choice, bytes }, i) => {
      expect(JSON.parse(shown[i]!), name).toEqual(JSON.parse(resultsJson(Buffer.from(bytes, 'base64'), choice)));
    });
  });

  const HOSTILE = [
    '<img src=x onerror="window.hit=1">', '<script>window.hit=1</script>', '</textarea><svg onload=window.hit=1>',
    '"><a href="javascript:window.hit=1">x</a>', '\u202eevil\u2066\u2069', '&lt;b&gt;', '{{constructor}}', '__proto__',
    '<iframe srcdoc="<script>parent.hit=1</script>">', '\0\x1b[31m\u009b', '<style>*{display:none}</style>',
  ];

  /** Elements that a text could have become, outside of the editor's own. */
  const made = (selector: string): Promise<number> =>
    page.evaluate((some) => document.querySelectorAll(`main :is(${some})`).length, selector);

  testLong('hostile texts stay text, wherever they stand', async () => {
    const words = HOSTILE.join(' ');
    const name = '<img src=x onerror=hit=1>.ocml';
    const plain = HOSTILE.join('').replace(/[\s<>|=\0]/g, '');
    const odd = `${plain} name=${plain} to=${plain} intent=${plain}`;
    const texts = [
      `version: 2.2\nmodel: "${words.replace(/["\0\x1b]/g, '')}"\n---\n<|start|>user<|message|>${words}<|end|>`,
      `<|start|>${odd}<|channel|>${plain}<|message|>${words}<|end|>${words}`,
      `<|start|>assistant to=functions.f<|channel|>commentary<|constrain|>json<|message|>{"a":${words}<|call|>`,
      `<|im_start|>user ${words}\n${words}<|im_end|>\n`,
    ];
    for (const text of texts) {
      await give(page, name, text);
      for (const tab of ['Bytes and JSON', 'Convert', 'Stream', 'Tokens', /Findings/]) {
        await page.getByRole('tab', { name: tab }).click();
        await settle(page);
      }
      for (const button of await page.locator('.card .link[aria-expanded="false"]').all()) await button.click();
      await settle(page);
      expect(await page.locator('.timeline').innerText()).toContain('<script>window.hit=1</script>');
      expect(await page.evaluate(() => (window as { hit?: number }).hit)).toBeUndefined();
      expect(await made('img, iframe, script, style, a, object, embed')).toBe(0);
    }
    const records = JSON.stringify({ messages: [{ role: 'user', content: words }, { role: words, content: 'x' }] });
    await give(page, name.replace('ocml', 'jsonl'), `${records}\n${records}\n{"messages":[{"role":"${'<b>'}"}]}\n`);
    await page.waitForSelector('.corpus-head[data-state="done"]');
    expect(await made('img, iframe, script, style, object, embed, a:not([href^="#"])')).toBe(0);
    expect(await page.evaluate(() => (window as { hit?: number }).hit)).toBeUndefined();
    // What a body steers ends with it.
    expect(await page.evaluate(() => getComputedStyle(document.querySelector('h1')!).display)).not.toBe('none');
  });

  testLong('10 MB on one line', async () => {
    await give(page, 'line.ocml', `version: 2.2\n---\n<|start|>user<|message|>${'<b>long '.repeat(1_250_000)}<|end|>`);
    await page.waitForSelector('.corpus-head[data-state="done"]');
    expect(await page.locator('.tiles').innerText()).toMatch(/messages\s*1\s/);
    await give(page, 'line.ocml', `version: 2.2\n---\n<|start|>user<|message|>${'long '.repeat(200_000)}<|end|>`);
    await page.waitForSelector('.card');
    expect(await page.locator('.card').innerText()).toContain('more characters');
  });

  /** What axe finds serious or critical, in words. */
  const serious = async (): Promise<string[]> => {
    await page.evaluate(AXE);
    return page.evaluate(async () => {
      const { axe } = window as unknown as { axe: {
        run(options: object): Promise<{
          violations: { id: string; impact: string; nodes: { html: string; target: unknown }[] }[];
        }>;
      } };
      const { violations } = await axe.run({ resultTypes: ['violations'] });
      return violations.filter(({ impact }) => impact === 'serious' || impact === 'critical').map(({ id, nodes }) => {
        return `${id}: ${nodes.slice(0, 3).map(({ html }) => html.slice(0, 200)).join(' | ')}`;
      });
    });
  };

  testLong.each(['light', 'dark'] as const)('axe finds nothing serious, in %s', async (colorScheme) => {
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
    await give(page, 'a.ocml', '<|start|>nobody<|message|>Hi<|end|>\nwords\n<|start|>assistant to=functions.f'
      + '<|channel|>commentary<|message|>{}<|call|><|start|>assistant<|channel|>analysis<|message|>Hm');
    await page.locator('.findings tbody .place button').first().click();
    await page.waitForSelector('.example');
    expect(await serious()).toEqual([]);
    for (const tab of ['Bytes and JSON', 'Convert', 'Stream', 'Tokens']) {
      await page.getByRole('tab', { name: tab }).click();
      await settle(page);
      expect(await serious(), tab).toEqual([]);
    }
    await page.getByRole('tab', { name: /Findings/ }).click();
    await page.locator('.samples summary').click();
    expect(await serious()).toEqual([]);
    await page.keyboard.press('Escape');
    await give(page, 'a.jsonl', '{"messages":[{"role":"user","content":"Hi"}]}\n{"messages":1}\n');
    await page.waitForSelector('.corpus-head[data-state="done"]');
    await settle(page);
    expect(await serious()).toEqual([]);
  });

  testLong('narrow screens show everything without scrolling sideways', async () => {
    await page.setViewportSize({ width: 360, height: 740 });
    for (const [name, text] of [
      ['a.ocml', `<|start|>user name=${'x'.repeat(80)}<|message|>${'word'.repeat(50)}<|end|>`],
      ['a.jsonl', '{"messages":[{"role":"user","content":"Hi"}]}\n{"messages":1}\n'],
    ] as const) {
      await give(page, name, text);
      await page.waitForTimeout(300);
      const widths = await page.evaluate(() => {
        return [document.documentElement.scrollWidth, document.documentElement.clientWidth];
      });
      expect(widths[0], name).toBeLessThanOrEqual(widths[1]!);
    }
  });

  test('the policy was kept', () => expect(opened.errors).toEqual([]));
});
