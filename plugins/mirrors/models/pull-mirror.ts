import { BaseModel } from '@mortise/plugin-sdk';

/** What pull and push mirrors have in common. Times are milliseconds since 1970 UTC, 0: never. */
export class MirrorRow extends BaseModel {
  declare id: number;
  declare repository_id: number;
  /** Without user name and password. */
  declare remote_url: string;
  /** Encrypted JSON of {@link RemoteCredentials}; empty: none. */
  declare credentials: string;
  /** Milliseconds; 0 disables scheduled synchronization. */
  declare interval: number;
  /** Patterns of branches, separated by commas; empty: all. */
  declare branches: string;
  declare lfs: boolean;
  /** Since it last went well. */
  declare failures: number;
  declare last_error: string;
  declare last_run_at: number;
  declare last_success_at: number;
  declare next_run_at: number;
  declare created_at: number;
}

export class PullMirrorRow extends MirrorRow {
  static override tableName = 'pull_mirror';
  static override booleans = ['lfs', 'prune', 'wiki'];
  declare prune: boolean;
  declare wiki: boolean;
}
