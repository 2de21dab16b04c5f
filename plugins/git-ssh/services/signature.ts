/** Does a signature prove that the client holds the private key (RFC 4252, 7; PROTOCOL.u2f of OpenSSH)? */
import { createHash, createPublicKey, verify, type KeyObject } from 'node:crypto';
import type { PublicKeyAuthContext } from 'ssh2';
import { ssh2 } from './library.js';

type Proof = Pick<PublicKeyAuthContext, 'key' | 'signature' | 'blob' | 'hashAlgo'>;

/** Signatures with SHA-1 prove nothing any more, so RSA keys must sign with SHA-2. */
export const isOutdated = ({ key, hashAlgo }: Proof): boolean =>
  key.algo === 'ssh-dss' || (key.algo === 'ssh-rsa' && hashAlgo !== 'sha256' && hashAlgo !== 'sha512');

export function proves(proof: Proof): boolean {
  const { key, signature, blob, hashAlgo } = proof;
  if (!signature || !blob || isOutdated(proof)) return false;
  if (key.algo.startsWith('sk-')) return provesWithDevice(key.data, signature, blob);
  const parsed = ssh2().utils.parseKey(`${key.algo} ${key.data.toString('base64')}`);
  const known = Array.isArray(parsed) ? parsed[0] : parsed;
  if (!known || known instanceof Error) return false;
  return known.verify(blob, signature, hashAlgo) === true;
}

/** Fields with a length before each. */
class Fields {
  at = 0;
  constructor(private readonly bytes: Buffer) {}
  next(): Buffer {
    const length = this.bytes.readUInt32BE(this.at);
    const field = this.bytes.subarray(this.at + 4, this.at + 4 + length);
    if (field.length !== length) throw new RangeError('cut off');
    this.at += 4 + length;
    return field;
  }
}

/** Keys in hardware sign a hash of the application and a counter too, and say whether a person was there. */
export function provesWithDevice(keyBlob: Buffer, signature: Buffer, message: Buffer): boolean {
  try {
    const key = new Fields(keyBlob);
    const algorithm = key.next().toString('latin1');
    const tail = signature.subarray(-5);
    const flags = tail[0] ?? 0;
    if ((flags & 1) === 0) return false;
    const sha256 = (data: Buffer) => createHash('sha256').update(data).digest();
    if (algorithm === 'sk-ssh-ed25519@openssh.com') {
      const publicKey = okp(key.next());
      const signed = Buffer.concat([sha256(key.next()), tail, sha256(message)]);
      return signature.length === 69 && verify(null, signed, publicKey, signature.subarray(0, 64));
    }
    if (algorithm !== 'sk-ecdsa-sha2-nistp256@openssh.com' || key.next().toString() !== 'nistp256') return false;
    const publicKey = p256(key.next());
    const signed = Buffer.concat([sha256(key.next()), tail, sha256(message)]);
    const numbers = new Fields(signature);
    const [r, s] = [numbers.next(), numbers.next()].map((number) => {
      const bare = number.subarray(Math.max(0, number.length - 32));
      return Buffer.concat([Buffer.alloc(32 - bare.length), bare]);
    }) as [Buffer, Buffer];
    if (numbers.at + 5 !== signature.length) return false;
    return verify('sha256', signed, { key: publicKey, dsaEncoding: 'ieee-p1363' }, Buffer.concat([r, s]));
  } catch {
    return false;
  }
}

const okp = (point: Buffer): KeyObject =>
  createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x: point.toString('base64url') }, format: 'jwk' });

const p256 = (point: Buffer): KeyObject =>
  createPublicKey({
    key: {
      kty: 'EC',
      crv: 'P-256',
      x: point.subarray(1, 33).toString('base64url'),
      y: point.subarray(33, 65).toString('base64url'),
    },
    format: 'jwk',
  });
