import type { VNode } from 'preact';
import { Ago, NotFound, defineRoute, icon, type Route } from '@mortise/plugin-sdk';
import type { Commit, GitRepository, Ref } from '@mortise/git/api';
import { withoutCorruptObjects } from '../contract/corrupt-object.js';
import { layOutGraph, type GraphRow } from '../services/graph.js';
import {
  at,
  encodePath,
  openView,
  pageAccess,
  pageContextOf,
  subjectOf,
  viewOf,
  type RevisionView,
} from '../contract/pages.js';
import { CodeBody } from '../contract/code-body.js';
import { CommitAuthor } from '../contract/commit-bar.js';
import { Switcher } from '../contract/ref-picker.js';
import { t } from '../texts/index.js';
import { OlderNewer } from './commits.js';
import type { PageDeps } from './page-deps.js';

const maxBranches = 60;
/** Of `.graph-row` in the style sheet. */
const rowHeight = 28;
const laneWidth = 14;
const x = (lane: number) => laneWidth / 2 + lane * laneWidth;
const y = (row: number) => rowHeight / 2 + row * rowHeight;
const hue = (color: number) => `hsl(${(color * 67 + 210) % 360} 60% 50%)`;

/** The history as a drawing: branches as lines, made on the server. */
export function commitGraphPages(services: PageDeps): Route[] {
  const { git: reader, pages, views, site, cache, graphSize: perPage } = services;

  const order = async (git: GitRepository, heads: readonly string[], page: number) => {
    const key = `graph:${git.id}:${page}:${heads.join()}`;
    return (await cache.load(
      key,
      async () => {
        // A branch that leads to nothing must not hide the others.
        const types = await Promise.all(heads.map((oid) => withoutCorruptObjects(git.info(oid), undefined)));
        const there = heads.filter((_, index) => types[index]?.type === 'commit');
        if (there.length === 0) throw NotFound('commit');
        const text = await git.run([
          'rev-list',
          '--topo-order',
          '--parents',
          `--max-count=${perPage + 1}`,
          `--skip=${(page - 1) * perPage}`,
          ...there,
          '--',
        ]);
        return text
          .split('\n')
          .filter(Boolean)
          .map((line) => line.split(' '))
          .map(([oid, ...parents]) => ({ oid: oid!, parents }));
      },
      { size: (list) => (list as unknown[]).length * 120 },
    )) as { oid: string; parents: string[] }[];
  };

  const show = (path: string) =>
    defineRoute({
      method: 'GET' as const,
      path,
      surface: 'page' as const,
      access: pageAccess,
      async handler(context) {
        const { repository } = context.resource;
        const git = reader.open(repository.id);
        const branches = await git.branches();
        const first = (await git.branch(repository.defaultBranch)) ?? branches[0];
        if (!first) throw NotFound(t.later('error.empty'));
        const rest = context.params.rest as string | undefined;
        const view = rest
          ? await openView(services, context, rest)
          : viewOf(services, context, { kind: 'branch', name: first.name, commit: first.oid });
        const heads = rest
          ? [view.revision.commit]
          : [first.oid, ...branches.slice(0, maxBranches).map((ref) => ref.oid)].filter(
              (oid, index, all) => all.indexOf(oid) === index,
            );
        const { page } = context.page;
        const listed = await order(git, heads, page);
        const rows = layOutGraph(listed.slice(0, perPage));
        const commits = await git.commits(rows.map((row) => row.oid));
        const byOid = new Map(commits.map((commit) => [commit.oid, commit]));
        const authors = await views.authors(commits);
        const names = new Map<string, Ref[]>();
        for (const ref of [first, ...branches.filter((one) => one.name !== first.name)])
          names.set(ref.oid, [...(names.get(ref.oid) ?? []), ref]);
        return pages.page(pageContextOf(context), 'code', {
          title: t.later('graph.title'),
          islands: ['lines', 'shortcuts', 'filter'],
          body: (
            <CodeBody find={at(view, 'find', '')}>
              <Toolbar view={view} isOne={rest !== undefined} />
              <div class="Box d-flex code-scroll code-graph">
                <Drawing rows={rows} />
                <ol class="list-style-none flex-auto min-width-0">
                  {rows.map((row) => (
                    <Row
                      view={view}
                      commit={byOid.get(row.oid)}
                      row={row}
                      names={names.get(row.oid) ?? []}
                      author={
                        <CommitAuthor
                          account={authors.get((byOid.get(row.oid)?.author.email ?? '').toLowerCase())}
                          name={byOid.get(row.oid)?.author.name ?? ''}
                          path={site.path}
                          avatarUrl={views.avatarUrl}
                        />
                      }
                    />
                  ))}
                </ol>
              </div>
              <OlderNewer page={page} more={listed.length > perPage} href={(to) => `?page=${to}`} />
            </CodeBody>
          ),
        });
      },
    });
  return [show('/{owner}/{repo}/graph'), show('/{owner}/{repo}/graph/{rest*}')];
}

