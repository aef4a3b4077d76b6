// Content types: which bodies are checked, where a finding stands in the input, and what becomes of a caller's checks.
import { describe, expect, test } from 'vitest';
import type { Message } from '../../src/model/message.ts';
import { type Parsed, parseOn } from '../../src/model/parse.ts';
import type { Machine } from '../../src/scan/machine.ts';
import { Twin } from '../../src/scan/twin/twin.ts';
import { WasmMachine } from '../../src/scan/wasm.ts';
import {
  checkContent, type ContentCheck, type ContentOptions, constraintsOf, parseJson,
} from '../../src/rules/constraint.ts';
import { type Random, randomOf, SEED } from '../random.ts';
import { jsonFault } from '../reference/json.ts';

const machine = new WasmMachine();
const encoder = new TextEncoder();

/** A source over bytes that remembers how much it was asked for at once. */
class Watched {
  readonly #bytes: Uint8Array;
  most = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
  }

  bytes(from: number, to: number): Uint8Array {
    this.most = Math.max(this.most, to - from);
    return this.#bytes.subarray(from, to);
  }
}

function messageOf(input: string | Uint8Array, options = {}): { message: Message; source: Watched; parsed: Parsed } {
  const parsed = parseOn(machine, input, options);
  return { message: [...parsed.messages()][0]!, source: new Watched(parsed.bytes), parsed };
}

/** The finding as a line of text: the rule, and the input with brackets around the span. */
function shown(input: string, options: ContentOptions = {}, on: Machine = machine): string | null {
  const { message, source } = messageOf(input, { dialect: 'openchatml-2.2' });
  const finding = checkContent(on, message, source, constraintsOf(options));
  if (!finding) return null;
  const { rule, from, to, detail } = finding;
  const bytes = Buffer.from(input);
  const cut = (a: number, b?: number): string => bytes.subarray(a, b).toString();
  return `${rule}${detail ? ` (${detail})` : ''}: ${cut(0, from)}[${cut(from, to)}]${cut(to)}`;
}

const json = (body: string, end = '<|end|>'): string => `<|start|>assistant<|constrain|>json<|message|>${body}${end}`;
const JSON_HEAD = '<|start|>assistant<|constrain|>json<|message|>';

