import type { MemoryCache } from '@mortise/plugin-sdk';
import type { GitRepository } from '@mortise/git/api';
import { withoutCorruptObjects } from '../contract/corrupt-object.js';

/** A branch or tag by its short name. */
export interface NamedRef {
  readonly kind: 'branch' | 'tag';
  readonly name: string;
}

const maxBytes = 32 << 20;

/** Branches and tags, the newest first; kept while no reference moves. */
export async function recentRefs(cache: MemoryCache<unknown>, git: GitRepository): Promise<readonly NamedRef[]> {
  const state = await git.state();
  const read = () => withoutCorruptObjects(sorted(git), undefined).then((refs) => refs ?? byName(git));
  if (state === undefined) return read();
  const key = `newest:${git.id}:${state}`;
  return (await cache.load(key, read, { size: (list) => 64 * (list as unknown[]).length + 64 })) as readonly NamedRef[];
}

async function sorted(git: GitRepository): Promise<NamedRef[]> {
  const text = await git.run(
    ['for-each-ref', '--sort=-creatordate', '--format=%(refname)', 'refs/heads/', 'refs/tags/'],
    { maxBytes },
  );
  return text.split('\n').flatMap((line): NamedRef[] => {
    const [, space, name] = /^refs\/(heads|tags)\/(.+)$/.exec(line) ?? [];
    return name ? [{ kind: space === 'heads' ? 'branch' : 'tag', name }] : [];
  });
}

/** Where an object of a reference cannot be read, nobody knows its time. */
async function byName(git: GitRepository): Promise<NamedRef[]> {
  const [branches, tags] = await Promise.all([git.branches(), git.tags()]);
  return [
    ...branches.map(({ name }): NamedRef => ({ kind: 'branch', name })),
    ...tags.map(({ name }): NamedRef => ({ kind: 'tag', name })),
  ];
}

/** Those that hold the words; what is called so, or begins so, stands first. */
export function searchRefs<T extends { readonly name: string }>(refs: readonly T[], text: string): readonly T[] {
  const word = text.trim().toLowerCase();
  if (!word) return refs;
  const ranks: T[][] = [[], [], []];
  for (const ref of refs) {
    const name = ref.name.toLowerCase();
    const position = name.indexOf(word);
    if (position >= 0) ranks[name === word ? 0 : position === 0 ? 1 : 2]!.push(ref);
  }
  return ranks.flat();
}