function Toolbar({ view, isOne }: { view: RevisionView; isOne: boolean }): VNode {
  return (
    <div class="code-row mb-3">
      <Switcher view={view} word="graph" />
      <h2 class="f3">{isOne ? t('graph.of', { name: view.revision.name }) : t('graph.all')}</h2>
      <span class="flex-auto" />
      {isOne ? (
        <a class="btn btn-sm" href={`${view.repositoryPath}/graph`}>
          {icon('git-branch')} {t('graph.showAll')}
        </a>
      ) : null}
      <a class="btn btn-sm" href={at(view, 'commits', '')}>
        {icon('history')} {t('graph.list')}
      </a>
    </div>
  );
}

function Row({
  view,
  commit,
  row,
  names,
  author,
}: {
  view: RevisionView;
  commit: Commit | undefined;
  row: GraphRow;
  names: readonly Ref[];
  author: VNode;
}): VNode {
  return (
    <li class="graph-row f6 px-2">
      <a class="text-mono" href={`${view.repositoryPath}/commit/${row.oid}`}>
        {row.oid.slice(0, 8)}
      </a>
      {names.slice(0, 3).map(({ name }) => (
        <a
          class="Label Label--accent no-wrap code-short"
          href={`${view.repositoryPath}/src/branch/${encodePath(name)}`}
        >
          {name}
        </a>
      ))}
      <span class="flex-auto code-clip">
        {commit ? (
          <a class="Link--primary row-link" href={`${view.repositoryPath}/commit/${row.oid}`}>
            {subjectOf(commit.message)}
          </a>
        ) : null}
      </span>
      <span class="color-fg-muted no-wrap d-none d-md-inline">
        {author} {commit ? <Ago time={commit.committer.time} /> : null}
      </span>
    </li>
  );
}

function Drawing({ rows }: { rows: readonly GraphRow[] }): VNode {
  const lanes = 1 + Math.max(0, ...rows.flatMap((row) => [row.lane, ...row.lines.flatMap(([from, to]) => [from, to])]));
  const width = lanes * laneWidth + 4;
  const height = rows.length * rowHeight;
  const path = (row: number, from: number, to: number) =>
    from === to
      ? `M${x(from)} ${y(row)}V${y(row + 1)}`
      : `M${x(from)} ${y(row)}C${x(from)} ${y(row) + rowHeight * 0.7} ${x(to)} ${y(row) + rowHeight * 0.3} ${x(to)} ${y(row + 1)}`;
  return (
    <svg
      class="flex-shrink-0"
      width={width}
      height={height}
      viewBox={`0 0 ${width} ${height}`}
      role="img"
      aria-label={t('graph.drawing')}
    >
      <g fill="none" stroke-width="2">
        {rows.flatMap((row, index) =>
          row.lines.map(([from, to, color]) => <path d={path(index, from, to)} stroke={hue(color)} />),
        )}
      </g>
      {rows.map((row, index) => (
        <circle cx={x(row.lane)} cy={y(index)} r={row.parents.length > 1 ? 3 : 4} fill={hue(row.color)} />
      ))}
    </svg>
  );
}
