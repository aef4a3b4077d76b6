// JSON lines as units, at the speed of bytes: a line whose transcript is one string is validated and unescaped in one pass, as bytes,
// and never becomes a value. Every other line goes the way of record.ts, and gives the same as there.

import { JSON_DEEPEST } from '../../abi.ts';
import type { Machine } from '../../scan/machine.ts';
import { MemorySource, type Source } from '../../scan/source.ts';
import { type TextMachine, VALUE_ARRAY, VALUE_STRING } from '../../scan/text-machine.ts';
import { isBlank, LARGEST, type Placed, recordOf, tooLarge } from './record.ts';
import { type BadRecord, badRecord, HALF_CHARACTER, type Unit, type UnitOptions, unitsOfRecord } from './unit.ts';

/** Lines of an input: those that begin at or behind `from` and before `to`. */
export interface LineRange {
  readonly from: number;
  readonly to: number;
  /** Number of the first record, from 0, and of the first line, from 1. */
  readonly record: number;
  readonly line: number;
}

const MARK = [0xef, 0xbb, 0xbf];

export class RecordLines {
  readonly #text: TextMachine;
  readonly #machine: Machine;
  readonly #source: Source;
  readonly #options: UnitOptions;
  readonly #range: LineRange;
  /** Of the input: position of the window's first byte; bytes in the window; the line at hand begins at #at. */
  #base: number;
  #length = 0;
  #at = 0;
  /** In the window: where the last line ends that ends in it, or -1. */
  #last = -1;
  #ended = false;
  /** Records and lines met so far, those before the range included. */
  records: number;
  lines: number;

  constructor(text: TextMachine, machine: Machine, source: Source, options: UnitOptions, range: LineRange) {
    this.#text = text;
    this.#machine = machine;
    this.#source = source;
    this.#options = options;
    this.#range = range;
    // A line begins where the byte before is a line feed.
    this.#base = Math.max(0, range.from - 1);
    this.records = range.record;
    this.lines = range.line - 1;
  }

  /** How far the input was read. */
  get position(): number {
    return this.#base + this.#length;
  }

