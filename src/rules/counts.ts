// What is counted of inputs, as plain data.

/** Findings that the rows show, in the order in which they are told. */
export const FINDINGS = [
  'missing-start', 'completion', 'missing-message', 'open-turn', 'missing-end', 'truncated', 'unterminated-literal',
  'trailing-terminator', 'stray-token', 'text-between-messages', 'duplicate-channel',
  'bad-record', 'unknown-record', 'refused-record',
] as const;

export type CountedFinding = (typeof FINDINGS)[number];

/** What `scan` counts. Two of them can be added by `Counter`. */
export interface Counts {
  files: number;
  /** Bytes of all files, or of the text in UTF-8. */
  bytes: number;
  /** A transcript counts when it has a header, a message or a file token. */
  transcripts: number;
  messages: number;
  calls: number;
  /** Transcripts by dialect. */
  dialects: Record<string, number>;
  /** Messages by role, `(none)` without one; by effective channel; by how they end. */
  roles: Record<string, number>;
  channels: Record<string, number>;
  ends: Record<string, number>;
  /** Control tokens of the dialect, escaped and literal ones left out. */
  tokens: Record<string, number>;
  files_in_sequences: number;
  fill_ins: number;
  findings: Record<string, number>;
}

export interface Totals {
  readonly bytes: number;
  readonly transcripts: number;
  readonly messages: number;
  /** System messages by which headerless text looks like Harmony (R-LIKELY). */
  readonly likeHarmony: number;
}

/** What was counted, as plain data that `merge` adds: in the order of the input, or of the inputs. */
export interface PartialCounts {
  readonly totals: readonly number[];
  readonly dialects: readonly (readonly [string, number])[];
  readonly roles: readonly (readonly [string, number])[];
  readonly channels: readonly (readonly [string, number])[];
  readonly findings: readonly (readonly [CountedFinding, number])[];
  readonly plain: readonly number[];
  readonly ends: readonly number[];
  readonly tokens: readonly number[];
  readonly likeHarmony: number;
}
