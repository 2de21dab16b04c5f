import { BaseModel } from '@mortise/plugin-sdk';

/** What a job has said of a file, or of itself, by a command in its log. */
export class AnnotationRow extends BaseModel {
  static override tableName = 'action_annotation';
  declare id: number;
  declare repository_id: number;
  declare run_id: number;
  declare task_id: number;
  declare commit_sha: string;
  declare level: 'error' | 'warning' | 'notice';
  /** Empty: it is about no file. */
  declare path: string;
  /** From 1; 0: it is about no line. */
  declare line: number;
  declare end_line: number;
  declare title: string;
  declare message: string;
  /** From 0. */
  declare log_line: number;
  declare created_at: number;
}
