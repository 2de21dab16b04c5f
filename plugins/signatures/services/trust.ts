import type { Trust } from '@mortise/history/api';
import { trustModels, type TrustModel } from '@mortise/repositories/api';

/** What a site can choose for the repositories that choose nothing. */
export type SiteTrustModel = Exclude<TrustModel, 'default'>;
export const siteTrustModels = trustModels.filter((model): model is SiteTrustModel => model !== 'default');

interface Signer {
  /** Owner or collaborator of the repository, or the site itself. */
  readonly isMember: boolean;
  readonly isCommitter: boolean;
}

/** What a trust model makes of a signature by a key that is known. */
export function trustOf(model: SiteTrustModel, { isMember, isCommitter }: Signer): Trust {
  const trusted = {
    collaborator: isMember,
    committer: isCommitter,
    collaboratorcommitter: isMember && isCommitter,
  }[model];
  if (trusted) return 'trusted';
  return isCommitter ? 'untrusted' : 'unmatched';
}
