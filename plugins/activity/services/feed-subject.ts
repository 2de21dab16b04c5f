import {
  defineSubject,
  Forbidden,
  Problem,
  type PointReader,
  type Reply,
  type SubjectRequest,
  type SubjectResolver,
} from '@mortise/plugin-sdk';
import { repositorySubject, type RepositoryContext } from '@mortise/repositories/api';
import { t } from '../texts/index.js';

/** A repository for feed readers: who holds back rights that the account has is told so (route-feeds). */
export const feedSubject = defineSubject<RepositoryContext>('activity.repository');

export class FeedResolver implements SubjectResolver<RepositoryContext> {
  readonly key = feedSubject.id;

  constructor(private readonly subjects: PointReader<SubjectResolver>) {}

  async resolve(request: SubjectRequest): Promise<RepositoryContext | Reply> {
    const inner = this.subjects.get(repositorySubject.id)!;
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
