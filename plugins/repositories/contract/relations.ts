import type { QueryBuilder } from 'objection';
import { definePoint, type Keyed, type Model } from '@mortise/plugin-sdk';

/** Extension point: how accounts or teams can stand to repositories, for searches; for instance `star` and `team`. */
export interface RepositoryRelation extends Keyed {
  /** Ids of the repositories that stand so to the account or the team, as a subquery of one column. */
  repositories(id: number): QueryBuilder<Model>;
}
export const repositoryRelations = definePoint.keyed<RepositoryRelation>('repositories.relations');

/** Extension point: who wants to be told what happens in a repository. */
export interface RepositoryWatchers extends Keyed {
  watchers(repositoryId: number): Promise<readonly number[]>;
}
export const repositoryWatchers = definePoint.keyed<RepositoryWatchers>('repositories.watchers');
