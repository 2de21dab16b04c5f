import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import { gzipSync } from 'node:zlib';
import { BadRequest, NotFound, type Actor, type Database, type Locks } from '@mortise/plugin-sdk';
import type { Account } from '@mortise/accounts/api';
import {
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
import { describe, infoOf, type RpmXml } from './describe.js';
import { mergeAdvisories, readAdvisories, updateInfo, type Advisory } from './errata.js';
import { readParts, signedFront } from './header.js';

export const type = 'rpm';
const property = 'rpm.xml';
const anyArchitecture = 'noarch';
const group = /^[A-Za-z0-9][A-Za-z0-9._+~-]*(?:\/[A-Za-z0-9][A-Za-z0-9._+~-]*)*$/;
const payloadSize = 1007;
/** Errata of a version, by group, in its metadata. */
type Errata = Readonly<Record<string, readonly Advisory[]>>;
const errataOf = (metadata: Readonly<Record<string, unknown>>) => (metadata.errata ?? {}) as Errata;

interface Named {
  readonly name: string;
  readonly version: string;
  readonly architecture: string;
}

export interface RepositoryParts {
  readonly packageStore: PackageStore;
  readonly packageIndexes: PackageIndexes;
  readonly signingKeys: SigningKeys;
  readonly database: Database;
  readonly locks: Locks;
}

const space = 'http://linux.duke.edu/metadata';
const declaration = '<?xml version="1.0" encoding="UTF-8"?>\n';

/** Groups of packages, each with metadata of its own (PKG-09). A group is its path; that of the root is empty. */
export class RpmRepositories {
  constructor(private readonly parts: RepositoryParts) {}

  async publish(
    owner: Account,
    actor: Actor,
    place: string,
    body: Readable,
    { size, sign }: { readonly size?: number; readonly sign: boolean },
  ): Promise<void> {
    const { packageStore: store } = this.parts;
    if (place !== '' && (!group.test(place) || place.length > 150)) throw BadRequest('invalid group');
    const received = await store.receive(type, body, actor, size);
    const parts = await readParts(store.random(received));
    const info = infoOf(parts.header);
    const { name, label, architecture, summary, description, homepage, license } = info;
    const blob = sign ? await this.signed(owner, actor, received, parts) : received;
    const headerStart = parts.headerStart + blob.size - received.size;
    const fileName = `${name}-${label}.${architecture}.rpm`;
    const xml = describe(parts.header, info, {
      location: `package/${name}/${label}/${architecture}/${fileName}`,
      sha256: blob.sha256,
      size: blob.size,
      time: Math.floor(Date.now() / 1000),
      archiveSize: parts.signature.number(payloadSize) ?? 0,
      headerRange: [headerStart, headerStart + parts.header.bytes.length],
    });
    await store.publish({
      owner,
      actor,
      type,
      name,
      version: label,
      metadata: { summary, description, homepage, license },
      onVersion: 'join',
      files: [{ name: fileName, blob, compositeKey: place, properties: { [property]: inPieces(JSON.stringify(xml)) } }],
    });
  }

  /** The same package with a signature of the owner's key over its header. */
  private async signed(
    owner: Account,
    actor: Actor,
    received: ReceivedBlob,
    parts: Awaited<ReturnType<typeof readParts>>,
  ): Promise<ReceivedBlob> {
    const { packageStore: store, signingKeys } = this.parts;
    const key = await signingKeys.openPgp(owner, type);
    const front = signedFront(parts, await key.sign(parts.header.bytes, 'binary'));
    const rest = await store.open(received, { start: parts.headerStart });
    const whole = async function* () {
      yield front;
      yield* rest as AsyncIterable<Buffer>;
    };
    const size = front.length + received.size - parts.headerStart;
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
    const found = await this.placed(owner, place, named);
    if (!found) throw NotFound('package file');
    await this.parts.packageStore.deleteFile(found.package, found.version, found.file, actor);
  }

  private async placed(owner: Account, place: string, named: Named): Promise<PlacedFile | undefined> {
    const name = `${named.name}-${named.version}.${named.architecture}.rpm`;
    const found = await this.parts.packageStore.filesUnder({ ownerId: owner.id, type, compositeKeys: [place], name });
    return found.at(0);
  }

  async metadata(owner: Account, place: string, name: string): Promise<PackageFile> {
    const found = await this.parts.packageIndexes.find(owner.id, type, place, name);
    if (!found) throw NotFound('metadata');
    return found;
  }

  async key(owner: Account): Promise<string> {
    return (await this.parts.signingKeys.openPgp(owner, type)).publicKey;
  }

  /** Adds errata to a version of a group. */
  async amend(owner: Account, place: string, name: string, label: string, given: unknown): Promise<void> {
    const { packageStore: store, packageIndexes, database, locks } = this.parts;
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
        await packageIndexes.mark(owner.id, type, [place]);
      }),
    );
  }

  async build({ owner, parts }: IndexBuild): Promise<Record<string, readonly IndexFile[]>> {
    const made: Record<string, readonly IndexFile[]> = {};
    for (const place of parts) made[place] = await this.files(owner, place);
    return made;
  }

  private async files(owner: Account, place: string): Promise<readonly IndexFile[]> {
    const { packageStore: store, signingKeys } = this.parts;
    const packages = await store.filesUnder({ ownerId: owner.id, type, compositeKeys: [place], property });
    if (packages.length === 0) return [];
    const entries = packages.map(({ value }) => JSON.parse(value) as RpmXml);
    const list = (kind: keyof RpmXml, root: string, spaces: string) =>
      `<${root} ${spaces} packages="${entries.length}">\n${entries.map((one) => one[kind]).join('\n')}\n</${root}>`;
    const versions = new Map(packages.map(({ version }) => [version.id, version]));
    const advisories = [...versions.values()].reduce<readonly Advisory[]>(
      (all, { metadata }) => mergeAdvisories(all, errataOf(metadata)[place] ?? []),
      [],
    );
    const documents = {
      primary: list('primary', 'metadata', `xmlns="${space}/common" xmlns:rpm="${space}/rpm"`),
      filelists: list('filelists', 'filelists', `xmlns="${space}/filelists"`),
      other: list('other', 'otherdata', `xmlns="${space}/other"`),
      ...(advisories.length > 0 && { updateinfo: updateInfo(advisories) }),
    };
    const made: IndexFile[] = [];
    const data: string[] = [];
    const now = Math.floor(Date.now() / 1000);
    for (const [kind, text] of Object.entries(documents)) {
      const open = Buffer.from(declaration + text);
      const content = gzipSync(open);
      made.push({ name: `${kind}.xml.gz`, content });
      data.push(
        `<data type="${kind}"><checksum type="sha256">${sha256(content)}</checksum>` +
          `<open-checksum type="sha256">${sha256(open)}</open-checksum>` +
          `<location href="repodata/${kind}.xml.gz"/><timestamp>${now}</timestamp>` +
          `<size>${content.length}</size><open-size>${open.length}</open-size></data>`,
      );
    }
    const repomd = Buffer.from(
      `${declaration}<repomd xmlns="${space}/repo" xmlns:rpm="${space}/rpm">\n${data.join('\n')}\n</repomd>\n`,
    );
    const signature = await (await signingKeys.openPgp(owner, type)).sign(repomd, 'armored');
    made.push({ name: 'repomd.xml', content: repomd });
    made.push({ name: 'repomd.xml.asc', content: Buffer.from(signature) });
    return made;
  }
}

const sha256 = (content: Buffer) => createHash('sha256').update(content).digest('hex');
