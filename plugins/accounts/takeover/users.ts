import { join } from 'node:path';
import {
  skippedRow,
  targetRow,
  type SourceRow,
  type StorageArea,
  type TakeoverContext,
  type TableMapping,
} from '@mortise/plugin-sdk';
import { AccountRow } from '../models/account.js';
import type { LoginSourceReader } from '../services/login-sources.js';
import { nameFault } from '../services/names.js';
import { loginSources } from './login-sources.js';
import { passwordHash } from './password-hash.js';

/** What `user.type` is there. Reserved names and users of other servers are no accounts here. */
const kinds: Readonly<Record<number, AccountRow['kind']>> = { 0: 'user', 1: 'organization', 4: 'user' };
const visibilities = ['public', 'limited', 'private'] as const;
const themes: Readonly<Record<string, string>> = {
  'gitea-auto': 'auto',
  'gitea-light': 'light',
  'gitea-dark': 'dark',
  'forgejo-auto': 'auto',
  'forgejo-light': 'light',
  'forgejo-dark': 'dark',
  // before 2024
  'arc-green': 'dark',
};

/** Gogs names files by the account. */
const avatarFile = (row: SourceRow, context: TakeoverContext): string | undefined => {
  const name = row.text(context.isGogs ? 'id' : 'avatar');
  return row.flag('use_custom_avatar') && /^[\w-]+$/.test(name) ? join(context.folder('avatars'), name) : undefined;
};

async function avatarKey(row: SourceRow, context: TakeoverContext): Promise<string> {
  const file = avatarFile(row, context);
  if (!file) return '';
  const key = await context.pictureKey(file);
  if (key !== undefined) return key;
  context.report(`the avatar of user ${row.number('id')} cannot be read`);
  return '';
}

/** The source of an account that its server does not know: no source here will get this id. */
const unknownSource = -1;

/** Times at which the sources of this site were made, by id: those that were taken over have the time of the other server. */
type CreationTimes = ReadonlyMap<number, number>;

/**
 * Also where the source is not taken over: nobody signs in by a source that is not here, nor gets a new password by mail.
 * The source may have refused who asks for it. One that was made here with the same id knows other people.
 */
function sourceOf(row: SourceRow, creationTimes: CreationTimes): number {
  const id = row.number('login_source');
  if (id === 0) return 0;
  const [source] = row.related('source');
  const createdAt = creationTimes.get(id);
  const isOther = createdAt !== undefined && createdAt !== source?.time('created_unix');
  return source && !isOther ? id : unknownSource;
}

type SourceReader = Pick<LoginSourceReader, 'all'>;

export function userTable(avatars: () => StorageArea, sources: SourceReader): TableMapping {
  let creationTimes: CreationTimes = new Map();
  return {
    id: 'accounts.users',
    table: 'user',
    idTable: AccountRow,
    version: 6,
    after: [loginSources],
    related: {
      source: { table: 'login_source', column: 'id', localColumn: 'login_source', columns: ['created_unix'] },
    },
    derived: ['password_hash', 'follower_count', 'following_count', 'starred_count', 'last_login_at'],
    ignored: [
      'lower_name',
      'login_type',
      'rands',
      'avatar_email',
      'last_repo_visibility',
      'num_repos',
      'num_teams',
      'num_members',
      'salt',
    ],
    async preparePage() {
      creationTimes = new Map((await sources.all()).map(({ id, createdAt }) => [id, createdAt]));
    },
    async map(row, context) {
      const kind = kinds[row.number('type')];
      if (!kind) return skippedRow(`accounts of type ${row.number('type')} have no counterpart`);
      const name = row.text('name');
      if (row.number('id') < 1) return skippedRow('ids of accounts are positive');
      if (nameFault(name)) return skippedRow('its name is not one that accounts have here');
      return targetRow(AccountRow, {
        id: row.number('id'),
        kind,
        name,
        lower_name: name.toLowerCase(),
        full_name: row.text('full_name'),
        email: row.text('email'),
        password_hash:
          kind === 'user' ? passwordHash(row.text('passwd_hash_algo'), row.text('passwd'), row.text('salt')) : '',
        keep_email_private: row.flag('keep_email_private'),
        description: row.text('description'),
        location: row.text('location'),
        website: row.text('website'),
        language: row.text('language'),
        theme: themes[row.text('theme')] ?? '',
        diff_view_style: row.text('diff_view_style'),
        hide_activity: row.flag('keep_activity_private'),
        visibility: visibilities[row.number('visibility')] ?? 'private',
        is_admin: row.flag('is_admin'),
        is_active: row.flag('is_active'),
        is_restricted: row.flag('is_restricted'),
        prohibit_login: row.flag('prohibit_login'),
        must_change_password: row.flag('must_change_password'),
        // Gogs leaves it to everybody
        allow_create_organization: !row.has('allow_create_organization') || row.flag('allow_create_organization'),
        allow_git_hook: row.flag('allow_git_hook'),
        allow_import_local: row.flag('allow_import_local'),
        max_repo_creation: row.has('max_repo_creation') ? row.number('max_repo_creation') : -1,
        source_id: sourceOf(row, creationTimes),
        login_name: row.text('login_name'),
        avatar: await avatarKey(row, context),
        follower_count: row.number('num_followers'),
        following_count: row.number('num_following'),
        starred_count: row.number('num_stars'),
        created_at: row.time('created_unix'),
        updated_at: row.time('updated_unix'),
        last_login_at: row.time('last_login_unix'),
      });
    },
    async copyFiles(row, context, isChanged) {
      const file = isChanged ? avatarFile(row, context) : undefined;
      const key = file && (await context.pictureKey(file));
      if (file && key) await context.storeFile(file, avatars(), key);
    },
  };
}
