import type { Readable } from 'node:stream';
import { BadRequest, NotFound, parseJsonObject, type Actor } from '@mortise/plugin-sdk';
import type { Account } from '@mortise/accounts/api';
import {
  compareSemver,
  packingOf,
  tarEntries,
  tidySemver,
  unpack,
  type PackageFile,
  type PackageStore,
  type ReceivedBlob,
} from '@mortise/packages/api';

export const type = 'vagrant';
const namePattern = /^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$/;
const boxFile = /^([A-Za-z0-9][A-Za-z0-9._-]{0,99})\.box$/;
const maxJson = 64 * 1024;
const maxText = 20_000;
/** The metadata is at the beginning of a box; it is not searched behind the disk image. */
const maxSearched = 256 * 1024 * 1024;

export interface BoxInfo {
  readonly description?: string;
  readonly author?: string;
  /** http or https. */
  readonly website?: string;
  readonly repository?: string;
}

/** The document of a box for vagrant: every version with its providers. */
interface BoxRecord {
  readonly name: string;
  readonly description: string;
  readonly short_description: string;
  readonly versions: readonly {
    readonly version: string;
    readonly status: 'active';
    readonly description_html: string;
    readonly description_markdown: string;
    readonly providers: readonly {
      readonly name: string;
      readonly url: string;
      readonly checksum: string;
      readonly checksum_type: 'sha512';
    }[];
  }[];
}

export class Boxes {
  constructor(private readonly store: PackageStore) {}

  async publish(
    owner: Account,
    actor: Actor,
    { name, version, file }: { readonly name: string; readonly version: string; readonly file: string },
    body: Readable,
    size?: number,
  ): Promise<void> {
    if (!namePattern.test(name)) throw BadRequest('box name is invalid');
    if (!tidySemver(version) || !/^\d/.test(version)) throw BadRequest('box version is invalid');
    if (!boxFile.test(file)) throw BadRequest('the file is not named PROVIDER.box');
    const blob = await this.store.receive(type, body, actor, size);
    const info = await readBox(this.store, blob);
    await this.store.publish({
      owner,
      actor,
      type,
      name,
      version,
      metadata: { ...info },
      onVersion: 'join',
      files: [{ name: file, blob }],
    });
  }

  async file(owner: Account, name: string, version: string, file: string): Promise<PackageFile> {
    const package_ = await this.store.find(owner.id, type, name);
    const packageVersion = package_ && (await this.store.findVersion(package_.id, version));
    const known = packageVersion && (await this.store.findFile(packageVersion.id, file));
    if (!known) throw NotFound('box');
    return known;
  }

  async record(owner: Account, name: string, baseUrl: string): Promise<BoxRecord> {
    const package_ = await this.store.find(owner.id, type, name);
    const versions = package_ ? await this.store.versions(package_.id) : [];
    if (!package_ || versions.length === 0) throw NotFound('box');
    const files = await this.store.files(versions.map(({ id }) => id));
    const description = ((versions[0]!.metadata as BoxInfo).description ?? '').trim();
    return {
      name: package_.name,
      description,
      short_description: description.split('\n', 1)[0]!,
      versions: [...versions]
        .sort((a, b) => compareSemver(tidySemver(a.version) ?? a.version, tidySemver(b.version) ?? b.version))
        .map((version) => ({
          version: version.version,
          status: 'active' as const,
          description_html: '',
          description_markdown: (version.metadata as BoxInfo).description ?? '',
          providers: (files.get(version.id) ?? []).map((file) => ({
            name: boxFile.exec(file.name)?.[1] ?? file.name,
            url: `${baseUrl}/${[package_.name, version.version, file.name].map(encodeURIComponent).join('/')}`,
            checksum: file.sha512,
            checksum_type: 'sha512' as const,
          })),
        })),
    };
  }
}

function readJson(bytes: Buffer, file: string): Readonly<Record<string, unknown>> {
  const value = parseJsonObject(bytes);
  if (!value) throw BadRequest(`The ${file} of the box is no JSON object.`);
  return value;
}

/** A tar, packed by gzip or not: with a metadata.json, and what info.json says of it. */
async function readBox(store: PackageStore, blob: ReceivedBlob): Promise<BoxInfo> {
  const start = blob.size < 2 ? Buffer.alloc(0) : await store.random(blob).read(0, 2);
  const content = await store.open(blob);
  const tar = packingOf(start) === 'gzip' ? unpack(content, 'gzip') : content;
  let info: Readonly<Record<string, unknown>> | undefined;
  let hasMetadata = false;
  let searched = 0;
  for await (const entry of tarEntries(tar, { maxBytes: 2 * maxSearched })) {
    const name = entry.kind === 'file' ? entry.name.replace(/^(?:\.\/)+/, '') : '';
    if (name === 'metadata.json') {
      readJson(await entry.content(maxJson), name);
      hasMetadata = true;
    } else if (name === 'info.json') info = readJson(await entry.content(maxJson), name);
    searched += entry.size;
    if ((hasMetadata && info) || searched > maxSearched) break;
  }
  if (!hasMetadata && searched <= maxSearched) throw BadRequest('The box has no metadata.json.');
  return infoOf(info ?? {});
}

function infoOf(values: Readonly<Record<string, unknown>>): BoxInfo {
  const found = new Map(Object.entries(values).map(([key, value]) => [key.toLowerCase(), value]));
  const text = (key: string) => {
    const value = found.get(key);
    return typeof value === 'string' && value.trim() ? value.slice(0, maxText) : undefined;
  };
  const link = (key: string) => (/^https?:\/\/\S+$/i.test(text(key) ?? '') ? text(key) : undefined);
  return {
    description: text('description'),
    author: text('author'),
    website: link('website'),
    repository: link('repository'),
  };
}
