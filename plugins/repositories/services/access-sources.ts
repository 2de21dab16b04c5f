import type { Actor, Database, PointReader } from '@mortise/plugin-sdk';
import type { Memberships, MembershipSource } from '@mortise/accounts/api';
import { deployKeyGrant, type AccessGrant, type AccessSource } from '../api.js';
import { CollaboratorRow } from '../models/collaborator.js';
import { TransferRow } from '../models/transfer.js';
import type { PendingTransfers } from './waiting-transfers.js';

const byUser = (userId: number) => CollaboratorRow.query().select('repository_id').where('user_id', userId);

/** Collaborators: a mode on all of a repository. */
export const collaboratorSource = (database: Database): AccessSource => ({
  key: 'collaborators',
  async grants({ id }, repositories) {
    const rows = await database
      .query(CollaboratorRow)
      .where('user_id', id)
      .whereIn(
        'repository_id',
        repositories.map(({ repository }) => repository.id),
      );
    return new Map(rows.map((row) => [row.repository_id, { mode: row.mode }]));
  },
  async grantsAmong(users, { repository }) {
    const rows = await database
      .query(CollaboratorRow)
      .where('repository_id', repository.id)
      .whereIn(
        'user_id',
        users.map(({ id }) => id),
      );
    return new Map(rows.map((row) => [row.user_id, { mode: row.mode }]));
  },
  orWhereGranted: ({ id }, either) => void either.orWhereIn('repository.id', byUser(id)),
  /** Those it may write to, and private ones that it may read. */
  orWhereWorkedOn(userId, either) {
    void either.orWhereIn('repository.id', byUser(userId).whereNot('mode', 'read'));
    void either.orWhere(
      (hidden) => void hidden.where('repository.is_private', true).whereIn('repository.id', byUser(userId)),
    );
  },
  async granted({ id }) {
    const rows = await database.query(CollaboratorRow).where('repository_id', id).orderBy('id');
    return rows.map((row) => ({ userId: row.user_id, grant: { mode: row.mode } }));
  },
});

/** To whom a repository is offered, for themselves or an organization in which they may create repositories, may look at it. */
export const transferSource = (
  { transfers, memberships }: { transfers: PendingTransfers; memberships: Memberships },
  sources: PointReader<MembershipSource>,
): AccessSource => ({
  key: 'transfers',
  max: 'read',
  async grants({ id }, repositories) {
    const waiting = await transfers.of(repositories.map(({ repository }) => repository.id));
    if (waiting.size === 0) return new Map();
    const own = await memberships.of(id);
    return new Map(
      [...waiting].flatMap(([repositoryId, { recipientId }]): [number, AccessGrant][] =>
        recipientId === id || own.get(recipientId)?.mayCreateRepository ? [[repositoryId, { mode: 'read' }]] : [],
      ),
    );
  },
  async grantsAmong(users, { repository }) {
    const recipientId = (await transfers.of([repository.id])).get(repository.id)?.recipientId;
    if (recipientId === undefined) return new Map();
    const able = new Map<number, AccessGrant>();
    for (const { id } of users)
      if (recipientId === id || (await memberships.of(id)).get(recipientId)?.mayCreateRepository)
        able.set(id, { mode: 'read' });
    return able;
  },
  orWhereGranted({ id }, either) {
    const offered = TransferRow.query().select('repository_id').where('recipient_id', id);
    for (const source of sources.list()) void offered.orWhereIn('recipient_id', source.creatable(id));
    void either.orWhereIn('repository.id', offered);
  },
});

/** A deploy key opens the code of its own repository and nothing else, public repositories of others included. */
export const deployKeySource: AccessSource = {
  key: 'deploy-keys',
  actors: ['deploy-key'] satisfies Actor['kind'][],
  confines: true,
  async grants(grantee, repositories) {
    const key = deployKeyGrant.of(grantee);
    const own = repositories.filter(({ repository }) => repository.id === key?.repositoryId);
    const code = key?.readOnly ? 'read' : 'write';
    return new Map(own.map(({ repository }) => [repository.id, { mode: 'none', units: { code } }]));
  },
  orWhereGranted(grantee, either, units = ['code']) {
    if (units.includes('code')) void either.orWhere('repository.id', deployKeyGrant.of(grantee)?.repositoryId ?? 0);
  },
};
