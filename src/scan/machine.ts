// The interface of a scanner: three builds (SIMD, scalar, TypeScript) stand behind it and give the same rows.
// assembly/README.md specifies the rows and the calls.

import type { Dialect } from './dialects.ts';

/**
 * What arguments must be like, for the scanner: words, then texts; those words are addresses, which count from the
 * table's beginning.
 */
export interface ArgumentTable {
  readonly words: Uint32Array;
  readonly texts: Uint8Array;
  readonly addresses: readonly number[];
}

/** A call that the scanner has passed over. */
export interface LedgerCall {
  readonly id: string | null;
  readonly name: string;
  /** Byte positions: where its message begins, where its header ends. */
  readonly from: number;
  readonly to: number;
  readonly isDone: boolean;
}

/** A scanner of rows: all that reading takes. */
export interface RowMachine {
  readonly engine: 'simd' | 'scalar' | 'js';
  /** The window, `source.length` bytes: the host writes input here, at most `capacity` bytes. */
  readonly source: Uint8Array;
  readonly capacity: number;
  /** The offset table: four words a row, `count()` rows are valid. */
  readonly rows: Int32Array;
  /** Copies of open rows that left the table: SLOT_COUNT rows, same words. */
  readonly slots: Int32Array;
  /** Row numbers of the slots (SLOT_COUNT words); -1: the slot holds nothing. */
  readonly slotRows: Int32Array;
  /** Forget everything and begin: AT_INPUT, AT_ROLE or IN_GAP. Row numbers start at 0. */
  begin(how: number, dialect: Dialect): void;
  /** Another dialect from here on; only between messages. */
  setDialect(dialect: Dialect): void;
  /**
   * Scan window bytes [from, length). `final`: no input follows. Offsets in rows are window positions plus `origin`.
   * Answers DONE, FULL (take rows off with `drain`, call again from `consumed()`) or, in a dialect with
   * STOPS_AT_HEADER, AFTER_HEADER.
   */
  scan(from: number, length: number, final: boolean, origin: number): number;
  /** Window position up to which the last scan is sure. */
  consumed(): number;
  /** Rows in the table now. */
  count(): number;
  /** Number of the first top-level row that may still change; all rows before it are final. */
  settled(): number;
  /** Empty the table; row numbers go on. Open rows continue in `slots`. */
  drain(): void;
  /**
   * With an empty table: number rows anew. `kept`: how many rows the host keeps, the first of which is the open
   * top-level row; they get the numbers from 0 on, and the next row gets `kept`. 0: no row is open.
   */
  restart(kept: number): void;
  /** Move window bytes [from, length) to the window's beginning and all kept positions with them. */
  slide(from: number, length: number): void;
}

/** A scanner of rows for streams, too: they look for bad UTF-8 as it comes, and many of them take turns. */
export interface StreamMachine extends RowMachine {
  /**
   * Window position of the first byte of [from, to) that begins no valid UTF-8 character that ends before `to`, or -1.
   */
  invalidUtf8(from: number, to: number): number;
  /**
   * The whole state between two calls, for many parsers on one machine; only with an empty table. `into`: what an
   * earlier call gave, which may be used again.
   */
  save(into?: Int32Array | null): Int32Array;
  restore(state: Int32Array): void;
}

/** The whole scanner: what checking and counting ask, too. */
export interface Machine extends StreamMachine {
  /** Sums of `tally`, TALLY_WORDS words; the host sets them to 0. */
  readonly sums: Uint32Array;
  /**
   * Sums up plain messages from table row `from` on, below row `to`; answers the row where it stopped
   * (src/scan/twin/tally.ts).
   */
  tally(from: number, to: number, stops: number): number;
  /** What `skipClean` is told and tells, CLEAN_WORDS words. */
  readonly clean: Int32Array;
  /**
   * Passes over messages from table row `from` on, below row `to`, all of the transcript at hand; lists those of which
   * something may be to be told. `base`: position of the window. Answers the row where it stopped; a build may stop at
   * once.
   */
  skipClean(from: number, to: number, base: number): number;
  /**
   * The calls of the transcript at hand that `skipClean` has passed over: LEDGER_WORDS words, which the host sets where
   * a transcript begins.
   */
  readonly ledger: Int32Array;
  /** One of them. */
  ledgerCall(index: number): LedgerCall;
  /** Whose texts are kept. */
  keeper: object | null;
  /**
   * Keeps window bytes [from, to), with a tag (CLEAN_TAG and the role), so that `skipClean` knows them again: their
   * number; 1: all others were forgotten; 0: they are not kept.
   */
  keep(from: number, to: number, tag: number): number;
  /** What is known of a kept text, KEPT_…. */
  setKeptState(number: number, state: number): void;
  /** Keeps a table of arguments: its address; 0: there is no room. */
  keepTable(table: ArgumentTable): number;
  /** Calls of this tool, by its plain name, are known where a kept text defines it; `node`: address of its table. */
  learnTool(number: number, name: Uint8Array, node: number): void;
  /** Whether window bytes [from, to), valid UTF-8, are JSON that fits a table. False: nobody knows. */
  fits(node: number, from: number, to: number): boolean;
  /** Forgets what is kept. */
  forgetKept(): void;
  /** Line feeds in window bytes [from, to). */
  countLines(from: number, to: number): number;
  /** Code points in window bytes [from, to), which are valid UTF-8. */
  countCharacters(from: number, to: number): number;
  /**
   * Window position of the last byte of [from, to) that is `byte`, which has bit 0x20, or the same without that bit; or
   * -1.
   */
  findLast(from: number, to: number, byte: number): number;
  /** Window position of the first byte of [from, to) that is `first` and has `second` behind it, or -1. */
  findPair(from: number, to: number, first: number, second: number): number;
  /**
   * Whether content, the bytes of all parts one after the other, is one JSON value (RFC 8259, valid UTF-8) with at most
   * `depth` containers in one another (never more than JSON_DEEPEST). -1: it is; else the offset of the first byte
   * after which no continuation is one, or the content's length when it ends too early. Parts in the window are read
   * where they lie; a scan that is under way goes on.
   */
  checkJson(content: Uint8Array | Iterable<Uint8Array>, depth: number): number;
  /**
   * The same of window bytes [from, to) that are known to be valid UTF-8: the window position of the wrong byte, or -1.
   */
  checkWindowJson(from: number, to: number, depth: number): number;
}
