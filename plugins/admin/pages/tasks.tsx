import type { VNode } from 'preact';
import {
  Ago,
  apiTime,
  defineRoute,
  formatDate,
  formatNumber,
  Joi,
  NotFound,
  pageRoute,
  PostButton,
  postRoute,
  reply,
  Section,
  textOf,
  type ScheduledTask,
  type Route,
  type ScheduledTasks,
  type Site,
} from '@mortise/plugin-sdk';
import { t } from '../texts/index.js';
import type { AdminPage } from '../api.js';

interface TaskListProps {
  readonly tasks: readonly ScheduledTask[];
  readonly action: string;
}

const titleOf = ({ name, title }: Pick<ScheduledTask, 'name' | 'title'>): string =>
  title === undefined ? name : textOf(title);

/** Scheduled tasks of all plugins: when, when next and last, how often, and a button to do one now. */
const TaskList = ({ tasks, action }: TaskListProps): VNode => (
  <Section title={t('tasks.title')}>
    <p class="color-fg-muted">{t('tasks.note')}</p>
    <table class="data-table width-full">
      <thead>
        <tr>
          <th scope="col">{t('tasks.name')}</th>
          <th scope="col">{t('tasks.schedule')}</th>
          <th scope="col">{t('tasks.next')}</th>
          <th scope="col">{t('tasks.last')}</th>
          <th scope="col">{t('tasks.runs')}</th>
          <th scope="col">
            <span class="sr-only">{t('tasks.actions')}</span>
          </th>
        </tr>
      </thead>
      <tbody>
        {tasks.map(({ name, title, schedule, nextAt, lastAt, runs }) => (
          <tr key={name}>
            <th scope="row">
              {titleOf({ name, title })}
              {title ? <div class="text-mono text-normal f6 color-fg-muted">{name}</div> : null}
            </th>
            <td class="text-mono no-wrap">{schedule}</td>
            <td class="no-wrap">
              <time dateTime={new Date(nextAt).toISOString()}>{formatDate(nextAt, 'minute')}</time>
            </td>
            <td class="no-wrap">{lastAt === undefined ? t('tasks.never') : <Ago time={lastAt} />}</td>
            <td>{formatNumber(runs)}</td>
            <td class="text-right">
              <PostButton
                action={action}
                fields={{ name }}
                label={t('tasks.runOf', { name: titleOf({ name, title }) })}
              >
                {t('tasks.run')}
              </PostButton>
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  </Section>
);

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
    pageRoute(
      '/-/admin/tasks',
      access,
      async ({ actor, query }) => {
        const all = await tasks.list();
        const done = all.find(({ name }) => name === query.done);
        return adminPage({
          active: 'tasks',
          title: t.later('tasks.title'),
          actor,
          body: <TaskList tasks={all} action={site.path('/-/admin/tasks')} />,
          flash: done && { kind: 'success', text: t.later('tasks.queued', { name: () => titleOf(done) }) },
        });
      },
      { query: Joi.object<{ readonly done?: string }>({ done: Joi.string() }) },
    ),
    postRoute(
      '/-/admin/tasks',
      access,
      async ({ payload }) => {
        await run(payload.name);
        return reply.redirect(site.path(`/-/admin/tasks?done=${encodeURIComponent(payload.name)}`), 303);
      },
      { payload: Joi.object<{ readonly name: string }>({ name: Joi.string().required() }) },
    ),
  ];
}
