import { expect } from '@hapi/code';
import Lab from '@hapi/lab';
import { defineRoute, defineResource, Joi, type Route } from '@mortise/plugin-sdk';
import type { OpenApiDocument } from '../api-docs/shapes.js';
import { httpKit } from './http-kit.js';

export const lab = Lab.script();
const { describe, it } = lab;

const record = Joi.object({
  id: Joi.number().required(),
  names: Joi.array().items(Joi.string()),
  state: Joi.string().valid('open', 'closed'),
}).label('Record');
const routes: Route[] = [
  defineRoute({
    method: 'GET',
    path: '/api/v1/things/{owner}/records',
    id: 'listRecords',
    tags: ['records'],
    summary: 'Records of a thing',
    access: { actor: 'user', scope: 'misc', resource: defineResource('fixture.thing') },
    request: { query: Joi.object({ state: Joi.string().valid('open', 'closed') }) },
    responses: { 200: Joi.array().items(record) },
    handler: () => [],
  }),
  defineRoute({
    method: 'POST',
    path: '/api/v1/things/{owner}/records/{path*}',
    id: 'createRecord',
    tags: ['records'],
    deprecated: true,
    access: { actor: 'user' },
    request: {
      payload: Joi.object({ name: Joi.string().required() }),
      params: Joi.object({ owner: Joi.string().description('Who owns it') }),
    },
    responses: { 201: record, 409: null },
    handler: () => undefined,
  }),
  defineRoute({ method: 'GET', path: '/api/v1/hidden', access: { actor: 'anyone' }, handler: () => 1 }),
];

interface Operation {
  readonly operationId: string;
  readonly deprecated?: boolean;
  readonly parameters: { readonly name: string; readonly in: string }[];
  readonly responses: Record<string, unknown>;
}

interface Document {
  readonly swagger?: string;
  readonly openapi?: string;
  readonly servers?: { readonly url: string }[];
  readonly basePath?: string;
  readonly info: { readonly version: string };
  readonly paths: Record<string, Record<string, Operation>>;
  readonly definitions?: Record<string, { readonly properties: Record<string, unknown> }>;
}

function references(value: unknown): string[] {
  if (!value || typeof value !== 'object') return [];
  return Object.entries(value).flatMap(([key, inner]) =>
    key === '$ref' && typeof inner === 'string' ? [inner] : references(inner),
  );
}

const resolves = (document: unknown, reference: string): boolean =>
  reference
    .replace('#/', '')
    .split('/')
    .reduce<unknown>((at, key) => (at as Record<string, unknown> | undefined)?.[decodeURIComponent(key)], document) !==
  undefined;

/** One that answers so. */
const route = (id: string, answer: Joi.Schema | null, more: Partial<Route> = {}) =>
  defineRoute({
    method: 'GET',
    path: `/api/v1/${id}`,
    id,
    access: { actor: 'anyone' },
    responses: { 200: answer },
    handler: () => 1,
    ...more,
  } as Route);

const operations = ({ paths }: Document): string[] =>
  Object.entries(paths)
    .flatMap(([path, ways]) => Object.keys(ways).map((method) => `${method} ${path}`))
    .sort();

