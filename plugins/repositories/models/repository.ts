import { BaseModel } from '@mortise/plugin-sdk';
import type { Repository, RepositoryBasics } from '../api.js';
import type { Unit } from '../contract/repositories.js';

export class RepositoryRow extends BaseModel {
  static override tableName = 'repository';
  static override booleans = ['is_private', 'is_template', 'is_archived', 'is_empty', 'is_ready', 'is_mirror'];
  static override json = ['topics', 'licenses', 'units'];
  declare id: number;
  declare owner_id: number;
  declare owner_name: string;
  declare lower_owner_name: string;
  declare name: string;
  declare lower_name: string;
  declare description: string;
  declare website: string;
  declare default_branch: string;
  declare is_private: boolean;
  declare owner_visibility: Repository['ownerVisibility'];
  declare is_template: boolean;
  declare is_archived: boolean;
  declare archived_at: number;
  declare is_empty: boolean;
  declare is_ready: boolean;
  declare original_url: string;
  declare status: Repository['status'];
  declare fork_of_id: number;
  declare object_format: 'sha1' | 'sha256';
  declare trust_model: Repository['trustModel'];
  declare avatar: string;
  declare topics: string[];
  declare licenses: string[] | null;
  declare units: Unit[];
  declare language: string;
  declare size_bytes: number;
  declare star_count: number;
  declare watcher_count: number;
  declare fork_count: number;
  declare branch_count: number;
  declare release_count: number;
  declare open_issue_count: number;
  declare open_pull_count: number;
  declare is_mirror: boolean;
  declare mirror_interval: number;
  declare mirror_synced_at: number;
  declare created_at: number;
  declare updated_at: number;
}

/** How the list of units has a unit that is on: for searches in the column. */
export const enabledUnit = (key: string): string => `{"key":${JSON.stringify(key)},"enabled":true`;

export const basicColumns = [
  'id',
  'owner_id',
  'owner_name',
  'name',
  'lower_name',
  'description',
  'website',
  'default_branch',
  'is_private',
  'owner_visibility',
  'is_template',
  'is_archived',
  'archived_at',
  'is_empty',
  'original_url',
  'status',
  'fork_of_id',
  'object_format',
  'trust_model',
  'avatar',
  'topics',
  'licenses',
  'units',
  'language',
  'size_bytes',
  'is_mirror',
  'mirror_interval',
  'mirror_synced_at',
  'created_at',
  'updated_at',
] as const satisfies readonly (keyof RepositoryRow)[];

/** Of a row with {@link basicColumns} at least. */
export function toBasics(row: RepositoryRow): RepositoryBasics {
  return {
    id: row.id,
    ownerId: row.owner_id,
    ownerName: row.owner_name,
    name: row.name,
    lowerName: row.lower_name,
    description: row.description,
    website: row.website,
    defaultBranch: row.default_branch,
    isPrivate: row.is_private,
    ownerVisibility: row.owner_visibility,
    isTemplate: row.is_template,
    isArchived: row.is_archived,
    archivedAt: Number(row.archived_at),
    isEmpty: row.is_empty,
    originalUrl: row.original_url,
    status: row.status,
    forkOfId: row.fork_of_id,
    objectFormat: row.object_format,
    trustModel: row.trust_model,
    avatar: row.avatar,
    topics: row.topics,
    licenses: row.licenses ?? [],
    units: row.units,
    language: row.language,
    sizeBytes: Number(row.size_bytes),
    mirror: row.is_mirror
      ? { intervalMs: Number(row.mirror_interval), syncedAt: Number(row.mirror_synced_at) }
      : undefined,
    createdAt: Number(row.created_at),
    updatedAt: Number(row.updated_at),
  };
}

export function toRepository(row: RepositoryRow): Repository {
  return {
    ...toBasics(row),
    starCount: row.star_count,
    watcherCount: row.watcher_count,
    forkCount: row.fork_count,
    branchCount: row.branch_count,
    releaseCount: row.release_count,
    openIssueCount: row.open_issue_count,
    openPullCount: row.open_pull_count,
  };
}
