// The forms in which `check` tells its diagnostics. Each is written as it becomes known; nothing is gathered.

import type { InputSource } from '../corpus/source.ts';
import { type Diagnostic, type Place, RULES, type Severity } from '../errors.ts';
import { excerptOf } from './excerpt.ts';
import type { Output } from './output.ts';
import { type Colors, countOf, escapeLine } from './print.ts';

export type ReportFormat = 'pretty' | 'concise' | 'ndjson' | 'json';

export interface Summary {
  readonly schema: 'openchatml/check/1';
  readonly files: number;
  readonly errors: number;
  readonly warnings: number;
  readonly infos: number;
  /** Diagnostics by rule. */
  readonly rules: Readonly<Record<string, number>>;
}

export interface Report {
  diagnostic(path: string, diagnostic: Diagnostic, place: Place, input: InputSource): void;
  /** The end. Answers what is to be told to people. */
  end(summary: Summary): string | null;
}

export function makeReport(format: ReportFormat, out: Output, colors: Colors): Report {
  switch (format) {
    case 'pretty':
      return new Pretty(out, colors);
    case 'concise':
      return new Concise(out);
    case 'ndjson':
      return new Lines(out);
    case 'json':
      return new Whole(out);
  }
}

/** `2 errors, 1 warning in 3 files`; infos are named when there are some. */
export function summaryLine({ files, errors, warnings, infos }: Summary): string {
  const parts = [countOf(errors, 'error'), countOf(warnings, 'warning')];
  if (infos > 0) parts.push(countOf(infos, 'info'));
  const found = errors + warnings + infos > 0 ? parts.join(', ') : 'no findings';
  return `${found} in ${countOf(files, 'file')}`;
}

/** The columns of a diagnostic, in their order. */
function record(path: string, diagnostic: Diagnostic, { line, column }: Place): string {
  const { transcript, code, rule, severity, from, to, message } = diagnostic;
  return JSON.stringify({ path, record: null, transcript, code, rule, severity, from, to, line, column, message });
}

class Pretty implements Report {
  readonly #out: Output;
  readonly #colors: Colors;

  constructor(out: Output, colors: Colors) {
    this.#out = out;
    this.#colors = colors;
  }

  diagnostic(path: string, diagnostic: Diagnostic, place: Place, input: InputSource): void {
    const { bold, cyan, dim, red, yellow } = this.#colors;
    const colorOf: Record<Severity, (text: string) => string> = { error: red, warning: yellow, info: cyan };
    const { rule, severity, code, message } = diagnostic;
    const where = `${escapeLine(path)}:${place.line}:${place.column}:`;
    let text = `${bold(where)} ${colorOf[severity](severity)} ${rule}${code === null ? '' : ` (${code})`}\n`;
    text += `  ${escapeLine(message)}\n`;
    const excerpt = excerptOf(input, diagnostic);
    if (excerpt) text += `  ${dim('|')} ${excerpt.line}\n  ${dim('|')} ${colorOf[severity](excerpt.marks)}\n`;
    this.#out.line(`${text}  ${dim('remedy:')} ${RULES[rule].remedy}\n\n`);
  }

  end(summary: Summary): string {
    return summaryLine(summary);
  }
}

class Concise implements Report {
  readonly #out: Output;

  constructor(out: Output) {
    this.#out = out;
  }

  diagnostic(path: string, { rule, severity, code, message }: Diagnostic, { line, column }: Place): void {
    const where = `${escapeLine(path)}:${line}:${column}:`;
    this.#out.line(`${where} ${severity} ${rule} (${code ?? '-'}) ${escapeLine(message)}\n`);
  }

  end(summary: Summary): string {
    return summaryLine(summary);
  }
}

class Lines implements Report {
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
class Whole implements Report {
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
