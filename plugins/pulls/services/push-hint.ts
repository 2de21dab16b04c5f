import { isZeroOid, type PushHint } from '@mortise/git/api';
import type { Repositories, Repository, RepositoryAccess } from '@mortise/repositories/api';
import type { PullReader } from './pull-reader.js';

const heads = 'refs/heads/';
/** More branches than these are not told of: the push was a mirror, and nobody reads so much. */
const maxBranches = 5;

interface Deps {
  readonly repositories: Repositories;
  readonly repositoryAccess: RepositoryAccess;
  readonly reader: PullReader;
}

const encoded = (branch: string) => branch.split('/').map(encodeURIComponent).join('/');

/** After a push, in the terminal: where the pull request of a branch is, or can be made. */
export const pullHint = ({ repositories, repositoryAccess, reader }: Deps): PushHint => ({
  key: 'pulls',
  order: 50,
  async lines({ repositoryId, kind, updates, pusher }) {
    if (kind !== 'code') return [];
    const branches = updates
      .filter(({ ref, new: oid }) => ref.startsWith(heads) && !isZeroOid(oid))
      .map(({ ref }) => ref.slice(heads.length));
    const repository =
      branches.length && branches.length <= maxBranches ? await repositories.byId(repositoryId) : undefined;
    if (!repository) return [];
    const parent = repository.forkOfId ? await repositories.byId(repository.forkOfId) : undefined;
    const base = [parent, repository].find((one) => one && takesPulls(one));
    if (!base) return [];
    const lines: string[] = [];
    for (const branch of branches) {
      if (branch === repository.defaultBranch) continue;
      const [open] = await reader.openFrom(repository.id, branch);
      const target = open ? await repositories.byId(open.repositoryId) : undefined;
      const maySee = target && (await repositoryAccess.context(pusher, target)).may('read', 'pulls');
      if (open && target && maySee) {
        lines.push('', 'Visit the existing pull request:', `  ${repositories.htmlUrl(target)}/pulls/${open.index}`);
        continue;
      }
      const name = base.id === repository.id ? branch : `${repository.ownerName}/${repository.name}:${branch}`;
      const address = `${repositories.htmlUrl(base)}/compare/${encoded(base.defaultBranch)}...${encoded(name)}`;
      lines.push('', `Create a pull request for '${branch}':`, `  ${address}`);
    }
    return lines.length ? [...lines, ''] : [];
  },
});

const takesPulls = ({ units, isArchived, isEmpty }: Repository): boolean =>
  !isArchived && !isEmpty && units.some(({ key, enabled }) => key === 'pulls' && enabled);
