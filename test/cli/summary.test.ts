// Sums, sizes and times in words.
import { expect, test } from 'vitest';
import { rateOf, summaryOf, timeText } from '../../src/cli/summary.ts';
import { sizeText } from '../../src/corpus/size-text.ts';

test('sums name what there was, and how fast it went', () => {
  const all = { files: 3, records: 120, messages: 4000, errors: 2, warnings: 1, bytes: 1.2e9, seconds: 0.6 };
  expect(summaryOf(all)).toBe('3 files, 120 records, 4,000 messages, 2 errors, 1 warning; 1.2 GB in 0.60 s, 2.0 GB/s');
  expect(summaryOf({ files: 1, records: 0, messages: 0, errors: null, bytes: 17, seconds: 0 }))
    .toBe('1 file, 0 messages; 17 bytes in 0.00 s, 17.0 kB/s');
  expect(summaryOf(all, '2 errors in 3 files'))
    .toBe('2 errors in 3 files, 120 records; 1.2 GB in 0.60 s, 2.0 GB/s');
});

test('sizes', () => {
  expect([0, 1, 999, 1000, 43.4e6, 999.4e6, 6e9, 1.25e12].map(sizeText))
    .toEqual(['0 bytes', '1 byte', '999 bytes', '1.0 kB', '43.4 MB', '999 MB', '6.0 GB', '1.3 TB']);
});

test('times are rounded up', () => {
  expect([0, 0.1, 1, 119, 119.5, 121, 7199, 7201, 86_400].map(timeText))
    .toEqual(['0 s', '1 s', '1 s', '119 s', '2 min', '3 min', '2 h 0 min', '2 h 1 min', '24 h 0 min']);
});

test('a clock that stands still gives no endless rate', () => {
  expect(rateOf(1000, 0)).toBe(1_000_000);
});
