// `--format github`: workflow commands, which a runner of GitHub Actions shows as annotations. GitHub shows the
// first ten errors, warnings and notices of a step and counts each kind by itself, so the order is the input's; what is
// beyond our own bound is counted and told at the end.

import type { InputSource } from '../../corpus/input/source.ts';
import type { Place, Severity } from '../../errors.ts';
import type { Output } from '../output.ts';
import { escapeLine, thousands } from '../print.ts';
import { endOf } from './region.ts';
import { type Report, type Summary, summaryLine, type Told } from './report.ts';
import { relativePath } from './relative-path.ts';
import { sentenceOf } from './rule-of.ts';

/** Annotations of each kind that are written. */
const MOST = 50;

const COMMANDS: Readonly<Record<Severity, string>> = { error: 'error', warning: 'warning', info: 'notice' };

export class GitHub implements Report {
  readonly #out: Output;
  readonly #written: Record<Severity, number> = { error: 0, warning: 0, info: 0 };
  #left = 0;

  constructor(out: Output) {
    this.#out = out;
  }

  diagnostic(path: string, diagnostic: Told, place: Place, input: InputSource | null): void {
    const { code, rule, severity } = diagnostic;
    if (this.#written[severity] === MOST) {
      this.#left++;
      return;
    }
    this.#written[severity]++;
    const file = relativePath(path);
    const properties: string[] = [];
    // Standard input is no file that could be annotated.
    if (file !== '-') {
      properties.push(`file=${property(file)}`, `line=${place.line}`);
      const end = input && endOf(input, diagnostic, place);
      if (end?.line === place.line) {
        // The last column belongs to the region here.
        const last = Math.max(place.column, end.column - 1);
        properties.push(`col=${place.column}`, `endLine=${end.line}`, `endColumn=${last}`);
      } else if (end === null) {
        properties.push(`col=${place.column}`);
      } else {
        // A runner takes no columns for a region of several lines; one that ends where a line begins does not hold that
        // line.
        properties.push(`endLine=${end.column === 1 ? end.line - 1 : end.line}`);
      }
    }
    properties.push(`title=${property(code === null ? rule : `${rule} (${code})`)}`);
    const words = `${file}:${place.line}:${place.column}: ${sentenceOf(diagnostic)}`;
    this.#out.line(`::${COMMANDS[severity]} ${properties.join(',')}::${data(words)}\n`);
  }

  end(summary: Summary): string {
    const words = summaryLine(summary);
    if (this.#left === 0) return words;
    return `${words}; ${thousands(this.#left)} more than the ${MOST} annotations of a kind that are written`;
  }
}

/** The text of a command. */
function data(text: string): string {
  return escapeLine(text.replaceAll('%', '%25').replaceAll('\r', '%0D').replaceAll('\n', '%0A'));
}

/** The value of a property of a command. */
function property(text: string): string {
  return data(text).replaceAll(':', '%3A').replaceAll(',', '%2C');
}
