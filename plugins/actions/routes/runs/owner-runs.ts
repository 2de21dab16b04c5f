import { defineRoute, type Joi, type Route, type RouteContext } from '@mortise/plugin-sdk';
import { organizationResource } from '@mortise/organizations/api';
import type { ListScope } from '../../services/runs/run-queries.js';
import { RunAnswers, type RunRouteDeps } from './runs.js';
import { jobListSchema, jobQuery, runListSchema, runQuery, type JobQuery, type RunQuery } from './schemas.js';

/** Of the site and of the signed-in user (ACT-66, ACT-67). */
export function siteAndUserRunRoutes(deps: RunRouteDeps): Route[] {
  const responses = new RunAnswers(deps);
  const levels = [
    {
      path: '/api/v1/admin/actions',
      tag: 'admin',
      runs: 'listAdminWorkflowRuns',
      jobs: 'listAdminWorkflowJobs',
      access: { actor: 'admin', scope: 'admin' },
      place: (): ListScope => ({ site: true }),
    },
    {
      path: '/api/v1/user/actions',
      tag: 'user',
      runs: 'getUserWorkflowRuns',
      jobs: 'getUserWorkflowJobs',
      access: { actor: 'user', scope: 'user', noPublicOnly: true },
      place: (id: number): ListScope => ({ userId: id }),
    },
  ] as const;
  return levels.flatMap(({ path, tag, runs, jobs, access, place }) => [
    ...runListRoutes({ path, tag, runs, jobs }, access, {
      runs: (context) => responses.listRuns(place(context.actor.id), context),
      jobs: (context) => responses.listJobs(place(context.actor.id), context),
    }),
  ]);
}

/** Of an organization, for its members. */
export function organizationRunRoutes(deps: RunRouteDeps): Route[] {
  const responses = new RunAnswers(deps);
  const routeFields = {
    path: '/api/v1/orgs/{org}/actions',
    tag: 'organization',
    runs: 'getOrgWorkflowRuns',
    jobs: 'getOrgWorkflowJobs',
  };
  const access = { actor: 'user', scope: 'organization', resource: organizationResource, mode: 'write' } as const;
  const ownerOf = (context: RouteContext) => ({
    ownerId: (context.resource as { readonly account: { readonly id: number } }).account.id,
  });
  return runListRoutes(routeFields, access, {
    runs: (context) => responses.listRuns(ownerOf(context as unknown as RouteContext), context),
    jobs: (context) => responses.listJobs(ownerOf(context as unknown as RouteContext), context),
  });
}

function runListRoutes(
  {
    path,
    tag,
    runs,
    jobs,
  }: { readonly path: string; readonly tag: string; readonly runs: string; readonly jobs: string },
  access: Route['access'],
  handlers: {
    runs(context: RouteContext<unknown, unknown, RunQuery>): unknown;
    jobs(context: RouteContext<unknown, unknown, JobQuery>): unknown;
  },
): Route[] {
  const common = { method: 'GET', tags: [tag], access } as const;
  const route = (
    name: string,
    id: string,
    summary: string,
    query: Joi.ObjectSchema,
    schema: Joi.ObjectSchema,
    handler: (context: never) => unknown,
  ) =>
    defineRoute({
      ...common,
      path: `${path}/${name}`,
      id,
      summary,
      request: { query },
      responses: { 200: schema, 400: null },
      handler: handler as Route['handler'],
    });
  return [
    route(
      'runs',
      runs,
      'Runs of all repositories that one may see, newest first',
      runQuery,
      runListSchema,
      handlers.runs as never,
    ),
    route('jobs', jobs, 'Jobs of all repositories that one may see', jobQuery, jobListSchema, handlers.jobs as never),
  ];
}
