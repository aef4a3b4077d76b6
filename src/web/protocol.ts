// What the page and its worker say to each other.

import type { StatisticsJson } from '../report.ts';
import type { Places } from './file-source.ts';

/** Raw text; a record a line; records that are laid out in another way. */
export type Holds = 'text' | 'lines' | 'records';

export type ToWorker =
  | { readonly kind: 'read'; readonly file: File; readonly dialect: string }
  | { readonly kind: 'cancel' };

export type FromWorker =
  | { readonly kind: 'ready' }
  /** A compressed file is being unpacked: bytes of it that were read. */
  | { readonly kind: 'unpacking'; readonly read: number }
  /** `statistics` from time to time. */
  | {
    readonly kind: 'step'; readonly position: number; readonly size: number; readonly seconds: number;
    readonly statistics: StatisticsJson | null;
  }
  | {
    readonly kind: 'done'; readonly statistics: StatisticsJson; readonly seconds: number;
    readonly holds: Holds;
    /** Where lines begin, or transcripts of raw text. */
    readonly places: Places;
    /** What was read: the file, or what it was unpacked to. */
    readonly content: Blob;
  }
  | { readonly kind: 'cancelled' }
  | { readonly kind: 'failed'; readonly words: string };
