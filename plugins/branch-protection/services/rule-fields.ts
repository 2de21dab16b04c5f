import { checkFields, Invalid, type PointReader } from '@mortise/plugin-sdk';
import type { Accounts } from '@mortise/accounts/api';
import type { BranchProtection, NamedList } from '../contract/branch-protection.js';
import type { ProtectionTeams } from '../api.js';
import type { Flag, List } from '../models/branch-protection.js';
import type { RuleChanges } from './branch-rules.js';
import type { RuleOptions } from './rule-options.js';
import { t } from '../texts/index.js';

/** Names of the REST surface and the columns behind them. */
export const flagFields: Readonly<Record<string, Flag>> = {
  enable_push: 'enable_push',
  enable_push_whitelist: 'enable_push_allowlist',
  push_whitelist_deploy_keys: 'push_deploy_keys',
  enable_force_push: 'enable_force_push',
  enable_force_push_allowlist: 'enable_force_push_allowlist',
  force_push_allowlist_deploy_keys: 'force_push_deploy_keys',
  enable_merge_whitelist: 'enable_merge_allowlist',
  enable_status_check: 'enable_status_check',
  enable_approvals_whitelist: 'enable_approvals_allowlist',
  enable_bypass_allowlist: 'enable_bypass_allowlist',
  block_on_rejected_reviews: 'block_on_rejected_reviews',
  block_on_official_review_requests: 'block_on_official_review_requests',
  block_on_codeowner_reviews: 'block_on_codeowner_reviews',
  block_on_outdated_branch: 'block_on_outdated_branch',
  dismiss_stale_approvals: 'dismiss_stale_approvals',
  ignore_stale_approvals: 'ignore_stale_approvals',
  require_signed_commits: 'require_signed_commits',
  block_admin_merge_override: 'block_admin_merge_override',
};

export interface ListField {
  readonly users: string;
  readonly teams: string;
  readonly column: List;
  readonly property:
    | 'pushAllowlist'
    | 'forcePushAllowlist'
    | 'mergeAllowlist'
    | 'approvalsAllowlist'
    | 'bypassAllowlist';
}

export const listFields: readonly ListField[] = [
  {
    users: 'push_whitelist_usernames',
    teams: 'push_whitelist_teams',
    column: 'push_list',
    property: 'pushAllowlist',
  },
  {
    users: 'force_push_allowlist_usernames',
    teams: 'force_push_allowlist_teams',
    column: 'force_push_list',
    property: 'forcePushAllowlist',
  },
  {
    users: 'merge_whitelist_usernames',
    teams: 'merge_whitelist_teams',
    column: 'merge_list',
    property: 'mergeAllowlist',
  },
  {
    users: 'approvals_whitelist_username',
    teams: 'approvals_whitelist_teams',
    column: 'approvals_list',
    property: 'approvalsAllowlist',
  },
  {
    users: 'bypass_allowlist_usernames',
    teams: 'bypass_allowlist_teams',
    column: 'bypass_list',
    property: 'bypassAllowlist',
  },
];

type Fields = Readonly<Record<string, unknown>>;

/** Converts names of users and teams to stored ids and back. */
export class AllowlistNames {
  constructor(
    private readonly accounts: Accounts,
    private readonly teams: PointReader<ProtectionTeams>,
    /** What other plugins add. */
    readonly options: RuleOptions,
  ) {}

  /**
   * Absent names keep the part of `before`. Invalid for unknown names (BRP-06);
   * organizations among the users, and teams where a person owns the repository, are passed over.
   */
  async list(
    ownerId: number,
    users: readonly string[] | null | undefined,
    teams: readonly string[] | null | undefined,
    before: NamedList = { users: [], teams: [] },
  ): Promise<NamedList> {
    return {
      users: users ? await this.#userIds(users) : before.users,
      teams: teams ? await this.#teamIds(ownerId, teams) : before.teams,
    };
  }

