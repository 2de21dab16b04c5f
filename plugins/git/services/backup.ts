/** How repositories are backed up. Which ones there are says the plugin that owns them. */
import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { BackupUnit } from '@mortise/plugin-sdk';
import type { GitBackup, RepositoryKind } from '../api.js';
import type { RefGate } from './ref-gate.js';
import { isTransient } from './copy-repository.js';
import { fileFingerprint } from './ref-fingerprints.js';
import { hasRepository } from './storages.js';
import type { FolderStore } from './store.js';

export class RepositoryBackup implements GitBackup {
  readonly folder: string;
  /** Interrupted changes of references are completed after a restore too. */
  readonly beside = ['.journal'];

  constructor(
    private readonly store: FolderStore,
    private readonly gate: RefGate,
  ) {
    this.folder = store.root;
  }

  get otherFolders(): string[] {
    return this.store.storages.list.slice(1).map(({ root }) => root);
  }

  /** Restored repositories are new ones: they go by weight. */
  makeFolder(name: string): Promise<string> {
    return this.store.makeFolder(join(this.folder, name));
  }

  unit(id: number, kind: RepositoryKind = 'code'): BackupUnit {
    const folder = this.store.path(id, kind);
    return {
      name: folder.slice(this.folder.length + 1).replaceAll('\\', '/'),
      // a back-up without what lies on a disk that is away would be taken for a whole one: that fails
      folder: async () => ((await isFolder(folder)) || (await hasRepository(folder)) ? folder : this.aside(id, kind)),
      stamp: async () => fileFingerprint(folder),
    };
  }

  /** Loose references first: one that is packed meanwhile is then in the packed ones. */
  pointer(path: string): number | undefined {
    if (path === 'refs' || path.startsWith('refs/')) return 0;
    if (path === 'packed-refs') return 1;
    return path === 'HEAD' || path === 'mortise-refs' ? 2 : undefined;
  }

  isLeftOut(path: string): boolean {
    return isTransient(path);
  }

  whileQuiesced<T>(work: () => Promise<T>): Promise<T> {
    return this.gate.quiescence.during(() => this.gate.journal.isBusy(), work);
  }

  /** Deleted while the back-up was running. */
  private async aside(id: number, kind: RepositoryKind): Promise<string | undefined> {
    const names = await readdir(this.store.temporary).catch(() => [] as string[]);
    const name = names.find((one) => one.startsWith(`deleted-${id}-${kind}-`));
    return name && join(this.store.temporary, name);
  }
}

const isFolder = (path: string) =>
  stat(path).then(
    (found) => found.isDirectory(),
    () => false,
  );
