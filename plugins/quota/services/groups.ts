import {
  actAudited,
  Conflict,
  Invalid,
  NotFound,
  retryDuplicate,
  type Database,
  type Events,
} from '@mortise/plugin-sdk';
import type { Account } from '@mortise/accounts/api';
import { GroupRow } from '../models/group.js';
import { GroupRuleRow } from '../models/group-rule.js';
import { GroupUserRow } from '../models/group-user.js';
import { RuleRow } from '../models/rule.js';
import type { Subject } from './subjects.js';
import { t } from '../texts/index.js';

/** How much of some subjects together may be stored. */
export interface Rule {
  readonly name: string;
  /** Bytes; -1: any number, 0: nothing. */
  readonly limit: number;
  readonly subjects: readonly Subject[];
}

/** Rules that hold together. */
export interface Group {
  readonly name: string;
  readonly rules: readonly Rule[];
}

interface GroupWithUsers extends Group {
  readonly userIds: readonly number[];
  readonly userCount: number;
}

/** Members that are shown, of all groups together. */
const maxShownUsers = 1000;

/** Of rules, and of groups. */
export const maxCount = 100;
export const maxName = 100;
/** Names stand in addresses, which lose `.` and `..`. */
export const namePattern = /^(?!\.{1,2}$)[^/\p{Cc}]+$/u;
/** Of one account. */
const maxGroupsOfUser = 20;

const toRule = ({ name, max_bytes, subjects }: RuleRow): Rule => ({
  name,
  limit: Number(max_bytes),
  subjects: subjects as readonly Subject[],
});

/** Rules, groups of them, and who is in which group. Everything is found by its name, as in Forgejo's API. */
export class Groups {
  constructor(private readonly deps: { readonly database: Database; readonly events: Events }) {}

  /** By name. */
  async rules(): Promise<readonly Rule[]> {
    return (await this.#rules().orderBy('name').limit(maxCount)).map(toRule);
  }

  /** @throws NotFound */
  async rule(name: string): Promise<Rule> {
    return toRule(await this.#ruleRow(name));
  }

  /** @throws Conflict: the name is taken; Invalid: there are as many as there may be */
  addRule(rule: Rule): Promise<Rule> {
    return this.#unique(async () => {
      const row = await this.#insertRule(rule);
      await this.#audit('quota_rule.create', row, { limit: rule.limit, subjects: rule.subjects });
      return rule;
    });
  }

  /** @throws NotFound */
  changeRule(name: string, changes: Partial<Pick<Rule, 'limit' | 'subjects'>>): Promise<Rule> {
    return this.deps.database.write(async () => {
      const row = await this.#ruleRow(name);
      const rule = { ...toRule(row), ...changes };
      await this.#rules().findById(row.id).patch({ max_bytes: rule.limit, subjects: rule.subjects });
      await this.#audit('quota_rule.edit', row, { limit: rule.limit, subjects: rule.subjects });
      return rule;
    });
  }

  /** It goes from all groups. @throws NotFound */
  deleteRule(name: string): Promise<void> {
    return this.deps.database.write(async () => {
      const row = await this.#ruleRow(name);
      await this.deps.database.query(GroupRuleRow).delete().where('rule_id', row.id);
      await this.#rules().deleteById(row.id);
      await this.#audit('quota_rule.delete', row);
    });
  }

  /** By name, each with its rules. */
  async list(): Promise<readonly Group[]> {
    return this.#withRules(await this.#groups().orderBy('name').limit(maxCount));
  }

  /** As {@link list}, with the ids of some members of each, and how many there are. */
  async listWithUsers(): Promise<readonly GroupWithUsers[]> {
    const { database } = this.deps;
    const rows = await this.#groups().orderBy('name').limit(maxCount);
    const groups = await this.#withRules(rows);
    const counts = (await database
      .knex()('quota_group_user')
      .groupBy('group_id')
      .select('group_id')
      .count({ count: '*' })) as {
      group_id: number;
      count: number;
    }[];
    const users = await database.query(GroupUserRow).orderBy('user_id').limit(maxShownUsers);
    return groups.map((group, at) => {
      const { id } = rows[at]!;
      return {
        ...group,
        userIds: users.filter((user) => user.group_id === id).map((user) => user.user_id),
        userCount: Number(counts.find((one) => one.group_id === id)?.count ?? 0),
      };
    });
  }