  /** The units of the lines, in order. Never throws on data. */
  *units(): Generator<Unit | BadRecord, void, void> {
    if (this.#range.from > 0) this.#passLine();
    else this.#passMark();
    while (this.#base + this.#at < this.#range.to) {
      if (this.#holdsLine()) {
        const isObject = this.#text.line(this.#at, this.#last) >= 0;
        const to = isObject ? this.#text.lineTo : this.#lineEnd();
        const member = isObject ? this.#transcript() : -1;
        this.lines++;
        const place = this.#place(this.#base + this.#at, this.#base + to);
        if (member < 0 || this.#isTooLarge(to - this.#at)) yield* this.#other(this.#at, to, place);
        else {
          this.records++;
          if (this.#text.hasLone(member)) yield badRecord(place, 'bad-record', HALF_CHARACTER);
          yield this.#unit(member, place);
        }
        this.#at = to + 1;
      } else if (this.#ended) return;
      else yield* this.#longLine();
    }
  }

  /** Reads on until the line at hand is there as a whole; false: it is longer than the window, or there is none. */
  #holdsLine(): boolean {
    while (this.#last < this.#at) {
      if (this.#more()) continue;
      if (!this.#ended || this.#at >= this.#length) return false;
      // The end of the input ends a line.
      this.#last = this.#length;
    }
    return true;
  }

  /** Where the line at hand ends, which the window holds. */
  #lineEnd(): number {
    const lf = this.#text.nextLine(this.#at, this.#last);
    return lf < 0 ? this.#last : lf;
  }

  /** Reads on behind the line at hand; false: the input has ended, or the window is full. */
  #more(): boolean {
    const { input } = this.#text;
    if (this.#at > 0) {
      const at = Math.min(this.#at, this.#length);
      input.copyWithin(0, at, this.#length);
      this.#base += at;
      this.#length -= at;
      this.#at -= at;
      this.#last = Math.max(-1, this.#last - at);
    }
    if (this.#ended || this.#length === input.length) return false;
    // What is told of the record at hand is placed by its bytes.
    this.#source.release(this.#base);
    const read = this.#source.read(this.#base + this.#length, input.subarray(this.#length, Math.min(input.length, this.#length + STEP)));
    const last = this.#text.lastLine(this.#length, this.#length + read);
    if (last >= 0) this.#last = last;
    this.#length += read;
    this.#ended = read === 0 || this.#base + this.#length === this.#source.end;
    return read > 0;
  }

  #passMark(): void {
    while (this.#length < 3 && this.#more());
    if (MARK.every((byte, i) => i < this.#length && this.#text.input[i] === byte)) this.#at = 3;
  }

  /** To behind the next line feed. */
  #passLine(): void {
    while (true) {
      const lf = this.#text.nextLine(0, this.#length);
      if (lf >= 0) {
        this.#at = lf + 1;
        return;
      }
      this.#at = this.#length;
      if (!this.#more()) return;
    }
  }

  /** A line that is longer than the window, gathered as far as it may be read. */
  *#longLine(): Generator<Unit | BadRecord, void, void> {
    const from = this.#base + this.#at;
    const parts: Uint8Array[] = [];
    let length = 0;
    let dropped = 0;
    let lf = -1;
    while (lf < 0) {
      lf = this.#text.nextLine(this.#at, this.#length);
      const part = this.#text.input.slice(this.#at, lf < 0 ? this.#length : lf);
      length += part.length;
      if (!this.#isTooLarge(length)) parts.push(part);
      else {
        dropped += part.length;
        parts.length = 0;
      }
      this.#at = lf < 0 ? this.#length : lf + 1;
      if (lf < 0 && !this.#more()) break;
    }
    this.lines++;
    const place = this.#place(from, from + length);
    if (dropped === 0) yield* this.#slow(Buffer.concat(parts), place);
    else {
      this.records++;
      yield* unitsOfRecord(tooLarge(place), this.#options);
    }
  }

  /** A row of a table has no bytes of its own in the file. */
  #place(from: number, to: number): Placed {
    const isField = this.#options.positions === 'field';
    return { number: this.records, line: this.lines, from: isField ? 0 : from, to: isField ? 0 : to };
  }

  #isTooLarge(length: number): boolean {
    return length > (this.#options.largestRecord ?? LARGEST);
  }

  /** A line that is no object with a transcript as text, or that is too large. */
  *#other(from: number, to: number, place: Placed): Generator<Unit | BadRecord, void, void> {
    const { input } = this.#text;
    if (this.#isTooLarge(to - from)) {
      this.records++;
      yield* unitsOfRecord(tooLarge(place), this.#options);
    } else yield* this.#slow(Buffer.from(input.buffer, input.byteOffset + from, to - from), place);
  }

  /** The member that is the whole transcript, as text; -1: another way must be gone. */
  #transcript(): number {
    const text = this.#text;
    const { form = 'auto', field } = this.#options;
    const isText = (member: number): boolean => member >= 0 && text.kind(member) === VALUE_STRING;
    if (form === 'messages' || form === 'conversations') return -1;
    if (field === undefined && form === 'auto') {
      for (const list of LISTS) {
        const member = text.find(list);
        if (member >= 0 && text.kind(member) === VALUE_ARRAY) return -1;
      }
    }
    const member = text.find(field ?? 'text');
    return isText(member) ? member : -1;
  }

  /** The unit of the line at hand, of which one member is the text. */
  #unit(member: number, { number, line }: Placed): Unit {
    const text = this.#text;
    const from = text.valueFrom(member) + 1;
    const plain = (offset: number): number => this.#base + from + offset;
    const place = text.isEscaped(member) ? this.#mapped(from, text.valueTo(member) - 1) : plain;
    return {
      kind: 'text',
      record: number,
      line,
      source: new MemorySource(text.text(member)),
      options: this.#options,
      place: this.#options.positions === 'field' ? same : place,
    };
  }

  /** Places of a text that has escapes. */
  #mapped(from: number, to: number): (offset: number) => number {
    let begun = false;
    return (offset) => {
      if (!begun) this.#text.mapBegin(from, to);
      begun = true;
      return this.#base + this.#text.mapTo(offset);
    };
  }

  *#slow(bytes: Buffer, place: Placed): Generator<Unit | BadRecord, void, void> {
    const locate = (part: Uint8Array): number => this.#machine.checkJson(part, JSON_DEEPEST);
    const record = bytes.every(isBlank) ? null : recordOf(bytes, place, { locate });
    if (record === null) return;
    this.records++;
    yield* unitsOfRecord(record, this.#options);
  }
}

const same = (offset: number): number => offset;
const LISTS = ['messages', 'conversations'] as const;
/** Bytes that are read at once: they stay in the second-level cache. */
const STEP = 256 * 1024;
