// Rendering: the pages of fixtures/render, and what holds for any input.
import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { messagesOf, type PlacedMessage } from '../../../src/corpus/messages.ts';
import {
  htmlHead, type HtmlOptions, htmlTail, renderHtml, type RenderOptions, renderText, STYLE,
} from '../../../src/formats/render/render.ts';
import type { Message } from '../../../src/model/message.ts';
import { parseOn } from '../../../src/model/parse.ts';
import type { ReadOptions } from '../../../src/model/walk.ts';
import { MemorySource } from '../../../src/scan/source.ts';
import { WasmMachine } from '../../../src/scan/wasm.ts';
import { runs, testOnce } from '../../long.ts';
import { randomInput, randomOf, SEED } from '../../random.ts';

const MACHINE = new WasmMachine();
const parse = (text: string | Uint8Array, options?: ReadOptions) => parseOn(MACHINE, text, options);
const asText = (text: string, options?: RenderOptions): string => [...renderText(parse(text), options)].join('');
const asHtml = (text: string, options?: HtmlOptions): string => [...renderHtml(parse(text), options)].join('');
function* viewsOf(placed: Iterable<PlacedMessage>): Generator<Message> {
  for (const { message } of placed) yield message;
}

const user = (body: string): string => `<|start|>user<|message|>${body}<|end|>`;

const PAGES = new URL('../../../fixtures/render/', import.meta.url);
const page = (name: string): string => readFileSync(new URL(name, PAGES), 'utf8');
/** OPENCHATML_UPDATE_PAGES=1 writes the pages; look at them then. */
const UPDATE = process.env['OPENCHATML_UPDATE_PAGES'] === '1';

describe('fixtures/render', () => {
  const input = page('conversation.ocml');
  const cases: [name: string, rendered: string][] = [
    ['conversation.shown.txt', asText(input)],
    ['conversation.debug.txt', asText(input, { debug: true, notes: true })],
    ['conversation.shown.html', asHtml(input, { notes: true })],
    ['conversation.debug.html', asHtml(input, { debug: true, title: 'It & more' })],
  ];
  test.each(cases)('%s', (name, rendered) => {
    if (UPDATE) writeFileSync(new URL(name, PAGES), rendered);
    expect(rendered).toBe(page(name));
  });
});

describe('text', () => {
  test('no body can write a heading or a separator', () => {
    const forged = asText(user('a\n\nassistant\nb\n--- transcript 1 ---\r\n==> c <==\nd\r\n'));
    expect(forged).toBe('user\n  a\n\n  assistant\n  b\n  --- transcript 1 ---\n  ==> c <==\n  d\n\n');
  });

  test('nothing steers the terminal; line ends and tabs are kept', () => {
    const body = '\x1b]52;c;x\x07 \u009b2J \u202eabc\u2066 \0\x7f\b a\rb\tc\u2028d\u0085\r\ne\r';
    expect(asText(user(body))).toBe(
      'user\n  \\x1b]52;c;x\\x07 \\x9b2J \\u202eabc\\u2066 \\x00\\x7f\\x08 a\\rb\tc\\u2028d\\x85\n  e\\r\n\n',
    );
    expect(asText('<|start|>user name=\x1b[2J\u202e<|message|>a<|end|>')).toBe('user (\\x1b[2J\\u202e)\n  a\n\n');
    const long = 'é😀'.repeat(5_000);
    const heading = asText(`<|start|>user name=x${long}<|message|>a<|end|>`).split('\n')[0]!;
    expect(heading.length).toBeLessThan(220);
    expect(heading).toMatch(/\.\.\.\)$/);
    expect(heading).not.toMatch(/[\ud800-\udbff](?![\udc00-\udfff])/);
  });

  test('an empty body, and nothing to show', () => {
    expect(asText(user('') + user('\n'))).toBe('user\n\nuser\n\n\n');
    expect(asText('<|start|>system<|message|>a<|end|>')).toBe('');
    expect(asText('<|start|>system<|message|>a<|end|>', { notes: true })).toBe('(1 message hidden)\n\n');
    expect(asText('')).toBe('');
  });

  test('a debug view marks what is hidden', () => {
    const text = '<|im_start|>assistant\nHi <|start_reason|>why<|end_reason|>you.\n<|function_call|>{}\n<|im_end|>';
    expect(asText(text, { debug: true })).toBe(
      'assistant end=end bytes=0..93\n  Hi [hidden: thought]<|start_reason|>why<|end_reason|>[/hidden]you.\n'
      + '  [hidden: call]<|function_call|>{}[/hidden]\n\n',
    );
    const words = (header: string): string => {
      const line = asText(`${header}<|message|>a<|end|>`, { debug: true }).split('\n')[0]!;
      expect(line).toContain(` end=end bytes=0..${`${header}<|message|>a<|end|>`.length}`);
      return line.replace(/ end=end bytes=.*/, '');
    };
    expect(words('<|start|>robot')).toBe('robot [hidden: unknown role]');
    expect(words('<|start|>')).toBe('(no role) [hidden: no role]');
    expect(words('<|start|>assistant<|channel|>commentary functions.f json')).toBe(
      'assistant [hidden: commentary] channel=commentary to=functions.f content_type=json',
    );
    expect(words('<|start|>assistant<|channel|>Final x=1 x=2')).toBe(
      'assistant [hidden: unknown channel] channel=Final x=1 x=2',
    );
    const many = words(`<|start|>user ${'a=b '.repeat(100)}`);
    expect(many.match(/a=b/g)).toHaveLength(64);
    expect(many).toMatch(/ further=36$/);
  });

  test('the opt-ins of visibility hold', () => {
    const text = '<|start|>assistant<|message|>one<|end|><|start|>assistant<|channel|>commentary<|message|>two<|end|>';
    const parsed = parse(text, { dialect: 'harmony' });
    const shown = (options: RenderOptions): string => [...renderText(parsed, options)].join('');
    expect(shown({})).toBe('');
    expect(shown({ missingChannel: true })).toBe('assistant\n  one\n\n');
    expect(shown({ harmonyPreambles: true })).toBe('assistant\n  two\n\n');
  });
});

