import {
  actAudited,
  pageOf,
  Invalid,
  NotFound,
  type Actor,
  type AuditedAct,
  type Database,
  type Events,
  type PointReader,
} from '@mortise/plugin-sdk';
import type { Account, Accounts, Memberships } from '@mortise/accounts/api';
import {
  repositoryAccessLost,
  repositoryAccessReduced,
  type AccessGrant,
  type AccessMode,
  type Repository,
  type RepositoryMembers,
} from '../api.js';
import type { RepositoryWatchers } from '../contract/relations.js';
import { CollaboratorRow } from '../models/collaborator.js';
import { refuseBlockedPair } from '../contract/blocks.js';
import { atLeast, type Grants } from './grants.js';
import { lockRepositoryRow } from './row-locks.js';
import { t } from '../texts/index.js';

const levels = ['read', 'write', 'admin'] as const;

/** Collaborators and watchers of repositories. */
export class MemberService implements RepositoryMembers {
  constructor(
    private readonly deps: {
      readonly database: Database;
      readonly events: Events;
      readonly accounts: Pick<Accounts, 'blocks' | 'byId'>;
      readonly grants: Grants;
      readonly memberships: Pick<Memberships, 'whereViewable'>;
      readonly watchers: PointReader<RepositoryWatchers>;
    },
  ) {}

  async collaborators(repositoryId: number): Promise<{ userId: number; mode: AccessMode }[]> {
    const rows = await this.deps.database.query(CollaboratorRow).where('repository_id', repositoryId).orderBy('id');
    return rows.map((row) => ({ userId: row.user_id, mode: row.mode }));
  }

  /** The owner and all to whom a right to write is given, by id: those whom work can be assigned to. */
  writers(repository: Repository): Promise<number[]> {
    return this.#withOwner(repository, 'write');
  }

  /** The owner and all to whom anything is given: those who can be asked for a review. */
  readers(repository: Repository): Promise<number[]> {
    return this.#withOwner(repository, 'read');
  }

  /** May the actor look for whom to ask for a review? The owner, collaborators, and teams that see pull requests. */
  async mayAskForReviews(repository: Repository, actor: Actor): Promise<boolean> {
    if (actor.kind !== 'user') return false;
    if (actor.id === repository.ownerId) return true;
    const grant = (await this.deps.grants.granted(repository)).get(actor.id);
    return grant !== undefined && [grant.mode, grant.units?.pulls].some((mode) => mode && atLeast(mode, 'read'));
  }

  async #withOwner(repository: Repository, mode: AccessMode): Promise<number[]> {
    const { accounts, grants } = this.deps;
    const owner = await accounts.byId(repository.ownerId);
    const granted = await grants.granted(repository);
    const modes = ({ mode: whole, units = {} }: AccessGrant) => [whole, ...Object.values(units)];
    const fit = [...granted].filter(([, grant]) => modes(grant).some((one) => atLeast(one, mode)));
    return [...new Set([...(owner?.kind === 'user' ? [owner.id] : []), ...fit.map(([id]) => id)])];
  }

  /** `viewer`: of people whom that actor may know of; absent: all. */
  async collaboratorPage(
    repositoryId: number,
    { limit, offset }: { readonly limit: number; readonly offset: number },
    viewer?: Actor,
  ) {
    const query = this.deps.database.query(CollaboratorRow).where('repository_id', repositoryId);
    if (viewer) this.deps.memberships.whereViewable(viewer, query, 'user_id');
    const { rows, total } = await pageOf(query.orderBy('id'), { limit, offset });
    return { items: rows.map((row) => ({ userId: row.user_id, mode: row.mode })), total };
  }

  async collaborator(repositoryId: number, userId: number): Promise<AccessMode | undefined> {
    return (await this.deps.database.query(CollaboratorRow).findOne({ repository_id: repositoryId, user_id: userId }))
      ?.mode;
  }

  async setCollaborator(
    repository: Repository,
    account: Account,
    permission = 'write',
    actor?: Pick<Actor, 'id' | 'isAdmin'>,
  ): Promise<void> {
    if (account.id === repository.ownerId) throw Invalid(t.later('error.ownerCollaborator'));
    if (account.kind !== 'user') throw Invalid(t.later('error.organization'));
    const mode = levels.find((level) => level === permission);
    if (!mode) throw Invalid(t.later('error.permission', { permission: permission.slice(0, 50) }));
    await refuseBlockedPair(this.deps.accounts, account, repository.ownerId, actor);
    await this.deps.database.write(async () => {
      await lockRepositoryRow(this.deps.database, repository.id);
      const key = { repository_id: repository.id, user_id: account.id };
      const changed = await this.deps.database.query(CollaboratorRow).where(key).patch({ mode });
      if (!changed) await this.deps.database.query(CollaboratorRow).insert({ ...key, mode });
      // perhaps to less than before
      else await this.#accessReduced(repository, account);
      await this.#audit('set', repository, account, { permission: mode });
    });
  }

  async removeCollaborator(repository: Repository, account: Account): Promise<void> {
    await this.deps.database.write(async () => {
      const gone = await this.deps.database
        .query(CollaboratorRow)
        .delete()
        .where({ repository_id: repository.id, user_id: account.id });
      if (gone) await this.#audit('remove', repository, account);
      if (repository.isPrivate)
        await this.deps.events.emit(repositoryAccessLost, { repositoryId: repository.id, userId: account.id });
      await this.#accessReduced(repository, account);
    });
  }

  #audit(verb: string, { id }: Repository, account: Account, details: AuditedAct['details'] = {}): Promise<void> {
    return this.deps.events.emit(actAudited, {
      action: `collaborator.${verb}`,
      target: { kind: 'user', id: account.id, name: account.name },
      userId: account.id,
      repositoryId: id,
      details,
    });
  }

  async #accessReduced({ ownerId }: Repository, { id }: Account): Promise<void> {
    await this.deps.events.emit(repositoryAccessReduced, { ownerId, userIds: [id] });
  }

  /** Of all plugins that know any, each once. */
  async watchers(repositoryId: number): Promise<number[]> {
    const lists = await Promise.all(this.deps.watchers.list().map((source) => source.watchers(repositoryId)));
    return [...new Set(lists.flat())];
  }
}

export function requireFound<T>(value: T | undefined, what: string): T {
  if (value === undefined) throw NotFound(what);
  return value;
}
