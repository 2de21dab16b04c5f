import { constants, createHash, publicDecrypt, verify } from 'node:crypto';

/** A signed request as its headers tell it (reference: 10.12). */
export interface SignedRequest {
  readonly userName: string;
  readonly version: SignVersion;
  /** Milliseconds since 1970 UTC. */
  readonly sentAt: number;
  readonly timestamp: string;
  readonly contentHash: string;
  readonly apiVersion: string;
  readonly signature: Buffer;
}

type Headers = Readonly<Record<string, string | undefined>>;
type SignVersion = '1.0' | '1.1' | '1.2' | '1.3';

/** The hash that goes with each version of the protocol. */
const algorithms: Readonly<Record<SignVersion, 'sha1' | 'sha256'>> = {
  '1.0': 'sha1',
  '1.1': 'sha1',
  '1.2': 'sha1',
  '1.3': 'sha256',
};
const isVersion = (text: string): text is SignVersion => Object.hasOwn(algorithms, text);

/** Most difference between the clocks. */
export const maxSkewMs = 10 * 60_000;
const maxLines = 100;

/** Undefined: it is not signed; a text: why it cannot be read. */
export function readSigned(headers: Headers): SignedRequest | string | undefined {
  const { 'x-ops-userid': userName, 'x-ops-sign': sign, 'x-ops-timestamp': timestamp = '' } = headers;
  if (userName === undefined || sign === undefined) return undefined;
  const described = new Map(
    sign.split(';').map((part) => part.split('=').map((one) => one.trim()) as [string, string]),
  );
  const version = described.get('version') ?? '1.0';
  if (!isVersion(version)) return 'the version of the signature is not known';
  if ((described.get('algorithm') ?? algorithms[version]) !== algorithms[version])
    return 'the algorithm of the signature is not that of its version';
  const sentAt = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:Z|[+-]\d\d:?\d\d)$/.test(timestamp) ? Date.parse(timestamp) : NaN;
  if (Number.isNaN(sentAt)) return 'the time of the signature cannot be read';
  const lines: string[] = [];
  for (let at = 1; at <= maxLines; at++) {
    const line = headers[`x-ops-authorization-${at}`];
    if (line === undefined) break;
    lines.push(line.trim());
  }
  if (lines.length === 0) return 'the signature is missing';
  return {
    userName,
    version,
    sentAt,
    timestamp: new Date(sentAt).toISOString().replace(/\.\d+Z$/, 'Z'),
    contentHash: headers['x-ops-content-hash'] ?? '',
    apiVersion: headers['x-ops-server-api-version'] ?? '0',
    signature: Buffer.from(lines.join(''), 'base64'),
  };
}

const hash = (algorithm: string, text: string) => createHash(algorithm).update(text).digest('base64');

/** As clients write a path into what they sign. */
const plain = (path: string) => path.replace(/\/{2,}/g, '/').replace(/(.)\/$/, '$1');

/** What was signed, in the ways in which clients write it. */
function textsOf(request: SignedRequest, method: string, path: string): readonly string[] {
  const { version, contentHash, timestamp, userName, apiVersion } = request;
  if (version === '1.3')
    return [
      [
        `Method:${method}`,
        `Path:${plain(path)}`,
        `X-Ops-Content-Hash:${contentHash}`,
        'X-Ops-Sign:version=1.3',
        `X-Ops-Timestamp:${timestamp}`,
        `X-Ops-UserId:${userName}`,
        `X-Ops-Server-API-Version:${apiVersion}`,
      ].join('\n'),
    ];
  const hashed = hash('sha1', userName);
  const users = version === '1.0' ? [userName] : version === '1.1' ? [hashed] : [hashed, userName];
  return users.map((user) =>
    [
      `Method:${method}`,
      `Hashed Path:${hash('sha1', plain(path))}`,
      `X-Ops-Content-Hash:${contentHash}`,
      `X-Ops-Timestamp:${timestamp}`,
      `X-Ops-UserId:${user}`,
    ].join('\n'),
  );
}

/** Did the holder of the key sign this request? `paths`: as the client may have called it. */
export function isSignedBy(
  publicKey: string,
  request: SignedRequest,
  { method, paths }: { readonly method: string; readonly paths: readonly string[] },
): boolean {
  const { version, signature } = request;
  const texts = paths.flatMap((path) => textsOf(request, method, path)).map((text) => Buffer.from(text));
  try {
    if (version === '1.2' || version === '1.3')
      return texts.some((text) => verify(algorithms[version], text, publicKey, signature));
    // the older ones encrypt the text itself
    const text = publicDecrypt({ key: publicKey, padding: constants.RSA_PKCS1_PADDING }, signature);
    return texts.some((one) => one.equals(text));
  } catch {
    return false;
  }
}
