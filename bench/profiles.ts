// What each corpus is like. A profile is data: how long bodies are, what they are made of, how often tools are called.
import type { PoolName } from './text.ts';

export interface Profile {
  name: string;
  /** Other names that the command line takes. */
  aliases: readonly string[];
  about: string;
  /** Body lengths in bytes: a share of the messages and its range. */
  sizes: readonly { share: number; min: number; max: number }[];
  /** What the bodies of users and answers are made of. */
  text: readonly { share: number; pool: PoolName }[];
  /** Mean number of turns (a user message up to its answer) in a transcript; 0: the file is one transcript. */
  turns: number;
  /** How likely a turn thinks before it answers, and calls tools. */
  analysis: number;
  calls: number;
  /** How likely a message quotes control tokens by escapes, or in a literal block. */
  escapes: number;
  literals: number;
}

const MIXED_SIZES = [
  { share: 0.45, min: 20, max: 200 },
  { share: 0.5, min: 1024, max: 4096 },
  { share: 0.05, min: 6144, max: 40_960 },
];

const USUAL = { analysis: 0.6, calls: 0.2, escapes: 0.005, literals: 0.008 };

export const PROFILES: readonly Profile[] = [
  {
    ...USUAL,
    name: 'mixed',
    aliases: ['mix'],
    about: 'short and long messages, prose, six scripts, code, tool calls',
    sizes: MIXED_SIZES,
    text: [
      { share: 0.48, pool: 'english' },
      { share: 0.14, pool: 'scripts' },
      { share: 0.38, pool: 'code' },
    ],
    turns: 8,
  },
  {
    ...USUAL,
    name: 'chat',
    aliases: ['dense'],
    about: 'bodies of 20 to 200 bytes: the most tokens a byte',
    sizes: [
      { share: 0.4, min: 20, max: 80 },
      { share: 0.6, min: 80, max: 200 },
    ],
    text: [
      { share: 0.7, pool: 'english' },
      { share: 0.1, pool: 'scripts' },
      { share: 0.2, pool: 'code' },
    ],
    turns: 6,
  },
  {
    ...USUAL,
    name: 'prose',
    aliases: [],
    about: 'long English prose, the whole file one transcript',
    sizes: [{ share: 1, min: 2048, max: 20_480 }],
    text: [{ share: 1, pool: 'english' }],
    turns: 0,
    calls: 0,
  },
  {
    ...USUAL,
    name: 'code',
    aliases: [],
    about: 'bodies of 4 to 40 KB of HTML, XML, TSX, C++, F#: the most `<` that start no token',
    sizes: [{ share: 1, min: 4096, max: 40_960 }],
    text: [{ share: 1, pool: 'code' }],
    turns: 0,
    calls: 0,
  },
  {
    ...USUAL,
    name: 'multilingual',
    aliases: ['multi'],
    about: '85 % text in six scripts other than Latin',
    sizes: MIXED_SIZES,
    text: [
      { share: 0.15, pool: 'english' },
      { share: 0.85, pool: 'scripts' },
    ],
    turns: 8,
    calls: 0.05,
  },
  {
    ...USUAL,
    name: 'calls',
    aliases: [],
    about: 'a tool call in nearly every turn, JSON bodies',
    sizes: [
      { share: 0.7, min: 40, max: 400 },
      { share: 0.3, min: 400, max: 4096 },
    ],
    text: [{ share: 1, pool: 'english' }],
    turns: 5,
    calls: 0.9,
  },
];

/** The share of messages that quote a control token of another dialect, which is plain text. */
export const FOREIGN = 0.002;
