import { skippedRow, targetRow, type SourceRow, type StorageArea, type TableMapping } from '@mortise/plugin-sdk';
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

/** Versions before 2021 have the primary address in the account alone, or in both places without a word of it. */
const isPrimary = (row: SourceRow): boolean =>
  row.has('is_primary')
    ? row.flag('is_primary')
    : row.related('owner')[0]?.text('email').toLowerCase() === row.text('email').toLowerCase();

const emails: TableMapping = {
  id: 'accounts.emails',
  table: 'email_address',
  idTable: EmailRow,
  references: { user_id: users },
  related: { owner: { table: 'user', column: 'id', localColumn: 'uid', columns: ['email'] } },
  map: (row) =>
    targetRow(EmailRow, {
      id: row.number('id'),
      user_id: row.number('uid'),
      email: row.text('email'),
      lower_email: row.text('lower_email') || row.text('email').toLowerCase(),
      is_primary: isPrimary(row),
      is_verified: row.flag('is_activated'),
      reserved_email: row.flag('is_activated') ? row.text('email').toLowerCase() : null,
    }),
};

/** They have no row, and so no id, at the source. */
class PrimaryEmailRow extends EmailRow {
  static override idColumn = ['user_id', 'lower_email'];
}

const primaryEmails: TableMapping = {
  id: 'accounts.primary_emails',
  table: 'user',
  // ids that it gives are free by then
  after: [emails.id],
  references: { user_id: users },
  related: { emails: { table: 'email_address', column: 'uid', columns: ['email'] } },
  filter(row) {
    const email = row.text('email').toLowerCase();
    const isStored = row.related('emails').some((other) => other.text('email').toLowerCase() === email);
    return row.number('type') !== 1 && email !== '' && !isStored;
  },
  map(row) {
    const email = row.text('email');
    return targetRow(PrimaryEmailRow, {
      user_id: row.number('id'),
      email,
      lower_email: email.toLowerCase(),
      is_primary: true,
      is_verified: row.flag('is_active'),
      reserved_email: row.flag('is_active') ? email.toLowerCase() : null,
    });
  },
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

/** Forgejo has a table of its own. */
const forgejoBlocks: TableMapping = {
  id: 'accounts.forgejo_blocks',
  table: 'forgejo_blocked_user',
  references: { blocker_id: users, blocked_id: users },
  map: (row) =>
    targetRow(BlockRow, {
      blocker_id: row.number('user_id'),
      blocked_id: row.number('block_id'),
      note: '',
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
  userTable(avatars, reader),
  emails,
  primaryEmails,
  keys,
  redirects,
  follows,
  blocks,
  forgejoBlocks,
  pageSettings,
];
