import { BaseModel } from '@mortise/plugin-sdk';

/** A workflow that is switched off. */
export class DisabledWorkflowRow extends BaseModel {
  static override tableName = 'action_disabled_workflow';
  declare id: number;
  declare repository_id: number;
  /** 0: of the repository itself. */
  declare source_repo_id: number;
  declare workflow_id: string;
}
