// The loop as a program: `node loop-command.js FILE`.
import { loop } from './loop.ts';

console.log(JSON.stringify(loop(process.argv[2]!)));
