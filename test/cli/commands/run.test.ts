// `run` and `merge`: shares of a corpus, what is written of each input, what a second run does, what merge refuses.
import { spawnSync } from 'node:child_process';
import {
  existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync, symlinkSync, utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { merge, type MergeOptions } from '../../../src/cli/commands/merge.ts';
import { messages } from '../../../src/cli/commands/messages.ts';
import { runShards, type RunShardsOptions } from '../../../src/cli/commands/run.ts';
import { randomInput, randomOf, SEED } from '../../random.ts';
import { CLEAN, FAULTY, at, file, jsonLines, run as command } from '../harness.ts';
import { SHARED, type Surroundings, work, type Worked } from '../hosts.ts';

const run = (paths: string[], options: Partial<RunShardsOptions> & {
  out: string;
}, more: Surroundings = {}): Promise<Worked> =>
  work((host) => runShards(paths, { ...SHARED, emit: 'verdict', format: 'ndjson', ...options }, host, null), more);

const mergeOf = (folder: string, options: MergeOptions = {}): Promise<Worked> =>
  work((host) => merge([folder], options, host));

/** What a folder holds, byte for byte. */
function contents(folder: string): Record<string, string> {
  return Object.fromEntries(
    readdirSync(folder).sort().map((name) => [name, readFileSync(join(folder, name), 'latin1')]),
  );
}

let folders = 0;
const newFolder = (): string => at(`out-${folders++}`);

const json = (value: unknown): string => JSON.stringify(value);
const record = (id: number, text: string): string => json({ id, text });

/** A corpus of files of several kinds; answers with its folder. */
function corpus(name: string): string {
  file(`${name}/a.jsonl`, [record(0, CLEAN), record(1, FAULTY), '', 'what?', record(4, CLEAN)].join('\n'));
  file(`${name}/b/a.jsonl`, `${json({ messages: [{ role: 'user', content: 'Hi' }] })}\n`);
  file(`${name}/b/raw.txt`, `${CLEAN}${FAULTY}version: 2.2\n---\n`);
  file(`${name}/c.ocml`, '');
  file(
    `${name}/d.harmony`, '<|start|>user<|message|>Hi<|end|><|start|>assistant<|channel|>final<|message|>Ho<|return|>',
  );
  file(`${name}/e e/\u00fc.txt`, 'nothing of a transcript');
  return at(name);
}

const outputs = (folder: string): string[] =>
  readdirSync(folder).filter((name) => /\.(ndjson|arrow|parquet)$/.test(name));

test('writes an output and a sidecar for each input, the same whenever and however it is shared', async () => {
  const paths = [corpus('run-all')];
  const whole = newFolder();
  expect(await run(paths, { out: whole })).toMatchObject({ code: 0, out: '', err: '' });
  expect(outputs(whole)).toHaveLength(6);
  expect(readdirSync(whole)).toHaveLength(13);
  for (const count of [2, 5, 9]) {
    const shared = newFolder();
    for (let index = count - 1; index >= 0; index--) {
      expect(await run(paths, { out: shared, shardIndex: index, shardCount: count }))
        .toMatchObject({ code: 0, err: '' });
    }
    expect(contents(shared)).toEqual(contents(whole));
  }
});

test('verdicts are those of the records, and of the transcripts of raw text', async () => {
  const folder = corpus('run-verdicts');
  const out = newFolder();
  await run([folder], { out });
  const of = (part: string): Record<string, unknown>[] => {
    const name = outputs(out).filter((one) => one.includes(part));
    expect(name).toHaveLength(1);
    return jsonLines(readFileSync(join(out, name[0]!), 'utf8'));
  };
  const records = of('run-verdicts_a.jsonl');
  expect(records.map(({ n, line, id, ok }) => [n, line, id, ok])).toEqual([
    [0, 1, 0, true], [1, 2, 1, false], [2, 4, undefined, false], [3, 5, 4, true],
  ]);
  const raw = of('raw.txt');
  expect(raw.map(({ n, ok, messages }) => [n, ok, messages])).toEqual([[0, true, 2], [1, false, 2], [2, true, 0]]);
  const [robot] = raw[1]!['err'] as Record<string, number>[];
  const text = CLEAN + FAULTY;
  expect(text.slice(robot!['from'], robot!['to'])).toContain('robot');
  expect(robot).toMatchObject({ rule: 'unknown-role', line: 6, column: 10 });
  expect(of('c.ocml')).toEqual([]);
  expect(of('d.harmony')).toMatchObject([{ ok: true, messages: 2 }]);
});

test('findings and sums are those of check and scan', async () => {
  const folder = corpus('run-check');
  const random = randomOf(SEED);
  const texts = Array.from({ length: 30 }, () => Buffer.from(randomInput(random)).toString('utf8'));
  file('run-check/random.jsonl', texts.map((text, id) => json({ id, note: '\u00e9', text })).join('\n'));
  // A verdict has at most 100 findings, so that each file stays short.
  for (const name of ['a', 'b', 'c', 'd']) {
    file(`run-check/${name}.txt`, Buffer.concat(Array.from({ length: 5 }, () => Buffer.from(randomInput(random)))));
  }
  const out = newFolder();
  expect((await run([folder], { out, warnings: true })).code).toBe(0);
  const joined = at('run-check.ndjson');
  const sums = JSON.parse((await mergeOf(out, { output: joined })).out) as Record<string, unknown>;
  const ofRun = jsonLines(readFileSync(joined, 'utf8')).flatMap(({ path, n, line: row, err }) =>
    (err as Record<string, unknown>[]).map(({ rule, code, severity, from, to, line, column, message }) =>
      json([
        path, row === undefined ? null : n, rule, code, severity, from, to,
        ...(row === undefined ? [line, column] : []), message,
      ])));
  const checked = await command(['check', '--format', 'ndjson', '--threads', '1', folder]);
  const ofCheck = jsonLines(checked.out).slice(0, -1).map(({
    path, record, rule, code, severity, from, to, line, column, message,
  }) =>
    json([path, record, rule, code, severity, from, to, ...(record === null ? [line, column] : []), message]));
  expect(ofRun.sort(), `seed ${SEED}`).toEqual(ofCheck.sort());
  expect(ofRun.length).toBeGreaterThan(20);
  const scanned = JSON.parse(
    (await command(['scan', '--format', 'json', '--threads', '1', folder])).out,
  ) as Record<string, unknown>;
  for (const name of ['messages', 'calls']) expect([name, sums[name]]).toEqual([name, scanned[name]]);
  const { files, bytes } = sums['statistics'] as Record<string, unknown>;
  expect([files, bytes]).toEqual([scanned['files'], scanned['bytes']]);
});

test('messages are those of the command', async () => {
  const records = [
    record(0, CLEAN), record(1, FAULTY + CLEAN), '', 'what?',
    json({ messages: [{ role: 'user', content: 'H\u00e9 "<|end|>' }] }),
    // Two transcripts.
    json({ chosen: [{ role: 'user', content: 'a' }], rejected: [{ role: 'user', content: 'b' }] }), record(4, CLEAN),
  ];
  const paths = [
    file('run-messages/a.txt', CLEAN + FAULTY),
    file('run-messages/b.jsonl', records.join('\n')),
    file('run-messages/c.jsonl', `[${records.filter((one) => one.startsWith('{')).join(',\n ')}]`),
    file('run-messages/d.jsonl.gz', gzipSync(records.join('\n'))),
  ];
  const out = newFolder();
  await run(paths, { out, emit: 'messages' });
  const joined = at('run-messages.ndjson');
  expect((await mergeOf(out, { output: joined })).code).toBe(0);
  const told = await work((host) => {
    return messages(paths, { ...SHARED, format: 'ndjson', threads: 1, quiet: true }, host, null);
  });
  expect([told.code, told.err]).toEqual([0, '']);
  expect(readFileSync(joined, 'utf8')).toBe(told.out);
  expect(jsonLines(told.out)).toHaveLength(4 + 11 + 11 + 11);
});

test('keep gives the records without errors as they are', async () => {
  const lines = [
    record(0, CLEAN), record(1, FAULTY), `  ${record(2, CLEAN)}\r`, '{"id":12345678901234567890, "text":""}',
  ];
  const path = file('run-keep/a.jsonl', lines.join('\n'));
  const list = file('run-keep/list.jsonl', `[${lines.join(',\n')}\n]`);
  const out = newFolder();
  expect(await run([path, list], { out, emit: 'keep' })).toMatchObject({ code: 0, err: '' });
  for (const name of outputs(out)) {
    expect(readFileSync(join(out, name), 'utf8')).toBe([lines[0], lines[2]!.trim(), lines[3], ''].join('\n'));
  }
  const raw = await run([file('run-keep/raw.txt', CLEAN)], { out: newFolder(), emit: 'keep' });
  expect(raw).toMatchObject({ code: 2 });
  expect(raw.err).toContain('is raw text');
  expect(await run([path], { out: newFolder(), emit: 'keep', format: 'arrow' })).toMatchObject({ code: 2 });
});

test('reads compressed inputs as what they hold', async () => {
  const text = [record(0, CLEAN), record(1, FAULTY)].join('\n');
  const path = file('run-gzip/a.jsonl.gz', gzipSync(text));
  const raw = file('run-gzip/b.txt.gz', gzipSync(CLEAN + FAULTY));
  const out = newFolder();
  expect(await run([path, raw], { out })).toMatchObject({ code: 0, err: '' });
  const found = outputs(out).map((name) => jsonLines(readFileSync(join(out, name), 'utf8')).map(({ ok }) => ok));
  expect(found).toEqual([[true, false], [true, false]]);
  const cut = file('run-gzip/c.txt.gz', gzipSync(CLEAN.repeat(100)).subarray(0, 100));
  const broken = newFolder();
  expect(await run([cut], { out: broken })).toMatchObject({ code: 2 });
  expect(readdirSync(broken)).toEqual(['inputs.json']);
});

test('what cannot be read is told, and the others are done', async () => {
  const folder = corpus('run-missing');
  const out = newFolder();
  const paths = [folder, at('run-missing-none'), join(folder, 'none.txt')];
  const first = await run(paths, { out });
  expect(first).toMatchObject({ code: 2, out: '' });
  expect(first.err.trim().split('\n')).toHaveLength(2);
  expect(outputs(out)).toHaveLength(6);
  const merged = await mergeOf(out);
  expect(merged).toMatchObject({ code: 2, out: '' });
  expect(merged.err).toContain('none.txt: its share is missing');
  file('run-missing/none.txt', CLEAN);
  expect((await run(paths, { out })).code).toBe(2);
  mkdirSync(at('run-missing-none'));
  file('run-missing-none/a.txt', CLEAN);
  // The file in the folder makes another list; one file now comes twice.
  expect((await run(paths, { out })).err).toContain('comes twice');
  expect(await run([folder, at('run-missing-none')], { out })).toMatchObject({ code: 0, err: '' });
  expect((await mergeOf(out)).code).toBe(0);
});

test('a second run does what is not done, and nothing else', async () => {
  const folder = corpus('run-again');
  const out = newFolder();
  await run([folder], { out });
  const before = contents(out);
  const [victim, other] = outputs(out);
  const stamp = new Date(1e12);
  const touched = (): string[] => readdirSync(out).filter((name) => statSync(join(out, name)).mtimeMs !== 1e12);
  const age = (): void => readdirSync(out).forEach((name) => utimesSync(join(out, name), stamp, stamp));
  age();
  await run([folder], { out });
  expect(touched()).toEqual([]);
  rmSync(join(out, victim!));
  writeFileSync(join(out, `${other!}.done.json`), '{"schema":');
  await run([folder], { out });
  expect(touched().sort()).toEqual([victim, `${victim}.done.json`, other, `${other}.done.json`].sort());
  expect(contents(out)).toEqual(before);
  age();
  writeFileSync(join(out, victim!), 'short');
  await run([folder], { out });
  expect(contents(out)).toEqual(before);
  // Other content, another version, other options: all that they change is done again.
  file('run-again/a.jsonl', record(0, FAULTY));
  age();
  await run([folder], { out });
  expect(touched().filter((name) => name.includes('a.jsonl') && !name.includes('b_a'))).toHaveLength(2);
  expect(touched()).toHaveLength(2);
  age();
  await run([folder], { out, warnings: true });
  expect(touched()).toHaveLength(12);
  age();
  await run([folder], { out, warnings: true }, { version: '0.0.1' });
  expect(touched()).toHaveLength(12);
  expect(readFileSync(join(out, `${victim}.done.json`), 'utf8')).toContain('0.0.1');
});

test('a longer list of inputs leaves the outputs that are there', async () => {
  const folder = corpus('run-longer');
  const out = newFolder();
  await run([folder], { out });
  const stamp = new Date(1e12);
  for (const name of outputs(out)) utimesSync(join(out, name), stamp, stamp);
  file('run-longer/0.txt', CLEAN);
  await run([folder], { out });
  const moved = outputs(out).filter((name) => statSync(join(out, name)).mtimeMs !== 1e12);
  expect(moved).toHaveLength(1);
  const whole = newFolder();
  await run([folder], { out: whole });
  expect(contents(out)).toEqual(contents(whole));
  // A shorter one leaves what belongs to nothing, and merge says so.
  rmSync(at('run-longer/0.txt'));
  await run([folder], { out });
  const merged = await mergeOf(out);
  expect(merged.code).toBe(2);
  const [strange] = /^error: (.*): it belongs to another list of inputs/m.exec(merged.err)!.slice(1);
  expect(existsSync(strange!), strange).toBe(true);
  writeFileSync(join(out, 'other.done.json'), '{}');
  expect((await mergeOf(out)).err).toContain(`${join(out, 'other.done.json')}: the sidecar cannot be read`);
});

test('left-overs of a process that is gone are removed', async () => {
  const { pid } = spawnSync(process.execPath, ['-e', '']);
  const { hostname } = await import('node:os');
  const host = hostname().replaceAll(/[^A-Za-z0-9-]/g, '_');
  const out = newFolder();
  mkdirSync(out);
  const stale = join(out, `x.verdict.ndjson.tmp.${host}.${pid}`);
  const living = join(out, `x.verdict.ndjson.tmp.${host}.${process.ppid}`);
  writeFileSync(stale, '');
  writeFileSync(living, '');
  await run([corpus('run-stale')], { out });
  expect([existsSync(stale), existsSync(living)]).toEqual([false, true]);
});

test('names do not collide, do not grow, and do not lead out of the folder', async () => {
  const parts = [
    'a_b.txt', 'a/b.txt', 'a/../a/b .txt', '..\\x.txt', `${'n'.repeat(200)}/${'m'.repeat(200)}.txt`,
    `${'n'.repeat(199)}/${'m'.repeat(200)}.txt`, '-rf.txt', '\u202e.txt',
  ];
  const paths = parts.map((part) => file(`run-names/${part}`, CLEAN));
  const out = newFolder();
  expect(await run(paths, { out })).toMatchObject({ code: 0, err: '' });
  expect(outputs(out)).toHaveLength(parts.length);
  for (const name of readdirSync(out)) expect(name).toMatch(/^[A-Za-z0-9][A-Za-z0-9._-]{0,150}$/);
});

test('refuses inputs and folders that cannot make a run', async () => {
  const folder = corpus('run-refused');
  const wrong = async (paths: string[], out: string, words: string): Promise<void> => {
    const { code, err } = await run(paths, { out });
    expect([code, err.includes(words)], err).toEqual([2, true]);
  };
  await wrong([], newFolder(), 'name some');
  await wrong(['-'], newFolder(), 'standard input');
  await wrong([folder, join(folder, 'a.jsonl')], newFolder(), 'comes twice');
  await wrong([folder], join(folder, 'out'), 'lies in');
  await wrong([folder], folder, 'lies in');
  const link = at('run-refused-link');
  symlinkSync(folder, link);
  await wrong([folder], join(link, 'deep', 'out'), 'lies in');
  expect(existsSync(join(folder, 'deep'))).toBe(false);
  await wrong([folder], file('run-refused-file', ''), 'cannot be made');
  await wrong([folder], '/dev/null/x', 'cannot be made');
});

test('merge adds up, in any order of the shares, and joins in the order of the paths', async () => {
  const folder = corpus('merge-all');
  const out = newFolder();
  for (const index of [2, 0, 1]) await run([folder], { out, shardIndex: index, shardCount: 3 });
  const joined = at('merge-all.ndjson');
  const { code, out: told, err } = await mergeOf(out, { output: joined });
  expect([code, err]).toEqual([0, '']);
  const sums = JSON.parse(told) as Record<string, number>;
  const lines = jsonLines(readFileSync(joined, 'utf8'));
  expect(sums).toMatchObject({
    schema: 'openchatml/merge/1', version: '0.0.0-test', inputs: 6, records: lines.length,
    ok: lines.filter(({ ok }) => ok).length,
    bad: lines.filter(({ ok }) => !ok).length, statistics: { schema: 'openchatml/statistics/1', files: 6 },
  });
  expect(sums['messages']).toBe(lines.reduce((sum, line) => sum + (line['messages'] as number), 0));
  const paths = [...new Set(lines.map((line) => line['path'] as string))];
  expect(paths).toEqual([...paths].sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b))));
  const one = newFolder();
  await run([folder], { out: one });
  expect((await mergeOf(one)).out).toBe(told);
});

