import { Forbidden, Joi, NotFound, apiTime, defineRoute, reply, type Actor, type Route } from '@mortise/plugin-sdk';
import { userSchema, type Account, type Accounts } from '@mortise/accounts/api';
import type { Issues } from '@mortise/issues/api';
import { mergeStyles, pullResource, type MergeOptions, type MergeStyle, type PullContext } from '@mortise/pulls/api';
import { mustBeActive, refuseBlocked, repositoryApi, repositoryResource } from '@mortise/repositories/api';
import type { QueueEntry } from '../contract/merge-queue.js';
import type { QueueService } from '../services/queue-service.js';
import type { QueueRunner } from '../services/queue-runner.js';
import { t } from '../texts/index.js';

interface AddBody {
  readonly do?: MergeStyle | null;
  readonly merge_title_field?: string | null;
  readonly merge_message_field?: string | null;
  readonly head_commit_id?: string | null;
  readonly delete_branch_after_merge?: boolean | null;
}
const text = () => Joi.string().allow('', null).max(65_536);
const addBody = Joi.object<AddBody>({
  do: Joi.string()
    .valid(...mergeStyles)
    .allow(null)
    .description('How it is merged; default: as the repository says'),
  merge_title_field: text().description('First line of the message; default: one that names the pull request'),
  merge_message_field: text(),
  head_commit_id: text().description('409 when the head is another commit by now'),
  delete_branch_after_merge: Joi.boolean().allow(null).description('Default: as the repository says'),
}).label('AddToMergeQueueOption');

const maybe = () => Joi.string().allow(null).required();
const entrySchema = Joi.object({
  position: Joi.number().integer().required().description('From 1'),
  state: Joi.string().valid('waiting', 'testing', 'passed', 'failed').required(),
  number: Joi.number().integer().required().description('Of the pull request'),
  title: Joi.string().required(),
  base: Joi.string().required(),
  do: Joi.string().required(),
  head_sha: Joi.string().required(),
  candidate_ref: maybe().description('Branch whose commit is tested'),
  candidate_sha: maybe(),
  candidate_base_sha: maybe().description('What the candidate was made onto'),
  user: userSchema.allow(null).required().description('Who put it there'),
  created_at: Joi.string().isoDate().required(),
  tested_at: Joi.string().isoDate().allow(null).required(),
}).label('MergeQueueEntry');
const entryList = Joi.array().items(entrySchema).label('MergeQueueEntryList');

interface QueueRouteDeps {
  readonly accounts: Accounts;
  readonly issues: Issues;
  readonly queue: QueueService;
  readonly runner: QueueRunner;
}

/** The way that the repository prefers. */
const styleOf = ({ repository }: Pick<PullContext, 'repository'>): MergeStyle => {
  const wanted = repository.units.find(({ key }) => key === 'pulls')?.config.default_merge_style;
  return mergeStyles.find((style) => style === wanted) ?? 'merge';
};

export type Shown = Awaited<ReturnType<typeof showEntries>>[number];

/** Entries with all that pages and the REST surface say of them, in a few queries however many. */
export async function showEntries(
  { issues, queue, runner }: Pick<QueueRouteDeps, 'issues' | 'queue' | 'runner'>,
  entries: readonly QueueEntry[],
) {
  const [one] = entries;
  if (!one) return [];
  const issuesById = await issues.byIds(entries.map(({ issueId }) => issueId));
  const rule = await queue.ruleFor(one.repositoryId, one.baseBranch);
  const states = await runner.states(
    rule,
    one.repositoryId,
    entries.flatMap(({ mergeGroup }) => mergeGroup?.oid ?? []),
  );
  return entries.flatMap((entry, at) => {
    const issue = issuesById.get(entry.issueId);
    const checks = entry.mergeGroup && states.get(entry.mergeGroup.oid);
    const state = { success: 'passed', pending: 'testing', failure: 'failed' } as const;
    return issue ? [{ entry, issue, position: at + 1, state: checks ? state[checks] : ('waiting' as const) }] : [];
  });
}

const path = `${repositoryApi}/pulls/{index}/merge-queue` as const;

const tags = ['repository'];

const read = { actor: 'anyone', scope: 'repository', resource: pullResource } as const;

const use = { ...read, actor: 'user' } as const;

const mustReadCode = ({ context }: Pick<PullContext, 'context'>) => {
  if (!context.may('read', 'code')) throw Forbidden(t.later('error.code'));
};

