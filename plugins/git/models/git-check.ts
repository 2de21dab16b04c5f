import { Model } from '@mortise/plugin-sdk';

/** The last check of a repository's objects. */
export class GitCheck extends Model {
  static override readonly tableName = 'git_check';
  static override readonly idColumn = ['repository_id', 'kind'];
  repository_id!: number;
  kind!: string;
  /** Milliseconds since 1970 UTC. */
  checked_at!: number;
  /** What git said; null: all was well. */
  problem!: string | null;
}
