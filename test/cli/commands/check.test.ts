// `check`: its four forms, lines and columns, exit codes, and that no form shows a body.
import { expect, test } from 'vitest';
import { RULES } from '../../../src/errors.ts';
import { CLEAN, FAULTY, at, file, jsonLines, run } from '../harness.ts';

const KEYS = [
  'path', 'record', 'transcript', 'code', 'rule', 'severity', 'from', 'to', 'line', 'column', 'pointer', 'message',
];
const SUMMARY = {
  schema: 'openchatml/check/1', files: 1, errors: 1, warnings: 1, infos: 1,
  rules: { 'text-between-messages': 1, 'unknown-attribute': 1, 'unknown-role': 1 },
};

test('ndjson: every diagnostic with the documented keys in order, then the summary', async () => {
  const path = file('check/faulty.txt', FAULTY);
  const { code, out, err } = await run(['check', '--format', 'ndjson', path]);
  expect([code, err]).toEqual([1, '']);
  const lines = jsonLines(out);
  expect(lines).toHaveLength(4);
  for (const line of lines.slice(0, 3)) expect(Object.keys(line)).toEqual(KEYS);
  expect(lines[0]).toEqual({
    path, record: null, transcript: 0, code: 'E-PARSE-HEADER', rule: 'unknown-role', severity: 'error', from: 22,
    to: 27, line: 2, column: 10, pointer: null, message: RULES['unknown-role'].text,
  });
  const warning = { rule: 'text-between-messages', code: null, severity: 'warning', from: 51, line: 2, column: 39 };
  expect(lines[1]).toMatchObject(warning);
  expect(lines[2]).toMatchObject({ rule: 'unknown-attribute', severity: 'info', from: 69, line: 2, column: 57 });
  expect(lines[3]).toEqual({ summary: SUMMARY });
  expect(Object.keys(lines[3]!['summary'] as object)).toEqual(Object.keys(SUMMARY));
});

test('json: one object, the same diagnostics', async () => {
  const path = file('check/faulty.txt', FAULTY);
  const { code, out } = await run(['check', '--format', 'json', path]);
  const lines = jsonLines((await run(['check', '--format', 'ndjson', path])).out);
  expect(code).toBe(1);
  expect(JSON.parse(out)).toEqual({ schema: 'openchatml/check/1', diagnostics: lines.slice(0, -1), summary: SUMMARY });
  const clean = await run(['check', '--format', 'json', file('check/clean.txt', CLEAN)]);
  expect(clean.code).toBe(0);
  expect(JSON.parse(clean.out)).toMatchObject({ diagnostics: [], summary: { files: 1, errors: 0, rules: {} } });
});

test('concise: one line each; the sum goes to standard error', async () => {
  const path = file('check/faulty.txt', FAULTY);
  const { out, err } = await run(['check', '--format', 'concise', path]);
  expect(out.split('\n')).toEqual([
    `${path}:2:10: error unknown-role (E-PARSE-HEADER) ${RULES['unknown-role'].text}`,
    `${path}:2:39: warning text-between-messages (-) ${RULES['text-between-messages'].text}`,
    `${path}:2:57: info unknown-attribute (-) ${RULES['unknown-attribute'].text}`,
    '',
  ]);
  expect(err).toBe('1 error, 1 warning, 1 info in 1 file\n');
});

test('pretty: with the remedy and the header that is meant', async () => {
  const path = file('check/faulty.txt', FAULTY);
  const { out } = await run(['check', path]);
  expect(out).toContain(
    `${path}:2:10: error unknown-role (E-PARSE-HEADER)\n  ${RULES['unknown-role'].text}\n`
    + '  | <|start|>robot<|message|>\n  |          ^^^^^\n'
    + `  remedy: ${RULES['unknown-role'].remedy}\n\n`,
  );
  expect(out).toContain('  | <|start|>user mood=good<|message|>\n  |               ^^^^^^^^^\n');
  expect((await run(['check', '--color', 'always', path])).out).toContain('\x1b[31merror\x1b[39m unknown-role');
});

test('a clean input', async () => {
  const { code, out, err } = await run(['check', file('check/clean.txt', CLEAN)]);
  expect([code, out, err]).toEqual([0, '', 'no findings in 1 file\n']);
});

test('warnings fail only beyond --max-warnings, infos never', async () => {
  const warnings = file('check/warnings.txt', `a\n${CLEAN}`.replace('version: 2.2\n---\n', '')
    .replace('\n<|start|>assistant', 'b<|start|>assistant'));
  const infos = file('check/infos.txt', CLEAN.replace('user', 'user a=b'));
  const code = async (...argv: string[]): Promise<number> => (await run(['check', ...argv])).code;
  const { warnings: count } = (jsonLines((await run(['check', '--format', 'ndjson', warnings])).out).at(-1) as {
    summary: { warnings: number };
  }).summary;
  expect(count).toBe(3);
  expect(await code(warnings)).toBe(0);
  expect(await code('--max-warnings', '3', warnings)).toBe(0);
  expect(await code('--max-warnings', '2', warnings)).toBe(1);
  expect(await code('--max-warnings', '0', infos)).toBe(0);
});

