import { createHash } from 'node:crypto';
import type { Readable } from 'node:stream';
import { gzipSync } from 'node:zlib';
import { BadRequest, NotFound, type Actor, type QueryCache } from '@mortise/plugin-sdk';
import type { Account } from '@mortise/accounts/api';
import { brief, inPieces, type PackageFile, type PackageStore, type PlacedFile } from '@mortise/packages/api';
import { compareVersions, readPackage, type CranInfo } from './description.js';

export const type = 'cran';
export const property = 'cran.info';
const platformPattern = /^[A-Za-z0-9][\w.+-]*(?:\/[A-Za-z0-9][\w.+-]*)*$/;
const rVersionPattern = /^\d{1,4}(?:\.\d{1,4}){0,3}$/;

/** Binaries are for a platform and a version of R; sources have none. */
export interface Binary {
  readonly platform: string;
  readonly rVersion: string;
}

export interface Listing {
  readonly text: string;
  readonly packed: Buffer;
  readonly tag: string;
}

export const compositeKeyOf = (binary?: Binary) => (binary ? `bin|${binary.platform}|${binary.rVersion}` : 'src');
export const binaryOf = (compositeKey: string): Binary | undefined => {
  const [kind, platform = '', rVersion = ''] = compositeKey.split('|');
  return kind === 'bin' ? { platform, rVersion } : undefined;
};

/** Sources and binaries, with a listing for each kind (PKG-10). */
export class CranRepositories {
  constructor(
    private readonly store: PackageStore,
    private readonly listings: QueryCache<Listing>,
  ) {}

  async publish(owner: Account, actor: Actor, body: Readable, size?: number, binary?: Binary): Promise<void> {
    if (binary && (!platformPattern.test(binary.platform) || binary.platform.length > 100))
      throw BadRequest('platform is missing or invalid');
    if (binary && !rVersionPattern.test(binary.rVersion)) throw BadRequest('rversion is missing or invalid');
    const blob = await this.store.receive(type, body, actor, size);
    const { info, container } = await readPackage(this.store, blob);
    const packed = binary && /^mac/i.test(binary.platform) ? '.tgz' : '.tar.gz';
    await this.store.publish({
      owner,
      actor,
      type,
      name: info.name,
      version: info.version,
      metadata: brief({ ...info }),
      onVersion: 'join',
      files: [
        {
          name: `${info.name}_${info.version}${container === 'zip' ? '.zip' : packed}`,
          blob,
          compositeKey: compositeKeyOf(binary),
          properties: { [property]: inPieces(JSON.stringify(info)) },
        },
      ],
    });
  }

  /** Both endings of a packed tar mean the same file. */
  async file(owner: Account, name: string, binary?: Binary): Promise<PackageFile> {
    const other = name.endsWith('.tgz') ? name.replace(/\.tgz$/, '.tar.gz') : name.replace(/\.tar\.gz$/, '.tgz');
    for (const one of new Set([name, other])) {
      const compositeKeys = [compositeKeyOf(binary)];
      const [found] = await this.store.filesUnder({ ownerId: owner.id, type, compositeKeys, name: one });
      if (found) return found.file;
    }
    throw NotFound('package file');
  }

  /** The highest version of each package that has such a file; remembered while nothing was committed. */
  async listing(owner: Account, binary?: Binary): Promise<Listing> {
    const key = compositeKeyOf(binary);
    const listing = await this.listings.load(`${owner.id}/${key}`, async () => {
      const files = await this.store.filesUnder({ ownerId: owner.id, type, compositeKeys: [key], property });
      const highest = new Map<number, PlacedFile>();
      for (const one of files) {
        const before = highest.get(one.package.id);
        if (!before || compareVersions(before.version.version, one.version.version) < 0)
          highest.set(one.package.id, one);
      }
      const text = [...highest.values()].map(stanza).join('\n');
      return { text, packed: gzipSync(text), tag: createHash('sha256').update(text).digest('hex').slice(0, 40) };
    });
    if (!listing.text) throw NotFound('listing');
    return listing;
  }
}

function stanza({ file, value }: PlacedFile): string {
  const info = JSON.parse(value) as CranInfo;
  const fields: readonly (readonly [string, string])[] = [
    ['Package', info.name],
    ['Version', info.version],
    ['License', info.license],
    ['Depends', info.depends],
    ['Imports', info.imports],
    ['LinkingTo', info.linkingTo],
    ['Suggests', info.suggests],
    ['NeedsCompilation', info.needsCompilation ? 'yes' : 'no'],
    ['MD5sum', file.md5],
  ];
  return fields.flatMap(([key, text]) => (text ? [`${key}: ${text}\n`] : [])).join('');
}
