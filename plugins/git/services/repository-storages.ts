/** Which storages there are, how full they are, and moving repositories between them. */
import { statfs } from 'node:fs/promises';
import { Invalid, NotFound } from '@mortise/plugin-sdk';
import type { RepositoryKind, RepositoryStorages } from '../api.js';
import type { StorageState } from '../contract/store.js';
import type { RepositoryMove } from './repository-move.js';
import type { GitStorage } from './storages.js';
import type { FolderStore } from './store.js';

export class StorageService implements RepositoryStorages {
  constructor(
    private readonly store: FolderStore,
    private readonly mover: RepositoryMove,
  ) {}

  list(): Promise<StorageState[]> {
    return Promise.all(this.store.storages.list.map((storage) => this.#stateOf(storage)));
  }

  async storageOf(id: number, kind: RepositoryKind = 'code'): Promise<string | undefined> {
    if (!(await this.store.exists(id, kind))) return undefined;
    return this.store.storages.storageNameOf(this.store.path(id, kind));
  }

  async move(id: number, storage: string, kind: RepositoryKind = 'code'): Promise<boolean> {
    const to = this.store.storages.find(storage);
    if (!to) throw NotFound(`There is no storage "${storage}" in [git.storages].`);
    if (this.store.storages.isSingle) throw Invalid('There are no storages in [git.storages] to move to.');
    return this.mover.move(id, kind, to);
  }

  async #stateOf(storage: GitStorage): Promise<StorageState> {
    const state = { name: storage.name, path: storage.root, weight: storage.weight };
    const disk = this.store.storages.isMounted(storage) ? await statfs(storage.root).catch(() => undefined) : undefined;
    if (!disk) return state;
    return { ...state, disk: { totalBytes: disk.blocks * disk.bsize, freeBytes: disk.bavail * disk.bsize } };
  }
}