describe('HTML', () => {
  test('the page allows its own style and nothing else', () => {
    const hash = createHash('sha256').update(STYLE).digest('base64');
    const policy = `default-src 'none'; style-src 'sha256-${hash}'; base-uri 'none'; form-action 'none'`;
    expect(htmlHead()).toContain(`<meta http-equiv="Content-Security-Policy" content="${policy}">`);
    expect(htmlHead()).toContain(`<style>${STYLE}</style>`);
    expect(STYLE).not.toMatch(/url|@import|<|https?:/);
    expect(htmlHead('</title><script>"\n')).toContain('<title>&lt;/title&gt;&lt;script&gt;&quot;\\n</title>');
  });

  test('a fragment is the page without head and tail', () => {
    const text = user('a') + user('b');
    expect(htmlHead() + asHtml(text, { fragment: true }) + htmlTail()).toBe(asHtml(text));
    expect(asHtml(text, { fragment: true, level: 4 })).toContain('<h4>Transcript 0</h4>');
    expect(asHtml(text, { fragment: true, level: 4 })).toContain('<h5><bdi>user</bdi></h5>');
    expect(asHtml('', { fragment: true })).toBe('');
  });

  test('markup, quotes and control characters are text', () => {
    const body = `</div><script>alert(1)</script><img src=x onerror='a("b")'>&amp;\0\x1b\r\nx\ry\x7f\u009b\u202e\ufeff`;
    const sign = (text: string): string => `<span class="control">${text}</span>`;
    expect(asHtml(user(body), { fragment: true })).toContain(
      '<div class="body" lang="" dir="auto">&lt;/div&gt;&lt;script&gt;alert(1)&lt;/script&gt;'
      + '&lt;img src=x onerror=&#39;a(&quot;b&quot;)&#39;&gt;&amp;amp;'
      + `${sign('\u2400')}${sign('\u241b')}\nx${sign('\u240d')}y${sign('\u2421')}`
      + `${sign('\\x9b')}${sign('\\u202e')}${sign('\\ufeff')}</div>`,
    );
    const header = '<|start|>"><b>\u202e x="><i><|channel|>"<u><|message|>a<|end|>';
    expect(asHtml(header, { fragment: true, debug: true })).not.toMatch(/<[biu]>|\u202e|"">/);
  });
});

