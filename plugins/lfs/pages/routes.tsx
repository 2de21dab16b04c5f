import type { VNode } from 'preact';
import {
  Conflict,
  Joi,
  NotFound,
  pageRoute,
  postRoute,
  Problem,
  reply,
  type PageOptions,
  type Route,
  type RouteContext,
  type Site,
  type WebPage,
} from '@mortise/plugin-sdk';
import type { Accounts } from '@mortise/accounts/api';
import type { GitReader } from '@mortise/git/api';
import { repositoryResource, type RepositoryContext, type RepositoryPages } from '@mortise/repositories/api';
import { isLfsOid } from '../contract/lfs.js';
import { objectBytes } from '../routes/object-bytes.js';
import { lockPath, type LockService } from '../services/lock-service.js';
import type { ObjectService } from '../services/object-service.js';
import type { PointerFile, PointerScan } from '../services/pointer-scan.js';
import { t } from '../texts/index.js';
import { Locks, Objects, Pointers, type LfsPageContext } from './views.js';

interface LfsPageDeps {
  readonly objects: ObjectService;
  readonly locks: LockService;
  readonly scan: PointerScan;
  readonly accounts: Accounts;
  readonly gitReader: GitReader;
  readonly repositoryPages: RepositoryPages;
  readonly site: Site;
}

type Context = RouteContext<RepositoryContext>;
type Flash = NonNullable<PageOptions['flash']>;

const path = '/{owner}/{repo}/settings/lfs';
const access = { actor: 'user', resource: repositoryResource, mode: 'admin' } as const;
const perPage = 30;
const maxPointers = 300;
interface Query {
  readonly q: string;
  readonly page: number;
  readonly after: number;
  readonly saved?: string;
}

const query = Joi.object<Query>({
  q: Joi.string().allow('').max(200).default(''),
  page: Joi.number().integer().min(1).default(1),
  after: Joi.number().integer().min(0).default(0),
  saved: Joi.string().allow(''),
});
const form = Joi.object<{ readonly remove?: string; readonly path?: string }>({
  remove: Joi.string().max(64),
  path: Joi.string().allow('').max(5000),
});

const get = (below: string, handler: (context: Context) => Promise<unknown>) =>
  pageRoute(path + below, access, handler, { query });

const post = (below: string, handler: (context: Context) => Promise<unknown>) =>
  postRoute(path + below, access, handler, { payload: form });

