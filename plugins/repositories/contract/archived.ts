import { Locked } from '@mortise/plugin-sdk';
import type { Repository } from './repositories.js';
import { t } from '../texts/index.js';

/** What is archived, or is being imported, is read-only, also for what needs no right to write: Locked. */
export function mustBeActive({
  repository,
}: {
  readonly repository: Pick<Repository, 'isArchived'> & Partial<Pick<Repository, 'status'>>;
}): void {
  if (repository.isArchived) throw Locked(t.later('error.archived'));
  if (repository.status === 'migrating') throw Locked(t.later('error.migrating'));
}
