import { BaseModel } from '@mortise/plugin-sdk';

/** Something that jobs of a repository deploy to, with the rules that hold for it. */
export class EnvironmentRow extends BaseModel {
  static override tableName = 'action_environment';
  static override booleans = ['prevents_self_review'];
  static override json = ['reviewers', 'reviewer_teams', 'branch_patterns'];
  declare id: number;
  declare repository_id: number;
  declare name: string;
  declare lower_name: string;
  /** Ids of accounts of which one has to approve. Without any, and without teams, nobody has to. */
  declare reviewers: readonly number[];
  /** Ids of teams of which a member has to approve instead. */
  declare reviewer_teams: readonly number[];
  declare prevents_self_review: boolean;
  declare wait_minutes: number;
  /** None: all branches and tags. */
  declare branch_patterns: readonly string[];
  declare created_at: number;
  declare updated_at: number;
}
