// A body in parts: whatever escapes, literal blocks, thoughts and bad bytes stand in it, the parts that are shown are
// together the text that is shown, and a debug view has all of its content.
import { expect, test } from 'vitest';
import { bodyParts } from '../../../src/formats/render/parts.ts';
import type { Message } from '../../../src/model/message.ts';
import { parseOn } from '../../../src/model/parse.ts';
import { bodyPieces, shownText } from '../../../src/model/shown.ts';
import { WasmMachine } from '../../../src/scan/wasm.ts';
import { decodeUtf8 } from '../../../src/utf8.ts';
import { randomOf, SEED } from '../../random.ts';

const FRAGMENTS = [
  '<<|end|>', '<<|start|>', '<|literal|><|end|><|endliteral|>', '<|start_reason|>', '<|end_reason|>', '<think>',
  '</think>', 'a', '\u00fc', '\u{1f600}', '\xff', '\xc3', '\r', '\n', ' ', 'x'.repeat(1100), '\u00e9'.repeat(9000),
];

const WASM = new WasmMachine();

const messagesIn = (bytes: Uint8Array): Message[] => parseOn(WASM, bytes).transcripts.flatMap((one) => [...one]);

/** `\xff` and `\xc3` are bytes, whatever else is text. */
function bytesOf(fragment: string): Uint8Array {
  return fragment === '\xff' || fragment === '\xc3' ? Buffer.from(fragment, 'latin1') : Buffer.from(fragment);
}

test(`random bodies (OPENCHATML_SEED=${SEED})`, () => {
  const random = randomOf(SEED);
  let cuts = 0;
  for (let run = 0; run < 300; run++) {
    const body = Array.from({ length: random.below(60) }, () => bytesOf(random.pick(FRAGMENTS)));
    const front = Buffer.from('<|start|>assistant<|channel|>final<|message|>');
    for (const message of messagesIn(Buffer.concat([front, ...body, Buffer.from('<|end|>')]))) {
      const all = [...bodyParts(message, false, true)];
      const pieces = [...bodyPieces(message)];
      const textOf = (isCut: boolean): string => pieces.filter(({ cut }) => (cut !== null) === isCut)
        .map(({ from, to }) => decodeUtf8(message.source.bytes(from, to))).join('');
      cuts += all.filter(({ cut }) => cut !== null).length;
      expect([...bodyParts(message, false, false)].map(({ text }) => text).join('')).toBe(shownText(message));
      expect(all.filter(({ cut }) => cut !== null).map(({ text }) => text).join('')).toBe(textOf(true));
      expect(all.filter(({ cut }) => cut === null).map(({ text }) => text).join('')).toBe(textOf(false));
    }
  }
  expect(cuts).toBeGreaterThan(50);
});

test('bodies that are rendered by turns do not meet', () => {
  const hidden = `<think>${'SECRET<<|end|>\u00fc<|literal|>\u00fc<|endliteral|>'.repeat(2000)}</think>ok`;
  const open = 'public <<|end|>\u00fc<|literal|>\u00fc<|endliteral|>'.repeat(4000);
  const [secret] = messagesIn(Buffer.from(`<|start|>assistant<|channel|>final<|message|>${hidden}<|end|>`));
  const [shown] = messagesIn(Buffer.from(`<|start|>user<|message|>${open}<|end|>`));
  const all = [...bodyParts(secret!, false, true)];
  const parts = [bodyParts(secret!, false, true), bodyParts(shown!, false, false)];
  const texts = ['', ''];
  for (let isOpen = true; isOpen; ) {
    isOpen = false;
    for (const [i, some] of parts.entries()) {
      const { value, done } = some.next();
      if (done === true) continue;
      texts[i] += value.text;
      isOpen = true;
    }
  }
  expect(texts[0] === all.map(({ text }) => text).join('')).toBe(true);
  expect(texts[1] === shownText(shown!)).toBe(true);
});

test('escapes side by side are few parts', () => {
  const [message] = messagesIn(Buffer.from(`<|start|>assistant<|message|>${'<<|end|>'.repeat(20_000)}<|end|>`));
  expect([...bodyParts(message!, false, false)].length).toBeLessThan(20);
});
