import { NotFound, type Actor, type StorageArea } from '@mortise/plugin-sdk';
import type { Repositories, Repository, RepositoryAccess, RepositoryContext } from '@mortise/repositories/api';
import type { AttachmentSource, Release, ReleaseAsset, ServedFile } from '../api.js';
import { keyOf } from './assets.js';
import type { DownloadCounter } from './downloads.js';
import type { ReleaseReader } from './reader.js';

/** Drafts are for those who may write. */
export const maySee = (context: RepositoryContext, release: Release): boolean =>
  !release.isDraft || context.may('write', 'releases');

/** The release of that number in this repository, as far as the actor may see it. */
export async function releaseOf(reader: ReleaseReader, context: RepositoryContext, id: number): Promise<Release> {
  const release = await reader.byId(id);
  if (release?.repositoryId !== context.repository.id || !maySee(context, release)) throw NotFound('release');
  return release;
}

export async function releaseOfTag(
  reader: ReleaseReader,
  context: RepositoryContext,
  tagName: string | undefined,
): Promise<Release> {
  const release = tagName ? await reader.byTag(context.repository.id, tagName) : undefined;
  if (!release || !maySee(context, release)) throw NotFound('release');
  return release;
}

/** Files of releases as they are served; by uuid wherever the release is. */
export class ReleaseFiles implements AttachmentSource {
  readonly key = 'releases';

  constructor(
    private readonly parts: {
      readonly reader: ReleaseReader;
      readonly repositories: Repositories;
      readonly repositoryAccess: RepositoryAccess;
      readonly area: StorageArea;
      readonly counter: DownloadCounter;
    },
  ) {}

  async find(uuid: string, actor: Actor): Promise<ServedFile | undefined> {
    const { reader, repositories, repositoryAccess } = this.parts;
    const asset = await reader.assetByUuid(uuid);
    if (!asset) return undefined;
    const release = await reader.byId(asset.releaseId);
    const repository = await repositories.byId(asset.repositoryId);
    if (!release || !repository) throw NotFound('file');
    const context = await repositoryAccess.context(actor, repository);
    if (!context.may('read', 'releases') || !maySee(context, release)) throw NotFound('file');
    return this.served(asset, repository, release);
  }

  served(asset: ReleaseAsset, repository: Repository, release: Pick<Release, 'isDraft'>): ServedFile {
    const { area, counter } = this.parts;
    const key = keyOf(asset.uuid);
    return {
      name: asset.name,
      size: asset.size,
      sha256: asset.sha256,
      createdAt: asset.createdAt,
      isPrivate: release.isDraft || repository.isPrivate || repository.ownerVisibility !== 'public',
      open: async (range) => (await area.get(key, range)).stream,
      elsewhere: async () => asset.externalUrl || (await area.signedUrl(key, { fileName: asset.name })),
      count: () => counter.add(asset.id),
    };
  }
}
