import type { VNode } from 'preact';
import { NotFound, Problem, defineRoute, icon, reply, type Route, type RouteContext, Ago } from '@mortise/plugin-sdk';
import type { Commit } from '@mortise/git/api';
import type { RepositoryContext } from '@mortise/repositories/api';
import { placeInPath } from '../services/places.js';
import { cleanPath } from '../services/reading.js';
import { pageAccess, place, type PageServices } from './code.js';
import { Diff } from './diff.js';
import { Crumbs, Person, Switcher, at, bodyOf, encodePath, subjectOf, type View } from './parts.js';

type Context = RouteContext<RepositoryContext>;
const mostDiff = 3 << 20;

/** Commit lists, one commit with its difference, branches and tags. */
export function historyPages(services: PageServices): Route[] {
  const { git: reader, pages, site, commits, markup } = services;
  const homeOf = (context: Context) =>
    site.path(`/${context.subject.repository.ownerName}/${context.subject.repository.name}`);

  const commitList = async (list: readonly Commit[], view: View): Promise<VNode> => {
    const people = await commits.people(list);
    return (
      <ul class="Box list-style-none">
        {list.map((commit) => (
          <li class="Box-row d-flex flex-items-start" style="gap: 12px">
            <div class="flex-auto" style="min-width: 0">
              <a class="text-bold Link--primary wb-break-word" href={`${view.home}/commit/${commit.oid}`}>
                {subjectOf(commit.message)}
              </a>
              {bodyOf(commit.message) ? (
                <details class="d-inline ml-1">
                  <summary class="btn-octicon d-inline" aria-label="Whole message">
                    …
                  </summary>
                  <pre class="f6 mt-1" style="white-space: pre-wrap">
                    {bodyOf(commit.message)}
                  </pre>
                </details>
              ) : null}
              <p class="f6 color-fg-muted mb-0">
                <Person
                  account={people.get(commit.author.email.toLowerCase())}
                  name={commit.author.name}
                  path={site.path}
                />{' '}
                <Ago time={commit.author.time} />
              </p>
            </div>
            <a class="text-mono f6 btn btn-sm no-wrap" href={`${view.home}/commit/${commit.oid}`}>
              {commit.oid.slice(0, 10)}
            </a>
            <a
              class="btn btn-sm d-none d-md-inline-block"
              href={`${view.home}/src/commit/${commit.oid}${view.path ? `/${encodePath(view.path)}` : ''}`}
              aria-label="Files at this commit"
            >
              {icon('code')}
            </a>
          </li>
        ))}
      </ul>
    );
  };

  const refsPage = (word: 'branches' | 'tags') =>
    defineRoute({
      method: 'GET',
      path: `/{owner}/{repo}/${word}`,
      surface: 'page',
      access: pageAccess,
      async handler(context) {
        const { repository } = context.subject;
        const git = reader.open(repository.id);
        const home = homeOf(context);
        const kind = word === 'branches' ? 'branch' : 'tag';
        const all = word === 'branches' ? await git.branches() : [...(await git.tags())].reverse();
        const shown = all.slice(context.page.offset, context.page.offset + context.page.limit);
        const rows = await Promise.all(
          shown.map(async (ref) => {
            const peeled = await git.peel(ref.oid);
            return { ref, commit: peeled?.type === 'commit' ? await git.commit(peeled.oid) : undefined };
          }),
        );
        return pages.page(place(context), 'code', {
          title: word === 'branches' ? 'Branches' : 'Tags',
          body: (
            <div>
              <h2 class="mb-3">
                {word === 'branches' ? 'Branches' : 'Tags'} <span class="Counter">{all.length}</span>
              </h2>
              <ul class="Box list-style-none">
                {rows.length === 0 ? <li class="Box-row color-fg-muted">There are none yet.</li> : null}
                {rows.map(({ ref, commit }) => (
                  <li class="Box-row d-flex flex-wrap flex-items-center" style="gap: 12px">
                    <a class="text-bold flex-auto wb-break-word" href={`${home}/src/${kind}/${encodePath(ref.name)}`}>
                      {icon(kind === 'branch' ? 'git-branch' : 'tag')} {ref.name}
                    </a>
                    {ref.name === repository.defaultBranch && kind === 'branch' ? (
                      <span class="Label Label--accent">default</span>
                    ) : null}
                    {commit ? (
                      <span class="f6 color-fg-muted css-truncate css-truncate-overflow" style="max-width: 320px">
                        <a class="Link--secondary" href={`${home}/commit/${commit.oid}`}>
                          {subjectOf(commit.message)}
                        </a>
                      </span>
                    ) : null}
                    {commit ? (
                      <span class="f6 color-fg-muted no-wrap">
                        <Ago time={commit.committer.time} />
                      </span>
                    ) : null}
                    <a
                      class="btn btn-sm"
                      href={`${home}/archive/${encodePath(ref.name)}.zip`}
                      aria-label={`${ref.name} as ZIP`}
                    >
                      {icon('file-zip')}
                    </a>
                  </li>
                ))}
              </ul>
              {all.length > context.page.limit ? (
                <p class="mt-2">
                  {context.page.page > 1 ? <a href={`?page=${context.page.page - 1}`}>Previous</a> : null}{' '}
                  {context.page.offset + shown.length < all.length ? (
                    <a href={`?page=${context.page.page + 1}`}>Next</a>
                  ) : null}
                </p>
              ) : null}
            </div>
          ),
        });
      },
    });

  return [
    defineRoute({
      method: 'GET',
      path: '/{owner}/{repo}/commits/{rest*}',
      surface: 'page',
      access: pageAccess,
      async handler(context) {
        const { repository } = context.subject;
        const git = reader.open(repository.id);
        const { place: point, path } = await placeInPath(git, repository, context.params.rest);
        const view: View = { git, repository, place: point, path: cleanPath(path), home: homeOf(context) };
        const { limit, offset, page } = context.page;
        const log = await git.log({ from: [point.commit], path: view.path || undefined, offset, limit });
        if (view.path && log.total === 0) throw NotFound('file');
        return pages.page(place(context), 'code', {
          title: `Commits of ${view.path || point.name}`,
          body: (
            <div>
              <div class="d-flex flex-wrap flex-items-center mb-3" style="gap: 12px">
                {await Switcher(view, 'commits')}
                <Crumbs view={view} />
                <span class="color-fg-muted f6">{log.total} commits</span>
              </div>
              {await commitList(log.commits, view)}
              <nav class="paginate-container" aria-label="Pages">
                <div class="BtnGroup">
                  {page > 1 ? (
                    <a class="btn BtnGroup-item" rel="prev" href={`${at(view, 'commits')}?page=${page - 1}`}>
                      Newer
                    </a>
                  ) : null}
                  {offset + log.commits.length < log.total ? (
                    <a class="btn BtnGroup-item" rel="next" href={`${at(view, 'commits')}?page=${page + 1}`}>
                      Older
                    </a>
                  ) : null}
                </div>
              </nav>
            </div>
          ),
        });
      },
    }),
    defineRoute({
      method: 'GET',
      path: '/{owner}/{repo}/commit/{sha}',
      surface: 'page',
      access: pageAccess,
      async handler(context) {
        const { repository } = context.subject;
        const git = reader.open(repository.id);
        const [, sha = '', format] = /^([0-9a-f]{4,64})(?:\.(diff|patch))?$/.exec(context.params.sha) ?? [];
        const oid = sha && (await git.resolve(sha))?.commit;
        if (!oid) throw NotFound('commit');
        const commit = await git.commit(oid);
        if (format)
          return reply.bytes(
            git.patch(commit.parents[0], oid, { format: format as 'diff' | 'patch' }),
            'text/plain; charset=utf-8',
          );
        const view: View = {
          git,
          repository,
          place: { kind: 'commit', name: oid, commit: oid },
          path: '',
          home: homeOf(context),
        };
        const [changes, people, patch] = await Promise.all([
          git.commitChanges(oid),
          commits.people([commit]),
          git.patchText(commit.parents[0], oid, { format: 'diff' }, mostDiff).catch((error: unknown) => {
            if (Problem.is(error)) return undefined;
            throw error;
          }),
        ]);
        const { author, committer } = commit;
        return pages.page(place(context), 'code', {
          title: subjectOf(commit.message),
          islands: ['highlight', 'lines'],
          body: (
            <div>
              <div class="Box mb-3">
                <div class="Box-header d-flex flex-wrap" style="gap: 8px">
                  <h2 class="f4 flex-auto wb-break-word">{subjectOf(commit.message)}</h2>
                  <a class="btn btn-sm" href={`${view.home}/src/commit/${oid}`}>
                    {icon('code')} Browse files
                  </a>
                </div>
                {bodyOf(commit.message) ? (
                  <pre class="Box-row mb-0" style="white-space: pre-wrap">
                    {bodyOf(commit.message)}
                  </pre>
                ) : null}
                <div class="Box-row d-flex flex-wrap f6" style="gap: 16px">
                  <span>
                    <Person account={people.get(author.email.toLowerCase())} name={author.name} path={site.path} />{' '}
                    wrote this <Ago time={author.time} />
                  </span>
                  {committer.email !== author.email ? (
                    <span>
                      <Person
                        account={people.get(committer.email.toLowerCase())}
                        name={committer.name}
                        path={site.path}
                      />{' '}
                      committed it <Ago time={committer.time} />
                    </span>
                  ) : null}
                  <span class="flex-auto" />
                  {commit.parents.map((parent) => (
                    <span>
                      parent{' '}
                      <a class="text-mono" href={`${view.home}/commit/${parent}`}>
                        {parent.slice(0, 10)}
                      </a>
                    </span>
                  ))}
                  <span>
                    commit <span class="text-mono">{oid.slice(0, 10)}</span>
                  </span>
                  <a href={`${view.home}/commit/${oid}.diff`}>.diff</a>
                  <a href={`${view.home}/commit/${oid}.patch`}>.patch</a>
                </div>
              </div>
              <Diff changes={changes} patch={patch} view={view} markup={markup} />
            </div>
          ),
        });
      },
    }),
    refsPage('branches'),
    refsPage('tags'),
  ];
}
