import { NotFound } from '@mortise/plugin-sdk';
import type { GitRepository } from '@mortise/git/api';
import type { Repository } from '@mortise/repositories/api';
import type { Place } from './reading.js';

export interface PlacedPath {
  readonly place: Place;
  readonly path: string;
}

/** Splits `f/one/docs/a.md` behind `/src/branch/`: names with slashes are looked up in the table of references. */
export async function splitPlace(git: GitRepository, kind: Place['kind'], rest: string): Promise<PlacedPath> {
  const segments = rest.split('/').filter(Boolean);
  if (kind === 'commit') {
    const found = await commitAt(git, segments);
    if (!found) throw NotFound(`commit ${segments[0] ?? ''} does not exist`);
    return found;
  }
  const found = await prefixOf(git, kind, segments);
  if (!found) throw NotFound(`${kind} ${segments[0] ?? ''} does not exist`);
  return found;
}

/** `branch/f/one/docs/a.md`, or the older form without the kind. */
export async function placeInPath(git: GitRepository, repository: Repository, rest: string): Promise<PlacedPath> {
  const [, kind, path] = /^(branch|tag|commit)\/(.*)$/s.exec(rest) ?? [];
  if (kind) return splitPlace(git, kind as Place['kind'], path!);
  const found = await guessPlace(git, repository.defaultBranch, rest);
  if (!found) throw NotFound('file');
  return found;
}

async function commitAt(git: GitRepository, segments: readonly string[]): Promise<PlacedPath | undefined> {
  const [id = ''] = segments;
  const oid = /^[0-9a-f]{4,64}$/.test(id) ? await git.expand(id) : undefined;
  if (!oid || (await git.info(oid))?.type !== 'commit') return undefined;
  return { place: { kind: 'commit', name: oid, commit: oid }, path: segments.slice(1).join('/') };
}

/** The branch or tag that the path begins with; the longest one, though git allows no name below another. */
async function prefixOf(
  git: GitRepository,
  kind: 'branch' | 'tag',
  segments: readonly string[],
): Promise<PlacedPath | undefined> {
  for (let count = Math.min(segments.length, 12); count > 0; count--) {
    const name = segments.slice(0, count).join('/');
    const ref = kind === 'branch' ? await git.branch(name) : await git.tag(name);
    const commit = ref && (await git.peel(ref.oid));
    if (commit?.type === 'commit')
      return { place: { kind, name, commit: commit.oid }, path: segments.slice(count).join('/') };
  }
  return undefined;
}

/** A path that may begin with a branch, tag or commit id, else stands in the default branch. */
export async function guessPlace(
  git: GitRepository,
  defaultBranch: string,
  rest: string,
): Promise<PlacedPath | undefined> {
  const segments = rest.split('/').filter(Boolean);
  const named = (await prefixOf(git, 'branch', segments)) ?? (await prefixOf(git, 'tag', segments));
  if (named) return named;
  const byId = (segments[0]?.length ?? 0) >= 7 ? await commitAt(git, segments) : undefined;
  if (byId) return byId;
  const branch = await git.branch(defaultBranch);
  return branch && { place: { kind: 'branch', name: defaultBranch, commit: branch.oid }, path: segments.join('/') };
}
