/** The contract of `stars`: who starred and who watches repositories. */
import { defineService, type Actor } from '@mortise/plugin-sdk';
import type { Repository } from '@mortise/repositories/api';

export type StarOrWatch = 'star' | 'watch';

/** Stars and watches of accounts on repositories. */
export interface StarsAndWatches {
  find(kind: StarOrWatch, repositoryId: number, userId: number): Promise<{ readonly createdAt: number } | undefined>;
  /** Idempotent; gives when it was first set. Forbidden where the owner has blocked the actor. */
  add(kind: StarOrWatch, repository: Repository, actor: Actor): Promise<{ readonly createdAt: number }>;
  remove(kind: StarOrWatch, repository: Repository, actor: Actor): Promise<void>;
  /** As far as the viewer may know of them. */
  users(
    kind: StarOrWatch,
    repositoryId: number,
    viewer: Actor,
    page: { readonly limit: number; readonly offset: number },
  ): Promise<{ readonly userIds: number[]; readonly total: number }>;
  watchers(repositoryId: number): Promise<number[]>;
}
export const starsAndWatches = defineService<StarsAndWatches>('stars.starsAndWatches');
