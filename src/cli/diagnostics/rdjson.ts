// `--format rdjson`: the Reviewdog Diagnostic Format as one JSON object. Its columns count bytes of a line, ours code
// points: places are told by their lines.

import type { Place, Severity } from '../../errors.ts';
import type { Output } from '../output.ts';
import { relativePath } from './relative-path.ts';
import { type Report, type Summary, summaryLine, type Told } from './report.ts';
import { sentenceOf } from './rule-of.ts';

const SEVERITIES: Readonly<Record<Severity, string>> = { error: 'ERROR', warning: 'WARNING', info: 'INFO' };

export class Reviewdog implements Report {
  readonly #out: Output;
  #before = '{"source":{"name":"openchatml"},"diagnostics":[\n';

  constructor(out: Output) {
    this.#out = out;
  }

  diagnostic(path: string, told: Told, { line }: Place): void {
    const { rule, severity } = told;
    const finding = {
      message: sentenceOf(told),
      location: { path: relativePath(path), range: { start: { line } } },
      severity: SEVERITIES[severity],
      code: { value: rule },
    };
    this.#out.jsonPiece(this.#before + JSON.stringify(finding));
    this.#before = ',\n';
  }

  end(summary: Summary): string {
    const begin = this.#before === ',\n' ? '' : this.#before;
    this.#out.json(`${begin}\n]}`);
    return summaryLine(summary);
  }
}
