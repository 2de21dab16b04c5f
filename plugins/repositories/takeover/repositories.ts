import { join } from 'node:path';
import {
  skippedRow,
  targetRow,
  type Database,
  type SourceRow,
  type StorageArea,
  type TakeoverContext,
  type TableMapping,
} from '@mortise/plugin-sdk';
import type { Accounts } from '@mortise/accounts/api';
import type { GitStore, GitTakeover } from '@mortise/git/api';
import { trustModels } from '../contract/repositories.js';
import { RepositoryRow } from '../models/repository.js';
import { unitsOf } from './units.js';

export interface RepositoryTakeoverDeps {
  readonly accounts: Pick<Accounts, 'byId'>;
  readonly avatars: () => StorageArea;
  readonly database: Database;
  readonly git: GitTakeover;
  readonly store: Pick<GitStore, 'create'>;
}

const maxText = 2048;
const maxWebsite = 1024;
const nanosecondsPerMillisecond = 1_000_000;
const millisecondsPerHour = 3_600_000;

const defaultBranchOf = (row: SourceRow, context: TakeoverContext): string =>
  row.text('default_branch') || context.setting('repository', 'DEFAULT_BRANCH') || 'main';

export const repositoryTable = (deps: RepositoryTakeoverDeps): TableMapping => ({
  id: 'repositories.repositories',
  table: 'repository',
  idTable: RepositoryRow,
  references: { owner_id: 'accounts.users' },
  related: {
    units: { table: 'repo_unit', column: 'repo_id' },
    mirror: { table: 'mirror', column: 'repo_id' },
  },
  derived: [
    'owner_name',
    'lower_owner_name',
    'owner_visibility',
    'star_count',
    'watcher_count',
    'fork_count',
    'open_issue_count',
    'open_pull_count',
    'mirror_synced_at',
  ],
  // counted here, or of features that have tables of their own
  version: 2,
  ignored: [
    'lower_name',
    'original_service_type',
    'num_closed_milestones',
    'num_milestones',
    'num_projects',
    'num_closed_projects',
    'num_action_runs',
    'num_closed_action_runs',
    'size',
    'git_size',
    'lfs_size',
    'is_fsck_enabled',
    'template_id',
    'status',
  ],
  async map(row, context) {
    const name = row.text('name');
    if (!isFolderName(name)) return skippedRow('its name cannot be the name of a repository');
    return targetRow(RepositoryRow, {
      id: row.number('id'),
      owner_id: row.number('owner_id'),
      ...ownerColumns(row),
      name,
      lower_name: name.toLowerCase(),
      description: row.text('description', maxText),
      website: row.text('website', maxWebsite),
      default_branch: defaultBranchOf(row, context),
      // one that is not listed, as Gogs has them, must not appear in lists
      is_private: row.flag('is_private') || row.flag('is_unlisted'),
      is_template: row.flag('is_template'),
      is_archived: row.flag('is_archived'),
      archived_at: row.time('archived_unix'),
      is_empty: row.has('is_empty') ? row.flag('is_empty') : row.flag('is_bare'),
      is_ready: true,
      original_url: row.text('original_url', maxText),
      fork_of_id: row.flag('is_fork') ? row.number('fork_id') : 0,
      object_format: row.text('object_format_name') || 'sha1',
      trust_model: trustModels[row.number('trust_model')] ?? 'default',
      avatar: await avatarKey(row, context),
      topics: row.texts('topics'),
      units: unitsOf(row, context),
      ...counterColumns(row),
      ...mirrorColumns(row, context),
      created_at: row.time('created_unix'),
      updated_at: row.time('updated_unix'),
    });
  },
  async copyFiles(row, context, isChanged) {
    const avatar = isChanged ? avatarFile(row, context) : undefined;
    const key = avatar && (await context.pictureKey(avatar));
    if (avatar && key) await context.storeFile(avatar, deps.avatars(), key);
    await takeFolders(deps, row, context);
  },
  async compare(row, context) {
    const avatar = avatarFile(row, context);
    const key = avatar && (await context.pictureKey(avatar));
    if (avatar && key) await context.storeFile(avatar, deps.avatars(), key);
    const folder = await folderOf(deps, row, context);
    if (!folder) return [];
    return [
      ...(await deps.git.differences(`${folder}.git`, row.number('id'))),
      ...(await deps.git.differences(`${folder}.wiki.git`, row.number('id'), 'wiki')),
    ];
  },
});

