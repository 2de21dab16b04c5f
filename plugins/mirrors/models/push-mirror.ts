import { MirrorRow } from './pull-mirror.js';

export class PushMirrorRow extends MirrorRow {
  static override tableName = 'push_mirror';
  static override booleans = ['lfs', 'sync_on_commit'];
  declare name: string;
  declare sync_on_commit: boolean;
  /** Of a key that was made here, for ssh; empty: none. */
  declare public_key: string;
  /** What ssh has learnt of the host. */
  declare known_hosts: string;
}
