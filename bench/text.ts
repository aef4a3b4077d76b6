// Pools of text that message bodies are cut from. A body is a slice at a random place of a pool of some megabytes:
// cheap to write, and never the same short cycle of bytes, which a branch predictor would learn by heart.
import { Random } from './random.ts';
import { BARS, CODE, EMOJI, ENGLISH, IDENTIFIERS, SCRIPTS } from './words.ts';

export type PoolName = 'english' | 'scripts' | 'code' | 'json-text' | 'json-code';

export interface Slice {
  bytes: Buffer;
  from: number;
  to: number;
}

const LESS_THAN = 0x3c;
const SPACE = 0x20;
/** Room at the end of a pool for stepping to the next place where a cut is allowed. */
const MARGIN = 4096;

export class Pool {
  readonly bytes: Buffer;
  /** Cut only after a space: in JSON-escaped text a cut elsewhere could split an escape sequence. */
  readonly #spaced: boolean;

  constructor(text: string, spaced: boolean) {
    this.bytes = Buffer.from(text, 'utf8');
    this.#spaced = spaced;
  }

  /** A slice of about `length` bytes of whole code points that does not end in `<`, which would escape a terminator. */
  slice(random: Random, length: number, into: Slice): Slice {
    const room = this.bytes.length - MARGIN;
    const wanted = Math.min(Math.floor(length), room - 1);
    into.bytes = this.bytes;
    into.from = this.#cut(random.below(room - wanted));
    into.to = this.#cut(into.from + wanted);
    while (into.to > into.from && this.bytes[into.to - 1] === LESS_THAN) into.to--;
    return into;
  }

  #cut(at: number): number {
    const { bytes } = this;
    if (this.#spaced) while (at > 0 && bytes[at - 1] !== SPACE) at++;
    else while (((bytes[at] as number) & 0xc0) === 0x80) at++;
    return at;
  }
}

/** The pools of one corpus, each made when it is first needed, each from a random stream of its own. */
export class Pools {
  readonly #seed: number;
  readonly #size: number;
  readonly #made = new Map<PoolName, Pool>();

  constructor(seed: number, size: number) {
    this.#seed = seed;
    this.#size = size;
  }

  get(name: PoolName): Pool {
    let pool = this.#made.get(name);
    if (pool === undefined) {
      const random = new Random(this.#seed, `pool ${name}`);
      const escaped = name.startsWith('json');
      const text = fill(this.#size, SOURCES[name], random);
      pool = new Pool(escaped ? JSON.stringify(text).slice(1, -1) : text, escaped);
      this.#made.set(name, pool);
    }
    return pool;
  }
}

const SOURCES: Record<PoolName, (random: Random) => string> = {
  english,
  scripts,
  code,
  'json-text': (random) => (random.chance(0.2) ? scripts(random) : english(random)),
  'json-code': code,
};

function fill(size: number, source: (random: Random) => string, random: Random): string {
  const pieces: string[] = [];
  for (let length = 0; length < size; ) {
    const piece = source(random);
    pieces.push(piece);
    length += Buffer.byteLength(piece);
  }
  return pieces.join('');
}

function sentence(words: readonly string[], space: string, stop: string, random: Random): string {
  let text = '';
  for (let left = 5 + random.below(14); left > 0; left--) {
    // Squaring prefers the front of the list, as languages prefer their common words.
    const u = random.unit();
    text += words[Math.floor(u * u * words.length)];
    if (left > 1) text += random.chance(0.06) ? `,${space || ' '}` : space;
  }
  return text + stop;
}

function english(random: Random): string {
  const kind = random.unit();
  const text = sentence(ENGLISH, ' ', '. ', random);
  if (kind < 0.05) return `\n\n## ${text}\n\n`;
  if (kind < 0.13) return `\n- **${random.pick(ENGLISH)}**: ${text}`;
  if (kind < 0.15) return `${text}If ${random.pick(IDENTIFIERS)} < ${random.below(100)}, <${random.pick(ENGLISH)}>. `;
  if (kind < 0.16) return `${text}“${random.pick(ENGLISH)}” – naïve ${random.pick(EMOJI)} `;
  return kind < 0.25 ? `${text}\n\n` : text;
}

function scripts(random: Random): string {
  const { words, space, stop } = random.pick(SCRIPTS);
  // A paragraph stays in one script.
  let text = '';
  for (let left = 2 + random.below(6); left > 0; left--) text += sentence(words, space, stop, random);
  if (random.chance(0.1)) text += random.pick(EMOJI);
  return `${text}\n`;
}

function code(random: Random): string {
  const template = random.pick(random.chance(0.014) ? BARS : CODE);
  return template.replace(/\$[iwn]/g, (slot) => {
    if (slot === '$i') return random.pick(IDENTIFIERS);
    return slot === '$w' ? random.pick(ENGLISH) : String(random.below(1000));
  });
}
