import { join } from 'node:path';
import type { GitReader, GitRepository, RepositoryKind } from '../api.js';
import { withAlternates } from './environment.js';
import { Repository, type RepositoryDeps } from './repository.js';
import type { FolderStore } from './store.js';

export class Reader implements GitReader {
  constructor(
    private readonly store: FolderStore,
    private readonly deps: RepositoryDeps,
  ) {}

  open(id: number, kind: RepositoryKind = 'code'): GitRepository {
    return new Repository(id, kind, this.store.path(id, kind), this.deps);
  }

  across(id: number, others: readonly number[]): GitRepository {
    const more = [...new Set(others)].filter((other) => other !== id).sort((one, other) => one - other);
    if (!more.length) return this.open(id);
    const environment = withAlternates(more.map((other) => join(this.store.path(other), 'objects')));
    return new Repository(id, 'code', this.store.path(id), this.deps, environment, more);
  }

  quarantined(id: number, kind: RepositoryKind, environment: Readonly<Record<string, string>>): GitRepository {
    return new Repository(id, kind, this.store.path(id, kind), this.deps, environment);
  }
}
