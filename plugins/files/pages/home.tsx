import type { VNode } from 'preact';
import {
  FragmentCache,
  LazyFragment,
  NotFound,
  Problem,
  withFallback,
  bold,
  defineRoute,
  pageRoute,
  icon,
  reply,
  webPage,
  type Route,
} from '@mortise/plugin-sdk';
import { markupIslands } from '@mortise/markup/api';
import { codeResource } from '@mortise/repositories/api';
import { t } from '../texts/index.js';
import { About, Languages } from './about.js';
import { CloneBox, EmptyRepository, type CloneAddresses } from './clone.js';
import { filePage } from './file.js';
import { fileList } from './folder.js';
import {
  at,
  CodeBody,
  Crumbs,
  openView,
  pageAccess,
  pageContextOf,
  Switcher,
  viewOf,
  type CodePageContext,
  type RevisionView,
} from '@mortise/history/api';
import { buttonsOf } from './actions.js';
import { readmeOf } from './readme.js';
import { type PageDeps } from './page-deps.js';

/** Milliseconds that a part of a page may wait, which is loaded by itself. */
const partTimeoutMs = 5_000;

/** Undefined: not counted yet. */
const languages = (view: RevisionView, timeoutMs: number) =>
  withFallback(view.git.languages(view.revision.commit), undefined, timeoutMs);

const commits = (view: RevisionView, timeoutMs: number) =>
  withFallback(view.git.count(view.revision.commit), undefined, timeoutMs);

/** What was late when the page was asked for. */
async function lateFragment(services: PageDeps, view: RevisionView, name: string, page: number): Promise<VNode> {
  const color = (language: string) => services.pages.languageColor(language);
  if (name === 'languages') return <Languages view={view} bytes={await languages(view, partTimeoutMs)} color={color} />;
  if (name === 'commits') return <CommitCount view={view} count={await commits(view, partTimeoutMs)} />;
  return fileList(services, view, page, 'part');
}

const cloneAddresses = (services: PageDeps, { resource: { repository }, actor }: CodePageContext): CloneAddresses => ({
  http: services.repositories.cloneUrl(repository),
  ssh: services.ssh.list()[0]?.address(`${repository.ownerName}/${repository.name}`) ?? '',
  tokens: services.hasTokens && actor.kind === 'user' ? services.site.path('/user/settings/applications') : '',
});

async function folderPage(services: PageDeps, context: CodePageContext, view: RevisionView) {
  const { repository } = context.resource;
  const wanted = (context.query as { part?: unknown }).part;
  if (typeof wanted === 'string')
    return webPage({
      title: repository.name,
      fragment: true,
      body: await lateFragment(services, view, wanted, context.page.page),
    });
  const isRoot = !view.path;
  const [branches, tags, list, text, bytes, acts, sidebar, count] = await Promise.all([
    view.git.branches(),
    view.git.tags(),
    fileList(services, view, context.page.page),
    withFallback(readmeOf(services, view, context), null),
    isRoot ? languages(view, 250) : {},
    buttonsOf(services, context, { path: view.path, type: 'folder', editable: false }, view.revision),
    isRoot ? Promise.all(services.sidebar.list().map((slot) => slot.render(pageContextOf(context)))) : [],
    isRoot ? commits(view, 150) : undefined,
  ]);
  return services.pages.page(pageContextOf(context), 'code', {
    title: view.path
      ? t.later('home.titleAt', { path: view.path, name: view.revision.name })
      : repository.description || t.later('code'),
    islands: [...markupIslands, 'lines', 'shortcuts', 'filter'],
    body: (
      <CodeBody find={at(view, 'find', '')} class={isRoot ? 'code-home' : undefined}>
        <div class="flex-auto min-width-0">
          <div class="code-row mb-3">
            <Switcher view={view} word="src" />
            {isRoot ? <Counts view={view} branches={branches.length} tags={tags.length} commits={count} /> : null}
            <Crumbs view={view} />
            <span class="flex-auto" />
            <FragmentCache name="files.find" cacheKey={at(view, '', '')}>
              {() => <FindButtons view={view} />}
            </FragmentCache>
            {acts}
            {isRoot ? <CachedCloneBox {...cloneAddresses(services, context)} /> : null}
          </div>
          {list}
          {text}
        </div>
        {isRoot ? (
          <About services={services} view={view} bytes={bytes}>
            {sidebar}
          </About>
        ) : null}
      </CodeBody>
    ),
  });
}

