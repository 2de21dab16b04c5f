import { apiTime } from '@mortise/plugin-sdk';
import type { EmailAddress } from '@mortise/accounts/api';
import type { GpgKey, GpgKeyPart } from '../contract/signatures.js';

interface ApiGpgKey {
  id: number;
  primary_key_id: string;
  key_id: string;
  public_key: string;
  emails: { email: string; verified: boolean }[] | null;
  subkeys: ApiGpgKey[] | null;
  can_sign: boolean;
  can_encrypt_comms: boolean;
  can_encrypt_storage: boolean;
  can_certify: boolean;
  verified: boolean;
  created_at: string;
  expires_at: string;
}

const showPart = (part: GpgKeyPart, more: Pick<ApiGpgKey, 'primary_key_id' | 'emails' | 'subkeys' | 'verified'>) => ({
  id: part.id,
  key_id: part.keyId,
  public_key: part.publicKey,
  can_sign: part.canSign,
  can_encrypt_comms: part.canEncryptComms,
  can_encrypt_storage: part.canEncryptStorage,
  can_certify: part.canCertify,
  created_at: apiTime(part.createdAt),
  expires_at: apiTime(part.expiresAt),
  ...more,
});

/** Addresses of the account that the key names; others in it say nothing about the account. */
export function ownAddresses(
  key: GpgKey,
  own: readonly EmailAddress[],
): { readonly email: string; readonly verified: boolean }[] {
  const named = new Set(key.emails.map((email) => email.toLowerCase()));
  return own
    .filter((one) => named.has(one.email.toLowerCase()))
    .map((one) => ({ email: one.email, verified: one.isVerified }));
}

/** Model `GPGKey`; `own` are the addresses of its owner. */
export function toApiGpgKey(key: GpgKey, own: readonly EmailAddress[]): ApiGpgKey {
  return showPart(key, {
    primary_key_id: '',
    emails: ownAddresses(key, own),
    subkeys: key.subkeys.map((subkey) =>
      showPart(subkey, { primary_key_id: key.keyId, emails: null, subkeys: null, verified: false }),
    ),
    verified: key.verified,
  });
}
