import type { Actor, PointReader, Site } from '@mortise/plugin-sdk';
import type { Account, Accounts, MembershipSource } from '@mortise/accounts/api';
import type { Teams } from '@mortise/organizations/api';
import { accessRank, type Repositories, type RepositoryAccess } from '@mortise/repositories/api';
import type { Project } from '../contract/projects.js';
import { allows } from '../units/projects.js';
import { isOpenTo, maxTeams, teamModeOn } from './project-scopes.js';

interface Deps {
  readonly accounts: Pick<Accounts, 'actorOf' | 'byId'>;
  readonly membershipSources: PointReader<MembershipSource>;
  readonly repositories: Pick<Repositories, 'byId'>;
  readonly repositoryAccess: Pick<RepositoryAccess, 'readersAmong' | 'unmetRequirement'>;
  readonly site: Site;
  /** Undefined: there are no organizations here. */
  readonly teams: () => Pick<Teams, 'search' | 'membersAmong'> | undefined;
}

/** Which of many accounts may see a board: one batch of queries however many, where `ProjectScopes` asks for one actor. */
export class ProjectReaders {
  constructor(private readonly deps: Deps) {}

  /** By id. */
  async among(accounts: readonly Account[], project: Pick<Project, 'repositoryId' | 'ownerId'>): Promise<Set<number>> {
    const { accounts: all, repositories, repositoryAccess } = this.deps;
    if (project.repositoryId) {
      const repository = await repositories.byId(project.repositoryId);
      if (!repository || !allows(repository, 'repository')) return new Set();
      return new Set(await repositoryAccess.readersAmong(accounts, repository, 'projects'));
    }
    const owner = await all.byId(project.ownerId);
    if (!owner) return new Set();
    const actors = accounts.map((account) => all.actorOf(account, 'projects'));
    const readers = await (owner.kind === 'organization'
      ? this.#ofOrganization(actors, owner)
      : this.#ofUser(actors, owner));
    // known of each account without a query of its own
    for (const actor of actors)
      if (readers.has(actor.id) && (await repositoryAccess.unmetRequirement(actor)) !== undefined)
        readers.delete(actor.id);
    return readers;
  }

  /** Administrators, members of teams that read the unit, and everybody else to whom the organization is open. */
  async #ofOrganization(actors: readonly Actor[], owner: Account): Promise<Set<number>> {
    const readers = new Set(
      actors.filter((actor) => actor.isAdmin || isOpenTo(actor, owner, this.deps.site)).map(({ id }) => id),
    );
    const others = actors.filter(({ id }) => !readers.has(id)).map(({ id }) => id);
    const teams = this.deps.teams();
    if (!others.length || !teams) return readers;
    const { items } = await teams.search({ organizationId: owner.id, limit: maxTeams, offset: 0 });
    const reading = items.filter((team) => accessRank[teamModeOn(team)] >= accessRank.read).map(({ id }) => id);
    const members = reading.length ? await teams.membersAmong(reading, others) : [];
    for (const id of members) readers.add(id);
    return readers;
  }

  /** Everybody who may know of the account. */
  async #ofUser(actors: readonly Actor[], owner: Account): Promise<Set<number>> {
    const mayView = (actor: Actor) =>
      actor.isAdmin ||
      actor.id === owner.id ||
      owner.visibility === 'public' ||
      (owner.visibility === 'limited' && !actor.isRestricted);
    const readers = new Set(actors.filter(mayView).map(({ id }) => id));
    const others = actors.filter(({ id }) => !readers.has(id)).map(({ id }) => id);
    for (const id of others.length ? await this.#colleaguesAmong(others, owner.id) : []) readers.add(id);
    return readers;
  }

  /** Those who share an organization with the account. */
  async #colleaguesAmong(userIds: readonly number[], accountId: number): Promise<number[]> {
    const sources = this.deps.membershipSources.list();
    const found = (await Promise.all(sources.map((source) => source.of([...userIds, accountId])))).flat();
    const own = new Set(found.filter(({ userId }) => userId === accountId).map((one) => one.organizationId));
    return found
      .filter(({ userId, organizationId }) => userId !== accountId && own.has(organizationId))
      .map((one) => one.userId);
  }
}
