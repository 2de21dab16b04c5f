import { BaseModel } from '@mortise/plugin-sdk';
import type { Hook, HookContentType, HookOwnerKind } from '../contract/webhooks.js';

/** One row of `webhook`. `secret`, `authorization` and `url_password` are encrypted; `url` has a mask for the latter. */
export class HookRow extends BaseModel {
  static override tableName = 'webhook';
  static override booleans = ['active'];
  static override json = ['events', 'settings'];
  declare id: number;
  declare owner_kind: HookOwnerKind;
  declare owner_id: number;
  declare kind: string;
  declare name: string;
  declare url: string;
  declare url_password: string;
  declare method: 'POST' | 'GET' | 'PUT';
  declare content_type: HookContentType;
  declare events: string[];
  declare branch_filter: string;
  declare secret: string;
  /** Encrypted; the one before, which deliveries are signed with as well until then. Null: there is none. */
  declare previous_secret: string | null;
  /** Milliseconds since 1970 UTC. */
  declare previous_until: number;
  declare authorization: string;
  declare settings: Record<string, string>;
  declare active: boolean;
  declare last_status: 'none' | 'succeeded' | 'failed';
  /** Since when no attempt has reached the receiver; 0: it is well. */
  declare failing_since: number;
  /** Account; 0: not known, or of the site. */
  declare creator_id: number;
  /** Since when the creator may not administer the repository any more; 0: they may. A change of the hook ends it. */
  declare creator_left_at: number;
  declare created_at: number;
  declare updated_at: number;
}

/** The row as the contract shows it: without its secrets. */
export function toHook(row: HookRow): Hook {
  return {
    id: row.id,
    ownerKind: row.owner_kind,
    ownerId: row.owner_id,
    kind: row.kind,
    name: row.name,
    url: row.url,
    method: row.method,
    contentType: row.content_type,
    events: row.events,
    branchFilter: row.branch_filter,
    active: row.active,
    hasSecret: row.secret !== '',
    hasAuthorization: row.authorization !== '',
    previousUntil: row.previous_secret ? Number(row.previous_until) : 0,
    settings: row.settings,
    lastStatus: row.last_status,
    failingSince: Number(row.failing_since),
    creatorId: row.creator_id,
    creatorLeftAt: Number(row.creator_left_at),
    createdAt: Number(row.created_at),
    updatedAt: Number(row.updated_at),
  };
}
