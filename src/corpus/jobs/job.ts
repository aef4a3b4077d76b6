// A job: one part of one input, and what is to be done with it. Plain data, so that any thread can do it; its result
// depends on nothing else.

import type { ToolDefinition } from '../../model/data.ts';
import type { Checkpoint } from '../../model/part-walk.ts';
import type { PartialCounts } from '../../rules/counts.ts';
import type { Diagnostic, Place, RuleName } from '../../errors.ts';
import type { RuleSettings } from '../../rules/settings.ts';
import type { Form } from '../../formats/convert.ts';
import type { AnswerEnds } from '../../formats/ends.ts';
import type { Edges } from '../../model/edges.ts';
import type { AuditRuleName } from '../../formats/control-tokens/rules.ts';
import type { RenderOptions } from '../../formats/render/render.ts';
import type { TokenEdit } from '../../formats/control-tokens/edits.ts';
import type { TextChange } from '../audit/audited.ts';
import type { FixOptions } from '../audit/raw.ts';
import type { TablePiece } from '../tables/table.ts';
import type { TableFormat } from '../tables/writer.ts';
import type { InputRef } from '../input/paths.ts';
import type { RecordForm } from '../records/form.ts';
import type { LineRange } from '../records/window.ts';
import type { StatisticsJson } from '../report/statistics.ts';
import type { Encoding } from '../tokens.ts';
import type { DialectId } from '../../scan/dialects.ts';
import type { FileOptions } from '../records/unit.ts';
import type { ConvertedJson } from './convert-sums.ts';
import type { Words } from './words.ts';

/**
 * A part of an input. Raw text: from a checkpoint, or (`guess`) from the first start token at or behind `from` that is
 * taken for one; JSON lines: those that begin in a range; or everything, in whatever form it is.
 */
export type Part =
  | { readonly of: 'raw'; readonly start: Checkpoint | null; readonly to: number }
  | { readonly of: 'guess'; readonly from: number; readonly to: number; readonly like: Checkpoint }
  | ({ readonly of: 'lines' } & LineRange & {
      /** Transcripts that the records before have beyond one each. */
      readonly surplus: number;
    })
  | { readonly of: 'whole' };

export interface JobInput {
  readonly ref: InputRef;
  readonly path: string;
  readonly options: FileOptions;
  /** Nothing is told before the end: damage may be noticed late. */
  readonly tellsAtEnd: boolean;
  /** Columns of a table that are read beside those of records. */
  readonly columns?: readonly string[] | undefined;
}

export interface MessageFilters {
  readonly onlyRole?: readonly string[] | undefined;
  readonly onlyChannel?: readonly string[] | undefined;
  readonly transcript?: number | undefined;
  readonly at?: number | undefined;
  /** Text that the content holds. */
  readonly grep?: string | undefined;
  readonly ignoreCase?: boolean | undefined;
}

/** Rows for a table. */
export interface TableForm {
  readonly format: TableFormat;
  /** Bytes of the input whose rows are encoded together: see TableGroups. */
  readonly section: number;
}

export const SECTION = 8 * 1024 * 1024;

export type Job = { readonly input: JobInput; readonly part: Part } & (
  | { readonly kind: 'count' }
  | {
      readonly kind: 'check';
      readonly tools: readonly ToolDefinition[];
      /** Transcripts of an input that are looked at; of a further one something may be told. */
      readonly most?: number | undefined;
    }
  | {
      readonly kind: 'statistics';
      readonly tools: readonly ToolDefinition[];
      /** Code points are counted too. */
      readonly characters?: boolean | undefined;
      /** Tokens of contents, too. */
      readonly tokens?: Encoding | undefined;
    }
  | {
      readonly kind: 'messages';
      readonly filters: MessageFilters;
      readonly form: 'lines' | TableForm;
      /** Lines tell the tokens of contents. */
      readonly tokens?: Encoding | undefined;
    }
  | ({ readonly kind: 'audit' } & AuditWork)
  | ({ readonly kind: 'convert' } & ConvertWork)
  | ({ readonly kind: 'render' } & RenderWork)
  | ({ readonly kind: 'run' } & RunWork)
  | ({ readonly kind: 'filter' } & FilterWork)
);

