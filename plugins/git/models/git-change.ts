import { Model } from '@mortise/plugin-sdk';

/** One stored change of references; its id is that of the journal file, so that repairing emits nothing twice. */
export class GitChange extends Model {
  static override tableName = 'git_change';
  static override idColumn = 'id';

  id!: string;
  repository_id!: number;
  /** Milliseconds since 1970 UTC. */
  created_at!: number;
}
