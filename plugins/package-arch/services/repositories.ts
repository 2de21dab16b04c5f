import type { Readable } from 'node:stream';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { BadRequest, Conflict, NotFound, type Actor, type Locks } from '@mortise/plugin-sdk';
import type { Account } from '@mortise/accounts/api';
import {
  inPieces,
  tarOf,
  type IndexBuild,
  type IndexFile,
  type PackageFile,
  type PackageIndexes,
  type PackageStore,
  type PlacedFile,
  type SigningKeys,
} from '@mortise/packages/api';
import { readArchPackage, type ArchInfo } from './package-info.js';
import { compareVersions } from './versions.js';

export const type = 'arch';
const property = 'arch.info';
const signatureProperty = 'arch.signature';
const databaseName = 'packages.db';
const anyArchitecture = 'any';
const repositoryPattern = /^[A-Za-z0-9][A-Za-z0-9._+~-]*(?:\/[A-Za-z0-9][A-Za-z0-9._+~-]*)*$/;
const maxRepository = 120;
const pack = promisify(gzip);

export interface Place {
  /** May be empty, and may have slashes. */
  readonly repository: string;
  readonly architecture: string;
}

const partOf = ({ repository, architecture }: Place) => `${repository}|${architecture}`;
export const placeOf = (part: string): Place => {
  const [repository = '', architecture = ''] = part.split('|');
  return { repository, architecture };
};

export interface RepositoryParts {
  readonly packageStore: PackageStore;
  readonly packageIndexes: PackageIndexes;
  readonly signingKeys: SigningKeys;
  readonly locks: Locks;
}

/** Repositories with a signed database for each architecture (PKG-14). */
export class ArchRepositories {
  constructor(private readonly parts: RepositoryParts) {}

  async publish(owner: Account, actor: Actor, repository: string, body: Readable, size?: number): Promise<void> {
    const { packageStore: store, signingKeys, locks } = this.parts;
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
    const some = (list: string) => (lists[list] ?? []).slice(0, 200).map((text) => text.slice(0, 300));
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
        metadata: {
          description: description.slice(0, 20_000),
          homepage,
          packager,
          licenses: some('license'),
          dependencies: some('depend'),
        },
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
    const { packageStore: store } = this.parts;
    const package_ = await store.find(owner.id, type, name);
    const found = package_ && (await store.findVersion(package_.id, version));
    if (!found) return undefined;
    const start = `${name}-${version}-${place.architecture}.pkg.tar.`.toLowerCase();
    const files = (await store.files([found.id])).get(found.id) ?? [];
    const file = files.find((one) => one.compositeKey === partOf(place) && one.lowerName.startsWith(start));
    return file && { package: package_, version: found, file };
  }

  async delete(owner: Account, actor: Actor, place: Place, name: string, version: string): Promise<void> {
    const found = await this.built(owner, place, name, version);
    if (!found) throw NotFound('package file');
    await this.parts.packageStore.deleteFile(found.package, found.version, found.file, actor);
  }

  /** Of that architecture, or of all. */
  async file(owner: Account, place: Place, name: string): Promise<PackageFile> {
    const find = async (at: Place) =>
      (await this.parts.packageStore.filesUnder({ ownerId: owner.id, type, compositeKeys: [partOf(at)], name }))[0];
    const found = (await find(place)) ?? (await find({ ...place, architecture: anyArchitecture }));
    if (!found) throw NotFound('package file');
    return found.file;
  }

  async signature(owner: Account, place: Place, name: string): Promise<Buffer> {
    const { id } = await this.file(owner, place, name);
    const [value] = (await this.parts.packageStore.properties('file', [id], signatureProperty)).get(id) ?? [];
    return Buffer.from(value?.value ?? '', 'base64');
  }

  /** pacman asks by the name of its section, and for the list of files: one database serves all. */
  async database(owner: Account, place: Place, signed: boolean): Promise<PackageFile> {
    const find = (at: Place) =>
      this.parts.packageIndexes.find(owner.id, type, partOf(at), signed ? `${databaseName}.sig` : databaseName);
    const found = (await find(place)) ?? (await find({ ...place, architecture: anyArchitecture }));
    if (!found) throw NotFound('database');
    return found;
  }

  async key(owner: Account): Promise<string> {
    return (await this.parts.signingKeys.openPgp(owner, type)).publicKey;
  }

  /** Packages for all architectures stand in the database of each. */
  async build({ owner, parts, current }: IndexBuild): Promise<Record<string, readonly IndexFile[]>> {
    const wanted = new Set(parts);
    for (const { repository, architecture } of parts.map(placeOf))
      if (architecture === anyArchitecture)
        for (const part of current.keys()) if (placeOf(part).repository === repository) wanted.add(part);
    const made: Record<string, readonly IndexFile[]> = {};
    for (const part of wanted) made[part] = await this.files(owner, part);
    return made;
  }

  private async files(owner: Account, part: string): Promise<readonly IndexFile[]> {
    const place = placeOf(part);
    const { packageStore: store, signingKeys } = this.parts;
    const compositeKeys = [part, partOf({ ...place, architecture: anyArchitecture })];
    const all = await store.filesUnder({ ownerId: owner.id, type, compositeKeys });
    // without one of its own, an architecture is told the database of all
    if (!all.some(({ file }) => file.compositeKey === part)) return [];
    const newest = newestOf(all);
    const ids = newest.map(({ file }) => file.id);
    const entries: { name: string; content: string; mode: number }[] = [];
    for (let at = 0; at < ids.length; at += 500) {
      const values = await store.properties('file', ids.slice(at, at + 500));
      for (const one of newest.slice(at, at + 500)) {
        const own = values.get(one.file.id) ?? [];
        const textOf = (name: string) => own.map((value) => (value.name === name ? value.value : '')).join('');
        const info = JSON.parse(textOf(property)) as ArchInfo;
        const folder = `${info.name}-${info.version}`;
        entries.push({ name: `${folder}/desc`, content: desc(one, info, textOf(signatureProperty)), mode: 0o777 });
        entries.push({ name: `${folder}/files`, content: field('FILES', info.files), mode: 0o777 });
      }
    }
    const content = await pack(tarOf(entries));
    const signature = await (await signingKeys.openPgp(owner, type)).sign(content, 'binary');
    return [
      { name: databaseName, content },
      { name: `${databaseName}.sig`, content: signature },
    ];
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
  const told = values.filter((value) => value !== '');
  return told.length > 0 ? `%${key}%\n${told.join('\n')}\n\n` : '';
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
