import type { VNode } from 'preact';
import { NotFound, defineRoute, icon, type Route, attempt, within } from '@mortise/plugin-sdk';
import { decodeText } from '../services/text.js';
import { About, CloneBox, EmptyRepository } from './about.js';
import { filePage } from './file.js';
import { FileList } from './folder.js';
import { Crumbs, Switcher } from './parts.js';
import {
  at,
  buttonsOf,
  openView,
  pageAccess,
  place,
  type PageContext,
  type PageServices,
  type View,
} from './shared.js';

const mostReadme = 512 << 10;
const readmes = /^readme(\.(md|markdown|txt|rst|adoc|org))?$/i;

/** A repository's home page, its folders and files. */
export function codePages(services: PageServices): Route[] {
  const { git: reader, pages, markup, repositories } = services;

  const readme = async (view: View): Promise<VNode | null> => {
    const folder = view.path ? await view.git.entry(view.place.commit, view.path) : undefined;
    const entries = await view.git.tree(folder?.oid ?? view.place.commit);
    const file = entries
      .filter((entry) => entry.type === 'blob' && entry.mode !== '120000' && readmes.test(entry.name))
      .sort((one, other) => Number(markup.canRender(other.name)) - Number(markup.canRender(one.name)))[0];
    if (!file || ((await view.git.info(file.oid))?.size ?? Infinity) > mostReadme) return null;
    const { text } = decodeText(await view.git.blob(file.oid));
    const html = markup.renderFile(file.name, text, {
      linkBase: at(view, 'src'),
      imageBase: at(view, 'raw'),
      repository: `${view.repository.ownerName}/${view.repository.name}`,
    });
    return (
      <section class="Box" id="readme">
        <h2 class="Box-header f5 text-bold">
          {icon('book')} <a href={at(view, 'src', view.path ? `${view.path}/${file.name}` : file.name)}>{file.name}</a>
        </h2>
        {html === undefined ? (
          <pre class="Box-body mb-0" style="white-space: pre-wrap">
            {text}
          </pre>
        ) : (
          <div class="Box-body markdown-body px-md-5 code-scroll" dangerouslySetInnerHTML={{ __html: html }} />
        )}
      </section>
    );
  };

  const languages = (view: View) => within(250, view.git.languages(view.place.commit), {});

  const folderPage = async (context: PageContext, view: View) => {
    const { repository } = context.subject;
    const isRoot = !view.path;
    const [branches, tags, list, text, bytes, switcher, acts, sidebar, count] = await Promise.all([
      view.git.branches(),
      view.git.tags(),
      FileList(services, view, context.page.page),
      attempt(readme(view), null),
      isRoot ? languages(view) : {},
      Switcher(view, 'src'),
      buttonsOf(services, context, { path: view.path, type: 'folder', editable: false }, view.place),
      isRoot ? Promise.all(services.sidebar.list().map((slot) => slot.render(place(context)))) : [],
      isRoot ? within(150, view.git.count(view.place.commit), undefined) : undefined,
    ]);
    return pages.page(place(context), 'code', {
      title: view.path ? `${view.path} at ${view.place.name}` : repository.description || 'Code',
      islands: ['highlight', 'lines', 'copy', 'shortcuts', 'filter'],
      body: (
        <div class={isRoot ? 'd-lg-flex' : ''} style="gap: 24px" data-find={at(view, 'find', '')}>
          <div class="flex-auto" style="min-width: 0">
            <div class="d-flex flex-wrap flex-items-center mb-3" style="gap: 12px">
              {switcher}
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
              {isRoot ? <CloneBox http={repositories.cloneUrl(repository)} ssh={sshUrl(context)} /> : null}
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

  const sshUrl = ({ subject: { repository } }: PageContext) =>
    services.ssh.list()[0]?.address(`${repository.ownerName}/${repository.name}`) ?? '';

  const emptyPage = async (context: PageContext) =>
    pages.page(place(context), 'code', {
      title: 'Code',
      islands: ['copy'],
      body: (
        <EmptyRepository
          repository={context.subject.repository}
          clone={repositories.cloneUrl(context.subject.repository)}
          ssh={sshUrl(context)}
          actions={await buttonsOf(
            services,
            context,
            { path: '', type: 'folder', editable: false },
            { kind: 'branch', name: context.subject.repository.defaultBranch, commit: '' },
          )}
        />
      ),
    });

  const show = async (context: PageContext, rest: string) => {
    if (await reader.open(context.subject.repository.id).isEmpty()) return emptyPage(context);
    const view = await openView(services, context, rest);
    if (!view.path) return folderPage(context, view);
    const entry = await view.git.entry(view.place.commit, view.path);
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
        const { repository } = context.subject;
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
