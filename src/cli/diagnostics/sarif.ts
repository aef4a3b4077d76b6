// `--format sarif`: one run of SARIF 2.1.0. Code hosts take files of 10 MB and show 5,000 results, so that many
// are kept, errors before warnings before the rest; what was dropped is counted and said. Results are gathered and
// written at the end.

import type { InputSource } from '../../corpus/input/source.ts';
import { type Place, type RuleName, RULES, type Severity } from '../../errors.ts';
import type { Output } from '../output.ts';
import { thousands } from '../print.ts';
import { endOf } from './region.ts';
import { relativePath } from './relative-path.ts';
import { Fingerprints } from './fingerprint.ts';
import { type Report, type Summary, summaryLine, type Told } from './report.ts';
import { ALL_RULES, remedyOf, ruleOf } from './rule-of.ts';

export const MOST_RESULTS = 5000;
/** Bytes of all results together; the rest of the file is below 100 kB. */
export const MOST_BYTES = 9_000_000;

const SCHEMA = 'https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json';
const ORDER: readonly Severity[] = ['error', 'warning', 'info'];
const LEVELS = { error: 'error', warning: 'warning', info: 'note', declared: 'error' } as const;

export class Sarif implements Report {
  readonly #out: Output;
  readonly #version: string;
  readonly #kept: Kept;
  readonly #fingerprints = new Fingerprints();
  /** Results that there are. */
  #given = 0;

  /** `most`: results that are kept at most. */
  constructor(out: Output, version: string, most: number = MOST_RESULTS) {
    this.#out = out;
    this.#version = version;
    this.#kept = new Kept(Math.min(most, MOST_RESULTS));
  }

  diagnostic(
    path: string,
    diagnostic: Told,
    place: Place,
    input: InputSource | null,
    record: number | null = null,
  ): void {
    const { rule, severity, transcript, pointer, times } = diagnostic;
    this.#given++;
    const fingerprint = this.#fingerprints.next(path, diagnostic, record);
    if (!this.#kept.wants(severity)) return;
    const file = relativePath(path);
    const region = regionOf(diagnostic, place, input && endOf(input, diagnostic, place));
    this.#kept.add(severity, JSON.stringify({
      ruleId: rule,
      ruleIndex: ALL_RULES.indexOf(rule),
      level: LEVELS[severity],
      message: { text: `${diagnostic.message} (remedy: ${remedyOf(diagnostic)})` },
      locations: [{
        physicalLocation: { artifactLocation: { uri: uriOf(file) }, region },
        // Within the record (3.33.5): the region says which one.
        ...(pointer && { logicalLocations: [{ fullyQualifiedName: pointer }] }),
      }],
      ...(times !== undefined && { occurrenceCount: times }),
      partialFingerprints: { 'findingInTranscript/v1': fingerprint(file) },
      properties: { code: diagnostic.code, ...(record !== null && { record }), transcript },
    }));
  }

  end(summary: Summary, complete: boolean): string {
    const { files, errors, warnings, infos, rules } = summary;
    const dropped = this.#given - this.#kept.count;
    const words = `${thousands(dropped)} results are left out, the least severe ones first: `
      + `it holds at most ${thousands(this.#kept.most)} and 9 MB; --max-diagnostics asks for fewer`;
    const notifications = dropped === 0 ? [] : [{ level: 'warning', message: { text: words } }];
    // Those of transcripts come first: an index means the same in both lists.
    const names = summary.schema === 'openchatml/check/1' ? (Object.keys(RULES) as RuleName[]) : ALL_RULES;
    const run = {
      tool: { driver: { name: 'openchatml', version: this.#version, rules: names.map(descriptorOf) } },
      invocations: [{ executionSuccessful: complete, toolExecutionNotifications: notifications }],
      columnKind: 'unicodeCodePoints',
      newlineSequences: ['\n'],
      properties: { files, errors, warnings, infos, dropped, rules },
    };
    const frame = JSON.stringify({ $schema: SCHEMA, version: '2.1.0', runs: [run] });
    // The results go before the end of the run, one a line.
    this.#out.jsonPiece(`${frame.slice(0, -3)},"results":[`);
    let before = '\n';
    for (const result of this.#kept.all()) {
      this.#out.jsonPiece(before + result);
      before = ',\n';
    }
    this.#out.json('\n]}]}');
    return dropped === 0 ? summaryLine(summary) : `${summaryLine(summary)}; ${words}`;
  }
}

/** As many results as may be, the most severe ones, in order. */
class Kept {
  readonly most: number;
  readonly #results: Record<Severity, string[]> = { error: [], warning: [], info: [] };
  /** Severities of which one was dropped: what comes later of them is dropped, too. */
  readonly #full = new Set<Severity>();
  count = 0;
  #bytes = 0;

  constructor(most: number) {
    this.most = most;
  }

  /** Whether a result of this severity may still have a place. */
  wants(severity: Severity): boolean {
    return !this.#full.has(severity);
  }

  add(severity: Severity, result: string): void {
    this.#results[severity].push(result);
    this.count++;
    this.#bytes += sizeOf(result);
    while (this.count > this.most || this.#bytes > MOST_BYTES) this.#drop();
  }

  all(): string[] {
    return ORDER.flatMap((severity) => this.#results[severity]);
  }

  /** Drops the last of the least severe results. */
  #drop(): void {
    const severity = ORDER.findLast((one) => this.#results[one].length > 0)!;
    this.#bytes -= sizeOf(this.#results[severity].pop()!);
    this.count--;
    for (const one of ORDER.slice(ORDER.indexOf(severity))) this.#full.add(one);
  }
}

/** Bytes of a result with the comma and the line's end. */
const sizeOf = (result: string): number => Buffer.byteLength(result) + 2;

function descriptorOf(rule: Told['rule']): object {
  const { code, severity, clause, text, remedy } = ruleOf(rule);
  const example = Object.hasOwn(RULES, rule) ? ` \`openchatml explain ${rule}\` shows an example.` : '';
  const softer = severity === 'declared' ? ' An error where the version was declared, else a warning.' : '';
  return {
    id: rule,
    shortDescription: { text },
    fullDescription: { text: `${text}.${softer}` },
    help: { text: `${remedy}.${example} Clause: ${clause}.` },
    defaultConfiguration: { level: LEVELS[severity] },
    properties: { code, clause },
  };
}

/** A region. Columns are code points, the end is behind the last one. */
function regionOf({ from: begin, to, faultAt: from = begin }: Told, place: Place, end: Place | null): object {
  return {
    startLine: place.line,
    startColumn: place.column,
    ...(end && { endLine: end.line, endColumn: end.column }),
    byteOffset: from,
    byteLength: to - from,
  };
}

/** A path as a relative reference; an absolute one as a URI. Every byte that is not plain is percent-encoded. */
function uriOf(file: string): string {
  let uri = '';
  for (const byte of new TextEncoder().encode(file)) {
    const character = String.fromCharCode(byte);
    uri += /[A-Za-z0-9._~/-]/.test(character) ? character : `%${byte.toString(16).toUpperCase().padStart(2, '0')}`;
  }
  return file.startsWith('/') ? `file://${uri}` : uri;
}
