// Names of files that are being written, and the removal of those that nobody writes any more.

import { lstatSync, readdirSync, unlinkSync } from 'node:fs';
import { hostname } from 'node:os';
import { basename, join } from 'node:path';
import { attempt, systemCode } from './error.ts';

/** What is asked of the file system; tests put faults in between. */
export interface FolderCalls {
  readdirSync(path: string): string[];
  lstatSync(path: string): { mtimeMs: number; isFile(): boolean };
  unlinkSync(path: string): void;
}

const NODE: FolderCalls = { readdirSync: (path) => readdirSync(path), lstatSync, unlinkSync };

/** `.tmp.HOST.PROCESS`, from the second file of one name on with its number. */
const TEMPORARY = /^(.+)\.tmp\.([A-Za-z0-9_-]{1,64})\.([1-9][0-9]{0,9})(?:-[0-9]{1,3})?$/s;
const LONGEST_HOST = 64;
/** Bytes of a file name, in most file systems. */
const LONGEST_NAME = 255;
const DAY_MS = 24 * 60 * 60 * 1000;

/** The name of a host as a part of a file name: letters, digits, `-` and `_`. */
export function hostPart(host: string): string {
  return host.replaceAll(/[^A-Za-z0-9-]/g, '_').slice(0, LONGEST_HOST) || '_';
}

/**
 * The name beside `name` under which this process writes it: its beginning, where all of it would be too long. `number`
 * counts the attempts from 1.
 */
export function temporaryName(name: string, number = 1): string {
  const ending = `.tmp.${hostPart(hostname())}.${process.pid}${number > 1 ? `-${number}` : ''}`;
  return beginningOf(name, ending.length) + ending;
}

/** As many characters of a name as leave room for an ending of so many bytes. */
function beginningOf(name: string, endingBytes: number): string {
  if (Buffer.byteLength(name) + endingBytes <= LONGEST_NAME) return name;
  let bytes = endingBytes;
  let beginning = '';
  for (const character of name) {
    bytes += Buffer.byteLength(character);
    if (bytes > LONGEST_NAME) break;
    beginning += character;
  }
  return beginning;
}

/**
 * Deletes the temporary files in a folder, of the output `name` or of all, whose process is gone: it ran on this host
 * and does so no more; or it ran on another host, or had the number that this process has now, and the file is older
 * than a day. Answers with the names that were deleted. What cannot be read or deleted stays.
 */
export function removeStale(folder: string, name?: string, calls: FolderCalls = NODE): string[] {
  const wanted = name === undefined ? undefined : basename(name);
  return attempt(() => calls.readdirSync(folder), []).sort().filter((entry) => {
    const [, output, host, number] = TEMPORARY.exec(entry) ?? [];
    if (output === undefined) return false;
    if (wanted !== undefined && output !== beginningOf(wanted, entry.length - output.length)) return false;
    const path = join(folder, entry);
    return attempt(() => {
      const file = calls.lstatSync(path);
      if (!file.isFile() || !isStale(host!, Number(number), file.mtimeMs)) return false;
      calls.unlinkSync(path);
      return true;
    }, false);
  });
}

function isStale(host: string, number: number, changed: number): boolean {
  const now = Date.now();
  if (host !== hostPart(hostname())) return now - changed > DAY_MS;
  if (number !== process.pid) return !isAlive(number);
  // In a container every process may have the same number: this one's own files are younger than it is itself.
  return now - changed > Math.max(DAY_MS, process.uptime() * 1000);
}

function isAlive(number: number): boolean {
  try {
    process.kill(number, 0);
    return true;
  } catch (error) {
    // Any other answer does not say that it is gone.
    return systemCode(error) !== 'ESRCH';
  }
}

