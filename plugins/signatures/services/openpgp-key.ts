import type { Key, Subkey } from 'openpgp';
import { Invalid } from '@mortise/plugin-sdk';
import type { GpgKeyPart } from '../contract/signatures.js';
import { openpgp } from './library.js';
import { t } from '../texts/index.js';

/** What is read from a certificate before it is stored. */
export type ParsedPart = Omit<GpgKeyPart, 'id'>;
export interface ParsedKey extends ParsedPart {
  readonly armored: string;
  readonly emails: readonly string[];
  readonly subkeys: readonly ParsedPart[];
}

/** Certificates that were flooded with signatures reach megabytes; each signature costs time to check. */
const maxText = 512 * 1024;
const maxKeys = 10;
const maxParts = 100;
const maxSignatures = 1000;

/** Checks in which time plays no part: what has expired was good once. */
const anyTime = null as unknown as Date;

type Packet = Key['keyPacket'] | Subkey['keyPacket'];
type Flags = Pick<GpgKeyPart, 'canSign' | 'canEncryptComms' | 'canEncryptStorage' | 'canCertify'>;

/** From the key flags (RFC 4880, 5.2.3.21); without them from what the algorithm can do. */
function abilities(packet: Packet, flags: Uint8Array | null | undefined, primary: boolean): Flags {
  const bits = flags?.[0];
  const may = (flag: number, otherwise: boolean) => (bits === undefined ? otherwise : (bits & flag) !== 0);
  const { algorithm } = packet.getAlgorithmInfo();
  const encrypts = /^rsaEncrypt|^elgamal|^ecdh|^x25519|^x448/.test(algorithm);
  const signs = /^rsa(EncryptSign|Sign)|^dsa|^ecdsa|^eddsa|^ed25519|^ed448/.test(algorithm);
  return {
    canSign: may(openpgp().enums.keyFlags.signData, signs),
    canEncryptComms: may(openpgp().enums.keyFlags.encryptCommunication, encrypts),
    canEncryptStorage: may(openpgp().enums.keyFlags.encryptStorage, encrypts),
    canCertify: primary && may(openpgp().enums.keyFlags.certifyKeys, signs),
  };
}

function properties(packet: Packet): Pick<ParsedPart, 'keyId' | 'fingerprint' | 'publicKey' | 'createdAt'> {
  const list = new (openpgp().PacketList)<Packet>();
  list.push(packet);
  return {
    keyId: packet.getKeyID().toHex().toUpperCase(),
    fingerprint: packet.getFingerprint().toUpperCase(),
    publicKey: Buffer.from(list.write()).toString('base64'),
    createdAt: packet.created.getTime(),
  };
}

const time = (date: Date | number | null) => (date instanceof Date ? date.getTime() : 0);

/** A subkey whose binding does not hold is left out: anybody can append one. */
async function readSubkey(subkey: Subkey): Promise<ParsedPart | undefined> {
  try {
    const binding = await subkey.verify(anyTime);
    return {
      ...properties(subkey.keyPacket),
      ...abilities(subkey.keyPacket, binding.keyFlags, false),
      expiresAt: time(await subkey.getExpirationTime(anyTime)),
    };
  } catch {
    return undefined;
  }
}

/** Addresses of user ids that the key itself certifies and has not taken back. */
async function readEmails(key: Key): Promise<string[]> {
  const addresses = new Set<string>();
  for (const user of key.users) {
    if (!user.userID) continue;
    const held = await user.verify(anyTime).catch(() => false);
    const { email, userID } = user.userID;
    const address = email || (/^[^\s<>@]+@[^\s<>@]+$/.test(userID) ? userID : '');
    if (held && address && address.length <= 254) addresses.add(address);
  }
  return [...addresses];
}

/** Those that are checked; signatures of others are not. */
const countSignatures = (key: Key): number =>
  [...key.users.map((user) => [user.selfCertifications, user.revocationSignatures])]
    .concat(key.subkeys.map((subkey) => [subkey.bindingSignatures, subkey.revocationSignatures]))
    .flat()
    .reduce((sum, list) => sum + list.length, key.revocationSignatures.length);

async function readOne(key: Key): Promise<ParsedKey> {
  if (key.isPrivate()) throw Invalid(t.later('error.private'));
  if (key.users.length > maxParts || key.subkeys.length > maxParts) throw Invalid(t.later('error.identities'));
  if (countSignatures(key) > maxSignatures) throw Invalid(t.later('error.signatures'));
  if (await key.isRevoked()) throw Invalid(t.later('error.revoked'));
  let flags: Uint8Array | null;
  try {
    flags = (await key.getPrimaryUser(anyTime)).selfCertification.keyFlags;
  } catch {
    throw Invalid(t.later('error.selfless'));
  }
  const subkeys = await Promise.all(key.subkeys.map(readSubkey));
  return {
    ...properties(key.keyPacket),
    ...abilities(key.keyPacket, flags, true),
    expiresAt: time(await key.getExpirationTime()),
    // Without the comments that programs put into the armour.
    armored: key.armor({ ...openpgp().config, showVersion: false, showComment: false }),
    emails: await readEmails(key),
    subkeys: subkeys.filter((part): part is ParsedPart => part !== undefined),
  };
}

/** Reads armoured OpenPGP public keys. Expired ones too: what they signed before still counts. */
export async function parseGpgKeys(text: string): Promise<ParsedKey[]> {
  if (text.length > maxText) throw Invalid(t.later('error.large'));
  let keys: Key[];
  try {
    keys = await openpgp().readKeys({ armoredKeys: text.trim() });
  } catch {
    throw Invalid(t.later('error.armour'));
  }
  if (keys.length === 0) throw Invalid(t.later('error.armour'));
  if (keys.length > maxKeys) throw Invalid(`Give at most ${maxKeys} keys at once.`);
  return Promise.all(keys.map(readOne));
}
