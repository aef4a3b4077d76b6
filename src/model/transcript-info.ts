// What a transcript is read as, and where it stands.

import type { Dialect } from '../scan/dialects.ts';
import type { DocumentHeader } from './header/document.ts';

/** What a transcript is read as, and where it stands. */
export interface TranscriptInfo {
  /** From 0, in the input. */
  readonly number: number;
  readonly dialect: Dialect;
  /** The version was declared: by the caller's dialect, or by a document header that gives one. */
  readonly declared: boolean;
  /** Byte positions of the document header; null without one. */
  readonly headerSpan: { readonly from: number; readonly to: number } | null;
  readonly header: DocumentHeader | null;
  /** Byte position where it begins: its header, its BOS, or its first message or file. */
  readonly from: number;
  /** The caller asks for a channel on each message of an assistant or tool (R-CHANNEL-MISSING). */
  readonly asksForChannels: boolean;
  /** @internal Its text was written from chat data, in which what stands before calls may be reasoning alone. */
  readonly isChat: boolean;
}
