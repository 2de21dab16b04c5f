import { BaseModel } from '@mortise/plugin-sdk';

/** A job of a required scoped workflow that a filter left out for the head of a pull request. */
export class ScopedSkipRow extends BaseModel {
  static override tableName = 'action_scoped_skip';
  declare id: number;
  declare repository_id: number;
  declare source_repo_id: number;
  declare workflow_id: string;
  declare commit_sha: string;
  declare context: string;
  declare pull_index: number;
  /** That the filter looked at. */
  declare base_branch: string;
}
