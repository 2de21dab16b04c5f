import { BadRequest, NotFound, PreparedJson, type Actor, type QueryCache } from '@mortise/plugin-sdk';
import type { Account } from '@mortise/accounts/api';
import {
  compareSemver,
  parseSemver,
  type Package,
  type PackageFile,
  type PackageForm,
  type PackageStore,
  type PackageVersion,
  type ReceivedBlob,
} from '@mortise/packages/api';
import { readPackage, type StoredPackage } from './pubspec.js';

export const type = 'pub';

const fileNameOf = (version: string): string => `${version}.tar.gz`.toLowerCase();

const addressOf = (baseUrl: string, name: string, version: string): string =>
  `${baseUrl}/api/packages/${encodeURIComponent(name)}/files/${encodeURIComponent(version).replace(/%2B/g, '+')}.tar.gz`;

export class PubPackages {
  constructor(
    private readonly store: PackageStore,
    private readonly documents: QueryCache<PreparedJson>,
  ) {}

  async upload(owner: Account, actor: Actor, form: PackageForm): Promise<{ name: string; version: string }> {
    let blob: ReceivedBlob | undefined;
    await form.read(async ({ content }) => {
      if (blob) throw BadRequest('The form has two files.');
      blob = await this.store.receive(type, content, actor);
    });
    if (!blob) throw BadRequest('The form has no file.');
    const kept = await readPackage(await this.store.open(blob));
    const { name, version } = kept.pubspec;
    await this.store.publish({
      owner,
      actor,
      type,
      name,
      version,
      metadata: { ...kept },
      files: [{ name: fileNameOf(version), blob }],
    });
    return { name, version };
  }

  async need(owner: Account, name: string): Promise<Package> {
    const package_ = await this.store.find(owner.id, type, name);
    if (!package_) throw NotFound('package');
    return package_;
  }

  async needVersion(owner: Account, name: string, version: string): Promise<[Package, PackageVersion, PackageFile]> {
    const package_ = await this.need(owner, name);
    const packageVersion = await this.store.findVersion(package_.id, version);
    const [file] = packageVersion ? ((await this.store.files([packageVersion.id])).get(packageVersion.id) ?? []) : [];
    if (!packageVersion || !file) throw NotFound('package version');
    return [package_, packageVersion, file];
  }

  /** All versions, the lowest first, and the highest that is no pre-release as the latest. */
  async document(owner: Account, name: string, baseUrl: string): Promise<PreparedJson> {
    const package_ = await this.need(owner, name);
    return this.documents.load(`${package_.id}:${baseUrl}`, async () => {
      const versions = (await this.store.versions(package_.id)).sort((a, b) => compareSemver(a.version, b.version));
      const files = new Map<number, readonly PackageFile[]>();
      for (let at = 0; at < versions.length; at += 500)
        for (const [id, found] of await this.store.files(versions.slice(at, at + 500).map((one) => one.id)))
          files.set(id, found);
      const entries = versions.flatMap((version) => {
        const file = files.get(version.id)?.[0];
        return file ? [this.entry(package_, version, file, baseUrl)] : [];
      });
      if (entries.length === 0) throw NotFound('package');
      const stable = entries.filter(({ version }) => parseSemver(version)?.prerelease.length === 0);
      return new PreparedJson({ name: package_.name, latest: stable.at(-1) ?? entries.at(-1), versions: entries });
    });
  }

  entry(package_: Package, version: PackageVersion, file: PackageFile, baseUrl: string) {
    return {
      version: version.version,
      archive_url: addressOf(baseUrl, package_.name, version.version),
      archive_sha256: file.sha256,
      published: new Date(version.createdAt).toISOString(),
      pubspec: (version.metadata as unknown as StoredPackage).pubspec,
    };
  }
}
