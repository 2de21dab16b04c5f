import { apiTime, defineRoute, Joi, reply, type Route } from '@mortise/plugin-sdk';
import type { Secrets, Variable, Variables } from '../contract/secrets.js';
import { operation, type ValueLevel } from './levels.js';

const secretSchema = Joi.object({
  name: Joi.string().required(),
  description: Joi.string().allow('').required(),
  created_at: Joi.string().isoDate().required(),
}).label('Secret');

const variableSchema = Joi.object({
  owner_id: Joi.number().integer().required(),
  repo_id: Joi.number().integer().required(),
  name: Joi.string().required(),
  data: Joi.string().allow('').required(),
  description: Joi.string().allow('').required(),
}).label('ActionVariable');

const description = Joi.string().allow('', null);
interface PutSecret {
  readonly data: string;
  readonly description?: string | null;
}
interface NewVariable {
  readonly value: string;
  readonly description?: string | null;
}
interface ChangedVariable extends NewVariable {
  readonly name?: string | null;
}
const putSecretSchema = Joi.object<PutSecret>({ data: Joi.string().required(), description }).label(
  'CreateOrUpdateSecretOption',
);
const newVariableSchema = Joi.object<NewVariable>({ value: Joi.string().required(), description }).label(
  'CreateVariableOption',
);
const changedVariableSchema = Joi.object<ChangedVariable>({
  name: Joi.string().allow('', null),
  value: Joi.string().required(),
  description,
}).label('UpdateVariableOption');

const nameField = Joi.string().required();

/** Secrets of one level; those of an account cannot be listed (ACT-02 to ACT-05, ACT-58). */
export function secretRoutes(level: ValueLevel, { secrets }: { readonly secrets: Secrets }): readonly Route[] {
  const { access } = level;
  const path = `${level.path}/secrets`;
  const tags = [level.tag];
  const one = { params: Joi.object({ ...level.params, secretname: nameField }) };
  const list = defineRoute({
    method: 'GET',
    path,
    id: `${level.name}ListActionsSecrets`,
    tags,
    summary: 'List secrets, without what they hold',
    access,
    request: { params: Joi.object(level.params) },
    responses: { 200: Joi.array().items(secretSchema).label('SecretList') },
    async handler(context) {
      const { items, total } = await secrets.list(await level.scopeOf(context as never), context.page);
      return reply.list(
        items.map((one) => ({ name: one.name, description: one.description, created_at: apiTime(one.createdAt) })),
        total,
      );
    },
  });
  return [
    ...(level.name === 'user' ? [] : [list]),
    defineRoute({
      method: 'PUT',
      path: `${path}/{secretname}`,
      id: operation('update', level, 'Secret'),
      tags,
      summary: 'Create or change a secret',
      access,
      request: { ...one, payload: putSecretSchema },
      responses: { 201: null, 204: null },
      async handler(context) {
        const { data, description: text } = context.payload;
        const isNew = await secrets.put(await level.scopeOf(context as never), {
          name: String(context.params.secretname),
          data,
          description: text ?? '',
        });
        return reply.empty(isNew ? 201 : 204);
      },
    }),
    defineRoute({
      method: 'DELETE',
      path: `${path}/{secretname}`,
      id: operation('delete', level, 'Secret'),
      tags,
      summary: 'Delete a secret',
      access,
      request: one,
      responses: { 204: null },
      async handler(context) {
        await secrets.remove(await level.scopeOf(context as never), String(context.params.secretname));
        return reply.none();
      },
    }),
  ];
}

const toApi = ({ scope, name, value, description: text }: Variable) => ({
  owner_id: scope.ownerId,
  repo_id: scope.repositoryId,
  name,
  data: value,
  description: text,
});

/** Variables of one level (ACT-03, ACT-06, ACT-59). */
export function variableRoutes(level: ValueLevel, { variables }: { readonly variables: Variables }): readonly Route[] {
  const { access } = level;
  const path = `${level.path}/variables`;
  const tags = [level.tag];
  const params = Joi.object({ ...level.params, variablename: nameField });
  return [
    defineRoute({
      method: 'GET',
      path,
      id: operation('get', level, 'VariablesList'),
      tags,
      summary: 'List variables',
      access,
      request: { params: Joi.object(level.params) },
      responses: { 200: Joi.array().items(variableSchema).label('VariableList') },
      async handler(context) {
        const { items, total } = await variables.list(await level.scopeOf(context as never), context.page);
        return reply.list(items.map(toApi), total);
      },
    }),
    defineRoute({
      method: 'GET',
      path: `${path}/{variablename}`,
      id: operation('get', level, 'Variable'),
      tags,
      summary: 'Get a variable',
      access,
      request: { params },
      responses: { 200: variableSchema },
      handler: async (context) =>
        toApi(await variables.find(await level.scopeOf(context as never), String(context.params.variablename))),
    }),
    defineRoute({
      method: 'POST',
      path: `${path}/{variablename}`,
      id: operation('create', level, 'Variable'),
      tags,
      summary: 'Create a variable',
      access,
      request: { params, payload: newVariableSchema },
      responses: { 201: null },
      async handler(context) {
        const { value, description: text } = context.payload as NewVariable;
        const name = String(context.params.variablename);
        await variables.create(await level.scopeOf(context as never), { name, value, description: text ?? '' });
        return reply.empty(201);
      },
    }),
    defineRoute({
      method: 'PUT',
      path: `${path}/{variablename}`,
      id: operation('update', level, 'Variable'),
      tags,
      summary: 'Change a variable',
      access,
      request: { params, payload: changedVariableSchema },
      responses: { 204: null },
      async handler(context) {
        const { name, value, description: text } = context.payload as ChangedVariable;
        const old = String(context.params.variablename);
        const changed = { name: name || old, value, description: text ?? '' };
        await variables.update(await level.scopeOf(context as never), old, changed);
        return reply.none();
      },
    }),
    defineRoute({
      method: 'DELETE',
      path: `${path}/{variablename}`,
      id: operation('delete', level, 'Variable'),
      tags,
      summary: 'Delete a variable',
      access,
      request: { params },
      responses: { 204: null },
      async handler(context) {
        await variables.remove(await level.scopeOf(context as never), String(context.params.variablename));
        return reply.none();
      },
    }),
  ];
}
