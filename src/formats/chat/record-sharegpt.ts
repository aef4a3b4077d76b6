// The pieces that ShareGPT records are made of where they come from rows of records: what stands between their values
// (assembly/record/sharegpt.ts). The simple version, which writes a record from its data, is sharegpt.ts.

import { linesOfFile, ofLastFile } from './last-file.ts';

/** In the order of assembly/record/lines.ts. */
const WORDS = ['system', 'system', 'human', 'gpt', '', 'gpt', '', 'observation'];

/** The pieces of the records of a file, by the numbers of assembly/record/sharegpt.ts. Who has no id gets its place. */
export const shareGptPieces = ofLastFile((path) => linesOfFile(path, [
  ',"conversations":[', ']}\n',
  // Behind the quote JSON stands in a string.
  '{"from":"function_call","value":"', ', ', '{\\"name\\": \\"', '\\", \\"arguments\\": ',
  ...WORDS.map((word) => `{"from":"${word}","value":"`),
]));
