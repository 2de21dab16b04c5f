import {
  Problem,
  Reply,
  type Actor,
  type PointReader,
  type ResourceRequest,
  type ResourceResolver,
} from '@mortise/plugin-sdk';
import {
  pushResource,
  type BranchAccess,
  type BranchWriters,
  type Repository,
  type RepositoryContext,
} from '../api.js';

/** Who may push to single branches. */
export class PushAccess implements BranchAccess {
  constructor(private readonly writers: PointReader<BranchWriters>) {}

  async branchesOf(actor: Actor, repository: Repository): Promise<ReadonlySet<string>> {
    if (actor.kind !== 'user' || repository.isArchived) return new Set();
    const branches = await Promise.all(this.writers.list().map((one) => one.branches(actor, repository)));
    return new Set(branches.flat());
  }
}

/** Resolves repositories for routes that write to one branch. */
export class PushResolver implements ResourceResolver<RepositoryContext> {
  readonly key = pushResource.id;

  constructor(
    private readonly deps: { readonly resolver: ResourceResolver<RepositoryContext>; readonly branches: BranchAccess },
  ) {}

  async resolve(request: ResourceRequest): Promise<RepositoryContext | Reply> {
    const { resolver, branches } = this.deps;
    try {
      return await resolver.resolve(request);
    } catch (error) {
      if (!Problem.is(error) || error.code !== 'forbidden') throw error;
      const resource = await resolver.resolve({ ...request, access: { ...request.access, mode: 'read' } });
      if (resource instanceof Reply || !(await branches.branchesOf(request.actor, resource.repository)).size)
        throw error;
      return resource;
    }
  }
}
