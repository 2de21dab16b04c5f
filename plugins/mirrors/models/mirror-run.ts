import { BaseModel } from '@mortise/plugin-sdk';

/** Why a run began. */
export type RunTrigger = 'schedule' | 'user' | 'commit' | 'creation';
export type RunState = 'running' | 'succeeded' | 'failed' | 'interrupted';

/** A reference that moved in a run; what moved there and what here. */
export interface RunChange {
  readonly ref: string;
  readonly old: string;
  readonly new: string;
  /** Why it did not move. */
  readonly refused?: string;
}

/** What came of a run; of very many changes only the first are kept. */
export interface RunChanges {
  readonly total: number;
  readonly first: readonly RunChange[];
  readonly lfsObjects?: number;
}

export class MirrorRunRow extends BaseModel {
  static override tableName = 'mirror_run';
  static override json = ['changes'];
  declare id: number;
  declare repository_id: number;
  /** Null: of the pull mirror. */
  declare push_mirror_id: number | null;
  declare state: RunState;
  declare started_by: RunTrigger;
  declare started_at: number;
  declare ended_at: number;
  declare error: string;
  declare changes: RunChanges;
}
