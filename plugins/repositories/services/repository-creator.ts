import { Forbidden, NotFound, type Actor, type PointReader } from '@mortise/plugin-sdk';
import type { Account, Accounts, Memberships } from '@mortise/accounts/api';
import type { GitReader, GitStore } from '@mortise/git/api';
import type { Repository, RepositoryCreationPolicy, RepositoryCreator } from '../api.js';
import { mustBeOpen } from '../contract/blocks.js';
import { unitSet } from '../settings.js';
import { updateDerivedProperties } from './derived-properties.js';
import type { Grants } from './grants.js';
import type { LicenseDetector } from './licenses.js';
import { checkBranchName, isRepositoryName } from './name-rules.js';
import type { RepositoryService } from './repositories.js';
import type { TopicService } from './topics.js';
import type { Units } from './units.js';
import { t } from '../texts/index.js';

/** What plugins need that make repositories out of something. */
export class RepositoryCreatorService implements RepositoryCreator {
  readonly checkBranchName = checkBranchName;
  readonly isName = isRepositoryName;

  constructor(
    private readonly deps: {
      readonly accounts: Accounts;
      readonly memberships: Pick<Memberships, 'mayView'>;
      readonly reader: GitReader;
      readonly store: GitStore;
      readonly repositories: RepositoryService;
      readonly topics: TopicService;
      readonly licenses: LicenseDetector;
      readonly defaultUnits: ReadonlySet<string>;
      readonly disabled: ReadonlySet<string>;
      readonly known: Units;
      readonly creationPolicies: PointReader<RepositoryCreationPolicy>;
      readonly grants: Pick<Grants, 'lacking'>;
    },
  ) {}

  establish: RepositoryCreator['establish'] = (...given) => this.deps.repositories.establish(...given);

  setTopics(repository: Repository, topics: readonly string[]): Promise<void> {
    return this.deps.topics.replace(repository, topics);
  }

  describe: RepositoryCreator['describe'] = (repositoryId, changes) =>
    this.deps.repositories.describe(repositoryId, changes);

  derive(repositoryId: number, defaultBranch: string) {
    return updateDerivedProperties(this.deps, repositoryId, defaultBranch);
  }

  units(list?: string) {
    const { defaultUnits, disabled, known } = this.deps;
    return known.initial(
      list === undefined ? defaultUnits : new Set([...unitSet(list)].filter((key) => !disabled.has(key))),
    );
  }

  async ownerFor(actor: Actor, name?: string): Promise<Account> {
    const { accounts } = this.deps;
    const account = name ? await accounts.byName(name) : await accounts.byId(actor.id);
    if (!account || !(await this.deps.memberships.mayView(actor, account)))
      throw NotFound(name ? 'organization' : 'user');
    mustBeOpen(actor, account);
    await this.checkMayCreate(actor, account);
    return account;
  }

  async owners(actor: Actor): Promise<readonly Account[]> {
    const own = actor.kind === 'user' ? await this.deps.accounts.byId(actor.id) : undefined;
    const others = await Promise.all(
      this.deps.creationPolicies.list().map((creationPolicy) => creationPolicy.owners(actor)),
    );
    return [...(own ? [own] : []), ...others.flat()];
  }

  async checkMayCreate(actor: Actor, owner: Account): Promise<void> {
    const lacking = await this.deps.grants.lacking(actor);
    if (lacking) throw Forbidden(lacking.hint);
    if (!(await this.mayCreate(actor, owner))) throw Forbidden(t.later('error.create', { name: owner.name }));
  }

  async mayCreate(actor: Actor, owner: Account): Promise<boolean> {
    // built-in accounts, such as the one that jobs act as, have no row that could own anything
    if (owner.id <= 0) return false;
    if (await this.deps.grants.lacking(actor)) return false;
    if (actor.isAdmin || actor.id === owner.id) return true;
    for (const creationPolicy of this.deps.creationPolicies.list())
      if (await creationPolicy.mayMake(actor, owner)) return true;
    return false;
  }
}
