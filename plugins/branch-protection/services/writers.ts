import { Invalid } from '@mortise/plugin-sdk';
import type { Accounts } from '@mortise/accounts/api';
import type { Repository, RepositoryAccess } from '@mortise/repositories/api';
import type { BranchProtection } from '../api.js';
import type { RuleChanges } from './branch-rules.js';
import { listFields, type ListField } from './fields.js';
import { settled } from './settled.js';
import { t } from '../texts/index.js';

/** Lists that only help people who may write. */
const forWriters = listFields.filter(({ column }) => column !== 'approvals_list');

const same = (one: readonly number[], other: readonly number[]) =>
  one.length === other.length && one.every((id) => other.includes(id));

/** Keeps people who may not write from lists that change; a list that stays keeps whoever lost the permission. */
export class Writers {
  constructor(private readonly deps: { readonly accounts: Accounts; readonly repositoryAccess: RepositoryAccess }) {}

  /** What clients of the REST surface get of wished changes: whoever may not write is left out. */
  async settled(repository: Repository, changes: RuleChanges, before?: BranchProtection): Promise<RuleChanges> {
    return (await this.#parted(repository, changes, before)).kept;
  }

  /** The same for people, who are told: Invalid with the names that would be left out. */
  async checked(repository: Repository, changes: RuleChanges, before?: BranchProtection): Promise<RuleChanges> {
    const { kept, left } = await this.#parted(repository, changes, before);
    if (left.length) throw Invalid(t.later('error.noWriters', { names: left.sort().join(', ') }));
    return kept;
  }

  async #parted(repository: Repository, changes: RuleChanges, before?: BranchProtection) {
    const kept: RuleChanges = settled(changes, before);
    const { accounts, repositoryAccess } = this.deps;
    const named = forWriters.filter(({ column }) => kept[column]?.users.length);
    if (named.length === 0) return { kept, left: [] };
    const usersBefore = (list: ListField) => before?.[list.property].users ?? [];
    const there = await accounts.byIds(named.flatMap((list) => [...kept[list.column]!.users, ...usersBefore(list)]));
    // whoever is gone was on the list before, and nobody could name them again
    const lists = named.filter(
      (list) =>
        !same(
          kept[list.column]!.users,
          usersBefore(list).filter((id) => there.has(id)),
        ),
    );
    const ids = new Set(lists.flatMap(({ column }) => kept[column]!.users));
    const left: string[] = [];
    for (const account of there.values()) {
      if (!ids.has(account.id)) continue;
      const rights = (await repositoryAccess.rightsOf(account, [repository])).get(repository.id);
      if (rights?.may('write', 'code')) continue;
      left.push(account.name);
      ids.delete(account.id);
    }
    for (const { column } of lists) {
      const given = kept[column]!;
      kept[column] = { ...given, users: given.users.filter((id) => ids.has(id)) };
    }
    return { kept, left };
  }
}
