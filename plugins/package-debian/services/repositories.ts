import { createHash } from 'node:crypto';
import type { Readable } from 'node:stream';
import { BadRequest, NotFound, type Actor, type Site } from '@mortise/plugin-sdk';
import type { Account } from '@mortise/accounts/api';
import {
  brief,
  inPieces,
  buildChunkedIndex,
  chunkListFile,
  type IndexBuild,
  type IndexFile,
  type PackageFile,
  type PackageIndexes,
  type PackageStore,
  type PlacedFile,
  type SigningKeys,
} from '@mortise/packages/api';
import { readDeb } from './control.js';

export const type = 'debian';
export const property = 'debian.control';
const segment = /^[a-zA-Z0-9][a-zA-Z0-9.~+_-]{0,63}$/;

interface Place {
  readonly distribution: string;
  readonly component: string;
}

/** Sums of a Release file: their name there, and where the digest stands in a record. */
const sums = [
  ['MD5Sum', 'md5'],
  ['SHA1', 'sha1'],
  ['SHA256', 'sha256'],
  ['SHA512', 'sha512'],
] as const;
type Algorithm = (typeof sums)[number][1];

/** By the name in an address, whatever its letters. */
const algorithmOf = (name: string): Algorithm | undefined =>
  sums.find(([spelling]) => spelling.toLowerCase() === name.toLowerCase())?.[1];

const keyOf = ({ distribution, component }: Place) => `${distribution}|${component}`;
export const placeOf = (key: string): Place & { architecture: string } => {
  const [distribution = '', component = '', architecture = ''] = key.split('|');
  return { distribution, component, architecture };
};
const architectureOf = (fileName: string) => /_([^_]+)\.deb$/.exec(fileName)?.[1] ?? '';

interface RepositoryDeps {
  readonly packageStore: PackageStore;
  readonly packageIndexes: PackageIndexes;
  readonly signingKeys: SigningKeys;
  readonly site: Pick<Site, 'name'>;
}

/**
 * Distributions of components, with an index for each architecture and a signed Release over all (PKG-07). The part of an
 * index is `distribution|component|architecture`, that of a Release the distribution alone.
 */
export class DebianRepositories {
  constructor(private readonly deps: RepositoryDeps) {}

  async publish(owner: Account, actor: Actor, place: Place, body: Readable, size?: number): Promise<void> {
    const { packageStore: store } = this.deps;
    if (!segment.test(place.distribution) || !segment.test(place.component))
      throw BadRequest('invalid distribution or component');
    const blob = await store.receive(type, body, actor, size);
    const { name, version, architecture, stanza, ...metadata } = await readDeb(store, blob);
    await store.publish({
      owner,
      actor,
      type,
      name,
      version,
      metadata: brief(metadata),
      onVersion: 'join',
      files: [
        {
          name: `${name}_${version}_${architecture}.deb`,
          blob,
          compositeKey: keyOf(place),
          properties: { [property]: inPieces(stanza) },
        },
      ],
    });
  }

  async file(owner: Account, place: Place, name: string): Promise<PackageFile> {
    return (await this.placed(owner, place, name)).file;
  }

  private async placed(owner: Account, place: Place, name: string): Promise<PlacedFile> {
    const compositeKeys = [keyOf(place)];
    const [found] = await this.deps.packageStore.filesUnder({ ownerId: owner.id, type, compositeKeys, name });
    if (!found) throw NotFound('package file');
    return found;
  }

  async delete(owner: Account, actor: Actor, place: Place, name: string): Promise<void> {
    const file = await this.placed(owner, place, name);
    await this.deps.packageStore.deleteFile(file.package, file.version, file.file, actor);
  }

  /** A file of a distribution, or of an architecture of a component, with or without `binary-` before it. */
  async index(
    owner: Account,
    { distribution, component, architecture }: Partial<Place & { architecture: string }>,
    name: string,
  ) {
    const part = component
      ? `${keyOf({ distribution: distribution!, component })}|${architecture!.replace(/^binary-/, '')}`
      : distribution!;
    const index = await this.deps.packageIndexes.find(owner.id, type, part, name);
    if (!index || index.name !== name) throw NotFound('index');
    return index;
  }

  async byHash(owner: Account, algorithm: string, digest: string): Promise<PackageFile> {
    const kind = algorithmOf(algorithm);
    const index = kind && (await this.deps.packageIndexes.byDigest(owner.id, type, kind, digest));
    if (!index) throw NotFound('index');
    return index;
  }

  async key(owner: Account): Promise<string> {
    return (await this.deps.signingKeys.openPgp(owner, type)).publicKey;
  }

  partsOf(files: readonly PackageFile[]): readonly string[] {
    return files.map((file) => `${file.compositeKey}|${architectureOf(file.name)}`);
  }

