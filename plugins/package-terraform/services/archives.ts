import type { Readable } from 'node:stream';
import { BadRequest, NotFound, type Actor } from '@mortise/plugin-sdk';
import type { Account } from '@mortise/accounts/api';
import {
  compareSemver,
  gunzip,
  isPlainPath,
  parseSemver,
  tarEntries,
  zipEntries,
  type Package,
  type PackageFile,
  type PackageStore,
  type PackageVersion,
  type ReceivedBlob,
  type SigningKeys,
} from '@mortise/packages/api';
import { type } from './states.js';

const partPattern = /^[0-9A-Za-z](?:[0-9A-Za-z_-]{0,62}[0-9A-Za-z])?$/;
const platformPattern = /^[a-z0-9]{1,20}$/;
const providerLimits = { maxBytes: 4 * 1024 ** 3, maxEntries: 10_000 };
const moduleLimits = { maxBytes: 512 * 1024 * 1024, maxEntries: 100_000 };

interface Provider {
  readonly package_: Package;
  readonly version: PackageVersion;
}

/** `5.0`: versions of the protocol between Terraform and a provider. */
interface StoredProvider {
  readonly protocols: readonly string[];
}

export const moduleName = (name: string, system: string): string => `modules/${name}/${system}`;
export const providerName = (name: string): string => `providers/${name}`;

/** Modules and providers: archives of versions. */
export class Archives {
  constructor(
    private readonly store: PackageStore,
    private readonly keys: SigningKeys,
  ) {}

  private checkParts(version: string, ...parts: readonly string[]): void {
    for (const part of parts) if (!partPattern.test(part)) throw BadRequest(`The name ${part} is invalid.`);
    if (!parseSemver(version)) throw BadRequest('The version is no semver version.');
  }

  async publishModule(
    owner: Account,
    actor: Actor,
    { name, system, version }: Readonly<Record<string, string>>,
    body: Readable,
    size?: number,
  ): Promise<void> {
    this.checkParts(version!, name!, system!);
    const blob = await this.store.receive(type, body, actor, size);
    const suffix = await this.checkModule(blob);
    await this.store.publish({
      owner,
      actor,
      type,
      name: moduleName(name!, system!),
      version: version!,
      files: [{ name: `${name}-${system}-${version}.${suffix}`.toLowerCase(), blob }],
    });
  }

  /** A zip or tar.gz of files below their folder, with some `.tf` at the top or in the only folder. */
  private async checkModule(blob: ReceivedBlob): Promise<'zip' | 'tar.gz'> {
    const start = (await this.store.random(blob).read(0, 2)).toString('latin1');
    const isZip = start === 'PK';
    const entries = isZip
      ? await zipEntries(this.store.random(blob), moduleLimits)
      : tarEntries(gunzip(await this.store.open(blob)), moduleLimits);
    let hasCode = false;
    for await (const { name, kind } of entries) {
      if (!isPlainPath(name) || kind === 'link' || kind === 'other')
        throw BadRequest(`The module holds something that is no plain file: ${name}`);
      hasCode ||= /^(?:\.\/)?(?:[^/]+\/)?[^/]+\.tf(?:\.json)?$/.test(name);
    }
    if (!hasCode) throw BadRequest('The module has no .tf file at its top.');
    return isZip ? 'zip' : 'tar.gz';
  }

