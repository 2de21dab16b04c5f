import { Joi, NotFound, defineRoute, reply, type Actor, type Route } from '@mortise/plugin-sdk';
import { mustBeActive, refuseBlocked } from '@mortise/repositories/api';
import type { Accounts } from '@mortise/accounts/api';
import { mergeStyles, type MergeOptions, type MergeStyle, type PullContext } from '../api.js';
import type { PullServices } from '../services/services.js';
import { pullPath, readPull, tags, usePull } from './route-options.js';

interface MergeBody {
  readonly do: MergeStyle;
  readonly merge_title_field?: string | null;
  readonly merge_message_field?: string | null;
  readonly merge_commit_id?: string | null;
  readonly head_commit_id?: string | null;
  readonly force_merge?: boolean | null;
  readonly delete_branch_after_merge?: boolean | null;
  readonly merge_when_checks_succeed?: boolean | null;
}
const older = { override: false, ignoreUndefined: true, alias: false } as const;
const text = () => Joi.string().allow('', null).max(65_536);
const mergeBody = Joi.object<MergeBody>({
  do: Joi.string()
    .valid(...mergeStyles)
    .required()
    .description('How it is merged'),
  merge_title_field: text().description('First line of the message; default: one that names the pull request'),
  merge_message_field: text(),
  merge_commit_id: text().description('Of manually-merged: the commit on the base branch'),
  head_commit_id: text().description('409 when the head is another commit by now'),
  force_merge: Joi.boolean().allow(null).description('Though requirements are not met, by those who may'),
  delete_branch_after_merge: Joi.boolean().allow(null).description('Default: as the repository says'),
  merge_when_checks_succeed: Joi.boolean()
    .allow(null)
    .description('201: it is merged when nothing is in the way any more'),
})
  .rename('Do', 'do', older)
  .rename('MergeTitleField', 'merge_title_field', older)
  .rename('MergeMessageField', 'merge_message_field', older)
  .rename('MergeCommitID', 'merge_commit_id', older)
  .label('MergePullRequestOption');

const optionsOf = (payload: MergeBody): MergeOptions => ({
  style: payload.do,
  ...(payload.merge_title_field && { title: payload.merge_title_field }),
  ...(payload.merge_message_field && { message: payload.merge_message_field }),
  ...(payload.merge_commit_id && { mergeCommit: payload.merge_commit_id }),
  ...(payload.head_commit_id && { headOid: payload.head_commit_id }),
  ...(payload.force_merge && { force: true }),
  ...(typeof payload.delete_branch_after_merge === 'boolean' && { deleteBranch: payload.delete_branch_after_merge }),
});

const updateQuery = Joi.object<{ readonly style: 'merge' | 'rebase' | '' }>({
  style: Joi.string().valid('merge', 'rebase').allow('').default('').description('Default: as the repository says'),
});

interface MergeRouteDeps {
  readonly accounts: Accounts;
  readonly services: PullServices;
}

/** Merging pull requests, and bringing their heads up to date. */
export function mergeRoutes({ accounts, services }: MergeRouteDeps): Route[] {
  const mayAct = async ({ repository, context }: PullContext, actor: Actor) => {
    mustBeActive(context);
    await refuseBlocked(accounts, actor, repository.ownerId);
  };
  const path = `${pullPath}/merge` as const;
  return [
    defineRoute({
      method: 'GET',
      path,
      id: 'repoPullRequestIsMerged',
      tags,
      summary: 'Is it merged? 204, else 404',
      access: readPull,
      responses: { 204: null, 404: null },
      handler({ resource }) {
        if (!resource.pull.isMerged) throw NotFound('merge');
        return reply.none();
      },
    }),
    defineRoute({
      method: 'POST',
      path,
      id: 'repoMergePullRequest',
      tags,
      summary: 'Merge it; 405 where something is in the way, 409 where the head is another by now or does not merge',
      access: usePull,
      request: { payload: mergeBody },
      responses: { 200: null, 201: null, 403: null, 404: null, 405: null, 409: null, 423: null },
      async handler({ actor, resource, payload }) {
        await mayAct(resource, actor);
        const options = optionsOf(payload);
        if (payload.merge_when_checks_succeed) {
          await services.autoMerger.schedule(resource, options, actor);
          return reply.empty(201);
        }
        await services.contract.merge(resource, options, actor);
        return reply.empty(200);
      },
    }),
    defineRoute({
      method: 'DELETE',
      path,
      id: 'repoCancelScheduledAutoMerge',
      tags,
      summary: 'Do not merge it when nothing is in the way any more',
      access: usePull,
      responses: { 204: null, 403: null, 404: null, 423: null },
      async handler({ actor, resource }) {
        mustBeActive(resource.context);
        await services.autoMerger.cancel(resource, actor);
        return reply.none();
      },
    }),
    defineRoute({
      method: 'POST',
      path: `${pullPath}/update`,
      id: 'repoUpdatePullRequest',
      tags,
      summary: 'Bring the head branch up to date with the base branch',
      access: usePull,
      request: { query: updateQuery },
      responses: { 200: null, 403: null, 404: null, 409: null, 423: null },
      async handler({ actor, resource, query }) {
        await mayAct(resource, actor);
        await services.updater.update(resource, query.style || services.updater.defaultStyle(resource), actor);
        return reply.empty(200);
      },
    }),
  ];
}
