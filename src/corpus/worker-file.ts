// Where the scripts of worker threads lie: beside the command of the package.

import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** From a file of the command (dist/cli/), from a bundle of the library (dist/), from the sources (src/corpus/). */
const FOLDERS = ['./', './cli/', '../../dist/cli/'];

/** The script of a kind of worker, `corpus-jobs-worker.js` for example. Throws when the package is not whole. */
export function workerFile(name: string): URL {
  for (const folder of FOLDERS) {
    const url = new URL(`${folder}${name}`, import.meta.url);
    if (existsSync(fileURLToPath(url))) return url;
  }
  throw new Error(`the package lacks cli/${name}: install it again, or build it`);
}
