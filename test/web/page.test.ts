// The page in Chromium: what it shows of samples and of texts of one's own, and that it asks nobody for anything.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { isAll } from '../long.ts';
import { findChromium, give, launch, openPage, type Opened, settle, startServer } from './browser.ts';

const CASES = join(import.meta.dirname, '../../fixtures/cases');
const chromium = findChromium();

describe.skipIf(!isAll || chromium === null)('the page', () => {
  let browser: Browser;
  let server: Awaited<ReturnType<typeof startServer>>;
  let opened: Opened;
  let page: Page;
  let loaded: string[];

  beforeAll(async () => {
    server = await startServer();
    browser = await launch(chromium!);
    opened = await openPage(browser, server.url, { permissions: ['clipboard-read', 'clipboard-write'] });
    ({ page } = opened);
    loaded = [...opened.requests];
    // What follows works without a network.
    await page.context().setOffline(true);
  });
  afterAll(async () => {
    await browser?.close();
    await server?.end();
  });

  const verdict = async (): Promise<string> => {
    await settle(page);
    return page.locator('#verdict strong').innerText();
  };
  const rules = async (): Promise<string[]> => {
    await settle(page);
    return page.locator('.findings tbody tr td:nth-child(2)').allInnerTexts();
  };
  const tab = async (name: string | RegExp): Promise<void> => {
    await page.getByRole('tab', { name }).click();
    await settle(page);
  };
  const sample = async (title: string): Promise<void> => {
    await page.locator('.samples summary').click();
    await page.locator('.menu').getByRole('button', { name: title, exact: true }).first().click();
    await settle(page);
  };

  test('every fixture of 2.2 §17 is a button', async () => {
    const titles = readdirSync(join(CASES, 'suggested')).filter((name) => name.endsWith('.md')).map((name) => {
      return /^# (.*)/.exec(readFileSync(join(CASES, 'suggested', name), 'utf8'))![1]!;
    });
    expect(titles).toHaveLength(8);
    for (const title of titles) {
      await sample(title);
      expect(await page.locator('.card').count(), title).toBeGreaterThan(0);
    }
  });

  test('a broken sample has its finding, its place, and its rule explained', async () => {
    await sample('A body that violates its constraint');
    expect(await verdict()).toMatch(/1 error, 0 warnings/);
    expect(await rules()).toEqual(['invalid-json']);
    await page.locator('.findings tbody .place button').click();
    await page.waitForSelector('.example');
    const why = await page.locator('.explain').innerText();
    expect(why).toMatch(/E-BODY-CONSTRAINT-VIOLATION[^]*R-CONSTRAINT, 2\.2 §6[^]*Not so[^]*But so/);
    await page.waitForFunction(() => document.querySelector('.editor')!.shadowRoot!.querySelector('.oc-shown'));
    const marked = await page.evaluate(() => {
      return document.querySelector('.editor')!.shadowRoot!.querySelector('.oc-shown')!.textContent;
    });
    expect(marked).toBe('O');
  });

  test('the table filters and sorts', async () => {
    await give(page, 'a.ocml', '<|start|>nobody<|message|>Hi<|end|>\nwords\n<|start|>user to=<|message|>Hello');
    const all = await rules();
    expect(all).toEqual(expect.arrayContaining(['unknown-role', 'text-between-messages', 'truncated']));
    await page.locator('.search input').fill('TRUNC');
    await settle(page);
    expect(await rules()).toEqual(['truncated']);
    await page.locator('.search input').fill('');
    await page.locator('.chips .warning').click();
    await settle(page);
    expect((await page.locator('.findings tbody .severity').allInnerTexts()).every((text) => /warning/.test(text)))
      .toBe(true);
    await page.locator('.chips button').first().click();
    await page.locator('.sorter', { hasText: 'Rule' }).click();
    expect(await rules()).toEqual([...all].sort());
    await page.locator('.sorter', { hasText: 'Place' }).click();
  });

  test('a file that is dropped is read', async () => {
    await page.evaluate(() => {
      const dataTransfer = new DataTransfer();
      dataTransfer.items.add(new File(['version: 2.2\n---\n<|start|>user<|message|>Dropped'], 'dropped.ocml'));
      for (const kind of ['dragover', 'drop']) {
        document.querySelector('.timeline')!
          .dispatchEvent(new DragEvent(kind, { dataTransfer, bubbles: true, cancelable: true }));
      }
    });
    await page.waitForFunction(() => document.querySelector('.timeline')!.textContent!.includes('Dropped'));
    expect(await rules()).toEqual(['truncated']);
  });

  test('a fix mends the text, and is undone', async () => {
    const broken = 'version: 2.2\n---\n<|start|>user<|message|>Hello';
    await give(page, 'a.ocml', broken);
    expect(await rules()).toEqual(['truncated']);
    await page.locator('.fix').click();
    expect(await rules()).toEqual([]);
    expect(await verdict()).toMatch(/No errors/);
    await page.getByRole('button', { name: 'Undo fix' }).click();
    expect(await rules()).toEqual(['truncated']);
  });

  test('what users do not see is folded until it is asked for; calls lead to their replies', async () => {
    await sample('Two concurrent calls');
    const text = (): Promise<string> => page.locator('.timeline').innerText();
    expect(await text()).not.toContain('Oslo');
    expect(await text()).toContain('its channel is private');
    await page.locator('.card').nth(2).getByRole('button', { name: 'show it' }).click();
    await settle(page);
    expect(await text()).toContain('Oslo');
    expect(await page.locator('.joined').allInnerTexts())
      .toEqual(['⤵ reply t1', '⤵ reply r1', '⤴ call r1', '⤴ call t1']);
    await page.locator('.joined').first().click();
    await settle(page);
    expect(await page.locator('.card[aria-current="true"]').getAttribute('id')).toBe('message-4');
    await page.getByRole('switch').click();
    await settle(page);
    expect(await page.locator('.bubble').allInnerTexts()).toEqual(['user\nHi', 'assistant\nHello.']);
    await page.getByRole('switch').click();
  });

  test('arguments are checked against the schema that the transcript defines, with the JSON pointer', async () => {
    await give(page, 'a.ocml', 'version: 2.2\n---\n<|start|>developer<|message|># Tools\n\n## functions\n\n'
      + 'namespace functions {\n\n// Weather.\ntype weather = (_: {\ncity: string,\ndays?: number,\n}) => any;\n\n'
      + '} // namespace functions<|end|>\n<|start|>assistant to=functions.weather call_id=a<|channel|>commentary'
      + '<|constrain|>json<|message|>{"city":"Oslo","days":"two"}<|call|>');
    expect(await rules()).toEqual(expect.arrayContaining(['invalid-arguments', 'open-call']));
    expect(await page.locator('.findings tbody').innerText()).toContain('/days');
    expect(await page.locator('.unresolved').innerText()).toMatch(/no reply a/);
  });

  test('bytes, message and JSON show each other', async () => {
    await sample('Two concurrent calls');
    await tab('Bytes and JSON');
    await page.locator('.card .who').nth(1).click();
    await page.locator('.fields button', { hasText: '"callId"' }).click();
    await settle(page);
    expect(await page.locator('.hex .cells .chosen').count()).toBe('call_id=t1'.length);
    await page.locator('.hex .cells .part-body').first().click();
    await settle(page);
    expect(await page.locator('.fields .chosen').allInnerTexts()).toEqual(['"content": "{\\"zone\\":\\"UTC\\"}"']);
    await tab(/Findings/);
  });

  test('converts to every form, and tells what is lost', async () => {
    await sample('A preamble');
    await tab('Convert');
    const forms = await page.locator('.convert option').allInnerTexts();
    expect(forms.length).toBe(10);
    for (const form of forms) {
      await page.locator('.convert select').selectOption(form);
      await settle(page);
      const text = await page.locator('.converted pre').innerText();
      expect(text.trim().length + await page.locator('.convert .error').count(), form).toBeGreaterThan(0);
    }
    await page.locator('.convert select').selectOption('sharegpt');
    await settle(page);
    expect(await page.locator('.losses').innerText()).toMatch(/channel|intent/);
    await tab(/Findings/);
  });

  test('a slider cuts the text, and the events up to there are shown', async () => {
    const text = 'version: 2.2\n---\n<|start|>assistant<|channel|>analysis<|message|>Hm.<|end|>'
      + '<|start|>assistant<|channel|>final<|message|>Hello there<|return|>';
    await give(page, 'a.ocml', text);
    await tab('Stream');
    const slider = page.locator('.slider input');
    const seen = async (): Promise<string> => {
      await settle(page);
      return page.locator('.streamed .text').innerText();
    };
    expect(await seen()).toBe('Hello there');
    await slider.fill(String(text.indexOf(' there')));
    expect(await seen()).toBe('Hello');
    await slider.fill('60');
    expect(await seen()).toBe('(nothing)');
    expect(await page.locator('.events').innerText()).toContain('transcript.begin');
    await tab(/Findings/);
  });

  test('edits are read', async () => {
    await give(page, 'a.ocml', 'version: 2.2\n---\n<|start|>user<|message|>Hello<|end|>');
    await page.locator('.editor .cm-content').click();
    await page.keyboard.press('Control+End');
    await page.keyboard.type('x');
    await page.waitForSelector('.findings tbody tr');
    expect(await rules()).toEqual(['text-between-messages']);
    expect(await page.locator('.card').count()).toBe(1);
  });

  test('an edit that waits to be read does not come into a text that is opened meanwhile', async () => {
    const text = (words: string): string => `version: 2.2\n---\n<|start|>user<|message|>${words}<|end|>`;
    await give(page, 'a.ocml', text('Hello'));
    await page.locator('.editor .cm-content').click();
    await page.keyboard.press('Control+End');
    // Both in one task of the page: the text is opened before the edit is read.
    await page.evaluate((words) => {
      const content = document.querySelector('.editor')!.shadowRoot!.querySelector<HTMLElement>('.cm-content')!;
      content.focus();
      document.execCommand('insertText', false, 'x');
      const dataTransfer = new DataTransfer();
      dataTransfer.items.add(new File([words], 'b.ocml'));
      document.querySelector('.timeline')!
        .dispatchEvent(new DragEvent('drop', { dataTransfer, bubbles: true, cancelable: true }));
    }, text('Opened'));
    await page.waitForFunction(() => document.querySelector('.timeline')!.textContent!.includes('Opened'));
    await page.waitForTimeout(300);
    expect(await page.locator('.timeline').innerText()).toContain('Opened');
    expect(await rules()).toEqual([]);
  });

  test('pasted text is opened', async () => {
    const text = 'version: 2.2\n---\n<|start|>user<|message|>Pasted<|end|>';
    await page.evaluate((words) => navigator.clipboard.writeText(words), text);
    await page.locator('h1').click();
    await page.keyboard.press('Control+V');
    await page.waitForFunction(() => document.querySelector('.timeline')!.textContent!.includes('Pasted'));
  });

  test('keys move, and "?" lists them', async () => {
    await sample('Two concurrent calls');
    await page.locator('h1').click();
    await page.keyboard.press('j');
    await page.keyboard.press('j');
    await settle(page);
    expect(await page.locator('.card[aria-current="true"]').getAttribute('id')).toBe('message-1');
    await page.keyboard.press('?');
    await settle(page);
    expect(await page.getByRole('dialog', { name: 'Keys' }).locator('kbd').count()).toBeGreaterThan(10);
    await page.keyboard.press('Escape');
  });

  test('a link holds the text and the finding, and warns of what is hidden', async () => {
    await sample('A body that violates its constraint');
    await page.locator('.findings tbody .place button').click();
    await page.getByRole('button', { name: 'Share' }).click();
    const dialog = page.getByRole('dialog', { name: 'Share this text' });
    expect(await dialog.innerText()).toMatch(/Hidden from users: 2 messages/);
    const link = await dialog.locator('.link-text').inputValue();
    await dialog.getByRole('button', { name: 'Close' }).click();
    await sample('A preamble');
    await page.evaluate((hash) => (location.hash = hash), link.slice(link.indexOf('#')));
    await page.waitForSelector('.explain');
    expect(await rules()).toEqual(['invalid-json']);
    expect(await page.locator('tr.selected').count()).toBe(1);
    await page.evaluate(() => (location.hash = '#t=damaged'));
    expect(await page.locator('.notice').innerText()).toContain('damaged');
  });

  test('a link warns of thoughts in an answer, until they are taken out', async () => {
    await give(page, 'a.ocml', 'version: 2.2\n---\n<|start|>assistant<|channel|>final<|message|>'
      + '<think>Hm.</think>Yes.<|return|>');
    await page.getByRole('button', { name: 'Share' }).click();
    const dialog = page.getByRole('dialog', { name: 'Share this text' });
    expect(await dialog.innerText()).toMatch(/Hidden from users: parts of 1 message/);
    await dialog.getByRole('button', { name: 'Take it out first' }).click();
    await settle(page);
    expect(await dialog.innerText()).not.toMatch(/Hidden from users/);
    await dialog.getByRole('button', { name: 'Close' }).click();
    expect(await page.locator('.card .text').allInnerTexts()).toEqual(['Yes.']);
  });

  const vocabulary = join(process.env['TIKTOKEN_ENCODINGS_BASE'] ?? '', 'o200k_base.tiktoken');

  test.skipIf(!existsSync(vocabulary))('tokens are counted with a vocabulary from a file', async () => {
    await give(page, 'a.ocml', 'version: 2.2\n---\n<|start|>user<|message|>Hello world<|end|>');
    await tab('Tokens');
    await page.setInputFiles('.tokens input', vocabulary);
    await page.waitForSelector('.counts li');
    await page.locator('.counts button').click();
    await settle(page);
    expect(await page.locator('.ids .id').allInnerTexts())
      .toEqual(['200006', '1428', '200008', '13225', '2375', '200007']);
    await tab(/Findings/);
  });

  test('nothing was asked for after the page had loaded, and its policy was kept', () => {
    expect(opened.errors).toEqual([]);
    expect(opened.requests).toEqual(loaded);
    expect(loaded.every((url) => url.startsWith(server.url) || url.startsWith('data:'))).toBe(true);
  });
});