  async build(build: IndexBuild): Promise<Record<string, readonly IndexFile[]>> {
    const { owner, parts, current } = build;
    const made: Record<string, readonly IndexFile[]> = {};
    for (const part of parts.filter((one) => one.includes('|'))) made[part] = await this.listing(build, part);
    for (const distribution of new Set(parts.map((part) => placeOf(part).distribution)))
      made[distribution] = await this.release(owner, distribution, made, current);
    return made;
  }

  private listing(build: IndexBuild, part: string): Promise<readonly IndexFile[]> {
    const { packageStore: store } = this.deps;
    const place = placeOf(part);
    const under = { ownerId: build.owner.id, type, compositeKeys: [keyOf(place)] };
    return buildChunkedIndex(build, store, {
      part,
      changed: build.changed.get(part),
      files: [
        { name: 'Packages', packing: 'none' },
        { name: 'Packages.gz', packing: 'gzip' },
        { name: 'Packages.xz', packing: 'xz' },
      ],
      all: () => store.packagesUnder(under),
      keysOf: async (ids) => new Map([...(await store.byIds(ids))].map(([id, { lowerName }]) => [id, lowerName])),
      textsOf: async (packageIds) => {
        const texts = new Map<number, string[]>();
        for (const one of await store.filesUnder({ ...under, packageIds, property })) {
          if (architectureOf(one.file.name) !== place.architecture) continue;
          const { id } = one.package;
          const known = texts.get(id);
          if (known) known.push(stanzaOf(place, one));
          else texts.set(id, [stanzaOf(place, one)]);
        }
        return new Map(
          [...texts].map(([id, stanzas]) => [id, { entries: stanzas.length, texts: [Buffer.from(stanzas.join(''))] }]),
        );
      },
    });
  }

  private async release(
    owner: Account,
    distribution: string,
    made: Readonly<Record<string, readonly IndexFile[]>>,
    current: IndexBuild['current'],
  ): Promise<readonly IndexFile[]> {
    const stays = [...current].filter(([part]) => !Object.hasOwn(made, part));
    const files = [...stays, ...Object.entries(made)]
      .filter(([part, { length }]) => length > 0 && part.startsWith(`${distribution}|`))
      .sort(([left], [right]) => (left < right ? -1 : 1))
      .flatMap(([part, list]) => {
        const { component, architecture } = placeOf(part);
        return list
          .filter(({ name }) => name !== chunkListFile)
          .map((file) => fileDigests(`${component}/binary-${architecture}/${file.name}`, file));
      });
    if (files.length === 0) return [];
    const places = [...stays, ...Object.entries(made)]
      .filter(([part, { length }]) => length > 0 && part.startsWith(`${distribution}|`))
      .map(([part]) => placeOf(part));
    const words = (list: readonly string[]) => [...new Set(list)].sort().join(' ');
    const name = this.deps.site.name.replace(/\s+/g, ' ').trim() || 'Mortise';
    const text = [
      `Origin: ${name}`,
      `Label: ${name}`,
      `Suite: ${distribution}`,
      `Codename: ${distribution}`,
      `Components: ${words(places.map(({ component }) => component))}`,
      `Architectures: ${words(places.map(({ architecture }) => architecture))}`,
      `Date: ${new Date().toUTCString().replace('GMT', 'UTC')}`,
      'Acquire-By-Hash: yes',
      ...sums.flatMap(([kind, algorithm]) => [
        `${kind}:`,
        ...files.map((file) => ` ${file[algorithm]} ${file.size} ${file.path}`),
      ]),
      '',
    ].join('\n');
    const content = Buffer.from(text);
    const key = await this.deps.signingKeys.openPgp(owner, type);
    return [
      { name: 'Release', content },
      { name: 'Release.gpg', content: Buffer.from(await key.sign(content, 'armored')) },
      { name: 'InRelease', content: Buffer.from(await key.signClear(text)) },
    ];
  }
}

type FileDigests = Readonly<Record<Algorithm, string>> & { readonly path: string; readonly size: number };

/** A file with its sums, whether it was made just now or stays as it is. */
function fileDigests(path: string, file: IndexFile | PackageFile): FileDigests {
  const from = 'sha256' in file ? file : file.content;
  if (!Buffer.isBuffer(from)) {
    const { size, md5, sha1, sha256, sha512 } = from;
    return { path, size, md5, sha1, sha256, sha512 };
  }
  const sum = (algorithm: Algorithm) => createHash(algorithm).update(from).digest('hex');
  const [md5, sha1, sha256, sha512] = sums.map(([, algorithm]) => sum(algorithm)) as [string, string, string, string];
  return { path, size: from.length, md5, sha1, sha256, sha512 };
}

/** A package as the index has it, with the empty line behind it. */
const stanzaOf = (place: Place, { file, value }: PlacedFile): string =>
  [
    value.trimEnd(),
    `Filename: pool/${place.distribution}/${place.component}/${file.name}`,
    `Size: ${file.size}`,
    `MD5sum: ${file.md5}`,
    `SHA1: ${file.sha1}`,
    `SHA256: ${file.sha256}`,
    `SHA512: ${file.sha512}`,
    '\n',
  ].join('\n');
