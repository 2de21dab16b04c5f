import type { Readable } from 'node:stream';
import { BadRequest, reply, Unauthorized, type Reply } from '@mortise/plugin-sdk';
import type { PackageRequest, PackageRoute, PackageStore } from '@mortise/packages/api';
import { maxDocument, readPublishBody } from '../services/document-reader.js';
import { isName, isRecord, type Json } from '../services/publication.js';
import { shortType, type Mirror } from '../services/mirror.js';
import type { Registry } from '../services/registry.js';

export interface NpmRouteParts {
  readonly registry: Registry;
  readonly store: PackageStore;
  /** What is not here, from another registry. */
  readonly mirror: Mirror | undefined;
}

const maxTagBody = 4096;
const ok = { ok: true };

const nameOf = ({ params }: PackageRequest): string =>
  params.scope !== undefined ? `@${params.scope}/${params.name}` : (params.pkg ?? '');

/** `{pkg}` is `name`, `@scope%2fname` in one segment or `@scope/name` in two. */
const both = (route: PackageRoute): PackageRoute[] => [
  { ...route, path: route.path.replace('{pkg}', '@{scope}/{name}') },
  route,
];

const bodyOf = ({ body }: PackageRequest): Json => {
  if (!isRecord(body)) throw BadRequest('The request body must be a JSON object.');
  return body;
};

/** The npm protocol (PKG-13; reference: 8.1, 8.5). */
export function npmRoutes({ registry, store, mirror }: NpmRouteParts): readonly PackageRoute[] {
  const found = (request: PackageRequest) => registry.need(request.owner, nameOf(request));
  /** The other registry, unless the name is one of ours: then it is never asked, for no version. */
  const elsewhere = async (request: PackageRequest): Promise<Mirror | undefined> =>
    mirror && !(await store.find(request.owner.id, 'npm', nameOf(request))) ? mirror : undefined;

  const document = async (request: PackageRequest): Promise<Reply> => {
    const short = (request.headers.accept ?? '').includes(shortType);
    const other = await elsewhere(request);
    if (other) return other.packument(request, nameOf(request), short);
    const { text, tag } = await registry.document(request.owner, await found(request), request.baseUrl, short);
    return reply
      .text(text)
      .type(short ? shortType : 'application/json')
      .header('vary', 'accept, authorization')
      .tag(tag);
  };

  /** One address for publishing, deprecating and starring; the body tells. */
  const put = async (request: PackageRequest): Promise<unknown> => {
    const name = nameOf(request);
    const published = await readPublishBody(request.body as Readable, request.headers['content-encoding'], (content) =>
      registry.receive(content, request.actor),
    );
    const body = published.document;
    if (isRecord(body._attachments) && Object.keys(body._attachments).length > 0) {
      await registry.publish(request.owner, name, published, request.actor);
      return reply.json({ ok: true, id: name }, 201);
    }
    if (isRecord(body.users) && !isRecord(body.versions)) {
      await registry.star(await found(request), body.users, request.actor);
      return ok;
    }
    const package_ = await store.find(request.owner.id, 'npm', name);
    if (!package_ || !isRecord(body.versions))
      throw BadRequest(isName(name) ? 'package attachment is invalid' : 'package name is invalid');
    await registry.deprecate(package_, body.versions);
    return reply.json({ ok: true, id: name }, 201);
  };

  const tarball = async (request: PackageRequest): Promise<Reply> => {
    const other = await elsewhere(request);
    if (other) return other.tarball(request, nameOf(request), request.params.file!, request.params.version);
    const { file } = await registry.findFile(await found(request), request.params.file!, request.params.version);
    return store.download(file, request);
  };

  const unpublishFile = async (request: PackageRequest): Promise<unknown> => {
    const package_ = await found(request);
    const { version } = await registry.findFile(package_, request.params.file!, request.params.version);
    await store.deleteVersion(package_, version, request.actor);
    return ok;
  };

  return [
    ...clientRoutes(registry),
    ...both({
      method: 'GET',
      path: '/-/package/{pkg}/dist-tags',
      needs: 'read',
      handler: async (request) => {
        const package_ = await store.find(request.owner.id, 'npm', nameOf(request));
        if (package_) return registry.tags(package_);
        return mirror ? mirror.tags(request, nameOf(request)) : {};
      },
    }),
    ...(['PUT', 'POST'] as const).flatMap((method) =>
      both({
        method,
        path: '/-/package/{pkg}/dist-tags/{tag}',
        needs: 'write',
        body: 'json',
        maxBytes: maxTagBody,
        handler: async (request) => {
          await registry.setTag(await found(request), request.params.tag!, request.body);
          return ok;
        },
      }),
    ),
    ...both({
      method: 'DELETE',
      path: '/-/package/{pkg}/dist-tags/{tag}',
      needs: 'write',
      body: 'none',
      handler: async (request) => {
        await registry.removeTag(await found(request), request.params.tag!);
        return ok;
      },
    }),
    ...both({ method: 'GET', path: '/{pkg}', needs: 'read', handler: document }),
    ...both({ method: 'PUT', path: '/{pkg}', needs: 'write', body: 'stream', handler: put }),
    ...both({
      method: 'PUT',
      path: '/{pkg}/-rev/{rev}',
      needs: 'write',
      body: 'json',
      maxBytes: maxDocument,
      handler: async (request) => {
        const body = bodyOf(request);
        const package_ = await found(request);
        if ('dist-tags' in body) await registry.replaceTags(package_, body['dist-tags']);
        return ok;
      },
    }),
    ...both({
      method: 'DELETE',
      path: '/{pkg}/-rev/{rev}',
      needs: 'write',
      body: 'none',
      handler: async (request) => {
        await store.deletePackage(await found(request), request.actor);
        return ok;
      },
    }),
    ...['/{pkg}/-/{version}/{file}', '/{pkg}/-/{file}'].flatMap((path) => [
      ...both({ method: 'DELETE', path: `${path}/-rev/{rev}`, needs: 'write', body: 'none', handler: unpublishFile }),
      ...both({ method: 'GET', path, needs: 'read', handler: tarball }),
    ]),
  ];
}

/** What the client asks beside packages. */
function clientRoutes(registry: Registry): readonly PackageRoute[] {
  return [
    { method: 'GET', path: '/-/ping', needs: 'read', handler: () => ({}) },
    {
      method: 'GET',
      path: '/-/whoami',
      needs: 'read',
      handler: ({ actor }) => {
        if (actor.kind === 'anonymous') throw Unauthorized('Authentication required.');
        return { username: actor.name };
      },
    },
    {
      method: 'GET',
      path: '/-/npm/v1/user',
      needs: 'read',
      handler: ({ actor }) => {
        if (actor.kind === 'anonymous') throw Unauthorized('Authentication required.');
        return { name: actor.name, email: '', tfa: null };
      },
    },
    { method: 'GET', path: '/-/npm/v1/tokens', needs: 'read', handler: () => ({ objects: [], urls: {} }) },
    // asked at every install; there are no advisories here
    { method: 'POST', path: '/-/npm/v1/security/advisories/bulk', needs: 'read', body: 'json', handler: () => ({}) },
    {
      method: 'GET',
      path: '/-/_view/starredByUser',
      needs: 'read',
      handler: async ({ owner, query }) => {
        const name = (query.key ?? '').replace(/^"|"$/g, '');
        return { rows: (await registry.starredBy(owner, name)).map((value) => ({ value })) };
      },
    },
    {
      method: 'GET',
      path: '/-/v1/search',
      needs: 'read',
      handler: ({ owner, query, baseUrl }) => registry.search(owner, query, baseUrl),
    },
  ];
}
