import { holdsScope, NotFound, type Actor } from '@mortise/plugin-sdk';
import type { RepositoryContext } from '@mortise/repositories/api';
import type { Release } from '../contract/releases.js';
import type { ReleaseReader } from './release-reader.js';

/** Drafts are for those who may write, and not for tokens that only read. */
export const maySeeDrafts = (context: RepositoryContext, actor: Actor): boolean =>
  holdsScope(actor, 'repository', 'write') && context.may('write', 'releases');

export const maySee = (context: RepositoryContext, release: Release, actor: Actor): boolean =>
  !release.isDraft || maySeeDrafts(context, actor);

/** The release of that number in this repository, as far as the actor may see it. */
export async function releaseOf(
  reader: ReleaseReader,
  context: RepositoryContext,
  id: number,
  actor: Actor,
): Promise<Release> {
  const release = await reader.byId(id);
  if (release?.repositoryId !== context.repository.id || !maySee(context, release, actor)) throw NotFound('release');
  return release;
}

export async function releaseOfTag(
  reader: ReleaseReader,
  context: RepositoryContext,
  tagName: string | undefined,
  actor: Actor,
): Promise<Release> {
  const release = tagName ? await reader.byTag(context.repository.id, tagName) : undefined;
  if (!release || !maySee(context, release, actor)) throw NotFound('release');
  return release;
}
