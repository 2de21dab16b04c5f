import { createHash } from 'node:crypto';
import type { Actor } from '@mortise/plugin-sdk';
import type { Account, Accounts } from '@mortise/accounts/api';
import type {
  Package,
  PackageAccess,
  PackageFile,
  PackageStore,
  PackageVersion,
  ReceivedBlob,
} from '@mortise/packages/api';
import { imageConfig, isForeign, isManifestType, readManifest, type Descriptor, type Manifest } from './manifest.js';
import { algorithmOf, checkImage, fileNameOf, hasDigest, isDigest, isTag, refuse, type, waiting } from './oci.js';
import { manifestName, maxConfig, mediaProperty, storedManifest, type StoredManifest } from './stored-manifest.js';

/** What a manifest names, as it is here. */
interface References {
  readonly blobs: ReadonlyMap<string, { readonly file: PackageFile; readonly descriptor: Descriptor }>;
  /** Manifests in an index. */
  readonly children: readonly Descriptor[];
}

export class Images {
  constructor(
    private readonly store: PackageStore,
    private readonly accounts: Accounts,
    private readonly access: PackageAccess,
  ) {}

  find(owner: Account, image: string): Promise<Package | undefined> {
    return this.store.find(owner.id, type, checkImage(image));
  }

  // ---------------------------------------------------------------- blobs

  /** The file of a blob of this image: what another image has is not told by its digest. */
  async blob(
    package_: Package | undefined,
    digest: string,
  ): Promise<{ file: PackageFile; mediaType: string | undefined }> {
    const files = package_ && isDigest(digest) ? await this.store.filesByKey(package_.id, digest) : [];
    const matches = files.filter((file) => file.name !== manifestName);
    if (matches.length === 0) throw refuse('not_found', 'BLOB_UNKNOWN', 'the blob is not known');
    const kinds = await this.store.properties(
      'file',
      matches.map(({ id }) => id),
      mediaProperty,
    );
    const named = matches.find(({ id }) => kinds.has(id));
    return { file: named ?? matches[0]!, mediaType: named && kinds.get(named.id)?.[0]?.value };
  }

  /** A blob waits for its manifest, hidden, and is swept when none comes. */
  async storeBlob(owner: Account, image: string, actor: Actor, digest: string, blob: ReceivedBlob): Promise<void> {
    if (!hasDigest(digest, blob)) throw refuse('bad_request', 'DIGEST_INVALID', 'the content has another digest');
    await this.store.publish({
      owner,
      actor,
      type,
      name: image,
      version: waiting,
      files: [{ name: fileNameOf(digest), compositeKey: digest, isLead: false, blob }],
      onVersion: 'join',
      onFile: 'replace',
      isInternal: 'version',
    });
  }

  /** Takes a blob over from an image that the actor may read; false where there is none. */
  async mount(owner: Account, image: string, actor: Actor, digest: string, from: string): Promise<boolean> {
    const [ownerName = '', ...rest] = from.split('/');
    const other = await this.accounts.byName(ownerName);
    if (!other || !isDigest(digest) || (actor.publicOnly && other.visibility !== 'public')) return false;
    if ((await this.access.mode(actor, other)) === 'none') return false;
    const package_ = await this.store.find(other.id, type, rest.join('/'));
    const file = package_ && (await this.blob(package_, digest).catch(() => undefined))?.file;
    if (!file) return false;
    await this.storeBlob(owner, image, actor, digest, { ...file, id: file.blobId });
    return true;
  }

  async deleteBlob(package_: Package | undefined, digest: string, actor: Actor): Promise<void> {
    await this.blob(package_, digest);
    const version = await this.store.findVersion(package_!.id, waiting);
    const files = await this.store.filesByKey(package_!.id, digest);
    if (files.some((file) => file.versionId !== version?.id))
      throw refuse('method_not_allowed', 'UNSUPPORTED', 'a manifest uses the blob');
    for (const file of files) await this.store.deleteFile(package_!, version!, file, actor);
  }

  // ---------------------------------------------------------------- manifests

  async manifest(
    package_: Package | undefined,
    reference: string,
  ): Promise<{ file: PackageFile; kept: StoredManifest }> {
    const unknown = () => refuse('not_found', 'MANIFEST_UNKNOWN', 'the manifest is not known');
    if (!package_) throw unknown();
    if (!isDigest(reference)) {
      const version = await this.store.findVersion(package_.id, reference);
      const file =
        version && !version.isInternal && (await this.store.findFile(version.id, manifestName, keyOf(version)));
      if (!file) throw unknown();
      return { file, kept: version.metadata as unknown as StoredManifest };
    }
    const file = (await this.store.filesByKey(package_.id, reference)).find((one) => one.name === manifestName);
    const version = file && (await this.store.versionById(file.versionId));
    if (!version) throw unknown();
    return { file, kept: version.metadata as unknown as StoredManifest };
  }

