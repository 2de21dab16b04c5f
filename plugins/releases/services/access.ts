import { NotFound } from '@mortise/plugin-sdk';
import type { RepositoryContext } from '@mortise/repositories/api';
import type { Release } from '../api.js';
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
