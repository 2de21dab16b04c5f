import { Joi, NotFound, defineRoute, reply, type Actor, type Route } from '@mortise/plugin-sdk';
import {
  optionalText as words,
  repositoryApi as repositoryPath,
  repositoryListSchema as repositoryList,
  repositorySchema,
  repositoryResource,
  repositoryTags as tag,
  type Repositories,
  type Repository,
  type RepositoryCreator,
} from '@mortise/repositories/api';
import type { ForkService } from '../services/forks.js';
import type { UpstreamService } from '../services/upstream.js';

const partKeys = ['git_hooks', 'webhooks', 'labels', 'protected_branch'] as const;

interface GenerateRepoPayload {
  readonly owner: string;
  readonly name: string;
  readonly description?: string | null;
  readonly default_branch?: string | null;
  readonly private?: boolean;
  readonly git_content?: boolean;
  readonly topics?: boolean;
  readonly git_hooks?: boolean;
  readonly webhooks?: boolean;
  readonly avatar?: boolean;
  readonly labels?: boolean;
  readonly protected_branch?: boolean;
}

type ForkRouteDeps = {
  readonly forks: ForkService;
  readonly upstream: UpstreamService;
  readonly repositories: Repositories;
  readonly creator: RepositoryCreator;
};

const read = { actor: 'anyone', scope: 'repository', resource: repositoryResource } as const;

const readUser = { ...read, actor: 'user' } as const;

/** What these routes share. */
function forkContext({ forks, upstream, repositories, creator }: ForkRouteDeps) {
  /** The record as it was made: that its maker watches it comes after. */
  const asMade = async (repository: Repository, actor: Actor) => ({
    ...(await repositories.toApi([repository], actor))[0],
    watchers_count: 0,
  });
  return { repositories, creator, forks, asMade, upstream };
}

type ForkRouteContext = ReturnType<typeof forkContext>;

const listForks = ({ repositories }: ForkRouteContext) =>
  defineRoute({
    method: 'GET',
    path: `${repositoryPath}/forks`,
    id: 'listForks',
    tags: tag,
    summary: 'Forks of a repository',
    access: read,
    responses: { 200: repositoryList },
    handler: ({ actor, resource, page }) =>
      repositories.list({ forkOf: resource.repository.id, sort: 'id', limit: page.limit, offset: page.offset }, actor),
  });

const createFork = ({ creator, forks, asMade }: ForkRouteContext) =>
  defineRoute({
    method: 'POST',
    path: `${repositoryPath}/forks`,
    id: 'createFork',
    tags: tag,
    summary: 'Fork a repository (REP-23)',
    access: { ...readUser, unit: 'code' },
    request: {
      payload: Joi.object<{ readonly organization?: string | null; readonly name?: string | null }>({
        organization: words(64),
        name: words(100),
      })
        .label('CreateForkOption')
        .allow(null),
    },
    responses: { 202: repositorySchema, 409: null },
    async handler({ actor, resource, payload }) {
      const owner = await creator.ownerFor(actor, payload?.organization ?? undefined);
      if (payload?.organization && owner.kind !== 'organization') throw NotFound('organization');
      const fork = await forks.fork(resource.repository, owner, payload?.name || resource.repository.name, actor);
      return reply.accepted(await asMade(fork, actor));
    },
  });

const generateRepo = ({ creator, forks, asMade }: ForkRouteContext) =>
  defineRoute({
    method: 'POST',
    path: `${repositoryPath}/generate`,
    id: 'generateRepo',
    tags: tag,
    summary: 'Make a repository from a template',
    access: { ...readUser, unit: 'code' },
    request: {
      payload: Joi.object<GenerateRepoPayload>({
        owner: Joi.string().required(),
        name: Joi.string().required(),
        description: words(2048),
        default_branch: words(255),
        private: Joi.boolean(),
        git_content: Joi.boolean(),
        topics: Joi.boolean(),
        git_hooks: Joi.boolean(),
        webhooks: Joi.boolean(),
        avatar: Joi.boolean(),
        labels: Joi.boolean(),
        protected_branch: Joi.boolean(),
      }).label('GenerateRepoOption'),
    },
    responses: { 201: repositorySchema, 409: null },
    async handler({ actor, resource, payload }) {
      const owner = await creator.ownerFor(actor, payload.owner);
      const made = await forks.generate(
        resource.repository,
        owner,
        {
          name: payload.name,
          description: payload.description ?? '',
          isPrivate: payload.private,
          defaultBranch: payload.default_branch || undefined,
          gitContent: payload.git_content,
          topics: payload.topics,
          avatar: payload.avatar,
          parts: new Set(partKeys.filter((key) => payload[key])),
        },
        actor,
      );
      return reply.created(await asMade(made, actor));
    },
  });

const repoMergeUpstream = ({ upstream }: ForkRouteContext) =>
  defineRoute({
    method: 'POST',
    path: `${repositoryPath}/merge-upstream`,
    id: 'repoMergeUpstream',
    tags: tag,
    summary: 'Bring a branch of a fork up to its original (REP-12)',
    access: { ...readUser, unit: 'code', mode: 'write' },
    request: {
      payload: Joi.object<{ readonly branch?: string | null; readonly ff_only?: boolean }>({
        branch: words(255).description('Default: the default branch'),
        ff_only: Joi.boolean().description('Refuse unless the branch can be moved forward (REP-13)'),
      }).label('MergeUpstreamRequest'),
    },
    responses: {
      200: Joi.object({ merge_type: Joi.string().valid('up-to-date', 'fast-forward', 'merge').required() }).label(
        'MergeUpstreamResponse',
      ),
      400: null,
      409: null,
    },
    handler: async ({ actor, resource, payload }) => ({
      merge_type: await upstream.merge(resource.repository, payload.branch ?? '', payload.ff_only ?? false, actor),
    }),
  });

/** Forks, repositories made from a template, and bringing forks up to their original. */
export function forkRoutes(deps: ForkRouteDeps): Route[] {
  const context = forkContext(deps);
  return [listForks(context), createFork(context), generateRepo(context), repoMergeUpstream(context)];
}