  async #userIds(names: readonly string[]): Promise<number[]> {
    const accountsByName = await this.accounts.byNames(names);
    const ids = names.flatMap((name) => {
      const account = accountsByName.get(name.toLowerCase());
      if (!account) throw Invalid(t.later('error.noUser', { name: name.slice(0, 100) }));
      return account.kind === 'user' ? account.id : [];
    });
    return [...new Set(ids)];
  }

  async #teamIds(ownerId: number, names: readonly string[]): Promise<number[]> {
    const idByName = new Map<string, number>();
    if (names.length > 0) {
      for (const directory of this.teams.list())
        for (const [name, id] of await directory.byNames(ownerId, names)) idByName.set(name.toLowerCase(), id);
    }
    const unknown = names.find((name) => !idByName.has(name.toLowerCase()));
    // Clients send lists of teams for every repository; users have no teams.
    if (unknown !== undefined && (await this.accounts.byId(ownerId))?.kind !== 'user')
      throw Invalid(t.later('error.noTeam', { name: unknown.slice(0, 100) }));
    const ids = names.flatMap((name) => idByName.get(name.toLowerCase()) ?? []);
    return [...new Set(ids)];
  }

  /** Teams that may be chosen. */
  async teamsOf(ownerId: number): Promise<readonly { id: number; name: string }[]> {
    return (await Promise.all(this.teams.list().map((directory) => directory.ofOwner(ownerId)))).flat();
  }

  /** One batch however many lists; accounts and teams that are gone are left out. */
  async show(lists: readonly NamedList[]): Promise<(list: NamedList) => { users: string[]; teams: string[] }> {
    const userIds = [...new Set(lists.flatMap(({ users }) => users))];
    const teamIds = [...new Set(lists.flatMap(({ teams }) => teams))];
    const accounts = userIds.length > 0 ? await this.accounts.byIds(userIds) : new Map<number, { name: string }>();
    const teams = new Map<number, string>();
    if (teamIds.length > 0) {
      for (const directory of this.teams.list())
        for (const [id, name] of await directory.names(teamIds)) teams.set(id, name);
    }
    return (list) => ({
      users: list.users.flatMap((id) => accounts.get(id)?.name ?? []),
      teams: list.teams.flatMap((id) => teams.get(id) ?? []),
    });
  }
}

/** Fields of the API → columns. What is absent or null stays as it is (BRP-01, BRP-02, BRP-03). */
export async function changesOf(
  names: AllowlistNames,
  ownerId: number,
  fields: Fields,
  before?: Readonly<Partial<Record<ListField['property'], NamedList>>> & Partial<Pick<BranchProtection, 'options'>>,
): Promise<RuleChanges> {
  const changes: Record<string, unknown> = {};
  for (const [field, column] of Object.entries(flagFields))
    if (typeof fields[field] === 'boolean') changes[column] = fields[field];
  // Clients of the compatible service send -1 for what they do not know.
  const approvals = fields.required_approvals as number | null | undefined;
  if (typeof approvals === 'number' && approvals >= 0) changes.required_approvals = approvals;
  for (const field of ['protected_file_patterns', 'unprotected_file_patterns', 'priority'])
    if (fields[field] !== null && fields[field] !== undefined) changes[field] = fields[field];
  const contexts = fields.status_check_contexts as readonly string[] | null | undefined;
  if (contexts) changes.status_check_contexts = [...new Set(contexts.map((one) => one.trim()).filter(Boolean))];
  const options = names.options.changes(fields, before?.options);
  if (options) changes.options = options;
  const checks: Record<string, () => Promise<void>> = {};
  for (const { users, teams, column, property } of listFields) {
    const given = [fields[users], fields[teams]] as (readonly string[] | null | undefined)[];
    if (!given.some((one) => one)) continue;
    const list = { ...(before?.[property] ?? { users: [], teams: [] }) };
    changes[column] = list;
    checks[users] = async () => void (list.users = (await names.list(ownerId, given[0], null, list)).users);
    checks[teams] = async () => void (list.teams = (await names.list(ownerId, null, given[1], list)).teams);
  }
  await checkFields(checks);
  return changes as RuleChanges;
}
