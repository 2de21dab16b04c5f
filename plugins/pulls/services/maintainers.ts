import type { Database } from '@mortise/plugin-sdk';
import type { Accounts } from '@mortise/accounts/api';
import type { BranchWriters, Repositories, RepositoryAccess } from '@mortise/repositories/api';
import { PullRow } from '../models/pull.js';

const maxPulls = 200;

/** From the joined table. */
const posterOf = (row: PullRow): number => (row as PullRow & { readonly poster_id: number }).poster_id;

/**
 * Those who may write to the base may push to the heads of open pull requests that let them, as long as whoever opened it
 * may push there: nobody gives away what is not theirs.
 */
export const maintainersOf = ({
  database,
  accounts,
  repositories,
  repositoryAccess,
}: {
  readonly database: Database;
  readonly accounts: Accounts;
  readonly repositories: Repositories;
  readonly repositoryAccess: RepositoryAccess;
}): BranchWriters => ({
  key: 'pulls',
  async branches(actor, repository) {
    const rows = await database
      .query(PullRow)
      .join('issue', 'issue.id', 'pull_request.issue_id')
      .select('pull_request.repository_id', 'pull_request.head_branch', 'issue.poster_id')
      .where({ head_repository_id: repository.id, flow: 'branch', is_open: true, allow_maintainer_edit: true })
      .whereNot('pull_request.repository_id', repository.id)
      .limit(maxPulls);
    if (!rows.length) return [];
    const bases = await repositories.byIds(rows.map((row) => row.repository_id));
    const rights = await repositoryAccess.contexts(actor, [...bases.values()]);
    const open = rows.filter((row) => rights.get(row.repository_id)?.may('write', 'code'));
    const posters = await accounts.byIds(open.map((row) => posterOf(row)));
    const letting = new Set<number>();
    for (const [id, poster] of posters) {
      const own = (await repositoryAccess.rightsOf(poster, [repository])).get(repository.id);
      if (!accounts.refusal(poster) && own?.may('write', 'code')) letting.add(id);
    }
    return open.flatMap((row) => (letting.has(posterOf(row)) ? [row.head_branch] : []));
  },
});
