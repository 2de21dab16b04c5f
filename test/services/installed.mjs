// Is everything that package-lock.json names installed? A new dependency between two workspaces installs nothing.
import { existsSync, readFileSync } from 'node:fs';

const packagesOf = (file) => JSON.parse(readFileSync(file, 'utf8')).packages;

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
