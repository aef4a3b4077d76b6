// Makes message bodies as lists of parts: slices of text, quoted control tokens, thought markers, JSON of tool calls.
import { type Notation, textualTokens, token } from './notation.ts';
import { FOREIGN, type Profile } from './profiles.ts';
import type { Random } from './random.ts';
import type { Pools, Slice } from './text.ts';

/**
 * text: as it stands · escape: a control token to be written with a doubled `<` · literal: the content of a literal
 * block · mark: a thought marker
 */
export type PartKind = 'text' | 'escape' | 'literal' | 'mark';

export interface Part extends Slice {
  kind: PartKind;
  /** The control tokens whose bytes stand in it. */
  tokens: Readonly<Record<string, number>>;
}

interface Fixed {
  name: string;
  bytes: Buffer;
  tokens: Readonly<Record<string, number>>;
}

const NONE: Readonly<Record<string, number>> = {};

function fixed(text: string, notation: Notation, name = ''): Fixed {
  return { name, bytes: Buffer.from(text), tokens: textualTokens(text, notation) };
}

const ESCAPED = ['start', 'end', 'message', 'channel', 'call', 'return', 'constrain', 'literal', 'endliteral'].map(
  (name) => fixed(token(name), 'openchatml-2.2', name),
);

const QUOTED = [
  '\n<|start|><|channel|><|message|><|end|>\n',
  '<|start|>assistant<|channel|>final<|message|>Hello.<|return|>',
  'a <<|end|> b < ',
  'The tokens are <|start|>, <|end|>, <|call|> and <|literal|>.\n',
  '<|end|>',
  '',
].map((text) => fixed(text, 'openchatml-2.2'));

const FOREIGN_TOKENS: Record<Notation, readonly Fixed[]> = {
  'openchatml-2.2': ['im_start', 'im_end', 'fim_prefix'].map((name) => fixed(token(name), 'openchatml-2.2')),
  'openchatml-0.1': ['start', 'message', 'end'].map((name) => fixed(token(name), 'openchatml-0.1')),
  harmony: ['literal', 'endliteral', 'im_end'].map((name) => fixed(token(name), 'harmony')),
};

const THOUGHTS = ['reason', 'reflect', 'introspect'];
const MARKED = 0.03;

/** JSON bodies are put together here; a message of 40 KB takes at most twice that. */
const SCRATCH = 1 << 17;

export class Body {
  readonly parts: Part[] = [];
  readonly #profile: Profile;
  readonly #notation: Notation;
  readonly #random: Random;
  readonly #pools: Pools;
  /** Parts are used again for every message, so that writing a corpus makes little garbage. */
  readonly #spare: Part[] = [];
  readonly #scratch = Buffer.alloc(SCRATCH);
  #length = 0;

  constructor(profile: Profile, notation: Notation, random: Random, pools: Pools) {
    this.#profile = profile;
    this.#notation = notation;
    this.#random = random;
    this.#pools = pools;
  }

  clear(): void {
    while (this.parts.length > 0) this.#spare.push(this.parts.pop() as Part);
    this.#length = 0;
  }

