import type { GitReader, GitStore } from '@mortise/git/api';
import type { Repositories } from '../api.js';
import type { LicenseDetector } from './licenses.js';

/** Facts that follow from git: all derive from the references as they are now. */
export async function updateDerivedProperties(
  deps: { reader: GitReader; store: GitStore; licenses: LicenseDetector },
  repositoryId: number,
  defaultBranch: string,
): Promise<Parameters<Repositories['setDerived']>[1]> {
  const git = deps.reader.open(repositoryId);
  const branches = await git.branches();
  const head = branches.find((one) => one.name === defaultBranch);
  const languages = head ? await git.languages(head.oid) : {};
  const [main] = Object.entries(languages).sort(([, one], [, other]) => other - one);
  return {
    isEmpty: branches.length === 0,
    branchCount: branches.length,
    language: main?.[0] ?? '',
    licenses: head ? await deps.licenses.of(git, head.oid) : [],
    sizeBytes: await deps.store.size(repositoryId),
  };
}
