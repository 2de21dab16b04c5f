import { defineService } from '@mortise/plugin-sdk';
import type { StoredSubject } from '@mortise/accounts/api';

/** What is stored in repositories, for their owners: `size:repos` is of the one of both subjects that the repository has. */
type SubjectOfRepository = Exclude<StoredSubject, `size:repos:${string}`> | 'size:repos';

/** Whoever stores bytes in a repository asks here whether its owner has room. */
export interface RepositoryQuota {
  /** Something may refuse; while it is false nobody needs to find out how much will come. */
  readonly isLimited: boolean;
  /** As `OwnerQuota.check` of `accounts`. Does nothing where the repository is gone. */
  check(repositoryId: number, subject: SubjectOfRepository, bytes: number): Promise<void>;
  /** As `OwnerQuota.checkAndLock` of `accounts`: in the transaction that stores. */
  checkAndLock(repositoryId: number, subject: SubjectOfRepository, bytes: number): Promise<void>;
}
export const repositoryQuota = defineService<RepositoryQuota>('repositories.quota');
