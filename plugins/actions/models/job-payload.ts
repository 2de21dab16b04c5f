import { BaseModel } from '@mortise/plugin-sdk';

export class JobPayloadRow extends BaseModel {
  static override tableName = 'action_job_payload';
  static override idColumn = 'job_id';
  static override json = ['step_names', 'call_payload', 'call_secrets'];
  declare job_id: number;
  /** YAML with this job alone. */
  declare payload: string;
  /** Null: of a job from before they were kept. */
  declare step_names: readonly string[] | null;
  /** Of a caller that was expanded: the workflow that it calls. */
  declare callee: string | null;
  /** Of a caller: what its jobs see as `github.event`. */
  declare call_payload: Readonly<Record<string, unknown>> | null;
  /** Of a caller: secrets that it passes on, by their name there. */
  declare call_secrets: 'inherit' | Readonly<Record<string, string>> | null;
}
