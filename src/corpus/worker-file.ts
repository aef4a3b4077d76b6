// Where the scripts of worker threads lie: beside the bundles of the package.

import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/**
 * From a bundle's chunk (dist/chunk-….js), from the bundle of an entry in a folder (dist/cli/main.js), from the sources
 * (src/corpus/).
 */
const FOLDERS = ['./corpus/', '../corpus/', '../../dist/corpus/'];

/** The script of a kind of worker, `jobs/worker.js` for example. Throws when the package is not whole. */
export function workerFile(name: string): URL {
  for (const folder of FOLDERS) {
    const url = new URL(`${folder}${name}`, import.meta.url);
    if (existsSync(fileURLToPath(url))) return url;
  }
  throw new Error(`the package lacks corpus/${name}: install it again, or build it`);
}
