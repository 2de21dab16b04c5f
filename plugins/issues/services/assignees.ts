import { Forbidden, Invalid, type Actor, type Database } from '@mortise/plugin-sdk';
import type { Account, Accounts } from '@mortise/accounts/api';
import type { Repository, RepositoryAccess, RepositoryMembers } from '@mortise/repositories/api';
import type { Issue } from '../api.js';
import { AssigneeRow } from '../models/assignee.js';
import type { TimelineService } from './timeline.js';
import { t } from '../texts/index.js';

/** Where somebody is to be assigned, and by whom. */
interface AssignmentPlace {
  readonly repository: Repository;
  readonly isPull: boolean;
  readonly actor: Pick<Actor, 'id'>;
}

/** Whom issues are given to. */
export class AssigneeService {
  constructor(
    private readonly deps: {
      readonly database: Database;
      readonly accounts: Accounts;
      readonly repositoryMembers: RepositoryMembers;
      readonly repositoryAccess: RepositoryAccess;
      readonly timeline: TimelineService;
    },
  ) {}

  /**
   * The accounts of these names; Invalid for one that does not exist or cannot be assigned, Forbidden for one where a block
   * is in the way. `known` are assigned already, and may stay.
   */
  async accountsOf(
    { repository, isPull, actor }: AssignmentPlace,
    names: readonly string[],
    known: ReadonlySet<number> = new Set(),
  ): Promise<Account[]> {
    const wanted = [...new Set(names.map((name) => name.trim().toLowerCase()).filter(Boolean))];
    if (wanted.length === 0) return [];
    const accountsByName = await this.deps.accounts.byNames(wanted);
    const others = [...accountsByName.values()].filter(({ id }) => !known.has(id));
    const able = await this.#ableAmong(repository, isPull, others);
    const blocked = await this.#blockedAmong(repository, others, actor);
    return wanted.map((name) => {
      const account = accountsByName.get(name);
      if (!account) throw Invalid(t.later('error.noUser', { name }));
      if (known.has(account.id)) return account;
      if (!able.has(account.id)) throw Invalid(t.later('error.notAssignable', { name }));
      if (blocked.has(account.id)) throw Forbidden(t.later('error.notAssignable', { name }));
      return account;
    });
  }

  /** Those who may write; for an issue of a public repository all who may read it. */
  async #ableAmong(repository: Repository, isPull: boolean, accounts: readonly Account[]): Promise<Set<number>> {
    const { repositoryAccess, repositoryMembers } = this.deps;
    if (accounts.length === 0) return new Set();
    const writers = new Set(await repositoryMembers.writers(repository));
    const others = accounts.filter(({ id, kind }) => kind === 'user' && !writers.has(id));
    if (isPull || repository.isPrivate || others.length === 0) return writers;
    const rights = await repositoryAccess.rightsAmong(others, repository);
    return new Set([...writers, ...others.map(({ id }) => id).filter((id) => rights.get(id)?.may('read', 'issues'))]);
  }

  /** Those who block the actor or the owner, and those whom the owner blocks. */
  async #blockedAmong(
    { ownerId }: Repository,
    accounts: readonly Account[],
    actor: AssignmentPlace['actor'],
  ): Promise<Set<number>> {
    const ids = accounts.map(({ id }) => id);
    if (ids.length === 0) return new Set();
    const service = this.deps.accounts;
    const found = await Promise.all([
      service.blockersAmong(ids, actor.id),
      service.blockersAmong(ids, ownerId),
      service.blockedAmong(ownerId, ids),
    ]);
    return new Set(found.flatMap((some) => [...some]));
  }

  /** Ids of the accounts of these names; Invalid for one that does not exist. */
  async known(names: readonly string[]): Promise<number[]> {
    const wanted = [...new Set(names.map((name) => name.trim().toLowerCase()).filter(Boolean))];
    const accountsByName = await this.deps.accounts.byNames(wanted);
    return wanted.map((name) => {
      const account = accountsByName.get(name);
      if (!account) throw Invalid(t.later('error.noUser', { name }));
      return account.id;
    });
  }

  async isAssignable(repository: Repository, isPull: boolean, account: Account): Promise<boolean> {
    return (await this.#ableAmong(repository, isPull, [account])).has(account.id);
  }

  async of({ id }: Pick<Issue, 'id'>): Promise<number[]> {
    const rows = await this.deps.database.query(AssigneeRow).where('issue_id', id).orderBy('id');
    return rows.map((row) => row.user_id);
  }

  /** In the caller's transaction; gives those who came and those who went. */
  async change(
    issue: Pick<Issue, 'id' | 'repositoryId'>,
    next: (present: readonly number[]) => readonly number[],
    actorId: number,
  ): Promise<{ added: number[]; removed: number[] }> {
    const { database, timeline } = this.deps;
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
