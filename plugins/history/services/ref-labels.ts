import type { MemoryCache } from '@mortise/plugin-sdk';
import type { GitRepository } from '@mortise/git/api';

export interface RefLabel {
  readonly kind: 'branch' | 'tag';
  readonly name: string;
}

/** Tags that are followed to their commits; of a repository with more, only lightweight tags are found. */
const maxTags = 500;

/** Branches and tags of each commit that has any, branches first. */
export async function refLabels(
  cache: MemoryCache<unknown>,
  git: GitRepository,
  oids: readonly string[],
): Promise<ReadonlyMap<string, readonly RefLabel[]>> {
  const wanted = new Set(oids);
  const labels = new Map<string, RefLabel[]>();
  const add = (oid: string | undefined, label: RefLabel) => {
    if (oid && wanted.has(oid)) labels.set(oid, [...(labels.get(oid) ?? []), label]);
  };
  const [branches, tags] = await Promise.all([git.branches(), git.tags()]);
  for (const { oid, name } of branches) add(oid, { kind: 'branch', name });
  if (tags.length > maxTags) {
    for (const { oid, name } of tags) add(oid, { kind: 'tag', name });
    return labels;
  }
  const commits = await Promise.all(tags.map(({ oid }) => commitOf(cache, git, oid)));
  tags.forEach(({ name }, index) => add(commits[index], { kind: 'tag', name }));
  return labels;
}

/** What a tag finally names; undefined where its object is damaged. */
const commitOf = (cache: MemoryCache<unknown>, git: GitRepository, oid: string) =>
  cache.load(`tag:${git.id}:${oid}`, () =>
    git.peel(oid).then(
      (target) => target?.oid,
      () => undefined,
    ),
  ) as Promise<string | undefined>;
