// Debian's Chromium with the page of the package, as `openchatml serve` gives it; and everything that the page must not
// do, noted: requests after it has loaded, violations of its policy, errors.
import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core';

const COMMAND = fileURLToPath(new URL('../../dist/cli/main.js', import.meta.url));

/** Where Chromium is; null (with a printed reason): there is none. */
export function findChromium(): string | null {
  const path = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'].find(existsSync);
  if (path !== undefined) return path;
  if (process.env['OPENCHATML_CI'] === '1') throw new Error('chromium is not installed');
  console.log('skipped: there is no Chromium in /usr/bin');
  return null;
}

/** The command serves until `end` is called. */
export async function startServer(): Promise<{ readonly url: string; end(): Promise<void> }> {
  const child: ChildProcess = spawn(process.execPath, [COMMAND, 'serve', '--port', '0', '-q'], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const url = await new Promise<string>((resolve, reject) => {
    child.once('error', reject);
    child.once('exit', (code) => reject(new Error(`serve ended with ${code}`)));
    child.stdout!.once('data', (bytes: Buffer) => resolve(bytes.toString('utf8').trim()));
  });
  const end = (): Promise<void> => new Promise((resolve) => {
    child.once('exit', () => resolve());
    child.kill('SIGINT');
  });
  return { url, end };
}

/** A page that is loaded, and what it did that it must not. */
export interface Opened {
  readonly page: Page;
  /** Addresses that were asked for, up to now. */
  readonly requests: string[];
  /** Messages of errors, violations of the policy among them. */
  readonly errors: string[];
}

export const launch = (path: string): Promise<Browser> =>
  chromium.launch({ executablePath: path, args: ['--no-sandbox', '--enable-precise-memory-info'] });

export async function openPage(browser: Browser, url: string, options: BrowserContextOptions = {}): Promise<Opened> {
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 }, ...options });
  const page = await context.newPage();
  page.setDefaultTimeout(10_000);
  const [requests, errors]: [string[], string[]] = [[], []];
  page.on('request', (request) => requests.push(request.url()));
  page.on('pageerror', (error) => errors.push(error.message));
  page.on('console', (message) => {
    if (message.type() === 'error' || message.type() === 'warning') errors.push(message.text());
  });
  await page.addInitScript(() => {
    document.addEventListener('securitypolicyviolation', ({ violatedDirective, blockedURI }) => {
      console.error(`violation: ${violatedDirective} ${blockedURI}`);
    });
  });
  await page.goto(url);
  await page.waitForSelector('body[data-state="complete"]');
  return { page, requests, errors };
}

/** What was asked for is drawn. */
export const settle = (page: Page): Promise<void> =>
  page.evaluate(() => new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve, 20))));

/** Text goes into the page as if it had been dropped as a file. */
export async function give(page: Page, name: string, content: string | Uint8Array): Promise<void> {
  await page.setInputFiles('.open input', { name, mimeType: 'text/plain', buffer: Buffer.from(content) });
  await settle(page);
}
