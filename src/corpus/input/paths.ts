// PATH arguments to inputs: files, folders with their transcripts, `-` for standard input; and how each one is opened.

import { constants, fstatSync, lstatSync, openSync, readdirSync, statSync, type Stats } from 'node:fs';
import { isUtf8 } from 'node:buffer';
import { fileURLToPath } from 'node:url';
import { toldOf } from '../../options.ts';
import type { PlainReadOptions } from '../../model/part-walk.ts';
import { type Container, containerOf, decodeInput, type DecodeOptions } from './container.ts';
import { InputError, inputError, remedyOf, systemReason } from '../error.ts';
import { RECORD_ENDINGS } from '../records/form.ts';
import { FileSource, type InputSource, PipeSource } from './source.ts';

/** Names are bytes: not every one of them is UTF-8. */
export type Path = string | Buffer;

/** A path, or the URL of a file: `new URL('chats.jsonl', import.meta.url)`. */
export type FilePath = Path | { readonly href: string };

const PLAIN_ENDINGS: readonly string[] = ['.txt', '.ocml', '.chatml', '.harmony', ...RECORD_ENDINGS];
const COMPRESSED: readonly string[] = ['.gz', '.zst'];
/** The endings that a folder's files may have, compressed ones too. */
export const ENDINGS = [
  ...PLAIN_ENDINGS,
  ...PLAIN_ENDINGS.flatMap((ending) => COMPRESSED.map((compressed) => ending + compressed)),
  '.parquet',
];
/** How help and errors name them. */
export const ENDINGS_TEXT = `*${PLAIN_ENDINGS.join(', *')}, each also with ${COMPRESSED.join(' or ')}, *.parquet`;

export const STANDARD_INPUT = '-';

/** Standard input, or a FIFO. What cannot be looked at is told when it is opened. */
export function isReadOnce(path: string): boolean {
  if (path === STANDARD_INPUT) return true;
  try {
    return statSync(path).isFIFO();
  } catch {
    return false;
  }
}

/** What opens an input, as plain data: for another thread. */
export type InputRef =
  | { readonly kind: 'stdin'; readonly fd: number }
  | { readonly kind: 'file'; readonly path: string | Uint8Array; readonly inFolder: boolean };

export interface Input {
  /** The path for people and for records; bytes that are not UTF-8 stand as \xHH. */
  readonly path: string;
  readonly ref: InputRef;
  /** The input, decompressed. Throws an InputError. */
  open(): InputSource;
}

/** Opens an input; what it is packed in. Throws an InputError. */
export function openRef(
  ref: InputRef, options: DecodeOptions,
): { readonly input: InputSource; readonly container: Container } {
  const packed = openPacked(ref);
  try {
    return { container: containerOf(packed.bytes(0, 4)), input: decodeInput(packed, options) };
  } catch (error) {
    packed.close();
    throw error;
  }
}

/** The input as it lies there. */
function openPacked(ref: InputRef): InputSource {
  if (ref.kind === 'stdin') return new PipeSource(ref.fd, STANDARD_INPUT, false);
  const path = typeof ref.path === 'string' ? ref.path : Buffer.from(ref.path);
  const status = lookAt(path, ref.inFolder ? lstatSync : statSync);
  if (status.isDirectory()) throw new InputError(pathText(path), 'is a folder, not a file', 'name a file in it');
  return openAs(path, status, ref.inFolder ? IN_FOLDER : constants.O_RDONLY);
}

/** Throws a TypeError for what is neither a path nor the URL of a file. */
export function givenPath(path: FilePath): Path {
  if (typeof path === 'string' || Buffer.isBuffer(path)) return path;
  const { href } = (path ?? {}) as { readonly href?: unknown };
  if (typeof href === 'string' && href.startsWith('file:')) return fileURLToPath(href);
  const told = typeof href === 'string' ? href : toldOf(path);
  throw new TypeError(`path: expected a path, or the URL of a file; got ${told}`);
}

/** A path as text. */
export function pathText(path: Path): string {
  if (typeof path === 'string') return path;
  if (isUtf8(path)) return path.toString('utf8');
  let text = '';
  for (const byte of path) text += byte < 0x80 ? String.fromCharCode(byte) : `\\x${byte.toString(16)}`;
  return text;
}

/** Under `auto` a file named `*.harmony` is read as harmony; no other ending chooses anything. */
export function optionsFor<O extends PlainReadOptions>(path: string, options: O): O {
  const isAuto = options.dialect === undefined || options.dialect === 'auto';
  return isAuto && /\.harmony(?:\.gz|\.zst)?$/.test(path) ? { ...options, dialect: 'harmony' } : options;
}

/** Opens a regular file, a FIFO or a link to one, and decompresses it. Throws an InputError. */
export function openInput(path: Path): InputSource {
  return openRef({ kind: 'file', path, inFolder: false }, { verify: true }).input;
}

/**
 * The inputs that arguments mean, in order, found as they are asked for; what cannot be an input comes as its error.
 * Folders give their files with one of ENDINGS.
 */
