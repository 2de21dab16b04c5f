/** Routes of all kinds, on which the HTTP module is tested. */
import {
  Conflict,
  defineRoute,
  defineResource,
  Joi,
  NotFound,
  PreparedJson,
  reply,
  webPage,
  type Route,
  type ResourceResolver,
  type UploadedFile,
} from '@mortise/plugin-sdk';
import { h } from 'preact';
import { headerAuth, httpKit, type KitOptions } from './http-kit.js';

const thing = defineResource<{ name: string }>('fixture.thing');
const things: ResourceResolver = {
  key: 'fixture.thing',
  resolve: async ({ params }) => {
    if (params.thing === 'old') return reply.redirect('/api/v1/things/new', 301);
    if (params.thing !== 'new') throw NotFound('thing');
    return { name: 'new' };
  },
};

export const routes: Route[] = [
  defineRoute({
    method: 'GET',
    path: '/api/v1/open',
    access: { actor: 'anyone' },
    handler: ({ actor }) => ({ name: actor.name }),
  }),
  defineRoute({
    method: 'GET',
    path: '/api/v1/mine',
    access: { actor: 'user', scope: 'user' },
    handler: ({ actor }) => ({ name: actor.name }),
  }),
  defineRoute({
    method: 'POST',
    path: '/api/v1/mine',
    access: { actor: 'user', scope: ['user', 'repository'], noPublicOnly: true },
    handler: () => reply.created({}),
  }),
  defineRoute({ method: 'GET', path: '/api/v1/admin/all', access: { actor: 'admin' }, handler: () => [] }),
  defineRoute({
    method: 'GET',
    path: '/api/v1/things/{thing}',
    access: { actor: 'anyone', resource: thing },
    handler: ({ resource }) => resource,
  }),
  defineRoute({
    method: 'GET',
    path: '/api/v1/files/{filepath*}',
    access: { actor: 'anyone' },
    handler: ({ params }) => params,
  }),
  defineRoute({
    method: 'GET',
    path: '/api/v1/one/{name}',
    access: { actor: 'anyone' },
    handler: ({ params }) => params,
  }),
  defineRoute({
    method: 'GET',
    path: '/api/v1/numbers/{id}',
    access: { actor: 'anyone' },
    request: { params: Joi.object({ id: Joi.number().integer().min(0) }) },
    handler: ({ params }) => params,
  }),
  defineRoute({
    method: 'POST',
    path: '/api/v1/records',
    access: { actor: 'anyone' },
    request: {
      payload: Joi.object({
        name: Joi.string().required(),
        private: Joi.boolean(),
        names: Joi.array().items(Joi.string()),
      }),
      query: Joi.object({ deep: Joi.boolean() }),
    },
    handler: ({ payload, query }) => reply.created({ payload, query }),
  }),
  defineRoute({ method: 'PUT', path: '/api/v1/bodiless', access: { actor: 'anyone' }, handler: () => undefined }),
  defineRoute({
    method: 'GET',
    path: '/api/v1/list',
    access: { actor: 'anyone' },
    handler: ({ page }) => reply.list([page], 120, true),
  }),
  ...Object.entries({ long: 20_000, brief: 20 }).map(([name, length]) =>
    defineRoute({
      method: 'GET',
      path: `/api/v1/${name}`,
      access: { actor: 'anyone' },
      handler: () => new PreparedJson({ text: 'ü'.repeat(length) }),
    }),
  ),
  defineRoute({
    method: 'GET',
    path: '/api/v1/tagged',
    access: { actor: 'anyone' },
    handler: () => reply.json({ a: 1 }).tag('abc', true),
  }),
  defineRoute({
    method: 'GET',
    path: '/api/v1/fault',
    access: { actor: 'anyone' },
    handler: () => {
      throw new Error('secret detail');
    },
  }),
  defineRoute({
    method: 'GET',
    path: '/api/v1/conflict',
    access: { actor: 'anyone' },
    handler: () => {
      throw Conflict('taken', { fields: { invalidTopics: ['a'] } });
    },
  }),
  defineRoute({
    method: 'GET',
    path: '/page',
    access: { actor: 'anyone' },
    handler: ({ csrf }) =>
      webPage({ title: 'A <page>', body: h('form', {}, h('input', { name: '_csrf', value: csrf })) }),
  }),
  defineRoute({
    method: 'POST',
    path: '/page',
    access: { actor: 'anyone' },
    request: { payload: Joi.object({ text: Joi.string() }) },
    handler: ({ payload }) => reply.json(payload),
  }),
  defineRoute({
    method: 'GET',
    path: '/private',
    access: { actor: 'user' },
    handler: () => webPage({ title: 'Private', body: h('p', {}, 'x') }),
  }),
  defineRoute({
    method: 'POST',
    path: '/private',
    access: { actor: 'user' },
    payload: { as: 'form' },
    handler: () => reply.redirect('/private'),
  }),
  defineRoute({
    method: 'GET',
    path: '/costly',
    access: { actor: 'anyone', expensive: true },
    handler: () => webPage({ title: 'Costly', body: h('p', {}, 'x') }),
  }),
  defineRoute({
    method: 'GET',
    path: '/costly-file',
    surface: 'protocol',
    access: { actor: 'anyone', expensive: true },
    handler: () => reply.text('x'),
  }),
  defineRoute({
    method: 'GET',
    path: '/{owner}/{repo}',
    access: { actor: 'anyone' },
    handler: () => {
      throw NotFound('repository');
    },
  }),
  defineRoute({
    method: 'GET',
    path: '/protocol/closed',
    surface: 'protocol',
    access: { actor: 'user' },
    handler: () => 'x',
  }),
  defineRoute({
    method: 'PUT',
    path: '/protocol/stream',
    surface: 'protocol',
    access: { actor: 'anyone' },
    payload: { as: 'stream', maxBytes: 10 },
    handler: async ({ payload }) => reply.text(Buffer.concat((await payload.toArray()) as Buffer[]).toString()),
  }),
  defineRoute({
    method: 'POST',
    path: '/protocol/upload',
    surface: 'protocol',
    access: { actor: 'anyone' },
    payload: { as: 'multipart' },
    async handler({ payload }) {
      const { file, after } = payload as { file: UploadedFile; after: string };
      const text = Buffer.concat((await file.toArray()) as Buffer[]).toString();
      return { after, name: file.fileName, size: file.size, text };
    },
  }),
  defineRoute({
    method: 'POST',
    path: '/upload',
    access: { actor: 'anyone' },
    payload: { as: 'multipart', maxFiles: 3 },
    handler: ({ payload }: { payload: Record<string, unknown> }) => ({ names: Object.keys(payload) }),
  }),
  defineRoute({
    method: 'GET',
    path: '/protocol/bytes',
    surface: 'protocol',
    access: { actor: 'anyone' },
    handler: () => reply.bytes(Buffer.from('0123456789'), 'application/octet-stream'),
  }),
];

/** A host with the routes of this file. */
export const kit = (options: KitOptions = {}) =>
  httpKit({ routes, contributions: { 'core.authMethods': [headerAuth], 'core.resources': [things] }, ...options });
