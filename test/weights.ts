// What the entries may weigh in a page, in bytes of a bundle that is minified and gzipped.
export const WEIGHTS: [code: string, most: number][] = [
  ["export { parse } from 'openchatml';", 30_900],
  ["export { parse } from 'openchatml/js';", 24_000],
  ["export { MessageStream } from 'openchatml/stream';", 36_900],
  ["export * from 'openchatml/convert';", 59_000],
  ["export { Lines } from 'openchatml';", 1_150],
  ["export { fromOpenAI } from 'openchatml/convert';", 12_300],
];
