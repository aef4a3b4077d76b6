// JSON pointers (RFC 6901) to what findings in chat records are about: the part of an entry, not only where it begins.

import type { RuleName } from '../../errors.ts';
import { pointerTo } from '../../tools/json.ts';
import type { JsonPlace } from './json-place.ts';

/** A value of a record, with its pointer, which most are never asked for. */
export class Spot {
  readonly place: JsonPlace;
  readonly #outer: Spot | string;
  readonly #step: string | number;

  /** `outer`: the value that it stands in, at `step`; or the pointer of a value that is looked at by itself. */
  constructor(place: JsonPlace, outer: Spot | string, step: string | number = '') {
    this.place = place;
    this.#outer = outer;
    this.#step = step;
  }

  get pointer(): string {
    return typeof this.#outer === 'string' ? this.#outer : pointerTo(this.#outer.pointer, this.#step);
  }

  /** A member of an object; null: there is none. */
  member(name: string): Spot | null {
    const inner = this.place.inner instanceof Map ? this.place.inner.get(name) : undefined;
    return inner === undefined ? null : new Spot(inner, this, name);
  }

  /** An item of a list; null: there is none. */
  item(index: number): Spot | null {
    const inner = Array.isArray(this.place.inner) ? this.place.inner[index] : undefined;
    return inner === undefined ? null : new Spot(inner, this, index);
  }

  get items(): number {
    return Array.isArray(this.place.inner) ? this.place.inner.length : 0;
  }
}

/** What a call's finding is about; what is not named here is about the call itself. */
const OF_CALL: Partial<Record<RuleName, 'name' | 'id' | 'arguments'>> = {
  'unknown-tool': 'name',
  'duplicate-call-id': 'id',
  'invalid-arguments': 'arguments',
};

/** What a reply's finding is about, and that of any message. */
const OF_MESSAGE: Partial<Record<RuleName, readonly string[]>> = {
  'unmatched-reply': ['tool_call_id', 'tool_use_id', 'call_id'],
  'duplicate-reply': ['tool_call_id', 'tool_use_id', 'call_id'],
  'unknown-role': ['role'],
  'unknown-channel': ['channel'],
};

/** Where the parts of a call stand, in the notations that there are. */
const PARTS = {
  name: [['function', 'name'], ['custom', 'name'], ['name'], ['recipient']],
  id: [['id'], ['call_id']],
  arguments: [['function', 'arguments'], ['custom', 'input'], ['arguments'], ['input']],
} as const;

const CONTENTS = ['content', 'value', 'output', 'refusal'] as const;
const THOUGHTS = ['thinking', 'reasoning_content', 'reasoning'] as const;

/** The calls of one entry, or its replies: content may be made of several. */
export class EntryCalls {
  readonly #entry: Spot;
  #blocks: { readonly calls: readonly Spot[]; readonly replies: readonly Spot[] } | undefined;

  constructor(entry: Spot) {
    this.#entry = entry;
  }

  /** The one of a number, from 0; the entry where the calls are not found. */
  call(number: number): Spot {
    const entry = this.#entry;
    const list = entry.member('tool_calls');
    return list?.item(number) ?? entry.member('function_call') ?? entry.member('tool_call')
      ?? this.#blocksOf().calls[number - (list?.items ?? 0)] ?? entry;
  }

  /** The reply of a number. */
  reply(number: number): Spot {
    return this.#blocksOf().replies[number] ?? this.#entry;
  }

  #blocksOf(): { readonly calls: readonly Spot[]; readonly replies: readonly Spot[] } {
    if (this.#blocks === undefined) {
      const content = this.#entry.member('content');
      const all = Array.from({ length: content?.items ?? 0 }, (_, i) => content!.item(i)!);
      const having = (...names: string[]): Spot[] =>
        all.filter((block) => names.every((name) => block.member(name) !== null));
      this.#blocks = { calls: having('name', 'input'), replies: having('tool_use_id') };
    }
    return this.#blocks;
  }

  /** The part of a call that a finding is about. `inBody`: it stands in the arguments. */
  spot(number: number, rule: RuleName, inBody: boolean): Spot {
    const call = this.call(number);
    const part = inBody ? 'arguments' : OF_CALL[rule];
    if (part === undefined) return call;
    for (const path of PARTS[part]) {
      const found = path.reduce<Spot | null>((spot, name) => spot && spot.member(name), call);
      if (found !== null) return found;
    }
    return call;
  }
}

/** The part of an entry, or of a reply in it, that a finding is about. */
export function messageSpot(entry: Spot, rule: RuleName, inBody: boolean, isThought: boolean): Spot {
  const spots = inBody ? contentSpots(entry, isThought) : spotsOf(entry, OF_MESSAGE[rule] ?? []);
  return spots[0] ?? entry;
}

/** The members that may be the text of a message. */
export function contentSpots(entry: Spot, isThought: boolean): readonly Spot[] {
  return spotsOf(entry, isThought ? [...THOUGHTS, 'content'] : CONTENTS);
}

function spotsOf(entry: Spot, names: readonly string[]): readonly Spot[] {
  return names.map((name) => entry.member(name)).filter((spot) => spot !== null);
}
