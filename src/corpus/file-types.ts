// What the library gives of a file.

import type { Diagnostic } from '../errors.ts';
import type { PlacedMessage } from './messages.ts';

/**
 * A diagnostic of a file. Where the file holds records: `record` is the number of the one that it is about, from 0, and
 * `pointer` the JSON pointer (RFC 6901) of what it is about in there.
 */
export type FileDiagnostic = Diagnostic & { readonly record?: number; readonly pointer?: string };

/** A message of a file. */
export interface FileMessage extends PlacedMessage {
  /** Number of its record, from 0; null in raw text. */
  readonly record: number | null;
  /** Byte of the file at which a byte of `source`, which is the record's text, stands. */
  place(offset: number, isEnd?: boolean): number;
}
