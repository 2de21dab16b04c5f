import {
  Forbidden,
  Invalid,
  Joi,
  NotFound,
  Problem,
  Unauthorized,
  defineRoute,
  reply,
  textOf,
  type Route,
  type RouteContext,
  withFallback,
} from '@mortise/plugin-sdk';
import { decodeText } from '@mortise/git/api';
import { repositoryResource, type RepositoryContext } from '@mortise/repositories/api';
import type { WikiEntry } from '../contract/wiki.js';
import { addressEnd } from '../routes/address.js';
import { externalWiki } from '../services/external.js';
import { decodePath, titleOfName } from '../services/page-names.js';
import { toEntry } from '../services/page-index.js';
import { serveFile } from '../services/raw.js';
import { t } from '../texts/index.js';
import { deleteView, editorView, type Draft } from './editor.js';
import { compareView, revisionsView } from './history.js';
import { listView } from './list.js';
import { WikiView, maxShown, type PageDeps } from './wiki-view.js';
import { deletedPagesView, missingView } from './deleted-pages.js';
import { emptyView, pageView } from './view.js';

const base = '/{owner}/{repo}/wiki';
const read = { actor: 'anyone', resource: repositoryResource, unit: 'wiki', expensive: true } as const;
const write = { actor: 'user', resource: repositoryResource, unit: 'wiki', mode: 'write' } as const;
const words = (max: number) => Joi.string().allow('').max(max).default('');
/** Of what people write, {@link checked} tells whether it fits. */
const written = Joi.string().allow('').default('');
interface DraftForm {
  readonly title: string;
  readonly content: string;
  readonly message: string;
  readonly base: string;
  readonly do: string;
  readonly version: string;
}

const draftForm = Joi.object<DraftForm>({
  title: written,
  content: written,
  message: written,
  base: words(64),
  do: words(20),
  version: words(64),
});
interface WikiQuery {
  readonly action: string;
  readonly version: string;
  readonly from: string;
  readonly to: string;
  readonly q: string;
  readonly title: string;
  readonly page?: unknown;
}

const query = Joi.object<WikiQuery>({
  action: words(20),
  version: words(64),
  from: words(64),
  to: words(64),
  q: words(1000),
  title: words(1000),
  page: Joi.any(),
});
const form = { as: 'form', maxBytes: 16 << 20 } as const;
/** Actions may also stand behind the page: `/wiki/Home/_edit`. */
const actionBehind = /^(.*)\/(_edit|_delete|_revision|_compare)$/;
/** These are there for pages that are no more, too. */
const historic = new Set(['_revision', '_compare']);
/** Milliseconds that a missing page waits for what became of it. */
const maxLookMs = 1500;

type Form = Draft & { readonly do: string; readonly version: string };

/** Throws Invalid, for the form to show, when a field holds more than fits. */
function checked(draft: Draft): void {
  const check = (field: 'title' | 'message', { length }: string, max: number) => {
    const key = field === 'title' ? 'error.titleLong' : 'error.messageLong';
    if (length > max)
      throw Invalid(t.later(key, { length, most: max }), { inputs: { [field]: t.later(key, { length, most: max }) } });
  };
  check('title', draft.title, 1000);
  check('message', draft.message, 5000);
}

type PageContext = RouteContext<RepositoryContext, unknown, WikiQuery>;

type PageRoute = Pick<Route<RepositoryContext>, 'method' | 'path'> &
  Partial<Omit<Route<RepositoryContext>, 'handler'>> & { handler(context: PageContext): unknown };

/** A route of the wiki with the query that all of its pages take. */
const page = ({ handler, ...options }: PageRoute) =>
  defineRoute({ surface: 'page', access: read, ...options, request: { ...options.request, query }, handler });

const viewOf = (services: PageDeps, context: RouteContext<RepositoryContext>) => new WikiView(services, context);

function openAddress(services: PageDeps, context: PageContext) {
  const address = addressEnd(context, services.site, 3);
  const behind = actionBehind.exec(address);
  return {
    view: viewOf(services, context),
    address: behind?.[1] ?? address,
    action: behind?.[2] ?? (context.query.action as string),
  };
}

/** The editor is asked for on the same address as the page, so the mode is checked here. */
const checkMayEdit = (view: WikiView) => {
  if (view.mayWrite) return;
  if (view.actor.kind === 'anonymous') throw Unauthorized();
  throw Forbidden(t.later('error.denied'));
};

