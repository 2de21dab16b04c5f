// git clients: seconds of whole commands against the same over file:// and from a bare server with the same answers.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';

function gitOnce(work, args) {
  const target = mkdtempSync(join(work, 'clone-'));
  const begin = performance.now();
  const done = spawnSync('git', args(join(target, 'x')), {
    stdio: ['ignore', 'ignore', 'pipe'],
    encoding: 'utf8',
    env: { ...process.env, GIT_TERMINAL_PROMPT: '0' },
  });
  if (done.status !== 0) throw new Error(done.stderr);
  const seconds = (performance.now() - begin) / 1000;
  rmSync(target, { recursive: true, force: true });
  return seconds;
}

/** Medians in seconds of whole commands, measured in turn: what else the machine does falls on all alike. */
export function gitSeconds(work, commands, runs) {
  const times = commands.map(() => []);
  for (let run = 0; run < runs; run++) commands.forEach((args, side) => times[side].push(gitOnce(work, args)));
  return times.map((list) => list.sort((a, b) => a - b)[Math.floor(runs / 2)]);
}

export const shallowClone = (url) => (target) => ['clone', '-q', '--bare', '--depth', '1', url, target];

// of ls-remote most is the start of the client's processes (docs/decisions/0009)
const rows = [
  ['full clone (bare)', (url) => (target) => ['clone', '-q', '--bare', url, target], '≤ 1.1× of `file://`', 5],
  ['shallow clone', shallowClone, '≤ 1.0× of `file://`', 5],
  ['ls-remote', (url) => () => ['ls-remote', '-q', url], '≤ 1.2× of the bare server', 41],
];

export function gitRows({ work, source, bare: bareBase, remote: base }) {
  return rows.map(([name, args, goal, runs]) => {
    const places = [`file://${source}`, `${bareBase}/root/big.git`, `${base}/root/big.git`];
    const [local, bare, remote] = gitSeconds(work, places.map(args), runs);
    const ratio = (to) => `${(remote / to).toFixed(2)}×`;
    const ms = (seconds) => `${(seconds * 1000).toFixed(1)} ms`;
    return `| ${name} | ${ms(local)} | ${ms(bare)} | ${ms(remote)} | ${ratio(local)} | ${ratio(bare)} | ${goal} |`;
  });
}
