import type { Actor } from '@mortise/plugin-sdk';
import type { Team, Teams } from '@mortise/organizations/api';
import type { Repository } from '@mortise/repositories/api';
import type { EnvironmentRow } from '../../models/environment.js';

/** Members of one team that are told of a deployment. */
const maxToldMembers = 100;

/** Does somebody have to approve what is deployed there? */
export const asksForReview = ({ reviewers, reviewer_teams: teams }: EnvironmentRow): boolean =>
  reviewers.length + teams.length > 0;

const readsRuns = ({ authorization, units }: Team): boolean =>
  authorization !== 'none' || (units.actions ?? 'none') !== 'none';

/** Teams of which a member has to approve; without the plugin of organizations there are none. */
export class ReviewingTeams {
  constructor(private readonly teams: () => Teams | undefined) {}

  /** Those of the environments that are teams of the owner, by id. */
  async of(ownerId: number, environments: readonly EnvironmentRow[]): Promise<ReadonlyMap<number, Team>> {
    const ids = [...new Set(environments.flatMap((one) => one.reviewer_teams))];
    return this.#owned(ownerId, ids);
  }

  /** Those of the ids that can look at runs of the repository. */
  async eligible(repository: Repository, ids: readonly number[]): Promise<ReadonlySet<number>> {
    const eligible = new Set<number>();
    for (const [id, team] of await this.#owned(repository.ownerId, ids))
      if (readsRuns(team) && (await this.teams()!.hasRepository(team, repository))) eligible.add(id);
    return eligible;
  }

  /** Those of the teams of one owner that the viewer may know of; who administers the repository knows all that it has. */
  async visible(teams: readonly Team[], viewer: Actor, administers: boolean): Promise<readonly Team[]> {
    const [first] = teams;
    if (!first || administers) return teams;
    const { items } = await this.teams()!.search({
      organizationId: first.organizationId,
      names: teams.map(({ lowerName }) => lowerName),
      visibleTo: viewer,
      ...{ limit: teams.length, offset: 0 },
    });
    const ids = new Set(items.map(({ id }) => id));
    return teams.filter(({ id }) => ids.has(id));
  }

  async idOf(repository: Repository, name: string): Promise<number | undefined> {
    return (await this.teams()?.byName(repository.ownerId, name))?.id;
  }

  async isMember(teams: readonly Team[], userId: number): Promise<boolean> {
    if (teams.length === 0 || userId <= 0) return false;
    const ids = teams.map(({ id }) => id);
    return (await this.teams()!.membersAmong(ids, [userId])).size > 0;
  }

  /** Ids of members, up to a hundred of each team. */
  async members(teams: readonly Team[]): Promise<readonly number[]> {
    const page = { limit: maxToldMembers, offset: 0 };
    const lists = await Promise.all(teams.map(({ id }) => this.teams()!.members(id, page)));
    return lists.flatMap(({ items }) => items.map(({ id }) => id));
  }

  /** As the API shows them, by id. */
  async models(teams: readonly Team[], viewer: Actor) {
    const models = teams.length > 0 ? await this.teams()!.toApi(teams, viewer) : [];
    return new Map(models.map((model) => [model.id, model]));
  }

  async #owned(ownerId: number, ids: readonly number[]): Promise<ReadonlyMap<number, Team>> {
    const found = ids.length > 0 ? await this.teams()?.byIds(ids) : undefined;
    return new Map([...(found ?? [])].filter(([, { organizationId }]) => organizationId === ownerId));
  }
}