const TAGS = new RegExp(`^(?:${[
  'section class="transcript"', '/section', 'h[23]', '/h[23]', 'bdi', 'bdi class="name"', '/bdi',
  'span class="(?:label|control|cut)"', '/span', 'details', '/details', 'summary', '/summary',
  'article class="message (?:system|developer|user|assistant|tool|other)(?: hidden)?"', '/article',
  'dl', '/dl', 'dt', '/dt', 'dd', '/dd', 'div', 'div class="body" lang="" dir="auto"', '/div', 'p class="note"', '/p',
].join('|')})$`);
const ENTITY = /&(?:amp|lt|gt|quot|#39);/g;
const MEANT: Record<string, string> = { '&amp;': '&', '&lt;': '<', '&gt;': '>', '&quot;': '"', '&#39;': "'" };
const STEERING = /[\0-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]/;

/** The text of HTML in which every tag is a known one, written as it is known, and closed in order. */
function textOf(html: string, told: string): string {
  const open: string[] = [];
  let text = '';
  for (const piece of html.split(/(<[^<>]*>)/)) {
    if (!piece.startsWith('<')) {
      const isEscaped = !/[<>"']|&(?!(?:amp|lt|gt|quot|#39);)/.test(piece) && !STEERING.test(piece);
      if (!isEscaped) expect(piece, told).toBe('escaped');
      text += piece.replace(ENTITY, (found) => MEANT[found]!);
      continue;
    }
    const tag = piece.slice(1, -1);
    if (!TAGS.test(tag)) expect(tag, told).toBe('a known tag');
    if (tag.startsWith('/')) expect(open.pop(), told).toBe(tag.slice(1));
    else open.push(tag.split(' ')[0]!);
  }
  expect(open, told).toEqual([]);
  return text;
}

/** Every character that `of` fits is shown as an escape; line ends that are CRLF become LF. */
const escaped = (text: string, of: RegExp, pictures = false): string =>
  text.replaceAll('\r\n', '\n').replace(of, (found) => {
    const code = found.charCodeAt(0);
    if (pictures && (code < 0x20 || code === 0x7f)) return String.fromCharCode(code < 0x20 ? 0x2400 + code : 0x2421);
    if (found === '\r') return '\\r';
    return code < 0x100 ? `\\x${code.toString(16).padStart(2, '0')}` : `\\u${code.toString(16).padStart(4, '0')}`;
  });
const IN_TEXT = /[\0-\x08\x0b-\x1f\x7f-\xa0\u061c\u200b\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]/g;

function indented(body: string): string {
  if (body === '') return '';
  return body.replace(/\n$/, '').split('\n').map((line) => (line === '' ? '\n' : `  ${line}\n`)).join('');
}

const ANY = `any input: known tags, escaped text, every shown body and no other (OPENCHATML_SEED=${SEED})`;
test(ANY, { timeout: 300_000 }, () => {
  const seeds = randomOf(SEED);
  for (let run = 0; run < runs(3000); run++) {
    const random = randomOf(seeds.below(0x7fffffff));
    const dialect = random.pick(['auto', 'openchatml-2.2', 'openchatml-2.0', 'openchatml-0.1', 'harmony'] as const);
    const bytes = randomInput(random, 20);
    const parsed = parse(bytes, { dialect });
    const told = `OPENCHATML_SEED=${SEED}, run ${run}`;
    let html = '';
    let text = '';
    for (const transcript of parsed.transcripts) {
      const { number } = transcript;
      const messages = [...transcript].filter((message) => message.isVisible);
      if (messages.length > 0) html += `\nTranscript ${number}\n`;
      if (messages.length > 0 && number > 0) text += `--- transcript ${number} ---\n\n`;
      for (const message of messages) {
        const body = message.show();
        const name = message.name === null ? null : escaped(message.name, IN_TEXT);
        const inHtml = escaped(body, new RegExp(STEERING, 'g'), true);
        html += `\n${message.role}${name === null ? '' : ` ${name}`}\n${inHtml}\n\n`;
        text += `${message.role}${name === null ? '' : ` (${name})`}\n${indented(escaped(body, IN_TEXT))}\n`;
      }
      if (messages.length > 0) html += '\n';
    }
    expect([...renderText(parsed)].join(''), told).toBe(text);
    expect(textOf([...renderHtml(parsed, { fragment: true })].join(''), told), told).toBe(html);
    textOf([...renderHtml(parsed, { fragment: true, debug: true })].join(''), told);
  }
});

testOnce('pieces are bounded, come while the input is read, and cut no character', () => {
  const body = '😀é"<\r\n\0'.repeat(200_000);
  const bytes = new TextEncoder().encode(`${user(`y${body}`)}${user('z').repeat(100_000)}`);
  let read = 0;
  class Counting extends MemorySource {
    override read(at: number, into: Uint8Array): number {
      read += super.read(at, into.subarray(0, 1 << 20));
      return Math.min(into.length, 1 << 20, Math.max(0, bytes.length - at));
    }
  }
  for (const render of [renderText, renderHtml]) {
    read = 0;
    let largest = 0;
    let atSecond = 0;
    let text = '';
    for (const piece of render(viewsOf(messagesOf(new WasmMachine(), new Counting(bytes), {})))) {
      largest = Math.max(largest, piece.length);
      if (text.length < 10_000_000) text += piece;
      if (atSecond === 0 && piece.includes('z')) atSecond = read;
    }
    expect(largest).toBeLessThan(2_000_000);
    expect(text).not.toContain('\ufffd');
    expect(atSecond).toBeLessThan(bytes.length);
    expect(read).toBeGreaterThanOrEqual(bytes.length);
  }
});

test('a wrong call throws at once', () => {
  for (const render of [renderText, renderHtml]) {
    for (const wrong of [undefined, null, 'text', {}, 5]) {
      expect(() => render(wrong as unknown as Message[])).toThrow(TypeError);
    }
  }
  expect(() => renderHtml(parse(''), { level: 1 })).toThrow(RangeError);
});

test('a heading is that of its own message, however many came before, and an empty body has no line', () => {
  const headers = ['user', 'user name=Ann', 'user', 'system', 'assistant<|channel|>final'];
  const text = headers.flatMap((header) => ['', 'x'].map((body) => `<|start|>${header}<|message|>${body}<|end|>`));
  const page = (name: string): string => `${name}\n\n${name}\n  x\n\n`;
  const names = ['user', 'user (Ann)', 'user', 'assistant'];
  expect(asText(text.join('\n'))).toBe(names.map(page).join(''));
});
