import { cutToLength, targetRow, type TableMapping } from '@mortise/plugin-sdk';
import { LinkRow } from '../models/link.js';
import { subjectHash } from '../services/links.js';

/** The source has no ids for them. */
class UnnumberedLinkRow extends LinkRow {
  static override idColumn = ['source_id', 'subject_hash'];
}

/** Who of a provider signs in as which account. */
const links: TableMapping = {
  id: 'auth-oauth2.links',
  table: 'external_login_user',
  key: ['user_id', 'login_source_id'],
  references: { source_id: 'accounts.login_sources', user_id: 'accounts.users' },
  ignored: [
    ...['raw_data', 'provider', 'first_name', 'last_name', 'description', 'avatar_url', 'location'],
    ...['access_token', 'access_token_secret', 'refresh_token', 'expires_at'],
  ],
  map: (row) =>
    targetRow(UnnumberedLinkRow, {
      source_id: row.number('login_source_id'),
      user_id: row.number('user_id'),
      subject: row.text('external_id', 255),
      subject_hash: subjectHash(row.text('external_id')),
      name: cutToLength(row.text('nick_name') || row.text('name') || row.text('email'), 255),
      created_at: 0,
      last_used_at: 0,
    }),
};

export const tables: readonly TableMapping[] = [links];
