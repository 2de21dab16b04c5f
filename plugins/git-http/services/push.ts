/** A push over HTTP: who pushes, what it may, and repositories that are made by it (REP-09, REP-10). */
import type { Readable } from 'node:stream';
import { BadRequest, type Actor } from '@mortise/plugin-sdk';
import type { GitReader, GitStore, RefChange, RefUpdates } from '@mortise/git/api';
import type { Repositories, Repository, RepositoryAccess } from '@mortise/repositories/api';
import type { GitHttpSettings } from '../settings.js';
import type { Transfers } from './transfer.js';
import type { Creation, Visit, Visits } from './visit.js';

export interface PushParts {
  readonly visits: Visits;
  readonly transfers: Transfers;
  readonly store: GitStore;
  readonly reader: GitReader;
  readonly updates: RefUpdates;
  readonly repositories: Repositories;
  readonly access: RepositoryAccess;
  readonly settings: Readonly<GitHttpSettings>;
}

export class Pushes {
  constructor(private readonly parts: PushParts) {}

  async receive(found: Visit | Creation, actor: Actor, body: Readable, protocol: string | undefined): Promise<Readable> {
    const { store, reader, updates, transfers, settings } = this.parts;
    const made = 'name' in found ? await this.make(found, actor) : undefined;
    const visit: Visit = made ? { context: await this.parts.access.context(actor, made), kind: 'code' } : (found as Visit);
    const { repository } = visit.context;
    await store.create(repository.id, { defaultBranch: repository.defaultBranch, objectFormat: repository.objectFormat }, visit.kind);
    await updates.repair(repository.id, visit.kind);
    const session = updates.openPush({
      repositoryId: repository.id,
      kind: visit.kind,
      pusher: actor,
      source: 'http',
      before: async (change) => {
        this.parts.visits.mayPush(visit);
        if (made) await this.applyOptions(made, change);
      },
    });
    return transfers.receivePack(reader.open(repository.id, visit.kind), body, { protocol, session, maxBytes: settings.MAX_PUSH_SIZE });
  }

  private make({ owner, name }: Creation, actor: Actor): Promise<Repository> {
    return this.parts.repositories.create(owner, { name, isPrivate: this.parts.settings.DEFAULT_PUSH_CREATE_PRIVATE }, actor);
  }

  /** Options of a push that made the repository; on any other push they mean nothing. */
  private async applyOptions(made: Repository, change: RefChange): Promise<void> {
    const isPrivate = flag(change, 'repo.private');
    const isTemplate = flag(change, 'repo.template');
    if (isPrivate === undefined && isTemplate === undefined) return;
    await this.parts.settle?.(made, { isPrivate, isTemplate });
  }
}

function flag(change: RefChange, name: string): boolean | undefined {
  const value = change.pushOptions[name]?.toLowerCase();
  if (value === undefined) return undefined;
  if (['', 'true', '1', 'yes', 'on'].includes(value)) return true;
  if (['false', '0', 'no', 'off'].includes(value)) return false;
  throw BadRequest(`the push option ${name} is neither true nor false`);
}
