import { Readable } from 'node:stream';
import { BadRequest, NotFound, type Actor, type Database, type Locks } from '@mortise/plugin-sdk';
import type { Account } from '@mortise/accounts/api';
import {
  brief,
  inPieces,
  type IndexBuild,
  type IndexFile,
  type PackageFile,
  type PackageIndexes,
  type PackageStore,
  type PlacedFile,
  type ReceivedBlob,
  type SigningKeys,
} from '@mortise/packages/api';
import { describe, infoOf } from './describe.js';
import { errataOf, mergeAdvisories, readAdvisories } from './errata.js';
import { readHeaders, signedFront, type RpmHeaders } from './header.js';
import { buildMetadata, property, type } from './metadata.js';

const anyArchitecture = 'noarch';
const group = /^[A-Za-z0-9][A-Za-z0-9._+~-]*(?:\/[A-Za-z0-9][A-Za-z0-9._+~-]*)*$/;
const payloadSize = 1007;

interface Named {
  readonly name: string;
  readonly version: string;
  readonly architecture: string;
}

interface RepositoryDeps {
  readonly packageStore: PackageStore;
  readonly packageIndexes: PackageIndexes;
  readonly signingKeys: SigningKeys;
  readonly database: Database;
  readonly locks: Locks;
}

/** Groups of packages, each with metadata of its own (PKG-09). A group is its path; that of the root is empty. */
export class RpmRepositories {
  constructor(private readonly deps: RepositoryDeps) {}

  async publish(
    owner: Account,
    actor: Actor,
    place: string,
    body: Readable,
    { size, sign }: { readonly size?: number; readonly sign: boolean },
  ): Promise<void> {
    const { packageStore: store } = this.deps;
    if (place !== '' && (!group.test(place) || place.length > 150)) throw BadRequest('invalid group');
    const received = await store.receive(type, body, actor, size);
    const headers = await readHeaders(store.random(received));
    const info = infoOf(headers.header);
    const { name, label, architecture, summary, description, homepage, license } = info;
    const blob = sign ? await this.signed(owner, actor, received, headers) : received;
    const headerStart = headers.headerStart + blob.size - received.size;
    const fileName = `${name}-${label}.${architecture}.rpm`;
    const xml = describe(headers.header, info, {
      location: `package/${name}/${label}/${architecture}/${fileName}`,
      sha256: blob.sha256,
      size: blob.size,
      time: Math.floor(Date.now() / 1000),
      archiveSize: headers.signature.number(payloadSize) ?? 0,
      headerRange: [headerStart, headerStart + headers.header.bytes.length],
    });
    await store.publish({
      owner,
      actor,
      type,
      name,
      version: label,
      metadata: brief({ summary, description, homepage, license }),
      onVersion: 'join',
      files: [{ name: fileName, blob, compositeKey: place, properties: { [property]: inPieces(JSON.stringify(xml)) } }],
    });
  }

  /** The same package with a signature of the owner's key over its header. */
  private async signed(
    owner: Account,
    actor: Actor,
    received: ReceivedBlob,
    headers: RpmHeaders,
  ): Promise<ReceivedBlob> {
    const { packageStore: store, signingKeys } = this.deps;
    const key = await signingKeys.openPgp(owner, type);
    const front = signedFront(headers, await key.sign(headers.header.bytes, 'binary'));
    const rest = await store.open(received, { start: headers.headerStart });
    const whole = async function* () {
      yield front;
      yield* rest as AsyncIterable<Buffer>;
    };
    const size = front.length + received.size - headers.headerStart;
    return store.receive(type, Readable.from(whole()), actor, size);
  }

  /** Of that architecture, or of all. */
  async file(owner: Account, place: string, { architecture, ...named }: Named): Promise<PackageFile> {
    const found =
      (await this.placed(owner, place, { ...named, architecture })) ??
      (await this.placed(owner, place, { ...named, architecture: anyArchitecture }));
    if (!found) throw NotFound('package file');
    return found.file;
  }

  async delete(owner: Account, actor: Actor, place: string, named: Named): Promise<void> {
    const file = await this.placed(owner, place, named);
    if (!file) throw NotFound('package file');
    await this.deps.packageStore.deleteFile(file.package, file.version, file.file, actor);
  }

  private async placed(owner: Account, place: string, named: Named): Promise<PlacedFile | undefined> {
    const name = `${named.name}-${named.version}.${named.architecture}.rpm`;
    const files = await this.deps.packageStore.filesUnder({ ownerId: owner.id, type, compositeKeys: [place], name });
    return files.at(0);
  }

  async metadata(owner: Account, place: string, name: string): Promise<PackageFile> {
    const index = await this.deps.packageIndexes.find(owner.id, type, place, name);
    if (!index) throw NotFound('metadata');
    return index;
  }

  async key(owner: Account): Promise<string> {
    return (await this.deps.signingKeys.openPgp(owner, type)).publicKey;
  }

  /** Adds errata to a version of a group. */
  async amend(owner: Account, place: string, name: string, label: string, given: unknown): Promise<void> {
    const { packageStore: store, packageIndexes, database, locks } = this.deps;
    const advisories = readAdvisories(given);
    const package_ = await store.find(owner.id, type, name);
    const known = package_ && (await store.findVersion(package_.id, label));
    if (!known) throw NotFound('package version');
    await locks.hold(`package-rpm.errata.${known.id}`, () =>
      database.write(async () => {
        const version = await store.findVersion(known.packageId, label);
        const files = (await store.files([known.id])).get(known.id) ?? [];
        if (!version || !files.some((file) => file.compositeKey === place)) throw NotFound('package version');
        const errata = errataOf(version.metadata);
        const now = new Date().toISOString().slice(0, 19).replace('T', ' ');
        const merged = mergeAdvisories(errata[place] ?? [], advisories, now);
        await store.setMetadata(version.id, { ...version.metadata, errata: { ...errata, [place]: merged } });
        await packageIndexes.mark(owner.id, type, [place], known.packageId);
      }),
    );
  }

  async build(build: IndexBuild): Promise<Record<string, readonly IndexFile[]>> {
    const made: Record<string, readonly IndexFile[]> = {};
    for (const place of build.parts) made[place] = await buildMetadata(build, place, this.deps);
    return made;
  }
}
