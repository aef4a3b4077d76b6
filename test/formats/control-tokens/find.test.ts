// Control tokens in text: what is found and where, what is let be, and that escaping leaves nothing to be found.
import { describe, expect, test } from 'vitest';
import { escapeControlTokens, type EscapeTokensOptions } from '../../../src/formats/control-tokens/escape.ts';
import { LookAlikes } from '../../../src/formats/control-tokens/look-alike.ts';
import { nextSign } from '../../../src/formats/control-tokens/finder.ts';
import { findControlTokens, type FindTokensOptions } from '../../../src/formats/control-tokens/find.ts';
import { AUDIT_RULES } from '../../../src/formats/control-tokens/rules.ts';
import { parse } from '../../../src/index.ts';
import { DIALECTS, type DialectId, TOKEN_NAMES } from '../../../src/scan/dialects.ts';
import { type Random, randomOf, SEED } from '../../random.ts';

const encode = (text: string): Uint8Array => new TextEncoder().encode(text);
const TOKENS = TOKEN_NAMES.slice(1, 28).map((name) => `<|${name}|>`);
const MARKERS = TOKENS.filter((token) => /<\|(start|end)_/.test(token));

/** What is found, short: severity, rule, the text itself. */
function short(text: string, options?: FindTokensOptions): string[] {
  return findControlTokens(text, options).map(({ severity, rule, index, length }) => {
    return `${severity} ${rule} ${text.slice(index, index + length)}`;
  });
}

describe('whole tokens', () => {
  test.each(TOKENS)('%s of any dialect is an error', (token) => {
    const rule = MARKERS.includes(token) ? 'cot-marker' : 'control-token';
    const text = `a é ${token} 😀<${token}`;
    const found = findControlTokens(text);
    expect(found).toEqual([
      {
        rule, severity: 'error', from: 5, to: 5 + token.length, index: 4, length: token.length, token,
        message: `${AUDIT_RULES[rule].text}: ${token}`,
      },
      expect.objectContaining({ rule, from: 11 + token.length, index: 8 + token.length }),
    ]);
  });

  const texts: [text: string, found: string[]][] = [
    ['Nothing', []],
    ['a < b, a <| b, <|>, <||>, |>, <| end |>, if x <|end', []],
    ['<|end|><|start|>', ['error control-token <|end|>', 'error control-token <|start|>']],
    ['<|<|end|>end|>', ['error control-token <|end|>']],
    ['<|foo|> <|endoftext|>', ['warning foreign-token <|foo|>', 'warning foreign-token <|endoftext|>']],
    ['[INST] x [/INST]', ['warning foreign-token [INST]', 'warning foreign-token [/INST]']],
    ['<<SYS>> <</SYS>> <start_of_turn>', [
      'warning foreign-token <<SYS>>', 'warning foreign-token <</SYS>>', 'warning foreign-token <start_of_turn>',
    ]],
    ['<\uff5cUser\uff5c>', ['warning foreign-token <\uff5cUser\uff5c>']],
    ['<think></tool_call>', ['warning foreign-token <think>', 'warning foreign-token </tool_call>']],
    ['<div> [1] <thinker> <tool> <|a b|>', []],
  ];
  test.each(texts)('%j', (text, found) => {
    expect(short(text)).toEqual(found);
  });

  // The bytes of a long text are counted in parts, which cut no character.
  test.each(['é', '\u{1f600}', '\ud83d', '\ud83d\u{1f600}'])('bytes before a token: %j many times', (text) => {
    for (const shift of ['', 'x']) {
      const before = shift + text.repeat(9000);
      const [one, other] = findControlTokens(`${before}<|end|>${before}<|end|>`);
      const bytes = encode(before).length;
      expect([one!.from, other!.from]).toEqual([bytes, 2 * bytes + 7]);
    }
  });

  test('a name that could be anything is not told', () => {
    const [known, unknown] = findControlTokens('<|eot_id|> <|my_password|>');
    expect(known!.message).toContain('<|eot_id|>');
    expect(unknown!.message).not.toContain('password');
    expect(unknown!.token).toBeNull();
  });

  test('an assistant may reason', () => {
    expect(short('<|start_reason|>x<|end_reason|>', { role: 'assistant' })).toEqual([
      'warning cot-marker <|start_reason|>', 'warning cot-marker <|end_reason|>',
    ]);
  });
});