  async putManifest(
    owner: Account,
    image: string,
    actor: Actor,
    reference: string,
    content: Buffer,
    contentType: string,
  ): Promise<StoredManifest> {
    checkImage(image);
    if (!isDigest(reference) && !isTag(reference))
      throw refuse('bad_request', 'MANIFEST_INVALID', 'the tag is invalid');
    const algorithm = isDigest(reference) ? algorithmOf(reference) : 'sha256';
    const digest = `${algorithm}:${createHash(algorithm).update(content).digest('hex')}`;
    if (isDigest(reference) && reference !== digest)
      throw refuse('bad_request', 'DIGEST_INVALID', 'the manifest has another digest');
    const { manifest, mediaType } = readManifest(content, contentType);
    const package_ = await this.store.find(owner.id, type, image);
    const references = await this.referencesOf(package_, manifest);
    const kept = await this.describeManifest(manifest, { digest, mediaType, size: content.length }, references);
    const blob = await this.store.receive(type, content, actor);
    await this.store.publish({
      owner,
      actor,
      type,
      name: image,
      version: reference,
      metadata: { ...kept },
      files: [
        { name: manifestName, compositeKey: digest, blob, properties: { [mediaProperty]: mediaType } },
        ...[...references.blobs.values()].map(({ file, descriptor }) => ({
          name: fileNameOf(descriptor.digest),
          compositeKey: descriptor.digest,
          isLead: false,
          blob: { ...file, id: file.blobId },
          properties: { [mediaProperty]: descriptor.mediaType },
        })),
      ],
      onVersion: 'replace',
      within: ({ version }) => this.store.setMetadata(version.id, { ...kept }),
    });
    return kept;
  }

  /** What a manifest or index names: all of it is here, but for foreign layers. */
  private async referencesOf(package_: Package | undefined, manifest: Manifest): Promise<References> {
    const { config, layers = [], manifests = [] } = manifest;
    const named = [...(config ? [config] : []), ...layers];
    const digests = [...new Set([...named, ...manifests].map(({ digest }) => digest))];
    const files = package_ && digests.length > 0 ? await this.store.filesByKey(package_.id, ...digests) : [];
    const known = new Set(files.filter(({ name }) => name === manifestName).map((file) => file.compositeKey));
    const blobs = new Map(files.filter(({ name }) => name !== manifestName).map((file) => [file.compositeKey, file]));
    const isChild = ({ mediaType, digest }: Descriptor) =>
      isManifestType(mediaType) || (known.has(digest) && !blobs.has(digest));
    const children = manifests.filter(isChild);
    const missing = children.find(({ digest }) => !known.has(digest));
    if (missing) throw refuse('not_found', 'MANIFEST_BLOB_UNKNOWN', `the manifest ${missing.digest} is not known`);
    const found = new Map<string, { file: PackageFile; descriptor: Descriptor }>();
    for (const descriptor of [...named, ...manifests.filter((one) => !isChild(one))]) {
      const { digest, size } = descriptor;
      const file = blobs.get(digest);
      if (found.has(digest) || (!file && isForeign(descriptor))) continue;
      if (!file) throw refuse('not_found', 'MANIFEST_BLOB_UNKNOWN', `the blob ${digest} is not known`);
      if (file.size !== size) throw refuse('bad_request', 'SIZE_INVALID', `the blob ${digest} has another size`);
      found.set(digest, { file, descriptor });
    }
    return { blobs: found, children };
  }

  private async describeManifest(
    manifest: Manifest,
    facts: Pick<StoredManifest, 'digest' | 'mediaType' | 'size'>,
    { blobs, children }: References,
  ): Promise<StoredManifest> {
    const { config } = manifest;
    const file = config && blobs.get(config.digest)?.file;
    const about =
      file && file.size <= maxConfig && /image/.test(config.mediaType)
        ? imageConfig(await this.store.random(file).read(0, file.size))
        : undefined;
    return storedManifest(manifest, facts, children, about);
  }

  /** A tag goes alone; with a digest go all versions that have it. */
  async deleteManifest(package_: Package | undefined, reference: string, actor: Actor): Promise<void> {
    await this.manifest(package_, reference);
    if (!isDigest(reference)) {
      await this.store.deleteVersion(package_!, (await this.store.findVersion(package_!.id, reference))!, actor);
      return;
    }
    const files = (await this.store.filesByKey(package_!.id, reference)).filter(({ name }) => name === manifestName);
    for (const version of (await this.store.versionsByIds(files.map(({ versionId }) => versionId))).values())
      await this.store.deleteVersion(package_!, version, actor);
  }

