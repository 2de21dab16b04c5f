import { createHash, type Hash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { isListed } from './disabled.js';
import type { PluginPackage } from './discover.js';
import { linkableNames, ownCopies } from './link-peers.js';

/** Folders of added plugins, each under its version, and beside them what is known of each. */
export const packagesFolder = '.packages';
export const recordsFolder = '.records';

/** What was noted of a plugin as it was added. It lies outside of the folder that it vouches for. */
export interface PluginRecord {
  /** A name for the package registry; files and folders are not asked again by themselves. */
  readonly registry?: string;
  /** Milliseconds since 1970 UTC. */
  readonly addedAt: number;
  /** Of all its files, as `sha512-…` of npm. */
  readonly integrity?: string;
  /** Names in its `node_modules` that the host may link, now or later: they are not part of the digest. */
  readonly linked?: readonly string[];
}

/** What its files are worth: as they were added, changed since, or added before anything was noted. */
type Integrity = 'verified' | 'changed' | 'unknown';

/** The record of a folder below `.packages`; undefined for what was put there by hand, or by an earlier version. */
export function recordOf({ folder }: Pick<PluginPackage, 'folder'>): PluginRecord | undefined {
  if (basename(dirname(folder)) !== packagesFolder) return undefined;
  try {
    return JSON.parse(
      readFileSync(join(dirname(dirname(folder)), recordsFolder, `${basename(folder)}.json`), 'utf8'),
    ) as PluginRecord;
  } catch {
    return undefined;
  }
}

export function integrityOf(found: Pick<PluginPackage, 'folder'>): Integrity {
  const record = recordOf(found);
  if (record?.integrity === undefined || record.linked === undefined) return 'unknown';
  try {
    return record.integrity === digestOf(found.folder, record.linked) ? 'verified' : 'changed';
  } catch {
    return 'changed'; // what cannot be read was not added like that
  }
}

/** What is recorded of a folder as it is added. Which other plugins are here, then or later, makes no difference to it. */
export function vouchFor(folder: string): Required<Pick<PluginRecord, 'integrity' | 'linked'>> {
  const linked = linkableNames(folder);
  return { integrity: digestOf(folder, linked), linked };
}

/** One digest of all names and contents. */
function digestOf(folder: string, linked: readonly string[]): string {
  const hash = createHash('sha512');
  addFolder(hash, folder, '', new Set(linked.map((name) => join('node_modules', name))));
  return `sha512-${hash.digest('base64')}`;
}

function addFolder(hash: Hash, root: string, path: string, links: ReadonlySet<string>): void {
  const entries = readdirSync(join(root, path), { withFileTypes: true });
  for (const entry of entries.sort((left, right) => (left.name < right.name ? -1 : 1))) {
    const inner = join(path, entry.name);
    // an own copy of these is used, and a link is laid anew
    if (links.has(inner) && (entry.isSymbolicLink() || !ownCopies.has(entry.name))) continue;
    if (entry.isDirectory()) addFolder(hash, root, inner, links);
    else if (entry.isSymbolicLink()) {
      // one that leads nowhere any more gives nothing to anybody
      if (existsSync(join(root, inner)))
        hash.update(`link ${JSON.stringify([inner, readlinkSync(join(root, inner))])}\n`);
    } else if (!entry.isFile()) hash.update(`other ${JSON.stringify(inner)}\n`);
    else {
      const content = readFileSync(join(root, inner));
      hash.update(`file ${JSON.stringify([inner, content.length])}\n`).update(content);
    }
  }
}

/** Why a plugin must not be loaded whatever it does, in words; undefined: nothing is against it. */
export function distrustOf(found: PluginPackage, allowed: readonly string[]): string | undefined {
  if (!isAllowed(found, allowed))
    return `the plugin ${found.name} is of the package ${found.packageName}, which [plugins] ALLOWED does not name`;
  if (found.from === 'added' && integrityOf(found) === 'changed')
    return (
      `the plugin ${found.name} was changed since it was added: its files in ${found.folder} have another sha512. ` +
      `mortise plugins update puts the right ones back, mortise plugins remove ${found.name} takes it out`
    );
  return undefined;
}

/** What comes with Mortise, and what the settings name by its folder, needs no permission. */
export function isAllowed(
  { packageName, from }: Pick<PluginPackage, 'packageName' | 'from'>,
  allowed: readonly string[],
): boolean {
  return allowed.length === 0 || from === 'workspace' || from === 'path' || isListed(allowed, packageName);
}
