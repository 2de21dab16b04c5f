import type { Readable } from 'node:stream';
import {
  BadRequest,
  Conflict,
  Forbidden,
  NotFound,
  type Actor,
  type Database,
  type FreshCache,
  type Site,
} from '@mortise/plugin-sdk';
import type { Account, Accounts } from '@mortise/accounts/api';
import type { Package, PackageFile, PackageStore, PackageVersion, ReceivedBlob } from '@mortise/packages/api';
import type { Repositories, RepositoryAccess } from '@mortise/repositories/api';
import type { PublishDocument } from './document-reader.js';
import { abbreviated, digest, packument } from './packument.js';
import { checkTag, isRecord, readPublication, repositoryPath, type Json } from './publication.js';

export interface RegistryParts {
  readonly database: Database;
  readonly store: PackageStore;
  readonly accounts: Accounts;
  readonly repositories: Repositories;
  readonly repositoryAccess: RepositoryAccess;
  readonly site: Site;
  readonly documents: FreshCache<Document>;
}

export interface Document {
  readonly text: string;
  readonly tag: string;
}

const type = 'npm';
const tagProperty = 'npm.tag';
const starProperty = 'npm.star';

/** What the npm protocol does with the shared store (PKG-13). */
export class Registry {
  constructor(private readonly parts: RegistryParts) {}

  async need(owner: Account, name: string): Promise<Package> {
    const found = await this.parts.store.find(owner.id, type, name);
    if (!found) throw NotFound('package');
    return found;
  }

  /** The document of a package as text, remembered while nothing was committed. */
  document(owner: Account, package_: Package, baseUrl: string, short: boolean): Promise<Document> {
    return this.parts.documents.load(`${package_.id}:${short ? 'short' : 'full'}:${baseUrl}`, async () => {
      const { store, accounts } = this.parts;
      const versions = await store.versions(package_.id);
      if (versions.length === 0) throw NotFound('package');
      const files = await store.files(versions.map((version) => version.id));
      const publishers = await accounts.byIds([...new Set(versions.map((version) => version.creatorId))]);
      const maintainers = [...publishers.values()].map((account) => ({
        name: account.name,
        email: accounts.commitEmail(account),
      }));
      const parts = {
        name: package_.name,
        versions,
        files,
        tags: await this.tagsOf(versions),
        stars: await this.stars(package_),
        maintainers,
        baseUrl,
      };
      const text = JSON.stringify(short ? abbreviated(parts) : packument(parts));
      return { text, tag: digest(text).slice(0, 40) };
    });
  }

  // ---------------------------------------------------------------- publishing

  /** Stores a tarball before it is known what it belongs to; forgotten ones are swept. */
  receive(content: Readable, actor: Actor): Promise<ReceivedBlob> {
    return this.parts.store.receive(type, content, actor);
  }

  async publish(
    owner: Account,
    name: string,
    { document, attachment }: PublishDocument<ReceivedBlob>,
    actor: Actor,
  ): Promise<void> {
    const publication = readPublication(document, attachment, name);
    const { store } = this.parts;
    const before = await store.find(owner.id, type, name);
    if (before && (await store.findVersion(before.id, publication.version)))
      throw Conflict('the package version already exists');
    const repositoryId = await this.linkFor(owner, publication.manifest, actor);
    await store.publish({
      owner,
      actor,
      type,
      name,
      version: publication.version,
      metadata: publication.manifest,
      files: [{ name: publication.fileName, blob: publication.blob }],
      ...(repositoryId ? { repositoryId } : {}),
      within: async ({ package: package_, version }) => {
        for (const tag of publication.tags) await this.moveTag(package_, version, tag);
      },
    });
  }

  /** A manifest that names a repository of the same owner links the package to it (reference: 8.3). */
  private async linkFor(owner: Account, manifest: Json, actor: Actor): Promise<number> {
    const path = repositoryPath(manifest, new URL(this.parts.site.rootUrl).host);
    if (!path || path.owner.toLowerCase() !== owner.lowerName) return 0;
    const repository = await this.parts.repositories.byPath(path.owner, path.name);
    if (!repository) return 0;
    const context = await this.parts.repositoryAccess.context(actor, repository);
    if (!context.may('write', 'packages')) throw Forbidden('You do not have permission to publish this package.');
    return repository.id;
  }

  /** `npm deprecate`: the whole document without attachments; an empty text takes the mark away. */
  async deprecate(package_: Package, versions: Json): Promise<void> {
    const { database, store } = this.parts;
    await database.write(async () => {
      for (const version of await store.versions(package_.id)) {
        const given = versions[version.version];
        if (!isRecord(given)) continue;
        const text =
          typeof given.deprecated === 'string'
            ? given.deprecated.slice(0, 4096)
            : given.deprecated === true
              ? 'deprecated'
              : '';
        if (text === (version.metadata.deprecated ?? '')) continue;
        const { deprecated: _before, ...rest } = version.metadata;
        await store.setMetadata(version.id, text ? { ...rest, deprecated: text } : rest);
      }
    });
  }

  async findFile(
    package_: Package,
    file: string,
    versionText?: string,
  ): Promise<{ version: PackageVersion; file: PackageFile }> {
    const { store } = this.parts;
    const versions =
      versionText === undefined
        ? await store.versions(package_.id)
        : [await store.findVersion(package_.id, versionText)];
    const present = versions.filter((version) => version !== undefined);
    const files = await store.files(present.map((version) => version.id));
    for (const version of present) {
      const found = files.get(version.id)?.find((one) => one.lowerName === file.toLowerCase());
      if (found) return { version, file: found };
    }
    throw NotFound('file');
  }

  // ---------------------------------------------------------------- tags