  /** The tag `latest`, and what an index names. */
  async inUse(package_: Package): Promise<ReadonlySet<number>> {
    const versions = (await this.store.versions(package_.id)).filter(({ isInternal }) => !isInternal);
    const named = new Set(versions.flatMap(({ metadata }) => (metadata as unknown as StoredManifest).manifests ?? []));
    const needed = versions.filter((one) => one.lowerVersion === 'latest' || named.has(keyOf(one)));
    return new Set(needed.map(({ id }) => id));
  }

  /** Names in the order of their bytes, as the specification has it. */
  async tags(package_: Package | undefined): Promise<string[]> {
    const names = package_ ? ((await this.store.versionNames([package_.id])).get(package_.id) ?? []) : [];
    const tags = names.map(({ version }) => version).filter((name) => !isDigest(name) && name !== waiting);
    if (names.length === 0) throw refuse('not_found', 'NAME_UNKNOWN', 'the image is not known');
    return tags.sort((a, b) => (a < b ? -1 : a > b ? 1 : 0));
  }

  /** Manifests that say they belong to another one: signatures, lists of what is inside. */
  async referrers(package_: Package | undefined, subject: string): Promise<object[]> {
    if (!package_) return [];
    const seen = new Map<string, object>();
    for (const { metadata, isInternal } of await this.store.versions(package_.id)) {
      const kept = metadata as unknown as StoredManifest;
      if (isInternal || kept.subject !== subject) continue;
      const { digest, mediaType, size, artifactType, annotations } = kept;
      seen.set(digest, {
        mediaType,
        digest,
        size,
        ...(artifactType && { artifactType }),
        ...(annotations && { annotations }),
      });
    }
    return [...seen.values()];
  }

  /**
   * Images that the actor may read, `owner/image`, in the order of their bytes. Images are read by the index of their
   * owners, no more of them than are wanted.
   */
  async catalogue(actor: Actor, last: string, limit: number): Promise<string[]> {
    const owners = await this.ownersFrom(last);
    const names: string[] = [];
    const add = async (batch: readonly Account[], after?: string) => {
      const visible = new Map<number, string>();
      for (const owner of batch) if (await this.isVisible(actor, owner)) visible.set(owner.id, rootOf(owner));
      const wanted = { type, ownerIds: [...visible.keys()], after, limit: limit - names.length };
      for (const { ownerId, lowerName } of await this.store.named(wanted))
        names.push(`${visible.get(ownerId)!}${lowerName}`);
    };
    // in the middle of an owner: by the index alone, however many images there are
    const [first] = owners;
    if (first && last.startsWith(rootOf(first))) await add([owners.shift()!], last.slice(rootOf(first).length));
    while (owners.length > 0 && names.length < limit) await add(owners.splice(0, limit - names.length));
    return names;
  }

  /** Owners of images, in the order of their names, without those whose images all come before that one. */
  private async ownersFrom(last: string): Promise<Account[]> {
    const ids = await this.store.owners(type);
    const accounts: Account[] = [];
    for (let at = 0; at < ids.length; at += 500)
      for (const owner of (await this.accounts.byIds(ids.slice(at, at + 500))).values())
        if (rootOf(owner) > last || last.startsWith(rootOf(owner))) accounts.push(owner);
    return accounts.sort((a, b) => (rootOf(a) < rootOf(b) ? -1 : 1));
  }

  private async isVisible(actor: Actor, owner: Account): Promise<boolean> {
    if (owner.visibility === 'public') return true;
    return !actor.publicOnly && (await this.access.mode(actor, owner)) !== 'none';
  }

  /** Blobs that no manifest took. */
  async sweep(before: number, actor: Actor, signal: AbortSignal): Promise<void> {
    for (const package_ of await this.store.withVersion(type, waiting)) {
      if (signal.aborted) return;
      const version = await this.store.findVersion(package_.id, waiting);
      const files = version ? ((await this.store.files([version.id])).get(version.id) ?? []) : [];
      for (const file of files)
        if (file.createdAt < before) await this.store.deleteFile(package_, version!, file, actor);
    }
  }
}

/** How the names of an owner's images begin. */
const rootOf = ({ lowerName }: Account): string => `${lowerName}/`;

const keyOf = (version: PackageVersion): string => (version.metadata as unknown as StoredManifest).digest ?? '';
