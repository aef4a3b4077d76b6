// The library without WebAssembly.

import { Twin } from '../scan/twin/twin.ts';
import { makeLibrary } from './library.ts';

export const { parse, check, scan, engine } = makeLibrary(() => new Twin());
