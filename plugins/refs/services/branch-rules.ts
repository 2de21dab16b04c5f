import type { Actor, PointReader } from '@mortise/plugin-sdk';
import type { RepositoryContext } from '@mortise/repositories/api';
import type { BranchRule, BranchRules } from '../api.js';

/** Rules of branches from all plugins that know any; of several for one branch the first counts. */
export class BranchRuleRegistry {
  constructor(private readonly sources: PointReader<BranchRules>) {}

  async rules(
    context: RepositoryContext,
    actor: Actor,
    branches: readonly string[],
  ): Promise<ReadonlyMap<string, BranchRule>> {
    if (branches.length === 0 || this.sources.list().length === 0) return new Map();
    const found = await Promise.all(this.sources.list().map((source) => source.rules(context, actor, branches)));
    return new Map(found.reverse().flatMap((rules) => [...rules]));
  }
}
