// Judging a part of an input line by line, whatever its lines are: for each one a verdict, or the line as it is where
// that is wanted.

import { applyRules } from '../../rules/settings.ts';
import type { Source } from '../../scan/source.ts';
import { canReadRows, formsOf } from '../records/chat-lines.ts';
import { CUT, WIDE } from '../records/json-cause.ts';
import { turnsOf } from '../records/turns.ts';
import type { FileOptions } from '../records/unit.ts';
import { ALL, type LinesPart } from '../records/units.ts';
import { GatheredBytes, PIECE } from './gathered-bytes.ts';
import { type Job, type JobResult, NO_RESULT, type Piece } from './job.ts';
import type { Kind } from './kind.ts';
import { columnsLeftOut, type Opened, type ThreadContext } from './open.ts';
import { giveTools } from './settled-tools.ts';
import { Judge, type JudgeOptions, tellsOnlyErrors } from './verdict-judge.ts';
import { everyLine, type Line, type LineItem } from './verdict-lines.ts';
import { MarkedVerdicts } from './verdict-marked.ts';
import { recordOfLine } from './verdict-record.ts';
import { LEAST_BOUND, VerdictRows } from './verdict-rows.ts';
import { VerdictTexts } from './verdict-texts.ts';

type FilterJob = Extract<Job, { kind: 'filter' }>;

export const FILTER: Kind<FilterJob> = {
  raw: (context, job, opened) => filter(context, job, opened, ALL),
  records: filter,
};

/** What comes for a line without errors. */
const GIVES = { verdict: 'verdicts', messages: 'messages', keep: 'lines', drop: 'nothing' } as const;
/** Units of text that become bytes together. */
const LONG = 16 * 1024;
const LINE_END = Buffer.from('\n');

function* filter(
  context: ThreadContext, job: FilterJob, { input, options }: Opened, part: LinesPart,
): Generator<Piece, JobResult, void> {
  const { emit, tools, warnings, rules, strict, largest, isApart, passthrough, input: { path } } = job;
  const isRaw = emit === 'keep' || emit === 'drop';
  if (options.positions === 'field' && (isRaw || passthrough)) throw columnsLeftOut(path);
  // What was spent on schemas counts in each block of an input anew, and parts begin with a block.
  context.restart();
  const judging = { tools, warnings, adjust: applyRules(rules, strict) };
  const judge = new Judge(judging, context);
  const texts = new VerdictTexts(judge, options, job);
  const isWanted = (line: Line): boolean => {
    const verdict = line.judged?.verdict
      ?? judge.record(recordOfLine(line, judge.machine, largest), options, {}, line.from);
    return verdict.ok === (emit === 'keep') && !line.isTooLong;
  };
  const out = new GatheredBytes();
  let [text, to] = ['', part.from];
  for (const item of itemsOf(context, job, judging, context.watched(input), options, part)) {
    if (item instanceof Uint8Array || item === null) {
      if (text !== '') yield* out.addText(text);
      text = '';
      if (item !== null) yield* item.length < PIECE ? out.add(item) : asItIs(item, out);
      // Whoever waits for an answer to what was sent gets it.
      else if (!input.canReread) yield* out.flush();
      continue;
    }
    to = item.from + item.size;
    if (item.from === 0 && beginsNoLines(item, judge, largest)) yield { words: [[path, NO_LINES]] };
    if (!isRaw) text += texts.textOf(item);
    else if (isWanted(item)) {
      yield* out.add(item.bytes);
      if (item.isEnded) yield* out.add(LINE_END);
    }
    if (text.length < LONG && !isApart) continue;
    yield* out.addText(text);
    text = '';
    if (isApart) yield* out.flush();
  }
  yield* out.addText(text);
  yield* out.flush();
  out.close();
  return { ...NO_RESULT, bytes: (part.to === Infinity ? input.size ?? to : part.to) - part.from };
}

/** What is told once of an input whose lines are none of JSON. */
const NO_LINES = ': filter takes one JSON object a line, and the first line is not one; '
  + 'the file may be a list, an object over many lines, or UTF-16';

/** Whether a first line is the beginning of a list or an object over many lines, a list of records, or UTF-16. */
function beginsNoLines(line: Line, judge: Judge, largest: number): boolean {
  const record = recordOfLine(line, judge.machine, largest);
  if ('problem' in record) return record.problem === CUT.problem || record.problem === WIDE.problem;
  return Array.isArray(record.value) && record.value.length > 0 && turnsOf(record.value) === null;
}

/** Bytes that are a piece by themselves need not be copied. Who keeps a piece takes a slice, which a Buffer shares. */
function* asItIs({ buffer, byteOffset, length }: Uint8Array, out: GatheredBytes): Generator<Piece, void, void> {
  yield* out.flush();
  yield new Uint8Array(buffer, byteOffset, length);
}

function itemsOf(
  context: ThreadContext, job: FilterJob, judging: JudgeOptions, source: Source, options: FileOptions, part: LinesPart,
): Generator<LineItem, void, void> {
  const { emit, passthrough, tools, isApart, largest, largestList } = job;
  const range = { ...part, ...(part.from > 0 && { isLine: true } as const) };
  const givesLong = emit === 'drop';
  // Nobody waits for each line.
  const canRead = canReadRows(options, { takesField: true });
  const areRows = !passthrough && !isApart && canRead && largest >= LEAST_BOUND;
  if (!areRows) return everyLine(source, { largest, range, givesLong });
  giveTools(context, tools);
  const marked = new MarkedVerdicts(context, judging);
  return new VerdictRows(context.records, source, {
    largest,
    forms: formsOf(options),
    field: options.field,
    onlyErrors: tellsOnlyErrors(job),
    range,
    memory: context.tools,
    gives: GIVES[emit],
    largestList,
    givesLong,
    judge: (rows, record, shift) => marked.of(rows, record, shift),
  }).items();
}
