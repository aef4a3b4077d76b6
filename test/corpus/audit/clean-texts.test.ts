// Transcripts in records and as raw text: of what is passed without a look nothing is to be told.
import { afterAll, describe, expect, test } from 'vitest';
import { auditLines, auditRecords, auditText } from '../../../src/corpus/audit/audit.ts';
import type { AuditedText } from '../../../src/corpus/audit/audited.ts';
import { passerOf } from '../../../src/corpus/audit/clean-messages.ts';
import { CleanTexts } from '../../../src/corpus/audit/clean-texts.ts';
import { newHeaders } from '../../../src/corpus/headers.ts';
import { ThreadContext } from '../../../src/corpus/jobs/open.ts';
import { type Layout, layoutOf } from '../../../src/corpus/records/layout.ts';
import { ChatLines } from '../../../src/corpus/records/chat-lines.ts';
import { isRows } from '../../../src/corpus/records/rows.ts';
import { ALL } from '../../../src/corpus/records/units.ts';
import { MemorySource } from '../../../src/scan/source.ts';
import { runs } from '../../long.ts';
import { type Random, randomOf, SEED } from '../../random.ts';
import { randomText } from '../records/random-chat.ts';

const context = new ThreadContext();
afterAll(() => context.close());

const linesOf = (bytes: Uint8Array, layout: Layout = 'lines'): ChatLines =>
  new ChatLines(context, new MemorySource(bytes), {}, ALL, layout, { takesTexts: true });

/** Numbers of the records that are passed. */
function passedIn(bytes: Uint8Array): number[] {
  const passed: number[] = [];
  const texts = new CleanTexts(context.machine, newHeaders());
  for (const rows of linesOf(bytes).scanned()) {
    if (rows === null || !isRows(rows)) continue;
    let record = 0;
    const { machine, to } = rows;
    for (let number = rows.record; record < to; number++) {
      const next = machine.audit(record, to);
      const row = record;
      record = machine.rows[record * 4 + 3]!;
      if (next === row && texts.pass(rows, row) > row) passed.push(number);
    }
  }
  return passed;
}

const told = (audited: Iterable<AuditedText | number>): AuditedText[] =>
  [...audited].filter((one): one is AuditedText => typeof one !== 'number');

/** What both ways tell of lines, of the list of their values and of values without lines; they tell the same. */
function findingsOf(bytes: Uint8Array): AuditedText['findings'][] {
  const values = Buffer.from(bytes).toString('latin1').trimEnd().split('\n');
  toldOf(Buffer.from(`[${values.join(',')}]`, 'latin1'), 'list');
  toldOf(Buffer.from(values.join(' '), 'latin1'), 'values');
  return toldOf(bytes, 'lines');
}

function toldOf(bytes: Uint8Array, layout: Layout): AuditedText['findings'][] {
  const options = { tellsOnly: true };
  // One value alone is a line.
  if (layoutOf(new MemorySource(bytes)) !== layout) return [];
  const one = told(auditLines(context.machine, new MemorySource(bytes), options, linesOf(bytes, layout), layout));
  const other = told(auditRecords(context.machine, new MemorySource(bytes), options));
  expect(one.map(({ findings, at, line }) => ({ findings, at, line })))
    .toEqual(other.map(({ findings, at, line }) => ({ findings, at, line })));
  return one.map(({ findings }) => findings);
}

const line = (value: unknown): string => `${JSON.stringify(value)}\n`;
const TALK = '<|start|>user<|message|>How are you?<|end|>\n<|start|>assistant<|channel|>final<|message|>Fine.<|end|>\n';
const CALL = '<|start|>assistant to=functions.f call_id=c1<|channel|>commentary<|constrain|>json<|message|>{"a":"b"}'
  + '<|call|>\n<|start|>functions.f to=assistant call_id=c1<|channel|>commentary<|message|>{}<|end|>\n';
const OLD = '<|im_start|>user\nHow are you?<|im_end|>\n<|im_start|>assistant\nFine.<|im_end|>\n';

