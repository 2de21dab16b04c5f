import { defineService, type Actor, type Joi } from '@mortise/plugin-sdk';
import type { Account } from '@mortise/accounts/api';
import type { ApiRepository } from './model.js';
import type { NewRepository, Repositories, Repository, Unit } from './repositories.js';

/** A repository that is made by a plugin, with what it begins with. */
interface EstablishedRepository extends Omit<NewRepository, 'units'> {
  readonly defaultBranch: string;
  readonly units: readonly Unit[];
  readonly forkOfId?: number;
  readonly avatar?: string;
  /** Where it comes from, without user name and password. */
  readonly originalUrl?: string;
  /** Default `ready`. */
  readonly status?: Repository['status'];
  /** It follows that repository. */
  readonly mirror?: { readonly intervalMs: number };
  /** The owner's limit does not count. */
  readonly overLimit?: boolean;
}

/** For plugins that make repositories out of something: forks, templates, folders, other sites. */
export interface RepositoryCreator {
  /**
   * Makes it: a row that nobody sees → `fill` makes and fills its folder → the visible row with its event, and `within`
   * in the same transaction (only SQL). What a kill leaves behind is swept. Conflict when the name is taken.
   */
  establish(
    owner: Account,
    row: EstablishedRepository,
    actor: Actor,
    fill: (repository: Repository) => Promise<void>,
    within?: (repository: Repository) => Promise<void>,
  ): Promise<Repository>;
  /** The account that `actor` makes a repository for; NotFound, Forbidden. Undefined: the actor's own. */
  ownerFor(actor: Actor, name?: string): Promise<Account>;
  /** The accounts to choose from: the actor's own first, then those of others, by name. */
  owners(actor: Actor): Promise<readonly Account[]>;
  /** May the actor make repositories for the account? */
  mayCreate(actor: Actor, owner: Account): Promise<boolean>;
  /** Throws Forbidden unless it may. */
  checkMayCreate(actor: Actor, owner: Account): Promise<void>;
  /** Units by a list such as `repo.code,repo.pulls`, without those that are off for all; default: those of new ones. */
  units(list?: string): readonly Unit[];
  /** Facts that follow from git, as {@link Repositories.setDerived} takes them. */
  derive(repositoryId: number, defaultBranch: string): Promise<Parameters<Repositories['setDerived']>[1]>;
  /** What an import learns of a repository after it was made, and whether it has ended. Joins the caller's transaction. */
  describe(
    repositoryId: number,
    changes: Partial<Pick<Repository, 'description' | 'website' | 'originalUrl' | 'status'>>,
  ): Promise<void>;
  /** Gives it these topics, in place of those it has. */
  setTopics(repository: Repository, topics: readonly string[]): Promise<void>;
  /** Throws Invalid for what git, or file systems, do not take as a branch. */
  checkBranchName(name: string): void;
  /** May this be the name of a repository? */
  isName(name: string): boolean;
}
/** What is created over the REST surface, for routes of owners of other kinds. */
export interface RepositoryCreation {
  /** Model `CreateRepoOption`. */
  readonly payload: Joi.ObjectSchema<Readonly<Record<string, unknown>>>;
  /** As {@link Repositories.create}; gives the record. Forbidden unless the actor may make repositories for `owner`. */
  create(owner: Account, payload: Readonly<Record<string, unknown>>, actor: Actor): Promise<ApiRepository>;
}
export const repositoryCreation = defineService<RepositoryCreation>('repositories.creation');

export const repositoryCreator = defineService<RepositoryCreator>('repositories.creator');
