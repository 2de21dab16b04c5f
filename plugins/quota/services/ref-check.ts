import type { Database } from '@mortise/plugin-sdk';
import { isZeroOid, type RefCheck } from '@mortise/git/api';
import type { RepositoryStorage } from '@mortise/repositories/api';
import type { GitSizes } from './git-sizes.js';
import { pushedBytes } from './pushed-bytes.js';

interface Services {
  readonly database: Database;
  readonly gitSizes: GitSizes;
  readonly repositoryStorage: RepositoryStorage;
}

/** References move only where there is room for what they bring; they may always be deleted. */
export const quotaCheck = ({ database, gitSizes, repositoryStorage }: Services): RefCheck => ({
  key: 'quota',
  // what is refused for another reason is not counted
  order: 1000,
  ofContent: true,
  async check({ repositoryId, kind, updates, quarantine }) {
    if (updates.every((update) => isZeroOid(update.new))) return;
    const subject = kind === 'code' ? 'size:repos' : 'size:wiki';
    if (!quarantine) return repositoryStorage.check(repositoryId, subject, 0);
    const bytes = await pushedBytes(quarantine);
    // commits that are there already
    if (bytes === 0) return;
    await database.write(async () => {
      await repositoryStorage.hold(repositoryId, subject, bytes);
      await gitSizes.add(repositoryId, kind, bytes);
    });
  },
});