test('merge refuses what is not whole', async () => {
  const folder = corpus('merge-part');
  const out = newFolder();
  const refused = async (words: string, options: MergeOptions = {}): Promise<void> => {
    const { code, out: told, err } = await mergeOf(out, options);
    expect([code, told, err.includes(words)], err).toEqual([2, '', true]);
  };
  await refused('cannot be listed');
  mkdirSync(out);
  await refused('holds no inputs.json');
  await run([folder], { out, shardIndex: 1, shardCount: 2 });
  await refused('a.jsonl: its share is missing');
  await run([folder], { out, shardIndex: 0, shardCount: 2, warnings: true });
  await refused('not made alike');
  await run([folder], { out, shardIndex: 0, shardCount: 2 }, { version: '9.9.9' });
  await refused('version 9.9.9');
  await run([folder], { out });
  expect((await mergeOf(out)).code).toBe(0);
  const [name] = outputs(out).filter((one) => readFileSync(join(out, one)).length > 0);
  const path = join(out, name!);
  const bytes = readFileSync(path, 'latin1');
  writeFileSync(path, bytes.replace('"ok":true', '"ok":trUe'), 'latin1');
  expect((await mergeOf(out)).code).toBe(0);
  await refused('not what was written', { output: at('merge-part.ndjson') });
  expect(existsSync(at('merge-part.ndjson'))).toBe(false);
  writeFileSync(path, bytes.slice(1), 'latin1');
  await refused('share is missing');
  writeFileSync(path, bytes, 'latin1');
  await refused('of the run itself', { output: path });
  await refused('of the run itself', { output: join(out, 'inputs.json') });
  renameSync(`${path}.done.json`, `${path}x.done.json`);
  await refused('cannot be read');
  rmSync(`${path}x.done.json`);
  await refused('share is missing');
  expect(await work((host) => merge([], {}, host))).toMatchObject({ code: 2 });
  expect(await work((host) => merge([out, out], {}, host))).toMatchObject({ code: 2 });
});

test('tables are not joined', async () => {
  const out = newFolder();
  await run([corpus('merge-tables')], { out, emit: 'messages', format: 'parquet' });
  expect((await mergeOf(out)).code).toBe(0);
  const { code, err } = await mergeOf(out, { output: at('merge-tables.parquet') });
  expect([code, err.includes('need not be joined')]).toEqual([2, true]);
});
