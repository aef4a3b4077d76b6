// `--format junit`: a suite for every file with errors or warnings, each of them a test case that failed; infos are no
// failures and are left out. The head of a suite holds its counts, so the cases of a file are gathered, within a bound.

import type { Place } from '../../errors.ts';
import type { Output } from '../output.ts';
import { escapeLine, thousands } from '../print.ts';
import { relativePath } from './relative-path.ts';
import { type Report, type Summary, summaryLine, type Told } from './report.ts';
import { sentenceOf } from './rule-of.ts';

/** Cases of a file that are written. */
const MOST = 1000;

export class JUnit implements Report {
  readonly #out: Output;
  #began = false;
  #path: string | undefined;
  #cases: string[] = [];
  #left = 0;

  constructor(out: Output) {
    this.#out = out;
  }

  diagnostic(path: string, told: Told, { line, column }: Place): void {
    const { code, rule, severity } = told;
    if (severity === 'info') return;
    if (path !== this.#path) {
      this.#endSuite();
      this.#path = path;
    }
    if (this.#cases.length === MOST) {
      this.#left++;
      return;
    }
    const file = attribute(relativePath(path));
    const words = attribute(sentenceOf(told));
    const kind = attribute(code === null ? rule : `${rule} (${code})`);
    const name = `${kind} at ${line}:${column}`;
    this.#cases.push(`    <testcase name="${name}" classname="${file}" file="${file}" line="${line}">\n`
      + `      <failure type="${severity}" message="${words}"></failure>\n    </testcase>\n`);
  }

  end(summary: Summary): string {
    this.#endSuite();
    this.#begin();
    this.#out.line('</testsuites>\n');
    return summaryLine(summary);
  }

  #begin(): void {
    if (!this.#began) this.#out.piece('<?xml version="1.0" encoding="UTF-8"?>\n<testsuites name="openchatml">\n');
    this.#began = true;
  }

  #endSuite(): void {
    if (this.#path === undefined) return;
    this.#begin();
    const count = this.#cases.length;
    const name = attribute(relativePath(this.#path));
    this.#out.piece(`  <testsuite name="${name}" tests="${count}" failures="${count}" errors="0">\n`);
    for (const one of this.#cases) this.#out.piece(one);
    if (this.#left > 0) this.#out.piece(`    <system-out>${thousands(this.#left)} more are left out</system-out>\n`);
    this.#out.line('  </testsuite>\n');
    this.#cases = [];
    this.#left = 0;
  }
}

/** The value of an attribute. Characters that XML cannot hold are shown as escapes. */
function attribute(text: string): string {
  return escapeLine(text).replace(/[\ufffe\uffff]/g, '\ufffd')
    .replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');
}
