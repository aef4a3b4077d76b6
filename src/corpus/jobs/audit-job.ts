// Auditing a part of an input: findings; and a copy of the part with the changes made, or the changes themselves.

import type { Place } from '../../errors.ts';
import { type Source, type SourceWatcher, WatchedSource } from '../../scan/source.ts';
import { auditLines, auditRecords, auditText } from '../audit/audit.ts';
import type { Audited, AuditedText, AuditFinding, Edits, TextChange } from '../audit/audited.ts';
import { passerOf } from '../audit/clean-messages.ts';
import { Crowd } from '../audit/crowd.ts';
import { type FixOptions, MOST_ALONE } from '../audit/raw.ts';
import type { InputSource } from '../input/source.ts';
import { LinePlaces, Places } from '../places.ts';
import { lineCount } from '../records/count-lines.ts';
import { layoutOf } from '../records/layout.ts';
import { canReadRows, ChatLines } from '../records/chat-lines.ts';
import { GatheredBytes, PIECE } from './gathered-bytes.ts';
import type { TokenEdit } from '../../formats/control-tokens/edits.ts';
import { type Changed, type Found, GATHERED, type Job, NO_RESULT, type Piece, type ShownChange } from './job.ts';
import type { Kind } from './kind.ts';

type AuditJob = Extract<Job, { kind: 'audit' }>;

export const AUDIT: Kind<AuditJob> = {
  *raw(context, job, { input, options }, range) {
    const from = range.start?.position ?? 0;
    if (job.part.of === 'guess') yield { begins: range.start! };
    const places = new Places(input, from);
    const output = new AuditOutput(job, places.over(context.watched(input)), from, { input, places });
    const audited = auditText(context.machine, output.source, { ...options, ...fixOf(job) }, {
      range, known: context.headers, watch: places, passes: passerOf(context.records),
    });
    const { end, position, transcripts, likeHarmony } = yield* output.take(audited);
    yield* output.end(end?.position ?? Infinity);
    return {
      ...NO_RESULT,
      ...output.sums,
      end,
      transcripts,
      likeHarmony,
      bytes: position - from,
      place: end && places.at(position),
    };
  },

  *records(context, job, { input, options }, part) {
    const areRows = options.positions === 'field';
    const output = new AuditOutput(job, context.watched(input), part.from, { input, areRows });
    const given = { ...options, ...fixOf(job) };
    const layout = part.from > 0 ? 'lines' : layoutOf(output.source);
    // Texts are passed where the options leave it to them how they are read.
    const read = { ...options, form: 'auto' } as const;
    const canPass = canReadRows(read, { takesField: true });
    const lines = canPass ? new ChatLines(context, output.source, read, part, layout, { takesTexts: true }) : null;
    const audited = lines !== null ? auditLines(context.machine, output.source, given, lines, layout)
      : auditRecords(context.machine, output.source, given, part);
    const records = yield* output.take(audited);
    yield* output.end(part.to);
    return {
      ...NO_RESULT,
      ...output.sums,
      records,
      lines: lineCount(context, input, part, layout === 'lines' ? lines : null),
      transcripts: records + part.surplus,
      bytes: Math.min(part.to, output.furthest) - part.from,
    };
  },
};

function fixOf({ fix, gives }: AuditJob): FixOptions {
  return { ...fix, tellsOnly: gives === null };
}

interface AuditSetting {
  readonly input: InputSource;
  /** Of raw text. */
  readonly places?: Places;
  /** Records are rows of a table, within which their findings are placed. */
  readonly areRows?: boolean;
}

/** What comes out of an audit, gathered. */
class AuditOutput implements SourceWatcher {
  /** What is to be audited: it lets nothing go that is still to be copied. */
  readonly source: Source;
  readonly sums = { changed: 0, left: 0 };
  /** Byte position up to which the input was read. */
  furthest = 0;
  readonly #most: number;
  readonly #places: Places | null;
  /** Of records that are lines. */
  readonly #linePlaces: LinePlaces;
  readonly #areRows: boolean;
  readonly #givesChanges: boolean;
  readonly #copy: Copy | null;
  #found: Found[] = [];
  readonly #crowd = new Crowd();
  #changes: Changed[] = [];
  #lastShown: { readonly all: Edits; readonly edits: readonly TokenEdit[]; readonly hasMore: boolean } | undefined;
  #released = 0;

