import { Model } from '@mortise/plugin-sdk';

/** A commit (or tag) that a reference named until it was deleted or moved to where that history is not. */
export class FormerTip extends Model {
  static override readonly tableName = 'git_former_tip';
  id!: number;
  repository_id!: number;
  kind!: string;
  oid!: string;
  /** Milliseconds since 1970 UTC. */
  replaced_at!: number;
}
