import type { Readable } from 'node:stream';
import { BadRequest, NotFound, parseJsonObject, type Actor, type QueryCache } from '@mortise/plugin-sdk';
import type { Account } from '@mortise/accounts/api';
import {
  compareSemver,
  gunzip,
  isPlainPath,
  tarEntries,
  tidySemver,
  type Package,
  type PackageFile,
  type PackageStore,
  type PackageVersion,
  type ReceivedBlob,
} from '@mortise/packages/api';

export const type = 'chef';
/** All cookbooks of an owner have it: the universe is over all. */
export const compositeKey = 'cookbook';
const namePattern = /^[A-Za-z0-9_][A-Za-z0-9_.-]{0,199}$/;
const versionPattern = /^\d{1,9}\.\d{1,9}(?:\.\d{1,9})?$/;
const maxMetadata = 256 * 1024;
const maxReadme = 96 * 1024;
const maxUnpacked = 256 * 1024 * 1024;
const maxText = 20_000;
const maxDependencies = 500;

export interface CookbookInfo {
  readonly name: string;
  readonly version: string;
  readonly description: string;
  readonly maintainer: string;
  readonly license: string;
  /** http or https; else empty. */
  readonly sourceUrl: string;
  readonly issuesUrl: string;
  /** Constraints by name. */
  readonly dependencies: Readonly<Record<string, string>>;
  readonly readme?: string;
}

/** A page of cookbooks. */
interface CookbookList {
  readonly start: number;
  readonly total: number;
  readonly items: readonly Readonly<Record<string, string>>[];
}

export interface ListQuery {
  readonly start: number;
  readonly items: number;
  readonly order?: string;
  readonly text?: string;
}

interface Entry {
  readonly package: Package;
  /** The highest. */
  readonly version: PackageVersion;
}

const infoOf = (version: PackageVersion) => version.metadata as unknown as CookbookInfo;
const compare = (left: PackageVersion, right: PackageVersion) =>
  compareSemver(tidySemver(left.version) ?? '', tidySemver(right.version) ?? '');

export class Cookbooks {
  constructor(
    private readonly store: PackageStore,
    private readonly universes: QueryCache<Readonly<Record<string, object>>>,
    private readonly lists: QueryCache<readonly Entry[]>,
  ) {}

  /** `isSigned`: whether it is the content that the client signed, where it did. */
  async publish(
    owner: Account,
    actor: Actor,
    body: Readable,
    size: number | undefined,
    isSigned: (content: ReceivedBlob) => boolean,
  ): Promise<void> {
    const blob = await this.store.receive(type, body, actor, size);
    if (!isSigned(blob)) throw BadRequest('The cookbook is not what X-Ops-Content-Hash says.');
    const info = await readCookbook(this.store, blob);
    const { name, version } = info;
    await this.store.publish({
      owner,
      actor,
      type,
      name,
      version,
      metadata: { ...info },
      files: [{ name: `${version}.tar.gz`, blob, compositeKey }],
    });
  }

  private all(owner: Account) {
    return this.store.filesUnder({ ownerId: owner.id, type, compositeKeys: [compositeKey] });
  }

  /** Every version with what it depends on; remembered while nothing was committed. */
  universe(owner: Account, base: string): Promise<Readonly<Record<string, object>>> {
    return this.universes.load(`${owner.id}/${base}`, async () => {
      const versionsByName = new Map<string, [string, object][]>();
      for (const { package: package_, version } of await this.all(owner)) {
        const list = versionsByName.get(package_.name) ?? [];
        versionsByName.set(package_.name, list);
        list.push([
          version.version,
          {
            location_type: 'opscode',
            location_path: base,
            download_url: `${addressOf(base, package_, version)}/download`,
            dependencies: infoOf(version).dependencies,
          },
        ]);
      }
      return Object.fromEntries([...versionsByName].map(([name, list]) => [name, Object.fromEntries(list)]));
    });
  }

  /** The highest version of each cookbook, by name. */
  private highest(owner: Account): Promise<readonly Entry[]> {
    return this.lists.load(String(owner.id), async () => {
      const entries = new Map<number, Entry>();
      for (const { package: package_, version } of await this.all(owner)) {
        const before = entries.get(package_.id);
        if (!before || compare(before.version, version) < 0) entries.set(package_.id, { package: package_, version });
      }
      return [...entries.values()];
    });
  }

  async list(owner: Account, base: string, { start, items, order, text }: ListQuery): Promise<CookbookList> {
    const wanted = text?.trim().toLowerCase() ?? '';
    const all = (await this.highest(owner)).filter((one) => one.package.lowerName.includes(wanted));
    if (order === 'recently_added') all.sort((a, b) => b.package.id - a.package.id);
    if (order === 'recently_updated') all.sort((a, b) => b.version.id - a.version.id);
    return {
      start,
      total: all.length,
      items: all.slice(start, start + items).map(({ package: package_, version }) => ({
        cookbook_name: package_.name,
        cookbook_maintainer: infoOf(version).maintainer,
        cookbook_description: infoOf(version).description,
        cookbook: addressOf(base, package_),
      })),
    };
  }

