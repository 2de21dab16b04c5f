import type { Readable } from 'node:stream';
import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import { BadRequest, Forbidden, NotFound, reply, type Reply } from '@mortise/plugin-sdk';
import type { PackageRequest, PackageRoute, PackageStore } from '@mortise/packages/api';
import { maxDocument, readPublishBody } from '../services/document-reader.js';
import { isRecord, type Json } from '../services/json.js';
import { shortType, type Mirror } from '../services/mirror.js';
import { isName } from '../services/publication.js';
import type { Registry } from '../services/registry.js';
import { clientRoutes, permissionNames } from './client-commands.js';
import { both, nameOf } from './package-name.js';

export interface NpmRouteDeps {
  readonly registry: Registry;
  readonly store: PackageStore;
  /** What is not here, from another registry. */
  readonly mirror: Mirror | undefined;
}

const maxTagBody = 4096;
const ok = { ok: true };
const unpacked = promisify(gunzip);

/** Clients that say nothing of it, or refuse it, get text. */
const takesGzip = (accepted = '') =>
  accepted.split(',').some((part) => {
    const [name, weight = ''] = part.split(';').map((one) => one.trim().toLowerCase());
    return (name === 'gzip' || name === '*') && !/^q=0(?:\.0*)?$/.test(weight);
  });

/**
 * For a scope with a registry of its own, npm takes the tarball's path for one below the default registry, and cuts off as
 * many characters as the path of that one has: all of the path of ours, or its end, stands twice in the address.
 */
const repeatsRoot = ({ baseUrl, params }: PackageRequest) =>
  decodeURI(new URL(baseUrl).pathname).endsWith(params.repeated!);

const bodyOf = ({ body }: PackageRequest): Json => {
  if (!isRecord(body)) throw BadRequest('The request body must be a JSON object.');
  return body;
};

/** What the routes of npm do with a package. */
class PackageHandlers {
  readonly #deps: NpmRouteDeps;

  constructor(deps: NpmRouteDeps) {
    this.#deps = deps;
  }

  /** The package of the address, which is here. */
  need(request: PackageRequest) {
    return this.#deps.registry.need(request.owner, nameOf(request));
  }

  /** The other registry, unless the name is one of ours: then it is never asked, for no version. */
  async #elsewhere(request: PackageRequest): Promise<Mirror | undefined> {
    const { mirror, store } = this.#deps;
    return mirror && !(await store.find(request.owner.id, 'npm', nameOf(request))) ? mirror : undefined;
  }

  async document(request: PackageRequest): Promise<Reply> {
    const { documents } = this.#deps.registry;
    const short = (request.headers.accept ?? '').includes(shortType);
    const other = await this.#elsewhere(request);
    if (other) return other.packument(request, nameOf(request), short);
    const form = short ? 'short' : 'whole';
    const package_ = await this.need(request);
    const finish = (answer: Reply, tag: string) =>
      answer
        .type(short ? shortType : 'application/json')
        .header('vary', 'accept, accept-encoding, authorization')
        .tag(tag);
    const packed = await documents.packed(request.owner, package_, form);
    if (packed && takesGzip(request.headers['accept-encoding']))
      return finish(reply.bytes(packed.packed, ''), `${packed.tag}-gzip`).header('content-encoding', 'gzip');
    if (packed) return finish(reply.bytes(await unpacked(packed.packed), ''), packed.tag);
    const { text, tag } = await documents.made(request.owner, package_, form);
    return finish(reply.text(text), tag);
  }

  /** One address for publishing, deprecating and starring; the body tells. */
  async put(request: PackageRequest): Promise<unknown> {
    const { registry, store } = this.#deps;
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
      await registry.star(await this.need(request), body.users, request.actor);
      return ok;
    }
    const package_ = await store.find(request.owner.id, 'npm', name);
    if (!package_ || !isRecord(body.versions))
      throw BadRequest(isName(name) ? 'package attachment is invalid' : 'package name is invalid');
    await registry.deprecate(package_, body.versions);
    return reply.json({ ok: true, id: name }, 201);
  }

  async tarball(request: PackageRequest): Promise<Reply> {
    const { registry, store } = this.#deps;
    const { file: name, version } = request.params;
    const other = await this.#elsewhere(request);
    if (other) return other.tarball(request, nameOf(request), name!, version);
    const { file } = await registry.findFile(await this.need(request), name!, version);
    return store.download(file, request);
  }

  async unpublishFile(request: PackageRequest): Promise<unknown> {
    await this.#deps.registry.unpublishFile(await this.need(request), request.params, request.actor);
    return ok;
  }
}

