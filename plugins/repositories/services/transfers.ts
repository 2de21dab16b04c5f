import {
  actAudited,
  Conflict,
  Forbidden,
  Invalid,
  NotFound,
  Problem,
  type Actor,
  type Database,
  type Events,
  type PointReader,
  retryDuplicate,
} from '@mortise/plugin-sdk';
import type { Account, Accounts, Memberships } from '@mortise/accounts/api';
import {
  repositoryAccessLost,
  repositoryRenamed,
  transferOffered,
  type Repository,
  type RepositoryCreationPolicy,
} from '../api.js';
import type { OfferedTeam } from '../contract/access.js';
import { CollaboratorRow } from '../models/collaborator.js';
import { RedirectRow } from '../models/redirect.js';
import { TransferRow } from '../models/transfer.js';
import { RepositoryRow, toRepository } from '../models/repository.js';
import { mustBeOpen, refuseBlocked } from '../contract/blocks.js';
import { auditedRepositoryAct } from './audited-repository.js';
import { lockPresentRow, lockRepositoryRow } from './row-locks.js';
import type { RepositoryService } from './repositories.js';
import { t } from '../texts/index.js';

/** Hands repositories over to other accounts: at once, or after the recipient accepts. */
export class TransferService {
  constructor(
    private readonly deps: {
      database: Database;
      events: Events;
      accounts: Accounts;
      memberships: Pick<Memberships, 'mayView'>;
      repositories: RepositoryService;
      creationPolicies: PointReader<RepositoryCreationPolicy>;
    },
  ) {}

  /** Gives whether it was moved at once. */
  async offer(
    repository: Repository,
    recipientName: string,
    actor: Actor,
    teams: readonly number[],
  ): Promise<{ repository: Repository; moved: boolean }> {
    const { accounts, database, events } = this.deps;
    const recipient = await accounts.byName(recipientName);
    // Whom the actor may not see is not told by an offer either.
    if (!recipient || !(await this.deps.memberships.mayView(actor, recipient))) throw NotFound('user');
    mustBeOpen(actor, recipient);
    if (recipient.kind === 'user' && teams.length) throw Invalid(t.later('error.teams'));
    if (await this.#waiting(repository)) throw Conflict(t.later('error.transferring'));
    const mayTake = actor.isAdmin || (await this.mayTake(actor, recipient));
    await this.#checkTeams(recipient, teams, mayTake);
    await this.#checkFree(repository, recipient, actor);
    if (mayTake)
      return { repository: await this.#move(repository, recipient, { actor, doerId: actor.id }, teams), moved: true };
    await refuseBlocked(this.deps.accounts, actor, recipient.id);
    await database.write(async () => {
      await lockPresentRow(database, repository);
      if (await this.#waiting(repository)) throw Conflict(t.later('error.transferring'));
      const at = Date.now();
      await database.query(TransferRow).insert({
        repository_id: repository.id,
        doer_id: actor.id,
        recipient_id: recipient.id,
        team_ids: [...teams],
        created_at: at,
      });
      await events.emit(transferOffered, {
        repositoryId: repository.id,
        actorId: actor.id,
        recipientId: recipient.id,
        at,
      });
      await events.emit(actAudited, auditedRepositoryAct('offer_transfer', repository, { to: recipient.name }));
    });
    return { repository, moved: false };
  }

  /** Teams that can get the repository with the transfer, by the id of the account that they are of. */
  async teamsOf(actor: Actor, owners: readonly Account[]): Promise<ReadonlyMap<number, readonly OfferedTeam[]>> {
    const all = await Promise.all(
      this.deps.creationPolicies.list().map((creationPolicy) => creationPolicy.teamsOf(actor, owners)),
    );
    return new Map(all.flatMap((offered) => [...offered]));
  }

  async accept(repository: Repository, actor: Actor): Promise<Repository> {
    const { recipient, teams, doerId } = await this.#mine(repository, actor);
    await this.#checkFree(repository, recipient, actor);
    // Taken back, or answered already, in the meantime?
    return this.#move(repository, recipient, { actor, doerId }, teams, () => this.#mine(repository, actor));
  }

  async reject(repository: Repository, actor: Actor): Promise<void> {
    const { database, events } = this.deps;
    await this.#mine(repository, actor);
    await database.write(async () => {
      await lockRepositoryRow(database, repository.id);
      await this.#mine(repository, actor);
      await database.query(TransferRow).delete().where('repository_id', repository.id);
      await events.emit(actAudited, auditedRepositoryAct('reject_transfer', repository));
    });
  }

  /** The owner takes the offer back. */
  async cancel(repository: Repository): Promise<void> {
    const { database } = this.deps;
    await database.write(async () => {
      await lockRepositoryRow(database, repository.id);
      const gone = await database.query(TransferRow).delete().where('repository_id', repository.id);
      if (!gone) throw NotFound('transfer');
      await this.deps.events.emit(actAudited, auditedRepositoryAct('cancel_transfer', repository));
    });
  }

  /** Those who take nothing for the organization are told of no team whether there is one, but of its own. */
  async #checkTeams(recipient: Account, teams: readonly number[], mayTake: boolean): Promise<void> {
    if (teams.length === 0) return;
    try {
      for (const creationPolicy of this.deps.creationPolicies.list()) await creationPolicy.checkTeams(recipient, teams);
    } catch (error) {
      if (!mayTake && Problem.is(error)) throw Forbidden(t.later('error.create', { name: recipient.name }));
      throw error;
    }
  }

  #waiting(repository: Repository) {
    return this.deps.database.query(TransferRow).findOne('repository_id', repository.id);
  }

  /** The offer that the actor may answer; administrators of the site do not answer for others. */
  async #mine(
    repository: Repository,
    actor: Actor,
  ): Promise<{ recipient: Account; teams: readonly number[]; doerId: number }> {
    const waiting = await this.#waiting(repository);
    if (!waiting) throw NotFound('transfer');
    const recipient = await this.deps.accounts.byId(waiting.recipient_id);
    if (!recipient) throw NotFound('user');
    if (!(await this.mayTake(actor, recipient))) throw Forbidden(t.later('error.notRecipient'));
    return { recipient, teams: waiting.team_ids ?? [], doerId: waiting.doer_id };
  }

