/** Whose key it is: a person's, or one that opens single repositories. */
import { Forbidden, NotFound, type Actor, type Database } from '@mortise/plugin-sdk';
import type { Accounts, PublicKeys } from '@mortise/accounts/api';
import type { DeployKeys, Repositories, Repository, RepositoryAccess } from '@mortise/repositories/api';
import { named } from './repository-name.js';
import { repositoryPath } from './command-line.js';

interface IdentityDeps {
  readonly database: Pick<Database, 'syncVersions'>;
  readonly accounts: Accounts;
  readonly publicKeys: PublicKeys;
  readonly deployKeys: DeployKeys;
  readonly repositories: Repositories;
  readonly access: RepositoryAccess;
}

export class Identities {
  constructor(private readonly deps: IdentityDeps) {}

  async isKnown(fingerprint: string): Promise<boolean> {
    const { database, publicKeys, deployKeys } = this.deps;
    await database.syncVersions();
    return (
      (await publicKeys.byFingerprint(fingerprint)) !== undefined ||
      (await deployKeys.byFingerprint(fingerprint)).length > 0
    );
  }

  /** How the greeting calls whoever holds the key. */
  async nameOf(fingerprint: string): Promise<string> {
    await this.deps.database.syncVersions();
    const key = await this.deps.publicKeys.byFingerprint(fingerprint);
    if (key) return (await this.actor(fingerprint, undefined)).name;
    const [deployKey] = await this.deps.deployKeys.byFingerprint(fingerprint);
    if (!deployKey) throw Forbidden('This key is no longer registered.');
    return `holder of the deploy key ${deployKey.title}`;
  }

  /**
   * Who acts now. Looked up for each command, as a connection may outlive a key or an account. A deploy key is that of
   * the repository which is named.
   */
  async actor(fingerprint: string, path: string | undefined): Promise<Actor> {
    const { database, accounts, publicKeys } = this.deps;
    await database.syncVersions();
    const key = await publicKeys.byFingerprint(fingerprint);
    if (!key) return this.deployActor(fingerprint, path);
    const account = await accounts.byId(key.userId);
    if (!account) throw Forbidden('This key is no longer registered.');
    const refusal = accounts.refusal(account);
    if (refusal) throw Forbidden(refusal);
    publicKeys.used(key.id);
    return accounts.actorOf(account, 'ssh', {
      credentialId: key.id,
      ...(key.readOnly ? { scopes: { repository: 'read' as const } } : {}),
    });
  }

  private async deployActor(fingerprint: string, path: string | undefined): Promise<Actor> {
    const { deployKeys, repositories } = this.deps;
    const keys = await deployKeys.byFingerprint(fingerprint);
    if (!keys.length) throw Forbidden('This key is no longer registered.');
    if (path === undefined) throw Forbidden('A deploy key only gives access to its repository.');
    const { owner, repo } = repositoryPath(path);
    const repository = (await repositories.byPath(owner, named(repo))) ?? (await this.renamed(owner, named(repo)));
    const key = repository && keys.find((one) => one.repositoryId === repository.id);
    if (key) {
      deployKeys.used(key.id);
      return deployKeys.actor(key);
    }
    throw NotFound('The repository does not exist, or this deploy key does not give access to it.');
  }

  private async renamed(owner: string, name: string): Promise<Repository | undefined> {
    const [newOwner, newName] = (await this.deps.access.renamedTo(owner, name))?.split('/') ?? [];
    return newOwner && newName ? this.deps.repositories.byPath(newOwner, newName) : undefined;
  }
}
