import { BaseModel } from '@mortise/plugin-sdk';

export interface ScopedConfig {
  readonly required: boolean;
  /** Contexts of statuses that must be there and have passed. */
  readonly patterns: readonly string[];
}

/** A repository whose scoped workflows run in others. */
export class ScopedSourceRow extends BaseModel {
  static override tableName = 'action_scoped_source';
  static override json = ['workflow_configs'];
  declare id: number;
  /** 0: in all repositories. */
  declare owner_id: number;
  declare source_repo_id: number;
  declare workflow_configs: Readonly<Record<string, ScopedConfig>>;
  declare created_at: number;
}
