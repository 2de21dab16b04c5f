import { createHash } from 'node:crypto';
import { Invalid, type Text } from '@mortise/plugin-sdk';
import type { ParsedPublicKey } from '../contract/keys.js';
import { t } from '../texts/index.js';

/** LIM-14 */
const maxKeyBytes = 4096;
const maxKeyText = 5461;
const maxComment = 4096;

class Reader {
  #at = 0;
  constructor(private readonly data: Buffer) {}

  field(): Buffer {
    if (this.#at + 4 > this.data.length) throw Invalid(t.later('error.keyCutOff'));
    const length = this.data.readUInt32BE(this.#at);
    const end = this.#at + 4 + length;
    if (end > this.data.length) throw Invalid(t.later('error.keyCutOff'));
    const field = this.data.subarray(this.#at + 4, end);
    this.#at = end;
    return field;
  }

  end(): void {
    if (this.#at !== this.data.length) throw Invalid(t.later('error.keyRest'));
  }
}

const bits = (integer: Buffer): number => {
  let start = 0;
  while (start < integer.length && integer[start] === 0) start++;
  if (start === integer.length) return 0;
  return (integer.length - start - 1) * 8 + (32 - Math.clz32(integer[start]!));
};

const maxRsaBits = 16_384;

const curves: Record<string, number> = { nistp256: 65, nistp384: 97, nistp521: 133 };

function need(condition: boolean, message: Text): void {
  if (!condition) throw Invalid(message);
}

/** What follows the algorithm's name in the key data, per algorithm (RFC 4253, 5656, 8709; PROTOCOL.u2f of OpenSSH). */
function checkBody(algorithm: string, reader: Reader, minimumRsaBits: number): void {
  const curve = (point: Buffer, name: string) =>
    need(point.length === curves[name] && point[0] === 4, t.later('error.keyPoint'));
  switch (algorithm) {
    case 'ssh-ed25519':
      need(reader.field().length === 32, t.later('error.keyEd25519'));
      break;
    case 'sk-ssh-ed25519@openssh.com':
      need(reader.field().length === 32, t.later('error.keyEd25519'));
      need(reader.field().length > 0, t.later('error.keyApplication'));
      break;
    case 'ssh-rsa': {
      const exponent = reader.field();
      const modulus = reader.field();
      need(bits(exponent) > 1 && bits(exponent) <= 64, t.later('error.keyExponent'));
      need(bits(modulus) >= minimumRsaBits, t.later('error.keyRsaShort', { bits: minimumRsaBits }));
      need(bits(modulus) <= maxRsaBits, t.later('error.keyRsaLong', { bits: maxRsaBits }));
      break;
    }
    case 'ecdsa-sha2-nistp256':
    case 'ecdsa-sha2-nistp384':
    case 'ecdsa-sha2-nistp521': {
      const name = reader.field().toString('latin1');
      need(algorithm.endsWith(name) && name in curves, t.later('error.keyCurve'));
      curve(reader.field(), name);
      break;
    }
    case 'sk-ecdsa-sha2-nistp256@openssh.com':
      need(reader.field().toString('latin1') === 'nistp256', t.later('error.keyCurve'));
      curve(reader.field(), 'nistp256');
      need(reader.field().length > 0, t.later('error.keyApplication'));
      break;
    default:
      throw Invalid(t.later('error.keyKind'));
  }
  reader.end();
}

/** Reads one line of an `authorized_keys` file without options: `type base64 comment` (LIM-14). */
export function parseKey(text: string, minimumRsaBits: number): ParsedPublicKey {
  const line = text.trim();
  need(line.length > 0, t.later('error.keyEmpty'));
  need(line.length <= maxKeyText + maxComment + 128, t.later('error.keyLong'));
  need(!/[\r\n\0]/.test(line), t.later('error.keyLines'));
  const [, algorithm = '', data = '', comment = ''] = /^(\S+)[ \t]+(\S+)(?:[ \t]+(.*))?$/.exec(line) ?? [];
  need(/^[A-Za-z0-9+/]+={0,2}$/.test(data), t.later('error.keyNotOne'));
  need(data.length <= maxKeyText + 3, t.later('error.keyLong'));
  need(Buffer.byteLength(comment) <= maxComment, t.later('error.keyComment'));
  const bytes = Buffer.from(data, 'base64');
  need(bytes.length > 4, t.later('error.keyNotOne'));
  need(bytes.length <= maxKeyBytes, t.later('error.keyLong'));
  const reader = new Reader(bytes);
  need(reader.field().toString('latin1') === algorithm, t.later('error.keyOtherKind'));
  checkBody(algorithm, reader, minimumRsaBits);
  const fingerprint = `SHA256:${createHash('sha256').update(bytes).digest('base64').replace(/=+$/, '')}`;
  return {
    content: comment ? `${algorithm} ${data} ${comment}` : `${algorithm} ${data}`,
    algorithm,
    fingerprint,
    comment,
  };
}