test('--strict: warnings are errors, in every form and for the exit code', async () => {
  const text = CLEAN.replace('<|start|>user', '<|start|>user intent=plan');
  const path = file('check/strict.txt', text);
  expect((await run(['check', path])).code).toBe(0);
  for (const format of ['pretty', 'concise', 'ndjson', 'json', 'github', 'gitlab', 'junit', 'sarif', 'rdjson']) {
    const { code, out } = await run(['check', '--strict', '--format', format, path]);
    expect([format, code]).toEqual([format, 1]);
    expect(out.toLowerCase(), format).toContain('unknown-intent');
    // A log names the rule's own severity, too.
    const told = format === 'sarif' ? JSON.stringify(JSON.parse(out).runs[0].results) : out;
    expect(told.replace(/"?warnings"?: ?0|0 warnings/gi, ''), format).not.toMatch(/warning/i);
  }
  expect((await run(['check', '--config', file('check/strict.json', '{"check":{"strict":true}}'), path])).code).toBe(1);
  const off = file('check/soft.json', '{"rules":{"unknown-intent":"info"}}');
  expect((await run(['check', '--strict', '--config', off, path])).code).toBe(0);
});

test('an input that cannot be read wins over errors; the others are checked', async () => {
  const faulty = file('check/faulty.txt', FAULTY);
  const { code, out, err } = await run(['check', '--format', 'ndjson', faulty, at('check/none')]);
  expect(code).toBe(2);
  expect(jsonLines(out).at(-1)).toEqual({ summary: SUMMARY });
  expect(err).toContain('check/none: no such file');
});

test('columns count code points, lines end at LF, a byte order mark counts none', async () => {
  const text = '\ufeffversion: 2.2\r\n---\r\n<|start|>user<|message|>é😀\r\n\u2028z<|end|>😀é'
    + '<|start|>x<|message|><|end|>\n\n  y';
  const { out } = await run(['check', '--format', 'concise', file('check/columns.txt', text)]);
  expect(out.split('\n').map((line) => line.replace(/^.*columns\.txt:(\d+:\d+: \w+ [a-z-]+).*$/, '$1'))).toEqual([
    '4:10: warning text-between-messages', '4:21: error unknown-role', '6:3: warning text-between-messages', '',
  ]);
});

test('a pipe has the same places as a file, however far apart they are', async () => {
  const body = 'line of é\n'.repeat(60_000);
  const blank = ' \n'.repeat(400_000);
  const part = `<|start|>a<|message|>${body}<|end|>${blank}ü<|endliteral|>${blank}<|start|>b<|message|>${body}`;
  const text = `version: 2.2\n${part}${part}`;
  const path = file('check/far.txt', text);
  const lines = (out: string): unknown[] => jsonLines(out).map((line) => ({ ...line, path: '' }));
  const ofFile = lines((await run(['check', '--format', 'ndjson', path])).out);
  const ofPipe = await run(['check', '--format', 'ndjson'], { stdin: text });
  expect(ofPipe.err).toBe('');
  expect(lines(ofPipe.out)).toEqual(ofFile);
  expect(ofFile).toHaveLength(11);
  const column = 'version: 2.2\n'.length;
  expect(ofFile[0]).toMatchObject({ rule: 'unknown-role', from: column + 9, line: 2, column: 10 });
  expect(ofFile[1]).toMatchObject({ rule: 'text-between-messages', line: 460_002, column: 1 });
});

test('a gap of 0.1 is told when it ends, from a pipe too', async () => {
  const gap = `<|im_end|>\nstray${' '.repeat(700_000)}</s>${' '.repeat(700_000)}`;
  const text = `<|im_start|>user\nHi${gap}<|im_start|>robot\nHello<|im_end|>\n`;
  const { out, err } = await run(['check', '--format', 'ndjson'], { stdin: text });
  expect(err).toBe('');
  expect(jsonLines(out).slice(0, -1)).toMatchObject([
    { rule: 'text-between-messages', line: 3, column: 1 }, { rule: 'unknown-role', line: 3 },
  ]);
});

test('files of a sequence are no stray text, before and after their first token', async () => {
  const text = '<|im_start|>user\nHi<|im_end|>\none<|file_separator|>two</s>three<|file_separator|>four';
  const { out } = await run(['check', '--format', 'ndjson', file('check/sequence.txt', text)]);
  expect(jsonLines(out)).toEqual([{ summary: expect.objectContaining({ warnings: 0, errors: 0 }) }]);
});

