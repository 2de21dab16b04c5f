import type { GitReader, GitStore } from '@mortise/git/api';
import type { Repositories } from '../api.js';
import type { LicenseDetector } from './licenses.js';

/** Facts that follow from git: all derive from the references as they are now. */
export async function deriveFacts(
  deps: { reader: GitReader; store: GitStore; licenses: LicenseDetector },
  repositoryId: number,
  defaultBranch: string,
): Promise<Parameters<Repositories['setDerived']>[1]> {
  const facts = deps.reader.open(repositoryId);
  const branches = await facts.branches();
  const head = branches.find((one) => one.name === defaultBranch);
  const languages = head ? await facts.languages(head.oid) : {};
  const [main] = Object.entries(languages).sort(([, one], [, other]) => other - one);
  return {
    isEmpty: branches.length === 0,
    branchCount: branches.length,
    language: main?.[0] ?? '',
    licenses: head ? await deps.licenses.of(facts, head.oid) : [],
    sizeBytes: await deps.store.size(repositoryId),
  };
}
