/** The contract of `stars`: who starred and who watches repositories. */
import { defineService, type Actor } from '@mortise/plugin-sdk';
import type { Repository } from '@mortise/repositories/api';

export type Mark = 'star' | 'watch';

export interface RepositoryMarks {
  marked(mark: Mark, repositoryId: number, userId: number): Promise<{ readonly createdAt: number } | undefined>;
  /** Idempotent; gives when the mark was first set. Forbidden where the owner has blocked the actor. */
  mark(mark: Mark, repository: Repository, actor: Actor): Promise<{ readonly createdAt: number }>;
  unmark(mark: Mark, repository: Repository, actor: Actor): Promise<void>;
  markers(
    mark: Mark,
    repositoryId: number,
    limit: number,
    offset: number,
  ): Promise<{ readonly userIds: number[]; readonly total: number }>;
  watchers(repositoryId: number): Promise<number[]>;
}
export const repositoryMarks = defineService<RepositoryMarks>('stars.marks');
