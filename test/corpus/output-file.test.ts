// Files that are whole or not there: every call of the file system fails once, and for good, with every error.
import { spawnSync } from 'node:child_process';
import * as fs from 'node:fs';
import { constants, hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { buildSync } from 'esbuild';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type FileCalls, FileOutputError, OutputFile, removeStale } from '../../src/corpus/output-file.ts';
import { hostPart, temporaryName } from '../../src/corpus/output-temporary.ts';

let folder: string;
let path: string;
beforeEach(() => {
  folder = fs.mkdtempSync(join(tmpdir(), 'openchatml-'));
  path = join(folder, 'out.txt');
});
afterEach(() => fs.rmSync(folder, { recursive: true }));

const files = (): string[] => fs.readdirSync(folder).sort();
const SELF = hostPart(hostname());

type Call = keyof FileCalls;
type Fault = (name: Call, call: () => unknown) => unknown;

/** The real calls; `fault` stands between. */
function faulty(fault: Fault): FileCalls {
  const names: Call[] = [
    'openSync', 'writeSync', 'fsyncSync', 'closeSync', 'renameSync', 'unlinkSync', 'lstatSync', 'realpathSync',
  ];
  return Object.fromEntries(names.map((name) => {
    const real = fs[name] as (...values: unknown[]) => unknown;
    return [name, (...values: unknown[]) => fault(name, () => real(...values))];
  })) as unknown as FileCalls;
}

function systemError(code: keyof typeof constants.errno): Error {
  return Object.assign(new Error(code), { code, errno: -constants.errno[code], syscall: 'test' });
}

// Longer than what is gathered, so that there are several writes of several kinds.
const PIECES = ['a line\n', 'é\u0000\n'.repeat(1000), 'x'.repeat(300_000), new Uint8Array([1, 2, 3])];
const WHOLE = Buffer.concat(PIECES.map((piece) => Buffer.from(piece as string)));

function writeAll(calls?: FileCalls): OutputFile {
  const file = OutputFile.create(path, calls);
  for (const piece of PIECES) file.write(piece);
  file.commit();
  return file;
}

describe('a file', () => {
  test('is at its place when it is committed, not before', () => {
    fs.writeFileSync(path, 'old');
    const file = OutputFile.create(path);
    for (const piece of PIECES) file.write(piece);
    expect(file.size).toBe(WHOLE.length);
    expect(files()).toEqual(['out.txt', `out.txt.tmp.${SELF}.${process.pid}`]);
    expect(fs.readFileSync(path, 'utf8')).toBe('old');
    file.commit();
    expect(files()).toEqual(['out.txt']);
    expect(fs.readFileSync(path).equals(WHOLE)).toBe(true);
    file.discard();
    expect(files()).toEqual(['out.txt']);
    expect(() => file.write('more')).toThrow('was committed or discarded');
    expect(() => file.commit()).toThrow('was committed or discarded');
  });

  test('that is discarded leaves what was there', () => {
    fs.writeFileSync(path, 'old');
    const file = OutputFile.create(path);
    file.write('x'.repeat(1_000_000));
    file.discard();
    file.discard();
    expect(files()).toEqual(['out.txt']);
    expect(fs.readFileSync(path, 'utf8')).toBe('old');
    expect(() => file.commit()).toThrow('was committed or discarded');
  });

  test('may be empty', () => {
    OutputFile.create(path).commit();
    expect(fs.readFileSync(path, 'utf8')).toBe('');
  });

  test('does not change when the caller uses its buffer again', () => {
    const file = OutputFile.create(path);
    const bytes = new Uint8Array([1, 2, 3]);
    file.write(bytes);
    bytes.fill(9);
    file.commit();
    expect([...fs.readFileSync(path)]).toEqual([1, 2, 3]);
  });

  test('takes the place that a link leads to', () => {
    fs.mkdirSync(join(folder, 'other'));
    fs.writeFileSync(join(folder, 'other/real.txt'), 'old');
    fs.symlinkSync('other/real.txt', path);
    writeAll();
    expect(fs.lstatSync(path).isSymbolicLink()).toBe(true);
    expect(fs.readFileSync(join(folder, 'other/real.txt')).equals(WHOLE)).toBe(true);
    expect(fs.readdirSync(join(folder, 'other'))).toEqual(['real.txt']);
  });

  test('has no more rights than the one that it replaces', () => {
    fs.writeFileSync(path, 'secret', { mode: 0o600 });
    const file = OutputFile.create(path);
    file.write('text');
    expect(fs.statSync(join(folder, temporaryName('out.txt'))).mode & 0o777).toBe(0o600);
    file.commit();
    expect(fs.statSync(path).mode & 0o777).toBe(0o600);
  });

  test('does not touch a file that has its temporary name, nor what a link of that name leads to', () => {
    fs.writeFileSync(join(folder, temporaryName('out.txt')), 'another');
    fs.writeFileSync(join(folder, 'victim'), 'victim');
    fs.symlinkSync('victim', join(folder, temporaryName('out.txt', 2)));
    writeAll();
    expect(fs.readFileSync(path).equals(WHOLE)).toBe(true);
    expect(fs.readFileSync(join(folder, temporaryName('out.txt')), 'utf8')).toBe('another');
    expect(fs.readFileSync(join(folder, 'victim'), 'utf8')).toBe('victim');
    expect(files()).toEqual(['out.txt', temporaryName('out.txt'), temporaryName('out.txt', 2), 'victim'].sort());
  });
});

