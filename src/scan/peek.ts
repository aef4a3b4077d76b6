// Detection's one question: which dialect's control token comes first after a position (R-DETECT)?

import { ENDLITERAL } from '../abi.ts';
import { ANY_TOKENS, DIALECTS } from './dialects.ts';
import type { Source } from './source.ts';

export type Family = '2.x' | '0.1' | 'none';

const ENCODER = new TextEncoder();
export const LT = 0x3c;
const STEP = 64 * 1024;
const KEEP = 32;

const frameIds = new Set(DIALECTS['openchatml-2.2'].tokens.map((token) => token.id).filter((id) => id <= ENDLITERAL));

const NONE: readonly never[] = [];
const byThird = new Map<number, { bytes: Uint8Array; family: Family }[]>();
for (const { id, text } of ANY_TOKENS) {
  const bytes = ENCODER.encode(text);
  const list = byThird.get(bytes[2]!) ?? [];
  list.push({ bytes, family: frameIds.has(id) ? '2.x' : '0.1' });
  byThird.set(bytes[2]!, list);
}

/** The first whole control token in `bytes` from `from` on: its family, and where it is; 'none' at the end. */
export function findFamily(bytes: Uint8Array, from: number): { family: Family; at: number } {
  for (let at = bytes.indexOf(LT, from); at >= 0; at = bytes.indexOf(LT, at + 1)) {
    const family = bytes[at + 1] === 0x7c ? familyAt(bytes, at) : 'none';
    if (family !== 'none') return { family, at };
  }
  return { family: 'none', at: bytes.length };
}

/** The family of the first whole control token in `bytes`; 'none' when they hold none. */
export const familyIn = (bytes: Uint8Array): Family => findFamily(bytes, 0).family;

function familyAt(bytes: Uint8Array, at: number): Family {
  for (const token of byThird.get(bytes[at + 2]!) ?? NONE) {
    let same = 0;
    while (same < token.bytes.length && bytes[at + same] === token.bytes[same]) same++;
    if (same === token.bytes.length) return token.family;
  }
  return 'none';
}

/**
 * Finds the first control token of any dialect; remembers the last answer, so that asking for each header stays linear.
 */
export class Peek {
  readonly #source: Source;
  #asked = -1;
  #found = -1;
  #family: Family = 'none';

  constructor(source: Source) {
    this.#source = source;
  }

  /** The family of the first control token that begins at or after `from`; 'none' when the input holds none. */
  familyAfter(from: number): Family {
    if (this.#asked >= 0 && this.#asked <= from && from <= this.#found) return this.#family;
    this.#asked = from;
    let at = from;
    let step = 256;
    while (true) {
      const bytes = this.#source.bytes(at, at + step + KEEP);
      const end = Math.min(bytes.length, step);
      for (let p = bytes.indexOf(LT); p >= 0 && p < end; p = bytes.indexOf(LT, p + 1)) {
        if (bytes[p + 1] !== 0x7c) continue;
        this.#family = familyAt(bytes, p);
        if (this.#family !== 'none') {
          this.#found = at + p;
          return this.#family;
        }
      }
      if (bytes.length < step + KEEP) {
        this.#found = Infinity;
        this.#family = 'none';
        return 'none';
      }
      at += step;
      step = STEP;
    }
  }
}