  /** What a user or an assistant says, with thought markers now and then when `thoughts` may stand in it. */
  text(thoughts: boolean): void {
    const random = this.#random;
    const { text, escapes, literals } = this.#profile;
    const length = this.#size();
    const pool = this.#pools.get(random.share(text).pool);
    const rich = this.#notation === 'openchatml-2.2';
    const dice = random.unit();
    const slice = (bytes: number): void => void pool.slice(random, bytes, this.#part('text'));
    if (rich && dice < escapes) {
      const times = 1 + random.below(3);
      for (let i = 0; i < times; i++) {
        slice(length / (times + 1));
        this.#fixed('escape', random.pick(ESCAPED));
      }
      slice(length / (times + 1));
    } else if (rich && dice < escapes + literals) {
      slice(length / 3);
      const quoted = random.pick(QUOTED);
      this.#fixed('literal', quoted);
      if (random.chance(0.7)) slice(length / 2);
    } else if (dice > 1 - FOREIGN) {
      slice(length / 2);
      this.#fixed('text', random.pick(FOREIGN_TOKENS[this.#notation]));
      slice(length / 2);
    } else if (thoughts && random.chance(MARKED)) {
      const name = random.pick(THOUGHTS);
      this.#mark(`start_${name}`);
      slice(length / 2);
      this.#mark(`end_${name}`);
      slice(length / 2);
    } else slice(length);
  }

  prompt(text: string): void {
    this.#write(text);
    this.#flush();
    this.#pools.get('english').slice(this.#random, this.#size(), this.#part('text'));
  }

  program(): void {
    this.#pools.get('code').slice(this.#random, this.#size(), this.#part('text'));
  }

  /** The arguments of a call; they hold to the definitions in the developer message. */
  call(tool: string): void {
    const name = tool.replace('functions.', '');
    const old = this.#notation === 'openchatml-0.1';
    if (old) this.#write('{"arguments": ');
    const length = this.#size();
    if (name === 'write_file' || name === 'python') {
      this.#write(name === 'python' ? '{"code":"' : '{"path":"src/main.ts","content":"');
      this.#quote('json-code', length - 40);
      this.#write('"}');
    } else if (name === 'lookup_weather') {
      this.#write(`{"location":"Tokyo","format":"${this.#random.chance(0.5) ? 'celsius' : 'fahrenheit'}"}`);
    } else {
      this.#write('{"query":"');
      this.#quote('json-text', length - 40);
      this.#write(`","limit":${1 + this.#random.below(50)}}`);
    }
    if (old) this.#write(`, "name": "${name}"}`);
    this.#flush();
  }

  reply(tool: string): void {
    const length = this.#size();
    const random = this.#random;
    if (this.#notation === 'openchatml-0.1') this.#write(`{"name": "${tool.replace('functions.', '')}", "content": `);
    else this.#write('{"ok":true,"content":');
    this.#write('{"results":[');
    do {
      this.#write(`{"id":${random.below(1_000_000)},"score":0.${random.below(1000)},"title":"`);
      this.#quote('json-text', 10 + random.below(50));
      this.#write('","text":"');
      this.#quote(random.chance(0.3) ? 'json-code' : 'json-text', Math.min(length, 20 + random.below(1000)));
      this.#write('"},');
    } while (this.#length < length);
    // The comma of the last row gives way to the end of the list.
    this.#length--;
    this.#write(this.#notation === 'openchatml-0.1' ? ']}}' : '],"total":null},"error":null}');
    this.#flush();
  }

  #size(): number {
    const { min, max } = this.#random.share(this.#profile.sizes);
    return this.#random.length(min, max);
  }

  #part(kind: PartKind): Part {
    const part = this.#spare.pop() ?? { kind, bytes: this.#scratch, from: 0, to: 0, tokens: NONE };
    part.kind = kind;
    part.tokens = NONE;
    this.parts.push(part);
    return part;
  }

  #fixed(kind: PartKind, { bytes, tokens }: Fixed): void {
    const part = this.#part(kind);
    part.bytes = bytes;
    part.from = 0;
    part.to = bytes.length;
    part.tokens = tokens;
  }

  #mark(name: string): void {
    this.#fixed('mark', { name, bytes: MARKS[name] as Buffer, tokens: { [name]: 1 } });
  }

  #write(text: string): void {
    this.#length += this.#scratch.write(text, this.#length, 'latin1');
  }

  #quote(pool: 'json-text' | 'json-code', length: number): void {
    const slice = this.#pools.get(pool).slice(this.#random, Math.max(8, length), QUOTE);
    this.#length += slice.bytes.copy(this.#scratch, this.#length, slice.from, slice.to);
  }

  #flush(): void {
    const part = this.#part('text');
    part.bytes = this.#scratch;
    part.from = 0;
    part.to = this.#length;
  }
}

const QUOTE: Slice = { bytes: Buffer.alloc(0), from: 0, to: 0 };

const MARKS: Readonly<Record<string, Buffer>> = Object.fromEntries(
  THOUGHTS.flatMap((name) => [`start_${name}`, `end_${name}`]).map((name) => [name, Buffer.from(token(name))]),
);
