// Blocks of declarations that are known: reading with them gives what reading without them gives.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { KnownBlocks, readDeclarations } from '../../src/tools/declarations.ts';
import { SEED } from '../random.ts';

const PIECES = [
  '# Tools\n\n', '## functions\n\n', 'namespace functions {\n', 'namespace browser {', '\n}',
  '} // namespace functions', '} // namespace browser\n', '\n',
  '// Looks a city up.\n', 'type f = () => any;\n',
  'type g = (_: {\ncity: string,\nn?: number, // default: 3\n}) => any;\n', 'type h = (', '"}"', 'text ', 'namespace',
];
const WHOLE = '# Tools\n\n## functions\n\nnamespace functions {\n\ntype f = (_: {\n// Where\ncity: string,\n'
  + '}) => any;\n\n} // namespace functions';

test('known blocks change nothing', () => {
  const piece = fc.oneof({ weight: 3, arbitrary: fc.constantFrom(...PIECES) }, {
    weight: 1, arbitrary: fc.constant(WHOLE),
  });
  const text = fc.array(piece, { maxLength: 12 }).map((pieces) => pieces.join(''));
  let found = 0;
  fc.assert(
    fc.property(fc.array(text, { minLength: 2, maxLength: 6 }), (texts) => {
      const known = new KnownBlocks();
      for (const one of texts) {
        const read = readDeclarations(one, known);
        expect(read).toEqual(readDeclarations(one));
        found += read.tools.length;
      }
    }),
    { seed: SEED, numRuns: 3000 },
  );
  expect(found).toBeGreaterThan(1000);
});

test('the same block gives the same objects', () => {
  const known = new KnownBlocks();
  const [first] = readDeclarations(`${WHOLE}\n\nOne.`, known).tools;
  expect(readDeclarations(`${WHOLE}\n\nTwo.`, known).tools[0]).toBe(first);
});
