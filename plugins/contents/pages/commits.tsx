import type { VNode } from 'preact';
import { Ago, Joi, NotFound, defineRoute, icon, type Route, Pager } from '@mortise/plugin-sdk';
import type { Commit } from '@mortise/git/api';
import { CopyButton, Crumbs, Person, SignatureBadge, Switcher } from './parts.js';
import {
  at,
  bodyOf,
  encodePath,
  openView,
  pageAccess,
  place,
  subjectOf,
  type PageServices,
  type View,
} from './shared.js';

/** Commits one below the other, with people, signatures and marks. */
export async function CommitList(services: PageServices, list: readonly Commit[], view: View): Promise<VNode> {
  const { commits, site, verification, marks } = services;
  const [people, proofs, beside] = await Promise.all([
    commits.people(list),
    verification.judge(view.repository, list),
    marks(
      view.context,
      list.map((commit) => commit.oid),
    ),
  ]);
  return (
    <ul class="Box list-style-none">
      {list.map((commit, index) => (
        <li class="Box-row d-flex flex-items-start" style="gap: 12px">
          <div class="flex-auto" style="min-width: 0">
            <a class="text-bold Link--primary wb-break-word" href={`${view.home}/commit/${commit.oid}`}>
              {subjectOf(commit.message) || '(no message)'}
            </a>
            {bodyOf(commit.message) ? (
              <details class="d-inline ml-1">
                <summary class="btn-octicon d-inline p-0" aria-label="Whole message">
                  …
                </summary>
                <pre class="f6 mt-1 color-fg-muted" style="white-space: pre-wrap">
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
          {beside.get(commit.oid)}
          <SignatureBadge proof={proofs[index]} />
          <CopyButton text={commit.oid} label="Copy the whole id" />
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
}

const word = Joi.string()
  .allow('')
  .max(200)
  .pattern(/^[^\0\n]*$/);
const query = Joi.object({ author: word, q: word }).unknown();

/** Lists of commits of a point in history, also of one file through its renames. */
export function commitPages(services: PageServices): Route[] {
  const { pages } = services;
  const route = (path: string) =>
    defineRoute({
      method: 'GET' as const,
      path,
      surface: 'page' as const,
      access: pageAccess,
      request: { query },
      async handler(context) {
        const { repository } = context.subject;
        const view = await openView(services, context, context.params.rest ?? `branch/${repository.defaultBranch}`);
        const { limit, offset, page } = context.page;
        const { author = '', q: search = '' } = context.query as { author?: string; q?: string };
        const entry = view.path ? await view.git.entry(view.place.commit, view.path) : undefined;
        const log = await view.git.log({
          from: [view.place.commit],
          path: view.path || undefined,
          follow: entry?.type === 'blob',
          author: author || undefined,
          search: search || undefined,
          offset,
          limit,
        });
        const filtered = author || search;
        if (view.path && log.total === 0 && !filtered) throw NotFound('file');
        const words = (to: number) =>
          `${at(view, 'commits')}?${new URLSearchParams({ ...(author ? { author } : {}), ...(search ? { q: search } : {}), page: String(to) }).toString()}`;
        return pages.page(place(context), 'code', {
          title: `Commits of ${view.path || view.place.name}`,
          islands: ['copy', 'lines', 'shortcuts', 'filter'],
          body: (
            <div data-find={at(view, 'find', '')}>
              <div class="d-flex flex-wrap flex-items-center mb-3" style="gap: 12px">
                {await Switcher(view, 'commits')}
                <Crumbs view={view} />
                <span class="color-fg-muted f6">
                  {log.total} {log.total === 1 ? 'commit' : 'commits'}
                </span>
                <span class="flex-auto" />
                <form method="get" action={at(view, 'commits')} class="d-flex flex-wrap" style="gap: 8px">
                  <input
                    class="form-control input-sm"
                    name="q"
                    value={search}
                    placeholder="Words of the message"
                    aria-label="Words of the message"
                    type="search"
                    data-focus
                  />
                  <input
                    class="form-control input-sm"
                    name="author"
                    value={author}
                    placeholder="Author"
                    aria-label="Author"
                    type="search"
                  />
                  <button class="btn btn-sm" type="submit">
                    Filter
                  </button>
                </form>
                {view.path ? null : (
                  <a class="btn btn-sm" href={at(view, 'graph')}>
                    {icon('git-merge')} Graph
                  </a>
                )}
              </div>
              {log.commits.length > 0 ? (
                await CommitList(services, log.commits, view)
              ) : (
                <p class="blankslate">No commits {filtered ? 'match' : 'here'}.</p>
              )}
              <Pager
                page={page}
                more={offset + log.commits.length < log.total}
                href={words}
                words={['Newer', 'Older']}
              />
            </div>
          ),
        });
      },
    });
  return [route('/{owner}/{repo}/commits'), route('/{owner}/{repo}/commits/{rest*}')];
}
