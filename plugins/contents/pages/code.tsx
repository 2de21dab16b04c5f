import type { VNode } from 'preact';
import { NotFound, defineRoute, icon, type Route, type RouteContext, Ago } from '@mortise/plugin-sdk';
import type { Markup } from '@mortise/markup/api';
import { codeSubject } from '../services/go-import.js';
import { type RepositoryContext, type RepositoryPages } from '@mortise/repositories/api';
import { mediaTypeOf } from '../services/raw.js';
import type { ContentServices } from '../routes/shared.js';
import { placeInPath } from '../services/places.js';
import { cleanPath } from '../services/reading.js';
import { CloneBox, CommitBar, Crumbs, Switcher, at, encodePath, subjectOf, type View } from './parts.js';

export type PageServices = ContentServices & { readonly pages: RepositoryPages; readonly markup: Markup };
type Context = RouteContext<RepositoryContext>;

const mostShown = 1 << 20;
const readmes = /^readme(\.(md|markdown|txt|rst))?$/i;
export const place = (context: Context) => ({ context: context.subject, actor: context.actor, csrf: context.csrf });
export const pageAccess = { actor: 'anyone', subject: codeSubject, unit: 'code', expensive: true } as const;

/** A repository's home page, its folders and files. */
export function codePages(services: PageServices): Route[] {
  const { git: reader, pages, markup, site, commits } = services;
  const homeOf = (context: Context) =>
    site.path(`/${context.subject.repository.ownerName}/${context.subject.repository.name}`);

  const fileList = async (view: View): Promise<VNode> => {
    const { git, place: point, path } = view;
    const entry = path ? await git.entry(point.commit, path) : undefined;
    const entries = await git.tree(entry?.oid ?? point.commit);
    const sorted = [...entries]
      .sort(
        (one, other) => Number(other.type === 'tree') - Number(one.type === 'tree') || (one.name < other.name ? -1 : 1),
      )
      .slice(0, 1000);
    const last = await git.lastCommits(point.commit, path);
    const latestId = path ? ((await git.lastCommit(point.commit, path)) ?? point.commit) : point.commit;
    const found = await git.commits([...new Set([latestId, ...last.values()])]);
    const byOid = new Map(found.map((commit) => [commit.oid, commit]));
    const latest = byOid.get(latestId) ?? (await git.commit(point.commit));
    const people = await commits.people([latest]);
    const up = path.includes('/') ? path.slice(0, path.lastIndexOf('/')) : '';
    return (
      <div class="Box mb-3">
        <CommitBar commit={latest} account={people.get(latest.author.email.toLowerCase())} view={view} path={site.path}>
          <a class="btn btn-sm no-wrap" href={at(view, 'commits')}>
            {icon('history')} History
          </a>
        </CommitBar>
        <div role="table" aria-label="Files">
          {path ? (
            <div role="row" class="Box-row py-2">
              <a role="cell" class="Link--primary" href={at(view, 'src', up)} aria-label="Parent folder">
                ..
              </a>
            </div>
          ) : null}
          {sorted.map((one) => {
            const full = path ? `${path}/${one.name}` : one.name;
            const commit = byOid.get(last.get(one.name) ?? '');
            return (
              <div role="row" class="Box-row Box-row--hover-gray py-2 d-flex" style="gap: 12px">
                <div role="cell" class="css-truncate css-truncate-overflow" style="flex: 2 1 0; min-width: 0">
                  {icon(
                    one.type === 'tree'
                      ? 'file-directory-fill'
                      : one.type === 'commit'
                        ? 'file-submodule'
                        : one.mode === '120000'
                          ? 'file-symlink-file'
                          : 'file',
                    { class: one.type === 'tree' ? 'color-fg-accent' : 'color-fg-muted' },
                  )}{' '}
                  {one.type === 'commit' ? (
                    <span>
                      {one.name} @ <span class="text-mono">{one.oid.slice(0, 10)}</span>
                    </span>
                  ) : (
                    <a class="Link--primary" href={at(view, 'src', full)}>
                      {one.name}
                    </a>
                  )}
                </div>
                <div
                  role="cell"
                  class="css-truncate css-truncate-overflow d-none d-md-block color-fg-muted"
                  style="flex: 3 1 0; min-width: 0"
                >
                  {commit ? (
                    <a class="Link--secondary" href={`${view.home}/commit/${commit.oid}`}>
                      {subjectOf(commit.message)}
                    </a>
                  ) : null}
                </div>
                <div role="cell" class="color-fg-muted no-wrap f6 text-right" style="min-width: 90px">
                  {commit ? <Ago time={commit.committer.time} /> : null}
                </div>
              </div>
            );
          })}
        </div>
        {entries.length > sorted.length ? (
          <p class="Box-footer mb-0 color-fg-muted">{entries.length - sorted.length} more entries are not shown.</p>
        ) : null}
      </div>
    );
  };

  const readme = async (view: View): Promise<VNode | null> => {
    const folder = view.path ? await view.git.entry(view.place.commit, view.path) : undefined;
    const entries = await view.git.tree(folder?.oid ?? view.place.commit);
    const file = entries
      .filter((entry) => entry.type === 'blob' && entry.mode !== '120000' && readmes.test(entry.name))
      .sort((one, other) => Number(markup.canRender(other.name)) - Number(markup.canRender(one.name)))[0];
    if (!file || ((await view.git.info(file.oid))?.size ?? 0) > mostShown) return null;
    const text = (await view.git.blob(file.oid)).toString('utf8');
    const html = markup.renderFile(file.name, text, {
      linkBase: at(view, 'src'),
      imageBase: at(view, 'raw'),
      repository: `${view.repository.ownerName}/${view.repository.name}`,
    });
    return (
      <section class="Box" id="readme">
        <h2 class="Box-header f5 text-bold">
          {icon('book')} {file.name}
        </h2>
        {html === undefined ? (
          <pre class="Box-body mb-0" style="white-space: pre-wrap">
            {text}
          </pre>
        ) : (
          <div class="Box-body markdown-body px-md-5" dangerouslySetInnerHTML={{ __html: html }} />
        )}
      </section>
    );
  };

  const languages = async (view: View): Promise<VNode | null> => {
    const bytes = Object.entries(await view.git.languages(view.place.commit)).sort(([, one], [, other]) => other - one);
    const total = bytes.reduce((sum, [, count]) => sum + count, 0);
    if (!total) return null;
    const color = (name: string) =>
      `hsl(${[...name].reduce((sum, letter) => sum + letter.charCodeAt(0) * 37, 0) % 360} 60% 50%)`;
    return (
      <section class="mb-3">
        <h2 class="f5 mb-2">Languages</h2>
        <div class="Progress mb-2" aria-hidden="true">
          {bytes.slice(0, 8).map(([name, count]) => (
            <span
              class="Progress-item"
              style={`width: ${((100 * count) / total).toFixed(1)}%; background: ${color(name)}`}
            />
          ))}
        </div>
        <ul class="list-style-none f6">
          {bytes.slice(0, 8).map(([name, count]) => (
            <li class="d-inline-block mr-3">
              <span class="d-inline-block circle mr-1" style={`width: 8px; height: 8px; background: ${color(name)}`} />
              <strong>{name}</strong> <span class="color-fg-muted">{((100 * count) / total).toFixed(1)} %</span>
            </li>
          ))}
        </ul>
      </section>
    );
  };

  const folderPage = async (context: Context, view: View) => {
    const { repository } = context.subject;
    const clone = services.repositories.cloneUrl(repository);
    const branches = await view.git.branches();
    const tags = await view.git.tags();
    const [list, text, bar, switcher] = await Promise.all([
      fileList(view),
      readme(view),
      view.path ? null : languages(view),
      Switcher(view, 'src'),
    ]);
    return pages.page(place(context), 'code', {
      title: view.path ? `${view.path} at ${view.place.name}` : repository.description || 'Code',
      islands: ['highlight', 'copy'],
      body: (
        <div class="d-lg-flex" style="gap: 24px">
          <div class="flex-auto" style="min-width: 0">
            <div class="d-flex flex-wrap flex-items-center mb-3" style="gap: 12px">
              {switcher}
              <a class="Link--secondary f6" href={`${view.home}/branches`}>
                {icon('git-branch')} <strong>{branches.length}</strong> {branches.length === 1 ? 'branch' : 'branches'}
              </a>
              <a class="Link--secondary f6" href={`${view.home}/tags`}>
                {icon('tag')} <strong>{tags.length}</strong> {tags.length === 1 ? 'tag' : 'tags'}
              </a>
              <Crumbs view={view} />
              <span class="flex-auto" />
              {view.path ? null : <CloneBox http={clone} />}
            </div>
            {list}
            {text}
          </div>
          {view.path ? null : (
            <aside style="flex: 0 0 260px" class="mt-3 mt-lg-0">
              <section class="mb-3">
                <h2 class="f5 mb-2">About</h2>
                <p class={repository.description ? '' : 'color-fg-muted'}>
                  {repository.description || 'No description.'}
                </p>
                {repository.website && /^https?:/.test(repository.website) ? (
                  <p>
                    {icon('link')}{' '}
                    <a href={repository.website} rel="nofollow noopener">
                      {repository.website}
                    </a>
                  </p>
                ) : null}
                {repository.topics.map((topic) => (
                  <a
                    class="topic-tag topic-tag-link"
                    href={site.path(`/explore/repos?q=${encodeURIComponent(topic)}&topic=1`)}
                  >
                    {topic}
                  </a>
                ))}
              </section>
              {bar}
              <section>
                <h2 class="f5 mb-2">Download</h2>
                <a class="btn btn-sm mr-2" href={`${view.home}/archive/${encodePath(view.place.name)}.zip`}>
                  {icon('download')} ZIP
                </a>
                <a class="btn btn-sm" href={`${view.home}/archive/${encodePath(view.place.name)}.tar.gz`}>
                  TAR.GZ
                </a>
              </section>
            </aside>
          )}
        </div>
      ),
    });
  };

  const filePage = async (context: Context, view: View, oid: string) => {
    const size = (await view.git.info(oid))?.size ?? 0;
    const name = view.path.slice(view.path.lastIndexOf('/') + 1);
    const content = size <= mostShown ? await view.git.blob(oid) : undefined;
    const type = content ? mediaTypeOf(name, content) : 'application/octet-stream';
    const isText = type.startsWith('text/');
    const source = context.query.display === 'source';
    const text = isText ? content!.toString('utf8') : '';
    const rendered =
      isText && !source
        ? markup.renderFile(name, text, {
            linkBase: at(view, 'src', view.path.slice(0, -name.length - 1)),
            imageBase: at(view, 'raw', view.path.slice(0, -name.length - 1)),
          })
        : undefined;
    const [latest] = await view.git.commits([
      (await view.git.lastCommit(view.place.commit, view.path)) ?? view.place.commit,
    ]);
    const people = latest ? await commits.people([latest]) : new Map<string, never>();
    const body = () => {
      if (rendered !== undefined)
        return (
          <div
            class="Box-body markdown-body px-md-5"
            style="overflow-x: auto"
            dangerouslySetInnerHTML={{ __html: rendered }}
          />
        );
      if (isText) return <CodeLines lines={markup.highlight(name, text).lines} />;
      if (type.startsWith('image/'))
        return (
          <div class="Box-body text-center">
            <img src={at(view, 'raw')} alt={name} style="max-width: 100%" />
          </div>
        );
      return (
        <div class="blankslate">
          {icon('file-binary', { size: 24 })}
          <p>{size > mostShown ? 'The file is too large to be shown.' : 'The file is not text.'}</p>
          <a class="btn" href={at(view, 'raw')}>
            {icon('download')} Download
          </a>
        </div>
      );
    };
    return pages.page(place(context), 'code', {
      title: `${view.path} at ${view.place.name}`,
      islands: ['highlight', 'lines'],
      body: (
        <div>
          <div class="d-flex flex-wrap flex-items-center mb-3" style="gap: 12px">
            {await Switcher(view, 'src')}
            <Crumbs view={view} />
          </div>
          <div class="Box">
            {latest ? (
              <CommitBar
                commit={latest}
                account={people.get(latest.author.email.toLowerCase())}
                view={view}
                path={site.path}
              />
            ) : null}
            <div class="Box-row d-flex flex-wrap flex-items-center py-2" style="gap: 8px">
              <span class="f6 color-fg-muted flex-auto">
                {isText ? `${text.split('\n').length - (text.endsWith('\n') ? 1 : 0)} lines · ` : ''}
                {size < 1024 ? `${size} bytes` : `${(size / 1024).toFixed(1)} KiB`}
              </span>
              {isText && markup.canRender(name) ? (
                <a class="btn btn-sm" href={source ? at(view, 'src') : `${at(view, 'src')}?display=source`}>
                  {source ? 'Rendered' : 'Source'}
                </a>
              ) : null}
              <a class="btn btn-sm" href={at(view, 'raw')}>
                Raw
              </a>
              <a
                class="btn btn-sm"
                href={`${view.home}/src/commit/${view.place.commit}/${encodePath(view.path)}`}
                data-hotkey="y"
              >
                Permalink
              </a>
              <a class="btn btn-sm" href={at(view, 'commits')}>
                {icon('history')} History
              </a>
            </div>
            {body()}
          </div>
        </div>
      ),
    });
  };

  const emptyPage = (context: Context) => {
    const { repository } = context.subject;
    const clone = services.repositories.cloneUrl(repository);
    return pages.page(place(context), 'code', {
      title: 'Code',
      body: (
        <div class="Box">
          <div class="Box-header">
            <h2 class="Box-title">The repository is empty</h2>
          </div>
          <div class="Box-row">
            <CloneBox http={clone} />
          </div>
          <div class="Box-row">
            <h3 class="f4 mb-2">Start a new project</h3>
            <pre
              class="mb-0"
              style="overflow-x: auto"
            >{`echo "# ${repository.name}" > README.md\ngit init -b ${repository.defaultBranch}\ngit add README.md\ngit commit -m "First commit"\ngit remote add origin ${clone}\ngit push -u origin ${repository.defaultBranch}`}</pre>
          </div>
          <div class="Box-row">
            <h3 class="f4 mb-2">Push what you have</h3>
            <pre
              class="mb-0"
              style="overflow-x: auto"
            >{`git remote add origin ${clone}\ngit push -u origin ${repository.defaultBranch}`}</pre>
          </div>
        </div>
      ),
    });
  };

  const show = async (context: Context, rest: string) => {
    const { repository } = context.subject;
    const git = reader.open(repository.id);
    if (await git.isEmpty()) return emptyPage(context);
    const { place: point, path } = await placeInPath(git, repository, rest);
    const view: View = { git, repository, place: point, path: cleanPath(path), home: homeOf(context) };
    if (!view.path) return folderPage(context, view);
    const entry = await git.entry(point.commit, view.path);
    if (!entry || entry.type === 'commit') throw NotFound('file');
    return entry.type === 'tree' ? folderPage(context, view) : filePage(context, view, entry.oid);
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
      handler: (context) => show(context, context.params.rest),
    }),
  ];
}

/** Lines with anchors `#L3`. */
export function CodeLines({ lines }: { lines: readonly string[] }): VNode {
  const html = lines
    .map(
      (line, index) =>
        `<tr><td class="blob-num" id="L${index + 1}"><a href="#L${index + 1}" data-line="${index + 1}"></a></td><td class="blob-code">${line || '\n'}</td></tr>`,
    )
    .join('');
  return (
    <div style="overflow-x: auto">
      <table class="code-lines text-mono f6">
        <tbody dangerouslySetInnerHTML={{ __html: html }} />
      </table>
    </div>
  );
}