const tagRoutes = ({ registry, store, mirror }: NpmRouteDeps, packages: PackageHandlers): readonly PackageRoute[] => [
  ...both({
    method: 'GET',
    path: '/-/package/{pkg}/dist-tags',
    needs: 'read',
    async handler(request) {
      const package_ = await store.find(request.owner.id, 'npm', nameOf(request));
      if (package_) return registry.tags.of(package_);
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
      async handler(request) {
        await registry.tags.set(await packages.need(request), request.params.tag!, request.body);
        return ok;
      },
    }),
  ),
  ...both({
    method: 'DELETE',
    path: '/-/package/{pkg}/dist-tags/{tag}',
    needs: 'write',
    body: 'none',
    async handler(request) {
      await registry.tags.remove(await packages.need(request), request.params.tag!);
      return ok;
    },
  }),
];

const documentRoutes = ({ registry, store }: NpmRouteDeps, packages: PackageHandlers): readonly PackageRoute[] => [
  ...both({ method: 'GET', path: '/{pkg}', needs: 'read', handler: (request) => packages.document(request) }),
  ...both({
    method: 'PUT',
    path: '/{pkg}',
    needs: 'write',
    body: 'stream',
    handler: (request) => packages.put(request),
  }),
  ...both({
    method: 'PUT',
    path: '/{pkg}/-rev/{rev}',
    needs: 'write',
    body: 'json',
    maxBytes: maxDocument,
    async handler(request) {
      const body = bodyOf(request);
      const package_ = await packages.need(request);
      // `npm owner` sends these alone
      if ('maintainers' in body && !('versions' in body)) throw Forbidden(permissionNames);
      await registry.replaceDocument(package_, request.params.rev!, body, request.actor);
      return ok;
    },
  }),
  ...both({
    method: 'DELETE',
    path: '/{pkg}/-rev/{rev}',
    needs: 'write',
    body: 'none',
    async handler(request) {
      await store.deletePackage(await packages.need(request), request.actor);
      return ok;
    },
  }),
];

const fileRoutes = (packages: PackageHandlers, path: string): readonly PackageRoute[] => [
  ...both({
    method: 'DELETE',
    path: `${path}/-rev/{rev}`,
    needs: 'write',
    body: 'none',
    handler: (request) => packages.unpublishFile(request),
  }),
  ...both({
    method: 'DELETE',
    path: `/{repeated+}${path}/-rev/{rev}`,
    needs: 'write',
    body: 'none',
    summary: 'The same for clients that repeat the path of the registry',
    handler(request) {
      if (!repeatsRoot(request)) throw NotFound('There is nothing at this address.');
      return packages.unpublishFile(request);
    },
  }),
  ...both({ method: 'GET', path, needs: 'read', handler: (request) => packages.tarball(request) }),
];

/** The npm protocol (PKG-13; reference: 8.1, 8.5). */
export function npmRoutes(deps: NpmRouteDeps): readonly PackageRoute[] {
  const packages = new PackageHandlers(deps);
  return [
    ...clientRoutes(deps),
    ...tagRoutes(deps, packages),
    ...documentRoutes(deps, packages),
    ...fileRoutes(packages, '/{pkg}/-/{version}/{file}'),
    ...fileRoutes(packages, '/{pkg}/-/{file}'),
  ];
}
