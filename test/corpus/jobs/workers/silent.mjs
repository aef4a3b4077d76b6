// A worker that hears everything, and begins nothing.
import { parentPort } from 'node:worker_threads';

parentPort.on('message', () => {});