describe('what cannot be written', () => {
  const message = (path: string): string => {
    try {
      OutputFile.create(path);
    } catch (error) {
      expect(error).toBeInstanceOf(FileOutputError);
      return (error as Error).message;
    }
    return 'was created';
  };

  test('is a folder, a device, a path through a file, a folder that is not there, a long name', () => {
    expect(message(folder)).toBe(`${folder}: cannot be written: is a folder; give the name of a file`);
    expect(message('/dev/null')).toBe('/dev/null: cannot be written: is not a regular file; give the name of a file');
    const missing = join(folder, 'no/out.txt');
    expect(message(missing))
      .toBe(`${missing}: cannot be written: no such file or directory (ENOENT); make the folder first`);
    fs.writeFileSync(path, '');
    expect(message(join(path, 'x'))).toContain('not a directory (ENOTDIR); choose another place: a part of the path');
    expect(message(join(folder, 'n'.repeat(256)))).toContain('name too long (ENAMETOOLONG); choose a shorter name');
  });

  test('may have the longest name that there is, in any letters', () => {
    for (const name of ['n'.repeat(255), `${'n'.repeat(231)}${'é'.repeat(12)}`]) {
      const file = OutputFile.create(join(folder, name));
      file.write('x');
      const [temporary] = files();
      expect(temporary).toMatch(/^n{200,}.*\.tmp\./);
      expect(Buffer.byteLength(temporary!)).toBeGreaterThan(250);
      file.commit();
      expect(files()).toEqual([name]);
      fs.unlinkSync(join(folder, name));
    }
  });

  test('tells path, reason, remedy and code', () => {
    const calls = faulty((name, call) => {
      if (name === 'writeSync') throw systemError('ENOSPC');
      return call();
    });
    const file = OutputFile.create(path, calls);
    file.write('text');
    let thrown: unknown;
    try {
      file.commit();
    } catch (error) {
      thrown = error;
    }
    expect(thrown).toMatchObject({
      name: 'FileOutputError',
      path,
      reason: 'cannot be written: no space left on device (ENOSPC)',
      remedy: 'make room, or choose another place',
      code: 'ENOSPC',
      message: `${path}: cannot be written: no space left on device (ENOSPC); make room, or choose another place`,
    });
    expect(files()).toEqual([]);
  });

  test('does not hide a mistake of the program behind words about the file', () => {
    const calls = faulty((name, call) => {
      if (name === 'writeSync') throw new TypeError('a mistake');
      return call();
    });
    const file = OutputFile.create(path, calls);
    file.write('text');
    expect(() => file.commit()).toThrow(TypeError);
    expect(files()).toEqual([]);
  });
});

