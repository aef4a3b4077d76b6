// `run` as its own process, killed at random moments: what stands in the folder is whole at any moment, and in the end
// it is what an undisturbed run writes.
import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'vitest';
import { testLong } from '../../long.ts';
import { randomInput, randomOf, SEED } from '../../random.ts';
import { at, CLEAN, file } from '../harness.ts';

const COMMAND = fileURLToPath(new URL('../../../dist/cli/main.js', import.meta.url));
const KILLS = 30;
const FILES = 12;

const random = randomOf(SEED);

function corpus(): string {
  for (let i = 0; i < FILES; i++) {
    const texts = Array.from({ length: 20 + random.below(100) }, () => {
      return random.once(3) ? Buffer.from(randomInput(random)).toString('utf8') : CLEAN;
    });
    const isRaw = random.once(3);
    file(
      `kill/in/${i % 5}/${i}.${isRaw ? 'txt' : 'jsonl'}`,
      isRaw ? texts.join('') : texts.map((text, id) => JSON.stringify({ id, text })).join('\n'),
    );
  }
  return at('kill/in');
}

const start = (folder: string, out: string, share: readonly [index: number, count: number]): ChildProcess =>
  spawn(
    process.execPath,
    [COMMAND, 'run', folder, '--out', out, '--shard-index', String(share[0]), '--shard-count', String(share[1])],
    { stdio: 'ignore' },
  );

/** The exit code; null: it was killed. */
const ended = (child: ChildProcess): Promise<number | null> => new Promise((resolve) => child.on('exit', resolve));

const contents = (folder: string): Record<string, string> =>
  Object.fromEntries(readdirSync(folder).sort().map((name) => [name, readFileSync(join(folder, name), 'latin1')]));

function expectWhole(folder: string, whole: Record<string, string>, what: string): void {
  if (!existsSync(folder)) return;
  const found = contents(folder);
  for (const [name, text] of Object.entries(found)) {
    if (!name.includes('.tmp.')) expect(text === whole[name], `${what}: ${name}`).toBe(true);
    if (name.endsWith('.done.json')) expect(found, what).toHaveProperty([name.replace('.done.json', '')]);
  }
}

testLong(`${KILLS} kills at random moments`, async () => {
  const folder = corpus();
  const undisturbed = at('kill/whole');
  const began = performance.now();
  expect(await ended(start(folder, undisturbed, [0, 1]))).toBe(0);
  const duration = performance.now() - began;
  const whole = contents(undisturbed);
  expect(Object.keys(whole)).toHaveLength(2 * FILES + 1);

  let [kills, atWork, round] = [0, 0, 0];
  while (kills < KILLS) {
    const out = at(`kill/out-${round}`);
    // One process, or two at a time with a share each.
    const count = 1 + (round++ % 2);
    const what = `seed ${SEED}, round ${round}`;
    let open = Array.from({ length: count }, (_, index) => index);
    while (open.length > 0) {
      const children = open.map((index) => {
        const child = start(folder, out, [index, count]);
        const killing = kills < KILLS
          ? setTimeout(() => child.kill('SIGKILL'), Math.ceil(duration * (0.2 + random.below(800) / 1000)))
          : undefined;
        return ended(child).then((code) => {
          clearTimeout(killing);
          if (code === null) kills++;
          else expect([what, code]).toEqual([what, 0]);
          return code === null ? [index] : [];
        });
      });
      const before = kills;
      open = (await Promise.all(children)).flat();
      if (existsSync(out)) atWork += kills - before;
      expectWhole(out, whole, what);
    }
    // The last process of the other share may have left something behind after this one's had looked.
    expect(await ended(start(folder, out, [0, 1]))).toBe(0);
    const names = Object.keys(contents(out));
    expect([what, names]).toEqual([what, Object.keys(whole)]);
    expectWhole(out, whole, what);
  }
  console.log(`${kills} kills in ${round} runs, ${atWork} of them after the work had begun; seed ${SEED}`);
  expect(kills).toBeGreaterThanOrEqual(KILLS);
}, 240_000);
