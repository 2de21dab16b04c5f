import { createHash, createPublicKey, verify, type JsonWebKey, type KeyObject } from 'node:crypto';

/** A signature as `ssh-keygen -Y sign` writes it (OpenSSH, PROTOCOL.sshsig). */
export interface SshSignature {
  /** Key as it stands in a `.pub` file, decoded. */
  readonly publicKey: Buffer;
  /** `SHA256:…` of the key. */
  readonly fingerprint: string;
  readonly namespace: string;
  readonly reserved: Buffer;
  readonly hash: 'sha256' | 'sha512';
  readonly algorithm: string;
  readonly signature: Buffer;
  /** Flags and counter of security keys. */
  readonly tail: Buffer;
}

const magic = Buffer.from('SSHSIG');
/** RSA keys of 16384 bits and their signatures fit. */
const maxText = 16 * 1024;

class Reader {
  #at = 0;
  constructor(private readonly data: Buffer) {}

  bytes(length: number): Buffer {
    const end = this.#at + length;
    if (end > this.data.length) throw new Error('cut off');
    const part = this.data.subarray(this.#at, end);
    this.#at = end;
    return part;
  }
  number = () => this.bytes(4).readUInt32BE();
  field = () => this.bytes(this.number());
  text = () => this.field().toString('latin1');
  rest = () => this.bytes(this.data.length - this.#at);
}

export function sshField(content: Buffer | string): Buffer {
  const bytes = Buffer.from(content as string);
  const length = Buffer.alloc(4);
  length.writeUInt32BE(bytes.length);
  return Buffer.concat([length, bytes]);
}

export const sshFingerprint = (key: Buffer): string =>
  `SHA256:${createHash('sha256').update(key).digest('base64').replace(/=+$/, '')}`;

/** The bytes that are signed in the place of the message. */
export const sshSignedData = (message: Buffer, parts: Pick<SshSignature, 'namespace' | 'reserved' | 'hash'>): Buffer =>
  Buffer.concat([
    magic,
    sshField(parts.namespace),
    sshField(parts.reserved),
    sshField(parts.hash),
    sshField(createHash(parts.hash).update(message).digest()),
  ]);

export function parseSshSignature(armored: string): SshSignature | undefined {
  if (armored.length > maxText) return undefined;
  const match = /^-----BEGIN SSH SIGNATURE-----\s([A-Za-z0-9+/=\s]+)-----END SSH SIGNATURE-----\s*$/.exec(armored);
  if (!match) return undefined;
  try {
    const reader = new Reader(Buffer.from(match[1]!, 'base64'));
    if (!reader.bytes(6).equals(magic) || reader.number() !== 1) return undefined;
    const publicKey = reader.field();
    const namespace = reader.text();
    const reserved = reader.field();
    const hash = reader.text();
    const blob = new Reader(reader.field());
    if (reader.rest().length > 0 || (hash !== 'sha256' && hash !== 'sha512')) return undefined;
    const algorithm = blob.text();
    const signature = blob.field();
    const fingerprint = sshFingerprint(publicKey);
    return { publicKey, fingerprint, namespace, reserved, hash, algorithm, signature, tail: blob.rest() };
  } catch {
    return undefined;
  }
}

const url = (bytes: Buffer) => bytes.toString('base64url');
const webKey = (key: JsonWebKey): KeyObject => createPublicKey({ key, format: 'jwk' });

const curves: Readonly<Record<string, { crv: string; hash: string; size: number }>> = {
  nistp256: { crv: 'P-256', hash: 'sha256', size: 32 },
  nistp384: { crv: 'P-384', hash: 'sha384', size: 48 },
  nistp521: { crv: 'P-521', hash: 'sha512', size: 66 },
};

/** A non-negative integer of SSH in exactly `size` bytes. */
function fixed(integer: Buffer, size: number): Buffer {
  const bare = integer.subarray(Math.max(0, integer.length - size));
  if (integer.subarray(0, integer.length - bare.length).some((byte) => byte !== 0)) throw new Error('too long');
  return Buffer.concat([Buffer.alloc(size - bare.length), bare]);
}

function checkCurve(curve: string, point: Buffer, data: Buffer, signature: Buffer): boolean {
  const { crv, hash, size } = curves[curve] ?? {};
  if (!crv || !hash || !size || point.length !== 1 + 2 * size || point[0] !== 4) return false;
  const key = webKey({ kty: 'EC', crv, x: url(point.subarray(1, 1 + size)), y: url(point.subarray(1 + size)) });
  const reader = new Reader(signature);
  const raw = Buffer.concat([fixed(reader.field(), size), fixed(reader.field(), size)]);
  return verify(hash, data, { key, dsaEncoding: 'ieee-p1363' }, raw);
}

const checkEd25519 = (x: Buffer, data: Buffer, signature: Buffer): boolean =>
  signature.length === 64 && verify(null, data, webKey({ kty: 'OKP', crv: 'Ed25519', x: url(x) }), signature);

/** What a security key signs (PROTOCOL.u2f); somebody must have touched it. */
function touched(application: Buffer, tail: Buffer, data: Buffer): Buffer | undefined {
  if (tail.length !== 5 || (tail[0]! & 1) === 0) return undefined;
  const digest = (bytes: Buffer) => createHash('sha256').update(bytes).digest();
  return Buffer.concat([digest(application), tail, digest(data)]);
}

/** Does the signature cover the message, in the namespace that git uses? */
export function checkSsh(message: Buffer, given: SshSignature): boolean {
  if (given.namespace !== 'git') return false;
  const data = sshSignedData(message, given);
  try {
    const key = new Reader(given.publicKey);
    const kind = key.text();
    const plain = given.tail.length === 0;
    switch (kind) {
      case 'ssh-ed25519':
        return plain && given.algorithm === kind && checkEd25519(key.field(), data, given.signature);
      case 'ssh-rsa': {
        const hash = { 'rsa-sha2-256': 'sha256', 'rsa-sha2-512': 'sha512' }[given.algorithm];
        const [e, n] = [key.field(), key.field()];
        const start = n.findIndex((byte) => byte !== 0);
        if (!hash || !plain || start < 0) return false;
        const size = n.length - start;
        return verify(
          hash,
          data,
          webKey({ kty: 'RSA', e: url(e), n: url(n.subarray(start)) }),
          fixed(given.signature, size),
        );
      }
      case 'ecdsa-sha2-nistp256':
      case 'ecdsa-sha2-nistp384':
      case 'ecdsa-sha2-nistp521':
        return plain && given.algorithm === kind && checkCurve(key.text(), key.field(), data, given.signature);
      case 'sk-ssh-ed25519@openssh.com': {
        const x = key.field();
        const signed = touched(key.field(), given.tail, data);
        return signed !== undefined && given.algorithm === kind && checkEd25519(x, signed, given.signature);
      }
      case 'sk-ecdsa-sha2-nistp256@openssh.com': {
        const [curve, point] = [key.text(), key.field()];
        const signed = touched(key.field(), given.tail, data);
        return signed !== undefined && given.algorithm === kind && checkCurve(curve, point, signed, given.signature);
      }
      default:
        return false;
    }
  } catch {
    return false;
  }
}
