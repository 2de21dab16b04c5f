import { BaseModel } from '@mortise/plugin-sdk';

/** What started a run, as JSON text. */
export class RunPayloadRow extends BaseModel {
  static override tableName = 'action_run_payload';
  static override idColumn = 'run_id';
  static override json = ['inputs'];
  declare run_id: number;
  declare payload: string;
  /** The context `inputs`, with the types that the workflow declares; null: there are none, or they were not stored. */
  declare inputs: Readonly<Record<string, unknown>> | null;
}