/** What is to be done with each part. */
export type Work = Job extends infer J ? (J extends Job ? Omit<J, 'input' | 'part'> : never) : never;

/** The table that comes of work; null: it is none. */
export const tableOf = (work: Work): TableForm | null =>
  (work.kind === 'messages' || work.kind === 'run') && work.form !== 'lines' ? work.form : null;

export type MessagesJob = Extract<Job, { kind: 'messages' }>;
export type RunJob = Extract<Job, { kind: 'run' }>;

/** How records are judged. */
export interface JudgeWork {
  readonly tools: readonly ToolDefinition[];
  /** Verdicts name findings that are no errors, too. */
  readonly warnings: boolean;
  readonly rules: RuleSettings;
  readonly strict: boolean;
}

/** What a run writes of an input. Records that are kept are lines. */
export interface RunWork extends JudgeWork {
  readonly emit: RunEmit;
  readonly form: 'lines' | TableForm;
}

/** Verdicts, messages, or the records without errors. */
export const RUN_EMITS = ['verdict', 'messages', 'keep'] as const;
export type RunEmit = (typeof RUN_EMITS)[number];

/** Sums over records of containers and over transcripts of raw text. */
export interface RunCounts {
  records: number;
  /** Without errors, and with. */
  ok: number;
  bad: number;
  messages: number;
  calls: number;
}

/** What is written for the lines of an input. */
export interface FilterWork extends JudgeWork {
  /** A verdict on each, or one that holds the messages; or the lines without errors, or with, byte for byte. */
  readonly emit: 'verdict' | 'messages' | 'keep' | 'drop';
  /** The record goes into its line, as `record`. */
  readonly passthrough: boolean;
  /** Bytes of a line that is still read. */
  readonly largest: number;
  /** Characters of the messages of one line. */
  readonly largestList: number;
  /** What is written for each line is a piece of its own. */
  readonly isApart: boolean;
}

/** What an audit gives besides its findings. */
export interface AuditWork {
  readonly fix: FixOptions;
  /** A copy of the part, with the changes made; or the changes by themselves. */
  readonly gives: 'copy' | 'changes' | null;
}

/** How a conversion writes. */
export interface ConvertWork {
  readonly to: Form;
  /** What the input holds: a dialect's text (raw, or in records' `text`), or records of one form. */
  readonly from: 'auto' | DialectId | Exclude<RecordForm, 'text'>;
  /** Texts one after the other, or a line of JSON for each transcript, refused ones too. */
  readonly format: 'text' | 'ndjson';
  /** In text, what could steer a terminal is escaped. */
  readonly forTerminal: boolean;
  readonly neutralise?: boolean | undefined;
  /** What is sent for the next completion (R-SAMPLING), in a dialect. */
  readonly prompt?: boolean | undefined;
  readonly system?: boolean | undefined;
  readonly end?: AnswerEnds | undefined;
  readonly edges?: Edges | undefined;
  readonly constrain?: 'bare' | 'constrain' | undefined;
  readonly harmonyPreambles?: boolean | undefined;
  /** What becomes of each transcript is a piece of its own. */
  readonly apart?: boolean | undefined;
  readonly reasoning?: 'keep' | 'ocm' | 'harmony' | 'think' | undefined;
  readonly calls?: 'hermes' | undefined;
}

/** How transcripts are shown. */
export interface RenderWork {
  /** `html`: sections, without the page around them. */
  readonly format: 'text' | 'html';
  /** Path of an input that has no heading of its own: its transcripts' headings are those below the page's. */
  readonly untitled: string | null;
  readonly options: RenderOptions;
  /** The only one that is wanted. */
  readonly transcript?: number | undefined;
}

