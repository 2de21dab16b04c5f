import { BaseModel } from '@mortise/plugin-sdk';

export class DependencyRow extends BaseModel {
  static override tableName = 'issue_dependency';
  declare id: number;
  declare issue_id: number;
  declare depends_on_id: number;
  declare actor_id: number;
  declare created_at: number;
}

/** Table of one row, which whoever adds a dependency holds until the commit. */
export const dependencyGuard = 'issue_dependency_guard';
