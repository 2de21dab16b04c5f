import { BaseModel } from '@mortise/plugin-sdk';
import type { Contributions } from '../services/contributions.js';

/** One counted history. */
export class InsightRow extends BaseModel {
  static override tableName = 'insight';
  static override idColumn = 'repository_id';
  static override json = ['contributions'];

  declare repository_id: number;
  /** The commit that was counted from; the row can be made again at any time. */
  declare commit: string;
  /** Milliseconds since 1970 UTC. */
  declare counted_at: number;
  declare contributions: Contributions;
}
