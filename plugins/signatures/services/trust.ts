import type { Trust } from '@mortise/contents/api';
import type { TrustModel } from '@mortise/repositories/api';

export interface Signer {
  /** Owner or collaborator of the repository, or the site itself. */
  readonly isMember: boolean;
  readonly isCommitter: boolean;
}

/** What a trust model makes of a signature by a key that is known. */
export function trustOf(model: Exclude<TrustModel, 'default'>, { isMember, isCommitter }: Signer): Trust {
  const trusted = {
    collaborator: isMember,
    committer: isCommitter,
    collaboratorcommitter: isMember && isCommitter,
  }[model];
  if (trusted) return 'trusted';
  return isCommitter ? 'untrusted' : 'unmatched';
}
