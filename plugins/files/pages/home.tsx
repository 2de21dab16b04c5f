import type { VNode } from 'preact';
import { NotFound, defineRoute, icon, type Route, attempt, within } from '@mortise/plugin-sdk';
import { MarkupBody, markupIslands } from '@mortise/markup/api';
import { findReadme } from '../services/readme.js';
import { decodeText } from '../services/text.js';
import { About } from './about.js';
import { CloneBox, EmptyRepository, type CloneAddresses } from './clone.js';
import { filePage } from './file.js';
import { FileList } from './folder.js';
import {
  at,
  Crumbs,
  openView,
  pageAccess,
  pageContextOf,
  Switcher,
  type CodePageContext,
  type RevisionView,
} from '@mortise/history/api';
import { buttonsOf } from './actions.js';
import { type PageServices } from './services.js';

const maxReadme = 512 << 10;

/** A repository's home page, its folders and files. */
export function codePages(services: PageServices): Route[] {
  const { git: reader, pages, markup, repositories } = services;

  const readme = async (context: CodePageContext, view: RevisionView): Promise<VNode | null> => {
    const file = await findReadme(view.git, view.revision.commit, view.path, (name) => markup.canRender(name));
    if (!file || ((await view.git.info(file.oid))?.size ?? Infinity) > maxReadme) return null;
    const { text } = decodeText(await view.git.blob(file.oid));
    const html = await markup.renderFile(file.name, text, {
      viewer: context,
      linkBase: at(view, 'src', file.folder),
      imageBase: at(view, 'raw', file.folder),
      repository: `${view.repository.ownerName}/${view.repository.name}`,
    });
    return (
      <section class="Box" id="readme">
        <h2 class="Box-header f5 text-bold">
          {icon('book')}{' '}
          <a href={at(view, 'src', file.folder ? `${file.folder}/${file.name}` : file.name)}>{file.name}</a>
        </h2>
        {html === undefined ? (
          <pre class="Box-body mb-0" style="white-space: pre-wrap">
            {text}
          </pre>
        ) : (
          <MarkupBody class="Box-body px-md-5" html={html} />
        )}
      </section>
    );
  };

  const languages = (view: RevisionView) => within(250, view.git.languages(view.revision.commit), {});

  const folderPage = async (context: CodePageContext, view: RevisionView) => {
    const { repository } = context.resource;
    const isRoot = !view.path;
    const [branches, tags, list, text, bytes, acts, sidebar, count] = await Promise.all([
      view.git.branches(),
      view.git.tags(),
      FileList(services, view, context.page.page),
      attempt(readme(context, view), null),
      isRoot ? languages(view) : {},
      buttonsOf(services, context, { path: view.path, type: 'folder', editable: false }, view.revision),
      isRoot ? Promise.all(services.sidebar.list().map((slot) => slot.render(pageContextOf(context)))) : [],
      isRoot ? within(150, view.git.count(view.revision.commit), undefined) : undefined,
    ]);
    return pages.page(pageContextOf(context), 'code', {
      title: view.path ? `${view.path} at ${view.revision.name}` : repository.description || 'Code',
      islands: [...markupIslands, 'lines', 'copy', 'shortcuts', 'filter'],
      body: (
        <div class={isRoot ? 'd-lg-flex' : ''} style="gap: 24px" data-find={at(view, 'find', '')}>
          <div class="flex-auto" style="min-width: 0">
            <div class="d-flex flex-wrap flex-items-center mb-3" style="gap: 12px">
              <Switcher view={view} word="src" />
              {isRoot ? (
                <a class="Link--secondary f6 no-wrap" href={`${view.home}/branches`}>
                  {icon('git-branch')} <strong>{branches.length}</strong>{' '}
                  {branches.length === 1 ? 'branch' : 'branches'}
                </a>
              ) : null}
              {isRoot ? (
                <a class="Link--secondary f6 no-wrap" href={`${view.home}/tags`}>
                  {icon('tag')} <strong>{tags.length}</strong> {tags.length === 1 ? 'tag' : 'tags'}
                </a>
              ) : null}
              {isRoot ? (
                <a class="Link--secondary f6 no-wrap" href={at(view, 'commits', '')}>
                  {icon('history')} {count === undefined ? null : <strong>{count}</strong>}{' '}
                  {count === 1 ? 'commit' : 'commits'}
                </a>
              ) : null}
              <Crumbs view={view} />
              <span class="flex-auto" />
              <a class="btn btn-sm" href={at(view, 'find', '')} title="Find a file (t)">
                {icon('search')} Find file
              </a>
              <a class="btn btn-sm" href={at(view, 'search', '')} title="Search in code (/)">
                {icon('code')} Search code
              </a>
              {acts}
              {isRoot ? <CloneBox {...addresses(context)} /> : null}
            </div>
            {list}
            {text}
          </div>
          {isRoot ? (
            <About services={services} view={view} bytes={bytes}>
              {sidebar}
            </About>
          ) : null}
        </div>
      ),
    });
  };

  const addresses = ({ resource: { repository }, actor }: CodePageContext): CloneAddresses => ({
    http: repositories.cloneUrl(repository),
    ssh: services.ssh.list()[0]?.address(`${repository.ownerName}/${repository.name}`) ?? '',
    tokens: services.hasTokens && actor.kind === 'user' ? services.site.path('/user/settings/applications') : '',
  });

  const emptyPage = async (context: CodePageContext) =>
    pages.page(pageContextOf(context), 'code', {
      title: 'Code',
      islands: ['copy'],
      body: (
        <EmptyRepository
          repository={context.resource.repository}
          addresses={addresses(context)}
          actions={await buttonsOf(
            services,
            context,
            { path: '', type: 'folder', editable: false },
            { kind: 'branch', name: context.resource.repository.defaultBranch, commit: '' },
          )}
        />
      ),
    });

  const show = async (context: CodePageContext, rest: string) => {
    if (await reader.open(context.resource.repository.id).isEmpty()) return emptyPage(context);
    const view = await openView(services, context, rest);
    if (!view.path) return folderPage(context, view);
    const entry = await view.git.entry(view.revision.commit, view.path);
    if (!entry || entry.type === 'commit') throw NotFound('file');
    return entry.type === 'tree' ? folderPage(context, view) : filePage(services, context, view, entry);
  };

  return [
    defineRoute({
      method: 'GET',
      path: '/{owner}/{repo}',
      surface: 'page',
      access: { ...pageAccess, expensive: false },
      async handler(context) {
        const { repository } = context.resource;
        const git = reader.open(repository.id);
        if (await git.isEmpty()) return emptyPage(context);
        const branch = (await git.branch(repository.defaultBranch)) ?? (await git.branches())[0]!;
        return show(context, `branch/${branch.name}`);
      },
    }),
    defineRoute({
      method: 'GET',
      path: '/{owner}/{repo}/src/{rest*}',
      surface: 'page',
      access: pageAccess,
      handler: (context) => show(context, context.params.rest ?? ''),
    }),
  ];
}