describe('faults', () => {
  /** What a fault does instead of the call, or null when the call has no such fault. */
  const FAULTS: Record<string, (name: Call, call: () => unknown) => (() => unknown) | null> = {
    ENOSPC: () => () => { throw systemError('ENOSPC'); },
    EIO: () => () => { throw systemError('EIO'); },
    EACCES: () => () => { throw systemError('EACCES'); },
    'nothing written': (name) => (name === 'writeSync' ? () => 0 : null),
    // The file is closed, and the answer is an error: so do network file systems tell of a full disk.
    'late EIO': (name, call) => (name !== 'closeSync' ? null : () => {
      call();
      throw systemError('EIO');
    }),
  };

  for (const [fault, make] of Object.entries(FAULTS)) {
    for (const lasting of [false, true]) {
      test.each([true, false])(`${fault}, ${lasting ? 'for good' : 'once'}, over an old file: %s`, (old) => {
        for (let n = 1, clean = false; !clean; n++) {
          if (old) fs.writeFileSync(path, 'old');
          let count = 0;
          let hits = 0;
          let unlinkFailed = false;
          const calls = faulty((name, call) => {
            count++;
            const instead = count === n || (lasting && count > n) ? make(name, call) : null;
            if (instead === null) return call();
            hits++;
            unlinkFailed ||= name === 'unlinkSync';
            return instead();
          });
          let thrown: unknown;
          try {
            writeAll(calls);
          } catch (error) {
            thrown = error;
          }
          clean = count < n;
          const there = fs.existsSync(path) ? fs.readFileSync(path) : null;
          const isWhole = there?.equals(WHOLE) ?? false;
          const isOld = old ? there?.toString() === 'old' : there === null;
          expect(isWhole || isOld, `call ${n}`).toBe(true);
          // What was thrown is an error that tells; without one the file is whole.
          if (thrown === undefined) expect(isWhole, `call ${n}`).toBe(true);
          else expect(thrown).toMatchObject({ name: 'FileOutputError', path });
          if (clean) expect([thrown, hits]).toEqual([undefined, 0]);
          // The temporary file goes, unless the system refuses that too.
          const left = files().filter((name) => name !== 'out.txt');
          expect(left.length, `call ${n}: ${left}`).toBeLessThanOrEqual(unlinkFailed ? 1 : 0);
          for (const name of files()) fs.unlinkSync(join(folder, name));
          expect(n).toBeLessThan(40);
        }
      });
    }
  }

  test('that pass are not seen: interrupted calls, calls to ask again, short writes', () => {
    for (let n = 1, clean = false; !clean; n++) {
      for (const code of ['EINTR', 'EAGAIN'] as const) {
        let count = 0;
        const calls = faulty((name, call) => {
          count++;
          if (count === n && name !== 'closeSync') throw systemError(code);
          if (count === n) {
            call();
            throw systemError('EINTR');
          }
          return call();
        });
        writeAll(calls);
        clean = count < n;
        expect(fs.readFileSync(path).equals(WHOLE), `call ${n}`).toBe(true);
        expect(files()).toEqual(['out.txt']);
      }
    }
    let writes = 0;
    const calls: FileCalls = {
      ...faulty((_, call) => call()),
      writeSync: (fd, bytes, offset, length) => {
        writes++;
        return fs.writeSync(fd, bytes, offset, Math.min(length, 1 + (writes * 7919) % 5000));
      },
    };
    writeAll(calls);
    expect(writes).toBeGreaterThan(50);
    expect(fs.readFileSync(path).equals(WHOLE)).toBe(true);
  });

  test('of folders that cannot be synchronised are none', () => {
    let refused = 0;
    for (const code of ['EINVAL', 'EPERM', 'EISDIR'] as const) {
      let syncs = 0;
      writeAll(faulty((name, call) => {
        if (name === 'fsyncSync' && ++syncs === 2) {
          refused++;
          throw systemError(code);
        }
        return call();
      }));
      expect(fs.readFileSync(path).equals(WHOLE)).toBe(true);
    }
    expect(refused).toBe(3);
  });

  test('leave no descriptor open', () => {
    for (const failing of ['writeSync', 'fsyncSync', 'renameSync'] as const) {
      const open = new Set<unknown>();
      const real = faulty((name, call) => {
        if (name === failing) throw systemError('EIO');
        return call();
      });
      const calls: FileCalls = {
        ...real,
        openSync: (...values) => {
          const fd = real.openSync(...values);
          open.add(fd);
          return fd;
        },
        closeSync: (fd) => {
          expect(open.delete(fd)).toBe(true);
          real.closeSync(fd);
        },
      };
      expect(() => writeAll(calls)).toThrow(FileOutputError);
      expect(open.size).toBe(0);
    }
  });
});

