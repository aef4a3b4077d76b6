// Puts a finished build into dist/ so that no reader ever meets half of one, and remembers what it was built from.
//
// Chunks have their content's hash in the name, so an entry and the chunks it names always fit together. Files move
// by rename, one after the other: what entries need first, the entries last. The chunks of the build before stay for
// one more build: a command that started just before the change may still load them.
import { createHash } from 'node:crypto';
import {
  chmodSync, existsSync, mkdirSync, readFileSync, readdirSync, renameSync, rmSync, statSync, writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';

const STAMP = 'dist/.build.json';
const LOCK = '.dist-lock';

/** The name of a chunk, with the hash of its content. */
const CHUNK = /-[\w-]{8}\.js(?:\.map)?$/;

/** A lock older than this belongs to a build that died where its process cannot be seen. */
const LOCK_MS = 180_000;

/** All files below `folder`, as paths relative to `root`, sorted. */
export function listFiles(root, folder) {
  const files = [];
  const visit = (path) => {
    for (const entry of readdirSync(join(root, path), { withFileTypes: true })) {
      const child = `${path}/${entry.name}`;
      if (entry.isDirectory()) visit(child);
      else if (entry.isFile()) files.push(child);
    }
  };
  if (existsSync(join(root, folder))) visit(folder);
  return files.sort();
}

/** One hash over names and contents of `files` and over `words`. */
export function hashInputs(root, files, words) {
  const hash = createHash('sha256').update(JSON.stringify(words));
  for (const file of files) {
    const bytes = readFileSync(join(root, file));
    hash.update(`\n${file} ${bytes.length}\n`).update(bytes);
  }
  return hash.digest('hex');
}

/** What the last build left: the hash of its inputs, whether it has types, and its files with their sizes. */
export function readStamp(root) {
  try {
    return JSON.parse(readFileSync(join(root, STAMP), 'utf8'));
  } catch {
    return { inputs: '', types: false, files: {} };
  }
}

/** True when every file of the stamp still stands with its size. */
export function isWhole(root, stamp) {
  return Object.entries(stamp.files).every(([file, size]) => {
    return statSync(join(root, file), { throwIfNoEntry: false })?.size === size;
  });
}

/** Moves everything in `scratch` into dist/; `entries` (relative to dist) go last, in order. Writes the stamp. */
export function place(root, scratch, entries, stamp) {
  const before = Object.keys(readStamp(root).files);
  const built = listFiles(scratch, '.').map((file) => file.slice(2));
  const files = { ...stamp.files };
  for (const file of [...built.filter((name) => !entries.includes(name)), ...entries]) {
    const target = join(root, 'dist', file);
    mkdirSync(dirname(target), { recursive: true });
    files[`dist/${file}`] = statSync(join(scratch, file)).size;
    renameSync(join(scratch, file), target);
  }
  writeFileSync(join(scratch, 'stamp'), `${JSON.stringify({ ...stamp, files })}\n`);
  renameSync(join(scratch, 'stamp'), join(root, STAMP));
  keepOnly(root, [...before.filter((file) => CHUNK.test(file)), ...Object.keys(files)]);
}

/** Removes what is in dist/ but not in `files`. */
export function keepOnly(root, files) {
  const kept = new Set([STAMP, ...files]);
  for (const file of listFiles(root, 'dist')) {
    if (!kept.has(file)) rmSync(join(root, file), { force: true });
  }
}

/** Runs `work(scratch)` alone: a second build waits for the first. `scratch` is an empty folder beside dist/. */
export async function withLock(root, work) {
  const lock = join(root, LOCK);
  for (;;) {
    try {
      writeFileSync(lock, String(process.pid), { flag: 'wx' });
      break;
    } catch (error) {
      if (error.code !== 'EEXIST') throw error;
    }
    if (isAbandoned(lock)) rmSync(lock, { force: true });
    else await new Promise((resolve) => setTimeout(resolve, 50));
  }
  const scratch = join(root, `.dist-${process.pid}`);
  try {
    for (const name of readdirSync(root)) {
      const pid = /^\.dist-(\d+)$/.exec(name)?.[1];
      if (pid !== undefined && (Number(pid) === process.pid || !isAlive(Number(pid)))) {
        rmSync(join(root, name), { recursive: true, force: true });
      }
    }
    mkdirSync(scratch);
    return await work(scratch);
  } finally {
    rmSync(scratch, { recursive: true, force: true });
    rmSync(lock, { force: true });
  }
}

function isAbandoned(lock) {
  try {
    const age = Date.now() - statSync(lock).mtimeMs;
    const pid = Number(readFileSync(lock, 'utf8'));
    // A lock without a number is being written at this moment.
    return age > LOCK_MS || (pid > 0 && !isAlive(pid));
  } catch {
    return false;
  }
}

function isAlive(pid) {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error.code === 'EPERM';
  }
}

/** npm links the command without making it executable when the package is linked, not installed. */
export function makeExecutable(path) {
  chmodSync(path, 0o755);
}