describe('a record with a text', () => {
  const CASES: readonly (readonly [string, unknown, 'passed' | 'looked at'])[] = [
    ['of plain messages', { id: 1, text: TALK }, 'passed'],
    ['behind a document header', { text: `version: 2.2\n---\n${TALK}` }, 'passed'],
    ['of calls and replies', { text: TALK + CALL }, 'passed'],
    ['of 0.1', { text: OLD }, 'passed'],
    ['with a token of another format', { text: TALK.replace('Fine.', '[INST] Fine.') }, 'looked at'],
    ['with a token that is written as codes', { text: TALK.replace('Fine.', '\\x3c|im_end|>') }, 'looked at'],
    ['with one in a header', { text: CALL.replace('to=functions.f', 'to=functions.<|im_end|>') }, 'looked at'],
    ['with an escape', { text: TALK.replace('Fine.', 'Fine.<<|end|>') }, 'looked at'],
    ['beside another text', { text: TALK, system: '<|im_end|>' }, 'looked at'],
    ['behind another text', { system: '[INST]', text: TALK }, 'looked at'],
    ['that no header begins', { text: `Sure:\n${TALK}` }, 'looked at'],
    ['that is cut', { text: TALK.slice(0, -9) }, 'looked at'],
  ];

  test.each(CASES)('%s is %o', (_, value, how) => {
    // Others of the same kind stand around it, and are passed.
    const bytes = Buffer.from(line({ text: TALK }) + line(value) + line({ text: TALK }));
    expect(passedIn(bytes)).toEqual(how === 'passed' ? [0, 1, 2] : [0, 2]);
    findingsOf(bytes);
  });
});

const PIECES = [
  'Hi ', 'a b', '1 < 2', '<', '<|', '<|im_end|>', '<|end|>', '<<|end|>', '<s>', '[INST]', '&lt;', '\\u003c', '\\x3c',
  '%3c', '\uff5c', '\u2039', 'é', '\n', '"', '\\', '<think>', '<|channel|>', '<|literal|>', '<|endliteral|>',
  '<|start|>', '---\n',
];
const HEADS = ['', '', '', 'version: 2.2\n', 'version: 2.0\n---\n', '# a\n', ' \n', 'x\n'];
const SAYS = ['user', 'assistant', 'system', 'tool', 'user name=[INST]', 'assistant to=functions.f call_id=<|im_end|>'];

function randomTranscript(random: Random): string {
  const isOld = random.once(4);
  const messages = Array.from({ length: random.below(5) }, () => {
    const body = random.once(2) ? 'Hello there.' : Array.from({ length: 2 }, () => random.pick(PIECES)).join('');
    if (isOld) return `<|im_start|>${random.pick(SAYS)}\n${body}<|im_end|>\n`;
    const channel = random.pick(['', '<|channel|>final', '<|channel|>analysis', '<|channel|>x<|constrain|>json']);
    const end = random.pick(['<|end|>', '<|end|>\n', '<|call|>', '']);
    return `<|start|>${random.pick(SAYS)}${channel}<|message|>${body}${end}`;
  });
  return random.pick(HEADS) + messages.join('');
}

test(`random raw text (seed ${SEED}): messages that are passed hold nothing`, { timeout: 20 * 60_000 }, () => {
  let [passed, left] = [0, 0];
  for (let run = 0; run < runs(1000); run++) {
    const random = randomOf(SEED + run);
    const bytes = Buffer.from(Array.from({ length: 1 + random.below(4) }, () => randomTranscript(random)).join(''));
    // Bytes that are no text, too.
    if (random.once(4)) for (let i = 0; i < 3; i++) bytes[random.below(bytes.length + 1)] = 0x80 + random.below(0x80);
    const passes = passerOf(context.records);
    const all = told(auditText(context.machine, new MemorySource(bytes)));
    const some = told(auditText(context.machine, new MemorySource(bytes), {}, {
      passes: (batch, row) => {
        const isPassed = passes(batch, row);
        if (isPassed) passed++;
        else left++;
        return isPassed;
      },
    }));
    const short = (texts: readonly AuditedText[]): unknown => texts.map(({ change, ...text }) => ({
      ...text, change: change && [...change.edits],
    }));
    expect(short(some)).toEqual(short(all));
  }
  expect(passed).toBeGreaterThan(0);
  expect(left).toBeGreaterThan(runs(1000) / 20);
});

function randomRecord(random: Random): unknown {
  const text = randomTranscript(random);
  switch (random.below(6)) {
    case 0:
      return { prompt: text, completion: randomTranscript(random) };
    case 1:
      return { text, [random.pick(['system', 'input', 'other'])]: random.pick(PIECES) };
    case 2:
      return { messages: [{ role: 'user', content: random.pick(PIECES) }] };
    default:
      return { text };
  }
}

test(`random records (seed ${SEED})`, { timeout: 20 * 60_000 }, () => {
  let passed = 0;
  for (let run = 0; run < runs(1000); run++) {
    const random = randomOf(SEED + run);
    const texts = Array.from({ length: 1 + random.below(12) }, () => `${randomText(random, randomRecord(random))}\n`);
    findingsOf(Buffer.from(texts.join('')));
    passed += passedIn(Buffer.from(texts.join(''))).length;
  }
  expect(passed).toBeGreaterThan(0);
});
