import {
  apiTime,
  defineRoute,
  Joi,
  NotFound,
  reply,
  type Route,
  type ScheduledTask,
  type ScheduledTasks,
  type Site,
} from '@mortise/plugin-sdk';
import type { AdminPage } from '../contract/admin.js';
import { TaskList } from '../pages/tasks.js';
import { t } from '../texts/index.js';

interface Services {
  readonly tasks: ScheduledTasks;
  readonly adminPage: AdminPage;
  readonly site: Site;
}

const taskSchema = Joi.object({
  name: Joi.string().required(),
  schedule: Joi.string().required(),
  next: Joi.string().isoDate().required(),
  prev: Joi.string().isoDate().required().description('Year 1: never yet'),
  exec_times: Joi.number().integer().required(),
}).label('Cron');

const shown = ({ name, schedule, nextAt, lastAt, runs }: ScheduledTask) => ({
  name,
  schedule,
  next: apiTime(nextAt),
  prev: lastAt === undefined ? '0001-01-01T00:00:00Z' : apiTime(lastAt),
  exec_times: runs,
});

/** What the site does again and again, over the API (admin-tasks) and as a page, for administrators. */
export function taskRoutes({ tasks, adminPage, site }: Services): readonly Route[] {
  const access = { actor: 'admin' } as const;
  const api = { ...access, scope: 'admin' } as const;
  const run = async (name: string) => {
    if (!(await tasks.run(name))) throw NotFound(`Task ${name} does not exist.`);
  };
  return [
    defineRoute({
      method: 'GET',
      path: '/api/v1/admin/cron',
      id: 'adminCronList',
      tags: ['admin'],
      summary: 'Scheduled tasks',
      access: api,
      responses: { 200: Joi.array().items(taskSchema).label('CronList') },
      async handler({ page }) {
        const all = await tasks.list();
        return reply.list(all.slice(page.offset, page.offset + page.limit).map(shown), all.length);
      },
    }),
    defineRoute({
      method: 'POST',
      path: '/api/v1/admin/cron/{task}',
      id: 'adminCronRun',
      tags: ['admin'],
      summary: 'Run a scheduled task now',
      access: api,
      responses: { 204: null },
      async handler({ params }) {
        await run(params.task ?? '');
        return reply.none();
      },
    }),
    defineRoute({
      method: 'GET',
      path: '/-/admin/tasks',
      access,
      request: { query: Joi.object<{ readonly done?: string }>({ done: Joi.string() }) },
      handler: async ({ actor, csrf, query }) =>
        adminPage({
          active: 'tasks',
          title: t.later('tasks.title'),
          actor,
          body: <TaskList tasks={await tasks.list()} csrf={csrf} action={site.path('/-/admin/tasks')} />,
          flash: query.done ? { kind: 'success', text: t.later('tasks.queued', { name: query.done }) } : undefined,
        }),
    }),
    defineRoute({
      method: 'POST',
      path: '/-/admin/tasks',
      access,
      payload: { as: 'form' },
      request: { payload: Joi.object<{ readonly name: string }>({ name: Joi.string().required() }) },
      async handler({ payload }) {
        await run(payload.name);
        return reply.redirect(site.path(`/-/admin/tasks?done=${encodeURIComponent(payload.name)}`), 303);
      },
    }),
  ];
}
