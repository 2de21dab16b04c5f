import { skippedRow, takenRow, type StorageArea, type TakeoverKind } from '@mortise/plugin-sdk';
import { BlockRow } from '../models/block.js';
import { EmailRow } from '../models/email.js';
import { FollowRow } from '../models/follow.js';
import { PublicKeyRow } from '../models/public-key.js';
import { RedirectRow } from '../models/user-redirect.js';
import { readKeyLine } from '../services/key-line.js';
import type { LoginSourceReader } from '../services/login-sources.js';
import { loginSourceKind } from './login-sources.js';
import { userKind } from './users.js';

const users = 'accounts.users';

const emails: TakeoverKind = {
  id: 'accounts.emails',
  table: 'email_address',
  references: { user_id: users },
  map: (row) =>
    takenRow(EmailRow, {
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
const keys: TakeoverKind = {
  id: 'accounts.keys',
  table: 'public_key',
  version: 2,
  references: { user_id: users },
  ignored: ['fingerprint', 'login_source_id', 'verified', 'updated_unix'],
  belongs: (row) => row.number('type') !== 2,
  map(row) {
    if (row.number('type') === 3) return skippedRow('principals of SSH certificates have no counterpart');
    const key = readKeyLine(row.text('content'));
    if (!key) return skippedRow('it is no key');
    return takenRow(PublicKeyRow, {
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

const redirects: TakeoverKind = {
  id: 'accounts.redirects',
  table: 'user_redirect',
  references: { user_id: users },
  map: (row) => takenRow(RedirectRow, { lower_name: row.text('lower_name'), user_id: row.number('redirect_user_id') }),
};

const follows: TakeoverKind = {
  id: 'accounts.follows',
  table: 'follow',
  references: { user_id: users, followed_id: users },
  map: (row) =>
    takenRow(FollowRow, {
      user_id: row.number('user_id'),
      followed_id: row.number('follow_id'),
      created_at: row.time('created_unix'),
    }),
};

const blocks: TakeoverKind = {
  id: 'accounts.blocks',
  table: 'user_blocking',
  references: { blocker_id: users, blocked_id: users },
  map: (row) =>
    takenRow(BlockRow, {
      blocker_id: row.number('blocker_id'),
      blocked_id: row.number('blockee_id'),
      note: row.text('note'),
      created_at: row.time('created_unix'),
    }),
};

export const accountTakeover = (avatars: () => StorageArea, reader: LoginSourceReader): readonly TakeoverKind[] => [
  loginSourceKind(reader),
  userKind(avatars),
  emails,
  keys,
  redirects,
  follows,
  blocks,
];