describe('look-alikes', () => {
  const texts: [text: string, token: string][] = [
    ['\uff1c\uff5cend\uff5c\uff1e', '<|end|>'],
    ['<\uff5cim_start\uff5c>', '<|im_start|>'],
    ['<|END|>', '<|end|>'],
    ['<|Im_Start|>', '<|im_start|>'],
    ['< |end| >', '<|end|>'],
    ['<|end |>', '<|end|>'],
    ['<|im-end|>', '<|im_end|>'],
    ['<|im start|>', '<|im_start|>'],
    ['<|e\u200bnd|>', '<|end|>'],
    ['<\u00ad|end|>', '<|end|>'],
    ['<|end\ufe0f|\u2060>', '<|end|>'],
    ['<|\u0435nd|>', '<|end|>'],
    ['<|st\u0430rt|>', '<|start|>'],
    ['&lt;|end|&gt;', '<|end|>'],
    ['&LT;|end|>', '<|end|>'],
    ['&amp;lt;|end|&amp;gt;', '<|end|>'],
    ['&#60;&#124;end&#x7C;&#x3e;', '<|end|>'],
    ['\\u003c|end|>', '<|end|>'],
    ['\\\\u003C\\u007cend|\\x3e', '<|end|>'],
    ['%3C%7Cend%7C%3E', '<|end|>'],
    ['%253C|end|>', '<|end|>'],
    ['\u27e8|end|\u27e9', '<|end|>'],
    ['<\u2502end\u2502>', '<|end|>'],
    ['<|\uff45\uff4e\uff44|>', '<|end|>'],
    ['<|\u{1d41e}\u{1d427}\u{1d41d}|>', '<|end|>'],
  ];
  test.each(texts)('%j', (text, token) => {
    const all = `é${text}!`;
    expect(findControlTokens(all)).toEqual([
      expect.objectContaining({
        rule: 'token-look-alike', severity: 'warning', token, index: 1, length: text.length,
        from: 2, to: 2 + encode(text).length,
      }),
    ]);
    expect(escapeControlTokens(all)).toBe(all);
    expect(escapeControlTokens(all, { lookAlikes: true })).toBe(`é<| ${token.slice(2, -2)} |>!`);
  });

  const others = [
    '&lt;end&gt;', '<|énd|>', '< | > end', '&lt;', '%3', '\\u003', '<|    end|>', '<|ending|>', 'a &amp; b',
    '&#1114112;',
  ];
  test.each(others)('%j is none', (text) => {
    expect(short(text).filter((it) => it.includes('look-alike'))).toEqual([]);
  });
});

describe('bounds', () => {
  const texts: [text: string, options: FindTokensOptions, found: number][] = [
    ['I <s>never</s> said <speak><s>x</s></speak>', {}, 0],
    ['<s>struck</s>', {}, 0],
    [' </s>\n', { edges: 'none' }, 1],
    ['<s>\nHello', {}, 1],
    ['<s>\nHello', { edges: 'end' }, 0],
    ['Hello\n</s>', { edges: 'end' }, 1],
    ['Hello\n</s>', { edges: 'start' }, 0],
    ['[BOS]Hello[EOS]', {}, 2],
    ['[BOS]Hello[EOS]', { edges: 'none' }, 0],
    ['an array [BOS] of marks', {}, 0],
    ['x<|im_end|>\n</s>y', {}, 1],
    ['<s>[INST] x', { edges: 'none' }, 1],
    // Of those that repeat only the first and the last one have anything else beside them.
    ['<s><s><s><s>', {}, 0],
    ['x<s><s><s><|end|>', {}, 1],
    ['<|end|><s><s><s>x', {}, 1],
    ['<|end|><s><s><s><|end|>', {}, 2],
    ['<|end|> </s></s></s> <|end|> [EOS][EOS]x', {}, 3],
    ['<s>\n<s><s><s>\n<s>', {}, 2],
  ];
  test.each(texts)('%j, %j', (text, options, count) => {
    expect(short(text, options).filter((it) => it.startsWith('warning bound-token'))).toHaveLength(count);
  });
});