describe('what is checked', () => {
  test.each([
    ['json that holds', json(' {"a": [1, "é"]}\n')],
    ['any value', json('"text"')],
    ['no type', '<|start|>user<|message|>{<|end|>'],
    ['text', '<|start|>user<|constrain|>text<|message|>{<|end|>'],
    ['markdown', '<|start|>user content_type=markdown<|message|>{<|end|>'],
    ['a prompt that waits for its completion', '<|start|>assistant content_type=json'],
    ['escapes are undone', json('{"a":"<<|end|>"}')],
    ['literal tokens are no content', json('<|literal|>{"a":"<|end|>"}<|endliteral|>')],
  ])('nothing is found: %s', (_, input) => {
    expect(shown(input)).toBeNull();
  });

  test('nothing is found: a character that literal tokens divide in two', () => {
    const input = Buffer.from(json('"<|literal|>\xe2\x82<|endliteral|>\xac"'), 'latin1');
    const { message, source } = messageOf(input, { dialect: 'openchatml-2.2' });
    expect(checkContent(machine, message, source, constraintsOf())).toBeNull();
    expect(parseJson(machine, message, source)).toEqual({ ok: true, value: '€' });
  });

  test('0.1 has no content types', () => {
    const { message, source } = messageOf('<|im_start|>assistant content_type=json\n{<|im_end|>', {
      dialect: 'openchatml-0.1',
    });
    expect(message.contentType).toBe('json');
    expect(checkContent(machine, message, source, constraintsOf())).toBeNull();
  });

  test.each([
    [json('{"a": b}'), `invalid-json: ${JSON_HEAD}{"a": [b]}<|end|>`],
    [json('é'), `invalid-json: ${JSON_HEAD}[é]<|end|>`],
    [json(''), `invalid-json (it ends too early): ${JSON_HEAD}[]<|end|>`],
    [json('{"a":1'), `invalid-json (it ends too early): ${JSON_HEAD}{"a":1[]<|end|>`],
    [
      json('<|literal|>{<|endliteral|>'),
      `invalid-json (it ends too early): ${JSON_HEAD}<|literal|>{<|endliteral|>[]<|end|>`,
    ],
    [json('{"a":"<<|end|>",x}'), `invalid-json: ${JSON_HEAD}{"a":"<<|end|>",[x]}<|end|>`],
    [json('1<<|end|>'), `invalid-json: ${JSON_HEAD}1<[<]|end|><|end|>`],
    [json('1', ''), null],
    [json('{"a', ''), `invalid-json (it ends too early): ${JSON_HEAD}{"a[]`],
    ['<|start|>assistant<|constrain|>json {x<|end|>', 'invalid-json: <|start|>assistant<|constrain|>json {[x]<|end|>'],
    [
      '<|start|>assistant<|constrain|>json<|end|>',
      'invalid-json (it ends too early): <|start|>assistant<|constrain|>json[]<|end|>',
    ],
    [
      '<|start|>user content_type=json<|message|>x<|end|>',
      'hint-mismatch: <|start|>user content_type=json<|message|>[x]<|end|>',
    ],
    [
      '<|start|>user<|channel|>final json<|message|><|end|>',
      'hint-mismatch (it ends too early): <|start|>user<|channel|>final json<|message|>[]<|end|>',
    ],
    [
      '<|start|>user<|constrain|>JSON<|message|>{<|end|>',
      'unknown-content-type: <|start|>user<|constrain|>[JSON]<|message|>{<|end|>',
    ],
    [
      '<|start|>user<|constrain|>application/json<|message|>{<|end|>',
      'unknown-content-type: <|start|>user<|constrain|>[application/json]<|message|>{<|end|>',
    ],
    [
      '<|start|>user<|constrain|>__proto__<|message|>{<|end|>',
      'unknown-content-type: <|start|>user<|constrain|>[__proto__]<|message|>{<|end|>',
    ],
  ])('%j', (input, expected) => {
    expect(shown(input)).toBe(expected);
    expect(shown(input, {}, new Twin())).toBe(expected);
  });

  test('nesting is bounded, by 1,024 or what the caller says', () => {
    const nested = (levels: number): string => json('['.repeat(levels) + ']'.repeat(levels));
    expect(shown(nested(1024))).toBeNull();
    expect(shown(nested(1025))).toBe(`invalid-json: ${JSON_HEAD}${'['.repeat(1024)}[[]${']'.repeat(1025)}<|end|>`);
    expect(shown(nested(1025), { jsonDepth: 1025 })).toBeNull();
    expect(shown(json('1'), { jsonDepth: 0 })).toBeNull();
    expect(shown(json('[]'), { jsonDepth: 0 })).toBe(`invalid-json: ${JSON_HEAD}[[]]<|end|>`);
  });
});

describe('positions', () => {
  /**
   * A JSON document with a token here and there, and its spelling in a body, with the place in the body of each of its
   * bytes.
   */
  function spelled(random: Random): { content: Uint8Array; body: Uint8Array; places: number[] } {
    const content: number[] = [];
    const body: number[] = [];
    const places: number[] = [];
    const put = (text: string): void => {
      for (const byte of encoder.encode(text)) {
        content.push(byte);
        places.push(body.length);
        body.push(byte);
      }
    };
    const silent = (text: string): void => void body.push(...encoder.encode(text));
    const string = (): void => {
      put('"');
      for (let left = random.below(4); left > 0; left--) {
        const kind = random.below(4);
        if (kind === 0) put(random.pick(['x', 'naïve', '\\n', ' ', '😀']));
        if (kind === 1) {
          silent('<');
          put('<|end|>');
        }
        if (kind === 2) {
          silent('<|literal|>');
          put(random.pick(['<|end|>', '<<|start|>', '']));
          silent('<|endliteral|>');
        }
      }
      put('"');
    };
    put('[');
    for (let left = random.below(5); left > 0; left--) {
      if (random.once(3)) put(random.pick(['{', '1', ',', 'null ', ']']));
      else string();
      put(left > 1 || random.once(9) ? ',' : ' ');
    }
    put(random.once(5) ? '' : ']');
    places.push(body.length);
    return { content: Uint8Array.from(content), body: Uint8Array.from(body), places };
  }

  test('of a finding are those of the byte in the input, whatever escapes and literal blocks stand before', () => {
    const seeds = randomOf(SEED);
    const head = encoder.encode(JSON_HEAD);
    let wrong = 0;
    for (let run = 0; run < 3000; run++) {
      const { content, body, places } = spelled(randomOf(seeds.below(0x7fffffff)));
      const input = Uint8Array.from([...head, ...body, ...encoder.encode('<|end|>')]);
      const { message, source } = messageOf(input, { dialect: 'openchatml-2.2' });
      const told = `OPENCHATML_SEED=${SEED}, run ${run}: ${JSON.stringify(new TextDecoder().decode(input))}`;
      const fault = jsonFault(content, 1024);
      const found = checkContent(machine, message, source, constraintsOf());
      expect(found === null ? -1 : found.from, told).toBe(fault < 0 ? -1 : head.length + places[fault]!);
      if (fault >= 0) {
        wrong++;
        continue;
      }
      const value = JSON.parse(Buffer.from(content).toString()) as unknown;
      expect(parseJson(machine, message, source), told).toEqual({ ok: true, value });
    }
    expect(wrong).toBeGreaterThan(100);
    expect(wrong).toBeLessThan(2900);
  });

  test('a body of some megabytes is read in parts', () => {
    const body = JSON.stringify({ text: 'naïve <|end|> '.repeat(200_000) }).replaceAll('<|', '<<|');
    const { message, source } = messageOf(json(body));
    expect(checkContent(machine, message, source, constraintsOf())).toBeNull();
    const plain = JSON.stringify({ text: 'naïve'.repeat(400_000) });
    const broken = messageOf(json(`${plain.slice(0, -1)}x`));
    const at = broken.message.body.to - 1;
    expect(checkContent(machine, broken.message, broken.source, constraintsOf()))
      .toEqual({ rule: 'invalid-json', from: at, to: at + 1 });
    expect(Math.max(source.most, broken.source.most)).toBeLessThanOrEqual(65536);
  });
});

