import { Invalid, type Database } from '@mortise/plugin-sdk';
import type { Account, Accounts } from '@mortise/accounts/api';
import type { Repository, RepositoryMembers } from '@mortise/repositories/api';
import type { Issue } from '../api.js';
import { AssigneeRow } from '../models/people.js';
import type { TimelineService } from './timeline.js';
import { t } from '../texts/index.js';

/** Whom issues are given to. */
export class AssigneeService {
  constructor(
    private readonly parts: {
      readonly database: Database;
      readonly accounts: Accounts;
      readonly repositoryMembers: RepositoryMembers;
      readonly timeline: TimelineService;
    },
  ) {}

  /** The accounts of these names; Invalid for one that does not exist, or cannot be assigned unless `known` has it. */
  async accountsOf(
    repository: Repository,
    names: readonly string[],
    known: ReadonlySet<number> = new Set(),
  ): Promise<Account[]> {
    const wanted = [...new Set(names.map((name) => name.trim().toLowerCase()).filter(Boolean))];
    if (wanted.length === 0) return [];
    const { accounts, repositoryMembers } = this.parts;
    const found = await accounts.byNames(wanted);
    const able = new Set(await repositoryMembers.writers(repository));
    return wanted.map((name) => {
      const account = found.get(name);
      if (!account) throw Invalid(t.later('error.noUser', { name }));
      if (!able.has(account.id) && !known.has(account.id)) throw Invalid(t.later('error.notAssignable', { name }));
      return account;
    });
  }

  /** Ids of the accounts of these names; Invalid for one that does not exist. */
  async known(names: readonly string[]): Promise<number[]> {
    const wanted = [...new Set(names.map((name) => name.trim().toLowerCase()).filter(Boolean))];
    const found = await this.parts.accounts.byNames(wanted);
    return wanted.map((name) => {
      const account = found.get(name);
      if (!account) throw Invalid(t.later('error.noUser', { name }));
      return account.id;
    });
  }

  async isAssignable(repository: Repository, account: Account): Promise<boolean> {
    return (await this.parts.repositoryMembers.writers(repository)).includes(account.id);
  }

  async of({ id }: Pick<Issue, 'id'>): Promise<number[]> {
    const rows = await this.parts.database.query(AssigneeRow).where('issue_id', id).orderBy('id');
    return rows.map((row) => row.user_id);
  }

  /** In the caller's transaction; gives those who came and those who went. */
  async change(
    issue: Pick<Issue, 'id' | 'repositoryId'>,
    next: (present: readonly number[]) => readonly number[],
    actorId: number,
  ): Promise<{ added: number[]; removed: number[] }> {
    const { database, timeline } = this.parts;
    const present = await this.of(issue);
    const wanted = [...new Set(next(present))];
    const removed = present.filter((id) => !wanted.includes(id));
    const added = wanted.filter((id) => !present.includes(id));
    if (removed.length)
      await database.query(AssigneeRow).delete().where('issue_id', issue.id).whereIn('user_id', removed);
    for (const userId of added) await database.query(AssigneeRow).insert({ issue_id: issue.id, user_id: userId });
    for (const userId of removed)
      await timeline.record({ issue, kind: 'assignees', actorId, subjectId: userId, data: { removed: true } });
    for (const userId of added) await timeline.record({ issue, kind: 'assignees', actorId, subjectId: userId });
    return { added, removed };
  }
}