/** Who sees the owner is written when the pass ends; until then nobody else does. */
const ownerColumns = (row: SourceRow) => ({
  owner_name: row.text('owner_name') || `${row.number('owner_id')}`,
  lower_owner_name: row.text('owner_name').toLowerCase() || `#${row.number('owner_id')}`,
  owner_visibility: 'private',
});

const counterColumns = (row: SourceRow) => ({
  star_count: row.number('num_stars'),
  watcher_count: row.number('num_watches'),
  fork_count: row.number('num_forks'),
  open_issue_count: Math.max(0, row.number('num_issues') - row.number('num_closed_issues')),
  open_pull_count: Math.max(0, row.number('num_pulls') - row.number('num_closed_pulls')),
});

function mirrorColumns(row: SourceRow, { isGogs }: TakeoverContext) {
  const [mirror] = row.flag('is_mirror') ? row.related('mirror') : [];
  const interval = mirror?.number('interval') ?? 0;
  return {
    is_mirror: mirror !== undefined,
    // Gogs has hours
    mirror_interval: isGogs ? interval * millisecondsPerHour : Math.round(interval / nanosecondsPerMillisecond),
    mirror_synced_at: mirror?.time('updated_unix') ?? 0,
  };
}

/** Folders there are named by owner and repository. */
const isFolderName = (name: string): boolean => /^[\w.-]{1,100}$/.test(name) && !/^\.+$/.test(name);

/** Path of its folders there, without ending. */
async function folderOf(
  { accounts }: RepositoryTakeoverDeps,
  row: SourceRow,
  context: TakeoverContext,
): Promise<string | undefined> {
  const owner = row.text('owner_name') || (await accounts.byId(row.number('owner_id')))?.name || '';
  if (!isFolderName(owner)) return undefined;
  return join(context.folder('repositories'), owner.toLowerCase(), row.text('name').toLowerCase());
}

async function takeFolders(deps: RepositoryTakeoverDeps, row: SourceRow, context: TakeoverContext): Promise<void> {
  const { database, git, store } = deps;
  const id = row.number('id');
  const folder = await folderOf(deps, row, context);
  if (!folder) return context.report(`the owner of repository ${id} has no folder`);
  const defaultBranch = defaultBranchOf(row, context);
  const taken = await git.take(`${folder}.git`, id, { defaultBranch });
  if (taken === 'missing') {
    context.report(`repository ${row.text('owner_name')}/${row.text('name')} has no folder ${folder}.git`);
    await store.create(id, {
      defaultBranch,
      ...(row.text('object_format_name') === 'sha256' && { objectFormat: 'sha256' }),
    });
  }
  await git.take(`${folder}.wiki.git`, id, {
    kind: 'wiki',
    defaultBranch: row.text('default_wiki_branch') || row.text('wiki_branch'),
  });
  // what follows from git is derived again when the pass ends
  if (taken === 'changed')
    await database.write(async () => void (await database.query(RepositoryRow).findById(id).patch({ licenses: null })));
}

/** Gogs names files by the repository. */
const avatarFile = (row: SourceRow, context: TakeoverContext): string | undefined => {
  if (context.isGogs && !row.flag('use_custom_avatar')) return undefined;
  const name = row.text(context.isGogs ? 'id' : 'avatar');
  return /^[\w-]+$/.test(name) ? join(context.folder('repo-avatars'), name) : undefined;
};

async function avatarKey(row: SourceRow, context: TakeoverContext): Promise<string> {
  const file = avatarFile(row, context);
  if (!file) return '';
  const key = await context.pictureKey(file);
  if (key !== undefined) return key;
  context.report(`the avatar of repository ${row.number('id')} cannot be read`);
  return '';
}
