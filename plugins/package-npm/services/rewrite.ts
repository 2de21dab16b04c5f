import type { ProxyChecksum } from '@mortise/packages/api';
import { tarballUrl } from './packument.js';
import { isRecord, type Json } from './json.js';
import { isVersion } from './versions.js';

/** Where a tarball of another registry lies, and how it is checked. */
export interface TarballProperties {
  /** Its name in small letters; several versions may have the same. */
  readonly file: string;
  readonly url: string;
  readonly checksums: readonly ProxyChecksum[];
}

export interface PackumentProperties {
  readonly tags: Readonly<Record<string, string>>;
  /** By version. */
  readonly tarballs: Readonly<Record<string, TarballProperties>>;
}

export interface RewrittenPackument {
  readonly body: Buffer;
  readonly properties: PackumentProperties;
}

/** What a thread is asked to do. */
export interface RewriteTask {
  readonly body: Uint8Array;
  readonly name: string;
  readonly base: string;
}

const lengths = { sha512: 128, sha256: 64, sha1: 40 } as const;

/** What the document says of the content, as hex; nothing that is known: none. */
function checksumsOf(dist: Json): readonly ProxyChecksum[] {
  const checksums: ProxyChecksum[] = [];
  const add = (algorithm: keyof typeof lengths, hex: string) => {
    if (hex.length === lengths[algorithm] && /^[0-9a-f]+$/.test(hex)) checksums.push({ algorithm, hex });
  };
  if (typeof dist.integrity === 'string')
    for (const one of dist.integrity.split(/\s+/)) {
      const [, algorithm, text] = /^(sha512|sha256|sha1)-([A-Za-z0-9+/]+=*)/.exec(one) ?? [];
      // of several of one kind any may be right: the first is taken
      if (algorithm && !checksums.some((other) => other.algorithm === algorithm))
        add(algorithm as keyof typeof lengths, Buffer.from(text!, 'base64').toString('hex'));
    }
  if (typeof dist.shasum === 'string' && !checksums.some(({ algorithm }) => algorithm === 'sha1'))
    add('sha1', dist.shasum.toLowerCase());
  return checksums;
}

const fileNameOf = (address: string): string => {
  try {
    return decodeURIComponent(new URL(address).pathname.split('/').at(-1)!);
  } catch {
    return '';
  }
};

/**
 * The document of a package of another registry, with tarballs below `base`; versions that nothing checks are left out.
 */
export function rewritePackument(body: Uint8Array, name: string, base: string): RewrittenPackument {
  const document = JSON.parse(Buffer.from(body).toString('utf8')) as unknown;
  if (!isRecord(document) || document.name !== name || !isRecord(document.versions))
    throw new Error('it is no document of the package');
  const tarballs: [string, TarballProperties][] = [];
  const versions: [string, Json][] = [];
  for (const [version, entry] of Object.entries(document.versions)) {
    if (!isRecord(entry) || !isRecord(entry.dist) || !isVersion(version)) continue;
    const { tarball } = entry.dist;
    const checksums = checksumsOf(entry.dist);
    if (typeof tarball !== 'string' || checksums.length === 0) continue;
    const file = fileNameOf(tarball);
    if (file === '' || file.length > 255 || file.includes('/')) continue;
    tarballs.push([version, { file: file.toLowerCase(), url: tarball, checksums }]);
    versions.push([version, { ...entry, dist: { ...entry.dist, tarball: tarballUrl(base, name, version, file) } }]);
  }
  const known = new Set(versions.map(([version]) => version));
  const given = Object.entries(isRecord(document['dist-tags']) ? document['dist-tags'] : {});
  const tags = Object.fromEntries(
    given.filter((entry): entry is [string, string] => typeof entry[1] === 'string' && known.has(entry[1])),
  );
  const rewritten = { ...document, 'dist-tags': tags, versions: Object.fromEntries(versions) };
  return { body: Buffer.from(JSON.stringify(rewritten)), properties: { tags, tarballs: Object.fromEntries(tarballs) } };
}