async function draftOf({ reader }: PageDeps, view: WikiView, entry: WikiEntry, head: string): Promise<Draft> {
  const version = await view.commitOf(view.query.version);
  const source = version && version !== head ? await reader.find(view.id, entry.name, version) : entry;
  if (!source) throw NotFound(t.later('error.noVersion'));
  const text = await reader.text(view.id, source);
  if (text.length > maxShown) throw new Problem('too_large', t.later('error.editLong'));
  return { title: entry.title, content: decodeText(text).text, message: '', base: entry.oid };
}

/** The first page: Home, or else the list of those that there are. */
async function firstPage({ reader }: PageDeps, view: WikiView) {
  const { commit } = await reader.head(view.id);
  if (!commit) return emptyView(view);
  const entry = await reader.find(view.id, 'Home', commit);
  if (entry) return pageView(view, entry, commit);
  const { total } = await reader.list(view.id, commit, { folders: true, limit: 0 });
  return total ? listView(view) : emptyView(view, true);
}

async function deletedPagesPage({ reader }: PageDeps, view: WikiView) {
  const { commit } = await reader.head(view.id);
  return commit ? deletedPagesView(view, commit) : emptyView(view);
}

const entryAt = ({ reader }: PageDeps, view: WikiView, head: string, path: string) =>
  !path || /(^|\/)\.{0,2}(\/|$)/.test(path) ? undefined : reader.open(view.id).entry(head, path);

/** An address that is no page may be a file or a folder of the wiki. */
async function otherAddress(services: PageDeps, view: WikiView, address: string, head: string) {
  const path = decodePath(address).replace(/\/+$/, '');
  const there = await entryAt(services, view, head, path);
  if (there?.type === 'blob') return reply.redirect(view.rawHref(path));
  if (there?.type === 'tree') return listView(view, path);
  // a whole history is not waited for where nobody has asked for it
  const deleted = await withFallback(services.deletedPages.find(view.id, head, address), undefined, maxLookMs);
  return missingView(view, titleOfName(address), deleted);
}

/** `there`: the page that is edited; without it a new one is made. */
async function savePage(
  { reader, writer }: PageDeps,
  view: WikiView,
  payload: Form,
  there?: { entry: WikiEntry; address: string },
) {
  const draft = { ...payload, content: payload.content.replace(/\r\n?/g, '\n') };
  const entry = there?.entry;
  if (payload.do === 'preview') {
    const path = entry?.path ?? 'new.md';
    return editorView(view, { entry, draft, preview: await view.render(draft.content, path) });
  }
  const { repository } = view.context.resource;
  const common = { repository, actor: view.actor, source: 'web', message: draft.message } as const;
  const content = Buffer.from(draft.content);
  try {
    checked(draft);
    const saved = there
      ? await writer.edit({ ...common, address: there.address, title: draft.title, content, base: draft.base })
      : await writer.create({ ...common, title: draft.title, content });
    return reply.redirect(view.href(saved.name));
  } catch (error) {
    if (!Problem.is(error)) throw error;
    if (error.code !== 'conflict')
      return editorView(view, { entry, draft, error: error.text, fields: error.inputs, status: 422 });
    // the next save is meant to stand on the newest text, which its writer has been told of
    const newest = entry && (await reader.find(view.id, entry.name));
    return editorView(view, {
      entry,
      draft: { ...draft, base: newest?.oid ?? draft.base },
      status: 409,
      error: t.later('error.notSaved', { reason: () => textOf(error.text) }),
    });
  }
}

/** Deleted, or called something else, while somebody wrote: the text comes back, to be saved as a new page. */
const goneMeanwhile = (view: WikiView, draft: Draft) =>
  editorView(view, {
    draft: { ...draft, base: '' },
    status: 409,
    error: t.later('error.goneMeanwhile'),
  });

const wikiHome = (services: PageDeps) =>
  page({
    method: 'GET',
    path: base,
    // a wiki elsewhere switches the one here off: the unit is asked for below
    access: { actor: 'anyone', resource: repositoryResource, expensive: true },
    handler(context) {
      const elsewhere = externalWiki(context.resource.repository);
      if (elsewhere) return reply.redirect(elsewhere);
      if (!context.resource.may('read', 'wiki')) throw NotFound('wiki');
      const view = viewOf(services, context);
      if (context.query.action === '_deleted') return deletedPagesPage(services, view);
      return context.query.action === '_pages' ? listView(view) : firstPage(services, view);
    },
  });

