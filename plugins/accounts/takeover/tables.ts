import { skippedRow, targetRow, type StorageArea, type TableMapping } from '@mortise/plugin-sdk';
import { BlockRow } from '../models/block.js';
import { EmailRow } from '../models/email.js';
import { FollowRow } from '../models/follow.js';
import { PublicKeyRow } from '../models/public-key.js';
import { RedirectRow } from '../models/user-redirect.js';
import { readKeyLine } from '../services/key-line.js';
import type { LoginSourceReader } from '../services/login-sources.js';
import { loginSourceTable } from './login-sources.js';
import { userTable } from './users.js';

const users = 'accounts.users';

const emails: TableMapping = {
  id: 'accounts.emails',
  table: 'email_address',
  idTable: EmailRow,
  references: { user_id: users },
  map: (row) =>
    targetRow(EmailRow, {
      id: row.number('id'),
      user_id: row.number('uid'),
      email: row.text('email'),
      lower_email: row.text('lower_email') || row.text('email').toLowerCase(),
      is_primary: row.flag('is_primary'),
      is_verified: row.flag('is_activated'),
      reserved_email: row.flag('is_activated') ? row.text('email').toLowerCase() : null,
    }),
};

/** Keys of users; deploy keys are of another type. */
const keys: TableMapping = {
  id: 'accounts.keys',
  table: 'public_key',
  idTable: PublicKeyRow,
  version: 2,
  references: { user_id: users },
  ignored: ['fingerprint', 'login_source_id', 'verified', 'updated_unix'],
  filter: (row) => row.number('type') !== 2,
  map(row) {
    if (row.number('type') === 3) return skippedRow('principals of SSH certificates have no counterpart');
    const key = readKeyLine(row.text('content'));
    if (!key) return skippedRow('it is no key');
    return targetRow(PublicKeyRow, {
      id: row.number('id'),
      user_id: row.number('owner_id'),
      title: row.text('name'),
      // older servers have fingerprints by MD5
      ...key,
      read_only: row.number('mode') === 1,
      created_at: row.time('created_unix'),
      last_used_at: row.time('updated_unix'),
    });
  },
};

const redirects: TableMapping = {
  id: 'accounts.redirects',
  table: 'user_redirect',
  references: { user_id: users },
  map: (row) => targetRow(RedirectRow, { lower_name: row.text('lower_name'), user_id: row.number('redirect_user_id') }),
};

const follows: TableMapping = {
  id: 'accounts.follows',
  table: 'follow',
  references: { user_id: users, followed_id: users },
  map: (row) =>
    targetRow(FollowRow, {
      user_id: row.number('user_id'),
      followed_id: row.number('follow_id'),
      created_at: row.time('created_unix'),
    }),
};

const blocks: TableMapping = {
  id: 'accounts.blocks',
  table: 'user_blocking',
  references: { blocker_id: users, blocked_id: users },
  map: (row) =>
    targetRow(BlockRow, {
      blocker_id: row.number('blocker_id'),
      blocked_id: row.number('blockee_id'),
      note: row.text('note'),
      created_at: row.time('created_unix'),
    }),
};

/** Keys of packages, which their plugins take over, stand among these. */
const isKey = (name: string): boolean =>
  /\.(?:key\.(?:private|public)|public_pem)$/.test(name) || /^activitypub\./.test(name);

/** What users have chosen for pages of the other server: named in the report. */
const pageSettings: TableMapping = {
  id: 'accounts.page_settings',
  table: 'user_setting',
  filter: (row) => !isKey(row.text('setting_key')),
  map: (row) => skippedRow(`the setting ${row.text('setting_key', 50)} has no counterpart`),
};

export const tables = (avatars: () => StorageArea, reader: LoginSourceReader): readonly TableMapping[] => [
  loginSourceTable(reader),
  userTable(avatars),
  emails,
  keys,
  redirects,
  follows,
  blocks,
  pageSettings,
];
