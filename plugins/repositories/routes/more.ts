import { Joi, NotFound, defineRoute, reply, type Route } from '@mortise/plugin-sdk';
import { repositorySchema, repositorySubject, type RepositoryContext } from '../api.js';
import { gitignoreTemplates } from '../templates/gitignore.js';
import { labelTemplates } from '../templates/labels.js';
import { licenseTemplates } from '../templates/licenses.js';
import { api, repositoryList, repositoryPath, tag, words, type RouteServices } from './shared.js';

const topicNames = Joi.object({ topics: Joi.array().items(Joi.string()).required() }).label('TopicNames');
const topicRecord = Joi.object({
  id: Joi.number().integer().required(),
  topic_name: Joi.string().required(),
  repo_count: Joi.number().integer().required(),
  created: Joi.string().isoDate().required(),
  updated: Joi.string().isoDate().required(),
}).label('TopicResponse');

/** Topics, forks, templates, languages. */
export function moreRoutes(services: RouteServices): Route[] {
  const { topics, forks, presenter, repositories, git, site } = services;
  const read = { actor: 'anyone', scope: 'repository', subject: repositorySubject } as const;
  const administer = { actor: 'user', scope: 'repository', subject: repositorySubject, mode: 'admin' } as const;
  const none = { actor: 'anyone' } as const;

  return [
    defineRoute({
      method: 'GET',
      path: `${repositoryPath}/topics`,
      id: 'repoListTopics',
      tags: tag,
      summary: 'Topics of a repository',
      access: read,
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
      answers: { 204: null },
      handler: async ({ subject, params }) => (await topics.add(subject.repository, params.topic), reply.none()),
    }),
    defineRoute({
      method: 'DELETE',
      path: `${repositoryPath}/topics/{topic}`,
      id: 'repoDeleteTopic',
      tags: tag,
      summary: 'Remove a topic',
      access: administer,
      answers: { 204: null },
      handler: async ({ subject, params }) => (await topics.remove(subject.repository, params.topic), reply.none()),
    }),
    defineRoute({
      method: 'GET',
      path: `${api}/topics/search`,
      id: 'topicSearch',
      tags: tag,
      summary: 'Search topics (REP-16)',
      access: { actor: 'anyone', scope: 'repository' },
      request: { query: Joi.object({ q: Joi.string().allow('').default('') }) },
      answers: { 200: Joi.object({ topics: Joi.array().items(topicRecord).required() }).label('TopicListResponse') },
      async handler({ query, page }) {
        const found = await topics.search(query.q, page.limit, page.offset);
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
      access: { ...read, unit: 'code' },
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
      access: { actor: 'user', scope: 'repository', subject: repositorySubject, unit: 'code' },
      request: {
        payload: Joi.object({ organization: words(64), name: words(100) })
          .label('CreateForkOption')
          .allow(null),
      },
      answers: { 202: repositorySchema, 409: null },
      async handler({ actor, subject, payload }) {
        const owner = await forks.target(actor, payload?.organization ?? undefined);
        const fork = await forks.fork(subject.repository, owner, payload?.name || subject.repository.name, actor);
        return reply.accepted((await presenter.toApi([fork], actor))[0]);
      },
    }),
    defineRoute({
      method: 'POST',
      path: `${repositoryPath}/generate`,
      id: 'generateRepo',
      tags: tag,
      summary: 'Make a repository from a template',
      access: { actor: 'user', scope: 'repository', subject: repositorySubject, unit: 'code' },
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
            topics: payload.topics,
          },
          actor,
        );
        return reply.created((await presenter.toApi([made], actor))[0]);
      },
    }),
    defineRoute({
      method: 'GET',
      path: `${repositoryPath}/languages`,
      id: 'repoGetLanguages',
      tags: tag,
      summary: 'Bytes by language',
      access: { ...read, unit: 'code' },
      answers: { 200: Joi.object().pattern(Joi.string(), Joi.number().integer()).label('LanguageStatistics') },
      handler: ({ subject }) => languagesOf(subject),
    }),
    defineRoute({
      method: 'GET',
      path: `${api}/gitignore/templates`,
      id: 'listGitignoresTemplates',
      tags: ['miscellaneous'],
      summary: 'Names of ignore files (REP-21)',
      access: none,
      answers: { 200: Joi.array().items(Joi.string()).label('GitignoreTemplateList') },
      handler: () => [...gitignoreTemplates.keys()],
    }),
    defineRoute({
      method: 'GET',
      path: `${api}/gitignore/templates/{name}`,
      id: 'getGitignoreTemplateInfo',
      tags: ['miscellaneous'],
      summary: 'One ignore file',
      access: none,
      answers: {
        200: Joi.object({ name: Joi.string().required(), source: Joi.string().required() }).label(
          'GitignoreTemplateInfo',
        ),
        404: null,
      },
      handler({ params }) {
        const source = gitignoreTemplates.get(params.name);
        if (source === undefined) throw NotFound('template');
        return { name: params.name, source };
      },
    }),
    defineRoute({
      method: 'GET',
      path: `${api}/licenses`,
      id: 'listLicenseTemplates',
      tags: ['miscellaneous'],
      summary: 'Licences (REP-22)',
      access: none,
      answers: {
        200: Joi.array()
          .items(
            Joi.object({
              key: Joi.string().required(),
              name: Joi.string().required(),
              url: Joi.string().required(),
            }).label('LicensesTemplateListEntry'),
          )
          .label('LicenseTemplateList'),
      },
      handler: () =>
        [...licenseTemplates().values()].map(({ key, name }) => ({
          key,
          name,
          url: site.url(`${api}/licenses/${key}`),
        })),
    }),
    defineRoute({
      method: 'GET',
      path: `${api}/licenses/{name}`,
      id: 'getLicenseTemplateInfo',
      tags: ['miscellaneous'],
      summary: 'One licence',
      access: none,
      answers: {
        200: Joi.object({
          key: Joi.string().required(),
          name: Joi.string().required(),
          url: Joi.string().required(),
          implementation: Joi.string().allow('').required(),
          body: Joi.string().required(),
        }).label('LicenseTemplateInfo'),
        404: null,
      },
      handler({ params }) {
        const found = licenseTemplates().get(params.name);
        if (!found) throw NotFound('licence');
        return {
          key: found.key,
          name: found.name,
          url: site.url(`${api}/licenses/${found.key}`),
          implementation:
            'Save the text as LICENSE in the root of the repository, with the year and the name of who holds the rights.',
          body: found.text,
        };
      },
    }),
    defineRoute({
      method: 'GET',
      path: `${api}/label/templates`,
      id: 'listLabelTemplates',
      tags: ['miscellaneous'],
      summary: 'Names of label sets (ISS-30)',
      access: none,
      answers: { 200: Joi.array().items(Joi.string()).label('LabelTemplateList') },
      handler: () => [...labelTemplates.keys()],
    }),
    defineRoute({
      method: 'GET',
      path: `${api}/label/templates/{name}`,
      id: 'getLabelTemplateInfo',
      tags: ['miscellaneous'],
      summary: 'One set of labels',
      access: none,
      answers: {
        200: Joi.array()
          .items(
            Joi.object({
              name: Joi.string().required(),
              color: Joi.string().required(),
              description: Joi.string().allow('').required(),
              exclusive: Joi.boolean().required(),
            }).label('LabelTemplate'),
          )
          .label('LabelTemplateInfo'),
        404: null,
      },
      handler({ params }) {
        const found = labelTemplates.get(params.name);
        if (!found) throw NotFound('template');
        return found;
      },
    }),
  ];

  /** Largest share first, as clients show them. */
  async function languagesOf({ repository }: RepositoryContext): Promise<Record<string, number>> {
    const facts = git.open(repository.id);
    const head = await facts.resolve(repository.defaultBranch);
    if (!head) return {};
    return Object.fromEntries(
      Object.entries(await facts.languages(head.commit)).sort(([, one], [, other]) => other - one),
    );
  }
}
