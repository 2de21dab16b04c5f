import type { MemoryCache } from '@mortise/plugin-sdk';
import type { GitRepository } from '@mortise/git/api';

interface RefLabel {
  readonly kind: 'branch' | 'tag';
  readonly name: string;
}

/** The branches and tags that point at a commit. */
export interface RefLabels {
  /** The first branches and the first tags. */
  readonly shown: readonly RefLabel[];
  /** How many more there are. */
  readonly more: number;
}

/** Of each kind, at one commit. */
const maxShown = 3;
/** Tags that are followed to their commits; of a repository with more, only lightweight tags are found. */
const maxTags = 500;

/** Branches and tags of each commit that has any. */
export async function refLabels(
  cache: MemoryCache<unknown>,
  git: GitRepository,
  oids: readonly string[],
): Promise<ReadonlyMap<string, RefLabels>> {
  const wanted = new Set(oids);
  const labels = new Map<string, { shown: RefLabel[]; more: number }>();
  const add = (oid: string | undefined, label: RefLabel) => {
    if (!oid || !wanted.has(oid)) return;
    const own = labels.get(oid) ?? { shown: [], more: 0 };
    labels.set(oid, own);
    if (own.shown.filter(({ kind }) => kind === label.kind).length < maxShown) own.shown.push(label);
    else own.more++;
  };
  const [branches, tags] = await Promise.all([git.branches(), git.tags()]);
  for (const { oid, name } of branches) add(oid, { kind: 'branch', name });
  const commits = await Promise.all(
    tags.map(({ oid }) => (tags.length > maxTags || wanted.has(oid) ? oid : commitOf(cache, git, oid))),
  );
  tags.forEach(({ name }, index) => add(commits[index], { kind: 'tag', name }));
  return labels;
}

/** What a tag finally names; undefined where that cannot be read now. */
const commitOf = (cache: MemoryCache<unknown>, git: GitRepository, oid: string): Promise<string | undefined> =>
  cache
    .load(`tag:${git.id}:${oid}`, async () => (await git.peel(oid))?.oid)
    .then(
      (commit) => commit as string | undefined,
      () => undefined,
    );
