import type { Accounts } from '@mortise/accounts/api';
import type { Repository, RepositoryAccess } from '@mortise/repositories/api';
import type { BranchProtection } from '../api.js';
import type { List } from '../models/protections.js';
import type { RuleChanges } from './branch-rules.js';
import { settled } from './settled.js';

/** Lists that only help people who may write. */
const forWriters: readonly List[] = ['push_list', 'force_push_list', 'merge_list', 'bypass_list'];

/** Leaves out of new lists whoever could not use their place on it. */
export class Writers {
  constructor(private readonly parts: { readonly accounts: Accounts; readonly repositoryAccess: RepositoryAccess }) {}

  /** What is stored of wished changes; `before` is the rule that is changed. */
  async settled(repository: Repository, changes: RuleChanges, before?: BranchProtection): Promise<RuleChanges> {
    const found = settled(changes, before);
    const ids = new Set(forWriters.flatMap((list) => found[list]?.users ?? []));
    if (ids.size === 0) return found;
    const { accounts, repositoryAccess } = this.parts;
    const writers = new Set<number>();
    for (const account of (await accounts.byIds([...ids])).values()) {
      const context = await repositoryAccess.context(accounts.actorOf(account, 'branch-protection'), repository);
      if (context.may('write', 'code')) writers.add(account.id);
    }
    for (const list of forWriters) {
      const given = found[list];
      if (given) found[list] = { ...given, users: given.users.filter((id) => writers.has(id)) };
    }
    return found;
  }
}
