import { defineRoute, Joi, NotFound, queryFlag, reply, type Route } from '@mortise/plugin-sdk';
import { userSchema, userResource } from '@mortise/accounts/api';
import { organizationResource, teamResource } from '@mortise/organizations/api';
import { repositorySchema, repositoryResource } from '@mortise/repositories/api';
import { activityKinds, type Activities, type ActivitySearch } from '../contract/activity.js';

const activitySchema = Joi.object({
  id: Joi.number().integer().required(),
  user_id: Joi.number().integer().required(),
  op_type: Joi.string()
    .valid(...activityKinds)
    .required(),
  act_user_id: Joi.number().integer().required(),
  act_user: userSchema.required(),
  repo_id: Joi.number().integer().required(),
  repo: repositorySchema.allow(null).required(),
  comment_id: Joi.number().integer().required(),
  comment: Joi.object().unknown().allow(null).required().label('Comment'),
  ref_name: Joi.string().allow('').required(),
  is_private: Joi.boolean().required(),
  content: Joi.string().allow('').required(),
  created: Joi.string().isoDate().required(),
}).label('Activity');

const heatmapSchema = Joi.object({
  timestamp: Joi.number().integer().required().description('Seconds since 1970 UTC, a quarter of an hour'),
  contributions: Joi.number().integer().required(),
}).label('UserHeatmapData');

const date = Joi.string()
  .pattern(/^\d{4}-\d\d-\d\d$/, 'a day such as 2026-03-01')
  .custom((value: string) => {
    if (Number.isNaN(Date.parse(`${value}T00:00:00Z`))) throw new Error('is no day');
    return value;
  })
  .allow('');

const dated = { query: Joi.object<{ readonly date?: string }>({ date }) };
const responses = { 200: Joi.array().items(activitySchema) };

const lister =
  (activities: Activities) => async (search: ActivitySearch, actor: Parameters<Activities['search']>[1]) => {
    const { items, total } = await activities.search(search, actor);
    return reply.list(await activities.toApi(items, actor), total);
  };

/** Feeds of organizations and teams (FED-01). */
export function organizationFeedRoutes({ activities }: { activities: Activities }): readonly Route[] {
  const list = lister(activities);
  return [
    defineRoute({
      method: 'GET',
      path: '/api/v1/orgs/{org}/activities/feeds',
      id: 'orgListActivityFeeds',
      tags: ['organization'],
      summary: 'What happened in the repositories of an organization',
      access: { actor: 'anyone', scope: 'organization', resource: organizationResource },
      request: dated,
      responses,
      handler: ({ actor, resource, query, page }) =>
        list({ userId: resource.account.id, date: query.date, ...page }, actor),
    }),
    defineRoute({
      method: 'GET',
      path: '/api/v1/teams/{id}/activities/feeds',
      id: 'orgListTeamActivityFeeds',
      tags: ['organization'],
      summary: 'What happened in the repositories of a team',
      access: { actor: 'user', scope: 'organization', resource: teamResource },
      request: dated,
      responses,
      handler: async ({ actor, resource: { team }, query, page }) => {
        const related = team.includesAllRepositories ? undefined : { relation: 'team', id: team.id };
        return list({ userId: team.organizationId, related, date: query.date, ...page }, actor);
      },
    }),
  ];
}

/** Feeds and heatmaps of the REST surface (FED-02, FED-04). */
export const operationRoutes =
  (heatmapOn: boolean) =>
  ({ activities }: { activities: Activities }): readonly Route[] => {
    const list = lister(activities);
    return [
      defineRoute({
        method: 'GET',
        path: '/api/v1/users/{username}/activities/feeds',
        id: 'userListActivityFeeds',
        tags: ['user'],
        summary: 'What an account did, and what happened in its repositories',
        access: { actor: 'anyone', scope: 'user', resource: userResource },
        request: {
          query: Joi.object<{ readonly 'only-performed-by'?: boolean; readonly date?: string }>({
            'only-performed-by': queryFlag(),
            date,
          }),
        },
        responses,
        handler: ({ actor, resource, query, page }) =>
          list(
            { userId: resource.id, onlyPerformedBy: query['only-performed-by'] === true, date: query.date, ...page },
            actor,
          ),
      }),
      defineRoute({
        method: 'GET',
        path: '/api/v1/users/{username}/heatmap',
        id: 'userGetHeatmapData',
        tags: ['user'],
        summary: 'Contributions of the last year by the quarter of an hour',
        access: { actor: 'anyone', scope: 'user', resource: userResource },
        responses: { 200: Joi.array().items(heatmapSchema) },
        handler: async ({ actor, resource }) => {
          if (!heatmapOn) throw NotFound('heatmap');
          return activities.heatmap(resource.id, actor);
        },
      }),
      defineRoute({
        method: 'GET',
        path: '/api/v1/repos/{owner}/{repo}/activities/feeds',
        id: 'repoListActivityFeeds',
        tags: ['repository'],
        summary: 'What happened in a repository',
        access: { actor: 'anyone', scope: 'repository', resource: repositoryResource },
        request: dated,
        responses,
        handler: ({ actor, resource, query, page }) =>
          list({ repositoryId: resource.repository.id, date: query.date, ...page }, actor),
      }),
    ];
  };
