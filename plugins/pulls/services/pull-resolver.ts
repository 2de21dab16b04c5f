import { NotFound, Reply, type ResourceRequest, type ResourceResolver } from '@mortise/plugin-sdk';
import type { IssueContext } from '@mortise/issues/api';
import { pullResource, type PullContext } from '../api.js';
import type { PullReader } from './pull-reader.js';

/** Resolves `{index}` of routes in its repository. */
export class PullResolver implements ResourceResolver<PullContext> {
  readonly key = pullResource.id;
  readonly beforeSignIn = true;

  constructor(
    private readonly deps: { readonly issues: ResourceResolver<IssueContext>; readonly reader: PullReader },
  ) {}

  async resolve(request: ResourceRequest): Promise<PullContext | Reply> {
    const context = await this.deps.issues.resolve({ ...request, access: { ...request.access, unit: 'pulls' } });
    if (context instanceof Reply) return context;
    const pull = await this.deps.reader.byIssueId(context.issue.id);
    if (!pull) throw NotFound('pull request');
    return { ...context, pull };
  }
}