describe("a caller's checks", () => {
  const yaml = (body: string): string => `<|start|>assistant<|constrain|>yaml<|message|>${body}<|end|>`;
  const head = '<|start|>assistant<|constrain|>yaml<|message|>';
  const withCheck = (check: ContentCheck): ContentOptions => ({ contentTypes: { yaml: check } });
  const textOf = (content: Iterable<Uint8Array>): string => Buffer.concat([...content]).toString();

  test('are given the content, escapes undone, as often as they like', () => {
    const seen: string[] = [];
    const check: ContentCheck = (content) => {
      seen.push(textOf(content), textOf(content));
      return null;
    };
    expect(shown(yaml('a: <<|end|> é<|literal|><|end|><|endliteral|>'), withCheck(check))).toBeNull();
    expect(seen).toEqual(['a: <|end|> é<|end|>', 'a: <|end|> é<|end|>']);
  });

  test('may keep and change what they are given', () => {
    const kept: Uint8Array[] = [];
    const { message, source, parsed } = messageOf(yaml('a<<|end|>b'));
    const check: ContentCheck = (content) => {
      for (const part of content) kept.push(part.fill(0x78));
      return null;
    };
    checkContent(machine, message, source, constraintsOf(withCheck(check)));
    expect(kept.map((part) => Buffer.from(part).toString())).toEqual(['x', 'xxxxxxxx']);
    expect(new TextDecoder().decode(parsed.bytes)).toBe(yaml('a<<|end|>b'));
  });

  test.each<[answer: number, expected: string]>([
    [0, `invalid-content: ${head}[a]<<|end|>é<|end|>`],
    [1, `invalid-content: ${head}a<[<]|end|>é<|end|>`],
    [8, `invalid-content: ${head}a<<|end|>[é]<|end|>`],
    [10, `invalid-content: ${head}a<<|end|>é[]<|end|>`],
    [1e9, `invalid-content: ${head}a<<|end|>é[]<|end|>`],
  ])('that answer %d', (answer, expected) => {
    expect(shown(yaml('a<<|end|>é'), withCheck(() => answer))).toBe(expected);
  });

  test('warn where the type is a hint', () => {
    const input = '<|start|>user content_type=yaml<|message|>x<|end|>';
    expect(shown(input, withCheck(() => 0)))
      .toBe('hint-mismatch: <|start|>user content_type=yaml<|message|>[x]<|end|>');
    const failing = withCheck(() => { throw new Error('secret'); });
    expect(shown(input, failing))
      .toBe('hint-mismatch (the check failed): <|start|>user content_type=yaml<|message|>[x]<|end|>');
  });

  test.each<[string, unknown]>([
    ['throws', 'throw'], ['answers NaN', NaN], ['answers -1', -1], ['answers 0.5', 0.5], ['answers nothing', undefined],
    ['answers true', true], ['is asynchronous', Promise.resolve(null)],
  ])('fail when one %s', (_, answer) => {
    const check = (() => {
      if (answer === 'throw') throw new Error('of the check');
      return answer;
    }) as ContentCheck;
    expect(shown(yaml('a'), withCheck(check))).toBe(`invalid-content (the check failed): ${head}[a]<|end|>`);
    expect(shown(yaml(''), withCheck(check))).toBe(`invalid-content (the check failed): ${head}[]<|end|>`);
  });

  test('do not hide that the source cannot be read', () => {
    const { message } = messageOf(yaml('a'));
    const source = { bytes: (): Uint8Array => { throw new Error('gone'); } };
    const careless: ContentCheck = (content) => {
      try {
        return textOf(content).length;
      } catch {
        return null;
      }
    };
    expect(() => checkContent(machine, message, source, constraintsOf(withCheck(careless)))).toThrow('gone');
  });

  test('wrong options are told by name', () => {
    const wrong = (options: unknown): (() => unknown) => () => constraintsOf(options as ContentOptions);
    expect(wrong({ contentTypes: 5 })).toThrow(/^option contentTypes: expected an object/);
    expect(wrong({ contentTypes: null })).toThrow(TypeError);
    expect(wrong({ contentTypes: { yaml: 1 } })).toThrow(/^option contentTypes: expected a function for "yaml"/);
    for (const type of ['json', 'text', 'markdown']) {
      expect(wrong({ contentTypes: { [type]: () => null } })).toThrow(RangeError);
    }
    for (const jsonDepth of [-1, 0.5, 65537, NaN, '5', null]) {
      expect(wrong({ jsonDepth })).toThrow(/^option jsonDepth: expected an integer/);
    }
    expect(constraintsOf({ jsonDepth: 65536 }).depth).toBe(65536);
  });
});

