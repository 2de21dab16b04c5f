import type { Readable } from 'node:stream';
import { BadRequest, NotFound, PreparedJson, type Actor, type QueryCache } from '@mortise/plugin-sdk';
import type { Account } from '@mortise/accounts/api';
import type { NewFile, Package, PackageFile, PackageStore, PackageVersion } from '@mortise/packages/api';
import { entriesOf, readNuspec, type NugetMetadata } from './nuspec.js';
import { symbolsOf } from './symbols.js';
import { compareVersions, isPrerelease, isSemver2, normalizedVersion } from './versions.js';

export const type = 'nuget';

/** A version of a package with what it says of itself. */
export interface Entry {
  readonly package: Package;
  readonly version: PackageVersion;
  readonly metadata: NugetMetadata;
  readonly size: number;
  readonly sha512: string;
}

interface FeedSearch {
  readonly text?: string;
  readonly prerelease: boolean;
  /** The client understands semver 2. */
  readonly semver2: boolean;
  readonly skip: number;
  readonly take: number;
}

/** A package that was found: its newest version, and all that the client may choose. */
export interface Found {
  readonly entry: Entry;
  readonly versions: readonly PackageVersionName[];
}
interface PackageVersionName {
  readonly id: number;
  readonly version: string;
}

const pageSize = 1000;

/** Packages of an owner as both feeds tell them. */
export class Feed {
  constructor(
    private readonly store: PackageStore,
    private readonly registrations: QueryCache<PreparedJson>,
  ) {}

  async push(owner: Account, actor: Actor, body: Readable, size: number | undefined): Promise<void> {
    const blob = await this.store.receive(type, body, actor, size);
    const { id, version, bytes, metadata } = await readNuspec(await entriesOf(this.store.random(blob)));
    const nuspec = await this.store.receive(type, bytes, actor);
    await this.store.publish({
      owner,
      actor,
      type,
      name: id,
      version,
      metadata: { ...metadata },
      files: [
        { name: `${id}.${version}.nupkg`.toLowerCase(), blob },
        { name: `${id}.nuspec`.toLowerCase(), blob: nuspec, isLead: false },
      ],
    });
  }

  /** Symbols join the version that they belong to. */
  async pushSymbols(owner: Account, actor: Actor, body: Readable, size: number | undefined): Promise<void> {
    const blob = await this.store.receive(type, body, actor, size);
    const entries = await entriesOf(this.store.random(blob));
    const { id, version } = await readNuspec(entries);
    const { package_ } = await this.needVersion(owner, id, version);
    const files = new Map<string, NewFile>();
    for await (const { name, key, content } of symbolsOf(entries)) {
      const received = await this.store.receive(type, content, actor, content.length);
      files.set(`${key}/${name}`, { name, blob: received, compositeKey: key, isLead: false });
    }
    await this.store.publish({
      owner,
      actor,
      type,
      name: package_.name,
      version,
      onVersion: 'join',
      files: [{ name: `${id}.${version}.snupkg`.toLowerCase(), blob, isLead: false }, ...files.values()],
    });
  }

  async need(owner: Account, id: string): Promise<Package> {
    const package_ = await this.store.find(owner.id, type, id);
    if (!package_) throw NotFound('package');
    return package_;
  }

  async needVersion(
    owner: Account,
    id: string,
    given: string,
  ): Promise<{ package_: Package; version: PackageVersion }> {
    const package_ = await this.need(owner, id);
    const version = await this.store.findVersion(package_.id, normalizedVersion(given) ?? given);
    if (!version) throw NotFound('package version');
    return { package_, version };
  }

  async file(owner: Account, id: string, version: string, name: string): Promise<PackageFile> {
    const release = await this.needVersion(owner, id, version);
    const file = await this.store.findFile(release.version.id, name);
    if (!file) throw NotFound('package file');
    return file;
  }

  /** By the id that debuggers ask by, in any version of any package of the owner. */
  async symbols(owner: Account, name: string, key: string): Promise<PackageFile> {
    if (!/^[0-9a-f]{40}$/i.test(key)) throw BadRequest('The id of the symbols is invalid.');
    const [found] = await this.store.filesUnder({
      ownerId: owner.id,
      type,
      compositeKeys: [key.toLowerCase()],
      name,
    });
    if (!found) throw NotFound('package file');
    return found.file;
  }

