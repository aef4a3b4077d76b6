// `--format gitlab`: a Code Quality report, one JSON list of findings, as they become known.

import type { InputSource } from '../../corpus/input/source.ts';
import type { Place, Severity } from '../../errors.ts';
import type { Output } from '../output.ts';
import { relativePath } from './relative-path.ts';
import { Fingerprints } from './fingerprint.ts';
import { type Report, type Summary, summaryLine, type Told } from './report.ts';
import { sentenceOf } from './rule-of.ts';

const SEVERITIES: Readonly<Record<Severity, string>> = { error: 'major', warning: 'minor', info: 'info' };

export class GitLab implements Report {
  readonly #out: Output;
  readonly #fingerprints = new Fingerprints();
  #before = '[\n';

  constructor(out: Output) {
    this.#out = out;
  }

  diagnostic(path: string, diagnostic: Told, place: Place, _: InputSource | null, record: number | null = null): void {
    const { rule, severity } = diagnostic;
    const file = relativePath(path);
    const finding = {
      description: sentenceOf(diagnostic),
      check_name: rule,
      fingerprint: this.#fingerprints.next(path, diagnostic, record)(file),
      severity: SEVERITIES[severity],
      location: { path: file, lines: { begin: place.line } },
    };
    this.#out.jsonPiece(this.#before + JSON.stringify(finding));
    this.#before = ',\n';
  }

  end(summary: Summary): string {
    this.#out.json(this.#before === ',\n' ? '\n]' : '[]');
    return summaryLine(summary);
  }
}
