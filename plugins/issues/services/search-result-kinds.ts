import { pageOf, type Database, type Site, type Text } from '@mortise/plugin-sdk';
import type { Accounts } from '@mortise/accounts/api';
import { repositoryHome, type Repositories, type Repository } from '@mortise/repositories/api';
import { excerptOf, type SearchIndex, type SearchKind } from '@mortise/search/api';
import { pathOf, type Issue } from '../api.js';
import { TimelineRow } from '../models/timeline.js';
import { issueCodeSubject, issueSubject } from './text-search.js';
import type { IssueReader } from './issue-reader.js';
import { t } from '../texts/index.js';

interface Deps {
  readonly accounts: Pick<Accounts, 'byName'>;
  readonly database: Database;
  readonly reader: IssueReader;
  readonly repositories: Repositories;
  readonly search: SearchIndex;
  readonly site: Site;
}

const homesOf = (repositories: Repositories, issues: Iterable<Issue>): Promise<Map<number, Repository>> =>
  repositories.byIds([...new Set([...issues].map(({ repositoryId }) => repositoryId))]);

function hitOf(site: Site, repository: Repository, issue: Issue) {
  const repositoryPath = repositoryHome(site, repository);
  const { isPull, isClosed, index } = issue;
  const icon = isPull ? 'git-pull-request' : isClosed ? 'issue-closed' : 'issue-opened';
  return {
    href: `${repositoryPath}/${pathOf(issue)}`,
    title: `${issue.title} #${index}`,
    icon,
    iconLabel: t.later(isClosed ? 'state.closed' : 'state.open'),
    tone: isClosed ? ('done' as const) : ('open' as const),
    location: { label: `${repository.ownerName}/${repository.name}`, href: repositoryPath },
  };
}

/** Issues or pull requests, the one last updated first. */
export const issueKindOf = (
  { accounts, reader, repositories, site }: Pick<Deps, 'accounts' | 'reader' | 'repositories' | 'site'>,
  kind: Pick<SearchKind, 'key' | 'icon' | 'order'> & { readonly label: Text; readonly isPull: boolean },
): SearchKind => ({
  ...kind,
  filters: [
    {
      key: 'state',
      label: t.later('search.state'),
      options: [
        { value: 'open', label: t.later('state.open') },
        { value: 'closed', label: t.later('state.closed') },
      ],
    },
    { key: 'owner', label: t.later('search.owner') },
    { key: 'author', label: t.later('search.author') },
  ],
  async search({ text, actor, filters: { state, owner, author }, limit, offset }) {
    const [owning, writing] = await Promise.all(
      [owner, author].map(async (name) => (name ? await accounts.byName(name) : undefined)),
    );
    if ((owner && !owning) || (author && !writing)) return { items: [], total: 0 };
    const { items, total } = await reader.search(
      {
        text,
        isPull: kind.isPull,
        ...(state && { isClosed: state === 'closed' }),
        ...(owning && { ownerId: owning.id }),
        ...(writing && { posterId: writing.id }),
        sort: 'recentupdate',
        limit,
        offset,
      },
      actor,
    );
    const repositoriesById = await homesOf(repositories, items);
    return {
      total,
      items: items.flatMap((issue) => {
        const repository = repositoriesById.get(issue.repositoryId);
        if (!repository) return [];
        return [{ ...hitOf(site, repository, issue), excerpt: excerptOf(issue.body, text), at: issue.updatedAt }];
      }),
    };
  },
});

/** Comments, the newest first. */
export const commentKindOf = ({
  database,
  reader,
  repositories,
  search,
  site,
  textsOf,
}: Omit<Deps, 'accounts'> & {
  /** What can be found of entries, by their ids. */
  textsOf(rows: readonly TimelineRow[]): Promise<ReadonlyMap<number, string>>;
}): SearchKind => ({
  key: 'comments',
  label: t.later('search.comments'),
  icon: 'comment',
  order: 40,
  async search({ text, actor, limit, offset }) {
    const asked = { kind: 'comment', text, among: reader.filters.textsReadable(actor) };
    const ids = await search.findDocuments({ ...asked, subjectType: issueSubject });
    const aboutCode = await search.findDocuments({ ...asked, subjectType: issueCodeSubject });
    const query = database
      .query(TimelineRow)
      .where((any) => {
        void any.whereRaw(`timeline_entry.id in (${ids.join(', ') || 'null'})`);
        if (aboutCode.length)
          void any.orWhere(
            (code) =>
              void code
                .whereRaw(`timeline_entry.id in (${aboutCode.join(', ')})`)
                .whereIn('timeline_entry.repository_id', reader.filters.codeReadable(actor)),
          );
      })
      .whereIn('timeline_entry.issue_id', reader.filters.readable(actor));
    const { rows, total } = await pageOf(query.orderBy('timeline_entry.id', 'desc'), { limit, offset });
    const [issues, texts] = [await reader.byIds(rows.map((row) => row.issue_id)), await textsOf(rows)];
    const repositoriesById = await homesOf(repositories, issues.values());
    return {
      total,
      items: rows.flatMap((row) => {
        const issue = issues.get(row.issue_id);
        const repository = issue && repositoriesById.get(issue.repositoryId);
        if (!repository) return [];
        const hit = hitOf(site, repository, issue);
        return [
          {
            ...hit,
            href: `${hit.href}#issuecomment-${row.id}`,
            icon: 'comment',
            iconLabel: undefined,
            tone: 'muted' as const,
            excerpt: excerptOf(texts.get(row.id) ?? '', text),
            at: row.created_at,
          },
        ];
      }),
    };
  },
});