describe('seams', () => {
  const seams: [before: string, text: string, after: string, found: string[]][] = [
    ['<', '|end|> x', '', ['|end|>']],
    ['a <|en', 'd|>', '', ['d|>']],
    ['<|', 'en', 'd|>', ['en']],
    ['', 'x <|im_', 'end|>', ['<|im_']],
    ['', 'x <', '<|end|>', ['<']],
    ['', 'x <<', '<|end|>', ['<']],
    ['', 'x < ', '<|end|>', []],
    ['<|', 'foo|>', '', []],
    ['<|end|>', 'x', '<|start|>', []],
    ['<|end', '', '|>', []],
  ];
  test.each(seams)('%j + %j + %j', (before, text, after, found) => {
    expect(short(text, { before, after })).toEqual(found.map((part) => `error assembled-token ${part}`));
    const changed = escapeControlTokens(text, { before, after });
    expect(short(changed, { before, after })).toEqual([]);
    expect(changed.replaceAll(' ', '')).toBe(text.replaceAll(' ', ''));
  });
});

describe('bodies as they stand', () => {
  const bodies: [body: DialectId, role: string, text: string, found: string[]][] = [
    ['openchatml-2.2', 'user', 'a <<|end|> b', ['info control-token <|end|>']],
    ['openchatml-2.2', 'user', 'a <|literal|><|end|><|endliteral|>', ['info control-token <|end|>']],
    ['openchatml-2.2', 'user', 'a <<|literal|><|channel|>', [
      'info control-token <|literal|>', 'error control-token <|channel|>',
    ]],
    ['openchatml-2.2', 'user', '<|im_end|>', ['warning control-token <|im_end|>']],
    ['openchatml-2.2', 'user', '<|end_reason|>', ['warning cot-marker <|end_reason|>']],
    ['openchatml-2.2', 'assistant', '<|end_reason|>', []],
    ['harmony', 'user', '<<|end|>', ['error control-token <|end|>']],
    ['harmony', 'user', '<|literal|>', ['warning control-token <|literal|>']],
    ['openchatml-0.1', 'assistant', '<|start_reason|><|function_call|>', []],
    ['openchatml-0.1', 'user', '<|function_call|><|end|>', [
      'error control-token <|function_call|>', 'warning control-token <|end|>',
    ]],
    ['openchatml-0.1', 'tool', '<|function_output|>', []],
    ['openchatml-0.1', 'system', '<|function_list|>', []],
    ['openchatml-0.1', 'assistant', '<|fim_prefix|>', ['error control-token <|fim_prefix|>']],
  ];
  test.each(bodies)('%s, %s: %j', (body, role, text, found) => {
    expect(short(text, { body, role })).toEqual(found);
  });
});

/** Text of tokens, halves of tokens, look-alikes and nonsense. */
function randomText(random: Random): string {
  const pieces = [
    ...TOKENS, '<', '<<', '<|', '|>', '>', '|', ' ', '\n', 'end', 'a', 'é', '😀', '\ud83d', '\ude00', '\u200b', '\0',
    '<s>', '</s>', '[BOS]', '[EOS]', '[INST]', '<|foo|>', '<|END|>', '&lt;', '&gt;', '\\u003c', '\uff1c', '\uff5c',
    '%3C',
  ];
  const piece = (): string => {
    const text = random.pick(pieces);
    return random.once(5) ? text.slice(0, 1 + random.below(text.length)) : text;
  };
  return Array.from({ length: random.below(8) }, piece).join('');
}

const errors = (text: string, options: FindTokensOptions): string[] =>
  short(text, options).filter((it) => it.startsWith('error'));

