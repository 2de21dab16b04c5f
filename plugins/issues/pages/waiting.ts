import type { Actor } from '@mortise/plugin-sdk';
import type { WaitingList, WaitingSource } from '@mortise/accounts/api';
import { pathOf, type IssueSearch } from '../api.js';
import type { PageDeps } from './page-context.js';
import { t } from '../texts/index.js';

interface Waiting extends Omit<WaitingList, 'items' | 'total'> {
  readonly search: Pick<IssueSearch, 'isPull' | 'assigneeId' | 'filters'>;
}

/** On the dashboard: reviews that were asked for, pull requests and issues that are assigned. */
export const waitingIssues = (deps: Pick<PageDeps, 'issueServices' | 'filterTabs'>): WaitingSource => ({
  key: 'issues',
  order: 10,
  lists(actor, limit) {
    const wanted: Waiting[] = [
      ...deps.filterTabs
        .list()
        .filter(({ pullTab, isWaiting }) => pullTab && isWaiting)
        .map(({ key, pullTab }) => ({
          label: pullTab!,
          icon: 'eye',
          path: `/pulls?view=${key}`,
          search: { isPull: true, filters: { [key]: actor.id } },
        })),
      {
        label: t.later('waiting.pulls'),
        icon: 'git-pull-request',
        path: '/pulls?view=assigned',
        search: { isPull: true, assigneeId: actor.id },
      },
      {
        label: t.later('waiting.issues'),
        icon: 'issue-opened',
        path: '/issues?view=assigned',
        search: { isPull: false, assigneeId: actor.id },
      },
    ];
    return Promise.all(wanted.map((one) => readList(deps, one, actor, limit)));
  },
});

async function readList(
  { issueServices: { reader, deps } }: Pick<PageDeps, 'issueServices'>,
  { search, ...list }: Waiting,
  actor: Actor,
  limit: number,
): Promise<WaitingList> {
  const { items, total } = await reader.search(
    { ...search, isClosed: false, sort: 'recentupdate', limit, offset: 0 },
    actor,
  );
  const repositories = await deps.repositories.byIds([...new Set(items.map(({ repositoryId }) => repositoryId))]);
  return {
    ...list,
    total,
    items: items.flatMap((issue) => {
      const repository = repositories.get(issue.repositoryId);
      if (!repository) return [];
      const name = `${repository.ownerName}/${repository.name}`;
      return [{ path: `/${name}/${pathOf(issue)}`, title: issue.title, where: `${name}#${issue.index}` }];
    }),
  };
}