  latest(packages: readonly Package[]): Promise<Map<number, PackageVersion>> {
    return this.parts.store.versionsWith(
      packages.map(({ id }) => id),
      tagProperty,
      'latest',
    );
  }

  async tags(package_: Package): Promise<Record<string, string>> {
    return this.tagsOf(await this.parts.store.versions(package_.id));
  }

  private async tagsOf(versions: readonly PackageVersion[]): Promise<Record<string, string>> {
    const found = await this.parts.store.properties(
      'version',
      versions.map((version) => version.id),
      tagProperty,
    );
    return Object.fromEntries(
      versions.flatMap((version) => (found.get(version.id) ?? []).map(({ value }) => [value, version.version])),
    );
  }

  async setTag(package_: Package, tag: string, versionText: unknown): Promise<void> {
    checkTag(tag);
    if (typeof versionText !== 'string' || versionText.trim() === '') throw BadRequest('The dist-tag needs a version.');
    const version = await this.parts.store.findVersion(package_.id, versionText.trim());
    if (!version) throw NotFound('package version');
    await this.parts.database.write(() => this.moveTag(package_, version, tag));
  }

  async removeTag(package_: Package, tag: string): Promise<void> {
    checkTag(tag);
    await this.parts.database.write(() => this.moveTag(package_, undefined, tag));
  }

  /** `npm unpublish` and `npm owner` send the document back: its tags count, as far as their versions exist. */
  async replaceTags(package_: Package, tags: unknown): Promise<void> {
    if (!isRecord(tags)) return;
    await this.parts.database.write(async () => {
      const versions = new Map(
        (await this.parts.store.versions(package_.id)).map((version) => [version.version, version]),
      );
      for (const tag of Object.keys(await this.tags(package_)))
        if (!(tag in tags)) await this.moveTag(package_, undefined, tag);
      for (const [tag, versionText] of Object.entries(tags)) {
        const version = versions.get(String(versionText));
        if (!version) continue;
        checkTag(tag);
        await this.moveTag(package_, version, tag);
      }
    });
  }

  /** A tag names one version of the package. */
  private async moveTag(package_: Package, to: PackageVersion | undefined, tag: string): Promise<void> {
    const { store } = this.parts;
    const ids = (await store.versions(package_.id)).map((version) => version.id);
    const present = await store.properties('version', ids, tagProperty);
    for (const id of ids) {
      const values = (present.get(id) ?? []).map(({ value }) => value);
      const wanted = [...values.filter((value) => value !== tag), ...(to?.id === id ? [tag] : [])];
      if (wanted.length !== values.length || (to?.id === id && !values.includes(tag)))
        await store.setProperty('version', id, tagProperty, wanted);
    }
  }

  // ---------------------------------------------------------------- stars

  async stars(package_: Package): Promise<string[]> {
    const found = await this.parts.store.properties('package', [package_.id], starProperty);
    return (found.get(package_.id) ?? []).map(({ value }) => value);
  }

  async star(package_: Package, users: Json, actor: Actor): Promise<void> {
    await this.parts.database.write(async () => {
      const others = (await this.stars(package_)).filter((name) => name !== actor.name);
      await this.parts.store.setProperty(
        'package',
        package_.id,
        starProperty,
        users[actor.name] ? [...others, actor.name] : others,
      );
    });
  }

  async starredBy(owner: Account, name: string): Promise<string[]> {
    const { items } = await this.parts.store.search({ ownerId: owner.id, type, latest: true, limit: 1000, offset: 0 });
    const stars = await this.parts.store.properties(
      'package',
      items.map((item) => item.package.id),
      starProperty,
    );
    return items
      .filter((item) => stars.get(item.package.id)?.some(({ value }) => value === name))
      .map((item) => item.package.name);
  }

  // ---------------------------------------------------------------- search

  async search(owner: Account, query: Readonly<Record<string, string | undefined>>, baseUrl: string): Promise<Json> {
    const number = (text: string | undefined, fallback: number) =>
      text && /^\d+$/.test(text) ? Number(text) : fallback;
    const limit = Math.min(50, Math.max(1, number(query.size, 30)));
    const { items, total } = await this.parts.store.search({
      ownerId: owner.id,
      type,
      text: query.text,
      latest: true,
      metadata: true,
      limit,
      offset: number(query.from, 0),
    });
    const publishers = await this.parts.accounts.byIds([...new Set(items.map((item) => item.version.creatorId))]);
    return {
      objects: items.map(({ package: package_, version }) => {
        const manifest = version.metadata;
        const publisher = publishers.get(version.creatorId);
        const person = publisher
          ? { username: publisher.name, name: publisher.name, email: this.parts.accounts.commitEmail(publisher) }
          : { username: 'ghost', name: 'ghost', email: '' };
        return {
          package: {
            scope: package_.name.startsWith('@') ? package_.name.slice(1, package_.name.indexOf('/')) : 'unscoped',
            name: package_.name,
            version: version.version,
            date: new Date(version.createdAt).toISOString(),
            description: manifest.description ?? '',
            author: isRecord(manifest.author)
              ? manifest.author
              : manifest.author
                ? { name: manifest.author }
                : undefined,
            publisher: person,
            maintainers: [person],
            keywords: Array.isArray(manifest.keywords) ? manifest.keywords : [],
            links: {
              npm: `${baseUrl}/${encodeURIComponent(package_.name)}`,
              ...(manifest.homepage ? { homepage: manifest.homepage } : {}),
            },
          },
          score: { final: 1, detail: { quality: 1, popularity: 1, maintenance: 1 } },
          searchScore: 1,
        };
      }),
      total,
      time: new Date().toISOString(),
    };
  }
}
