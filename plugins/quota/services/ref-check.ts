import { Problem, type Database } from '@mortise/plugin-sdk';
import { isZeroOid, type GitReader, type GitRepository, type RefCheck, type RefUpdate } from '@mortise/git/api';
import type { RepositoryQuota } from '@mortise/repositories/api';
import type { GitSizes } from './git-sizes.js';
import { pushedBytes } from './pushed-bytes.js';

interface Services {
  readonly database: Database;
  readonly gitReader: GitReader;
  readonly gitSizes: GitSizes;
  readonly repositoryQuota: RepositoryQuota;
}

/** References move only where there is room for what they bring; they may always be deleted. */
export const quotaCheck = ({ database, gitReader, gitSizes, repositoryQuota }: Services): RefCheck => ({
  key: 'quota',
  // what is refused for another reason is not counted
  order: 1000,
  ofContent: true,
  async check({ repositoryId, kind, updates, quarantine }) {
    if (updates.every((update) => isZeroOid(update.new))) return;
    const subject = kind === 'code' ? 'size:repos' : 'size:wiki';
    if (!quarantine) {
      try {
        return await repositoryQuota.check(repositoryId, subject, 0);
      } catch (error) {
        const isFull = Problem.is(error) && error.code === 'too_large';
        if (!isFull || (await bringsFiles(gitReader.open(repositoryId, kind), updates))) throw error;
        return;
      }
    }
    const bytes = await pushedBytes(quarantine);
    // commits that are there already
    if (bytes === 0) return;
    await database.write(async () => {
      await repositoryQuota.checkAndLock(repositoryId, subject, bytes);
      await gitSizes.add(repositoryId, kind, bytes);
    });
  },
});

/** Branches and tags of commits that are there, and commits that only delete or move files, bring none. */
async function bringsFiles(repository: GitRepository, updates: readonly RefUpdate[]): Promise<boolean> {
  const oids = updates.map((update) => update.new).filter((oid) => !isZeroOid(oid));
  const onlyFiles = ['--objects', '--no-object-names', '--filter=object:type=blob', '--filter-provided-objects'];
  // what is not there is refused when the reference moves
  const args = ['rev-list', ...onlyFiles, '--ignore-missing', '--stdin', '--not', '--all'];
  return (await repository.run(args, { input: `${oids.join('\n')}\n` })) !== '';
}