describe('values', () => {
  const valueOf = (body: string): unknown => {
    const { message, source } = messageOf(json(body));
    return parseJson(machine, message, source);
  };

  test('of a body that is JSON, whatever type it is of', () => {
    expect(valueOf('{"a":"<<|end|>"}')).toEqual({ ok: true, value: { a: '<|end|>' } });
    const { message, source } = messageOf('<|start|>user<|message|> [1]\n<|end|>');
    expect(parseJson(machine, message, source)).toEqual({ ok: true, value: [1] });
  });

  test('the last of equal keys wins, and no key reaches a prototype', () => {
    expect(valueOf('{"a":1,"a":2}')).toEqual({ ok: true, value: { a: 2 } });
    const { value } = valueOf('{"__proto__":{"polluted":true},"constructor":{"prototype":{"polluted":true}}}') as {
      value: object;
    };
    expect(Object.keys(value)).toEqual(['__proto__', 'constructor']);
    expect(Object.getPrototypeOf(value)).toBe(Object.prototype);
    expect('polluted' in {}).toBe(false);
  });

  test('of no JSON: the position of the first wrong byte', () => {
    expect(valueOf('{"a":"<<|end|>",x}')).toEqual({ ok: false, at: JSON_HEAD.length + 16 });
    expect(valueOf('')).toEqual({ ok: false, at: JSON_HEAD.length });
    expect(valueOf('"\u0001"')).toEqual({ ok: false, at: JSON_HEAD.length + 1 });
  });

  test('what no string can hold is not read', () => {
    const huge = {
      contentSpans: () => [{ from: 7, to: 2 ** 32 }], body: { from: 7, to: 2 ** 32 },
    } as unknown as Message;
    const source = { bytes: (): Uint8Array => { throw new Error('read'); } };
    expect(parseJson({ checkJson: () => -1 }, huge, source)).toEqual({ ok: false, at: 7 });
  });

  test('nesting is bounded', () => {
    const { message, source } = messageOf(json('[[]]'));
    expect(parseJson(machine, message, source, 2)).toEqual({ ok: true, value: [[]] });
    expect(parseJson(machine, message, source, 1)).toEqual({ ok: false, at: JSON_HEAD.length + 1 });
    expect(() => parseJson(machine, message, source, -1)).toThrow(RangeError);
    const deep = messageOf(json('['.repeat(65536) + ']'.repeat(65536)));
    expect(parseJson(machine, deep.message, deep.source, 65536).ok).toBe(true);
  });
});
