import { BaseModel } from '@mortise/plugin-sdk';
import type { SourceFailureReason } from '../contract/source.js';

/** `paused`: the source asked for a pause. */
export type ImportState = 'queued' | 'running' | 'paused' | 'done' | 'failed' | 'cancelled';

/** Why an import failed: what the source did wrong, or a fault of this server. `''`: it did not fail, or before reasons were kept. */
export type FailureReason = SourceFailureReason | 'internal' | '';

/** An import of one repository. */
export class ImportRow extends BaseModel {
  static override tableName = 'repository_import';
  static override json = ['options'];
  declare id: number;
  declare repository_id: number;
  declare user_id: number;
  declare batch: string;
  declare service: string;
  /** Without credentials. */
  declare address: string;
  declare options: Record<string, unknown>;
  declare secret: string;
  declare state: ImportState;
  /** Why it failed, in English, as the source or this server said it. */
  declare error: string;
  declare reason: FailureReason;
  /** Of the process that writes it now: others write no more. */
  declare run: string;
  declare pauses: number;
  declare resumes_at: number;
  declare ran_ms: number;
  declare created_at: number;
  declare updated_at: number;
}
