import { Invalid, type Database } from '@mortise/plugin-sdk';
import type { SiteNotices } from '@mortise/admin/api';
import type { GitReader, GitStore, RefsUpdated, RepositoryKind } from '@mortise/git/api';
import { RepositoryRow, toRepository } from '../models/repository.js';
import { CollaboratorRow } from '../models/collaborator.js';
import { DeployKeyRow } from '../models/deploy-key.js';
import { TransferRow } from '../models/transfer.js';
import type { LicenseDetector } from '../services/licenses.js';
import { updateDerivedProperties } from '../services/derived-properties.js';
import type { RepositoryService } from '../services/repositories.js';
import { t } from '../texts/index.js';

/** The owner's new name on its repositories. */
export async function followRename(database: Database, { userId, to }: { userId: number; to: string }): Promise<void> {
  await database
    .query(RepositoryRow)
    .where('owner_id', userId)
    .patch({ owner_name: to, lower_owner_name: to.toLowerCase() });
}

/** Who may see the owner, on its repositories. */
export async function followVisibility(
  database: Database,
  { userId, visibility }: { userId: number; visibility: 'public' | 'limited' | 'private' },
): Promise<void> {
  await database.query(RepositoryRow).where('owner_id', userId).patch({ owner_visibility: visibility });
}

/** A key opens an account or repositories, never both: who signs in with it must be told apart. */
export async function refuseDeployKey(database: Database, { fingerprint }: { fingerprint: string }): Promise<void> {
  if (await database.query(DeployKeyRow).findOne({ fingerprint })) throw Invalid(t.later('error.keyOfRepository'));
}

/** An account that owns repositories stays, unless what it owns goes too (ADM-08). */
export async function deleteOwned(
  database: Database,
  repositories: RepositoryService,
  { userId, purge }: { userId: number; purge: boolean },
): Promise<void> {
  const rows = await database.query(RepositoryRow).where('owner_id', userId);
  if (rows.some((row) => row.is_ready) && !purge) throw Invalid(t.later('error.ownsRepositories'));
  for (const row of rows) await repositories.delete(toRepository(row));
  await database.query(CollaboratorRow).delete().where('user_id', userId);
}

/** Two accounts part: neither keeps a hand in what is the other's; offers between them are gone. */
export async function removeBlocked(
  database: Database,
  { blockerId, blockedId }: { blockerId: number; blockedId: number },
): Promise<void> {
  for (const [owner, other] of [
    [blockerId, blockedId],
    [blockedId, blockerId],
  ] as const) {
    const owned = () => database.query(RepositoryRow).select('id').where('owner_id', owner);
    await database.query(CollaboratorRow).delete().where('user_id', other).whereIn('repository_id', owned());
    await database.query(TransferRow).delete().where('recipient_id', other).whereIn('repository_id', owned());
  }
}

/** Administrators read it where nobody looks at the log. */
export async function addDamageNotice(
  { database, siteNotices }: { readonly database: Database; readonly siteNotices: SiteNotices },
  { repositoryId, kind, problem }: { repositoryId: number; kind: RepositoryKind; problem: string },
): Promise<void> {
  const row = await database.query(RepositoryRow).findById(repositoryId);
  const name = row ? `${row.owner_name}/${row.name}` : `${repositoryId}`;
  const subject = kind === 'code' ? `The repository ${name}` : `The ${kind} of the repository ${name}`;
  await siteNotices.add('repository', `${subject} is damaged: take it from a back-up\n${problem}`);
}

/** Heads of pull requests come from other repositories, or are made of what is here. */
const isPush = (updates: RefsUpdated['updates']): boolean => updates.some(({ ref }) => !ref.startsWith('refs/pull/'));

/** Facts that follow from git, made anew after each push; all derive from the references as they are now. */
export async function derive(
  deps: {
    database: Database;
    reader: GitReader;
    store: GitStore;
    repositories: RepositoryService;
    licenses: LicenseDetector;
  },
  { repositoryId, kind, updates, at, defaultBranch }: RefsUpdated,
): Promise<void> {
  if (kind !== 'code') return;
  const row = await deps.database.query(RepositoryRow).findById(repositoryId);
  if (!row) return;
  const branch = defaultBranch ?? row.default_branch;
  await deps.repositories.setDerived(repositoryId, {
    ...(await updateDerivedProperties(deps, repositoryId, branch)),
    ...(isPush(updates) && { pushedAt: at }),
    ...(defaultBranch && defaultBranch !== row.default_branch ? { defaultBranch } : {}),
  });
}

/** In the push's own transaction: whoever reads next sees that there is something. SQL only. */
export async function recordRefUpdate(
  database: Database,
  { repositoryId, kind, updates, at, branchCount, defaultBranch }: RefsUpdated,
): Promise<void> {
  if (kind !== 'code') return;
  const brings = updates.some((update) => update.ref.startsWith('refs/heads/') && !/^0+$/.test(update.new));
  await database
    .query(RepositoryRow)
    .findById(repositoryId)
    .patch({
      ...(isPush(updates) && { updated_at: at }),
      branch_count: branchCount,
      ...(brings && { is_empty: false }),
      ...(defaultBranch && { default_branch: defaultBranch }),
    });
}
