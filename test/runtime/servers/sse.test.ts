// Server-sent events as the standard reads them, in any cuts of the text and of the bytes.
import { describe, expect, test } from 'vitest';
import {
  EventReader, ModelError, readServerSentEvents, serverSentEvent, type ServerSentEvent,
} from '../../../src/stream.ts';
import { runs } from '../../long.ts';
import { randomOf, SEED } from '../../random.ts';

const event = (data: string, name = 'message', id = ''): ServerSentEvent => ({ event: name, data, id });

/** The examples of the standard (HTML §9.2.6), and what stumbles. */
const CASES: [name: string, text: string, events: ServerSentEvent[]][] = [
  [
    'data of several lines', 'data: YHOO\ndata: +2\ndata: 10\n\n', [event('YHOO\n+2\n10')],
  ],
  [
    'comments, ids, and an id that is taken back',
    ': test stream\n\ndata: first event\nid: 1\n\ndata:second event\nid\n\ndata:  third event\n\n',
    [event('first event', 'message', '1'), event('second event'), event(' third event')],
  ],
  [
    'data without a value is an event, unless the stream ends before its blank line',
    'data\n\ndata\ndata\n\ndata:', [event(''), event('\n')],
  ],
  ['no data is no event', 'event: x\n\nid: 1\n\n: data\n\ndata:\n\n', [event('', 'message', '1')]],
  ['one space behind the colon belongs to it', 'data:test\n\ndata: test\n\n', [event('test'), event('test')]],
  ['CR, LF and CRLF', 'data: a\r\rdata: b\n\ndata: c\r\n\r\n', [event('a'), event('b'), event('c')]],
  ['CRLF and LF in one event', 'data: a\r\ndata: b\n\r\ndata: c\r\n\n', [event('a\nb'), event('c')]],
  ['a byte order mark, and only one', '\ufeffdata: a\n\n', [event('a')]],
  ['two byte order marks', '\ufeff\ufeffdata: a\n\ndata: b\n\n', [event('b')]],
  ['names', 'event: add\ndata: 1\n\ndata: 2\n\nevent: x\n\ndata: 3\n\n', [event('1', 'add'), event('2'), event('3')]],
  ['unknown fields, and fields with other letters', 'Data: a\ndata : b\nfoo\ndata: c\n\n', [event('c')]],
  [
    'an id with a NUL', 'id: 1\ndata: a\n\nid: 2\0\ndata: b\n\n',
    [event('a', 'message', '1'), event('b', 'message', '1')],
  ],
  ['what no blank line ends is no event', 'data: a\n\ndata: b\n', [event('a')]],
  ['characters of several bytes', 'data: ä€😀\ndata: \u2028\n\n', [event('ä€😀\n\u2028')]],
  ['a colon in the data', 'data: a: b:c\n\n', [event('a: b:c')]],
];

const bytesOf = (text: string): Uint8Array => new TextEncoder().encode(text);

function readIn<Text extends string | Uint8Array>(whole: Text, cuts: readonly number[]): ServerSentEvent[] {
  const reader = new EventReader();
  let from = 0;
  return [...cuts, whole.length].flatMap((to) => {
    const events = reader.feed(whole.slice(from, to));
    from = to;
    return events;
  });
}

test.each(CASES)('%s, at every split and byte by byte', (_, text, expected) => {
  for (const whole of [text, bytesOf(text)]) {
    const all = Array.from({ length: whole.length + 1 }, (_, at) => at);
    expect(readIn(whole, all)).toEqual(expected);
    for (const at of all) expect(readIn(whole, [at]), `split at ${at}`).toEqual(expected);
  }
});

test('ill-formed UTF-8 becomes U+FFFD', () => {
  const bytes = Uint8Array.of(...bytesOf('data: a'), 0xff, 0xe2, 0x82, ...bytesOf('b\n\n'));
  for (let at = 0; at <= bytes.length; at++) expect(readIn(bytes, [at])).toEqual([event('a\ufffd\ufffdb')]);
});

test('retry is told as the standard reads it', () => {
  const reader = new EventReader();
  reader.feed('retry: 1e3\n');
  expect(reader.retry).toBe(null);
  reader.feed('retry: 1500\n');
  expect(reader.retry).toBe(1500);
});

const PARTS = [
  'data', 'event', 'id', 'retry', ':', ' ', '\r', '\n', '\r\n', '\n\n', '\r\n\r\n', 'a', '\0', '\ufeff', '€', '7',
  'data: x\n', 'data:', '\u0085',
];

/** The standard's algorithm on the whole text. */
function plainly(text: string): ServerSentEvent[] {
  const events: ServerSentEvent[] = [];
  let [name, id] = ['', ''];
  let data = '';
  const lines = text.replace(/^\ufeff/, '').split(/\r\n|\r|\n/).slice(0, -1);
  for (const line of lines) {
    if (line === '') {
      if (data !== '') events.push(event(data.replace(/\n$/, ''), name === '' ? 'message' : name, id));
      data = name = '';
      continue;
    }
    const [, field, value = ''] = /^([^:]*)(?:: ?([^]*))?$/.exec(line)!;
    if (field === 'data') data += `${value}\n`;
    if (field === 'event') name = value;
    if (field === 'id' && !value.includes('\0')) id = value;
  }
  return events;
}

const INPUTS = runs(20_000);
test(`${INPUTS} random streams in random cuts (OPENCHATML_SEED=${SEED})`, () => {
  const random = randomOf(SEED);
  for (let run = 0; run < INPUTS; run++) {
    const text = Array.from({ length: random.below(30) }, () => random.pick(PARTS)).join('');
    const told = `OPENCHATML_SEED=${SEED}, run ${run}: ${JSON.stringify(text)}`;
    for (const whole of [text, bytesOf(text)]) {
      const cuts = Array.from({ length: whole.length }, (_, at) => at).filter(() => random.once(3));
      expect(readIn(whole, cuts), told).toEqual(plainly(text));
    }
  }
});

describe('bounds', () => {
  test('a line that is too long is refused as soon as it is', () => {
    const reader = new EventReader({ longest: 10 });
    expect(reader.feed('data: 1234\n\n')).toEqual([event('1234')]);
    expect(() => reader.feed('data: 12345')).toThrow(ModelError);
  });

  test('so is an event of many lines', () => {
    const reader = new EventReader({ longest: 10 });
    expect(() => reader.feed('data: 1234\n'.repeat(3))).toThrow('an event is longer than 10 characters');
  });
});

test('what is written is read, and a source that is left is closed', async () => {
  let isClosed = false;
  const source = async function* () {
    try {
      for (let at = 0; ; at++) yield serverSentEvent({ type: 'tick', text: `a\n\r\u2028${at}` });
    } finally {
      isClosed = true;
    }
  };
  for await (const { event: name, data } of readServerSentEvents(source())) {
    expect([name, JSON.parse(data)]).toEqual(['tick', { type: 'tick', text: 'a\n\r\u20280' }]);
    break;
  }
  expect(isClosed).toBe(true);
});
