import { skippedRow, targetRow, type SourceRow, type TableMapping } from '@mortise/plugin-sdk';
import { pbkdf2Hash } from '@mortise/accounts/api';
import { AccessTokenRow } from '../models/access-token.js';
import { hashOf, isToken } from '../services/tokens.js';

const iterations = 10_000;

/** Words of scopes before they were named by category, and what they allow today. */
const earlierScopes: Readonly<Record<string, string | readonly string[]>> = {
  repo: 'write:repository',
  'repo:status': 'write:repository',
  public_repo: ['write:repository', 'public-only'],
  'admin:repo_hook': 'write:repository',
  'write:repo_hook': 'write:repository',
  'read:repo_hook': 'read:repository',
  'admin:org': 'write:organization',
  'write:org': 'write:organization',
  'read:org': 'read:organization',
  'admin:org_hook': 'write:organization',
  'admin:public_key': 'write:user',
  'write:public_key': 'write:user',
  'read:public_key': 'read:user',
  'admin:user_hook': 'write:user',
  'admin:gpg_key': 'write:user',
  'write:gpg_key': 'write:user',
  'read:gpg_key': 'read:user',
  user: 'write:user',
  'user:email': 'read:user',
  'user:follow': 'write:user',
  'admin:application': 'write:user',
  'write:application': 'write:user',
  'read:application': 'read:user',
  notification: 'write:notification',
  delete_repo: 'write:repository',
  'delete:package': 'write:package',
  package: 'write:package',
  sudo: 'write:admin',
};

/** Tokens of versions without scopes may do everything. */
function scopesOf(row: SourceRow): string[] {
  if (!row.has('scope')) return ['all'];
  const words = row.text('scope').split(',').filter(Boolean);
  return [...new Set(words.flatMap((word) => earlierScopes[word] ?? word))];
}

/** Earlier versions stored tokens as they are, or by the hash that is ours too. */
function hashIn(row: SourceRow): string | undefined {
  const hash = row.text('token_hash');
  // a short one would fit many tokens
  if (/^(?:[0-9a-f]{2}){32,64}$/.test(hash)) return pbkdf2Hash(iterations, row.text('token_salt'), hash);
  if (/^[0-9a-f]{64}$/.test(row.text('sha256'))) return row.text('sha256');
  return isToken(row.text('sha1')) ? hashOf(row.text('sha1')) : undefined;
}

const tokens: TableMapping = {
  id: 'auth-token.tokens',
  table: 'access_token',
  idTable: AccessTokenRow,
  version: 2,
  references: { user_id: 'accounts.users' },
  map(row) {
    const hash = hashIn(row);
    if (hash === undefined) return skippedRow('its hash is of an unknown kind');
    return targetRow(AccessTokenRow, {
      id: row.number('id'),
      user_id: row.number('uid'),
      name: row.text('name'),
      token_hash: hash,
      last_eight: row.text('token_last_eight') || row.text('sha1').slice(-8),
      scopes: scopesOf(row),
      created_at: row.time('created_unix'),
      last_used_at: row.time('updated_unix'),
    });
  },
};

export const tables: readonly TableMapping[] = [tokens];
