// Is everything that package-lock.json names installed? A new dependency between two workspaces installs nothing, and a
// lock file is newer than what it installed whenever git has written it.
import { existsSync, readFileSync } from 'node:fs';

const packagesOf = (file) => JSON.parse(readFileSync(file, 'utf8')).packages;

/** The library that is compiled on this machine, where this Node needs it (`docs/decisions/0008`). */
const native = 'node_modules/better-sqlite3';
const needsNative = Number(process.versions.node.split('.')[0]) < 22;

/** Are the files of all packages there? */
export function isInstalled(root = '.') {
  const lock = `${root}/package-lock.json`;
  const installed = `${root}/node_modules/.package-lock.json`;
  if (!existsSync(lock)) return true;
  if (!existsSync(installed)) return false;
  const there = packagesOf(installed);
  return Object.entries(packagesOf(lock)).every(([path, { version, integrity, link, optional, peer }]) => {
    if (!path.includes('node_modules/')) return true;
    const found = there[path];
    // not for this platform
    if (!found) return Boolean(optional || peer);
    return found.version === version && found.integrity === integrity && found.link === link;
  });
}

/** Did the native library get its compiled part? */
export const isCompiled = (root = '.') =>
  !needsNative ||
  !existsSync(`${root}/${native}/package.json`) ||
  existsSync(`${root}/${native}/build/Release/better_sqlite3.node`);
