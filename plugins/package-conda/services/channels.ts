import { createHash } from 'node:crypto';
import type { Readable } from 'node:stream';
import { BadRequest, NotFound, type Actor, type QueryCache, type MemoryCache } from '@mortise/plugin-sdk';
import type { Account } from '@mortise/accounts/api';
import { inPieces, packBzip2, type PackageFile, type PackageStore } from '@mortise/packages/api';
import { readConda, type CondaIndex, type Container } from './conda-package.js';

export const type = 'conda';
export const property = 'conda.index';
const channelPattern = /^[A-Za-z0-9][A-Za-z0-9._-]*(?:\/[A-Za-z0-9][A-Za-z0-9._-]*)*$/;
const maxChannel = 100;
export interface Repodata {
  readonly content: Buffer;
  readonly tag: string;
}

export const compositeKeyOf = (channel: string, subdir: string) => `${channel}|${subdir}`;
export const channelAndSubdir = (key: string): { readonly channel: string; readonly subdir: string } => {
  const [channel = '', subdir = ''] = key.split('|');
  return { channel, subdir };
};

/** Channels of packages, each with an index for every platform. A channel is its path; the root has none. */
export class Channels {
  constructor(
    private readonly store: PackageStore,
    private readonly indexes: QueryCache<Repodata>,
    private readonly packed: MemoryCache<Buffer>,
  ) {}

  async publish(
    owner: Account,
    actor: Actor,
    channel: string,
    fileName: string,
    body: Readable,
    size?: number,
  ): Promise<void> {
    if (channel !== '' && (!channelPattern.test(channel) || channel.length > maxChannel))
      throw BadRequest('channel is invalid');
    const container = /(\.conda|\.tar\.bz2)$/.exec(fileName)?.[1] as Container | undefined;
    if (!container) throw BadRequest('the file is neither a .conda nor a .tar.bz2');
    const blob = await this.store.receive(type, body, actor, size);
    const { index, ...about } = await readConda(this.store, blob, container);
    const { name, version, build, subdir } = index;
    await this.store.publish({
      owner,
      actor,
      type,
      name: channel ? `${channel}/${name}` : name,
      version,
      metadata: { ...about, dependencies: (index.depends as readonly string[]).slice(0, 200) },
      onVersion: 'join',
      files: [
        {
          name: `${name}-${version}-${build}${container}`,
          blob,
          compositeKey: compositeKeyOf(channel, subdir),
          properties: { [property]: inPieces(JSON.stringify(index)) },
        },
      ],
    });
  }

  async file(owner: Account, channel: string, subdir: string, name: string): Promise<PackageFile> {
    const compositeKeys = [compositeKeyOf(channel, subdir)];
    const [found] = await this.store.filesUnder({ ownerId: owner.id, type, compositeKeys, name });
    if (!found) throw NotFound('package file');
    return found.file;
  }

  /** Remembered while nothing was committed. */
  async repodata(owner: Account, channel: string, subdir: string): Promise<Repodata> {
    const loaded = await this.indexes.load(`${owner.id}/${compositeKeyOf(channel, subdir)}`, async () => {
      const compositeKeys = [compositeKeyOf(channel, subdir)];
      const files = await this.store.filesUnder({ ownerId: owner.id, type, compositeKeys, property });
      const listed: Record<Container, Record<string, object>> = { '.tar.bz2': {}, '.conda': {} };
      for (const { file, value } of files) {
        const container: Container = file.name.endsWith('.conda') ? '.conda' : '.tar.bz2';
        const { md5, sha256, size } = file;
        listed[container][file.name] = { ...(JSON.parse(value) as CondaIndex), md5, sha256, size };
      }
      const document = {
        info: { subdir },
        packages: listed['.tar.bz2'],
        'packages.conda': listed['.conda'],
        removed: [],
        repodata_version: 1,
      };
      const content = files.length > 0 ? Buffer.from(JSON.stringify(document)) : Buffer.alloc(0);
      return { content, tag: createHash('sha256').update(content).digest('hex').slice(0, 40) };
    });
    if (loaded.content.length === 0) throw NotFound('repodata');
    return loaded;
  }

  /** By what is in it, since packing takes its time. */
  async packedRepodata(owner: Account, channel: string, subdir: string): Promise<Repodata> {
    const { content, tag } = await this.repodata(owner, channel, subdir);
    const packed = await this.packed.load(tag, () => packBzip2(content), { size: ({ length }) => length + 1 });
    return { content: packed, tag: `${tag}-bz2` };
  }
}