const emptyPage = async (services: PageDeps, context: CodePageContext) =>
  services.pages.page(pageContextOf(context), 'code', {
    title: t.later('code'),
    body: (
      <EmptyRepository
        repository={context.resource.repository}
        addresses={cloneAddresses(services, context)}
        actions={await buttonsOf(
          services,
          context,
          { path: '', type: 'folder', editable: false },
          { kind: 'branch', name: context.resource.repository.defaultBranch, commit: '' },
        )}
      />
    ),
  });

/** Address of the first tab that the viewer may open, where that of the code may not be. */
async function otherTab(services: PageDeps, context: CodePageContext): Promise<string | undefined> {
  const { actor, resource } = context;
  if (resource.may('read', 'code')) return undefined;
  const { ownerName, name } = resource.repository;
  try {
    await services.repositoryAccess.open({ actor, owner: ownerName, name, unit: 'code' });
    return undefined;
  } catch (error) {
    const tab = services.pages.firstTab(pageContextOf(context));
    if (!Problem.is(error) || tab === undefined) throw error;
    return services.site.path(`/${ownerName}/${name}/${tab}`);
  }
}

const repositoryHome = (services: PageDeps) =>
  defineRoute({
    method: 'GET',
    path: '/{owner}/{repo}',
    surface: 'page',
    // whoever may not read code is led on
    access: { actor: 'anyone', resource: codeResource },
    async handler(context) {
      const { repository } = context.resource;
      const elsewhere = await otherTab(services, context);
      if (elsewhere) return reply.redirect(elsewhere, 303);
      const git = services.git.open(repository.id);
      if (await git.isEmpty()) return emptyPage(services, context);
      const branch = (await git.branch(repository.defaultBranch)) ?? (await git.branches())[0]!;
      const revision = { kind: 'branch', name: branch.name, commit: branch.oid } as const;
      return folderPage(services, context, viewOf(services, context, revision));
    },
  });

const sourcePage = (services: PageDeps) =>
  pageRoute('/{owner}/{repo}/src/{rest*}', pageAccess, async (context) => {
    if (await services.git.open(context.resource.repository.id).isEmpty()) return emptyPage(services, context);
    const view = await openView(services, context, context.params.rest ?? '');
    if (!view.path) return folderPage(services, context, view);
    const entry = await view.git.entry(view.revision.commit, view.path);
    if (!entry || entry.type === 'commit') throw NotFound('file');
    if (entry.type === 'tree') return folderPage(services, context, view);
    return filePage(services, context, view, entry);
  });

/** A repository's home page, its folders and files. */
export const codePages = (services: PageDeps): Route[] => [repositoryHome(services), sourcePage(services)];

/** What the repository holds, as links to the lists. */
function Counts({
  view,
  branches,
  tags,
  commits,
}: {
  view: RevisionView;
  branches: number;
  tags: number;
  commits: number | undefined;
}): VNode {
  return (
    <FragmentCache name="files.counts" cacheKey={JSON.stringify([at(view, '', ''), branches, tags, commits])}>
      {() => (
        <>
          <a class="Link--secondary f6 no-wrap" href={`${view.repositoryPath}/branches`}>
            {icon('git-branch')} {t.rich('home.branches', { count: branches, b: bold })}
          </a>
          <a class="Link--secondary f6 no-wrap" href={`${view.repositoryPath}/tags`}>
            {icon('tag')} {t.rich('home.tags', { count: tags, b: bold })}
          </a>
          <CommitCount view={view} count={commits} />
        </>
      )}
    </FragmentCache>
  );
}

const CachedCloneBox = (addresses: CloneAddresses): VNode => (
  <FragmentCache name="files.clone" cacheKey={JSON.stringify(addresses)}>
    {() => <CloneBox {...addresses} />}
  </FragmentCache>
);

/** Undefined: not counted yet. */
function CommitCount({ view, count }: { view: RevisionView; count: number | undefined }): VNode {
  const link = (
    <a class="Link--secondary f6 no-wrap" href={at(view, 'commits', '')}>
      {icon('history')} {count === undefined ? t('home.allCommits') : t.rich('home.commits', { count, b: bold })}
    </a>
  );
  return count === undefined ? <LazyFragment href={`${at(view, 'src', '')}?part=commits`}>{link}</LazyFragment> : link;
}

const FindButtons = ({ view }: { view: RevisionView }): VNode => (
  <>
    <a class="btn btn-sm" href={at(view, 'find', '')} title={t('home.findKey')}>
      {icon('search')} {t('home.find')}
    </a>
    <a class="btn btn-sm" href={at(view, 'search', '')} title={t('home.searchKey')}>
      {icon('code')} {t('home.search')}
    </a>
  </>
);
