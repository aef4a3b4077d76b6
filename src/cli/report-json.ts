// `check --format ndjson` and `json`: for programs.

import type { Diagnostic, Place } from '../errors.ts';
import type { Output } from './output.ts';
import type { Report, Summary } from './report.ts';

/** The columns of a diagnostic, in their order. */
function record(path: string, diagnostic: Diagnostic, { line, column }: Place): string {
  const { transcript, code, rule, severity, from, to, message } = diagnostic;
  return JSON.stringify({ path, record: null, transcript, code, rule, severity, from, to, line, column, message });
}

export class Lines implements Report {
  readonly #out: Output;

  constructor(out: Output) {
    this.#out = out;
  }

  diagnostic(path: string, diagnostic: Diagnostic, place: Place): void {
    this.#out.json(record(path, diagnostic, place));
  }

  end(summary: Summary): null {
    this.#out.json(JSON.stringify({ summary }));
    return null;
  }
}

/** One JSON object, a diagnostic a line. */
export class Whole implements Report {
  readonly #out: Output;
  #before = '{"schema":"openchatml/check/1","diagnostics":[\n';

  constructor(out: Output) {
    this.#out = out;
  }

  diagnostic(path: string, diagnostic: Diagnostic, place: Place): void {
    this.#out.jsonPiece(this.#before + record(path, diagnostic, place));
    this.#before = ',\n';
  }

  end(summary: Summary): null {
    const begin = this.#before === ',\n' ? '' : this.#before;
    this.#out.json(`${begin}\n],"summary":${JSON.stringify(summary)}}`);
    return null;
  }
}
