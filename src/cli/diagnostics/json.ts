// `--format ndjson` and `json`: for programs.

import type { InputSource } from '../../corpus/input/source.ts';
import type { Place } from '../../errors.ts';
import type { Output } from '../output.ts';
import type { Report, ReportSchema, Summary, Told } from './report.ts';

/** The columns of a diagnostic, in their order. Piece by piece: an input may have millions. */
function columnsOf(path: string, diagnostic: Told, { line, column }: Place, record: number | null): string {
  const { transcript, code, rule, severity, from, to, message, field, pointer, times } = diagnostic;
  const inField = field === undefined ? '' : `,"field":${quoted(field)}`;
  const inRecord = pointer === undefined ? '' : `,"pointer":${quoted(pointer)}`;
  const many = times === undefined ? '' : `,"times":${times}`;
  return `{"path":${quoted(path)},"record":${record}${inField},"transcript":${transcript},"code":${quoted(code)}`
    + `,"rule":"${rule}","severity":"${severity}","from":${from},"to":${to},"line":${line},"column":${column}`
    + `${inRecord},"message":${quoted(message)}${many}}`;
}

/** Texts as JSON: few differ. */
const QUOTED = new Map<string | null, string>();
const MOST_QUOTED = 256;
const LONGEST_QUOTED = 256;

function quoted(text: string | null): string {
  let json = QUOTED.get(text);
  if (json !== undefined) return json;
  json = JSON.stringify(text);
  if (QUOTED.size === MOST_QUOTED) QUOTED.clear();
  if (json.length <= LONGEST_QUOTED) QUOTED.set(text, json);
  return json;
}

export class Lines implements Report {
  readonly #out: Output;

  constructor(out: Output) {
    this.#out = out;
  }

  diagnostic(path: string, diagnostic: Told, place: Place, _: InputSource | null, record: number | null = null): void {
    this.#out.json(columnsOf(path, diagnostic, place, record));
  }

  end(summary: Summary): null {
    this.#out.json(JSON.stringify({ summary }));
    return null;
  }
}

/** One JSON object, a diagnostic a line. */
export class Whole implements Report {
  readonly #out: Output;
  #before: string;

  constructor(out: Output, schema: ReportSchema = 'openchatml/check/1') {
    this.#out = out;
    this.#before = `{"schema":"${schema}","diagnostics":[\n`;
  }

  diagnostic(path: string, diagnostic: Told, place: Place, _: InputSource | null, record: number | null = null): void {
    this.#out.jsonPiece(this.#before + columnsOf(path, diagnostic, place, record));
    this.#before = ',\n';
  }

  end(summary: Summary): null {
    const begin = this.#before === ',\n' ? '' : this.#before;
    this.#out.json(`${begin}\n],"summary":${JSON.stringify(summary)}}`);
    return null;
  }
}
