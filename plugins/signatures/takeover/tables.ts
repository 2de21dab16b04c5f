import { skippedRow, targetRow, type SourceRow, type TableMapping } from '@mortise/plugin-sdk';
import { GpgKeyRow } from '../models/gpg-key.js';
import { GpgSubkeyRow } from '../models/gpg-subkey.js';
import { partColumns } from '../services/gpg-keys.js';
import { parseGpgKeys, type ParsedKey } from '../services/openpgp-key.js';

/** What can be read of the certificate, if it is the key that the row names. */
async function certificateOf(row: SourceRow): Promise<ParsedKey | undefined> {
  const armored = row.related('certificates')[0]?.text('content') ?? '';
  const keys = await parseGpgKeys(armored).catch(() => []);
  return keys.find(({ keyId }) => keyId === row.text('key_id').toUpperCase());
}

/** Keys with their subkeys, which are rows of the same table there. */
const gpgKeys: TableMapping = {
  id: 'signatures.gpg_keys',
  table: 'gpg_key',
  idTable: GpgKeyRow,
  references: { user_id: 'accounts.users' },
  related: {
    certificates: { table: 'gpg_key_import', column: 'key_id', localColumn: 'key_id' },
    subkeys: { table: 'gpg_key', column: 'primary_key_id', localColumn: 'key_id' },
  },
  // read from the certificate
  ignored: ['content', 'expired_unix', 'emails', 'can_sign', 'can_encrypt_comms', 'can_encrypt_storage', 'can_certify'],
  filter: (row) => row.text('primary_key_id') === '',
  async map(row) {
    const key = await certificateOf(row);
    if (!key) return skippedRow('its certificate is missing or cannot be read');
    const id = row.number('id');
    const ids = new Map(row.related('subkeys').map((one) => [one.text('key_id').toUpperCase(), one.number('id')]));
    return [
      targetRow(GpgKeyRow, {
        id,
        user_id: row.number('owner_id'),
        ...partColumns(key),
        armored: key.armored,
        emails: [...key.emails],
        verified: row.flag('verified'),
        added_at: row.time('added_unix') || row.time('created_unix'),
      }),
      ...key.subkeys.flatMap((subkey) =>
        ids.has(subkey.keyId)
          ? [targetRow(GpgSubkeyRow, { id: ids.get(subkey.keyId), gpg_key_id: id, ...partColumns(subkey) })]
          : [],
      ),
    ];
  },
};

export const tables: readonly TableMapping[] = [gpgKeys];
