import { isZeroOid, type GitReader, type PushHint } from '@mortise/git/api';
import type { Repositories, RepositoryAccess } from '@mortise/repositories/api';
import type { CodeOwners, OwnersResult } from './code-owners.js';

const heads = 'refs/heads/';
/** Branches that are told of, and names that a line has. */
const maxBranches = 5;
const maxNames = 20;
const maxPaths = 10_000;

/** Names of people and teams, and addresses, each once. */
export const ownersIn = (found: OwnersResult): string[] =>
  found === 'unreadable' ? [] : [...new Set(found.parts.flatMap(({ names }) => names))];

interface Deps {
  readonly repositories: Repositories;
  readonly repositoryAccess: RepositoryAccess;
  readonly gitReader: GitReader;
  readonly owners: CodeOwners;
}

/** After a push, in the terminal: whom a pull request of the branch would ask, since what it changes is theirs. */
export const ownersHint = ({ repositories, repositoryAccess, gitReader, owners }: Deps): PushHint => ({
  key: 'reviews.owners',
  order: 60,
  async lines({ repositoryId, kind, updates, pusher }) {
    if (kind !== 'code') return [];
    const pushed = updates.filter(({ ref, new: oid }) => ref.startsWith(heads) && !isZeroOid(oid));
    const repository =
      pushed.length && pushed.length <= maxBranches ? await repositories.byId(repositoryId) : undefined;
    if (!repository || repository.isEmpty) return [];
    const parent = repository.forkOfId ? await repositories.byId(repository.forkOfId) : undefined;
    const maySee = parent && (await repositoryAccess.context(pusher, parent)).may('read', 'code');
    const base = maySee ? parent : repository;
    const git = gitReader.open(repository.id);
    const start = await git.branch(repository.defaultBranch);
    if (!start) return [];
    const lines: string[] = [];
    for (const { ref, new: oid } of pushed) {
      const branch = ref.slice(heads.length);
      if (branch === repository.defaultBranch) continue;
      const from = await git.mergeBase(start.oid, oid);
      if (!from) continue;
      const changes = await git.changes(from, oid, { stats: false });
      if (changes.length > maxPaths) continue;
      const names = ownersIn(
        await owners.of(
          base,
          changes.map(({ path }) => path),
          pusher,
        ),
      );
      if (names.length === 0) continue;
      const more = names.length > maxNames ? ', …' : '';
      lines.push(`Code owners of what '${branch}' changes:`, `  ${names.slice(0, maxNames).join(', ')}${more}`);
    }
    return lines.length ? [...lines, ''] : [];
  },
});
