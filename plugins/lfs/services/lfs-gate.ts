import { Forbidden, holdsScope, NotFound, Unauthorized, type Actor } from '@mortise/plugin-sdk';
import type { Repositories, Repository, RepositoryAccess, RepositoryContext } from '@mortise/repositories/api';
import { lfsGrant } from './lfs-tokens.js';

export type LfsOperation = 'download' | 'upload';

interface LfsSession {
  readonly actor: Actor;
  readonly owner: string;
  /** As in the address, with or without `.git`. */
  readonly repo: string;
  readonly operation: LfsOperation;
  /** Also what anybody may read needs a name (lists of locks). */
  readonly signedIn?: boolean;
}

/**
 * Who may. Clients of LFS ask for other credentials on 401 and give up on 403, so whatever signing in as somebody else
 * could help is 401, and a repository that may not be seen looks like one that is not there.
 */
export class LfsGate {
  constructor(
    private readonly deps: {
      readonly repositories: Repositories;
      readonly access: RepositoryAccess;
    },
  ) {}

  async open(session: LfsSession): Promise<RepositoryContext> {
    const { actor, owner, operation } = session;
    if (!holdsScope(actor, 'repository', operation === 'upload' ? 'write' : 'read'))
      throw Forbidden(
        `The token does not have the required scope: ${operation === 'upload' ? 'write' : 'read'}:repository.`,
      );
    // no other credentials would help, so that it is not 401; clients show it
    const requirement = await this.deps.access.unmetRequirement(actor);
    if (requirement) throw NotFound(requirement);
    if (session.signedIn && actor.kind === 'anonymous') throw Unauthorized('Authentication required.');
    const name = session.repo.replace(/\.git$/i, '');
    const repository = await this.#find(owner, name);
    if (!repository) throw this.#missing(session, owner);
    this.#checkGrant(actor, repository, operation);
    const context = await this.deps.access.context(actor, repository);
    if (!context.may('read', 'code')) throw await this.#unseen(actor, repository);
    if (operation === 'upload') {
      if (!context.may('write', 'code')) throw Unauthorized('Write access is required.');
      if (repository.isArchived) throw Forbidden('This repository is archived and read-only.');
    }
    return context;
  }

  /** Renamed ones are found under their old name too: clients do not follow redirects of such requests. */
  async #find(owner: string, name: string): Promise<Repository | undefined> {
    const repository = await this.deps.repositories.byPath(owner, name);
    if (repository) return repository;
    const [newOwner, newName] = (await this.deps.access.renamedTo(owner, name))?.split('/') ?? [];
    return newOwner && newName ? this.deps.repositories.byPath(newOwner, newName) : undefined;
  }

  /** Only who would see all repositories of that name learns that there is none. */
  #missing({ actor, signedIn }: LfsSession, owner: string) {
    const wouldSee = actor.isAdmin || (actor.kind === 'user' && actor.name.toLowerCase() === owner.toLowerCase());
    return wouldSee && !signedIn && !actor.publicOnly
      ? NotFound('repository')
      : Unauthorized('Authentication required.');
  }

  async #unseen(actor: Actor, repository: Repository) {
    if (actor.publicOnly) {
      const unlimited = await this.deps.access.context({ ...actor, publicOnly: false }, repository);
      if (unlimited.may('read', 'code')) return Forbidden('The token can only access public repositories.');
    }
    return Unauthorized('Authentication required.');
  }

  /** A token of ours opens one repository, for what it was made for. */
  #checkGrant(actor: Actor, repository: Repository, operation: LfsOperation): void {
    const grant = lfsGrant.of(actor);
    if (!grant) return;
    if (grant.repositoryId !== repository.id) throw Unauthorized('The token is for another repository.');
    if (operation === 'upload' && grant.operation !== 'upload') throw Unauthorized('The token is for downloads only.');
  }
}
