import { BaseModel } from '@mortise/plugin-sdk';
import type { ProjectRule, RuleEvent } from '../contract/fields.js';

export class RuleRow extends BaseModel {
  static override tableName = 'project_rule';
  declare id: number;
  declare project_id: number;
  declare column_id: number;
  declare trigger_event: RuleEvent;
  declare created_at: number;
}

export const toRule = (row: RuleRow): ProjectRule => ({
  id: row.id,
  projectId: row.project_id,
  event: row.trigger_event,
  columnId: row.column_id,
});
