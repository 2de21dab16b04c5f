import { BaseModel } from '@mortise/plugin-sdk';

/** One act. Numbers of what is not known are 0, texts empty. */
export class EntryRow extends BaseModel {
  static override tableName = 'audit_entry';
  static override json = ['details'];
  declare id: number;
  /** Milliseconds since 1970 UTC. */
  declare created_at: number;
  declare action: string;
  declare actor_id: number;
  declare actor_name: string;
  /** The administrator who acted in the name of the actor. */
  declare sudo_by: number;
  declare way: Way;
  /** Key of the auth method, and the id of the token, key or session. */
  declare method: string;
  declare credential_id: number;
  declare address: string;
  declare user_id: number;
  declare user_name: string;
  declare owner_id: number;
  declare owner_name: string;
  declare repository_id: number;
  declare repository_name: string;
  declare target_kind: string;
  declare target_id: number;
  declare target_name: string;
  declare details: Readonly<Record<string, unknown>>;
}

/** How an act came: `protocol` are package managers and other clients, `background` what nobody asked for just then. */
export type Way = 'page' | 'api' | 'git' | 'protocol' | 'command' | 'background';
