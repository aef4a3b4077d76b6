// The buffers of Node, for what reads records: it is written for Node, and needs nothing else of it.

import { isUtf8 } from './text-map.ts';

export { Buffer } from 'buffer/';
export { isUtf8 };
