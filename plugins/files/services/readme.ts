import type { GitRepository, TreeEntry } from '@mortise/git/api';

/** Folders whose readme speaks for the whole repository where its root has none. */
const besides = ['.mortise', '.gitea', '.github', 'docs'];

/** `readme`, `README.md`, `readme.rst`; a language behind the name comes after those without. */
const readmes = /^readme(?:[._-]([a-z]{2,3}(?:[-_][a-z]{2,4})?))?(?:\.([a-z0-9]+))?$/i;

export interface Readme {
  readonly name: string;
  /** Of its folder; empty: the root. */
  readonly folder: string;
  readonly oid: string;
}

/** The readme that is shown with a folder: one that is rendered rather than plain text, Markdown first. */
export async function findReadme(
  git: Pick<GitRepository, 'tree' | 'entry'>,
  commit: string,
  folder: string,
  canRender: (name: string) => boolean,
): Promise<Readme | undefined> {
  for (const path of folder ? [folder] : ['', ...besides]) {
    const entry = path ? await git.entry(commit, path) : undefined;
    if (path && entry?.type !== 'tree') continue;
    const found = best(await git.tree(entry?.oid ?? commit), canRender);
    if (found) return { name: found.name, folder: path, oid: found.oid };
  }
  return undefined;
}

function best(entries: readonly TreeEntry[], canRender: (name: string) => boolean): TreeEntry | undefined {
  let chosen: { entry: TreeEntry; rank: number } | undefined;
  for (const entry of entries) {
    const found = entry.type === 'blob' && entry.mode !== '120000' ? readmes.exec(entry.name) : null;
    if (!found) continue;
    const rank = rankOf(entry.name, canRender);
    if (rank !== undefined && (!chosen || rank < chosen.rank)) chosen = { entry, rank };
  }
  return chosen?.entry;
}

/** The lower the better; undefined: no readme, but a script or a picture of that name. */
function rankOf(name: string, canRender: (name: string) => boolean): number | undefined {
  const isTranslated = name.split('.').length > 2;
  const isPlain = /^readme(?:\.txt)?$/i.test(name);
  if (!canRender(name) && !isPlain) return undefined;
  return (isTranslated ? 10 : 0) + (isPlain ? 5 : /\.(?:md|markdown)$/i.test(name) ? 0 : 1);
}
