import {
  actAudited,
  Forbidden,
  NotFound,
  type Cache,
  type Database,
  type Events,
  type QueryCache,
  type Locks,
} from '@mortise/plugin-sdk';
import { isRefName } from '@mortise/git/api';
import { branchRulesChanged, type BranchProtections, type ProtectionRule } from '../api.js';
import type { BranchProtection } from '../contract/branch-protection.js';
import {
  BranchProtectionRow,
  emptyColumns,
  lists,
  protectionOf,
  type RuleColumns,
} from '../models/branch-protection.js';
import type { Membership } from './membership.js';
import type { RuleOptions } from './rule-options.js';
import { checkFilePatterns, checkRuleName, type Patterns } from './patterns.js';
import { ruleOf } from './protection-rule.js';
import { t } from '../texts/index.js';

interface BranchRuleDeps {
  readonly database: Database;
  readonly events: Events;
  readonly locks: Locks;
  readonly cache: Cache;
  readonly patterns: Patterns;
  readonly membership: Membership;
  readonly options: RuleOptions;
}

export type RuleChanges = Partial<Omit<RuleColumns, 'rule_name'>>;

/** Branch rules: stores and orders them, and finds the one that applies to a branch. */
export class BranchRuleService implements BranchProtections {
  readonly #rules: QueryCache<readonly ProtectionRule[]>;

  constructor(private readonly deps: BranchRuleDeps) {
    this.#rules = deps.cache.query('branch-protection.rules');
  }