/** What these routes share. */
function queueContext(deps: QueueRouteDeps) {
  const { accounts, queue } = deps;
  const models = async (entries: readonly QueueEntry[], actor: Actor) => {
    const shown = await showEntries(deps, entries);
    const users = await accounts.byIds(shown.map(({ entry }) => entry.userId));
    return shown.map(({ entry, issue, position, state }) => ({
      position,
      state,
      number: issue.index,
      title: issue.title,
      base: entry.baseBranch,
      do: entry.style,
      head_sha: entry.headOid,
      candidate_ref: entry.mergeGroup?.ref ?? null,
      candidate_sha: entry.mergeGroup?.oid ?? null,
      candidate_base_sha: entry.mergeGroup?.onto ?? null,
      user: userOf(users.get(entry.userId), actor),
      created_at: apiTime(entry.createdAt),
      tested_at: entry.mergeGroup ? apiTime(entry.mergeGroup.since) : null,
    }));
  };
  const userOf = (account: Account | undefined, actor: Actor) => (account ? accounts.toApiUser(account, actor) : null);
  const model = async (entry: QueueEntry, actor: Actor) => {
    const all = await models(await queue.list(entry.repositoryId, entry.baseBranch), actor);
    const [own] = await models([entry], actor);
    return all.find(({ number }) => number === own?.number) ?? own;
  };
  return { queue, model, accounts, models };
}

type QueueRouteContext = ReturnType<typeof queueContext>;

const repoGetPullMergeQueueEntry = ({ queue, model }: QueueRouteContext) =>
  defineRoute({
    method: 'GET',
    path,
    id: 'repoGetPullMergeQueueEntry',
    tags,
    summary: 'Where a pull request stands in the merge queue of its base branch',
    access: read,
    responses: { 200: entrySchema, 403: null, 404: null },
    async handler({ actor, resource }) {
      mustReadCode(resource);
      const entry = await queue.of(resource.issue.id);
      if (!entry) throw NotFound(t.later('error.notQueued'));
      return model(entry, actor);
    },
  });

const repoAddPullToMergeQueue = ({ accounts, model, queue }: QueueRouteContext) =>
  defineRoute({
    method: 'POST',
    path,
    id: 'repoAddPullToMergeQueue',
    tags,
    summary: 'Put it into the merge queue; 405 where something is in the way, 409 where it waits already',
    access: use,
    request: { payload: addBody },
    responses: { 201: entrySchema, 403: null, 404: null, 405: null, 409: null, 423: null },
    async handler({ actor, resource, payload }) {
      mustReadCode(resource);
      await refuseBlocked(accounts, actor, resource.repository.ownerId);
      const options: MergeOptions = {
        style: payload.do ?? styleOf(resource),
        ...(payload.merge_title_field && { title: payload.merge_title_field }),
        ...(payload.merge_message_field && { message: payload.merge_message_field }),
        ...(payload.head_commit_id && { headOid: payload.head_commit_id }),
        ...(typeof payload.delete_branch_after_merge === 'boolean' && {
          deleteBranch: payload.delete_branch_after_merge,
        }),
      };
      return reply.created(await model(await queue.add(resource, options, actor), actor));
    },
  });

const repoRemovePullFromMergeQueue = ({ queue }: QueueRouteContext) =>
  defineRoute({
    method: 'DELETE',
    path,
    id: 'repoRemovePullFromMergeQueue',
    tags,
    summary: 'Take it out of the merge queue; whoever put it there, and those who may merge',
    access: use,
    responses: { 204: null, 403: null, 404: null, 423: null },
    async handler({ actor, resource }) {
      mustBeActive(resource);
      await queue.remove(resource, actor);
      return reply.none();
    },
  });

const repoListMergeQueue = ({ queue, models }: QueueRouteContext) =>
  defineRoute({
    method: 'GET',
    path: `${repositoryApi}/merge-queue/{branch*}`,
    id: 'repoListMergeQueue',
    tags,
    summary: 'What waits to be merged into a branch, in this order',
    access: { actor: 'anyone', scope: 'repository', resource: repositoryResource, unit: 'pulls' },
    responses: { 200: entryList, 403: null, 404: null },
    async handler({ actor, resource, params, page }) {
      mustReadCode({ context: resource });
      const all = await queue.list(resource.repository.id, params.branch ?? '');
      const shown = await models(all, actor);
      return reply.list(shown.slice(page.offset, page.offset + page.limit), shown.length);
    },
  });

/** Into merge queues, out of them, and what waits in them. */
export function queueRoutes(deps: QueueRouteDeps): Route[] {
  const context = queueContext(deps);
  return [
    repoGetPullMergeQueueEntry(context),
    repoAddPullToMergeQueue(context),
    repoRemovePullFromMergeQueue(context),
    repoListMergeQueue(context),
  ];
}
