import { createHash } from 'node:crypto';
import { skippedRow, targetRow, type Encryption, type SourceRow, type TableMapping } from '@mortise/plugin-sdk';
import { KeyRow } from '../models/key.js';
import { TotpRow } from '../models/totp.js';

const users = 'accounts.users';
const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');

const codes = (encryption: Encryption): TableMapping => ({
  id: 'auth-two-factor.codes',
  table: 'two_factor',
  hasSecrets: true,
  references: { user_id: users },
  ignored: ['scratch_salt', 'last_used_passcode', 'updated_unix'],
  map(row, context) {
    const secret = context.decryptTotp(row.text('secret'))?.toUpperCase();
    if (!secret || !/^[A-Z2-7]{8,}=*$/.test(secret))
      return skippedRow('its secret cannot be decrypted with the SECRET_KEY');
    if (row.text('scratch_hash') !== '') context.report('a recovery code has no counterpart: its owner makes new ones');
    return targetRow(TotpRow, {
      // Gogs calls it so
      user_id: row.number(row.has('uid') ? 'uid' : 'user_id'),
      secret: encryption.encrypt(secret.replace(/=+$/, '')),
      last_step: 0,
      created_at: row.time('created_unix'),
    });
  },
});

/** Bytes; versions before 2022 had base32 in hexadecimal letters. */
function credentialOf(row: SourceRow): string {
  const bytes = row.bytes('credential_id') ?? Buffer.alloc(0);
  const text = bytes.toString('latin1');
  if (!/^[0-9A-V]{24,}=*$/.test(text)) return bytes.toString('base64url');
  const bits = [...text.replace(/=+$/, '')].map((digit) => parseInt(digit, 32).toString(2).padStart(5, '0')).join('');
  return Buffer.from((bits.match(/.{8}/g) ?? []).map((byte) => parseInt(byte, 2))).toString('base64url');
}

/** Keys answer for a host name: they hold where the site keeps the one that the source had. */
const keys: TableMapping = {
  id: 'auth-two-factor.keys',
  table: 'webauthn_credential',
  idTable: KeyRow,
  references: { user_id: users },
  ignored: ['lower_name', 'attestation_type', 'aaguid', 'clone_warning'],
  map(row) {
    const credential = credentialOf(row);
    const publicKey = row.bytes('public_key');
    if (credential === '' || !publicKey?.length) return skippedRow('its key is empty');
    return targetRow(KeyRow, {
      id: row.number('id'),
      user_id: row.number('user_id'),
      name: row.text('name'),
      credential_hash: sha256(credential),
      credential_id: credential,
      public_key: publicKey.toString('base64url'),
      counter: row.number('sign_count'),
      transports: [],
      is_passkey: false,
      created_at: row.time('created_unix'),
      last_used_at: row.time('updated_unix'),
    });
  },
};

export const tables = (encryption: Encryption): readonly TableMapping[] => [codes(encryption), keys];