  list(repositoryId: number): Promise<readonly ProtectionRule[]> {
    return this.#rules.load(String(repositoryId), async () => {
      const { database, patterns, membership, options } = this.deps;
      const rows = await database
        .query(BranchProtectionRow)
        .where('repository_id', repositoryId)
        .orderBy([{ column: 'priority' }, { column: 'id' }]);
      return rows.map((row) => {
        const stored = protectionOf(row);
        return ruleOf({ ...stored, options: options.of(stored.options) }, patterns, membership);
      });
    });
  }

  async ruleFor(repositoryId: number, branch: string): Promise<ProtectionRule | undefined> {
    return (await this.list(repositoryId)).find((rule) => this.deps.patterns.branch(rule.ruleName).matches(branch));
  }

  async rulesFor(repositoryId: number, branches: readonly string[]): Promise<ReadonlyMap<string, ProtectionRule>> {
    const rules = await this.list(repositoryId);
    const ruleByBranch = new Map<string, ProtectionRule>();
    for (const branch of rules.length > 0 ? branches : []) {
      const rule = rules.find((one) => this.deps.patterns.branch(one.ruleName).matches(branch));
      if (rule) ruleByBranch.set(branch, rule);
    }
    return ruleByBranch;
  }

  async byName(repositoryId: number, ruleName: string): Promise<BranchProtection> {
    const matchingRule = (await this.list(repositoryId)).find((rule) => rule.ruleName === ruleName);
    if (!matchingRule) throw NotFound(t.later('error.missing'));
    return matchingRule;
  }

  async byId(repositoryId: number, id: number): Promise<BranchProtection> {
    const matchingRule = (await this.list(repositoryId)).find((rule) => rule.id === id);
    if (!matchingRule) throw NotFound(t.later('error.missing'));
    return matchingRule;
  }

  async create(repositoryId: number, ruleName: string, changes: RuleChanges): Promise<BranchProtection> {
    checkRuleName(ruleName, isRefName);
    checkFields(changes);
    return this.#exclusive(repositoryId, async () => {
      const { database } = this.deps;
      const there = await database
        .query(BranchProtectionRow)
        .findOne({ repository_id: repositoryId, rule_name: ruleName });
      if (there) throw taken(ruleName);
      const now = Date.now();
      const row = await database.query(BranchProtectionRow).insertAndFetch({
        ...emptyColumns(),
        ...changes,
        repository_id: repositoryId,
        rule_name: ruleName,
        priority: changes.priority && changes.priority > 0 ? changes.priority : (await this.#last(repositoryId)) + 1,
        created_at: now,
        updated_at: now,
      });
      await this.#audit('create', row);
      return protectionOf(row);
    });
  }

  /** `ruleName` gives the rule another name. */
  async edit(protection: BranchProtection, changes: RuleChanges, ruleName?: string): Promise<BranchProtection> {
    checkFields(changes);
    if (ruleName !== undefined) checkRuleName(ruleName, isRefName);
    return this.#exclusive(protection.repositoryId, async () => {
      const { database } = this.deps;
      if (ruleName !== undefined && ruleName !== protection.ruleName) {
        const where = { repository_id: protection.repositoryId, rule_name: ruleName };
        if (await database.query(BranchProtectionRow).findOne(where)) throw taken(ruleName);
      }
      const row = await database.query(BranchProtectionRow).patchAndFetchById(protection.id, {
        ...changes,
        ...(ruleName === undefined ? {} : { rule_name: ruleName }),
        updated_at: Date.now(),
      });
      if (!row) throw NotFound(t.later('error.missing'));
      await this.#audit('edit', row, [...Object.keys(changes), ...(ruleName === undefined ? [] : ['rule_name'])]);
      return protectionOf(row);
    });
  }

  async delete(protection: BranchProtection): Promise<void> {
    const { database, events } = this.deps;
    await database.write(async () => {
      const gone = await database.query(BranchProtectionRow).deleteById(protection.id);
      if (gone === 0) throw NotFound(t.later('error.missing'));
      await events.emit(branchRulesChanged, { repositoryId: protection.repositoryId });
      const { id, repositoryId, ruleName } = protection;
      await this.#audit('delete', { id, repository_id: repositoryId, rule_name: ruleName });
    });
  }

  #audit(
    verb: 'create' | 'edit' | 'delete',
    row: Pick<BranchProtectionRow, 'id' | 'repository_id' | 'rule_name'>,
    changed: readonly string[] = [],
  ): Promise<void> {
    return this.deps.events.emit(actAudited, {
      action: `branch_protection.${verb}`,
      target: { kind: 'branch_protection', id: row.id, name: row.rule_name },
      repositoryId: row.repository_id,
      details: { ...(changed.length > 0 && { changed }) },
    });
  }

  /** Puts the rules in this order; those that are not named follow as they were. */
  async order(repositoryId: number, ids: readonly number[]): Promise<void> {
    if (ids.length === 0) return;
    await this.#reorder(repositoryId, (present) => {
      const named = new Set(ids);
      const unknown = ids.find((id) => !present.includes(id));
      if (unknown !== undefined) throw NotFound(t.later('error.missing'));
      return [...named, ...present.filter((id) => !named.has(id))];
    });
  }

  /** Lets a rule and its neighbour change places; the first one cannot go up, nor the last one down. */
  async move(repositoryId: number, id: number, to: 'up' | 'down'): Promise<void> {
    await this.#reorder(repositoryId, (present) => {
      const position = present.indexOf(id);
      if (position < 0) throw NotFound(t.later('error.missing'));
      const other = to === 'up' ? position - 1 : position + 1;
      return present.map((one, at) => (at === position ? (present[other] ?? one) : at === other ? id : one));
    });
  }

  /** `arrange` gets the rules in the order in which they count, and gives the new one; all of it or nothing. */
  async #reorder(repositoryId: number, arrange: (ids: readonly number[]) => readonly number[]): Promise<void> {
    await this.#exclusive(repositoryId, async () => {
      const { database } = this.deps;
      const rows = await database
        .query(BranchProtectionRow)
        .where('repository_id', repositoryId)
        .orderBy([{ column: 'priority' }, { column: 'id' }]);
      const priorities = new Map(rows.map(({ id, priority }) => [id, priority]));
      const now = Date.now();
      for (const [index, id] of arrange(rows.map((row) => row.id)).entries()) {
        if (priorities.get(id) === index + 1) continue;
        await database
          .query(BranchProtectionRow)
          .findById(id)
          .patch({ priority: index + 1, updated_at: now });
      }
    });
  }

  /** A rule by the branch's own name goes with it; where the new name has one, that one stays. */
  async followRename(repositoryId: number, from: string, to: string): Promise<void> {
    const { database } = this.deps;
    const row = await database.query(BranchProtectionRow).findOne({ repository_id: repositoryId, rule_name: from });
    if (!row) return;
    const nameTaken = await database.query(BranchProtectionRow).findOne({ repository_id: repositoryId, rule_name: to });
    if (nameTaken) await database.query(BranchProtectionRow).deleteById(row.id);
    else await database.query(BranchProtectionRow).findById(row.id).patch({ rule_name: to, updated_at: Date.now() });
  }

  /** Gives a new repository the rules of its template; within the transaction that makes it. Teams stay behind. */
  async copy(from: number, to: number): Promise<void> {
    const { database } = this.deps;
    const rows = await database.query(BranchProtectionRow).where('repository_id', from).orderBy('id');
    const now = Date.now();
    for (const row of rows) {
      const { id: _id, ...columns } = row.toJSON() as BranchProtectionRow;
      for (const list of lists) columns[list] = { users: columns[list].users, teams: [] };
      await database
        .query(BranchProtectionRow)
        .insert({ ...columns, repository_id: to, created_at: now, updated_at: now });
    }
  }

  async #last(repositoryId: number): Promise<number> {
    const row = await this.deps.database
      .query(BranchProtectionRow)
      .where('repository_id', repositoryId)
      .orderBy('priority', 'desc')
      .first();
    return row?.priority ?? 0;
  }

  /** One change of a repository's rules at a time, so that names and places in the order stay unique. */
  #exclusive<T>(repositoryId: number, work: () => Promise<T>): Promise<T> {
    const { database, events, locks } = this.deps;
    return locks.hold(`branch-protection:${repositoryId}`, (lock) =>
      database.write(async () => {
        const result = await work();
        await events.emit(branchRulesChanged, { repositoryId });
        await lock.check();
        return result;
      }),
    );
  }
}

const taken = (name: string) => {
  const text = t.later('error.nameTaken', { name });
  return Forbidden(text, { inputs: { rule_name: text } });
};

function checkFields(changes: RuleChanges): void {
  if (changes.protected_file_patterns) checkFilePatterns(changes.protected_file_patterns);
  if (changes.unprotected_file_patterns) checkFilePatterns(changes.unprotected_file_patterns);
}
