// What a user of Node would write or use instead, in this process. Some are wrong on escapes, literal blocks and
// document headers, as such code is; the tables show by how much.
import { readFileSync } from 'node:fs';
import { ByteReader, type Search, countBytes } from './byte-reader.ts';
import { readChunks } from './chunks.ts';
import type { Contender, MemoryContender } from './contender.ts';
import type { JsonlCorpus } from './corpus.ts';
import { type Answer, bump } from './counts.ts';
import { type Notation, opener, token } from './notation.ts';

/** Above this many bytes a file is read as several strings: no JavaScript string holds more than 536,870,888 units. */
const WHOLE = 500_000_000;
const LINE_FEED = 0x0a;

const START_FORM =
  /<\|start\|>([^<]*)(?:<\|channel\|>([^<]*))?(?:<\|constrain\|>([^<]*))?<\|message\|>([^]*?)<\|(end|call|return)\|>/g;
const IM_FORM = /<\|im_start\|>([^\n]*)()()\n([^]*?)\n<\|(im_end)\|>/g;

/** The parser of twenty lines that most tools begin with. On messages that never end it is quadratic. */
function parseByRegex(text: string, notation: Notation): object[] {
  const messages: object[] = [];
  const form = notation === 'openchatml-0.1' ? IM_FORM : START_FORM;
  for (const [, header = '', channel = 'final', type = '', content, end] of text.matchAll(form)) {
    const [role, ...attributes] = header.split(' ');
    messages.push({ role, attributes, channel, type, content, end });
  }
  return messages;
}

function regexOnFile(path: string, notation: Notation, bytes: number): Answer {
  if (bytes <= WHOLE) return { messages: parseByRegex(readFileSync(path, 'utf8'), notation).length };
  const start = token(opener(notation));
  const buffer = Buffer.allocUnsafe(1 << 26);
  let messages = 0;
  readChunks(path, buffer, (length, last) => {
    // One string at a time, cut where a message starts.
    const at = last ? length : buffer.subarray(0, length).lastIndexOf(start);
    const cut = at > 0 ? at : length;
    messages += parseByRegex(buffer.toString('utf8', 0, cut), notation).length;
    return length - cut;
  });
  return { messages };
}

function indexOfOnFile(path: string, notation: Notation): Answer {
  const start = Buffer.from(token(opener(notation)));
  const buffer = Buffer.allocUnsafe(1 << 19);
  let openers = 0;
  readChunks(path, buffer, (length, last) => {
    openers += occurrences(buffer.subarray(0, length), start);
    // Fewer bytes than a token has: none is counted twice.
    return last ? 0 : Math.min(length, start.length - 1);
  });
  return { openers };
}

function occurrences(bytes: Buffer, needle: Buffer): number {
  let count = 0;
  for (let at = bytes.indexOf(needle); at >= 0; at = bytes.indexOf(needle, at + needle.length)) count++;
  return count;
}

function jsonLines({ path }: JsonlCorpus): Answer {
  const buffer = Buffer.allocUnsafe(1 << 25);
  const roles: Record<string, number> = {};
  let messages = 0;
  readChunks(path, buffer, (length, last) => {
    let from = 0;
    for (let to = 0; ; from = to + 1) {
      to = buffer.subarray(0, length).indexOf(LINE_FEED, from);
      if (to < 0) break;
      const line = JSON.parse(buffer.toString('utf8', from, to)) as { messages: { role: string }[] };
      messages += line.messages.length;
      for (const { role } of line.messages) bump(roles, role);
    }
    return last ? 0 : length - from;
  });
  return { messages, roles };
}

function readOnly(size: number): Contender {
  const buffer = Buffer.allocUnsafe(size);
  return {
    name: `read ${size >> 10} KiB`,
    does: 'fs.readSync into one buffer, nothing else: the ceiling of any reader in this process',
    exact: true,
    hostile: size === 1 << 18,
    run({ path }) {
      let bytes = 0;
      readChunks(path, buffer, (length) => {
        bytes += length;
        return 0;
      });
      return { bytes };
    },
  };
}

export const RIVALS: readonly Contender[] = [
  readOnly(1 << 18),
  readOnly(1 << 19),
  {
    name: 'Buffer.indexOf',
    does: 'places of the start token, in 512 KiB pieces; also those in escapes, literal blocks and document headers',
    exact: true,
    run: ({ path, notation }) => indexOfOnFile(path, notation),
  },
  {
    name: 'byte loop',
    does: 'messages, tokens, escapes and literal blocks, by a careful JavaScript loop in 512 KiB pieces',
    exact: true,
    hostile: true,
    run: ({ path, notation }) => countBytes(path, notation, 'loop'),
  },
  {
    name: 'byte search',
    does: "the same, with the engine's indexOf to find the next `<`",
    exact: true,
    hostile: true,
    run: ({ path, notation }) => countBytes(path, notation, 'indexOf'),
  },
  {
    name: 'regex parser',
    does: 'the parser of 20 lines: file as a UTF-8 string, one regex, an object a message; no escapes, no literals',
    exact: false,
    run: ({ path, notation, counts }) => regexOnFile(path, notation, counts.bytes),
  },
  {
    name: 'JSON.parse',
    does: 'the same chats as JSON lines, each line decoded and parsed; GB/s of the transcript file, not of the JSON',
    exact: true,
    jsonl: true,
    run: ({ jsonl }) => jsonLines(jsonl as JsonlCorpus),
  },
];

function countInMemory(bytes: Buffer, notation: Notation, search: Search): Answer {
  const reader = new ByteReader(notation, search);
  reader.read(bytes, 0, bytes.length, true);
  return reader.answer();
}

export const RIVALS_IN_MEMORY: readonly MemoryContender[] = [
  {
    name: 'Buffer.indexOf',
    does: 'places of the start token in bytes',
    exact: true,
    run: ({ bytes, notation }) => ({ openers: occurrences(bytes, Buffer.from(token(opener(notation)))) }),
  },
  {
    name: 'string.indexOf',
    does: 'places of the start token in a string that is ready',
    exact: true,
    run({ text, notation }) {
      const start = token(opener(notation));
      let openers = 0;
      for (let at = text.indexOf(start); at >= 0; at = text.indexOf(start, at + start.length)) openers++;
      return { openers };
    },
  },
  {
    name: 'byte loop',
    does: 'messages, tokens, escapes and literal blocks in bytes',
    exact: true,
    run: ({ bytes, notation }) => countInMemory(bytes, notation, 'loop'),
  },
  {
    name: 'byte search',
    does: "the same, with the engine's indexOf to find the next `<`",
    exact: true,
    run: ({ bytes, notation }) => countInMemory(bytes, notation, 'indexOf'),
  },
  {
    name: 'regex parser',
    does: 'the parser of 20 lines on a string that is ready',
    exact: false,
    run: ({ text, notation }) => ({ messages: parseByRegex(text, notation).length }),
  },
  {
    name: 'decode + regex',
    does: 'bytes to a string, then the same',
    exact: false,
    run: ({ bytes, notation }) => ({ messages: parseByRegex(bytes.toString('utf8'), notation).length }),
  },
];
