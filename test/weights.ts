// What the entries may weigh in a page, in bytes of a bundle that is minified and gzipped.
export const WEIGHTS: [code: string, most: number][] = [
  ["export { parse } from 'openchatml';", 30_650],
  ["export { parse } from 'openchatml/js';", 23_800],
  ["export { MessageStream } from 'openchatml/stream';", 36_900],
  ["export * from 'openchatml/convert';", 58_150],
  ["export { Lines } from 'openchatml';", 1_150],
  ["export { fromOpenAI } from 'openchatml/convert';", 12_000],
];