export function* findInputs(paths: readonly string[], stdin: number): Generator<Input | InputError, void, void> {
  for (const path of paths) {
    if (path === STANDARD_INPUT) {
      yield inputAt(path, stdin);
      continue;
    }
    try {
      const status = lookAt(path, statSync);
      if (!status.isDirectory()) yield inputAt(path, stdin);
      else yield* findInFolder(path);
    } catch (error) {
      if (!(error instanceof InputError)) throw error;
      yield error;
    }
  }
}

/** The one input that an argument means: a folder is none, which is told when it is opened. */
export function inputAt(path: string, stdin: number): Input {
  const isPipe = path === STANDARD_INPUT;
  return inputOf(path, isPipe ? { kind: 'stdin', fd: stdin } : { kind: 'file', path, inFolder: false });
}

function inputOf(path: string, ref: InputRef): Input {
  return { path, ref, open: () => openRef(ref, { verify: true }).input };
}

function* findInFolder(path: string): Generator<Input | InputError, void, void> {
  let isEmpty = true;
  for (const found of walk(Buffer.from(path))) {
    isEmpty = false;
    yield found;
  }
  if (isEmpty) {
    const remedy = `a folder gives its files named ${ENDINGS_TEXT}; name any other file itself`;
    yield new InputError(path, 'holds no transcripts', remedy);
  }
}

/** Links must not lead out of the folder, and nothing in it may block: a FIFO that takes a file's place is refused. */
const IN_FOLDER = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);
const SLASH = Buffer.from('/');
const DOT = 0x2e;

/** Files of a folder and of the folders in it, in the order of their paths' bytes. */
function* walk(folder: Buffer): Generator<Input | InputError, void, void> {
  let entries: Entry[];
  try {
    entries = readdirSync(folder, { encoding: 'buffer', withFileTypes: true });
    // Bun gives names alone.
    if (entries.some((entry) => entry instanceof Uint8Array)) entries = lookedUp(folder);
  } catch (error) {
    yield inputError(pathText(folder), 'cannot be listed', error);
    return;
  }
  const base = folder.at(-1) === SLASH[0] ? folder : Buffer.concat([folder, SLASH]);
  const wanted = entries
    .filter((entry) => {
      return entry.name[0] !== DOT && (entry.isDirectory() || (entry.isFile() && isWanted(entry.name)));
    })
    .map((entry) => (entry.isDirectory() ? Buffer.concat([entry.name, SLASH]) : entry.name))
    .sort(Buffer.compare);
  for (const name of wanted) {
    const path = Buffer.concat([base, name]);
    if (name.at(-1) === SLASH[0]) yield* walk(path);
    else yield inputOf(pathText(path), { kind: 'file', path, inFolder: true });
  }
}

interface Entry {
  readonly name: Buffer;
  isDirectory(): boolean;
  isFile(): boolean;
}

function lookedUp(folder: Buffer): Entry[] {
  return readdirSync(folder, { encoding: 'buffer' }).flatMap((name) => {
    const status = lstatSync(Buffer.concat([folder, SLASH, name]), { throwIfNoEntry: false });
    if (status === undefined) return [];
    return [{ name, isDirectory: () => status.isDirectory(), isFile: () => status.isFile() }];
  });
}

function isWanted(name: Buffer): boolean {
  const text = name.toString('latin1');
  return ENDINGS.some((ending) => text.endsWith(ending));
}

function lookAt(path: Path, look: (path: Path) => Stats): Stats {
  try {
    return look(path);
  } catch (error) {
    throw new InputError(pathText(path), systemReason(error), remedyOf(error) || remedyFor(path), error);
  }
}

function remedyFor(path: Path): string {
  if (typeof path !== 'string') return '';
  if (!path.includes('\ufffd')) return 'look at the spelling of the path';
  return 'a name that is not UTF-8 cannot be an argument: name its folder';
}

function openAs(path: Path, status: Stats, flags: number): InputSource {
  const text = pathText(path);
  refuseSpecial(text, status);
  let fd;
  try {
    fd = openSync(path, flags);
  } catch (error) {
    throw inputError(text, 'cannot be opened', error);
  }
  // What the path names may have changed in between.
  const opened = fstatSync(fd);
  if (opened.isFile()) return new FileSource(fd, text);
  const pipe = new PipeSource(fd, text, true);
  if (flags === constants.O_RDONLY && opened.isFIFO()) return pipe;
  pipe.close();
  throw new InputError(text, 'was replaced while it was opened', 'try again');
}

function refuseSpecial(path: string, status: Stats): void {
  if (status.isFile() || status.isFIFO()) return;
  let kind = 'a device';
  if (status.isSocket()) kind = 'a socket';
  else if (status.isDirectory()) kind = 'a folder';
  else if (status.isSymbolicLink()) kind = 'a link';
  throw new InputError(path, `is ${kind}, not a file`, 'send what it gives through standard input: `-`');
}
