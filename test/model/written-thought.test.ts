// Reasoning that is written as text (R-THINK): what a view reads in bytes is what data reads in the same text.
import { expect, test } from 'vitest';
import type { ChatRecord } from '../../src/formats/chat/read.ts';
import { convertTranscript } from '../../src/formats/convert.ts';
import { neutralOf } from '../../src/formats/neutral.ts';
import { messageData } from '../../src/model/data.ts';
import { parseOn } from '../../src/model/parse.ts';
import { thoughtIn } from '../../src/model/written-thought.ts';
import { WasmMachine } from '../../src/scan/wasm.ts';
import { runs } from '../long.ts';
import { randomOf, SEED } from '../random.ts';
import { hiddenReason } from '../../src/model/visibility.ts';
import { contentOffset } from '../../src/model/message-rows.ts';

const MACHINE = new WasmMachine();
const PIECES = [
  '<think>', '</think>', '<think', '</think', '<', '>', '/', 'think>', ' ', '\n', '\t', 'a', 'text ', '<<', '\r\n',
  '\u00a0', 'x'.repeat(65_530),
];

const RUNS = runs(20_000);
test(`${RUNS} random texts (OPENCHATML_SEED=${SEED})`, () => {
  const random = randomOf(SEED);
  let found = 0;
  for (let run = 0; run < RUNS; run++) {
    let content = '';
    for (let left = random.below(9); left > 0; left--) {
      const piece = random.pick(PIECES);
      if (piece.length < 100 || random.once(9)) content += piece;
    }
    // A `<` at the end would make the terminator text.
    content += random.pick(['.', ' ', '</think>']);
    const text = `<|start|>assistant<|message|>${content}<|end|>`;
    const [message] = parseOn(MACHINE, text, { dialect: 'openchatml-2.2' }).messages();
    const read = message!.writtenThought;
    const at = (position: number): number => contentOffset(message!, position);
    const placed = read && {
      from: at(read.from), to: at(read.to), textFrom: at(read.textFrom), textTo: at(read.textTo),
      marker: { from: at(read.marker.from), to: at(read.marker.to) }, isOpened: read.isOpened,
    };
    expect(placed, `OPENCHATML_SEED=${SEED}, run ${run}: ${JSON.stringify(content)}`).toEqual(thoughtIn(content));
    if (read !== null) found++;
  }
  expect(found).toBeGreaterThan(RUNS / 10);
});

const CALL = '<tool_call>\n{"name":"f","arguments":{"x":"a </think> b"}}\n</tool_call>';
const TOKEN = '<|function_call|>{"name":"f","arguments":{"x":"</think>"}}';

test.each([
  ['a call of a thought that the prompt has begun', `Secret:\n${CALL}\nNo.\n</think>\n\nHi`, 'Hi', 0],
  ['the same of a token', `Secret ${TOKEN}\nno.\n</think>\n\nHi`, 'Hi', 0],
  ['a call that holds the marker', CALL, CALL, 1],
  ['a call that holds the marker, behind a thought', `Secret</think>${TOKEN}`, TOKEN, 1],
  ['a call behind it', `Secret</think>\n${CALL}`, CALL, 1],
  ['two calls', `${CALL}\n${CALL}`, `${CALL}\n${CALL}`, 2],
  ['a tag before what is no object', `Secret\n<tool_call>\n{I think </think>Hi`, 'Hi', 0],
  ['a call, a thought behind it, and an answer', `${CALL}\nSecret\n</think>\nHi`, 'Hi', 0],
  ['a call that is cut in a string', '<|function_call|>\n{"name":"f","arguments":{"s":"a</think>Secret', '*', 1],
  ['a call that is cut behind one', '<tool_call>{"name":"f","arguments":["\\"</think>", "</think>Secret', '*', 1],
  ['a call that is no JSON', '<tool_call>{name: "f", arguments: {"s": "a</think>Secret"}}</tool_call>', '*', 1],
  ['calls in a list', `<tool_call>[{"name":"f","arguments":{"s":"</think>Secret"}}]</tool_call>`, '*', 1],
  ['what is cut behind an object', `Secret\n${CALL}{"</think>Hi`, 'Hi', 0],
  ['a tag before nothing', `Secret\n<tool_call>\n</think>Hi`, 'Hi', 0],
])('%s', (_, body, said, calls) => {
  const [message] = parseOn(MACHINE, `<|im_start|>assistant\n${body}<|im_end|>\n`).messages();
  const { writtenThought: thought } = message!;
  const rest = thought === null ? body : message!.content.slice(thought.to - message!.body.from);
  // *: there is no thought, and nothing is shown.
  if (said === '*') expect([thought, hiddenReason(message!)]).toEqual([null, 'call']);
  expect([rest, message!.functionCalls.length]).toEqual([said === '*' ? body : said, calls]);
  const data = messageData(message!);
  const written = data.written === undefined ? thoughtIn(data.content) : data.written;
  expect(written === null ? body : data.content.slice(written.to)).toBe(said === '*' ? body : said);
  // What is hidden here is hidden in every other form.
  const neutral = neutralOf({ header: null, tools: [], messages: [data] }, 'openchatml-0.1').data;
  const { record } = convertTranscript(neutral, 'messages');
  const contents = (record as unknown as ChatRecord).messages.map(({ content }) => content ?? '').join('');
  expect(contents).not.toContain('ecret');
  expect(contents).toBe(said.startsWith('Hi') ? said : '');
});
