import { createHash } from 'node:crypto';
import type { Readable } from 'node:stream';
import { Conflict, NotFound, type Actor, type QueryCache } from '@mortise/plugin-sdk';
import type { Account, Accounts } from '@mortise/accounts/api';
import {
  compareSemver,
  type Package,
  type PackageFile,
  type PackageStore,
  type PackageVersion,
} from '@mortise/packages/api';
import { checkCrate, readFrame, type CrateDependency, type CrateManifest } from './publication.js';

export interface CrateIndex {
  readonly text: string;
  readonly tag: string;
}

export const type = 'cargo';
/** Of `_` and `-` in a name; so one statement asks for 256 spellings at most. */
const maxSeparators = 8;

/** The stored manifest of a version. */
export type StoredManifest = CrateManifest & { readonly yanked?: boolean };

export class Crates {
  constructor(
    private readonly store: PackageStore,
    private readonly accounts: Accounts,
    private readonly indexes: QueryCache<CrateIndex>,
  ) {}

  /** Whether a crate has a confusable name: `_` and `-` look alike to users, and are the same to Cargo at times. */
  async hasLike(owner: Account, name: string): Promise<boolean> {
    const likes = spellings(name);
    // too many spellings to search: treat it as taken
    return likes === undefined || (await this.store.findAll(owner.id, type, likes)).length > 0;
  }

  async need(owner: Account, name: string): Promise<Package> {
    const package_ = await this.store.find(owner.id, type, name);
    if (!package_) throw NotFound('package');
    return package_;
  }

  async needVersion(owner: Account, name: string, version: string): Promise<PackageVersion> {
    const packageVersion = await this.store.findVersion((await this.need(owner, name)).id, version);
    if (!packageVersion) throw NotFound('package version');
    return packageVersion;
  }

  async publish(owner: Account, actor: Actor, body: Readable): Promise<void> {
    const { manifest, crate, size } = await readFrame(body);
    const { name, vers: version } = manifest;
    const before = await this.store.find(owner.id, type, name);
    if (before && (await this.store.findVersion(before.id, version))) throw Conflict('package version already exists');
    const blob = await this.store.receive(type, crate, actor, size);
    await checkCrate(await this.store.open(blob));
    await this.store.publish({
      owner,
      actor,
      type,
      name,
      version,
      metadata: { ...manifest },
      files: [{ name: `${name}-${version}.crate`.toLowerCase(), blob }],
    });
  }

  async file(owner: Account, name: string, version: string): Promise<PackageFile> {
    const { id } = await this.needVersion(owner, name, version);
    const [file] = (await this.store.files([id])).get(id) ?? [];
    if (!file) throw NotFound('package file');
    return file;
  }

  /** Yanked versions stay for those who have them in their lock file. */
  async yank(owner: Account, name: string, version: string, yanked: boolean): Promise<void> {
    const packageVersion = await this.needVersion(owner, name, version);
    await this.store.setMetadata(packageVersion.id, { ...packageVersion.metadata, yanked });
  }

  /** A line for each version, as the sparse protocol has it; remembered while nothing was committed. */
  index(package_: Package): Promise<CrateIndex> {
    return this.indexes.load(String(package_.id), async () => {
      const versions = await this.store.versions(package_.id);
      if (versions.length === 0) throw NotFound('package');
      const files = await this.store.files(versions.map(({ id }) => id));
      const lines = versions
        .sort((a, b) => compareSemver(a.version, b.version))
        .flatMap((version) => {
          const file = files.get(version.id)?.[0];
          return file ? [JSON.stringify(lineOf(package_.name, version, file.sha256))] : [];
        });
      const text = lines.map((line) => `${line}\n`).join('');
      return { text, tag: createHash('sha256').update(text).digest('hex').slice(0, 40) };
    });
  }

  async search(owner: Account, query: Readonly<Record<string, string | undefined>>): Promise<object> {
    const number = (given: string | undefined, otherwise: number) =>
      given && /^\d{1,6}$/.test(given) ? Number(given) : otherwise;
    const limit = Math.min(100, Math.max(1, number(query.per_page, 10)));
    const offset = (Math.max(1, number(query.page, 1)) - 1) * limit;
    const results = await this.store.search({
      ownerId: owner.id,
      type,
      text: query.q,
      latest: true,
      metadata: true,
      limit,
      offset,
    });
    const names = await this.store.versionNames(results.items.map((item) => item.package.id));
    return {
      crates: results.items.map(({ package: { id, name }, version: { version, metadata } }) => ({
        name,
        max_version:
          (names.get(id) ?? [])
            .map((one) => one.version)
            .sort(compareSemver)
            .at(-1) ?? version,
        description: metadata.description ?? '',
      })),
      meta: { total: results.total },
    };
  }

  async owners(owner: Account, name: string): Promise<object> {
    await this.need(owner, name);
    const account = (await this.accounts.byId(owner.id)) ?? owner;
    return { users: [{ id: account.id, login: account.name, name: account.fullName || account.name }] };
  }
}

/** The name with `_` and `-` in each place of either; undefined: there are too many. */
function spellings(name: string): readonly string[] | undefined {
  const [first = '', ...rest] = name.split(/[_-]/);
  if (rest.length > maxSeparators) return undefined;
  return rest.reduce<string[]>(
    (found, part) => found.flatMap((start) => [`${start}-${part}`, `${start}_${part}`]),
    [first],
  );
}

function lineOf(name: string, { version, metadata }: PackageVersion, cksum: string): object {
  const { deps, features, yanked = false, links, rust_version } = metadata as unknown as StoredManifest;
  // what older clients cannot read stands apart
  const isNew = ([, list]: readonly [string, readonly string[]]) => list.some((one) => /^dep:|\?\//.test(one));
  const entries = Object.entries(features);
  const added = entries.filter(isNew);
  return {
    name,
    vers: version,
    deps: deps.map(dependencyOf),
    cksum,
    features: Object.fromEntries(entries.filter((entry) => !isNew(entry))),
    ...(added.length > 0 && { features2: Object.fromEntries(added), v: 2 }),
    yanked,
    ...(links ? { links } : {}),
    ...(rust_version ? { rust_version } : {}),
  };
}

function dependencyOf(given: CrateDependency): object {
  const { explicit_name_in_toml: alias, name, version_req, features, optional, default_features, kind } = given;
  return {
    name: alias || name,
    req: version_req,
    features,
    optional,
    default_features,
    target: given.target ?? null,
    kind,
    registry: given.registry ?? null,
    package: alias ? name : null,
  };
}
