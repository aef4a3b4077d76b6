// Memory of the processes that a browser draws pages in, their workers too, as Linux knows it.
import { readdirSync, readFileSync } from 'node:fs';

const read = (path) => {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    // The process has ended.
    return '';
  }
};

/** Bytes: the largest peak of memory among processes for pages that this process has started, by whatever way. */
export function peakOfRenderers() {
  const parents = new Map();
  for (const name of readdirSync('/proc')) {
    if (/^\d+$/.test(name)) parents.set(name, /^PPid:\s*(\d+)/m.exec(read(`/proc/${name}/status`))?.[1]);
  }
  const isOurs = (pid) => pid !== undefined && (pid === String(process.pid) || isOurs(parents.get(pid)));
  const peaks = [...parents.keys()].filter((pid) => isOurs(pid)).map((pid) => {
    if (!read(`/proc/${pid}/cmdline`).includes('--type=renderer')) return 0;
    return 1024 * Number(/^VmHWM:\s*(\d+)/m.exec(read(`/proc/${pid}/status`))?.[1] ?? 0);
  });
  return Math.max(0, ...peaks);
}