/** What these routes share. */
function lfsContext(deps: LfsPageDeps) {
  const { objects, locks, scan, accounts, gitReader, repositoryPages, site } = deps;
  const pageContextOf = ({ resource: { repository } }: Context): LfsPageContext => {
    const home = site.path(`/${repository.ownerName}/${repository.name}`);
    return { base: `${home}/settings/lfs`, repository: home };
  };
  const page = ({ resource, actor, query }: Context, body: VNode, refusal?: Problem): WebPage => {
    const saved = (query as { saved?: string }).saved;
    const flash: Flash | undefined = refusal
      ? { kind: 'error', text: refusal.text }
      : saved === undefined
        ? undefined
        : { kind: 'success', text: t.later('lfs.saved') };
    const status = refusal ? { status: 422 } : {};
    return repositoryPages.settingsPage({ context: resource, actor }, 'lfs', {
      title: t.later('lfs.title'),
      body,
      flash,
      ...status,
    });
  };
  const showObjects = async (context: Context, refusal?: Problem) => {
    const { id } = context.resource.repository;
    const { q = '', page: number = 1 } = context.query as { q?: string; page?: number };
    const { items, total } = await objects.list(id, { text: q, limit: perPage, offset: (number - 1) * perPage });
    const bytes = (await objects.sizes([id])).get(id) ?? 0;
    const last = Math.max(1, Math.ceil(total / perPage));
    const pageContext = pageContextOf(context);
    return page(context, <Objects {...{ pageContext, items, total, bytes, last }} text={q} page={number} />, refusal);
  };
  const showLocks = async (context: Context, refusal?: Problem, path?: string) => {
    const { after = 0 } = context.query as { after?: number };
    const found = await locks.list(context.resource.repository.id, { after, limit: perPage });
    const owners = await accounts.byIds([...new Set(found.locks.map(({ ownerId }) => ownerId))]);
    const shown = found.locks.map((lock) => ({ ...lock, ownerName: owners.get(lock.ownerId)?.name ?? 'ghost' }));
    return page(
      context,
      <Locks pageContext={pageContextOf(context)} locks={shown} next={found.next} path={path} />,
      refusal,
    );
  };
  const showPointers = async (context: Context) => {
    const { repository } = context.resource;
    const { q } = context.query as { q: string };
    const branch = await gitReader.open(repository.id).branch(repository.defaultBranch);
    const wanted = (found: PointerFile) =>
      found.path.toLowerCase().includes(q.toLowerCase()) || found.pointer.oid.includes(q.toLowerCase());
    const pointers: PointerFile[] = [];
    if (branch) {
      for await (const one of scan.files(repository.id, branch.oid, context.signal)) {
        if (wanted(one)) pointers.push(one);
        if (pointers.length > maxPointers) break;
      }
    }
    const known = await objects.find(
      repository.id,
      pointers.map(({ pointer }) => pointer.oid),
    );
    const shown = pointers.slice(0, maxPointers).map((one) => {
      const size = known.get(one.pointer.oid);
      const state = size === undefined ? 'missing' : size === one.pointer.size ? 'there' : 'size';
      return { ...one, state } as const;
    });
    const more = pointers.length > maxPointers;
    return page(
      context,
      <Pointers
        pageContext={pageContextOf(context)}
        branch={repository.defaultBranch}
        text={q}
        found={shown}
        more={more}
      />,
    );
  };
  /** What a form asked for, then the list again; refusals are shown above it. */
  const act = async (
    context: Context,
    back: string,
    work: () => Promise<unknown>,
    again: (refusal: Problem) => Promise<WebPage>,
  ) => {
    try {
      await work();
      return reply.redirect(`${pageContextOf(context).base}${back}?saved=1`);
    } catch (error) {
      if (!Problem.is(error) || error.code === 'not_found') throw error;
      return again(error);
    }
  };
  return { showObjects, act, objects, showPointers, showLocks, locks };
}

type LfsPagesContext = ReturnType<typeof lfsContext>;

const removeObject = ({ act, objects, showObjects }: LfsPagesContext) =>
  post('', (context) =>
    act(
      context,
      '',
      () => objects.remove(context.resource.repository.id, String((context.payload as { remove?: string }).remove)),
      (refusal) => showObjects(context, refusal),
    ),
  );

const changeLock = ({ locks, act, showLocks }: LfsPagesContext) =>
  post('/locks', (context) => {
    const { resource, actor, payload } = context;
    const { remove, path } = payload as { remove?: string; path?: string };
    const work = async () => {
      if (remove !== undefined) return locks.remove(resource.repository.id, Number(remove) || 0, actor, true);
      const { created } = await locks.create(resource.repository.id, lockPath(path), actor);
      if (!created) throw Conflict(t.later('error.locked'));
    };
    return act(context, '/locks', work, (refusal) => showLocks(context, refusal, path));
  });

const objectPage = ({ objects }: LfsPagesContext) =>
  get('/objects/{oid}', async (context) => {
    const { oid } = context.params as { oid: string };
    const repositoryId = context.resource.repository.id;
    const size = isLfsOid(oid) ? (await objects.find(repositoryId, [oid])).get(oid) : undefined;
    if (size === undefined) throw NotFound('LFS object', { text: t.later('error.noObject') });
    return objectBytes(objects, { repositoryId, oid, size }, context);
  });

/** Objects, pointer files and locks among the settings of a repository. */
export function lfsPages(deps: LfsPageDeps): readonly Route[] {
  const context = lfsContext(deps);
  const { showObjects, showPointers, showLocks } = context;
  return [
    get('', (context) => showObjects(context)),
    removeObject(context),
    get('/pointers', showPointers),
    get('/locks', (context) => showLocks(context)),
    changeLock(context),
    objectPage(context),
  ];
}
