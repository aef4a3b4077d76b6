// Files of 0.1 in the interchange forms (R-FIM, R-JSON): `files` beside `messages`, each before an entry of the record.

import type { FileData, FillInData, FilePart } from '../../model/data.ts';
import type { FillInPart } from '../../model/sequence.ts';
import { isObject, tellOtherFields } from '../chat/fields.ts';
import { type Loss, Refusal } from '../loss.ts';

const FILE_KEYS: ReadonlySet<string> = new Set(['before', 'separated', 'parts']);
const PART_NAMES: readonly FillInPart[] = ['prefix', 'middle', 'suffix'];
const FILL_IN_KEYS: ReadonlySet<string> = new Set([...PART_NAMES, 'order']);

/**
 * The files of a record whose entry n begins with message `starts[n]`, and which has `length` messages. Null: there are
 * none. Throws a Refusal.
 */
export function readFiles(
  value: unknown, starts: readonly number[], length: number, losses: Loss[],
): readonly FileData[] | null {
  if (value === undefined || value === null) return null;
  if (!Array.isArray(value)) return refuse('its files are no list', 'give a list of {before, parts}');
  const files = (value as unknown[]).map((file): FileData => {
    if (!isObject(file) || !Array.isArray(file['parts'])) return refuse('a file has no list of parts', 'give one');
    tellOtherFields(file, FILE_KEYS, null, losses, 'files.');
    const { before, separated = null, parts } = file;
    const isNumber = typeof before === 'number' && Number.isInteger(before) && before >= 0 && before <= starts.length;
    if (!isNumber) return refuse('a file stands before no message', `give a number of 0 to ${starts.length}`);
    if (separated !== null && typeof separated !== 'boolean')
      return refuse('separated is neither true nor false', 'leave it out');
    return {
      before: starts[before] ?? length,
      ...(separated === true && { separated: true }),
      parts: (parts as unknown[]).map((part) => partOf(part, losses)),
    };
  });
  if (files.some(({ before }, i) => i > 0 && files[i - 1]!.before > before))
    return refuse('its files are out of order', 'give them in the order in which they stand');
  return files.length === 0 ? null : files;
}

function partOf(part: unknown, losses: Loss[]): FilePart {
  if (typeof part === 'string') return part;
  if (!isObject(part)) return refuse('a part of a file is no text', 'give a string, or {prefix, middle, suffix}');
  tellOtherFields(part, FILL_IN_KEYS, null, losses, 'files.parts.');
  const text = (name: FillInPart): string | null => {
    const value = part[name] ?? null;
    return value === null || typeof value === 'string' ? value : refuse(`${name} is no text`, 'give a string');
  };
  const fillIn: FillInData = { prefix: text('prefix'), middle: text('middle'), suffix: text('suffix') };
  const { order = null } = part;
  if (order === null) return fillIn;
  const there = PART_NAMES.filter((name) => fillIn[name] !== null);
  const isOrder = Array.isArray(order) && order.length === there.length && there.every((name) => order.includes(name));
  return isOrder ? { ...fillIn, order: order as FillInPart[] }
    : refuse('the order of a fill-in does not name its parts', 'name each part that is there once');
}

function refuse(reason: string, remedy: string): never {
  throw new Refusal(null, reason, remedy);
}
