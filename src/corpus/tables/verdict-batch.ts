// Verdicts as an Arrow IPC stream of one column, a struct for each record; batch by batch.

import * as arrow from '@uwdata/flechette';
import { batchesOf, batchOf, batchPieces, endPiece, fieldsOf, schemaPieces } from './arrow.ts';
import { Columns } from './columns.ts';
import { TableError } from './error.ts';

/** What a finding tells, and where: bytes of the record. */
const FINDING_COLUMNS = [
  { name: 'rule', type: 'word', nullable: false },
  { name: 'code', type: 'word', nullable: true },
  { name: 'severity', type: 'word', nullable: false },
  { name: 'from', type: 'integer', nullable: false },
  { name: 'to', type: 'integer', nullable: false },
  { name: 'message', type: 'text', nullable: false },
] as const;
/** `findings` counts those that `err` has no room for, too. */
const VERDICT_COLUMNS = [
  { name: 'ok', type: 'boolean', nullable: false },
  { name: 'messages', type: 'integer', nullable: false },
  { name: 'calls', type: 'integer', nullable: false },
  { name: 'findings', type: 'integer', nullable: false },
] as const;

const FINDING = arrow.struct(fieldsOf(FINDING_COLUMNS));
const FINDINGS = arrow.list(arrow.field('item', FINDING, false));
const VERDICT = arrow.struct([...fieldsOf(VERDICT_COLUMNS), arrow.field('err', FINDINGS, false)]);
const FIELDS = [arrow.field('verdict', VERDICT, false)];
const METADATA = new Map([['openchatml.schema', 'openchatml/verdict-batches/1']]);
const NONE = new Uint8Array(0);

/** Bytes of what the findings of a batch say: more than any batch of a sound size needs. */
const MOST_FINDINGS = 512 * 1024 * 1024;

interface Finding {
  readonly rule: string;
  readonly code: string | null;
  readonly severity: string;
  readonly from: number;
  readonly to: number;
  readonly message: string;
}

interface Told {
  readonly ok: boolean;
  readonly messages: number;
  readonly calls: number;
  readonly err: readonly Finding[];
  readonly more: number;
}

export class VerdictBatch {
  readonly #verdicts = new Columns(VERDICT_COLUMNS);
  readonly #findings = new Columns(FINDING_COLUMNS);
  /** Findings up to each verdict. */
  #ends: number[] = [0];

  get rows(): number {
    return this.#verdicts.rows;
  }

  /** The verdict on the next record. Throws a TableError. */
  add({ ok, messages, calls, err, more }: Told): void {
    for (const finding of err) this.#addFinding(finding);
    this.#add(ok, messages, calls, err.length + more);
  }

  /** A record of which nothing is told. */
  addClean(messages: number, calls: number): void {
    this.#add(true, messages, calls, 0);
  }

  #add(ok: boolean, messages: number, calls: number, findings: number): void {
    const { cells, rows } = this.#verdicts;
    cells.ok.values[rows] = ok ? 1 : 0;
    cells.messages.values[rows] = messages;
    cells.calls.values[rows] = calls;
    cells.findings.values[rows] = findings;
    this.#verdicts.next(0);
    this.#ends.push(this.#findings.rows);
  }

  #addFinding({ rule, code, severity, from, to, message }: Finding): void {
    const { cells, rows, bytes } = this.#findings;
    if (bytes > MOST_FINDINGS) {
      const reason = `the findings of one batch have more than ${MOST_FINDINGS / 2 ** 20} MiB`;
      throw new TableError(reason, 'send batches of fewer rows');
    }
    let words = 0;
    for (const [store, text] of [[cells.rule, rule], [cells.code, code], [cells.severity, severity]] as const) {
      const id = (store.ids[rows] = store.idOf(text));
      words += store.lengthOf(id);
    }
    cells.from.values[rows] = from;
    cells.to.values[rows] = to;
    cells.message.begin();
    cells.message.addText(message);
    this.#findings.next(words);
  }

  /** Writes the verdicts as a batch, and begins the next one. */
  flush(write: (bytes: Uint8Array) => void): void {
    const length = this.rows;
    const list = { length: this.#findings.rows, nullCount: 0, validity: NONE };
    const finding = batchOf(FINDING, { ...list, children: batchesOf(this.#findings) });
    const offsets = Int32Array.from(this.#ends);
    const shape = { length, nullCount: 0, validity: NONE };
    const findings = batchOf(FINDINGS, { ...shape, offsets, children: [finding] });
    const verdict = batchOf(VERDICT, { ...shape, children: [...batchesOf(this.#verdicts), findings] });
    for (const piece of batchPieces(FIELDS, [verdict])) write(piece);
    this.#verdicts.clear();
    this.#findings.clear();
    this.#ends = [0];
  }
}

/** What stands before the batches of a stream, and behind them. */
export function beginStream(write: (bytes: Uint8Array) => void): void {
  for (const piece of schemaPieces(FIELDS, METADATA)) write(piece);
}

export function endStream(write: (bytes: Uint8Array) => void): void {
  write(endPiece());
}
