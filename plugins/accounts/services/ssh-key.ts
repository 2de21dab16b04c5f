import { createHash } from 'node:crypto';
import { Invalid } from '@mortise/plugin-sdk';
import type { ParsedPublicKey } from '../api.js';

/** LIM-14 */
const maxKeyBytes = 4096;
const maxKeyText = 5461;
const maxComment = 4096;

class Reader {
  #at = 0;
  constructor(private readonly data: Buffer) {}

  field(): Buffer {
    if (this.#at + 4 > this.data.length) throw Invalid('The key is cut off.');
    const length = this.data.readUInt32BE(this.#at);
    const end = this.#at + 4 + length;
    if (end > this.data.length) throw Invalid('The key is cut off.');
    const field = this.data.subarray(this.#at + 4, end);
    this.#at = end;
    return field;
  }

  end(): void {
    if (this.#at !== this.data.length) throw Invalid('The key has data after its end.');
  }
}

const bits = (integer: Buffer): number => {
  let start = 0;
  while (start < integer.length && integer[start] === 0) start++;
  if (start === integer.length) return 0;
  return (integer.length - start - 1) * 8 + (32 - Math.clz32(integer[start]!));
};

const curves: Record<string, number> = { nistp256: 65, nistp384: 97, nistp521: 133 };

function need(condition: boolean, message: string): void {
  if (!condition) throw Invalid(message);
}

/** What follows the algorithm's name in the key data, per algorithm (RFC 4253, 5656, 8709; PROTOCOL.u2f of OpenSSH). */
function checkBody(algorithm: string, reader: Reader, minimumRsaBits: number): void {
  const curve = (point: Buffer, name: string) =>
    need(point.length === curves[name] && point[0] === 4, 'The key has no point on its curve.');
  switch (algorithm) {
    case 'ssh-ed25519':
      need(reader.field().length === 32, 'An Ed25519 key has 32 bytes.');
      break;
    case 'sk-ssh-ed25519@openssh.com':
      need(reader.field().length === 32, 'An Ed25519 key has 32 bytes.');
      need(reader.field().length > 0, 'The key names no application.');
      break;
    case 'ssh-rsa': {
      const exponent = reader.field();
      const modulus = reader.field();
      need(bits(exponent) > 1 && bits(exponent) <= 64, 'The exponent of the RSA key will not do.');
      need(bits(modulus) >= minimumRsaBits, `An RSA key needs at least ${minimumRsaBits} bits.`);
      need(bits(modulus) <= 16384, 'The RSA key is too long.');
      break;
    }
    case 'ecdsa-sha2-nistp256':
    case 'ecdsa-sha2-nistp384':
    case 'ecdsa-sha2-nistp521': {
      const name = reader.field().toString('latin1');
      need(algorithm.endsWith(name) && name in curves, 'The key names another curve than its kind.');
      curve(reader.field(), name);
      break;
    }
    case 'sk-ecdsa-sha2-nistp256@openssh.com':
      need(reader.field().toString('latin1') === 'nistp256', 'The key names another curve than its kind.');
      curve(reader.field(), 'nistp256');
      need(reader.field().length > 0, 'The key names no application.');
      break;
    default:
      throw Invalid('Keys of this kind are not accepted.');
  }
  reader.end();
}

/** Reads one line of an `authorized_keys` file without options: `type base64 comment` (LIM-14). */
export function parseKey(text: string, minimumRsaBits: number): ParsedPublicKey {
  const line = text.trim();
  need(line.length > 0, 'The key is empty.');
  need(line.length <= maxKeyText + maxComment + 128, 'The key is too long.');
  need(!/[\r\n\0]/.test(line), 'Give one key on one line; a private key stays with you.');
  const [, algorithm = '', data = '', comment = ''] = /^(\S+)[ \t]+(\S+)(?:[ \t]+(.*))?$/.exec(line) ?? [];
  need(/^[A-Za-z0-9+/]+={0,2}$/.test(data), 'This is not an SSH public key.');
  need(data.length <= maxKeyText + 3, 'The key data is too long.');
  need(Buffer.byteLength(comment) <= maxComment, 'The comment of the key is too long.');
  const bytes = Buffer.from(data, 'base64');
  need(bytes.length > 0 && bytes.length <= maxKeyBytes, 'The key data is too long.');
  const reader = new Reader(bytes);
  need(reader.field().toString('latin1') === algorithm, 'The key is of another kind than it says.');
  checkBody(algorithm, reader, minimumRsaBits);
  const fingerprint = `SHA256:${createHash('sha256').update(bytes).digest('base64').replace(/=+$/, '')}`;
  return {
    content: comment ? `${algorithm} ${data} ${comment}` : `${algorithm} ${data}`,
    algorithm,
    fingerprint,
    comment,
  };
}
