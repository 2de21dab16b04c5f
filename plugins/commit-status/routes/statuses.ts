import {
  defineRoute,
  Joi,
  NotFound,
  pagingQuery,
  Problem,
  reply,
  type Route,
  type RouteContext,
} from '@mortise/plugin-sdk';
import { userSchema } from '@mortise/accounts/api';
import { isOid, isRefName, type GitReader } from '@mortise/git/api';
import { repositorySchema, repositoryResource, type RepositoryContext } from '@mortise/repositories/api';
import { statusStates, type StatusState } from '../contract/commit-status.js';
import type { StatusPresenter } from '../services/status-presenter.js';
import { sortings, type StatusService } from '../services/status-service.js';

interface StatusRouteDeps {
  readonly statuses: StatusService;
  readonly presenter: StatusPresenter;
  readonly gitReader: GitReader;
}

const base = '/api/v1/repos/{owner}/{repo}';
const tags = ['repository'];
const read = { actor: 'anyone', scope: 'repository', resource: repositoryResource, unit: 'code' } as const;
const write = { ...read, mode: 'write' } as const;

const state = () => Joi.string().valid(...statusStates);
const text = () => Joi.string().allow('').required();
const time = () => Joi.string().isoDate().required();

const statusSchema = Joi.object({
  id: Joi.number().integer().required(),
  status: state().required(),
  target_url: text(),
  description: text(),
  url: text(),
  context: text(),
  creator: userSchema.required(),
  created_at: time(),
  updated_at: time(),
}).label('CommitStatus');
const statusList = Joi.array().items(statusSchema).label('CommitStatusList');

const combinedSchema = Joi.object({
  state: state().required(),
  sha: Joi.string().required(),
  total_count: Joi.number().integer().required(),
  statuses: Joi.array().items(statusSchema).required(),
  repository: repositorySchema.required(),
  commit_url: text(),
  url: text(),
}).label('CombinedStatus');

interface Option {
  readonly state: StatusState;
  readonly context?: string | null;
  readonly description?: string | null;
  readonly target_url?: string | null;
}

const option = Joi.object<Option>({
  state: state().required().description('What the check says'),
  context: Joi.string().allow('', null).max(1000).description('What is checked; the newest of each context counts'),
  description: Joi.string().allow('', null).max(4000),
  target_url: Joi.string().allow('', null).max(2000).description('Where to read more'),
}).label('CreateStatusOption');

const search = Joi.object<{ readonly sort?: string; readonly state?: string }>({
  sort: Joi.string()
    .allow('')
    .description(`Order: ${sortings.join(', ')}; everything else: the newest first`),
  state: Joi.string()
    .allow('')
    .description(`Only statuses that say this: ${statusStates.join(', ')}; everything else: all of them`),
}).label('StatusSearch');

/** Names of references may have slashes; a path can only say so with as many segments as it has. */
const depths = [2, 3, 4, 5, 6, 7, 8];

type Context = RouteContext<RepositoryContext>;

// `{ref*2}` and the like: for the types it is one parameter all the same
const refs = ['{ref}', ...depths.map((depth) => `{ref*${depth}}`)] as '{ref}'[];

