import { defineRoute, Joi, NotFound, queryFlag, reply, type Route } from '@mortise/plugin-sdk';
import type { Runner, Runners, RegistrationTokens } from '../contract/runners.js';
import { operation, type Level } from './levels.js';

const runnerSchema = Joi.object({
  id: Joi.number().integer().required(),
  name: Joi.string().required(),
  status: Joi.string().valid('online', 'offline').required(),
  busy: Joi.boolean().required(),
  disabled: Joi.boolean().required(),
  ephemeral: Joi.boolean().required(),
  labels: Joi.array()
    .items(
      Joi.object({
        id: Joi.number().integer().required(),
        name: Joi.string().required(),
        type: Joi.string().valid('custom').required(),
      }).label('ActionRunnerLabel'),
    )
    .required(),
}).label('ActionRunner');

const runnerListSchema = Joi.object({
  runners: Joi.array().items(runnerSchema).required(),
  total_count: Joi.number().integer().required(),
}).label('ActionRunnersResponse');

const tokenSchema = Joi.object({ token: Joi.string().required() }).label('RegistrationToken');

interface EditRunner {
  readonly disabled: boolean;
}
const editSchema = Joi.object<EditRunner>({ disabled: Joi.boolean().required() }).label('EditActionRunnerOption');

interface ListQuery {
  readonly disabled?: boolean;
}

/** Model `ActionRunner` (ACT-24). */
const toApi = (runner: Runner) => ({
  id: runner.id,
  name: runner.name,
  status: runner.status === 'offline' ? 'offline' : 'online',
  busy: runner.status === 'active',
  disabled: runner.isDisabled,
  ephemeral: runner.isEphemeral,
  labels: runner.labels.map((name, id) => ({ id, name, type: 'custom' })),
});

/** Numbers that are none name no runner. */
function idOf(text: string): number {
  if (!/^\d{1,10}$/.test(text)) throw NotFound('runner');
  return Number(text);
}

interface Deps {
  readonly runners: Runners;
  readonly registrationTokens: RegistrationTokens;
}

/** Runners of one level (ACT-48 to ACT-57). Administrators see and change those of all levels. */
export function runnerRoutes(level: Level, { runners, registrationTokens }: Deps): readonly Route[] {
  const { access } = level;
  const path = `${level.path}/runners`;
  const tags = [level.tag];
  const one = { params: Joi.object({ ...level.params, runner_id: Joi.string().required() }) };
  const scopeOf = (context: Parameters<Level['scopeOf']>[0]) =>
    level.name === 'admin' ? undefined : level.scopeOf(context);
  const tokenRoute = (method: 'GET' | 'POST', at: string, id?: string) =>
    defineRoute({
      method,
      path: at,
      ...(id && { id }),
      tags,
      summary: 'Get the token with which runners register',
      access: { ...access, level: 'write' },
      deprecated: method === 'GET',
      request: { params: Joi.object(level.params) },
      responses: { 200: tokenSchema },
      handler: async (context) => ({ token: await registrationTokens.current(level.scopeOf(context as never)) }),
    });
  return [
    defineRoute({
      method: 'GET',
      path,
      id: operation('get', level, 'Runners'),
      tags,
      summary: 'List runners',
      access,
      request: {
        params: Joi.object(level.params),
        query: Joi.object<ListQuery>({ disabled: queryFlag() }).unknown(),
      },
      responses: { 200: runnerListSchema },
      async handler(context) {
        const { items, total } = await runners.list(
          { scope: scopeOf(context as never), isDisabled: context.query.disabled },
          context.page,
        );
        return { runners: items.map(toApi), total_count: total };
      },
    }),
    tokenRoute('POST', `${path}/registration-token`, `${level.name}CreateRunnerRegistrationToken`),
    tokenRoute('GET', `${path}/registration-token`, `${level.name}GetRunnerRegistrationToken`),
    ...(level.name === 'admin'
      ? [tokenRoute('GET', '/api/v1/admin/runners/registration-token', 'adminGetRunnerRegistrationTokenOld')]
      : []),
    defineRoute({
      method: 'GET',
      path: `${path}/{runner_id}`,
      id: operation('get', level, 'Runner'),
      tags,
      summary: 'Get a runner',
      access,
      request: one,
      responses: { 200: runnerSchema },
      handler: async (context) =>
        toApi(await runners.find(idOf(String(context.params.runner_id)), scopeOf(context as never))),
    }),
    defineRoute({
      method: 'PATCH',
      path: `${path}/{runner_id}`,
      id: operation('update', level, 'Runner'),
      tags,
      summary: 'Switch a runner off or on',
      access,
      request: { ...one, payload: editSchema },
      responses: { 200: runnerSchema },
      async handler(context) {
        const id = idOf(String(context.params.runner_id));
        return toApi(await runners.setDisabled(id, context.payload.disabled, scopeOf(context as never)));
      },
    }),
    defineRoute({
      method: 'DELETE',
      path: `${path}/{runner_id}`,
      id: operation('delete', level, 'Runner'),
      tags,
      summary: 'Delete a runner',
      access,
      request: one,
      responses: { 204: null },
      async handler(context) {
        await runners.remove(idOf(String(context.params.runner_id)), scopeOf(context as never));
        return reply.none();
      },
    }),
  ];
}
