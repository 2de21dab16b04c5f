import { apiTime } from '@mortise/plugin-sdk';
import type { EntryRow } from '../models/entry.js';
import type { Scope } from './finder.js';

interface NamedId {
  readonly id: number;
  readonly name: string;
}

/** An entry of the log, in the API and in exports. */
export interface ApiEntry {
  readonly id: number;
  readonly created_at: string;
  readonly action: string;
  /** Null for the site itself and for who is not signed in. */
  readonly actor: NamedId | null;
  readonly way: string;
  /** Auth method and id of the credential. */
  readonly credential: { readonly kind: string; readonly id: number } | null;
  readonly sudo_by: number;
  readonly address: string;
  readonly user: NamedId | null;
  readonly owner: NamedId | null;
  readonly repository: NamedId | null;
  readonly target: NamedId & { readonly kind: string };
  readonly details: Readonly<Record<string, unknown>>;
}

const named = (id: number, name: string): NamedId | null => (id || name ? { id, name } : null);

/**
 * In their own log users see where they acted from themselves and where nobody was signed in, not where others sit, nor
 * administrators who acted as them.
 */
export function addressFor({ actor_id, sudo_by, address }: EntryRow, scope: Scope): string {
  return scope.kind !== 'own' || (actor_id === scope.id && sudo_by === 0) || actor_id === 0 ? address : '';
}

export const toApiEntry = (row: EntryRow, scope: Scope): ApiEntry => ({
  id: Number(row.id),
  created_at: apiTime(Number(row.created_at)),
  action: row.action,
  actor: named(row.actor_id, row.actor_name),
  way: row.way,
  credential: row.method ? { kind: row.method, id: row.credential_id } : null,
  sudo_by: row.sudo_by,
  address: addressFor(row, scope),
  user: named(row.user_id, row.user_name),
  owner: named(row.owner_id, row.owner_name),
  repository: named(row.repository_id, row.repository_name),
  target: { kind: row.target_kind, id: Number(row.target_id), name: row.target_name },
  details: row.details,
});
