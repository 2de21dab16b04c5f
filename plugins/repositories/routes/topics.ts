import { Joi, defineRoute, reply, type Route } from '@mortise/plugin-sdk';
import { repositoryResource } from '../api.js';
import { api, paging, repositoryPath, tag, type RouteServices } from './route-options.js';

const topicNames = Joi.object({ topics: Joi.array().items(Joi.string()).required() }).label('TopicName');
const topicRecord = Joi.object({
  id: Joi.number().integer().required(),
  topic_name: Joi.string().required(),
  repo_count: Joi.number().integer().required(),
  created: Joi.string().isoDate().required(),
  updated: Joi.string().isoDate().required(),
}).label('TopicResponse');

/** Topics. */
export function topicRoutes({ topics }: Pick<RouteServices, 'topics'>): Route[] {
  const read = { actor: 'anyone', scope: 'repository', resource: repositoryResource } as const;
  const administer = { actor: 'user', scope: 'repository', resource: repositoryResource, mode: 'admin' } as const;
  const administerOne = { ...administer, actor: 'anyone', noSignIn: true } as const;
  return [
    defineRoute({
      method: 'GET',
      path: `${repositoryPath}/topics`,
      id: 'repoListTopics',
      tags: tag,
      summary: 'Topics of a repository',
      access: read,
      request: { query: Joi.object<{ readonly page?: number; readonly limit?: number }>(paging) },
      responses: { 200: topicNames },
      handler({ resource, page }) {
        const all = resource.repository.topics;
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
      responses: { 204: null },
      request: {
        payload: Joi.object<{ readonly topics?: readonly string[] | null }>({
          topics: Joi.array().items(Joi.string().allow('')).allow(null),
        }).label('RepoTopicOptions'),
      },
      handler: async ({ resource, payload }) => (
        await topics.replace(resource.repository, payload.topics ?? []),
        reply.none()
      ),
    }),
    defineRoute({
      method: 'PUT',
      path: `${repositoryPath}/topics/{topic}`,
      id: 'repoAddTopic',
      tags: tag,
      summary: 'Add a topic',
      access: administerOne,
      responses: { 204: null, 422: null },
      handler: async ({ resource, params }) => (await topics.add(resource.repository, params.topic), reply.none()),
    }),
    defineRoute({
      method: 'DELETE',
      path: `${repositoryPath}/topics/{topic}`,
      id: 'repoDeleteTopic',
      tags: tag,
      summary: 'Remove a topic',
      access: administerOne,
      responses: { 204: null, 422: null },
      handler: async ({ resource, params }) => (await topics.remove(resource.repository, params.topic), reply.none()),
    }),
    defineRoute({
      method: 'GET',
      path: `${api}/topics/search`,
      id: 'topicSearch',
      tags: tag,
      summary: 'Search topics (REP-16)',
      access: { actor: 'anyone', scope: 'repository' },
      request: {
        query: Joi.object<{ readonly q: string; readonly page?: number; readonly limit?: number }>({
          q: Joi.string().allow('').default(''),
          ...paging,
        }),
      },
      responses: { 200: Joi.object({ topics: Joi.array().items(topicRecord).required() }).label('TopicListResponse') },
      async handler({ actor, query, page }) {
        const results = await topics.search(query.q, actor, page.limit, page.offset);
        const answer = reply.json({ topics: results.topics });
        answer.total = results.total;
        return answer;
      },
    }),
  ];
}
