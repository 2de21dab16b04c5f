import type { Key, Signature } from 'openpgp';
import { openpgp } from './library.js';

/** Longer ones, and such with more packets, are no signatures of commits: each packet costs time to check. */
const maxSignature = 64 * 1024;
const maxPackets = 4;

/** Other kinds (standalone, timestamps, certifications) cover no document: any text would pass. */
const isOfDocument = ({ signatureType }: Signature['packets'][number]) =>
  signatureType === openpgp().enums.signature.binary || signatureType === openpgp().enums.signature.text;

export async function parsePgpSignature(armored: string): Promise<Signature | undefined> {
  if (armored.length > maxSignature) return undefined;
  try {
    const signature = await openpgp().readSignature({ armoredSignature: armored });
    return signature.packets.length <= maxPackets && signature.packets.every(isOfDocument) ? signature : undefined;
  } catch {
    return undefined;
  }
}

/** Ids of the keys that made it, 16 hex digits, upper case. */
export const issuers = (signature: Signature): string[] => [
  ...new Set(signature.getSigningKeyIDs().map((id) => id.toHex().toUpperCase())),
];

export const readArmored = (armored: string): Promise<Key> => openpgp().readKey({ armoredKey: armored });

/** What became of a check: `good`, or why not. */
export type CheckResult = 'good' | 'bad' | 'revoked' | 'expired';

/**
 * Does the key's signature cover these bytes? The key (or subkey) must have been good when the signature was made;
 * that it has expired since does not matter, that it was revoked as compromised does.
 */
export async function checkPgp(payload: Uint8Array, signature: Signature, key: Key): Promise<CheckResult> {
  try {
    const { signatures } = await openpgp().verify({
      message: await openpgp().createMessage({ binary: payload }),
      signature,
      verificationKeys: key,
      format: 'binary',
      // The clock of who signed is not ours.
      date: null,
    });
    const results = await Promise.allSettled(signatures.map((one) => one.verified));
    if (results.some((one) => one.status === 'fulfilled')) return 'good';
    const reasons = results.map((one) => (one.status === 'rejected' ? String((one.reason as Error)?.message) : ''));
    if (reasons.some((reason) => /revoked/i.test(reason))) return 'revoked';
    if (reasons.some((reason) => /expired/i.test(reason))) return 'expired';
    return 'bad';
  } catch {
    return 'bad';
  }
}
