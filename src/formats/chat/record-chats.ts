// The pieces that chat records of OpenAI are made of where they come from rows of records: what stands between their
// values (assembly/record/chats.ts). The simple version, which writes a record from its data, is write.ts.

import { linesOfFile, ofLastFile } from './last-file.ts';

/** In the order of assembly/record/lines.ts. */
const ROLES = ['system', 'developer', 'user', 'assistant', '', '', '', 'tool'];

/** The pieces of the records of a file, by the numbers of assembly/record/chats.ts. Who has no id gets its place. */
export const chatPieces = ofLastFile((path) => linesOfFile(path, [
  ',"messages":[', ']}\n',
  ',"name":"', ',"content":"', ',"content":null', ',"thinking":"',
  ',"tool_calls":[', '{"id":"', ',"type":"function","function":{"name":"', ',"arguments":"', '}}',
  ',"tool_call_id":"',
  ...ROLES.map((role) => `{"role":"${role}"`),
]));
