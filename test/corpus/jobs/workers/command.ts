// The command, whose parts are all done by two threads that run the script WORKER in the environment: see faulty.mjs.
import { cli } from '../../../../src/cli/program.ts';
import { DescriptorStream } from '../../../../src/cli/stream.ts';
import { Pool } from '../../../../src/corpus/jobs/pool.ts';

const jobs = new Pool(2, { script: new URL(process.env['WORKER']!) });
const [stdout, stderr] = [1, 2].map((fd) => new DescriptorStream(fd, false)) as [DescriptorStream, DescriptorStream];
const stdin = { fd: 0, isTTY: false };
process.exitCode = await cli(process.argv.slice(2), { stdin, stdout, stderr, env: process.env, version: 'test', jobs });
jobs.close();