/** A diagnostic of a transcript, or a finding of the audit. */
export interface Told extends Omit<Diagnostic, 'rule'> {
  readonly rule: RuleName | AuditRuleName;
  /** The field of the record that it is in, where only a part of it was looked into. */
  readonly field?: string | null;
  /** In a record: JSON pointer of what it is about; null: it is in no record. */
  readonly pointer?: string | null;
  /** Byte that line and column lead people to; left out: `from`. */
  readonly faultAt?: number | undefined;
  /** It is about chat data, which has members where text has headers. */
  readonly isChat?: boolean;
}

/** A finding, with its place in the file. */
export interface Found {
  readonly diagnostic: Told;
  readonly record: number | null;
  /** Of a record: its line. */
  readonly line: number | null;
  /** In raw text, counted from where the part begins; null: whoever wants to know finds it. */
  readonly place: Place | null;
}

/** Findings that are handed out at once. */
export const GATHERED = 256;

/** What comes out of a job while it is done. */
export type Piece =
  | readonly Found[]
  /** Bytes of output; valid until the next piece is asked for. */
  | Uint8Array
  | NumberedBytes
  /** Of a table: bytes too. */
  | TablePiece
  /** What a copy would have otherwise. */
  | { readonly changes: readonly Changed[] }
  /** Lines for people. */
  | { readonly words: readonly Words[] }
  /** Of `convert`: what became of the part, or of what was read of it. */
  | { readonly converted: ConvertedJson }
  /** Of a guessed part, before anything else: where what is its own begins. Without it the part holds nothing. */
  | { readonly begins: Checkpoint };

/** Bytes of output with numbers of transcripts, counted as a guessed part counts them. */
export interface NumberedBytes {
  readonly bytes: Uint8Array;
  /** Where in the bytes the digits of each number end. */
  readonly numbers: readonly number[];
}

export const isNumbered = (piece: Piece): piece is NumberedBytes => 'numbers' in piece;
export const isFindings = (piece: Piece): piece is readonly Found[] => Array.isArray(piece);
export const isTablePiece = (piece: Piece): piece is TablePiece =>
  piece instanceof Uint8Array || 'group' in piece || 'columns' in piece;

export interface Changed {
  readonly change: ShownChange;
  /** In raw text, counted from where the part begins. */
  readonly line: number;
}

/** The first edits of a text; `hasMore`: and there are further ones. */
export interface ShownChange extends Pick<TextChange, 'where' | 'text'> {
  readonly edits: readonly TokenEdit[];
  readonly hasMore: boolean;
}

/** What a job answers at its end. */
export interface JobResult {
  /** Of `count`. */
  readonly counts: PartialCounts | null;
  /** Of `statistics` and `run`. */
  readonly statistics: StatisticsJson | null;
  /** Of `run`. */
  readonly run: RunCounts | null;
  /** Of a guess: where it began; null: nowhere. */
  readonly start: Checkpoint | null;
  /** Of raw text: where the next part begins; null: at the input's end. */
  readonly end: Checkpoint | null;
  /** The input was read as records. */
  readonly holdsRecords: boolean;
  /** Of records: their number, and that of transcripts and of lines, which are told of parts that can be moved. */
  readonly records: number;
  readonly lines: number;
  readonly transcripts: number;
  readonly messages: number;
  /** Of `messages`: records that hold none which can be read. */
  readonly badRecords: number;
  /** Of `audit`: texts that a copy has otherwise, and errors that it still has. */
  readonly changed: number;
  readonly left: number;
  /** System messages by which headerless text looks like Harmony (R-LIKELY). */
  readonly likeHarmony: number;
  /** Bytes of the input that were done with. */
  readonly bytes: number;
  /** Where the part ends, counted from where it begins; null: nobody counted. */
  readonly place: Place | null;
}

export const NO_RESULT: JobResult = {
  counts: null,
  statistics: null,
  run: null,
  start: null,
  end: null,
  holdsRecords: false,
  records: 0,
  lines: 0,
  transcripts: 0,
  messages: 0,
  badRecords: 0,
  changed: 0,
  left: 0,
  likeHarmony: 0,
  bytes: 0,
  place: null,
};
