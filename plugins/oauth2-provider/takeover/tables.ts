import { skippedRow, targetRow, type TableMapping } from '@mortise/plugin-sdk';
import { isBcrypt } from '@mortise/accounts/api';
import { ApplicationRow } from '../models/application.js';
import { GrantRow } from '../models/grant.js';
import { isWellKnown } from '../services/well-known.js';

/** The check of secrets here knows bcrypt: they stay as they are. */
const applications: TableMapping = {
  id: 'oauth2-provider.applications',
  table: 'oauth2_application',
  idTable: ApplicationRow,
  map(row, context) {
    if (row.number('uid') === 0 && isWellKnown(row.text('client_id')))
      return skippedRow('the site offers this program itself');
    const secret = row.text('client_secret');
    if (secret !== '' && !isBcrypt(secret))
      context.report('the secret of an OAuth2 application cannot be checked here');
    return targetRow(ApplicationRow, {
      id: row.number('id'),
      owner_id: row.number('uid'),
      name: row.text('name'),
      client_id: row.text('client_id'),
      secret_hash: isBcrypt(secret) ? secret : '',
      is_confidential: row.has('confidential_client') ? row.flag('confidential_client') : true,
      skips_second_consent: row.flag('skip_secondary_authorization'),
      redirect_uris: row.texts('redirect_uris'),
      created_at: row.time('created_unix'),
      updated_at: row.time('updated_unix'),
    });
  },
};

const grants: TableMapping = {
  id: 'oauth2-provider.grants',
  table: 'oauth2_grant',
  idTable: GrantRow,
  references: { user_id: 'accounts.users', application_id: 'oauth2-provider.applications' },
  ignored: ['counter', 'nonce'],
  map: (row) =>
    targetRow(GrantRow, {
      id: row.number('id'),
      user_id: row.number('user_id'),
      application_id: row.number('application_id'),
      scope: row.text('scope').split(/\s+/).filter(Boolean),
      created_at: row.time('created_unix'),
      updated_at: row.time('updated_unix'),
    }),
};

export const tables: readonly TableMapping[] = [applications, grants];
