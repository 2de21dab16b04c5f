import {
  Forbidden,
  NotFound,
  Reply,
  Unauthorized,
  type ResourceRequest,
  type ResourceResolver,
} from '@mortise/plugin-sdk';
import { accessRank, isChangeByJob, mustBeActive, type RepositoryContext } from '@mortise/repositories/api';
import { issueResource, unitOf, type Issue, type IssueContext } from '../api.js';
import type { IssueReader } from './issue-reader.js';
import { t } from '../texts/index.js';

export function issueContext(context: RepositoryContext, issue: Issue): IssueContext {
  const mode = context.modeOf(unitOf(issue));
  return {
    context,
    repository: context.repository,
    issue,
    mode,
    may: (needed) => accessRank[mode] >= accessRank[needed],
  };
}

/** Resolves `{index}` of routes in its repository. */
export class IssueResolver implements ResourceResolver<IssueContext> {
  readonly key = issueResource.id;
  readonly beforeSignIn = true;

  constructor(
    private readonly deps: {
      readonly repositories: ResourceResolver<RepositoryContext>;
      readonly reader: IssueReader;
    },
  ) {}

  async resolve(request: ResourceRequest): Promise<IssueContext | Reply> {
    const { actor, access, params } = request;
    const { unit, mode: asked, ...open } = access;
    const mode = isChangeByJob(request) && (!asked || asked === 'read') ? 'write' : asked;
    const found = await this.deps.repositories.resolve({ ...request, access: open });
    if (found instanceof Reply) return found;
    const index = /^\d{1,10}$/.test(params.index ?? '') ? Number(params.index) : 0;
    const issue = await this.deps.reader.byIndex(found.repository.id, index);
    if (!issue || (unit && unit !== unitOf(issue))) throw NotFound('issue');
    const context = issueContext(found, issue);
    if (!context.may('read')) throw NotFound('issue');
    if (!mode || mode === 'read') return context;
    if (!context.may(mode)) {
      if (actor.kind === 'anonymous') throw Unauthorized();
      throw Forbidden(t.later('error.needs', { mode }));
    }
    mustBeActive(found);
    return context;
  }
}
