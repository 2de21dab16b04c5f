// Starts a run of the cluster in namespaces of its own and gives what it saw.
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { scratchFolder } from '../../services/engines.mjs';
import { spawnApart } from './network.mjs';

const program = fileURLToPath(new URL('run.mjs', import.meta.url));

/**
 * `minutes` and `maxFaults` end it, whichever comes first; `seed` decides what happens when; `writers` is `one` when all nodes
 * prefer the same database, as operators are told, or `each` when each has its own; `keep` leaves its folder with the logs.
 * Lines of progress go to standard error.
 */
export async function runCluster({ minutes, maxFaults, seed, writers = 'one', keep = false }) {
  const folder = mkdtempSync(join(scratchFolder(), 'mortise-cluster-'));
  // the account of MariaDB passes through
  chmodSync(folder, 0o711);
  const command = [process.execPath, program, JSON.stringify({ folder, minutes, maxFaults, seed, writers })];
  const child = spawnApart(command, { stdio: ['ignore', 'pipe', 'inherit'] });
  const end = () => child.kill('SIGKILL');
  process.once('exit', end);
  try {
    let out = '';
    child.stdout.on('data', (chunk) => (out += chunk));
    const code = await new Promise((resolve) => child.on('close', resolve));
    if (code !== 0) throw new Error(`the run of the cluster ended with ${code}`);
    return { ...JSON.parse(out), ...(keep && { folder }) };
  } finally {
    process.off('exit', end);
    if (!keep) rmSync(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 });
  }
}
