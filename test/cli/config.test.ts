// The configuration file: where it is found, what it may say, how its mistakes are told; and that the command line
// wins.
import { mkdirSync, readFileSync } from 'node:fs';
import type { Command } from 'commander';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { CONFIG_NAME, findConfig } from '../../src/cli/config.ts';
import { makeProgram } from '../../src/cli/program.ts';
import { InputError } from '../../src/corpus/error.ts';
import { type Diagnostic, RULES } from '../../src/errors.ts';
import { applyRules } from '../../src/rules/settings.ts';
import { at, CLEAN, FAULTY, file, jsonLines, type Result, run } from './harness.ts';

const home = process.cwd();
afterEach(() => process.chdir(home));

let configs = 0;
const config = (value: unknown): string => {
  return file(`config/${configs++}.json`, typeof value === 'string' ? value : JSON.stringify(value));
};

/** What `--print-config` writes. */
async function printed(argv: string[]): Promise<Record<string, Record<string, unknown>>> {
  const { code, out, err } = await run([...argv, '--print-config', '-q']);
  expect([code, err]).toEqual([0, '']);
  return JSON.parse(out) as Record<string, Record<string, unknown>>;
}

test('$schema is for editors', async () => {
  const own = config({ $schema: 'https://example.org/schema.json', scan: { format: 'json' } });
  expect((await run(['scan', '--config', own], { stdin: CLEAN })).out).toMatch(/^\{"schema"/);
});

describe('where it is', () => {
  test('the nearest one upwards, and none in YAML', () => {
    const outer = file(`config/tree/${CONFIG_NAME}`, '{}');
    const inner = file(`config/tree/a/${CONFIG_NAME}`, '{}');
    mkdirSync(at('config/tree/a/b'), { recursive: true });
    expect(findConfig(at('config/tree/a/b'))).toBe(inner);
    expect(findConfig(at('config/tree'))).toBe(outer);
    expect(findConfig(at('config/tree/none/there'))).toBe(outer);
    const yaml = file('config/tree/yaml/openchatml.config.yaml', 'rules: {}');
    expect(() => findConfig(at('config/tree/yaml'))).toThrow(InputError);
    expect(() => findConfig(at('config/tree/yaml'))).toThrow(`${yaml}: is no configuration that is read`);
    file(`config/tree/yaml/${CONFIG_NAME}`, '{}');
    expect(findConfig(at('config/tree/yaml'))).toBe(at(`config/tree/yaml/${CONFIG_NAME}`));
  });

  test('it counts from the working directory; --config names another one, --no-config none', async () => {
    file(`config/cwd/${CONFIG_NAME}`, '{"scan":{"format":"json"}}');
    mkdirSync(at('config/cwd/deep'), { recursive: true });
    process.chdir(at('config/cwd/deep'));
    const table = /^ {2}files/;
    const own = config({ scan: { format: 'table' } });
    expect((await run(['scan'], { stdin: CLEAN })).out).toMatch(/^\{"schema"/);
    expect((await run(['scan', '--no-config'], { stdin: CLEAN })).out).toMatch(table);
    expect((await run(['scan', '--config', own], { stdin: CLEAN })).out).toMatch(table);
    expect((await run(['scan', '--format', 'table'], { stdin: CLEAN })).out).toMatch(table);
  });

  test('a working directory that was removed has none', async () => {
    const clean = file('config/clean.txt', CLEAN);
    const gone = Object.assign(new Error('SECRET'), { code: 'ENOENT', errno: -2, syscall: 'uv_cwd' });
    const cwd = vi.spyOn(process, 'cwd').mockImplementation(() => {
      throw gone;
    });
    try {
      expect((await run(['scan', clean])).code).toBe(0);
      expect((await run(['scan', '--config', config({ scan: { format: 'json' } }), clean])).out).toMatch(/^\{/);
      expect((await run(['scan', '--config', 'a.json', clean])).code).toBe(2);
      expect(cwd).toHaveBeenCalled();
    } finally {
      cwd.mockRestore();
    }
  });

  test('a file that is none, or that cannot be read: 2, and nothing is done', async () => {
    const devices = process.platform === 'win32' ? [] : ['/dev/zero'];
    for (const path of [at('config/missing.json'), at('config'), ...devices]) {
      const { code, out, err } = await run(['scan', '--config', path], { stdin: CLEAN });
      expect([code, out]).toEqual([2, '']);
      expect(err).toMatch(/^error: .*: (cannot be read: .*|is not a regular file)\n$/);
    }
    const large = config(`{"field":"${'x'.repeat(300_000)}"}`);
    expect((await run(['scan', '--config', large], { stdin: CLEAN })).err).toMatch(/: is larger than 262144 bytes\n$/);
    const bytes = file('config/latin1.json', new Uint8Array([0x22, 0xe9, 0x22]));
    expect((await run(['scan', '--config', bytes], { stdin: CLEAN })).err).toMatch(/: is not UTF-8\n$/);
  });

  test('explain and completion need none', async () => {
    process.chdir(at('config'));
    file(`config/bad/${CONFIG_NAME}`, 'SECRET');
    process.chdir(at('config/bad'));
    expect((await run(['explain', 'truncated'])).code).toBe(0);
    expect((await run(['completion', 'bash'])).code).toBe(0);
    expect((await run(['scan'], { stdin: CLEAN })).code).toBe(2);
  });
});

describe('what it says', () => {
  test('defaults: the command line, then the command, then all commands, then what is built in', async () => {
    const check = { format: 'concise', maxWarnings: 4 };
    const path = config({ format: 'json', requireChannels: true, threads: 3, check });
    const of = async (command: string, ...argv: string[]): Promise<Record<string, unknown>> => {
      return (await printed([command, '--config', path, ...argv]))[command]!;
    };
    expect(await of('check'))
      .toMatchObject({ format: 'concise', requireChannels: true, threads: 3, maxWarnings: 4, dialect: 'auto' });
    expect(await of('check', '--format', 'sarif', '--threads', '2', '--max-warnings', '0', '--no-require-channels'))
      .toMatchObject({ format: 'sarif', requireChannels: false, threads: 2, maxWarnings: 0 });
    // One that says the default itself wins, too.
    expect(await of('check', '--format', 'pretty')).toMatchObject({ format: 'pretty' });
    expect(await of('scan')).toMatchObject({ format: 'json', requireChannels: true, threads: 3 });
    // A value that a command does not know is not for it.
    expect(await of('messages')).toMatchObject({ format: 'ndjson', requireChannels: true });
    expect(await of('stream')).not.toHaveProperty('threads');
  });

  test('they take effect', async () => {
    const faulty = file('config/faulty.txt', FAULTY);
    const check = (value: unknown, ...argv: string[]): Promise<Result> => {
      return run(['check', '--config', config(value), ...argv, faulty]);
    };
    expect((await check({ check: { format: 'concise' } })).out).toMatch(/^[^\n]*:2:10: error unknown-role \(/);
    expect((await check({ exitZero: true })).code).toBe(0);
    expect((await check({ exitZero: true }, '--no-exit-zero')).code).toBe(1);
    expect((await check({ dialect: 'harmony' }, '--dialect', 'openchatml-2.2')).code).toBe(1);
    const warning = file('config/warning.txt', CLEAN.replace('<|end|>', '<|end|>text'));
    const strict = config({ check: { maxWarnings: 0 } });
    expect((await run(['check', '--config', strict, warning])).code).toBe(1);
    expect((await run(['check', '--config', strict, '--max-warnings', '1', warning])).code).toBe(0);
  });

  test('rules change what check tells, counts and answers with', async () => {
    const faulty = file('config/faulty.txt', FAULTY);
    const told = async (rules: Record<string, string>): Promise<[number, unknown[], object]> => {
      const { code, out } = await run(['check', '--config', config({ rules }), '--format', 'ndjson', faulty]);
      const lines = jsonLines(out);
      const { errors, warnings, infos } = lines.pop()!['summary'] as Record<string, number>;
      return [code, lines.map(({ rule, severity }) => `${rule} ${severity}`), { errors, warnings, infos }];
    };
    expect(await told({})).toEqual([
      1, ['unknown-role error', 'text-between-messages warning', 'unknown-attribute info'],
      { errors: 1, warnings: 1, infos: 1 },
    ]);
    expect(await told({ 'unknown-role': 'off', 'unknown-attribute': 'warn' })).toEqual([
      0, ['text-between-messages warning', 'unknown-attribute warning'], { errors: 0, warnings: 2, infos: 0 },
    ]);
    expect(await told({ 'unknown-role': 'info', 'text-between-messages': 'error' })).toEqual([
      1, ['unknown-role info', 'text-between-messages error', 'unknown-attribute info'],
      { errors: 1, warnings: 0, infos: 2 },
    ]);
  });

  test('rules change what the page of a scan tells of findings', async () => {
    const faulty = file('config/page.txt', FAULTY);
    const told = async (rules: Record<string, string>): Promise<string[]> => {
      const page = at('config/page.html');
      expect((await run(['scan', '--config', config({ rules }), '--report', page, faulty])).code).toBe(0);
      const rows = readFileSync(page, 'utf8').matchAll(
        /<bdi>([a-z-]+)<\/bdi><\/code><\/a><\/th><td><span class="severity (\w+)">/g,
      );
      return [...rows].map(([, rule, severity]) => `${rule} ${severity}`);
    };
    expect(await told({})).toEqual(['unknown-role error', 'text-between-messages warning', 'unknown-attribute info']);
    expect(await told({ 'unknown-role': 'off', 'unknown-attribute': 'error' }))
      .toEqual(['unknown-attribute error', 'text-between-messages warning']);
  });

  test('paths are relative to the file', async () => {
    const path = file('config/paths/a.json', '{"tools":["b/tools.json","/abs.json"]}');
    const { check } = await printed(['check', '--config', path]);
    expect(check!['tools']).toEqual([at('config/paths/b/tools.json'), '/abs.json']);
  });

  test('--print-config writes a configuration that says the same, without any input', async () => {
    const rules = { 'missing-channel': 'off', 'open-turn': 'warn', truncated: 'info', completion: 'error' };
    const path = config({
      rules, stopStripped: true, check: { maxDiagnostics: 'none', tools: ['t.json'] },
    });
    const { code, out, err } = await run(['check', '--config', path, '--print-config']);
    expect([code, err]).toEqual([0, `from ${path}\n`]);
    expect(JSON.parse(out)['check']).toMatchObject({ stopStripped: true, maxDiagnostics: 'none' });
    expect(JSON.parse(out)['rules']).toEqual(rules);
    expect((await run(['check', '--config', config(out), '--print-config'])).out).toBe(out);
    expect((await run(['check', '--no-config', '--print-config'])).err).toBe('no configuration file\n');
    const strange = config({ field: '\u009b\u202e' });
    const onTerminal = await run(['check', '--config', strange, '--print-config'], { outIsTTY: true });
    expect(onTerminal.out).toContain('"field": "\\u009b\\u202e"');
  });
});

describe('what is wrong with it', () => {
  test.each([
    ['{"rules":{\n  "mising-chanel": "off"}}', '2:3', 'this key is no rule; did you mean missing-channel?'],
    ['{"rules":{"constructor":"off"}}', '1:11', 'this key is no rule'],
    ['{"rules":{"__proto__":"off"}}', '1:11', 'this key is no rule'],
    ['{"rules":{"truncated":"eror"}}', '1:23', 'expected "off", "info", "warn", "error"; did you mean error?'],
    ['{"rules":{"truncated":1}}', '1:23', 'expected "off", "info", "warn", "error"'],
    ['{"rules":[]}', '1:10', 'the rules must be an object'],
    ['{"SECRETS":1}', '1:2', 'this key is no key of a configuration'],
    ['{"__proto__":{"check":{}}}', '1:2', 'this key is no key of a configuration'],
    ['{"toString":1}', '1:2', 'this key is no key of a configuration'],
    ['{"dialekt":"auto"}', '1:2', 'this key is no key of a configuration; did you mean dialect?'],
    ['{"output":"/etc/passwd"}', '1:2', 'this key is no key of a configuration'],
    ['{"é":1,\n"SECRET":1}', '1:2', 'this key is no key of a configuration'],
    ['{"check":{"frmat":"json"}}', '1:11',
      'this key is no option of this command that a configuration may set; did you mean format?'],
    ['{"scan":{"maxWarnings":1}}', '1:10', 'this key is no option of this command that a configuration may set'],
    ['{"check":true}', '1:10', 'the defaults of a command must be an object'],
    ['{"check":{"format":"table"}}', '1:20', 'expected "pretty", "concise", "ndjson", "json"'],
    ['{"color":"SECRET"}', '1:10', 'expected "auto", "always", "never"'],
    ['{"requireChannels":"SECRET"}', '1:20', 'expected true or false'],
    ['{"maxWarnings":-1}', '1:16', 'expected a whole number from 0 on'],
    ['{"maxWarnings":"1"}', '1:16', 'expected a number'],
    ['{"maxWarnings":1e400}', '1:16', 'expected a whole number from 0 on'],
    ['{"maxDiagnostics":"all"}', '1:19', 'expected a number or "none"'],
    ['{"threads":0}', '1:12', 'expected a whole number from 1 to 256'],
    ['{"completionRole":"robot"}', '1:19', 'expected system, developer, user'],
    ['{"field":7}', '1:10', 'expected a string'],
    ['{"tools":"SECRET"}', '1:10', 'expected a list of paths'],
    ['{"tools":[1]}', '1:11', 'expected a path'],
    ['[]', '1:1', 'a configuration must be an object'],
    ['', '1:1', 'expected a value'],
    ['{"color":"auto",}', '1:17', 'expected a key in double quotes'],
    ['{"color":"auto" "quiet":true}', '1:17', 'expected a comma or }'],
    ['{"color" "auto"}', '1:10', 'expected a colon'],
    ['{"color":\'SECRET\'}', '1:10', 'expected a value'],
    ['{"color":"SECRET\n"}', '1:10', 'expected a value'],
    ['{"color":"SECRET', '1:10', 'expected a value'],
    ['{\n\t// SECRET\n}', '2:2', 'JSON has no comments'],
    ['{} SECRET', '1:4', 'expected the end'],
    ['{"color":"auto","color":"never"}', '1:17', 'a key stands twice in an object'],
    [`{"field":${'['.repeat(60)}`, '1:26', 'is nested too deeply'],
    [`{"field":"${'x'.repeat(200_000)}`, '1:10', 'expected a value'],
  ])('number %#', async (text, place, reason) => {
    const path = config(text);
    const { code, out, err } = await run(['check', '--config', path], { stdin: FAULTY });
    expect([code, out]).toEqual([2, '']);
    expect(err).toContain(`error: ${path}:${place}: ${reason}`);
    expect(err).not.toContain('SECRET');
  });

  test('no prototype is touched', async () => {
    const path = config('{"rules":{"__proto__":{"x":1}},"check":{"__proto__":{"x":1}}}');
    expect((await run(['check', '--config', path], { stdin: CLEAN })).code).toBe(2);
    expect(({} as Record<string, unknown>)['x']).toBeUndefined();
  });
});

test('every key that it takes is an option of a command, as JSON wants it', async () => {
  const silent = { isTTY: false, write: () => {} };
  const host = { stdin: { fd: -1, isTTY: true }, stdout: silent, stderr: silent, env: {}, version: '' };
  const program: Command = makeProgram(host, () => {});
  for (const command of ['scan', 'check', 'messages', 'render', 'convert']) {
    const { options } = program.commands.find((one) => one.name() === command)!;
    const names = options.map((option) => option.attributeName());
    const argv = [command, '--no-config', ...(command === 'convert' ? ['--to', 'messages'] : [])];
    const { rules, [command]: own, ...others } = await printed(argv);
    expect([rules, others]).toEqual([{}, {}]);
    expect(Object.keys(own!).length).toBeGreaterThanOrEqual(5);
    for (const key of Object.keys(own!)) expect(names).toContain(key);
  }
});

test('rules: another severity, or neither told nor counted', () => {
  const diagnostic: Diagnostic = {
    code: null, rule: 'open-turn', severity: 'info', from: 0, to: 1, transcript: 0, message: RULES['open-turn'].text,
  };
  expect(applyRules(undefined)(diagnostic)).toBe(diagnostic);
  expect(applyRules({})(diagnostic)).toBe(diagnostic);
  expect(applyRules({ completion: 'off' })(diagnostic)).toBe(diagnostic);
  expect(applyRules({ 'open-turn': 'info' })(diagnostic)).toBe(diagnostic);
  expect(applyRules({ 'open-turn': 'error' })(diagnostic)).toEqual({ ...diagnostic, severity: 'error' });
  expect(applyRules({ 'open-turn': 'off' })(diagnostic)).toBeNull();
});