  async cookbook(owner: Account, base: string, name: string): Promise<object> {
    const package_ = await this.find(owner, name);
    const versions = [...(await this.store.versions(package_.id))].sort(compare);
    const latest = versions.at(-1);
    if (!latest) throw NotFound('cookbook');
    const { maintainer, description, sourceUrl, issuesUrl } = infoOf(latest);
    return {
      name: package_.name,
      maintainer,
      description,
      category: '',
      latest_version: addressOf(base, package_, latest),
      source_url: sourceUrl,
      external_url: sourceUrl,
      issues_url: issuesUrl,
      created_at: new Date(Math.min(...versions.map(({ createdAt }) => createdAt))).toISOString(),
      updated_at: new Date(Math.max(...versions.map(({ createdAt }) => createdAt))).toISOString(),
      deprecated: false,
      versions: versions.map((version) => addressOf(base, package_, version)),
    };
  }

  async version(owner: Account, base: string, name: string, label: string): Promise<object> {
    const { package: package_, version, file } = await this.needVersion(owner, name, label);
    const { license, dependencies } = infoOf(version);
    return {
      version: version.version,
      tarball_file_size: file.size,
      published_at: new Date(version.createdAt).toISOString(),
      cookbook: addressOf(base, package_),
      file: `${addressOf(base, package_, version)}/download`,
      license,
      dependencies,
    };
  }

  async file(owner: Account, name: string, label: string): Promise<PackageFile> {
    return (await this.needVersion(owner, name, label)).file;
  }

  async deleteVersion(owner: Account, actor: Actor, name: string, label: string): Promise<void> {
    const { package: package_, version } = await this.needVersion(owner, name, label);
    await this.store.deleteVersion(package_, version, actor);
  }

  async delete(owner: Account, actor: Actor, name: string): Promise<void> {
    const package_ = await this.find(owner, name);
    if (!(await this.store.latest(package_.id))) throw NotFound('cookbook');
    await this.store.deletePackage(package_, actor);
  }

  private async find(owner: Account, name: string): Promise<Package> {
    const package_ = await this.store.find(owner.id, type, name);
    if (!package_) throw NotFound('cookbook');
    return package_;
  }

  /** Versions may be written with `_` in the place of points. */
  private async needVersion(owner: Account, name: string, label: string) {
    const package_ = await this.find(owner, name);
    const version = await this.store.findVersion(package_.id, label.replace(/_/g, '.'));
    const [file] = version ? ((await this.store.files([version.id])).get(version.id) ?? []) : [];
    if (!version || !file) throw NotFound('cookbook version');
    return { package: package_, version, file };
  }
}

function addressOf(base: string, package_: Package, version?: PackageVersion): string {
  const address = `${base}/cookbooks/${encodeURIComponent(package_.name)}`;
  return version ? `${address}/versions/${encodeURIComponent(version.version)}` : address;
}

/** The metadata.json of a cookbook, one folder deep, and its readme. */
async function readCookbook(store: PackageStore, blob: ReceivedBlob): Promise<CookbookInfo> {
  let info: CookbookInfo | undefined;
  let readme: string | undefined;
  for await (const entry of tarEntries(gunzip(await store.open(blob)), { maxBytes: maxUnpacked })) {
    // to its end, since clients unpack all of it
    if (!isPlainPath(entry.name))
      throw BadRequest(`The cookbook holds a path that leaves it: ${entry.name.slice(0, 200)}`);
    const file = entry.kind === 'file' ? /^(?:\.\/)?[^/]+\/([^/]+)$/.exec(entry.name)?.[1] : undefined;
    if (file === 'metadata.json' && !info) info = parse(await entry.content(maxMetadata));
    else if (file && readme === undefined && /^readme\.md$/i.test(file) && entry.size <= maxReadme)
      readme = (await entry.content(maxReadme)).toString('utf8');
  }
  if (!info) throw BadRequest('The cookbook has no metadata.json.');
  return { ...info, readme };
}

function parse(bytes: Buffer): CookbookInfo {
  const fields = parseJsonObject(bytes);
  if (!fields) throw BadRequest('The metadata.json is no JSON object.');
  const text = (key: string) => (typeof fields[key] === 'string' ? fields[key].trim().slice(0, maxText) : '');
  const link = (key: string) => (/^https?:\/\/\S+$/i.test(text(key)) ? text(key) : '');
  const [name, version] = [text('name'), text('version')];
  if (!namePattern.test(name)) throw BadRequest('cookbook name is invalid');
  if (!versionPattern.test(version)) throw BadRequest('cookbook version is invalid');
  const given = fields.dependencies;
  const dependencies = Object.entries(typeof given === 'object' && given !== null ? given : {}).filter(
    (one): one is [string, string] =>
      namePattern.test(one[0]) && typeof one[1] === 'string' && one[1].length <= 200 && one[0] !== '__proto__',
  );
  if (dependencies.length > maxDependencies) throw BadRequest('The cookbook has too many dependencies.');
  return {
    name,
    version,
    description: text('description'),
    maintainer: text('maintainer'),
    license: text('license'),
    sourceUrl: link('source_url'),
    issuesUrl: link('issues_url'),
    dependencies: Object.fromEntries(dependencies),
  };
}