describe('left-overs', () => {
  const GONE = spawnSync(process.execPath, ['-e', '']).pid;
  const DAY = 24 * 60 * 60;
  const put = (name: string, ageInSeconds = 0): string => {
    fs.writeFileSync(join(folder, name), '');
    const time = Date.now() / 1000 - ageInSeconds;
    fs.utimesSync(join(folder, name), time, time);
    return name;
  };

  test('of processes that are gone are deleted, those of living ones stay', () => {
    const stale = [
      put(`out.txt.tmp.${SELF}.${GONE}`),
      put(`out.txt.tmp.${SELF}.${GONE}-2`),
      put(`b.tmp.x.tmp.${SELF}.${GONE}`),
      put('out.txt.tmp.other.1', 2 * DAY),
      // Of an earlier process that had this number: it is older than this process.
      put(`out.txt.tmp.${SELF}.${process.pid}`, 1000 * DAY),
    ].sort();
    const kept = [
      put(`out.txt.tmp.${SELF}.${process.ppid}`, 2 * DAY),
      put(`out.txt.tmp.${SELF}.${process.pid}-2`),
      put('out.txt.tmp.other.1-2', DAY / 2),
      put('out.txt'),
      put(`out.txt.tmp.${SELF}.0`, 2 * DAY),
      put(`out.txt.tmp.${SELF}.x`, 2 * DAY),
      put(`.tmp.${SELF}.${GONE}`, 2 * DAY),
      put(`out.txt.tmp.${SELF}.${GONE}.txt`, 2 * DAY),
    ];
    fs.mkdirSync(join(folder, `dir.tmp.${SELF}.${GONE}`));
    fs.symlinkSync('out.txt', join(folder, `link.tmp.${SELF}.${GONE}`));
    kept.push(`dir.tmp.${SELF}.${GONE}`, `link.tmp.${SELF}.${GONE}`);
    expect(removeStale(folder)).toEqual(stale);
    expect(files()).toEqual(kept.sort());
  });

  test('of one output only', () => {
    const other = put(`other.txt.tmp.${SELF}.${GONE}`);
    const longer = put(`a.out.txt.tmp.${SELF}.${GONE}`);
    const wanted = put(`out.txt.tmp.${SELF}.${GONE}`);
    expect(removeStale(folder, 'out.txt')).toEqual([wanted]);
    expect(files()).toEqual([longer, other].sort());
  });

  test('of a name of which the beginning stands there', () => {
    const ending = `.tmp.${SELF}.${GONE}`;
    const room = 255 - ending.length;
    const wanted = put(`${'n'.repeat(room)}${ending}`);
    const other = put(`m${'n'.repeat(room - 1)}${ending}`);
    const shorter = put(`${'n'.repeat(room - 1)}${ending}`);
    expect(removeStale(folder, 'n'.repeat(255))).toEqual([wanted]);
    expect(files()).toEqual([other, shorter].sort());
  });

  test('that cannot be deleted stay, and so does what a folder that is not there holds', () => {
    put(`out.txt.tmp.${SELF}.${GONE}`);
    const refuse = (): never => { throw systemError('EACCES'); };
    const calls = { readdirSync: (path: string) => fs.readdirSync(path), lstatSync: fs.lstatSync, unlinkSync: refuse };
    expect(removeStale(folder, undefined, calls)).toEqual([]);
    expect(files().length).toBe(1);
    expect(removeStale(join(folder, 'missing'))).toEqual([]);
  });

  test('of a process that was killed', () => {
    const source = fileURLToPath(new URL('../../src/corpus/output-file.ts', import.meta.url));
    const script = `
      import { OutputFile } from ${JSON.stringify(source)};
      const file = OutputFile.create(${JSON.stringify(path)});
      file.write('x'.repeat(1_000_000));
      process.kill(process.pid, 'SIGKILL');
    `;
    fs.writeFileSync(path, 'old');
    // The sources are TypeScript, which not every supported Node runs by itself.
    const bundled = join(folder, 'killed.mjs');
    const stdin = { contents: script, resolveDir: folder };
    buildSync({ stdin, bundle: true, platform: 'node', format: 'esm', outfile: bundled });
    const { signal, pid } = spawnSync(process.execPath, [bundled]);
    expect(signal).toBe('SIGKILL');
    expect(fs.readFileSync(path, 'utf8')).toBe('old');
    expect(removeStale(folder, 'out.txt')).toEqual([`out.txt.tmp.${SELF}.${pid}`]);
    expect(files()).toEqual(['killed.mjs', 'out.txt']);
  });

  test('host names become parts of file names', () => {
    expect(hostPart('a.b-1')).toBe('a_b-1');
    expect(hostPart('../é')).toBe('____');
    expect(hostPart('')).toBe('_');
    expect(hostPart('h'.repeat(300)).length).toBe(64);
  });
});
