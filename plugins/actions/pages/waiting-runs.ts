import type { WaitingSource } from '@mortise/accounts/api';
import type { Repositories } from '@mortise/repositories/api';
import type { RunQueries } from '../services/runs/run-queries.js';
import { t } from '../texts/index.js';

/** Older ones are looked at by nobody. */
const recentMs = 7 * 86_400_000;

/** On the dashboard: runs that the user started and that failed, as long as nothing has run there since. */
export const waitingRuns = ({
  queries,
  repositories,
}: {
  readonly queries: RunQueries;
  readonly repositories: Repositories;
}): WaitingSource => ({
  key: 'actions',
  order: 20,
  async lists(actor, limit) {
    const { rows, total } = await queries.failedOf(actor, { since: Date.now() - recentMs, limit });
    const byId = await repositories.byIds([...new Set(rows.map((row) => row.repository_id))]);
    const items = rows.flatMap((row) => {
      const repository = byId.get(row.repository_id);
      if (!repository) return [];
      const name = `${repository.ownerName}/${repository.name}`;
      return [{ path: `/${name}/actions/runs/${row.id}`, title: row.title, where: `${name} · ${row.workflow_name}` }];
    });
    return [{ label: t.later('waiting.failed'), icon: 'x-circle', items, total }];
  },
});
