import {
  BadRequest,
  Joi,
  NotFound,
  defineRoute,
  reply,
  type Route,
  type RouteContext,
  type Site,
} from '@mortise/plugin-sdk';
import { repositoryResource, type RepositoryContext } from '@mortise/repositories/api';
import type { WikiPresenter } from '../services/wiki-presenter.js';
import { wikiCommit } from '../services/wiki-presenter.js';
import type { WikiReader } from '../services/wiki-reader.js';
import type { WikiWriter } from '../services/wiki-writer.js';
import { addressEnd } from './address.js';
import { wikiCommitListSchema, wikiListSchema, wikiPageOptions, wikiPageSchema } from './schemas.js';
import { t } from '../texts/index.js';

type Context = RouteContext<RepositoryContext>;

interface ApiServices {
  readonly reader: WikiReader;
  readonly writer: WikiWriter;
  readonly presenter: WikiPresenter;
  readonly site: Site;
}

const base = '/api/v1/repos/{owner}/{repo}/wiki';
/** `/api/v1/repos/{owner}/{repo}/wiki/page` are seven segments. */
const segmentsBefore = 7;
const tags = ['repository'];
/** The interface knows no `limit` for revisions. */
const revisionsOnPage = 50;
/** For the documents; the kernel reads the value, whatever it is (GEN-07). */
const revisionsQuery = Joi.object<{ readonly page?: number }>({
  page: Joi.number().integer().unsafe().empty(Joi.any()).description('Number of the page, from 1'),
});
const large = { maxBytes: 16 << 20 };
const readWiki = { actor: 'anyone', scope: 'repository', resource: repositoryResource, unit: 'wiki' } as const;
/** The resource asks to sign in where that could help. */
const writeWiki = { ...readWiki, mode: 'write' } as const;

function decode(content: string | null | undefined): Buffer | undefined {
  if (content === undefined || content === null) return undefined;
  const compact = content.replace(/\s+/g, '');
  if (!/^[A-Za-z0-9+/]*={0,2}$/.test(compact) || compact.length % 4 === 1)
    throw BadRequest('content_base64 must be valid base64.');
  return Buffer.from(compact, 'base64');
}

/** What these routes share. */
function wikiContext({ reader, writer, presenter, site }: ApiServices) {
  const addressOf = (context: Context) => addressEnd(context, site, segmentsBefore);
  const findPage = async (context: Context) => {
    const { id } = context.resource.repository;
    const commit = await reader.commit(id);
    const entry = await reader.find(id, addressOf(context), commit);
    if (!entry) throw NotFound(t.later('error.noPage'));
    return { id, commit, entry };
  };
  return { reader, presenter, writer, found: findPage, addressOf };
}

type WikiRouteContext = ReturnType<typeof wikiContext>;

const repoGetWikiPages = ({ reader, presenter }: WikiRouteContext) =>
  defineRoute({
    method: 'GET',
    path: `${base}/pages`,
    id: 'repoGetWikiPages',
    tags,
    summary: 'Pages of the wiki',
    access: readWiki,
    responses: { 200: wikiListSchema },
    async handler({ resource: { repository }, page }) {
      const commit = await reader.commit(repository.id);
      const { entries, total } = await reader.list(repository.id, commit, page);
      const dated = await reader.dated(repository.id, commit, entries);
      return reply.list(
        dated.map((entry) => presenter.listed(repository, entry)),
        total,
      );
    },
  });

const repoCreateWikiPage = ({ writer, presenter, reader }: WikiRouteContext) =>
  defineRoute({
    method: 'POST',
    path: `${base}/new`,
    id: 'repoCreateWikiPage',
    tags,
    summary: 'Create a page of the wiki',
    access: writeWiki,
    request: { payload: wikiPageOptions },
    payload: large,
    responses: { 201: wikiPageSchema, 400: null, 423: null },
    async handler({ resource: { repository }, actor, payload }) {
      const entry = await writer.create({
        repository,
        actor,
        source: 'api',
        title: payload.title ?? '',
        content: decode(payload.content_base64) ?? Buffer.alloc(0),
        message: payload.message ?? undefined,
      });
      return reply.created(await presenter.page(repository, await reader.commit(repository.id), entry));
    },
  });

const repoGetWikiPage = ({ found, presenter }: WikiRouteContext) =>
  defineRoute({
    method: 'GET',
    path: `${base}/page/{pageName*}`,
    id: 'repoGetWikiPage',
    tags,
    summary: 'A page of the wiki',
    access: readWiki,
    responses: { 200: wikiPageSchema },
    async handler(context) {
      const { commit, entry } = await found(context);
      return presenter.page(context.resource.repository, commit, entry);
    },
  });

const repoEditWikiPage = ({ writer, addressOf, presenter, reader }: WikiRouteContext) =>
  defineRoute({
    method: 'PATCH',
    path: `${base}/page/{pageName*}`,
    id: 'repoEditWikiPage',
    tags,
    summary: 'Edit or rename a page of the wiki',
    access: writeWiki,
    request: { payload: wikiPageOptions },
    payload: large,
    responses: { 200: wikiPageSchema, 400: null, 423: null },
    async handler(context) {
      const { resource, actor, payload } = context;
      const { repository } = resource;
      const entry = await writer.edit({
        repository,
        actor,
        source: 'api',
        address: addressOf(context),
        title: payload.title ?? undefined,
        content: decode(payload.content_base64),
        message: payload.message ?? undefined,
      });
      return presenter.page(repository, await reader.commit(repository.id), entry);
    },
  });

const repoDeleteWikiPage = ({ writer, addressOf }: WikiRouteContext) =>
  defineRoute({
    method: 'DELETE',
    path: `${base}/page/{pageName*}`,
    id: 'repoDeleteWikiPage',
    tags,
    summary: 'Delete a page of the wiki',
    access: writeWiki,
    responses: { 204: null, 423: null },
    async handler(context) {
      const { resource, actor } = context;
      await writer.remove({
        repository: resource.repository,
        actor,
        source: 'api',
        address: addressOf(context),
      });
      return reply.none();
    },
  });

const repoGetWikiPageRevisions = ({ found, reader }: WikiRouteContext) =>
  defineRoute({
    method: 'GET',
    path: `${base}/revisions/{pageName*}`,
    id: 'repoGetWikiPageRevisions',
    tags,
    summary: 'Commits of a page of the wiki',
    access: readWiki,
    request: { query: revisionsQuery },
    responses: { 200: wikiCommitListSchema },
    async handler(context) {
      const { id, commit, entry } = await found(context);
      const { commits, total } = await reader.history(id, commit, entry.path, {
        offset: (context.page.page - 1) * revisionsOnPage,
        limit: revisionsOnPage,
      });
      return reply
        .json({ commits: commits.map(wikiCommit), count: total })
        .header('x-total-count', String(total))
        .header('access-control-expose-headers', 'X-Total-Count');
    },
  });

/** Pages of the wiki (WIK-01). */
export function wikiRoutes(deps: ApiServices): Route[] {
  const context = wikiContext(deps);
  return [
    repoGetWikiPages(context),
    repoCreateWikiPage(context),
    repoGetWikiPage(context),
    repoEditWikiPage(context),
    repoDeleteWikiPage(context),
    repoGetWikiPageRevisions(context),
  ];
}
