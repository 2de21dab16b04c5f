import type { Readable } from 'node:stream';
import { BadRequest, Conflict, NotFound, TooLarge, type Actor } from '@mortise/plugin-sdk';
import type { Account } from '@mortise/accounts/api';
import {
  compareSemver,
  inPieces,
  parseSemver,
  tidySemver,
  type Package,
  type PackageFile,
  type PackageForm,
  type PackageStore,
  type PackageVersion,
  type ReceivedBlob,
} from '@mortise/packages/api';
import { readManifests, tidySwiftVersion, toolsVersionOf, type Manifest } from './manifests.js';
import { readMetadata, type SwiftMetadata } from './metadata.js';

export const type = 'swift';
export const signatureFormat = 'cms-1.0.0';
export const repositoryProperty = 'swift.repository';
export const manifestProperty = (swiftVersion: string) => `swift.manifest@${swiftVersion}`;
const maxPart = 128 * 1024;

/** Stored metadata of a release. */
export interface StoredRelease {
  readonly metadata: SwiftMetadata;
  readonly toolsVersion: string;
  /** Of the manifests for certain versions of Swift: tools version by Swift version. */
  readonly variants: Readonly<Record<string, string>>;
  /** Base64, as the client sent them. */
  readonly signature?: string;
  readonly metadataSignature?: string;
}
export const storedOf = (version: PackageVersion): StoredRelease => version.metadata as unknown as StoredRelease;

const scopePattern = /^[a-zA-Z0-9](?:[a-zA-Z0-9]|-(?=[a-zA-Z0-9])){0,38}$/;
const namePattern = /^[a-zA-Z0-9](?:[a-zA-Z0-9]|[-_](?=[a-zA-Z0-9])){0,99}$/;

interface Release {
  readonly package_: Package;
  readonly version: PackageVersion;
}

export class Releases {
  constructor(private readonly store: PackageStore) {}

  /** Parts of a publication may come in any order; only the archive is large. */
  private async readForm(actor: Actor, form: PackageForm) {
    let archive: ReceivedBlob | undefined;
    const parts = new Map<string, Buffer>();
    const fields = await form.read(async ({ field, content }) => {
      if (field === 'source-archive') {
        if (archive) throw BadRequest('The form has two archives.');
        archive = await this.store.receive(type, content, actor);
      } else parts.set(field, await bytesOf(content));
    });
    const part = (name: string) => parts.get(name) ?? bytesOfText(fields.get(name)?.[0]);
    if (!archive) throw BadRequest('The form has no source-archive.');
    return { archive, part };
  }

  async publish(
    owner: Account,
    actor: Actor,
    path: Readonly<Record<string, string>>,
    form: PackageForm,
    format: string | undefined,
  ): Promise<string> {
    const { scope = '', name = '' } = path;
    const version = tidySemver(path.version ?? '');
    if (!scopePattern.test(scope)) throw BadRequest('The scope is invalid.');
    if (!namePattern.test(name)) throw BadRequest('The name is invalid.');
    if (!version) throw BadRequest('The version is invalid.');
    const before = await this.store.find(owner.id, type, `${scope}.${name}`);
    if (before && (await this.store.findVersion(before.id, version))) throw Conflict('package version already exists');
    const { archive, part } = await this.readForm(actor, form);
    const signature = part('source-archive-signature');
    if (signature && format !== signatureFormat) throw BadRequest('The format of the signature is not known.');
    const metadata = readMetadata(part('metadata')?.toString('utf8'));
    const manifests = await readManifests(this.store.random(archive));
    const toolsVersion = toolsVersionOf(manifests.find((one) => !one.swiftVersion)!.text)!;
    const variants = manifests.filter((one) => one.swiftVersion);
    const stored: StoredRelease = {
      metadata,
      toolsVersion,
      variants: Object.fromEntries(variants.map((one) => [one.swiftVersion, toolsVersionOf(one.text) ?? ''])),
      ...(signature && { signature: signature.toString('base64') }),
      ...(part('metadata-signature') && { metadataSignature: part('metadata-signature')!.toString('base64') }),
    };
    await this.store.publish({
      owner,
      actor,
      type,
      name: `${scope}.${name}`,
      version,
      metadata: { ...stored },
      versionProperties: {
        ...Object.fromEntries(manifests.map((one) => [manifestProperty(one.swiftVersion), inPieces(one.text)])),
        [repositoryProperty]: [...new Set(metadata.repositoryURLs ?? [])],
      },
      files: [{ name: `${name}-${version}.zip`, blob: archive }],
    });
    return version;
  }

  async need(owner: Account, scope: string, name: string): Promise<Package> {
    const package_ = await this.store.find(owner.id, type, `${scope}.${name}`);
    if (!package_) throw NotFound('package');
    return package_;
  }

  async needRelease(owner: Account, { scope, name, version }: Readonly<Record<string, string>>): Promise<Release> {
    const package_ = await this.need(owner, scope!, name!);
    const packageVersion = await this.store.findVersion(package_.id, version!);
    if (!packageVersion) throw NotFound('package version');
    return { package_, version: packageVersion };
  }

  async file({ version }: Release): Promise<PackageFile> {
    const [file] = (await this.store.files([version.id])).get(version.id) ?? [];
    if (!file) throw NotFound('package file');
    return file;
  }

  /** Versions, the lowest first. */
  async versions(package_: Package): Promise<readonly string[]> {
    const names = (await this.store.versionNames([package_.id])).get(package_.id) ?? [];
    if (names.length === 0) throw NotFound('package');
    return names.map(({ version }) => version).sort(compareSemver);
  }

  /** A manifest; undefined where there is none for that version of Swift. */
  async manifest({ version }: Release, swiftVersion: string): Promise<Manifest | undefined> {
    const wanted = swiftVersion && tidySwiftVersion(swiftVersion);
    const property = manifestProperty(wanted);
    const pieces = (await this.store.properties('version', [version.id], property)).get(version.id) ?? [];
    if (pieces.length === 0 && !wanted) throw NotFound('package file');
    return pieces.length > 0 ? { swiftVersion: wanted, text: pieces.map((one) => one.value).join('') } : undefined;
  }

  /** Packages that say they come from this repository. */
  async identifiers(owner: Account, url: string): Promise<readonly string[]> {
    const urls: string[] = [];
    for (let offset = 0; ; offset += 500) {
      const { items } = await this.store.search({ ownerId: owner.id, type, latest: true, limit: 500, offset });
      const names = new Map(items.map((item) => [item.package.id, item.package.name]));
      for (const id of (await this.store.versionsWith([...names.keys()], repositoryProperty, url)).keys())
        urls.push(names.get(id)!);
      if (items.length < 500) break;
    }
    if (urls.length === 0) throw NotFound('No package comes from this repository.');
    return urls.sort();
  }
}

/** The newest that is no pre-release; else the newest. */
export const latestOf = (versions: readonly string[]): string =>
  [...versions].reverse().find((one) => parseSemver(one)?.prerelease.length === 0) ?? versions.at(-1)!;

const bytesOfText = (text: string | undefined) => (text === undefined ? undefined : Buffer.from(text));

async function bytesOf(content: Readable): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of content as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > maxPart) throw TooLarge(`A part of the form is larger than ${maxPart} bytes.`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}
