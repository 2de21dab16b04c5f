/** Which repository a git client means, and whether it may. */
import {
  Forbidden,
  holdsScope,
  NotFound,
  Problem,
  Unauthorized,
  type Actor,
  type PointReader,
} from '@mortise/plugin-sdk';
import type { Account, Accounts } from '@mortise/accounts/api';
import type { RepositoryKind } from '@mortise/git/api';
import type { Repositories, RepositoryAccess, RepositoryContext, RepositoryCreator } from '@mortise/repositories/api';
import type {
  GitCreation,
  GitMoved,
  GitSession,
  GitSessionCheck,
  GitSessionRequest,
  GitSessions,
} from '../contract/git-transport.js';
import type { TransportSettings } from '../settings.js';

interface SessionDeps {
  readonly access: RepositoryAccess;
  readonly accounts: Accounts;
  readonly repositories: Repositories;
  readonly creator: Pick<RepositoryCreator, 'mayCreate'>;
  readonly checks: PointReader<GitSessionCheck>;
  readonly settings: Readonly<TransportSettings>;
}

const unitOf = (kind: RepositoryKind) => (kind === 'wiki' ? 'wiki' : 'code');

export class Sessions implements GitSessions {
  constructor(private readonly deps: SessionDeps) {}

  async open(request: GitSessionRequest): Promise<GitSession | GitCreation | GitMoved> {
    const { actor, owner, service } = request;
    const { name, kind } = named(request.repo);
    let context: RepositoryContext;
    try {
      context = await this.deps.access.open({ actor, owner, name, unit: unitOf(kind) });
    } catch (error) {
      return this.refused(error, request, name, kind);
    }
    const gitSession: GitSession = { found: 'repository', actor, context, kind, service };
    await this.mayUse(gitSession);
    return gitSession;
  }

  private async mayUse(gitSession: GitSession): Promise<void> {
    const { actor, context, service } = gitSession;
    const pushing = service === 'receive-pack';
    if (pushing && context.repository.isArchived) throw Forbidden('This repository is archived and read-only.');
    if (pushing && actor.kind === 'anonymous') throw Unauthorized();
    const isPublic = !context.repository.isPrivate && context.repository.ownerVisibility === 'public';
    if (pushing ? !holdsScope(actor, 'repository', 'write') : !isPublic && !holdsScope(actor, 'repository', 'read')) {
      throw Forbidden('The token does not have the repository scope.');
    }
    for (const check of this.deps.checks.list()) await check.check(gitSession);
  }

  private async refused(
    error: unknown,
    request: GitSessionRequest,
    name: string,
    kind: RepositoryKind,
  ): Promise<GitCreation | GitMoved> {
    if (!Problem.is(error) || error.code !== 'not_found') throw error;
    const { actor, owner, service } = request;
    // the same for repositories that there are and others; git shows it
    const requirement = await this.deps.access.unmetRequirement(actor);
    if (requirement) throw NotFound(requirement);
    const moved = await this.moved(request, name, kind);
    if (moved) return moved;
    const account = await this.deps.accounts.byName(owner);
    if (!account) throw NotFound('repository');
    if (actor.kind === 'anonymous') throw Unauthorized(); // there may be something for somebody
    const there = await this.deps.repositories.byPath(owner, name);
    if (!there && kind === 'code' && service === 'receive-pack') return this.creation(actor, account, name);
    throw NotFound('repository');
  }

  private async moved(
    { actor, owner }: GitSessionRequest,
    name: string,
    kind: RepositoryKind,
  ): Promise<GitMoved | undefined> {
    const path = await this.deps.access.renamedTo(owner, name);
    if (!path || path.toLowerCase() === `${owner}/${name}`.toLowerCase()) return undefined;
    const [newOwner = '', newName = ''] = path.split('/');
    try {
      await this.deps.access.open({ actor, owner: newOwner, name: newName, unit: unitOf(kind) });
    } catch (error) {
      if (!Problem.is(error) || error.code !== 'not_found') throw error;
      // what the actor may not see is not told by a redirect either
      if (actor.kind === 'anonymous') throw Unauthorized();
      return undefined;
    }
    const ownerMoved = newOwner.toLowerCase() !== owner.toLowerCase() && !(await this.deps.accounts.byName(owner));
    return { found: 'moved', owner: newOwner, name: newName, kind, ownerMoved };
  }

  private async creation(actor: Actor, owner: Account, name: string): Promise<GitCreation> {
    // the same answer as for what must not be seen: names of private repositories cannot be guessed
    if (actor.publicOnly || !(await this.deps.creator.mayCreate(actor, owner))) throw NotFound('repository');
    const { ENABLE_PUSH_CREATE_USER, ENABLE_PUSH_CREATE_ORG } = this.deps.settings;
    const allowed = owner.kind === 'organization' ? ENABLE_PUSH_CREATE_ORG : ENABLE_PUSH_CREATE_USER;
    if (!allowed) throw Forbidden('The repository does not exist, and creating repositories by pushing is disabled.');
    if (!holdsScope(actor, 'repository', 'write')) throw Forbidden('The token does not have the repository scope.');
    this.deps.repositories.checkName(name);
    return { found: 'missing', actor, owner, name };
  }
}

/** The check of the push itself, shown in the terminal: reading suffices to ask, writing is needed to change. */
export function mayPush({ context, kind }: GitSession): void {
  if (!context.may('write', unitOf(kind))) throw Forbidden('You do not have permission to push to this repository.');
  if (context.repository.isArchived) throw Forbidden('This repository is archived and read-only.');
}

/** For a push that only proposes changes (`refs/for/main`): reading suffices, and whoever takes it decides on the rest. */
export function mayPropose({ context, kind }: GitSession): void {
  if (!context.may('read', unitOf(kind))) throw NotFound('repository');
  if (context.repository.isArchived) throw Forbidden('This repository is archived and read-only.');
}

/** `name.git` and `name` are the same; `name.wiki.git` is the wiki of `name`. */
export function named(repo: string): { name: string; kind: RepositoryKind } {
  const name = repo.replace(/\.git$/i, '');
  return /\.wiki$/i.test(name) ? { name: name.slice(0, -5), kind: 'wiki' } : { name, kind: 'code' };
}
