// The library over the best scanner that runs here.

import { createMachine } from '../scan/engine.ts';
import { makeLibrary } from './library.ts';

export const { parse, check, scan, engine } = makeLibrary(createMachine);
