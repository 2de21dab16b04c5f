import type { Readable } from 'node:stream';
import { NotFound, PreparedJson, type Actor, type QueryCache, type Site } from '@mortise/plugin-sdk';
import type { Account } from '@mortise/accounts/api';
import {
  compareSemver,
  type Package,
  type PackageFile,
  type PackageStore,
  type PackageVersion,
} from '@mortise/packages/api';
import type { Repositories, RepositoryAccess } from '@mortise/repositories/api';
import { readArchive, type ComposerManifest } from './archive.js';

export const type = 'composer';
const typeProperty = 'composer.type';

interface ComposerDeps {
  readonly store: PackageStore;
  readonly repositories: Repositories;
  readonly repositoryAccess: RepositoryAccess;
  readonly site: Site;
  readonly documents: QueryCache<PreparedJson>;
}

interface ComposerSearch {
  readonly text?: string;
  /** `library`, `project` … */
  readonly type?: string;
  readonly page: number;
  readonly perPage: number;
}

interface Result {
  readonly package: Package;
  readonly version: PackageVersion;
}

const pageSize = 1000;
type Fields = Readonly<Record<string, unknown>>;

export class ComposerPackages {
  constructor(private readonly deps: ComposerDeps) {}

  async upload(owner: Account, actor: Actor, body: Readable, size?: number, version?: string): Promise<void> {
    const { store } = this.deps;
    const blob = await store.receive(type, body, actor, size);
    const archive = await readArchive(store, blob, version);
    const { name } = archive.manifest;
    await store.publish({
      owner,
      actor,
      type,
      name,
      version: archive.version,
      metadata: { ...archive.manifest, archive: archive.kind },
      versionProperties: { [typeProperty]: archive.manifest.type ?? 'library' },
      files: [{ name: `${name.replace('/', '-')}.${archive.version}.${archive.suffix}`.toLowerCase(), blob }],
    });
  }

  async need(owner: Account, name: string): Promise<Package> {
    const package_ = await this.deps.store.find(owner.id, type, name);
    if (!package_) throw NotFound('package');
    return package_;
  }

  async file(owner: Account, name: string, version: string, fileName: string): Promise<PackageFile> {
    const { id } = await this.need(owner, name);
    const packageVersion = await this.deps.store.findVersion(id, version);
    const file = packageVersion && (await this.deps.store.findFile(packageVersion.id, fileName));
    if (!file) throw NotFound('package file');
    return file;
  }

  async names(owner: Account): Promise<readonly string[]> {
    return (await this.all(owner, undefined)).map((one) => one.package.name).sort();
  }

  private async all(owner: Account, text: string | undefined): Promise<Result[]> {
    const results: Result[] = [];
    for (let offset = 0; ; offset += pageSize) {
      const { items } = await this.deps.store.search({
        ownerId: owner.id,
        type,
        text,
        latest: true,
        limit: pageSize,
        offset,
      });
      results.push(...items);
      if (items.length < pageSize) return results;
    }
  }

  /** A page of packages, with what the newest version says of them. */
  async search(
    owner: Account,
    search: ComposerSearch,
  ): Promise<{ total: number; results: readonly { name: string; description: string; downloads: number }[] }> {
    const { store } = this.deps;
    const offset = (search.page - 1) * search.perPage;
    let shown: readonly Result[];
    let total: number;
    if (search.type) {
      const all = await this.all(owner, search.text);
      const kinds = await this.properties(all.map(({ version }) => version.id));
      const suiting = all.filter(({ version }) => kinds.get(version.id) === search.type);
      total = suiting.length;
      shown = suiting.slice(offset, offset + search.perPage);
    } else {
      const results = await store.search({
        ownerId: owner.id,
        type,
        text: search.text,
        latest: true,
        limit: search.perPage,
        offset,
      });
      total = results.total;
      shown = results.items;
    }
    const versions = await store.versionsByIds(shown.map(({ version }) => version.id));
    return {
      total,
      results: shown.map((one) => ({
        name: one.package.name,
        description: ((versions.get(one.version.id)?.metadata.description as string | undefined) ?? '').trim(),
        downloads: one.version.downloadCount,
      })),
    };
  }

  private async properties(ids: readonly number[]): Promise<Map<number, string>> {
    const urls = new Map<number, string>();
    for (let at = 0; at < ids.length; at += 500)
      for (const [id, [first]] of await this.deps.store.properties('version', ids.slice(at, at + 500), typeProperty))
        if (first) urls.set(id, first.value);
    return urls;
  }

  /** All versions of a package. The source is shown only to users who may read the repository. */
  async document(owner: Account, name: string, actor: Actor, baseUrl: string): Promise<PreparedJson> {
    const package_ = await this.need(owner, name);
    const source = await this.source(package_, actor);
    return this.deps.documents.load(`${package_.id}:${baseUrl}:${source ?? ''}`, async () => {
      const { store } = this.deps;
      const versions = await store.versions(package_.id);
      if (versions.length === 0) throw NotFound('package');
      const files = new Map<number, readonly PackageFile[]>();
      for (let at = 0; at < versions.length; at += 500)
        for (const [id, found] of await store.files(versions.slice(at, at + 500).map((one) => one.id)))
          files.set(id, found);
      const entries = versions
        .sort((a, b) => compareSemver(b.version, a.version))
        .flatMap((version) => {
          const file = files.get(version.id)?.[0];
          return file ? [entryOf(package_, version, file, baseUrl, source)] : [];
        });
      return new PreparedJson({ minified: 'composer/2.0', packages: { [package_.name]: minified(entries) } });
    });
  }

  private async source(package_: Package, actor: Actor): Promise<string | undefined> {
    if (!package_.repositoryId) return undefined;
    const repository = await this.deps.repositories.byId(package_.repositoryId);
    if (!repository) return undefined;
    const context = await this.deps.repositoryAccess.context(actor, repository);
    if (context.mode === 'none' || !context.may('read', 'code')) return undefined;
    return this.deps.site.url(`/${repository.ownerName}/${repository.name}`);
  }
}

function entryOf(
  package_: Package,
  { version, metadata, createdAt }: PackageVersion,
  file: PackageFile,
  baseUrl: string,
  source: string | undefined,
): Fields {
  const { readme: _readme, archive, ...manifest } = metadata as unknown as ComposerManifest & { archive: string };
  const path = [package_.name, version, file.name].map(encodeURIComponent).join('/');
  return {
    ...manifest,
    name: package_.name,
    version,
    type: manifest.type ?? 'library',
    time: new Date(createdAt).toISOString(),
    dist: { type: archive, url: `${baseUrl}/files/${path}`, shasum: file.sha1 },
    ...(source !== undefined && { source: { url: source, type: 'git', reference: version } }),
  };
}

/** Clients take what an entry lacks from the one before it, unless it is said to be unset. */
function minified(entries: readonly Fields[]): readonly Fields[] {
  const seen = new Set<string>();
  return entries.map((entry) => {
    const unset = [...seen].filter((key) => !(key in entry));
    for (const key of Object.keys(entry)) seen.add(key);
    return { ...entry, ...Object.fromEntries(unset.map((key) => [key, '__unset'])) };
  });
}