describe('api-docs', () => {
  it('DOC-01, DOC-02, DOC-06, VER-12: describes all operations as Swagger 2.0 and as OpenAPI 3.0, with the version of the server', async () => {
    const { inject, lines } = await httpKit({ routes });
    const swagger = JSON.parse((await inject('/swagger.v1.json')).payload) as Document;
    const openapi = JSON.parse((await inject('/openapi3.v1.json')).payload) as Document;
    expect([swagger.swagger, swagger.basePath, openapi.openapi, swagger.info.version]).to.equal([
      '2.0',
      '/api/v1',
      '3.0.3',
      '1.27.0',
    ]);
    expect(operations(openapi)).to.equal(operations(swagger));
    expect(operations(swagger))
      .to.include(['get /things/{owner}/records', 'post /things/{owner}/records/{path}', 'get /version'])
      .and.not.include('get /hidden');
    for (const document of [swagger, openapi]) {
      expect(references(document).filter((reference) => !resolves(document, reference))).to.equal([]);
      for (const [path, ways] of Object.entries(document.paths)) {
        for (const operation of Object.values(ways))
          if (path.includes('{')) expect(Object.keys(operation.responses)).to.include('404');
      }
    }
    const list = swagger.paths['/things/{owner}/records']!.get!;
    expect(list.operationId).to.equal('listRecords');
    expect(list.parameters.map((one) => one.name).sort()).to.equal(['limit', 'owner', 'page', 'state']);
    expect(Object.keys(list.responses)).to.equal(['200', '401', '403', '404', '422']);
    expect(swagger.paths['/things/{owner}/records/{path}']!.post!.deprecated).to.be.true();
    expect(lines.filter(({ level }) => level === 'error')).to.equal([]);
  });

  it('describes operations of protocols in a document of their own, from the root of the site', async () => {
    const given = { path: '/files/{owner}/{rest*}', id: 'fetchFile', surface: 'protocol' } as const;
    const { inject, lines } = await httpKit({ routes: [...routes, route('fetchFile', record, given)] });
    const read = async (url: string) => JSON.parse((await inject(url)).payload) as Document;
    const [swagger, openapi, protocols] = await Promise.all(
      ['/swagger.v1.json', '/openapi3.v1.json', '/protocols.v1.json'].map(read),
    );
    for (const document of [swagger!, openapi!])
      expect(operations(document).filter((one) => one.includes('files'))).to.equal([]);
    expect(operations(openapi!)).to.equal(operations(swagger!));
    expect([openapi!.servers, protocols!.servers]).to.equal([[{ url: '/api/v1' }], [{ url: '/' }]]);
    expect([protocols!.openapi, operations(protocols!)]).to.equal(['3.0.3', ['get /files/{owner}/{rest}']]);
    const operation = protocols!.paths['/files/{owner}/{rest}']!.get!;
    expect(operation.operationId).to.equal('fetchFile');
    expect(operation.parameters.map(({ name }) => name).sort()).to.equal(['owner', 'rest']);
    expect(references(protocols).filter((reference) => !resolves(protocols, reference))).to.equal([]);
    const page = (await inject('/api/swagger')).payload;
    expect(page).to.include(['/files/{owner}/{rest}', 'href="/protocols.v1.json"']);
    expect(lines.filter(({ level }) => level === 'error')).to.equal([]);
  });

  it('W: the viewer lists operations and models that can be searched, and shows each on a page of its own', async () => {
    const option = Joi.object({ title: Joi.string().required() }).label('CreateThing');
    const made = {
      method: 'POST',
      path: '/api/v1/things',
      request: { payload: option },
      summary: 'Make a thing',
    } as const;
    const { inject } = await httpKit({ routes: [route('listOther', record), route('makeThing', record, made)] });
    const links = (page: string) => [...page.matchAll(/href="(\?[^"]+)"/g)].map(([, href]) => href!);
    const whole = links((await inject('/api/swagger')).payload);
    expect(whole).to.include(['?operation=listOther', '?operation=makeThing', '?model=CreateThing']);
    for (const href of whole) expect((await inject(`/api/swagger${href}`)).statusCode, href).to.equal(200);

    const found = (await inject('/api/swagger?q=MAKE+thing')).payload;
    expect(links(found).filter((href) => href.startsWith('?operation'))).to.equal(['?operation=makeThing']);
    expect((await inject('/api/swagger?q=nothing+has+this')).payload).to.include('Nothing matches your search.');

    const operation = (await inject('/api/swagger?operation=makeThing')).payload;
    expect(operation).to.include(['/things', '<code>title</code>', 'href="?model=CreateThing"']);
    for (const query of ['operation=nope', 'model=nope', 'operation=%00', 'model=__proto__'])
      expect((await inject(`/api/swagger?${query}`)).statusCode, query).to.equal(404);
    expect((await inject('/api/swagger?q=a&q=b')).statusCode).to.equal(422);
  });

  it('has nothing to say of protocols where there are none', async () => {
    const { inject } = await httpKit({ routes });
    expect((JSON.parse((await inject('/protocols.v1.json')).payload) as Document).paths).to.equal({});
    expect((await inject('/api/swagger')).payload).to.not.include('protocols.v1.json');
  });

  it('shows examples beside the schemas, under the media type of the protocol', async () => {
    const type = 'application/vnd.fixture+json';
    const given = {
      method: 'POST',
      path: '/files/{owner}/batch',
      surface: 'protocol',
      payload: { as: 'buffer' },
      examples: { type, request: { ask: 1 }, responses: { 200: { id: 7 }, 409: { message: 'taken' } } },
    } as const;
    const { inject, lines } = await httpKit({ routes: [...routes, route('askFiles', record, given)] });
    const { paths } = JSON.parse((await inject('/protocols.v1.json')).payload) as OpenApiDocument;
    const { requestBody, responses } = paths['/files/{owner}/batch']!.post!;
    expect(requestBody!.content).to.equal({ [type]: { example: { ask: 1 } } });
    expect(responses['200']!.content![type]!.example).to.equal({ id: 7 });
    expect(responses['200']!.content![type]!.schema).to.exist();
    expect(responses['409']!.content![type]!.example).to.equal({ message: 'taken' });
    const page = (await inject('/api/swagger?operation=askFiles')).payload;
    expect(page).to.include(['&quot;ask&quot;: 1', type]);
    expect(lines.filter(({ level }) => level === 'error')).to.equal([]);
  });

  it('DOC-06: describes a model once, whether it is nullable, described or only named', async () => {
    const whole = Joi.object({ id: Joi.number().required(), parent: Joi.object().unknown().allow(null).label('Model') })
      .label('Model')
      .meta({ note: 'whole' });
    const wrapped = Joi.object({
      only: Joi.object().unknown().label('Model'),
      nullable: whole.allow(null).description('maybe'),
      missing: Joi.object().unknown().label('Elsewhere'),
    });
    const { inject, lines } = await httpKit({ routes: [route('a', wrapped), route('b', whole)] });
    const { definitions, paths } = JSON.parse((await inject('/swagger.v1.json')).payload) as Document;
    expect(Object.keys(definitions!.Model!.properties)).to.equal(['id', 'parent']);
    expect(Object.keys(definitions!).filter((name) => /Model|Elsewhere/.test(name))).to.equal(['Model', 'Elsewhere']);
    const properties = definitions!.AAnswer!.properties as Record<string, { $ref: string }>;
    expect([properties.only!.$ref, properties.nullable!.$ref, properties.missing!.$ref]).to.equal([
      '#/definitions/Model',
      '#/definitions/Model',
      '#/definitions/Elsewhere',
    ]);
    expect(references(paths['/b'])).to.include('#/definitions/Model');
    expect(lines.filter(({ level }) => level === 'warn')).to.equal([]);

    const other = Joi.object({ name: Joi.string() }).label('Model');
    const clash = await httpKit({ routes: [route('a', whole), route('b', other)] });
    await clash.inject('/swagger.v1.json');
    expect(clash.lines.filter(({ level }) => level === 'warn').map(({ fields }) => fields?.model)).to.equal(['Model']);
  });

  it('DOC-06: names null, the empty value, times, texts and files, so that clients made from it take every answer', async () => {
    const inner = Joi.object({ id: Joi.number().required() }).label('Inner');
    const outer = Joi.object({
      inner: inner.allow(null).required(),
      text: Joi.string().allow(null).required(),
      style: Joi.string().allow('').valid('', 'split').required(),
      made: Joi.string().isoDate().required(),
    }).label('Outer');
    const { inject } = await httpKit({
      routes: [
        route('a', Joi.array().items(outer)),
        route('b', Joi.string()),
        route('c', null),
        route('d', Joi.string().meta({ mediaType: 'text/html' }), {
          method: 'POST',
          payload: { as: 'buffer', allow: ['text/plain'] },
        }),
      ],
    });
    const swagger = JSON.parse((await inject('/swagger.v1.json')).payload) as Document;
    expect(swagger.definitions!.Outer).to.equal({
      type: 'object',
      properties: {
        inner: { type: 'object', allOf: [{ $ref: '#/definitions/Inner' }], 'x-nullable': true },
        text: { type: 'string', 'x-nullable': true },
        style: { type: 'string', description: 'Empty or one of: split' },
        made: { type: 'string', format: 'date-time' },
      },
      required: ['style', 'made'],
    } as never);
    expect(swagger.paths['/b']!.get).to.include({ produces: ['text/plain', 'application/json'] } as never);
    expect(swagger.paths['/c']!.get).to.include({
      produces: ['application/octet-stream', 'application/json'],
    } as never);
    expect(swagger.paths['/c']!.get!.responses['200']).to.include({ schema: { type: 'file' } });
    const made = swagger.paths['/d']!.post!;
    expect(made).to.include({ produces: ['text/html', 'application/json'], consumes: ['text/plain'] } as never);
    expect(made.parameters).to.equal([{ in: 'body', name: 'body', schema: { type: 'string' } }] as never);
    const openapi = JSON.parse((await inject('/openapi3.v1.json')).payload) as Document & {
      readonly components: { readonly schemas: Record<string, { readonly properties: Record<string, unknown> }> };
    };
    expect(openapi.components.schemas.Outer!.properties.inner).to.equal({
      type: 'object',
      allOf: [{ $ref: '#/components/schemas/Inner' }],
      nullable: true,
    });
    expect(openapi.paths['/b']!.get!.responses['200']).to.include({
      content: { 'text/plain': { schema: { type: 'string' } } },
    });
    expect(openapi.paths['/c']!.get!.responses['200']).to.include({
      content: { '*/*': { schema: { type: 'string', format: 'binary' } } },
    });
  });

  it('DOC-02: gives each operation its own body, whose kind generators look for', async () => {
    const payload = Joi.object({ name: Joi.string().required() }).label('Named');
    const route = (id: string) =>
      defineRoute({
        method: 'POST',
        path: `/api/v1/${id}`,
        id,
        access: { actor: 'anyone' },
        request: { payload },
        responses: { 204: null },
        handler: () => undefined,
      });
    const { inject } = await httpKit({ routes: [route('a'), route('b')] });
    const { paths } = JSON.parse((await inject('/openapi3.v1.json')).payload) as Document;
    for (const path of ['/a', '/b']) {
      const { requestBody } = paths[path]!.post as unknown as { requestBody: { content: object } };
      expect(Object.keys(requestBody.content)).to.equal(['application/json', 'application/x-www-form-urlencoded']);
    }
  });

  it('leaves out what cannot be described, not everything', async () => {
    const undescribable = Object.assign(Joi.object({ a: Joi.string() }), {
      describe: () => {
        throw new Error('no words for it');
      },
    });
    const odd = defineRoute({
      method: 'GET',
      path: '/api/v1/odd/{a}',
      id: 'getOdd',
      access: { actor: 'anyone' },
      responses: { 200: undescribable },
      handler: () => 1,
    });
    const { inject, lines } = await httpKit({ routes: [...routes, odd] });
    const answer = await inject('/swagger.v1.json');
    expect(answer.statusCode).to.equal(200);
    expect(operations(JSON.parse(answer.payload) as Document)).to.include('get /version');
    expect(lines.filter(({ level }) => level === 'error').map(({ fields }) => fields?.route)).to.equal([
      'GET /api/v1/odd/{a}',
    ]);
  });

  it('DOC-03, DOC-04: shows the operations with three ways on', async () => {
    const { inject } = await httpKit({ routes });
    const { payload, headers } = await inject('/api/swagger');
    expect(headers['content-type']).to.contain('text/html');
    expect(payload).to.contain([
      'href="/openapi3.v1.json"',
      'href="/swagger.v1.json"',
      'href="/"',
      'listRecords',
      '?model=Record',
    ]);
    const moved = await inject('/api/v1/swagger');
    expect([moved.statusCode, moved.headers.location]).to.equal([303, '/api/swagger']);
  });

  it('DOC-03: is gone when ENABLE_SWAGGER is off', async () => {
    const { inject } = await httpKit({ routes, settings: { api: { ENABLE_SWAGGER: false } } });
    for (const url of [
      '/swagger.v1.json',
      '/openapi3.v1.json',
      '/protocols.v1.json',
      '/api/swagger',
      '/api/v1/swagger',
    ])
      expect((await inject(url)).statusCode).to.equal(404);
  });

  it('holds no description of a schema against joi’s own schema, and everything else as before', async () => {
    const { inject } = await httpKit({ routes });
    const { assert } = Joi;
    const held: unknown[] = [];
    Joi.assert = (value: unknown, ...more: unknown[]) => {
      held.push(value);
      return (assert as (...all: unknown[]) => unknown)(value, ...more);
    };
    try {
      expect((await inject('/swagger.v1.json')).statusCode).to.equal(200);
      record.describe();
      // hapi-swagger holds its own options and documents against schemas, which have no type of their own
      expect(held.filter((value) => typeof (value as { type?: unknown }).type === 'string')).to.equal([]);
      held.length = 0;
      expect(() => Joi.assert({ id: 'none' }, record)).to.throw(/must be a number/);
      expect(held).to.have.length(1);
    } finally {
      Joi.assert = assert;
    }
  });
});