  constructor(
    { gives }: AuditJob, source: Source, from: number, { input, places, areRows = false }: AuditSetting,
  ) {
    this.source = new WatchedSource(source, this);
    // What is read once must be looked at before it is let go.
    this.#most = input.canReread ? GATHERED : 1;
    this.#places = places ?? null;
    this.#linePlaces = new LinePlaces(input);
    this.#areRows = areRows;
    this.#givesChanges = gives === 'changes';
    this.#copy = gives === 'copy' ? new Copy(source, from) : null;
  }

  hasRead(to: number): void {
    this.furthest = Math.max(this.furthest, to);
  }

  mayRelease(before: number): number {
    this.#released = before;
    // What is told later is to be placed then.
    return Math.min(before, this.#copy?.position ?? before, this.#crowd.least);
  }

  *take<R>(audited: Generator<Audited, R, void>): Generator<Piece, R, void> {
    try {
      for (let next = audited.next(); ; next = audited.next()) {
        if (next.done) return next.value;
        if (typeof next.value === 'number') {
          // What waits in a block is told when the block is over: its bytes are kept until then.
          for (const found of this.#crowd.enter(next.value)) this.#found.push(found);
          yield* this.#copyTo(next.value, false);
        } else this.#add(next.value);
        if (this.#found.length >= this.#most) yield* this.#ready(this.#most);
      }
    } catch (error) {
      // What was read before belongs to the output.
      this.#found.push(...this.#crowd.take());
      yield* this.#ready(1);
      throw error;
    }
  }

  /** `to`: where the part ends. */
  *end(to: number): Generator<Piece, void, void> {
    this.#found.push(...this.#crowd.take());
    yield* this.#ready(1);
    yield* this.#copyTo(to, true);
  }

  #add(audited: Exclude<Audited, number>): void {
    const { at, briefs, base, line, change, left } = audited;
    const crowd = this.#crowd;
    for (const found of crowd.enter(at)) this.#found.push(found);
    let findings: readonly AuditFinding[] | null = null;
    for (let i = 0; i < briefs.length; i++) {
      const brief = briefs[i]!;
      // Those behind the first ones of a text stand for many.
      const isAlone = i >= MOST_ALONE || crowd.isAlone(brief, base + brief.from);
      // From one row to another nothing has an end.
      if (!isAlone && crowd.isFurther(brief, this.#areRows ? 0 : base + brief.to)) continue;
      const finding = (findings ??= audited.findings)[i]!;
      const { record } = finding;
      const diagnostic = diagnosticOf(finding, this.#areRows ? at : 0);
      // Changes are shown instead of findings, and stand before them: going back and forth takes long.
      const place = this.#givesChanges ? null : this.#placeOf(audited, diagnostic.from);
      const found = { diagnostic, record, line, place };
      if (isAlone) this.#found.push(found);
      else crowd.keep(found);
    }
    this.sums.left += left;
    if (change === null) return;
    this.sums.changed++;
    this.#copy?.edit(change);
    if (this.#givesChanges) {
      this.#changes.push({ change: this.#shown(change), line: line ?? this.#places!.at(change.from).line });
    }
  }

  /** Null: whoever wants to know finds it. */
  #placeOf({ at, line, lineBytes }: AuditedText, position: number): Place | null {
    if (this.#places !== null) return this.#places.at(position);
    if (lineBytes === undefined || this.#areRows) return null;
    this.#linePlaces.hold(at, lineBytes);
    return this.#linePlaces.at(position, line!, at);
  }

  /** What people are shown of a change: of a text of nothing but tokens not every one. Texts repeat. */
  #shown({ where, text, edits: all }: TextChange): ShownChange {
    if (this.#lastShown?.all !== all) {
      const edits: TokenEdit[] = [];
      for (const edit of all) {
        if (edits.length === MOST_ALONE) break;
        edits.push(edit);
      }
      this.#lastShown = { all, edits, hasMore: all.length > MOST_ALONE };
    }
    const { edits, hasMore } = this.#lastShown;
    return { where, text, edits, hasMore };
  }

  *#ready(least: number): Generator<Piece, void, void> {
    const [found, changes] = [this.#found, this.#changes];
    if (found.length < least) return;
    this.#found = [];
    this.#changes = [];
    if (found.length > 0) yield found;
    if (changes.length > 0) yield { changes };
  }

  *#copyTo(position: number, all: boolean): Generator<Piece, void, void> {
    if (this.#copy === null) return;
    yield* this.#copy.upTo(position, all);
    this.source.release(this.#released);
  }
}

/** What is told of a finding beside its record; places count from `base` on. */
function diagnosticOf(finding: AuditFinding, base: number): Omit<AuditFinding, 'record'> {
  const { code, rule, severity, from, to, transcript, field, message, times, faultAt } = finding;
  const told = { code, rule, severity, from: from - base, to: to - base, transcript, field, message };
  if (times === undefined && faultAt === undefined) return told;
  return { ...told, ...(times !== undefined && { times }), ...(faultAt !== undefined && { faultAt: faultAt - base }) };
}

/** The bytes of a source, with edits made. */
class Copy {
  readonly #source: Source;
  /** Bytes of the source from `#partFrom` on: changes may stand next to each other. */
  readonly #part = new Uint8Array(PIECE);
  #partFrom = 0;
  #partTo = 0;
  readonly #out = new GatheredBytes();
  /** Of each text, by where it begins. */
  #edits: Pick<TextChange, 'from' | 'byteEdits'>[] = [];
  /** What was read, and given or left out. */
  position: number;

  constructor(source: Source, from: number) {
    this.#source = source;
    this.position = from;
  }

  /** Texts wait in any order until what is around them has been looked at. */
  edit(change: TextChange): void {
    this.#edits.push(change);
  }

  /** Everything before a position has been looked at; a little of it may wait when it is not all. */
  *upTo(position: number, all: boolean): Generator<Uint8Array, void, void> {
    if (!all && position - this.position < PIECE) return;
    const texts = this.#edits.sort((a, b) => a.from - b.from);
    this.#edits = [];
    for (const text of texts) {
      for (const edit = text.byteEdits(); edit.next(); ) {
        const { from, bytes } = edit;
        // Texts do not overlap; if two did, the first one's edit would stand.
        if (from < this.position) continue;
        if (from > this.position && !this.#takeTo(from)) yield* this.#bytesTo(from, position);
        if (!this.#out.take(bytes)) yield* this.#out.add(bytes);
        this.position = edit.to;
      }
    }
    yield* this.#bytesTo(position, position);
    if (!all) return;
    yield* this.#out.flush();
    this.#out.close();
  }

  /** Takes bytes up to a position that were read and fill no piece; false: it is not so. */
  #takeTo(to: number): boolean {
    const { position } = this;
    if (position < this.#partFrom || to > this.#partTo) return false;
    if (!this.#out.take(this.#part, position - this.#partFrom, to - this.#partFrom)) return false;
    this.position = to;
    return true;
  }

  /** Bytes up to a position, or to the end; those before `known` have been read before. */
  *#bytesTo(to: number, known: number): Generator<Uint8Array, void, void> {
    while (this.position < to) {
      if (this.position < this.#partFrom || this.position >= this.#partTo) {
        const read = this.#source.read(this.position, this.#part.subarray(0, Math.min(PIECE, known - this.position)));
        if (read === 0) return;
        this.#partFrom = this.position;
        this.#partTo = this.position + read;
      }
      const end = Math.min(to, this.#partTo);
      const bytes = this.#part.subarray(this.position - this.#partFrom, end - this.#partFrom);
      this.position = end;
      if (!this.#out.take(bytes)) yield* this.#out.add(bytes);
    }
  }
}
