// Paths as code hosts know files: from the folder that is worked in, with slashes.

import { isAbsolute, relative, sep } from 'node:path';

/** A path below the working directory as seen from there; any other as it is. */
export function relativePath(path: string, folder: string = process.cwd()): string {
  let seen = path;
  if (isAbsolute(path)) {
    const inner = relative(folder, path);
    if (inner !== '' && inner.split(sep)[0] !== '..' && !isAbsolute(inner)) seen = inner;
  }
  const slashed = sep === '/' ? seen : seen.replaceAll(sep, '/');
  return slashed.replace(/^(?:\.\/+)+/, '');
}
