import type { Readable } from 'node:stream';
import { BadRequest, Conflict, NotFound, type Actor, type Locks } from '@mortise/plugin-sdk';
import type { Account } from '@mortise/accounts/api';
import {
  brief,
  buildWithIncluded,
  inPieces,
  buildChunkedIndex,
  tarOf,
  type IndexBuild,
  type IndexFile,
  type PackageFile,
  type PackageIndexes,
  type PackageStore,
  type PackageEntries,
  type PlacedFile,
  type SigningKeys,
} from '@mortise/packages/api';
import { readArchPackage, type ArchInfo } from './package-info.js';
import { compareVersions } from './versions.js';

export const type = 'arch';
export const property = 'arch.info';
export const signatureProperty = 'arch.signature';
const databaseName = 'packages.db';
const anyArchitecture = 'any';
const repositoryPattern = /^[A-Za-z0-9][A-Za-z0-9._+~-]*(?:\/[A-Za-z0-9][A-Za-z0-9._+~-]*)*$/;
const maxRepository = 120;

interface Place {
  /** May be empty, and may have slashes. */
  readonly repository: string;
  readonly architecture: string;
}

const partOf = ({ repository, architecture }: Place) => `${repository}|${architecture}`;
export const placeOf = (part: string): Place => {
  const [repository = '', architecture = ''] = part.split('|');
  return { repository, architecture };
};

interface RepositoryDeps {
  readonly packageStore: PackageStore;
  readonly packageIndexes: PackageIndexes;
  readonly signingKeys: SigningKeys;
  readonly locks: Locks;
}

/** Repositories with a signed database for each architecture (PKG-14). */
export class ArchRepositories {
  constructor(private readonly deps: RepositoryDeps) {}

  async publish(owner: Account, actor: Actor, repository: string, body: Readable, size?: number): Promise<void> {
    const { packageStore: store, signingKeys, locks } = this.deps;
    if (repository !== '' && (!repositoryPattern.test(repository) || repository.length > maxRepository))
      throw BadRequest('invalid repository');
    const blob = await store.receive(type, body, actor, size);
    const { info, suffix } = await readArchPackage(store, blob);
    const { name, version, architecture } = info;
    const key = await signingKeys.openPgp(owner, type);
    const signature = await key.sign(await store.open(blob), 'binary');
    const compositeKey = partOf({ repository, architecture });
    const stem = `${name}-${version}-${architecture}`;
    const { description, url: homepage, packager, lists } = info;
    await locks.hold(`package-arch.publish.${owner.id}.${stem.toLowerCase()}`, async () => {
      // the same in another packing is the same
      if (await this.built(owner, { repository, architecture }, name, version))
        throw Conflict('package file already exists');
      await store.publish({
        owner,
        actor,
        type,
        name,
        version,
        metadata: brief({
          description,
          homepage,
          packager,
          licenses: lists.license ?? [],
          dependencies: lists.depend ?? [],
        }),
        onVersion: 'join',
        files: [
          {
            name: `${stem}.pkg.tar.${suffix}`,
            blob,
            compositeKey,
            properties: {
              [property]: inPieces(JSON.stringify(info)),
              [signatureProperty]: signature.toString('base64'),
            },
          },
        ],
      });
    });
  }

  /** The file of a version for this very architecture, whatever its packing. */
  private async built(owner: Account, place: Place, name: string, version: string) {
    const { packageStore: store } = this.deps;
    const package_ = await store.find(owner.id, type, name);
    const packageVersion = package_ && (await store.findVersion(package_.id, version));
    if (!packageVersion) return undefined;
    const start = `${name}-${version}-${place.architecture}.pkg.tar.`.toLowerCase();
    const files = (await store.files([packageVersion.id])).get(packageVersion.id) ?? [];
    const file = files.find((one) => one.compositeKey === partOf(place) && one.lowerName.startsWith(start));
    return file && { package: package_, version: packageVersion, file };
  }

  async delete(owner: Account, actor: Actor, place: Place, name: string, version: string): Promise<void> {
    const file = await this.built(owner, place, name, version);
    if (!file) throw NotFound('package file');
    await this.deps.packageStore.deleteFile(file.package, file.version, file.file, actor);
  }

  /** Of that architecture, or of all. */
  async file(owner: Account, place: Place, name: string): Promise<PackageFile> {
    const find = async (at: Place) =>
      (await this.deps.packageStore.filesUnder({ ownerId: owner.id, type, compositeKeys: [partOf(at)], name }))[0];
    const match = (await find(place)) ?? (await find({ ...place, architecture: anyArchitecture }));
    if (!match) throw NotFound('package file');
    return match.file;
  }

  async signature(owner: Account, place: Place, name: string): Promise<Buffer> {
    const { id } = await this.file(owner, place, name);
    const [value] = (await this.deps.packageStore.properties('file', [id], signatureProperty)).get(id) ?? [];
    return Buffer.from(value?.value ?? '', 'base64');
  }

