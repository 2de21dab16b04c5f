import type { Readable } from 'node:stream';
import { Conflict, Forbidden, NotFound, type Actor, type Database, type Site } from '@mortise/plugin-sdk';
import type { Account, Accounts } from '@mortise/accounts/api';
import type { Package, PackageFile, PackageStore, PackageVersion, ReceivedBlob } from '@mortise/packages/api';
import type { Repositories, RepositoryAccess } from '@mortise/repositories/api';
import type { PublishDocument } from './document-reader.js';
import { isRevision, type Documents } from './documents.js';
import { isRecord, type Json } from './json.js';
import { starProperty } from './properties.js';
import { attestationOf, provenanceEnding } from './provenance.js';
import { readPublication, repositoryPath, versionIn } from './publication.js';
import type { Tags } from './tags.js';

interface RegistryDeps {
  readonly database: Database;
  readonly store: PackageStore;
  readonly accounts: Accounts;
  readonly repositories: Repositories;
  readonly repositoryAccess: RepositoryAccess;
  readonly site: Site;
  readonly documents: Documents;
  readonly tags: Tags;
}

const type = 'npm';

/** What the npm protocol does with the shared store (PKG-13). */
export class Registry {
  readonly documents: Documents;
  readonly tags: Tags;

  constructor(private readonly deps: RegistryDeps) {
    this.documents = deps.documents;
    this.tags = deps.tags;
  }

  async need(owner: Account, name: string): Promise<Package> {
    const package_ = await this.deps.store.find(owner.id, type, name);
    if (!package_) throw NotFound('package');
    return package_;
  }

  // ---------------------------------------------------------------- publishing

  /** Stores a tarball before it is known what it belongs to; forgotten ones are swept. */
  receive(content: Readable, actor: Actor): Promise<ReceivedBlob> {
    return this.deps.store.receive(type, content, actor);
  }

  async publish(
    owner: Account,
    name: string,
    { document, attachment }: PublishDocument<ReceivedBlob>,
    actor: Actor,
  ): Promise<void> {
    const publication = readPublication(document, attachment, name);
    const { store } = this.deps;
    const before = await store.find(owner.id, type, name);
    if (before && (await store.findVersion(before.id, publication.version)))
      throw Conflict('package version already exists');
    const repositoryId = await this.linkFor(owner, publication.manifest, actor);
    const { provenance, fileName } = publication;
    const proof = provenance
      ? [
          {
            name: fileName.replace(/\.tgz$/, provenanceEnding),
            blob: await store.receive(type, provenance.bundle, actor),
            isLead: false,
          },
        ]
      : [];
    await store.publish({
      owner,
      actor,
      type,
      name,
      version: publication.version,
      metadata: publication.manifest,
      files: [{ name: publication.fileName, blob: publication.blob }, ...proof],
      ...(repositoryId ? { repositoryId } : {}),
      within: async ({ package: package_, version }) => {
        for (const tag of publication.tags) await this.tags.move(package_, version, tag);
        await this.documents.changed(package_);
      },
    });
  }

  /** A manifest that names a repository of the same owner links the package to it (reference: 8.3). */
  private async linkFor(owner: Account, manifest: Json, actor: Actor): Promise<number> {
    const path = repositoryPath(manifest, new URL(this.deps.site.rootUrl).host);
    if (!path || path.owner.toLowerCase() !== owner.lowerName) return 0;
    const repository = await this.deps.repositories.byPath(path.owner, path.name);
    if (!repository) return 0;
    const context = await this.deps.repositoryAccess.context(actor, repository);
    // who owns the repository may also where its packages are switched off
    const isOwner = repository.ownerId === actor.id && !actor.publicOnly;
    const may = isOwner || context.may('write', 'packages');
    if (!may) throw Forbidden('no permission to upload this package');
    return repository.id;
  }