  async delete(owner: Account, actor: Actor, id: string, given: string): Promise<void> {
    const { package_, version } = await this.needVersion(owner, id, given);
    await this.store.deleteVersion(package_, version, actor);
  }

  async versionNames(owner: Account, id: string): Promise<readonly string[]> {
    const { id: packageId } = await this.need(owner, id);
    const names = (await this.store.versionNames([packageId])).get(packageId) ?? [];
    if (names.length === 0) throw NotFound('package');
    return names.map(({ version }) => version).sort(compareVersions);
  }

  async entry(owner: Account, id: string, given: string): Promise<Entry> {
    const { package_, version } = await this.needVersion(owner, id, given);
    return (await this.entries([[package_, version]]))[0]!;
  }

  /** All versions of a package, the lowest first. */
  async allOf(package_: Package): Promise<readonly Entry[]> {
    const versions = await this.store.versions(package_.id);
    return this.entries(
      versions.sort((a, b) => compareVersions(a.version, b.version)).map((version) => [package_, version]),
    );
  }

  /** All versions as one document; remembered while nothing was committed. */
  registration(
    package_: Package,
    baseUrl: string,
    make: (baseUrl: string, entries: readonly Entry[]) => object,
  ): Promise<PreparedJson> {
    return this.registrations.load(`${package_.id}:${baseUrl}`, async () => {
      const entries = await this.allOf(package_);
      if (entries.length === 0) throw NotFound('package');
      return new PreparedJson(make(baseUrl, entries));
    });
  }

  private async entries(list: readonly (readonly [Package, PackageVersion])[]): Promise<Entry[]> {
    const files = new Map<number, readonly PackageFile[]>();
    for (let at = 0; at < list.length; at += 500) {
      const ids = list.slice(at, at + 500).map(([, { id }]) => id);
      for (const [id, found] of await this.store.files(ids)) files.set(id, found);
    }
    return list.map(([package_, version]) => {
      const file = files.get(version.id)?.find(({ isLead }) => isLead);
      const metadata = version.metadata as unknown as NugetMetadata;
      return { package: package_, version, metadata, size: file?.size ?? 0, sha512: file?.sha512 ?? '' };
    });
  }

  /** Pre-releases only when they are asked for; a package of them alone is not found then. */
  async search(owner: Account, search: FeedSearch): Promise<{ total: number; found: readonly Found[] }> {
    const suits = ({ version }: PackageVersionName) =>
      (search.prerelease || !isPrerelease(version)) && (search.semver2 || !isSemver2(version));
    const candidates: { readonly package: Package; readonly versions: readonly PackageVersionName[] }[] = [];
    for (let offset = 0; ; offset += pageSize) {
      const { items } = await this.store.search({
        ownerId: owner.id,
        type,
        text: search.text,
        latest: true,
        limit: pageSize,
        offset,
      });
      const names = await this.store.versionNames(items.map((item) => item.package.id));
      for (const { package: package_ } of items) {
        const versions = (names.get(package_.id) ?? [])
          .filter(suits)
          .sort((a, b) => compareVersions(a.version, b.version));
        if (versions.length > 0) candidates.push({ package: package_, versions });
      }
      if (items.length < pageSize) break;
    }
    candidates.sort((a, b) => (a.package.lowerName < b.package.lowerName ? -1 : 1));
    const shown = candidates.slice(search.skip, search.skip + search.take);
    const newest = await this.store.versionsByIds(shown.map(({ versions }) => versions.at(-1)!.id));
    const pairs = shown.flatMap((one) => {
      const version = newest.get(one.versions.at(-1)!.id);
      return version ? [{ ...one, version }] : [];
    });
    const entries = await this.entries(pairs.map((one) => [one.package, one.version]));
    return {
      total: candidates.length,
      found: pairs.map(({ versions }, at) => ({ entry: entries[at]!, versions })),
    };
  }
}