  /** @throws NotFound */
  async byName(name: string): Promise<Group> {
    return (await this.#withRules([await this.#groupRow(name)]))[0]!;
  }

  /** Those that there are of the names. */
  async byNames(names: readonly string[]): Promise<readonly Group[]> {
    return this.#withRules(await this.#groups().whereIn('name', names));
  }

  /** In which an account is. */
  async ofUser(userId: number): Promise<readonly Group[]> {
    const ids = this.deps.database.query(GroupUserRow).where('user_id', userId).select('group_id');
    return this.#withRules(await this.#groups().whereIn('id', ids).orderBy('name'));
  }

  /**
   * A group with rules that are made with it, or that are there by their names.
   *
   * @throws Conflict: the name is taken, or a rule of this name says something else; Invalid
   */
  add(name: string, rules: readonly Rule[]): Promise<Group> {
    return this.#unique(async () => {
      const { database } = this.deps;
      if ((await this.#groups().resultSize()) >= maxCount) throw Invalid(t.later('error.tooMany', { max: maxCount }));
      if (await this.#groups().findOne({ name })) throw Conflict(t.later('error.groupTaken', { name }));
      const group = await this.#groups().insertAndFetch({ name });
      for (const rule of rules) {
        const row = await this.#insertRule(rule);
        await database.query(GroupRuleRow).insert({ group_id: group.id, rule_id: row.id });
      }
      await this.#audit('quota_group.create', group, { rules: rules.map((rule) => rule.name) });
      return { name, rules };
    });
  }

  /** @throws NotFound */
  delete(name: string): Promise<void> {
    return this.deps.database.write(async () => {
      const { database } = this.deps;
      const row = await this.#groupRow(name);
      await database.query(GroupRuleRow).delete().where('group_id', row.id);
      await database.query(GroupUserRow).delete().where('group_id', row.id);
      await this.#groups().deleteById(row.id);
      await this.#audit('quota_group.delete', row);
    });
  }

  /** @throws NotFound; Conflict: it is in the group */
  addRuleTo(groupName: string, ruleName: string): Promise<void> {
    return this.#unique(async () => {
      const [group, rule] = [await this.#groupRow(groupName), await this.#ruleRow(ruleName)];
      const pair = { group_id: group.id, rule_id: rule.id };
      if (await this.deps.database.query(GroupRuleRow).findOne(pair)) throw Conflict(t.later('error.ruleInGroup'));
      await this.deps.database.query(GroupRuleRow).insert(pair);
      await this.#audit('quota_group.add_rule', group, { rule: rule.name });
    });
  }

  /** @throws NotFound */
  removeRuleFrom(groupName: string, ruleName: string): Promise<void> {
    return this.deps.database.write(async () => {
      const [group, rule] = [await this.#groupRow(groupName), await this.#ruleRow(ruleName)];
      const gone = await this.deps.database
        .query(GroupRuleRow)
        .delete()
        .where({ group_id: group.id, rule_id: rule.id });
      if (!gone) throw NotFound('quota rule of the group');
      await this.#audit('quota_group.remove_rule', group, { rule: rule.name });
    });
  }

  /** Ids of the accounts in a group, by id. @throws NotFound */
  async userIds(name: string, page: { readonly limit: number; readonly offset: number }) {
    const group = await this.#groupRow(name);
    const users = this.deps.database.query(GroupUserRow).where('group_id', group.id);
    const total = await users.clone().resultSize();
    const rows = await users.orderBy('user_id').limit(page.limit).offset(page.offset);
    return { ids: rows.map((row) => row.user_id), total };
  }

  /** @throws NotFound; Conflict: the account is in the group; Invalid */
  addUser(groupName: string, account: Account): Promise<void> {
    return this.#unique(async () => {
      const { database } = this.deps;
      const group = await this.#groupRow(groupName);
      const ofUser = await database.query(GroupUserRow).where('user_id', account.id);
      if (ofUser.some((row) => row.group_id === group.id)) throw Conflict(t.later('error.userInGroup'));
      if (ofUser.length >= maxGroupsOfUser) throw Invalid(t.later('error.tooManyOfUser', { max: maxGroupsOfUser }));
      await database.query(GroupUserRow).insert({ group_id: group.id, user_id: account.id });
      await this.#audit('quota_group.add_user', group, { user: account.name }, account.id);
    });
  }

