// What a link warns of: everything that users do not see, and nothing of it is left when it was taken out.
import { expect, test } from 'vitest';
import { analyse, AUTOMATIC, readOptions } from '../../src/web/analysis.ts';
import { hiddenEdits, hiddenWords } from '../../src/web/hidden.ts';
import { FULL } from '../../src/web/full-checks.ts';
import { edited } from '../../src/web/bytes.ts';

const HEAD = 'version: 2.2\n---\n';
const final = (body: string): string => `<|start|>assistant<|channel|>final<|message|>${body}<|return|>`;
const look = (text: string): ReturnType<typeof analyse> => analyse(Buffer.from(text), AUTOMATIC, FULL);

function takenOut(text: string): string {
  const bytes = Buffer.from(text);
  const after = edited(bytes, hiddenEdits(bytes, readOptions(AUTOMATIC), look(text)));
  return Buffer.from(after).toString();
}

test.each<[text: string, words: string, after: string]>([
  [`${HEAD}${final('Hi')}`, '', `${HEAD}${final('Hi')}`],
  [
    `${HEAD}<|start|>assistant<|channel|>analysis<|message|>SECRET<|end|>${final('Hi')}`, '1 message (analysis)',
    `${HEAD}<|start|>assistant<|channel|>analysis<|message|>[removed]<|end|>${final('Hi')}`,
  ],
  [`${HEAD}${final('<think>SECRET</think>Answer')}`, 'parts of 1 message', `${HEAD}${final('Answer')}`],
  [
    `${HEAD}${final('a <|start_reason|>SECRET<|end_reason|> b')}`, 'parts of 1 message', `${HEAD}${final('a  b')}`,
  ],
  [`${HEAD}${final('Hi<|channel|>analysis SECRET')}`, 'parts of 1 message', `${HEAD}${final('Hi')}`],
  [
    `${HEAD}<|start|>user<|message|>Hi<|end|>\nSECRET text\n${final('Hi')}`, 'text between messages',
    `${HEAD}<|start|>user<|message|>Hi<|end|>\n\n${final('Hi')}`,
  ],
  // Escapes go with their tokens, and pairs of literal tokens stay pairs.
  [
    `${HEAD}${final('<<|end|>SECRET<<|call|></think>a <<|end|> b')}`, 'parts of 1 message',
    `${HEAD}${final('a <<|end|> b')}`,
  ],
  [
    `${HEAD}${final('<think>x<|literal|>SECRET<|end|><|endliteral|></think> <|literal|>a<|endliteral|>')}`,
    'parts of 1 message', `${HEAD}${final('<|literal|><|endliteral|><|literal|>a<|endliteral|>')}`,
  ],
])('%s', (text, words, after) => {
  const seen = (of: string): (string | null)[] => look(of).messages.map(({ shown }) => shown);
  expect(hiddenWords(look(text))).toBe(words);
  expect(takenOut(text)).toBe(after);
  expect(hiddenWords(look(after))).toBe('');
  expect(seen(after)).toEqual(seen(text));
});
