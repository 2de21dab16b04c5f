import { Joi, NotFound, defineRoute, reply, type Actor, type Route } from '@mortise/plugin-sdk';
import { repositorySchema, repositorySubject, type Repository } from '../api.js';
import { api, paging, repositoryList, repositoryPath, tag, words, type RouteServices } from './shared.js';

const topicNames = Joi.object({ topics: Joi.array().items(Joi.string()).required() }).label('TopicName');
const topicRecord = Joi.object({
  id: Joi.number().integer().required(),
  topic_name: Joi.string().required(),
  repo_count: Joi.number().integer().required(),
  created: Joi.string().isoDate().required(),
  updated: Joi.string().isoDate().required(),
}).label('TopicResponse');

/** Topics, forks, and repositories made from a template. */
export function topicAndForkRoutes(services: RouteServices): Route[] {
  const { topics, forks, presenter, repositories, upstream } = services;
  const read = { actor: 'anyone', scope: 'repository', subject: repositorySubject } as const;
  const readUser = { ...read, actor: 'user' } as const;
  const administer = { actor: 'user', scope: 'repository', subject: repositorySubject, mode: 'admin' } as const;
  /** The record as it was made: that its maker watches it comes after. */
  const asMade = async (repository: Repository, actor: Actor) => ({
    ...(await presenter.toApi([repository], actor))[0],
    watchers_count: 0,
  });

  return [
    defineRoute({
      method: 'GET',
      path: `${repositoryPath}/topics`,
      id: 'repoListTopics',
      tags: tag,
      summary: 'Topics of a repository',
      access: read,
      request: { query: Joi.object(paging) },
      answers: { 200: topicNames },
      handler({ subject, page }) {
        const all = subject.repository.topics;
        const answer = reply.json({ topics: all.slice(page.offset, page.offset + page.limit) });
        answer.total = all.length;
        return answer;
      },
    }),
    defineRoute({
      method: 'PUT',
      path: `${repositoryPath}/topics`,
      id: 'repoUpdateTopics',
      tags: tag,
      summary: 'Replace the topics',
      access: administer,
      answers: { 204: null },
      request: {
        payload: Joi.object({ topics: Joi.array().items(Joi.string().allow('')).allow(null) }).label(
          'RepoTopicOptions',
        ),
      },
      handler: async ({ subject, payload }) => (
        await topics.replace(subject.repository, payload.topics ?? []),
        reply.none()
      ),
    }),
    defineRoute({
      method: 'PUT',
      path: `${repositoryPath}/topics/{topic}`,
      id: 'repoAddTopic',
      tags: tag,
      summary: 'Add a topic',
      access: administer,
      answers: { 204: null, 422: null },
      handler: async ({ subject, params }) => (await topics.add(subject.repository, params.topic), reply.none()),
    }),
    defineRoute({
      method: 'DELETE',
      path: `${repositoryPath}/topics/{topic}`,
      id: 'repoDeleteTopic',
      tags: tag,
      summary: 'Remove a topic',
      access: administer,
      answers: { 204: null, 422: null },
      handler: async ({ subject, params }) => (await topics.remove(subject.repository, params.topic), reply.none()),
    }),
    defineRoute({
      method: 'GET',
      path: `${api}/topics/search`,
      id: 'topicSearch',
      tags: tag,
      summary: 'Search topics (REP-16)',
      access: { actor: 'anyone', scope: 'repository' },
      request: { query: Joi.object({ q: Joi.string().allow('').default(''), ...paging }) },
      answers: { 200: Joi.object({ topics: Joi.array().items(topicRecord).required() }).label('TopicListResponse') },
      async handler({ actor, query, page }) {
        const found = await topics.search(query.q, actor, page.limit, page.offset);
        const answer = reply.json({ topics: found.topics });
        answer.total = found.total;
        return answer;
      },
    }),
    defineRoute({
      method: 'GET',
      path: `${repositoryPath}/forks`,
      id: 'listForks',
      tags: tag,
      summary: 'Forks of a repository',
      access: read,
      answers: { 200: repositoryList },
      async handler({ actor, subject, page }) {
        const { items, total } = await repositories.search(
          { forkOf: subject.repository.id, sort: 'id', limit: page.limit, offset: page.offset },
          actor,
        );
        return reply.list(await presenter.toApi(items, actor), total);
      },
    }),
    defineRoute({
      method: 'POST',
      path: `${repositoryPath}/forks`,
      id: 'createFork',
      tags: tag,
      summary: 'Fork a repository (REP-23)',
      access: { ...readUser, unit: 'code' },
      request: {
        payload: Joi.object({ organization: words(64), name: words(100) })
          .label('CreateForkOption')
          .allow(null),
      },
      answers: { 202: repositorySchema, 409: null },
      async handler({ actor, subject, payload }) {
        const owner = await forks.target(actor, payload?.organization ?? undefined);
        if (payload?.organization && owner.kind !== 'organization') throw NotFound('organization');
        const fork = await forks.fork(subject.repository, owner, payload?.name || subject.repository.name, actor);
        return reply.accepted(await asMade(fork, actor));
      },
    }),
    defineRoute({
      method: 'POST',
      path: `${repositoryPath}/generate`,
      id: 'generateRepo',
      tags: tag,
      summary: 'Make a repository from a template',
      access: { ...readUser, unit: 'code' },
      request: {
        payload: Joi.object({
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
      answers: { 201: repositorySchema, 409: null },
      async handler({ actor, subject, payload }) {
        const owner = await forks.target(actor, payload.owner);
        const made = await forks.generate(
          subject.repository,
          owner,
          {
            name: payload.name,
            description: payload.description ?? '',
            isPrivate: payload.private,
            defaultBranch: payload.default_branch || undefined,
            gitContent: payload.git_content,
            gitHooks: payload.git_hooks,
            topics: payload.topics,
            avatar: payload.avatar,
            labels: payload.labels,
            webhooks: payload.webhooks,
            protectedBranch: payload.protected_branch,
          },
          actor,
        );
        return reply.created(await asMade(made, actor));
      },
    }),
    defineRoute({
      method: 'POST',
      path: `${repositoryPath}/merge-upstream`,
      id: 'repoMergeUpstream',
      tags: tag,
      summary: 'Bring a branch of a fork up to its original (REP-12)',
      access: { ...readUser, unit: 'code', mode: 'write' },
      request: {
        payload: Joi.object({
          branch: words(255).description('Default: the default branch'),
          ff_only: Joi.boolean().description('Refuse unless the branch can be moved forward (REP-13)'),
        }).label('MergeUpstreamRequest'),
      },
      answers: {
        200: Joi.object({ merge_type: Joi.string().valid('up-to-date', 'fast-forward', 'merge').required() }).label(
          'MergeUpstreamResponse',
        ),
        400: null,
        409: null,
      },
      handler: async ({ actor, subject, payload }) => ({
        merge_type: await upstream.merge(subject.repository, payload.branch ?? '', payload.ff_only ?? false, actor),
      }),
    }),
  ];
}