  /** @throws NotFound */
  removeUser(groupName: string, account: Account): Promise<void> {
    return this.deps.database.write(async () => {
      const group = await this.#groupRow(groupName);
      const gone = await this.deps.database
        .query(GroupUserRow)
        .delete()
        .where({ group_id: group.id, user_id: account.id });
      if (!gone) throw NotFound('user of the group');
      await this.#audit('quota_group.remove_user', group, { user: account.name }, account.id);
    });
  }

  /** The account is in these groups and no others. @throws Invalid: a group that does not exist, or too many */
  setGroups(account: Account, names: readonly string[]): Promise<void> {
    return this.#unique(async () => {
      const { database } = this.deps;
      const groups = await this.#groups().whereIn('name', names);
      const unknown = names.find((name) => !groups.some((group) => group.name === name));
      if (unknown !== undefined) throw Invalid(t.later('error.noGroup', { name: unknown }));
      if (groups.length > maxGroupsOfUser) throw Invalid(t.later('error.tooManyOfUser', { max: maxGroupsOfUser }));
      await database.query(GroupUserRow).delete().where('user_id', account.id);
      for (const group of groups)
        await database.query(GroupUserRow).insert({ group_id: group.id, user_id: account.id });
      await this.deps.events.emit(actAudited, {
        action: 'quota_group.set_groups',
        target: { kind: 'user', id: account.id, name: account.name },
        userId: account.id,
        details: { groups: groups.map((group) => group.name) },
      });
    });
  }

  #rules() {
    return this.deps.database.query(RuleRow);
  }

  #groups() {
    return this.deps.database.query(GroupRow);
  }

  async #ruleRow(name: string): Promise<RuleRow> {
    const row = await this.#rules().findOne({ name });
    if (!row) throw NotFound('quota rule');
    return row;
  }

  async #groupRow(name: string): Promise<GroupRow> {
    const row = await this.#groups().findOne({ name });
    if (!row) throw NotFound('quota group');
    return row;
  }

  async #insertRule({ name, limit, subjects }: Rule): Promise<RuleRow> {
    if ((await this.#rules().resultSize()) >= maxCount) throw Invalid(t.later('error.tooMany', { max: maxCount }));
    if (await this.#rules().findOne({ name })) throw Conflict(t.later('error.ruleTaken', { name }));
    return this.#rules().insertAndFetch({ name, max_bytes: limit, subjects });
  }

  async #withRules(groups: readonly GroupRow[]): Promise<readonly Group[]> {
    const { database } = this.deps;
    const ids = groups.map(({ id }) => id);
    const pairs = ids.length ? await database.query(GroupRuleRow).whereIn('group_id', ids) : [];
    const ruleIds = pairs.map((pair) => pair.rule_id);
    const rules = ruleIds.length ? await this.#rules().whereIn('id', ruleIds).orderBy('name') : [];
    const isIn = (group: GroupRow, rule: RuleRow) =>
      pairs.some((pair) => pair.group_id === group.id && pair.rule_id === rule.id);
    return groups.map((group) => ({
      name: group.name,
      rules: rules.filter((rule) => isIn(group, rule)).map(toRule),
    }));
  }

  /** A write that looks again where another one stored the same name at the same moment. */
  #unique<T>(work: () => Promise<T>): Promise<T> {
    return retryDuplicate(() => this.deps.database.write(work));
  }

  #audit(
    action: string,
    { id, name }: { readonly id: number; readonly name: string },
    details: Readonly<Record<string, string | number | readonly string[]>> = {},
    userId?: number,
  ): Promise<void> {
    const kind = action.slice(0, action.indexOf('.'));
    return this.deps.events.emit(actAudited, { action, target: { kind, id, name }, userId, details });
  }
}
