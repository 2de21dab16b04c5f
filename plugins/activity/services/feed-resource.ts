import {
  defineResource,
  Forbidden,
  Problem,
  type PointReader,
  type Reply,
  type ResourceRequest,
  type ResourceResolver,
} from '@mortise/plugin-sdk';
import { repositoryResource, type RepositoryContext } from '@mortise/repositories/api';
import { t } from '../texts/index.js';

/** A repository for feed readers: who holds back rights that the account has is told so (route-feeds). */
export const feedResource = defineResource<RepositoryContext>('activity.repository');

export class FeedResolver implements ResourceResolver<RepositoryContext> {
  readonly key = feedResource.id;

  constructor(private readonly resources: PointReader<ResourceResolver>) {}

  async resolve(request: ResourceRequest): Promise<RepositoryContext | Reply> {
    const inner = this.resources.get(repositoryResource.id)!;
    try {
      return (await inner.resolve(request)) as RepositoryContext | Reply;
    } catch (error) {
      if (!request.actor.publicOnly || !Problem.is(error) || error.code !== 'not_found') throw error;
      // Throws the same unless the account itself may read it.
      await inner.resolve({ ...request, actor: { ...request.actor, publicOnly: false } });
      throw Forbidden(t.later('error.publicOnly'));
    }
  }
}
