import { createHash } from 'node:crypto';

interface KeyLine {
  /** Algorithm and key, without a comment. */
  readonly content: string;
  readonly algorithm: string;
  /** `SHA256:…`, by which keys are looked up. */
  readonly fingerprint: string;
}

/**
 * Reads a line of `authorized_keys` that another server has accepted: kind and size are not checked. Undefined where it is
 * no key.
 */
export function readKeyLine(line: string): KeyLine | undefined {
  const [algorithm = '', data = ''] = line.trim().split(/\s+/);
  const bytes = /^[A-Za-z0-9+/]+={0,2}$/.test(data) ? Buffer.from(data, 'base64') : Buffer.alloc(0);
  // the key says itself what it is (RFC 4253, section 6.6)
  const isKey = bytes.length > 4 && bytes.subarray(4, 4 + bytes.readUInt32BE()).toString('latin1') === algorithm;
  if (!isKey) return undefined;
  const digest = createHash('sha256').update(bytes).digest('base64').replace(/=+$/, '');
  return { content: `${algorithm} ${data}`, algorithm, fingerprint: `SHA256:${digest}` };
}
