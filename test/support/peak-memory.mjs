// What the kernel says about memory of processes (proc(5)).
import { readFileSync } from 'node:fs';

const textOf = (path) => {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    // The process has ended.
    return '';
  }
};

function descendants(pid) {
  const children = textOf(`/proc/${pid}/task/${pid}/children`).split(' ').filter(Boolean).map(Number);
  return children.flatMap((one) => [one, ...descendants(one)]);
}

/** Highest memory so far of the largest among a server and its workers, in MB. */
export function peakMemory(pid) {
  const isServer = (one) => one === pid || /^(node|MainThread|mortise)/.test(textOf(`/proc/${one}/comm`));
  const peaks = [pid, ...descendants(pid)].filter(isServer).map((one) => {
    const [, kilobytes] = /VmHWM:\s+(\d+)/.exec(textOf(`/proc/${one}/status`)) ?? [];
    return Number(kilobytes ?? 0) / 1024;
  });
  return Math.round(Math.max(...peaks));
}
