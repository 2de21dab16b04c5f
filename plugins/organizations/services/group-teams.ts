import { Problem, type Logger } from '@mortise/plugin-sdk';
import type { Account } from '@mortise/accounts/api';
import type { GroupTeamMap, GroupTeams, Organizations, Team, Teams } from '../api.js';

interface Deps {
  readonly organizations: Pick<Organizations, 'byName'>;
  readonly teams: Pick<Teams, 'search' | 'addMember' | 'removeMember'>;
  readonly log: Pick<Logger, 'warn'>;
}

/** By organization: all teams that the map names, and those of the person's groups; in lower case. */
interface GroupTeamAssignment {
  readonly named: Set<string>;
  readonly wanted: Set<string>;
}

function assignmentsOf(groups: readonly string[], map: GroupTeamMap): ReadonlyMap<string, GroupTeamAssignment> {
  const own = new Set(groups);
  const wishes = new Map<string, GroupTeamAssignment>();
  for (const [group, organizations] of Object.entries(map))
    for (const [organization, names] of Object.entries(organizations)) {
      const key = organization.toLowerCase();
      const wish = wishes.get(key) ?? { named: new Set(), wanted: new Set() };
      wishes.set(key, wish);
      for (const name of names) {
        wish.named.add(name.toLowerCase());
        if (own.has(group)) wish.wanted.add(name.toLowerCase());
      }
    }
  return wishes;
}

/** Two queries for each organization that the map names, and the changes. */
export class GroupTeamService implements GroupTeams {
  constructor(private readonly deps: Deps) {}

  async apply(
    account: Account,
    groups: readonly string[],
    map: GroupTeamMap,
    { removes = false }: { readonly removes?: boolean } = {},
  ): Promise<void> {
    const { organizations, teams } = this.deps;
    for (const [name, { named, wanted }] of assignmentsOf(groups, map)) {
      if (wanted.size === 0 && !removes) continue;
      const organization = await organizations.byName(name);
      if (!organization) continue;
      const search = {
        organizationId: organization.account.id,
        names: [...named],
        limit: named.size,
        offset: 0,
      };
      const { items } = await teams.search(search);
      const present = new Set(
        (await teams.search({ ...search, memberId: account.id })).items.map((team: Team) => team.id),
      );
      for (const team of items) {
        const isWanted = wanted.has(team.lowerName);
        if (isWanted && !present.has(team.id)) await this.#attempt(account, team, () => teams.addMember(team, account));
        if (!isWanted && removes && present.has(team.id))
          await this.#attempt(account, team, () => teams.removeMember(team, account.id));
      }
    }
  }

  /** The last owner stays, and who blocks the organization is not put into it; the other teams do not suffer. */
  async #attempt(account: Account, team: Team, work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (error) {
      if (!Problem.is(error)) throw error;
      this.deps.log.warn('could not synchronize a team with its group', {
        event: 'team.groupSync',
        account: account.name,
        team: team.name,
        error,
      });
    }
  }
}