  /** May the actor take a repository for the account? */
  async mayTake(actor: Actor, recipient: Account): Promise<boolean> {
    if (recipient.id === actor.id) return true;
    for (const creationPolicy of this.deps.creationPolicies.list())
      if (await creationPolicy.mayMake(actor, recipient)) return true;
    return false;
  }

  /** What the site's administrators do, no limit stops (ERR-15). */
  async #checkFree(repository: Repository, recipient: Account, actor: Actor): Promise<void> {
    if (recipient.id === repository.ownerId) throw Invalid(t.later('error.ownAlready'));
    const there = await this.deps.database
      .query(RepositoryRow)
      .findOne({ owner_id: recipient.id, lower_name: repository.lowerName });
    if (there) throw Invalid(t.later('error.nameTakenBy', { name: recipient.name }));
    if (!actor.isAdmin) await this.deps.repositories.checkLimit(recipient);
  }

  /** `check` is asked once more in the transaction. */
  async #move(
    seen: Repository,
    recipient: Account,
    { actor, doerId }: { readonly actor: Actor; readonly doerId: number },
    teams: readonly number[],
    check?: () => Promise<unknown>,
  ): Promise<Repository> {
    const { accounts, database, events } = this.deps;
    const store = async () => {
      const repository = await lockPresentRow(database, seen);
      await check?.();
      const owner = await accounts.byId(recipient.id);
      if (!owner) throw NotFound('user');
      const key = { owner_id: repository.ownerId, lower_name: repository.lowerName };
      const there = await database
        .query(RepositoryRow)
        .findOne({ owner_id: owner.id, lower_name: repository.lowerName })
        .whereNot('id', repository.id);
      if (there) throw Invalid(t.later('error.nameTakenBy', { name: owner.name }));
      await database.query(TransferRow).delete().where('repository_id', repository.id);
      await database.query(RepositoryRow).findById(repository.id).patch({
        owner_id: owner.id,
        owner_name: owner.name,
        lower_owner_name: owner.lowerName,
        owner_visibility: owner.visibility,
      });
      // neither the new owner nor who handed it over is a guest there
      await database
        .query(CollaboratorRow)
        .delete()
        .where('repository_id', repository.id)
        .whereIn('user_id', [owner.id, doerId]);
      await database.query(RedirectRow).delete().where({ owner_id: owner.id, lower_name: repository.lowerName });
      await database.query(RedirectRow).delete().where(key);
      await database.query(RedirectRow).insert({ ...key, repository_id: repository.id });
      if (repository.isPrivate)
        // who moves it at once has it still
        for (const userId of new Set([repository.ownerId, ...(doerId === actor.id ? [] : [doerId])]))
          await events.emit(repositoryAccessLost, { repositoryId: repository.id, userId });
      await events.emit(repositoryRenamed, {
        repositoryId: repository.id,
        from: `${repository.ownerName}/${repository.name}`,
        to: `${owner.name}/${repository.name}`,
        actorId: actor.id,
      });
      const moved = toRepository(await database.query(RepositoryRow).findById(repository.id).throwIfNotFound());
      await events.emit(actAudited, auditedRepositoryAct('transfer', moved, { from: repository.ownerName }));
      // the log of the former owner has nothing of the repository any more
      await events.emit(actAudited, {
        action: 'repository.transfer_away',
        target: { kind: 'repository', id: repository.id, name: `${repository.ownerName}/${repository.name}` },
        ownerId: repository.ownerId,
        details: { to: moved.ownerName },
      });
      for (const creationPolicy of this.deps.creationPolicies.list())
        if (teams.length) await creationPolicy.giveTeams(moved, teams);
      return moved;
    };
    return retryDuplicate(() => database.write(store));
  }
}
