import type { QueryBuilder } from 'objection';
import {
  definePoint,
  defineResource,
  defineService,
  type Actor,
  type Keyed,
  type Model,
  type Text,
} from '@mortise/plugin-sdk';
import type { Account } from '@mortise/accounts/api';
import type { AccessMode, Repository, RepositoryContext } from './repositories.js';

/** What a source gives an actor in one repository. */
export interface AccessGrant {
  /** In the repository as a whole, so on every unit, also on those that plugins add later. */
  readonly mode: AccessMode;
  /** On single units, by key, where that is more than `mode`. Whoever may read one unit may read the record. */
  readonly units?: Readonly<Record<string, AccessMode>>;
}

/** A repository and whose it is. */
export interface OwnedRepository {
  readonly repository: Repository;
  readonly owner: Account;
}

/** A grant and who has it. */
export interface GrantedAccess {
  readonly userId: number;
  readonly grant: AccessGrant;
}

/** Who wants to know what is given: an actor as far as sources look at it. */
export type Grantee = Pick<Actor, 'kind' | 'id' | 'isRestricted' | 'credentialId' | 'grants'>;

/**
 * Extension point: gives access to repositories, beyond what their visibility gives everybody; owners and administrators
 * of the site are not asked about. What it gives must depend only on the database and on what stands in {@link Grantee}:
 * it is kept while the tables stay as they are from which it was read.
 */
export interface AccessSource extends Keyed {
  /** Kinds of actors that it gives something; default: `user`. */
  readonly actors?: readonly Actor['kind'][];
  /** Actors of these kinds have nothing but what this source gives, in public repositories too. */
  readonly confines?: boolean;
  /** It never gives more: not asked where as much is given already. */
  readonly max?: AccessMode;
  /**
   * In many repositories at once, by their ids; absent: nothing. One query however many. Of a repository it may look at
   * its id, its owner, and who may see the two.
   */
  grants(grantee: Grantee, repositories: readonly OwnedRepository[]): Promise<ReadonlyMap<number, AccessGrant>>;
  /**
   * The same as a condition: adds the repositories in which it gives anything with `orWhere…`; with units, at least those
   * in which it gives one of them, and none of those in which it gives others alone.
   */
  orWhereGranted(grantee: Grantee, either: QueryBuilder<Model>, units?: readonly string[]): void;
  /** Those among them that count as work of that person, for lists; default: all. */
  orWhereWorkedOn?(userId: number, either: QueryBuilder<Model>): void;
  /** The other way about: in one repository to many people, by their ids; one query however many. Default: one by one. */
  grantsAmong?(grantees: readonly Grantee[], repository: OwnedRepository): Promise<ReadonlyMap<number, AccessGrant>>;
  /** Everybody to whom it gives something in the repository. */
  granted?(repository: Repository): Promise<readonly GrantedAccess[]>;
}
export const accessSources = definePoint.keyed<AccessSource>('repositories.accessSources');

/**
 * Extension point: something that people must have before any repository is open to them: public ones, their own and those
 * that administrators see included. Asked for users alone; what visitors see is not its matter.
 */
export interface AccessRequirement extends Keyed {
  /** A hot read. */
  isMet(actor: Actor): Promise<boolean>;
  /** The same as a condition: leaves a query of `repository` as it is, or without rows. */
  whereMet(actor: Actor, query: QueryBuilder<Model>): void;
  /** What to do about it, told in the place of the repository (404). */
  readonly hint: Text;
}
export const accessRequirements = definePoint.keyed<AccessRequirement>('repositories.accessRequirements');

/** A team that a repository can be given to with the transfer. */
export interface OfferedTeam {
  readonly id: number;
  readonly name: string;
}

/**
 * Extension point: who, beside the owner itself and administrators of the site, may make repositories for an account, and
 * accept those that are handed over to it.
 */
export interface RepositoryCreationPolicy extends Keyed {
  mayMake(actor: Actor, owner: Account): Promise<boolean>;
  /** The accounts for which the actor may, by name. */
  owners(actor: Actor): Promise<readonly Account[]>;
  /** Of these accounts, the teams that the actor may give a repository to, by the id of the account; bounded. */
  teamsOf(actor: Actor, owners: readonly Account[]): Promise<ReadonlyMap<number, readonly OfferedTeam[]>>;
  /** Records of these teams, as far as the actor may know of them, by their ids. */
  teamRecords(teamIds: readonly number[], actor: Actor): Promise<ReadonlyMap<number, object>>;
  /** Throws Invalid for teams that do not exist, Forbidden for those of others. */
  checkTeams(owner: Account, teamIds: readonly number[]): Promise<void>;
  /** Gives a repository that was handed over to these teams of its new owner; in the transaction. */
  giveTeams(repository: Repository, teamIds: readonly number[]): Promise<void>;
}
export const repositoryCreationPolicies = definePoint.keyed<RepositoryCreationPolicy>('repositories.creationPolicies');

/**
 * Extension point: branches that people may push to although they may only read the repository, such as the heads of pull
 * requests that let maintainers edit. Asked for those who may not write alone.
 */
export interface BranchWriters extends Keyed {
  /** Names, without `refs/heads/`. */
  branches(actor: Actor, repository: Repository): Promise<readonly string[]>;
}
export const branchWriters = definePoint.keyed<BranchWriters>('repositories.branchWriters');

export interface BranchAccess {
  /** Branches of a repository that an actor may push to, who may not write to all of it. */
  branchesOf(actor: Actor, repository: Repository): Promise<ReadonlySet<string>>;
}
export const branchAccess = defineService<BranchAccess>('repositories.branchAccess');

/**
 * As {@link repositoryResource}; where a route needs `write` on the code, it lets those in too who may push to some branch.
 * The route looks at the branch itself ({@link BranchAccess}).
 */
export const pushResource = defineResource<RepositoryContext>('repositories.push');