const newWikiPage = (services: PageDeps) =>
  page({
    method: 'GET',
    path: `${base}/_new`,
    access: write,
    handler(context) {
      const draft = { title: context.query.title as string, content: '', message: '', base: '' };
      return editorView(viewOf(services, context), { draft });
    },
  });

const createWikiPage = (services: PageDeps) =>
  page({
    method: 'POST',
    path: `${base}/_new`,
    access: write,
    payload: form,
    request: { payload: draftForm },
    handler: (context) => savePage(services, viewOf(services, context), context.payload as Form),
  });

const rawFile = (services: PageDeps) =>
  page({
    method: 'GET',
    path: `${base}/raw/{path*}`,
    async handler(context) {
      const view = viewOf(services, context);
      const head = await services.reader.commit(view.id);
      const address = addressEnd(context, services.site, 4);
      const there = await entryAt(services, view, head, decodePath(address));
      const isFile = there?.type === 'blob' && there.mode !== '120000';
      const file = isFile ? there : await services.reader.find(view.id, address, head);
      if (!file) throw NotFound('file');
      const { repository } = context.resource;
      const isPrivate = repository.isPrivate || repository.ownerVisibility !== 'public';
      return serveFile(services.reader.open(view.id), file, isPrivate, context.raw.request);
    },
  });

const wikiPage = (services: PageDeps) =>
  page({
    method: 'GET',
    path: `${base}/{page*}`,
    async handler(context) {
      const { view, address, action } = openAddress(services, context);
      if (action === '_new') return reply.redirect(`${view.wiki}/_new`);
      if (action === '_pages') return listView(view);
      if (!address) return reply.redirect(view.wiki);
      const { commit: head } = await services.reader.head(view.id);
      if (!head) return missingView(view, titleOfName(address));
      const version = action ? undefined : await view.commitOf(view.query.version);
      const present = await services.reader.find(view.id, address, head);
      const then = version && version !== head ? await services.reader.find(view.id, address, version) : present;
      if (then && !action) return pageView(view, then, head, { version, isDeleted: !present });
      const gone =
        !present && historic.has(action) ? await services.deletedPages.find(view.id, head, address) : undefined;
      const entry = present ?? (gone && toEntry(gone.path, ''));
      if (!entry || (version && !then)) return otherAddress(services, view, address, head);
      if (action === '_revision') return revisionsView(view, entry, head, !present);
      if (action === '_compare') return compareView(view, entry);
      if (action !== '_edit' && action !== '_delete') return pageView(view, entry, head);
      checkMayEdit(view);
      if (action === '_delete') return deleteView(view, entry);
      return editorView(view, { entry, draft: await draftOf(services, view, entry, head) });
    },
  });

const saveWikiPage = (services: PageDeps) =>
  page({
    method: 'POST',
    path: `${base}/{page*}`,
    access: write,
    payload: form,
    request: { query, payload: draftForm },
    async handler(context) {
      const { view, address, action } = openAddress(services, context);
      const { repository } = context.resource;
      if (action === '_restore') {
        const version = await view.commitOf((context.payload as Form).version);
        if (!version) throw NotFound(t.later('error.noVersion'));
        const back = await services.writer.restore({ repository, actor: view.actor, source: 'web', address, version });
        return reply.redirect(view.href(back.name));
      }
      const entry = await services.reader.find(view.id, address);
      const sent = context.payload as Form;
      if (!entry && action === '_edit' && sent.base) return goneMeanwhile(view, sent);
      if (!entry) throw NotFound('wiki page');
      if (action === '_edit') return savePage(services, view, sent, { entry, address });
      if (action !== '_delete') throw NotFound('action');
      await services.writer.remove({ repository, actor: view.actor, source: 'web', address });
      return reply.redirect(view.wiki);
    },
  });

/** Pages of the wiki. */
export const wikiPages = (services: PageDeps): Route[] => [
  wikiHome(services),
  page({ method: 'GET', path: `${base}/_pages`, handler: (context) => listView(viewOf(services, context)) }),
  newWikiPage(services),
  createWikiPage(services),
  rawFile(services),
  wikiPage(services),
  saveWikiPage(services),
];
