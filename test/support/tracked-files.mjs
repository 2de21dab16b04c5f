import { spawnSync } from 'node:child_process';
import { root } from './server.mjs';

/** Files of the project that git tracks; undefined where it is no repository, such as an unpacked archive. */
export function trackedFiles(...patterns) {
  const { status, stdout } = spawnSync('git', ['ls-files', '-z', '--', ...patterns], { cwd: root, encoding: 'utf8' });
  return status === 0 ? stdout.split('\0').filter(Boolean) : undefined;
}