  async publishProvider(
    owner: Account,
    actor: Actor,
    { name, version, os, arch }: Readonly<Record<string, string>>,
    protocols: readonly string[],
    body: Readable,
    size?: number,
  ): Promise<void> {
    this.checkParts(version!, name!);
    if (!platformPattern.test(os!) || !platformPattern.test(arch!)) throw BadRequest('The platform is invalid.');
    if (protocols.length > 10 || protocols.some((one) => !/^\d{1,3}\.\d{1,3}$/.test(one)))
      throw BadRequest('The protocols are invalid.');
    const blob = await this.store.receive(type, body, actor, size);
    const entries = await zipEntries(this.store.random(blob), providerLimits);
    for (const entry of entries)
      if (!isPlainPath(entry.name) || entry.kind === 'link')
        throw BadRequest(`The provider holds something that is no plain file: ${entry.name}`);
    if (!entries.some((entry) => entry.name.startsWith(`terraform-provider-${name}`)))
      throw BadRequest(`The provider has no terraform-provider-${name}.`);
    const stored: StoredProvider = { protocols };
    await this.store.publish({
      owner,
      actor,
      type,
      name: providerName(name!),
      version: version!,
      metadata: { ...stored },
      onVersion: 'join',
      files: [
        {
          name: `terraform-provider-${name}_${version}_${os}_${arch}.zip`.toLowerCase(),
          blob,
          compositeKey: `${os}_${arch}`,
        },
      ],
    });
  }

  async need(owner: Account, name: string): Promise<Package> {
    const package_ = await this.store.find(owner.id, type, name);
    if (!package_) throw NotFound('package');
    return package_;
  }

  async needVersion(owner: Account, name: string, version: string): Promise<Provider> {
    const package_ = await this.need(owner, name);
    const packageVersion = await this.store.findVersion(package_.id, version);
    if (!packageVersion) throw NotFound('package version');
    return { package_, version: packageVersion };
  }

  async delete(owner: Account, actor: Actor, name: string, version: string): Promise<void> {
    const provider = await this.needVersion(owner, name, version);
    await this.store.deleteVersion(provider.package_, provider.version, actor);
  }

  async versionNames(owner: Account, name: string): Promise<readonly string[]> {
    const { id } = await this.need(owner, name);
    const names = (await this.store.versionNames([id])).get(id) ?? [];
    if (names.length === 0) throw NotFound('package');
    return names.map(({ version }) => version).sort(compareSemver);
  }

  async file(owner: Account, name: string, version: string, fileName?: string): Promise<PackageFile> {
    const provider = await this.needVersion(owner, name, version);
    const files = await this.files(provider);
    const file = fileName === undefined ? files[0] : files.find((one) => one.lowerName === fileName.toLowerCase());
    if (!file) throw NotFound('package file');
    return file;
  }

  async files({ version }: Provider): Promise<readonly PackageFile[]> {
    return (await this.store.files([version.id])).get(version.id) ?? [];
  }

  protocolsOf({ version }: Provider): readonly string[] {
    return (version.metadata as unknown as StoredProvider).protocols;
  }

  /** Versions of a provider with their platforms. */
  async providerVersions(owner: Account, name: string): Promise<readonly object[]> {
    const package_ = await this.need(owner, providerName(name));
    const versions = await this.store.versions(package_.id);
    if (versions.length === 0) throw NotFound('package');
    const files = new Map<number, readonly PackageFile[]>();
    for (let at = 0; at < versions.length; at += 500)
      for (const [id, found] of await this.store.files(versions.slice(at, at + 500).map((one) => one.id)))
        files.set(id, found);
    return versions
      .sort((a, b) => compareSemver(a.version, b.version))
      .map((version) => ({
        version: version.version,
        protocols: this.protocolsOf({ package_, version }),
        platforms: (files.get(version.id) ?? []).map(({ compositeKey }) => {
          const [os, arch] = compositeKey.split('_');
          return { os, arch };
        }),
      }));
  }

  async sums(provider: Provider): Promise<Buffer> {
    const files = await this.files(provider);
    return Buffer.from(files.map(({ sha256, name }) => `${sha256}  ${name}\n`).join(''));
  }

  async signature(owner: Account, provider: Provider): Promise<Buffer> {
    return (await this.keys.openPgp(owner, type)).sign(await this.sums(provider), 'binary');
  }

  async signingKey(owner: Account): Promise<{ key_id: string; ascii_armor: string }> {
    const { fingerprint, publicKey } = await this.keys.openPgp(owner, type);
    return { key_id: fingerprint.slice(-16), ascii_armor: publicKey };
  }
}
