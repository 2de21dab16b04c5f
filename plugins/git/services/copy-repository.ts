/** Copies the folder of a repository again and again, each time only what has changed since, while git works in it. */
import { randomUUID } from 'node:crypto';
import { type BigIntStats } from 'node:fs';
import { copyFile, lstat, mkdir, open, readdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { syncFolder } from '@mortise/plugin-sdk';

/** Files that are copied at a time. */
const copiedAtOnce = 8;

/**
 * What git makes on its way to something else, and what the server can make again. Branches and tags may have any of these
 * names, except that none ends with `.lock` (git-check-ref-format).
 */
export function isTransient(path: string): boolean {
  const parts = path.split('/');
  const name = parts.at(-1) ?? '';
  if (name.endsWith('.lock')) return true;
  if (parts.length === 1) return /^mortise-refs\.|^mortise-home|\.tmp$/.test(name);
  return parts[0] === 'objects' && /^tmp_|^\.tmp-|^incoming-|\.tmp$/.test(name);
}

export class RepositoryCopy {
  /** What was copied, by path, as it was then. */
  #copied = new Map<string, string>();

  constructor(
    private readonly from: string,
    private readonly to: string,
  ) {}

  /** Gives how many files were copied. All that was is on the disk afterwards. `beforeEach` may throw, to stop it. */
  async update(beforeEach: () => void): Promise<number> {
    const found = new Map<string, string>();
    let count = 0;
    const folders = new Set(await this.#folders(found));
    for (const folder of folders) {
      await mkdir(join(this.to, folder), { recursive: true });
      await this.#dropOthers(folder, found, folders);
    }
    const changed = [...found].filter(([path, stamp]) => this.#copied.get(path) !== stamp).map(([path]) => path);
    // packs after what is looked up beside them would be seen half: the index comes last
    changed.sort((one, other) => Number(one.endsWith('.idx')) - Number(other.endsWith('.idx')));
    for (let at = 0; at < changed.length; at += copiedAtOnce) {
      const some = changed.slice(at, at + copiedAtOnce);
      const results = await Promise.all(
        some.map((path) => {
          beforeEach();
          return this.#copy(path);
        }),
      );
      count += results.filter(Boolean).length;
    }
    for (const folder of new Set(changed.map((path) => path.slice(0, path.lastIndexOf('/') + 1))))
      await syncFolder(join(this.to, folder));
    this.#copied = found;
    return count;
  }

  /** Folders below, outermost first; the files in them are added to `found` with what stat says. */
  async #folders(found: Map<string, string>): Promise<string[]> {
    const folders = [''];
    for (const folder of folders) {
      const entries = await readdir(join(this.from, folder), { withFileTypes: true }).catch(gone);
      for (const entry of entries ?? []) {
        const path = folder === '' ? entry.name : `${folder}/${entry.name}`;
        if (isTransient(path)) continue;
        if (entry.isDirectory()) folders.push(path);
        else if (entry.isFile()) {
          const stats = await lstat(join(this.from, path), { bigint: true }).catch(gone);
          if (stats) found.set(path, stampOf(stats));
        }
      }
    }
    return folders;
  }

  async #dropOthers(folder: string, files: ReadonlyMap<string, string>, folders: ReadonlySet<string>): Promise<void> {
    for (const entry of await readdir(join(this.to, folder), { withFileTypes: true })) {
      const path = folder === '' ? entry.name : `${folder}/${entry.name}`;
      const isWanted = entry.isDirectory() ? folders.has(path) : files.has(path);
      if (!isWanted) await rm(join(this.to, path), { recursive: true, force: true });
    }
  }

  async #copy(path: string): Promise<boolean> {
    const target = join(this.to, path);
    // outside of refs/, where a branch may have any name
    const draft = join(this.to, `${randomUUID()}.tmp`);
    const isCopied = await copyFile(join(this.from, path), draft).then(() => true, gone);
    if (!isCopied) return false;
    const file = await open(draft, 'r');
    try {
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(draft, target);
    return true;
  }
}

const stampOf = ({ ino, size, mtimeNs, ctimeNs }: BigIntStats): string => `${ino} ${size} ${mtimeNs} ${ctimeNs}`;

/** Removed while it was looked at. */
function gone(error: NodeJS.ErrnoException): undefined {
  if (error.code !== 'ENOENT' && error.code !== 'ENOTDIR') throw error;
}
