/** Which repository a git client means, and whether it may: 401, 403, 404, or a redirect after a rename. */
import {
  Forbidden,
  holdsScope,
  NotFound,
  Problem,
  reply,
  Unauthorized,
  type Actor,
  type PointReader,
  type Reply,
  type Site,
} from '@mortise/plugin-sdk';
import type { Account, Accounts } from '@mortise/accounts/api';
import type { RepositoryKind } from '@mortise/git/api';
import type { Repositories, RepositoryAccess, RepositoryContext } from '@mortise/repositories/api';
import type { GitVisitCheck } from '../api.js';
import type { GitHttpSettings } from '../settings.js';
import type { Service } from './advertise.js';

export interface VisitRequest {
  readonly actor: Actor;
  readonly owner: string;
  /** As in the address: `name`, `name.git`, `name.wiki.git`. */
  readonly repo: string;
  readonly service: Service;
  /** What follows the repository in the address, for redirects: `info/refs?service=…`. */
  readonly rest: string;
}

export interface Visit {
  readonly context: RepositoryContext;
  readonly kind: RepositoryKind;
}

/** A push to what is not there yet, and may be made by it. */
export interface Creation {
  readonly owner: Account;
  readonly name: string;
}

export interface VisitParts {
  readonly access: RepositoryAccess;
  readonly accounts: Accounts;
  readonly repositories: Repositories;
  readonly site: Site;
  readonly checks: PointReader<GitVisitCheck>;
  readonly settings: Readonly<GitHttpSettings>;
}

export class Visits {
  constructor(private readonly parts: VisitParts) {}

  async open(request: VisitRequest): Promise<Visit | Creation | Reply> {
    if (this.parts.settings.DISABLE_HTTP_GIT) throw Forbidden('git over HTTP is switched off');
    const { actor, owner, service } = request;
    const { name, kind } = named(request.repo);
    let context: RepositoryContext;
    try {
      context = await this.parts.access.open({ actor, owner, name, unit: kind === 'wiki' ? 'wiki' : 'code' });
    } catch (error) {
      return this.refused(error, request, name, kind);
    }
    await this.mayUse(actor, context, kind, service);
    return { context, kind };
  }

  /** The check of a push itself, shown in the terminal: reading suffices to ask, writing is needed to change. */
  mayPush({ context, kind }: Visit): void {
    if (!context.may('write', kind === 'wiki' ? 'wiki' : 'code'))
      throw Forbidden('you have no permission to push to this repository');
    if (context.repository.isArchived) throw Forbidden('the repository is archived');
  }

  private async mayUse(
    actor: Actor,
    context: RepositoryContext,
    kind: RepositoryKind,
    service: Service,
  ): Promise<void> {
    const pushing = service === 'receive-pack';
    if (pushing && context.repository.isArchived) throw Forbidden('the repository is archived');
    if (pushing && actor.kind === 'anonymous') throw Unauthorized();
    const isPublic = !context.repository.isPrivate && context.repository.ownerVisibility === 'public';
    if (pushing ? !holdsScope(actor, 'repository', 'write') : !isPublic && !holdsScope(actor, 'repository', 'read')) {
      throw Forbidden('the token does not have the needed scope for repositories');
    }
    for (const check of this.parts.checks.list()) await check.check({ actor, context, kind, service });
  }

  private async refused(
    error: unknown,
    request: VisitRequest,
    name: string,
    kind: RepositoryKind,
  ): Promise<Creation | Reply> {
    if (!Problem.is(error) || error.code !== 'not_found') throw error;
    const { actor, owner, service } = request;
    const moved = await this.moved(request, name, kind);
    if (moved) return moved;
    const account = await this.parts.accounts.byName(owner);
    if (!account) throw NotFound('repository');
    if (actor.kind === 'anonymous') throw Unauthorized(); // there may be something for somebody
    const there = await this.parts.repositories.byPath(owner, name);
    if (!there && kind === 'code' && service === 'receive-pack') return this.creation(actor, account, name);
    throw NotFound('repository');
  }

  private async moved(request: VisitRequest, name: string, kind: RepositoryKind): Promise<Reply | undefined> {
    const { actor, owner, rest } = request;
    const path = await this.parts.access.renamedTo(owner, name);
    if (!path || path.toLowerCase() === `${owner}/${name}`.toLowerCase()) return undefined;
    const [newOwner = '', newName = ''] = path.split('/');
    try {
      await this.parts.access.open({ actor, owner: newOwner, name: newName, unit: kind === 'wiki' ? 'wiki' : 'code' });
    } catch (error) {
      // what the actor may not see is not told by a redirect either
      if (Problem.is(error) && error.code === 'not_found')
        return actor.kind === 'anonymous' ? this.challenge() : undefined;
      throw error;
    }
    const ownerMoved = newOwner.toLowerCase() !== owner.toLowerCase() && !(await this.parts.accounts.byName(owner));
    const address = `/${encodeURIComponent(newOwner)}/${encodeURIComponent(newName)}${kind === 'wiki' ? '.wiki' : ''}.git/${rest}`;
    return reply.redirect(this.parts.site.path(address), ownerMoved ? 307 : 301);
  }

  private challenge(): never {
    throw Unauthorized();
  }

  private creation(actor: Actor, owner: Account, name: string): Creation {
    const { ENABLE_PUSH_CREATE_USER, ENABLE_PUSH_CREATE_ORG } = this.parts.settings;
    const allowed = owner.kind === 'organization' ? ENABLE_PUSH_CREATE_ORG : ENABLE_PUSH_CREATE_USER;
    if (!allowed) throw Forbidden('there is no such repository, and a push does not make one here');
    if (owner.id !== actor.id && !actor.isAdmin) throw Forbidden('you cannot make a repository for this owner');
    if (!holdsScope(actor, 'repository', 'write'))
      throw Forbidden('the token does not have the needed scope for repositories');
    this.parts.repositories.checkName(name);
    return { owner, name };
  }
}

/** `name.git` and `name` are the same; `name.wiki.git` is the wiki of `name`. */
export function named(repo: string): { name: string; kind: RepositoryKind } {
  const name = repo.replace(/\.git$/i, '');
  return /\.wiki$/i.test(name) ? { name: name.slice(0, -5), kind: 'wiki' } : { name, kind: 'code' };
}