test('no form shows a byte of a body', async () => {
  const secret = 'SECRET';
  const text = [
    `version: 2.2\n---\n<|start|>user ${secret}<|end|><|start|>robot<|message|>${secret}<|end|>`,
    `<|channel|>bogus<|message|>${secret}<|end|>\n<|start|>user name=a name=b ${secret} <<|message|><|end|>\n`,
    `<|channel|>x ${secret}<|end|><|start|>user<|message|>${secret}<|channel|>${secret}`,
    `<|message|>${secret}<|start|>user c=d <<|end|> <|end|><|start|>assistant<|message|><|literal|>${secret}<|end|>`,
  ].join('');
  const old = `<|im_start|>user ${secret}<|im_end|>\n<|im_start|>robot name=x\n${secret}<|message|><|im_end|>\n`
    + `<|im_start|>user\n${secret}`;
  const paths = [file('check/secret.txt', text), file('check/old.txt', old)];
  for (const format of ['pretty', 'concise', 'ndjson', 'json']) {
    const { code, out, err } = await run(['check', '--format', format, ...paths]);
    expect(code).toBe(1);
    expect(out.length).toBeGreaterThan(1000);
    expect(out + err).not.toContain(secret);
  }
  const { out } = await run(['check', ...paths]);
  expect(out).toContain('  | <|channel|>bogus<|message|>\n  |            ^^^^^\n');
  expect(out).toContain('  | <|im_start|>robot\n');
});

test('what a header or a name holds cannot steer the terminal', async () => {
  const text = 'version: 2.2\n<|start|>\x1b]8;;x\x07\u009b\u2066<|message|><|end|>';
  const path = file('check/na\x1b[31mme\n\u202e.txt', text);
  for (const format of ['pretty', 'concise', 'ndjson', 'json']) {
    const { out, err } = await run(['check', '--format', format, path], { outIsTTY: true, env: { NO_COLOR: '1' } });
    expect(out + err).not.toMatch(/[\x00-\x09\x0b-\x1f\x7f-\x9f\u202e\u2066]/);
  }
  const pretty = (await run(['check', path])).out;
  expect(pretty).toContain('na\\x1b[31mme\\n\\u202e.txt:2:10:');
  expect(pretty).toContain('  | <|start|>\\x1b]8;;x\\x07\\x9b\\u2066<|message|>\n  |          ^');
});

test('long headers are cut around what is meant', async () => {
  const long = `version: 2.2\n<|start|>user ${'a'.repeat(100)}=1 stray ${'b'.repeat(100)}=2<|message|>x<|end|>\n`;
  const { out } = await run(['check', file('check/long.txt', long)]);
  const excerpts = out.split('\n').filter((line) => line.startsWith('  |'));
  expect(excerpts.length).toBe(6);
  expect(excerpts).toContain(`  | ...${'a'.repeat(54)}=1 stray ${'b'.repeat(56)}...`);
  for (const line of excerpts) expect(line.length).toBeLessThan(190);
});

test('sums and limits count what one line tells of many', async () => {
  const [good, bad] = ['{"messages":[{"role":"user","content":"a"}]}\n', '{"foo":1}\n'];
  for (const [name, text] of [
    ['bad', bad.repeat(3000)], ['mixed', (good + bad).repeat(3000)], ['pairs', (bad + bad + good).repeat(1500)],
  ] as const) {
    const path = file(`many/${name}.jsonl`, text);
    for (const command of ['check', 'audit']) {
      const { out, code } = await run([command, '--format', 'ndjson', path]);
      const found = jsonLines(out);
      const { summary } = found.pop() as { summary: { errors: number; rules: object } };
      const { errors, rules } = summary;
      expect([code, errors, rules], `${command} ${name}`).toEqual([1, 3000, { 'unknown-record': 3000 }]);
      expect(found.reduce((sum, { times = 1 }) => sum + (times as number), 0)).toBe(3000);
    }
    const config = file('many/openchatml.json', '{"rules":{"unknown-record":"warn"}}');
    const limited = (most: number): Promise<{ code: number }> =>
      run(['check', '--config', config, '--max-warnings', `${most}`, path]);
    expect([(await limited(2999)).code, (await limited(3000)).code]).toEqual([1, 0]);
  }
  const body = file('many/body.txt', `version: 2.2\n<|start|>user<|message|>${'<|channel|> '.repeat(3000)}<|end|>`);
  const { out } = await run(['check', '--format', 'ndjson', body]);
  expect(jsonLines(out).at(-1)).toMatchObject({ summary: { errors: 3000, rules: { 'stray-token': 3000 } } });
  const tokens = file('many/tokens.jsonl', good.replace('"a"', `"${'<|end|>'.repeat(9000)}"`));
  const audited = await run(['audit', '--format', 'ndjson', tokens]);
  expect(jsonLines(audited.out).at(-1)).toMatchObject({ summary: { rules: { 'control-token': 9000 } } });
});
