import { BaseModel } from '@mortise/plugin-sdk';
import type { TallyState } from '../services/contributions.js';

/** A count that is under way: the next attempt goes on where this one stopped. */
export class InsightProgressRow extends BaseModel {
  static override tableName = 'insight_progress';
  static override idColumn = 'repository_id';
  static override json = ['tally'];

  declare repository_id: number;
  /** The commit that is counted from. */
  declare commit: string;
  /** Commits of its history that are in the tally, the newest first. */
  declare counted: number;
  declare tally: TallyState;
  /** Why the last attempt stopped. */
  declare failure: string | null;
  /** Milliseconds since 1970 UTC. */
  declare failed_at: number | null;
}
