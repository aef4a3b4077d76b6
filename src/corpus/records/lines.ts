// JSON lines as units, at the speed of bytes: a line whose transcript is one string is validated and unescaped in one
// pass, as bytes, and never becomes a value. Every other line goes the way of record.ts, and gives the same as there.

import { JSON_DEEPEST, RECORD_CROWD } from '../../abi.ts';
import { isBlank } from '../../model/bytes.ts';
import type { Machine } from '../../scan/machine.ts';
import { MemorySource, type Source } from '../../scan/source.ts';
import { type TextMachine, VALUE_ARRAY, VALUE_STRING } from '../../scan/text-machine.ts';
import { pointerTo } from '../../tools/json.ts';
import { decodeUtf8 } from '../../utf8.ts';
import { crowdOf } from './crowded.ts';
import { KnownBad } from './known-bad.ts';
import { beginsList } from './opened.ts';
import { COPIED, holdsToken, LISTS } from './other-forms.ts';
import { LARGEST, type Placed, recordOf, tooLarge } from './record.ts';
import { type BadRecord, badRecord, HALF_CHARACTER, type Unit, type FileOptions, unitsOfRecord } from './unit.ts';
import { type LineRange, LineWindow } from './window.ts';

export class RecordLines {
  readonly #text: TextMachine;
  readonly #machine: Machine;
  readonly #options: FileOptions;
  readonly #source: Source;
  readonly #range: LineRange;
  readonly #knownBad: KnownBad;
  #base = 0;
  /** Records and lines met so far, those before the range included. */
  records: number;
  lines: number;
  /** Where the line at hand begins in the input. */
  lineFrom = 0;

  constructor(text: TextMachine, machine: Machine, source: Source, options: FileOptions, range: LineRange) {
    this.#text = text;
    this.#machine = machine;
    this.#source = source;
    this.#options = options;
    this.#knownBad = new KnownBad(options);
    this.#range = range;
    this.records = range.record;
    this.lines = range.line - 1;
  }

  /** The units of the lines, in order. Never throws on data. */
  *units(): Generator<Unit | BadRecord, void, void> {
    const window = new LineWindow(this.#text, this.#source, this.#range);
    while (window.position < this.#range.to) {
      if (window.holdsLine()) {
        const { at, last } = window;
        this.#base = window.base;
        const isObject = this.#text.line(at, last) >= 0;
        const lf = isObject ? this.#text.lineTo : window.lineFeed(at);
        const to = lf < 0 ? last : Math.min(lf, last);
        const member = isObject ? this.#transcript() : -1;
        this.lines++;
        const place = this.#place(this.#base + at, this.#base + to);
        if (to - at > this.#largest) {
          this.records++;
          yield* unitsOfRecord(tooLarge(place), this.#options);
        } else if (member < 0 || this.#isCrowded(window, at, to)) yield* this.#slow(window.bytes(at, to), place);
        else {
          this.records++;
          if (this.#text.hasLone(member)) yield badRecord(place, 'bad-record', HALF_CHARACTER);
          yield this.#unit(member, place);
        }
        window.at = to + 1;
      } else if (window.ended) return;
      else {
        const { from, length, bytes } = window.longLine(this.#largest);
        this.lines++;
        const place = this.#place(from, from + length);
        if (bytes !== null) yield* this.#slow(bytes, place);
        else {
          this.records++;
          yield* unitsOfRecord(tooLarge(place), this.#options);
        }
      }
    }
  }

  /** Bytes of the file, or, as a row of a table has none there, of the row. */
  #place(from: number, to: number): Placed {
    this.lineFrom = from;
    const base = this.#options.positions === 'field' ? from : 0;
    return { number: this.records, line: this.lines, from: from - base, to: to - base };
  }

  #isCrowded(window: LineWindow, at: number, to: number): boolean {
    return to - at >= RECORD_CROWD && crowdOf(window.bytes(at, to)) !== null;
  }

  get #largest(): number {
    return this.#options.largestRecord ?? LARGEST;
  }

  /** The member that is the whole transcript, as text; -1: the line must be read as a value. */
  #transcript(): number {
    const text = this.#text;
    const { form = 'auto', field } = this.#options;
    const isText = (member: number): boolean => member >= 0 && text.kind(member) === VALUE_STRING;
    if (form !== 'auto' && form !== 'text') return -1;
    if (field === undefined && form === 'auto') {
      for (const list of LISTS) {
        const member = text.find(list);
        if (member >= 0 && text.kind(member) === VALUE_ARRAY) return -1;
      }
    }
    const member = text.find(field ?? 'text');
    if (!isText(member) || (field !== undefined && beginsList(text.text(member)))) return -1;
    const isBeside = field === undefined && form === 'auto'
      && COPIED.some((names) => names.every((name) => isText(text.find(name))));
    return isBeside && !holdsToken(decodeUtf8(text.text(member))) ? -1 : member;
  }

  /** The unit of the line at hand, of which one member is the text. */
  #unit(member: number, { number, line, from: at }: Placed): Unit {
    const text = this.#text;
    const base = this.#base;
    const from = text.valueFrom(member) + 1;
    const plain = (offset: number): number => base + from + offset;
    const place = text.isEscaped(member) ? this.#mapped(from, text.valueTo(member) - 1) : plain;
    return {
      kind: 'text',
      record: number,
      line,
      at,
      source: new MemorySource(text.text(member)),
      options: this.#options,
      place: this.#options.positions === 'field' ? same : place,
      pointer: () => pointerTo('', this.#options.field ?? 'text'),
    };
  }

  /** Places of a text that has escapes. */
  #mapped(from: number, to: number): (offset: number) => number {
    const base = this.#base;
    let begun = false;
    return (offset) => {
      if (!begun) this.#text.mapBegin(from, to);
      begun = true;
      return base + this.#text.mapTo(offset);
    };
  }

  #slow(bytes: Buffer, place: Placed): Iterable<Unit | BadRecord> {
    if (isBlank(bytes, 0, bytes.length)) return [];
    this.records++;
    return this.#knownBad.units(bytes, place, () => recordOf(bytes, place, { locate: locateWith(this.#machine) })!);
  }
}

/** Finds where bytes are no JSON. */
export const locateWith = (machine: Machine) => (bytes: Uint8Array): number => machine.checkJson(bytes, JSON_DEEPEST);

const same = (offset: number): number => offset;