  /** pacman asks by the name of its section, and for the list of files: one database serves all. */
  async database(owner: Account, place: Place, signed: boolean): Promise<PackageFile> {
    const find = (at: Place) =>
      this.deps.packageIndexes.find(owner.id, type, partOf(at), signed ? `${databaseName}.sig` : databaseName);
    const index = (await find(place)) ?? (await find({ ...place, architecture: anyArchitecture }));
    if (!index) throw NotFound('database');
    return index;
  }

  async key(owner: Account): Promise<string> {
    return (await this.deps.signingKeys.openPgp(owner, type)).publicKey;
  }

  /** Packages for all architectures stand in the database of each. */
  build(build: IndexBuild): Promise<Record<string, readonly IndexFile[]>> {
    return buildWithIncluded(
      build,
      (part, general) => {
        const { repository, architecture } = placeOf(general);
        return architecture === anyArchitecture && placeOf(part).repository === repository;
      },
      (part, packageIds) => this.files(build, part, packageIds),
    );
  }

  private async files(build: IndexBuild, part: string, changed?: readonly number[]): Promise<readonly IndexFile[]> {
    const place = placeOf(part);
    const { owner } = build;
    const { packageStore: store, signingKeys } = this.deps;
    // an architecture without its own database gets the database of all
    if (!(await store.hasUnder({ ownerId: owner.id, type, compositeKeys: [part] }))) return [];
    const compositeKeys = [part, partOf({ ...place, architecture: anyArchitecture })];
    const under = { ownerId: owner.id, type, compositeKeys };
    const files = await buildChunkedIndex(build, store, {
      part,
      changed,
      files: [{ name: databaseName, packing: 'gzip' }],
      all: () => store.packagesUnder(under),
      textsOf: async (packageIds) => this.entriesOf(await store.filesUnder({ ...under, packageIds })),
      frame: async () => ({ end: await tarOf([]) }),
    });
    const database = files[0]?.content;
    if (!database || Buffer.isBuffer(database)) return [];
    const key = await signingKeys.openPgp(owner, type);
    const signature = await key.sign(await store.open(database), 'binary');
    return [...files, { name: `${databaseName}.sig`, content: signature }];
  }

  /** What the database has of each package, by its id. */
  private async entriesOf(all: readonly PlacedFile[]): Promise<ReadonlyMap<number, PackageEntries>> {
    const newest = newestOf(all);
    const values = await this.deps.packageStore.properties(
      'file',
      newest.map(({ file }) => file.id),
    );
    const texts = await Promise.all(
      newest.map(async (one) => {
        const own = values.get(one.file.id) ?? [];
        const textOf = (name: string) => own.map((value) => (value.name === name ? value.value : '')).join('');
        const info = JSON.parse(textOf(property)) as ArchInfo;
        const folder = `${info.name}-${info.version}`;
        const entries = [
          { name: `${folder}/desc`, content: desc(one, info, textOf(signatureProperty)), mode: 0o777 },
          { name: `${folder}/files`, content: field('FILES', info.files), mode: 0o777 },
        ];
        return [one.package.id, { entries: 1, texts: [await tarOf(entries, { end: false })] }] as const;
      }),
    );
    return new Map(texts);
  }
}

/** One version of each package: pacman knows no other. */
function newestOf(all: readonly PlacedFile[]): readonly PlacedFile[] {
  const newest = new Map<number, PlacedFile>();
  for (const one of all) {
    const before = newest.get(one.package.id);
    if (!before || compareVersions(before.version.version, one.version.version) < 0) newest.set(one.package.id, one);
  }
  return [...newest.values()];
}

const field = (key: string, values: readonly (string | number)[]): string => {
  const present = values.filter((value) => value !== '');
  return present.length > 0 ? `%${key}%\n${present.join('\n')}\n\n` : '';
};

function desc({ file }: PlacedFile, info: ArchInfo, signature: string): string {
  const list = (key: string) => info.lists[key] ?? [];
  return [
    field('FILENAME', [file.name]),
    field('MD5SUM', [file.md5]),
    field('SHA256SUM', [file.sha256]),
    field('PGPSIG', [signature]),
    field('CSIZE', [file.size]),
    field('ISIZE', [info.installedSize]),
    field('NAME', [info.name]),
    field('BASE', [info.base]),
    field('ARCH', [info.architecture]),
    field('VERSION', [info.version]),
    field('DESC', [info.description]),
    field('URL', [info.url]),
    field('LICENSE', list('license')),
    field('GROUPS', list('group')),
    field('BUILDDATE', [info.buildDate]),
    field('PACKAGER', [info.packager]),
    field('PROVIDES', list('provides')),
    field('REPLACES', list('replaces')),
    field('CONFLICTS', list('conflict')),
    field('DEPENDS', list('depend')),
    field('OPTDEPENDS', list('optdepend')),
    field('MAKEDEPENDS', list('makedepend')),
    field('CHECKDEPENDS', list('checkdepend')),
  ].join('');
}
