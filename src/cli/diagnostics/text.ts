// `--format pretty` and `concise`: for people.

import type { InputSource } from '../../corpus/input/source.ts';
import type { Place, Severity } from '../../errors.ts';
import { excerptOf } from './excerpt.ts';
import type { Output } from '../output.ts';
import { type Colors, escapeLine } from '../print.ts';
import { type Report, type Summary, summaryLine, type Told } from './report.ts';
import { remedyOf, whereInRecord } from './rule-of.ts';

export class Pretty implements Report {
  readonly #out: Output;
  readonly #colors: Colors;

  constructor(out: Output, colors: Colors) {
    this.#out = out;
    this.#colors = colors;
  }

  diagnostic(
    path: string,
    diagnostic: Told,
    place: Place,
    input: InputSource | null,
    record: number | null = null,
  ): void {
    const { bold, cyan, dim, red, yellow } = this.#colors;
    const colorOf: Record<Severity, (text: string) => string> = { error: red, warning: yellow, info: cyan };
    const { rule, severity, code, message } = diagnostic;
    const where = `${escapeLine(path)}:${place.line}:${place.column}:`;
    let text = `${bold(where)} ${colorOf[severity](severity)} ${rule}${code === null ? '' : ` (${code})`}\n`;
    text += `  ${escapeLine(message)}${dim(whereInRecord(diagnostic))}\n`;
    // The text around a span in a record is JSON, where a header cannot be told from a body.
    const excerpt = input === null || record !== null ? null : excerptOf(input, diagnostic);
    if (excerpt) text += `  ${dim('|')} ${excerpt.line}\n  ${dim('|')} ${colorOf[severity](excerpt.marks)}\n`;
    this.#out.line(`${text}  ${dim('remedy:')} ${remedyOf(diagnostic)}\n\n`);
  }

  end(summary: Summary): string {
    return summaryLine(summary);
  }
}

export class Concise implements Report {
  readonly #out: Output;

  constructor(out: Output) {
    this.#out = out;
  }

  diagnostic(path: string, told: Told, { line, column }: Place): void {
    const { rule, severity, code, message } = told;
    const where = `${escapeLine(path)}:${line}:${column}:`;
    this.#out.line(`${where} ${severity} ${rule} (${code ?? '-'}) ${escapeLine(message)}${whereInRecord(told)}\n`);
  }

  end(summary: Summary): string {
    return summaryLine(summary);
  }
}
