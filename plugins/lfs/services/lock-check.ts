import { Conflict } from '@mortise/plugin-sdk';
import type { Accounts } from '@mortise/accounts/api';
import { isZeroOid, type GitReader, type RefChange, type RefCheck } from '@mortise/git/api';
import type { LockService } from './lock-service.js';

const asked = { renames: false, stats: false } as const;

/**
 * The editor and the REST surface keep to the locks of others, as git-lfs does before it pushes. Pushes are left to the
 * client: the server only rejects pushes where the client's check was disabled.
 */
export function lockCheck(deps: {
  readonly locks: LockService;
  readonly reader: GitReader;
  readonly accounts: Accounts;
}): RefCheck {
  const { locks, reader, accounts } = deps;
  return {
    key: 'lfs-locks',
    order: 200,
    async check({ repositoryId, kind, updates, pusher, source, quarantine }: RefChange): Promise<void> {
      if (kind !== 'code' || (source !== 'api' && source !== 'web')) return;
      if (!(await locks.anyForeign(repositoryId, pusher))) return;
      const git = quarantine ? reader.quarantined(repositoryId, kind, quarantine) : reader.open(repositoryId, kind);
      for (const update of updates) {
        if (!update.ref.startsWith('refs/heads/') || isZeroOid(update.new)) continue;
        const changes = isZeroOid(update.old)
          ? await git.commitChanges(update.new, asked)
          : await git.changes(update.old, update.new, asked);
        const [lock] = await locks.foreign(
          repositoryId,
          changes.map(({ path }) => path),
          pusher,
        );
        if (!lock) continue;
        const owner = (await accounts.byId(lock.ownerId))?.name ?? 'somebody else';
        throw Conflict(`${lock.path} is locked by ${owner}.`);
      }
    },
  };
}
