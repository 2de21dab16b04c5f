import { defineService, type Actor } from '@mortise/plugin-sdk';
import type { GitRepository } from '@mortise/git/api';
import type { Repository, RepositoryContext } from '@mortise/repositories/api';

interface ComparedSide {
  readonly repository: Repository;
  readonly name: string;
  readonly commit: string;
}

export interface Comparison {
  /** The base's repository with the head's objects in view; ids of both mean something in it. */
  readonly git: GitRepository;
  readonly base: ComparedSide;
  readonly head: ComparedSide;
  /** `...`: from where both parted; `..`: from the base itself. */
  readonly dots: '..' | '...';
  readonly mergeBase: string | undefined;
  /** Where the difference begins. */
  readonly start: string;
}

export interface Comparisons {
  /** `base...head` or `base..head`; `head` may be of a related repository: `owner:ref`, `owner/name:ref`. */
  compare(context: RepositoryContext, actor: Actor, text: string): Promise<Comparison>;
}
export const comparisons = defineService<Comparisons>('history.comparisons');
