// What goes wrong with an input: which one, why, and what to do. Never anything that stands in it.

import { getSystemErrorMap } from 'node:util';

/**
 * An input cannot be opened or read. The text names it and says what to do.
 *
 * @example
 * ```ts
 * import { InputError, scanFile } from 'openchatml/node';
 *
 * try {
 *   scanFile('no-such-file.ocml');
 * } catch (error) {
 *   console.log(error instanceof InputError); // true
 * }
 * ```
 */
export class InputError extends Error {
  override readonly name = 'InputError';
  /** The path as it was given or found; bytes that are not UTF-8 stand as \xHH. */
  readonly path: string;
  readonly reason: string;
  readonly remedy: string;
  /** The system's name of the error, ENOENT for example; undefined when the system reported none. */
  readonly code: string | undefined;

  constructor(path: string, reason: string, remedy = '', cause?: unknown) {
    super(`${path}: ${reason}${remedy && `; ${remedy}`}`, { cause });
    this.path = path;
    this.reason = reason;
    this.remedy = remedy;
    this.code = systemCode(cause);
  }
}

/** The system's name of an error, or undefined for any other error. */
export function systemCode(error: unknown): string | undefined {
  const { code, errno } = (error ?? {}) as { code?: unknown; errno?: unknown };
  return typeof code === 'string' && typeof errno === 'number' ? code : undefined;
}

/** What a call answers, or `otherwise` when the system refuses. */
export function attempt<T>(call: () => T, otherwise: T): T {
  try {
    return call();
  } catch (error) {
    if (systemCode(error) === undefined) throw error;
    return otherwise;
  }
}

/** What to do about a file or a folder that the system does not let be read. */
const REMEDIES: Readonly<Record<string, string>> = {
  EACCES: 'get the right to read it, or leave it out',
  EPERM: 'get the right to read it, or leave it out',
  EMFILE: 'allow more open files',
  ENFILE: 'allow more open files',
  EIO: 'see to the disk, or read a copy',
};

/** What to do about what the system threw; empty: nobody knows. */
export const remedyOf = (error: unknown): string => REMEDIES[systemCode(error)!] ?? '';

/** The error to throw for what the system threw. `failed`: `cannot be opened` for example. */
export function inputError(path: string, failed: string, error: unknown): InputError {
  return new InputError(path, `${failed}: ${systemReason(error)}`, remedyOf(error), error);
}

/** What the system says, without the path and the name of the call: `permission denied (EACCES)`. */
export function systemReason(error: unknown): string {
  const code = systemCode(error);
  if (code === undefined) throw error;
  const [, words] = getSystemErrorMap().get((error as { errno: number }).errno) ?? [];
  return words === undefined ? code : `${words} (${code})`;
}