/** What these routes share. */
function statusContext({ statuses, presenter, gitReader }: StatusRouteDeps) {
  const commitOf = async (context: Context, name: string): Promise<string> => {
    const git = gitReader.open(context.resource.repository.id);
    // A branch may be named like the id of a commit: what a check says of that commit must not go to the branch's.
    // The same goes for a branch whose name begins with refs/heads/, and the reference that is meant.
    const [, kind, short = ''] = /^refs\/(heads|tags)\/(.+)$/.exec(name) ?? [];
    const ref = kind && (kind === 'heads' ? await git.branch(short) : await git.tag(short));
    const object = ref || isOid(name) ? await git.peel(ref ? ref.oid : name) : undefined;
    if (object?.type === 'commit') return object.oid;
    const resolved = isRefName(name) ? await git.resolve(name) : undefined;
    if (!resolved) throw NotFound(`commit ${name.slice(0, 100)} does not exist`);
    return resolved.commit;
  };
  const list = async (
    context: RouteContext<RepositoryContext, unknown, { readonly sort?: string; readonly state?: string }>,
    name: string,
    isId = false,
  ) => {
    const { resource, page, query } = context;
    const sha = await commitOf(context, name).catch((error: unknown) => {
      if (isId && Problem.is(error) && error.code === 'not_found') return name;
      throw error;
    });
    const found = await statuses.list(resource.repository.id, sha, {
      sort: sortings.find((one) => one === query.sort),
      state: statusStates.find((one) => one === query.state),
      limit: page.limit,
      offset: page.offset,
    });
    return reply.list(await presenter.statuses(resource.repository, found.items), found.total);
  };
  const combined = async (context: RouteContext<RepositoryContext, { readonly ref: string }>) => {
    const { resource, actor, page } = context;
    const sha = await commitOf(context, context.params.ref);
    const together = await statuses.combined(resource.repository.id, sha);
    const answer = reply.json(await presenter.combined(resource.repository, sha, together, page, actor));
    answer.total = together.statuses.length;
    return answer;
  };
  const listByRef = (ref: '{ref}') =>
    defineRoute({
      method: 'GET',
      path: `${base}/commits/${ref}/statuses`,
      ...(ref === '{ref}' ? { id: 'repoListStatusesByRef', tags } : {}),
      summary: 'Statuses of the commit that a branch, tag or id names',
      access: read,
      request: { query: search },
      responses: { 200: statusList },
      handler: (context) => list(context, context.params.ref),
    });
  const combinedByRef = (ref: '{ref}') =>
    defineRoute({
      method: 'GET',
      path: `${base}/commits/${ref}/status`,
      ...(ref === '{ref}' ? { id: 'repoGetCombinedStatusByRef', tags } : {}),
      summary: 'The newest status of each context, and what they say together',
      access: read,
      request: {
        query: Joi.object<{ readonly page?: unknown; readonly limit?: unknown }>(pagingQuery).label(
          'CombinedStatusSearch',
        ),
      },
      responses: { 200: combinedSchema },
      handler: combined,
    });
  return { list, statuses, commitOf, presenter, listByRef, combinedByRef };
}

type StatusRouteContext = ReturnType<typeof statusContext>;

const repoListStatuses = ({ list }: StatusRouteContext) =>
  defineRoute({
    method: 'GET',
    path: `${base}/statuses/{sha}`,
    id: 'repoListStatuses',
    tags,
    summary: 'Statuses of a commit',
    access: read,
    request: { query: search },
    responses: { 200: statusList },
    // An id of which nothing is known has no statuses, as one of a commit that has none.
    handler: (context) => list(context, context.params.sha, isOid(context.params.sha)),
  });

const repoCreateStatus = ({ statuses, commitOf, presenter }: StatusRouteContext) =>
  defineRoute({
    method: 'POST',
    path: `${base}/statuses/{sha}`,
    id: 'repoCreateStatus',
    tags,
    summary: 'Set a status on a commit (HOK-16)',
    access: write,
    request: { payload: option },
    responses: { 201: statusSchema, 423: null },
    async handler(context) {
      const { resource, actor, payload } = context;
      const status = await statuses.create({
        repositoryId: resource.repository.id,
        sha: await commitOf(context, context.params.sha),
        state: payload.state,
        context: payload.context ?? '',
        description: payload.description ?? '',
        targetUrl: payload.target_url ?? '',
        creatorId: actor.id,
      });
      return reply.created((await presenter.statuses(resource.repository, [status]))[0]);
    },
  });

/** Statuses of commits: set, list, together. */
export function statusRoutes(deps: StatusRouteDeps): readonly Route[] {
  const context = statusContext(deps);
  const { listByRef, combinedByRef } = context;
  return [repoListStatuses(context), repoCreateStatus(context), ...refs.map(listByRef), ...refs.map(combinedByRef)];
}
