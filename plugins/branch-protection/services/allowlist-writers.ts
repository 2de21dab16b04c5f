import { Invalid } from '@mortise/plugin-sdk';
import type { Accounts } from '@mortise/accounts/api';
import type { Repository, RepositoryAccess } from '@mortise/repositories/api';
import type { BranchProtection } from '../contract/branch-protection.js';
import type { RuleChanges } from './branch-rules.js';
import { listFields, type ListField } from './rule-fields.js';
import { resolvedChanges } from './resolved-changes.js';
import { t } from '../texts/index.js';

/** Allowlists that have an effect only for users with write access. */
const writerLists = listFields.filter(({ column }) => column !== 'approvals_list');

const same = (one: readonly number[], other: readonly number[]) =>
  one.length === other.length && one.every((id) => other.includes(id));

/** Removes users without write access from allowlists that change; unchanged lists keep users who lost it. */
export class AllowlistWriters {
  constructor(private readonly deps: { readonly accounts: Accounts; readonly repositoryAccess: RepositoryAccess }) {}

  /** For the REST API: changes without users who may not write. */
  async withoutReaders(repository: Repository, changes: RuleChanges, before?: BranchProtection): Promise<RuleChanges> {
    return (await this.#splitReaders(repository, changes, before)).kept;
  }

  /** For forms: Invalid with the names of users who may not write. */
  async checkWriters(repository: Repository, changes: RuleChanges, before?: BranchProtection): Promise<RuleChanges> {
    const { kept: resolved, left: removed } = await this.#splitReaders(repository, changes, before);
    if (removed.length) throw Invalid(t.later('error.noWriters', { names: removed.sort().join(', ') }));
    return resolved;
  }

  async #splitReaders(repository: Repository, changes: RuleChanges, before?: BranchProtection) {
    const resolved: RuleChanges = resolvedChanges(changes, before);
    const { accounts, repositoryAccess } = this.deps;
    const named = writerLists.filter(({ column }) => resolved[column]?.users.length);
    if (named.length === 0) return { kept: resolved, left: [] };
    const usersBefore = (list: ListField) => before?.[list.property].users ?? [];
    const accountsById = await accounts.byIds(
      named.flatMap((list) => [...resolved[list.column]!.users, ...usersBefore(list)]),
    );
    // deleted users may stay on the list: they can no longer be named
    const lists = named.filter(
      (list) =>
        !same(
          resolved[list.column]!.users,
          usersBefore(list).filter((id) => accountsById.has(id)),
        ),
    );
    const ids = new Set(lists.flatMap(({ column }) => resolved[column]!.users));
    const removed: string[] = [];
    for (const account of accountsById.values()) {
      if (!ids.has(account.id)) continue;
      const rights = (await repositoryAccess.rightsOf(account, [repository])).get(repository.id);
      if (rights?.may('write', 'code')) continue;
      removed.push(account.name);
      ids.delete(account.id);
    }
    for (const { column } of lists) {
      const given = resolved[column]!;
      resolved[column] = { ...given, users: given.users.filter((id) => ids.has(id)) };
    }
    return { kept: resolved, left: removed };
  }
}
