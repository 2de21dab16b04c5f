import type { GitReader, GitRepository, RepositoryKind } from '../api.js';
import { Repository, type RepositoryParts } from './repository.js';
import type { FolderStore } from './store.js';

export class Reader implements GitReader {
  constructor(
    private readonly store: FolderStore,
    private readonly parts: RepositoryParts,
  ) {}

  open(id: number, kind: RepositoryKind = 'code'): GitRepository {
    return new Repository(id, kind, this.store.path(id, kind), this.parts);
  }

  quarantined(id: number, kind: RepositoryKind, environment: Readonly<Record<string, string>>): GitRepository {
    return new Repository(id, kind, this.store.path(id, kind), this.parts, environment);
  }
}