  /** `npm deprecate`: the whole document without attachments; an empty text takes the mark away. */
  async deprecate(package_: Package, versions: Json): Promise<void> {
    const { database, store } = this.deps;
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
      await this.deps.documents.changed(package_);
    });
  }

  async findFile(
    package_: Package,
    fileName: string,
    versionText = versionIn(package_.name, fileName),
  ): Promise<{ version: PackageVersion; file: PackageFile }> {
    const { store } = this.deps;
    const version = await store.findVersion(package_.id, versionText);
    const file = version && (await store.findFile(version.id, fileName));
    if (!version || !file?.isLead) throw NotFound('file');
    return { version, file };
  }

  /** What tells where a version was built, as clients ask for it (`@scope/name@1.0.0`). */
  async attestations(owner: Account, specification: string): Promise<Json> {
    const at = specification.lastIndexOf('@');
    const package_ = at > 0 && (await this.need(owner, specification.slice(0, at)));
    const version = package_ && (await this.deps.store.findVersion(package_.id, specification.slice(at + 1)));
    const files = version ? ((await this.deps.store.files([version.id])).get(version.id) ?? []) : [];
    const file = files.find((one) => one.name.endsWith(provenanceEnding));
    if (!file) throw NotFound('attestation');
    return { attestations: [await attestationOf(await this.deps.store.open(file))] };
  }

  // ---------------------------------------------------------------- unpublishing

  /**
   * The document as a client wants it, which is how `npm unpublish` removes a version: versions that it leaves out go, in
   * the transaction that changes the tags. A document that was read before another change is refused, since it would leave
   * out what it does not know.
   */
  async replaceDocument(package_: Package, revision: string, document: Json, actor: Actor): Promise<void> {
    const { database, store } = this.deps;
    await database.write(async () => {
      if (!(await store.lock(package_))) throw NotFound('package');
      if (isRevision(revision) && revision !== (await this.documents.revision(package_)))
        throw Conflict('The package was changed in the meantime.');
      const { versions, 'dist-tags': tags } = document;
      const removed = isRecord(versions)
        ? (await store.bareVersions(package_.id)).filter(({ version }) => !Object.hasOwn(versions, version))
        : [];
      const before = await this.tags.of(package_);
      if (removed.length > 0) await store.deleteVersions(package_, removed, actor);
      if (!isRecord(tags)) return;
      // the client moves `latest` to the highest version, which may be a beta: where it goes is ours to say
      const isLatestRemoved = removed.some(({ version }) => version === before.latest);
      await this.tags.replace(
        package_,
        isLatestRemoved ? { ...tags, latest: (await this.tags.of(package_)).latest } : tags,
      );
    });
  }

  /** The client's second step: nothing is left to do when the version is gone already. */
  async unpublishFile(
    package_: Package,
    { file, version: versionText, rev }: Readonly<Record<string, string>>,
    actor: Actor,
  ): Promise<void> {
    const { store } = this.deps;
    const isThere = await store.findVersion(package_.id, versionText ?? versionIn(package_.name, file!));
    if (!isThere && rev === (await this.documents.revision(package_))) return;
    const { version } = await this.findFile(package_, file!, versionText);
    await store.deleteVersion(package_, version, actor);
  }

  // ---------------------------------------------------------------- stars

  async star(package_: Package, users: Json, actor: Actor): Promise<void> {
    await this.deps.database.write(async () => {
      const others = (await this.deps.documents.stars(package_)).filter((name) => name !== actor.name);
      await this.deps.store.setProperty(
        'package',
        package_.id,
        starProperty,
        users[actor.name] ? [...others, actor.name] : others,
      );
      await this.deps.documents.changed(package_);
    });
  }

  async starredBy(owner: Account, name: string): Promise<string[]> {
    const { items } = await this.deps.store.search({ ownerId: owner.id, type, latest: true, limit: 1000, offset: 0 });
    const stars = await this.deps.store.properties(
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
    const { items, total } = await this.deps.store.search({
      ownerId: owner.id,
      type,
      text: query.text,
      latest: true,
      metadata: true,
      limit,
      offset: number(query.from, 0),
    });
    const publishers = await this.deps.accounts.byIds([...new Set(items.map((item) => item.version.creatorId))]);
    return {
      objects: items.map(({ package: package_, version }) => {
        const manifest = version.metadata;
        const publisher = publishers.get(version.creatorId);
        const person = publisher
          ? { username: publisher.name, name: publisher.name, email: this.deps.accounts.commitEmail(publisher) }
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
