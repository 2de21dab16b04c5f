import { skippedRow, targetRow, type TableMapping } from '@mortise/plugin-sdk';
import { CleanUpRuleRow } from '../models/clean-up-rule.js';
import { SigningKeyRow } from '../models/signing-key.js';
import { contentTables, unknownFormat, type PackageTakeoverDeps } from './contents.js';

const users = 'accounts.users';

/** Owners have one key for each format: no id of the source is needed. */
class OwnerKeyRow extends SigningKeyRow {
  static override idColumn = ['owner_id', 'type', 'kind'];
}

const keySetting = /^(alpine|arch|debian|rpm)\.key\.private$/;

/** Clients trust these keys, so they stay as they are. They lie in clear among the settings of users there. */
const signingKeys = ({ encryption }: PackageTakeoverDeps): TableMapping => ({
  id: 'packages.signing_keys',
  table: 'user_setting',
  references: { owner_id: users },
  related: { settings: { table: 'user_setting', column: 'user_id', localColumn: 'user_id' } },
  filter: (row) => keySetting.test(row.text('setting_key')),
  map(row) {
    const [, type = ''] = keySetting.exec(row.text('setting_key')) ?? [];
    const publicKey = row.related('settings').find((one) => one.text('setting_key') === `${type}.key.public`);
    if (!publicKey?.text('setting_value')) return skippedRow('its public key is missing');
    return targetRow(OwnerKeyRow, {
      owner_id: row.number('user_id'),
      type,
      kind: type === 'alpine' ? 'rsa' : 'openpgp',
      public_key: publicKey.text('setting_value'),
      sealed_key: encryption.encrypt(row.text('setting_value')),
      created_at: 0,
    });
  },
});

const maxPattern = 255;

const cleanUpRules = ({ format }: PackageTakeoverDeps): TableMapping => ({
  id: 'packages.clean_up_rules',
  table: 'package_cleanup_rule',
  idTable: CleanUpRuleRow,
  references: { owner_id: users },
  ignored: ['created_unix', 'updated_unix'],
  map(row) {
    const patterns = [row.text('keep_pattern'), row.text('remove_pattern')] as const;
    if (!format(row.text('type'))) return skippedRow(unknownFormat(row));
    if (patterns.some((pattern) => pattern.length > maxPattern)) return skippedRow('its pattern is too long');
    return targetRow(CleanUpRuleRow, {
      id: row.number('id'),
      owner_id: row.number('owner_id'),
      type: row.text('type'),
      is_enabled: row.flag('enabled'),
      keep_count: row.number('keep_count'),
      keep_pattern: patterns[0],
      remove_days: row.number('remove_days'),
      remove_pattern: patterns[1],
      match_full_name: row.flag('match_full_name'),
    });
  },
});

export const tables = (deps: PackageTakeoverDeps): readonly TableMapping[] => [
  ...contentTables(deps),
  cleanUpRules(deps),
  signingKeys(deps),
];
