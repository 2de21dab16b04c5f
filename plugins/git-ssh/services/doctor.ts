import { chmod, readFile, rename, stat } from 'node:fs/promises';
import { isAbsolute, join } from 'node:path';
import type { Finding } from '@mortise/plugin-sdk';
import { isPrivateKey } from './host-keys.js';

/** Are the host keys whole, and read by nobody else? Those that are missing are made at the start. */
export async function* checkHostKeys(
  workDir: string,
  files: readonly string[],
  { fix }: { fix: boolean },
): AsyncGenerator<Finding> {
  for (const file of files) {
    const path = isAbsolute(file) ? file : join(workDir, file);
    const stats = await stat(path).catch(() => undefined);
    if (!stats) continue;
    if (stats.mode & 0o077) {
      if (fix) await chmod(path, 0o600);
      yield { level: 'warning', text: `other users of this machine may read the SSH host key ${path}`, fixed: fix };
    }
    if (isPrivateKey(await readFile(path, 'utf8'))) continue;
    if (fix) await rename(path, `${path}.damaged-${Date.now()}`);
    yield {
      level: 'error',
      text: `the SSH host key ${path} is damaged${fix ? '; it was put aside, and the next start makes a new one, which clients have to accept' : ''}`,
      fixed: fix,
    };
  }
}