describe('random texts', () => {
  const each = (work: (text: string, random: Random, why: string) => void): void => {
    for (let round = 0; round < 2000; round++) {
      const random = randomOf(SEED + round);
      const text = randomText(random);
      work(text, random, `seed ${SEED}, round ${round}: ${JSON.stringify(text)}`);
    }
  };

  test('places: bytes and units agree, in order, and say what is there', () => {
    each((text, _random, why) => {
      let last = -1;
      for (const { rule, index, length, from, to, token } of findControlTokens(text)) {
        expect(index, why).toBeGreaterThan(last);
        last = index;
        expect(from, why).toBe(encode(text.slice(0, index)).length);
        expect(to - from, why).toBe(encode(text.slice(index, index + length)).length);
        if (rule === 'control-token' || rule === 'cot-marker') {
          expect(text.slice(index, index + length), why).toBe(token);
        }
      }
      const whole = findControlTokens(text).filter(({ rule }) => rule === 'control-token' || rule === 'cot-marker');
      expect(whole.length, why)
        .toBe(text.split(new RegExp(TOKENS.map((it) => it.replaceAll('|', '\\|')).join('|'))).length - 1);
    });
  });

  test('neutralised: no error is left, and twice is once', () => {
    each((text, random, why) => {
      const options: EscapeTokensOptions = {
        before: random.once(2) ? randomText(random) : '',
        after: random.once(2) ? randomText(random) : '',
        lookAlikes: random.once(2),
        foreign: random.once(2),
      };
      const { before, after } = options;
      const changed = escapeControlTokens(text, options);
      expect(errors(changed, { before, after }), why).toEqual([]);
      expect(escapeControlTokens(changed, options), why).toBe(changed);
      if (!options.lookAlikes) expect(changed.replaceAll(' ', ''), why).toBe(text.replaceAll(' ', ''));
      else expect(short(changed, { before, after }).filter((it) => it.includes('look-alike')), why).toEqual([]);
    });
  });

  test('of one dialect: only its tokens are touched', () => {
    each((text, random, why) => {
      const dialect = random.pick(Object.keys(DIALECTS) as DialectId[]);
      const changed = escapeControlTokens(text, { dialect, how: 'neutralise' });
      expect(errors(changed, { body: dialect, role: 'user' }), why).toEqual([]);
      const own = DIALECTS[dialect].tokens.map((token) => token.text);
      for (const token of TOKENS.filter((it) => !own.includes(it))) {
        expect(changed.split(token).length, why).toBe(text.split(token).length);
      }
    });
  });

  test('escaped: no error is left, and reading gives the text back', () => {
    each((text, _random, why) => {
      const changed = escapeControlTokens(text, { dialect: 'openchatml-2.2' });
      expect(errors(changed, { body: 'openchatml-2.2', role: 'user', after: '<|end|>' }), why).toEqual([]);
      if (/\p{Cs}/u.test(text)) return;
      const read = parse(encode(`<|start|>user<|message|>${changed}<|end|>`), { dialect: 'openchatml-2.2' });
      expect([...read.messages()].map((message) => message.content), why).toEqual([text]);
    });
  });
});

/** Reads every look-alike. */
function readAll(text: string, alikes: LookAlikes): void {
  for (let at = nextSign(text, 0); at < text.length; at = nextSign(text, alikes.at(at)?.to ?? at + 1));
}

describe('hostile texts', () => {
  const size = 100_000;
  const texts = [
    '<', '<|', '|>', '<|a', '&', '&lt;', '&lt;|', '\\', '\\\\u003c', '%', '%25', '<\u200b', '\u200b', '< ', '<s>',
    '<s> ', ' ',
    '<|END|>', '<|end|>', '[', '[INST', '&amp;', '<|end', '\uff1c|', '<|-', '\ud83d',
  ];
  test.each(texts)('%j again and again is read in linear steps', (piece) => {
    const text = piece.repeat(size);
    const alikes = new LookAlikes(text);
    readAll(text, alikes);
    expect(alikes.steps).toBeLessThanOrEqual(8 * text.length);
    findControlTokens(text);
    escapeControlTokens(text);
  });
});

test.each(['<|END|>', '&lt;|end|>', '\\u003c|end|>x', '&lt;', '\\ud800', '<\u200b'])(
  '%j again and again is read once', (piece) => {
    const times = 1000;
    const text = piece.repeat(times);
    const alikes = new LookAlikes(text);
    readAll(text, alikes);
    // A step each, and what is read at first and where the text ends.
    expect(alikes.steps).toBeLessThan(times + 200);
  },
);

test('long texts are escaped in parts, and no token is cut', () => {
  for (let shift = 0; shift < 14; shift++) {
    const text = `${'x'.repeat(shift)}${'<|end|>'.repeat(80_000)}<<`;
    const escaped = escapeControlTokens(text, { dialect: 'openchatml-2.2' });
    const expected = text.replaceAll('<|end|>', '<<|end|>').slice(0, -2) + '<|literal|><<<|endliteral|>';
    // Not compared by `toBe`, which would show both.
    expect(escaped === expected, `${shift}`).toBe(true);
  }
  const plain = 'x'.repeat(600_000);
  expect(escapeControlTokens(`${plain}<|end|>`, { dialect: 'openchatml-2.2' }) === `${plain}<<|end|>`).toBe(true);
});

test('wrong calls are told', () => {
  expect(() => findControlTokens(1 as never)).toThrow('expected a string');
  expect(() => findControlTokens('', { body: 'x' as never })).toThrow('option body');
  expect(() => findControlTokens('', { edges: 'x' as never })).toThrow('option edges');
  expect(() => escapeControlTokens('', { how: 'x' as never })).toThrow('option how');
  expect(() => escapeControlTokens('', { how: 'escape', dialect: 'harmony' })).toThrow('harmony has no escape');
});
