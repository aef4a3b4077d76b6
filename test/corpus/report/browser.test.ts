// The report in a real browser, where one is installed: its policy lets its script draw, and nothing of the data runs.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { writeReport } from '../../../src/corpus/report/report.ts';
import { Statistics } from '../../../src/corpus/report/statistics.ts';
import { WasmMachine } from '../../../src/scan/wasm.ts';
import { isAll } from '../../long.ts';
import { collect } from './statistics-run.ts';

const BROWSERS = ['chromium', 'chromium-browser', 'google-chrome'];

function findBrowser(): string | null {
  const found = BROWSERS.find((name) => spawnSync(name, ['--version'], { stdio: 'ignore' }).status === 0);
  if (!found) console.log(`skipped: none of ${BROWSERS.join(', ')} is installed`);
  return found ?? null;
}

const browser = findBrowser();
const ATTACK = '<img src=x onerror="document.title=1">"</script><script>document.title=1</script>';

test.skipIf(!isAll || browser === null)('plots are drawn, tables can be sorted, and the data stays text', () => {
  const statistics = new Statistics();
  const call = (tool: string): string => `<|start|>assistant to=${tool}<|channel|>commentary<|message|>{}<|call|>`;
  const input = `version: 2.2\n<|start|>user<|message|>hello<|end|>${call('f')}${call(ATTACK.replaceAll(' ', '/'))}`;
  collect(statistics, new WasmMachine(), `${ATTACK}.txt`, new TextEncoder().encode(input));
  const folder = mkdtempSync(join(tmpdir(), 'openchatml-report-'));
  try {
    const page = join(folder, 'report.html');
    writeFileSync(page, writeReport(statistics.toJSON(), { title: ATTACK, version: '1.2.3' }));
    const flags = [
      '--headless', '--no-sandbox', '--disable-gpu', '--enable-logging=stderr',
      `--user-data-dir=${join(folder, 'profile')}`,
    ];
    const { stdout, stderr, status } = spawnSync(
      browser!, [...flags, '--virtual-time-budget=3000', '--dump-dom', `file://${page}`],
      { encoding: 'utf8', timeout: 50_000 },
    );
    expect(status).toBe(0);
    expect(stderr).not.toMatch(/CONSOLE/);
    expect(stdout.match(/<canvas/g)?.length).toBe(3);
    // Legends have their sums without a pointer.
    expect(stdout).toMatch(/assistant<\/div><\/th><td class="u-value">2<\/td>/);
    expect(stdout).toContain('<button type="button">Tool</button>');
    expect(stdout).not.toMatch(/<img|<title>1/);
    expect(stdout.match(/<script/g)?.length).toBe(2);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});
