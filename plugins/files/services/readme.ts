import { followLinks, type GitRepository, type TreeEntry } from '@mortise/git/api';

/** Folders whose readme speaks for the whole repository where its root has none. */
const otherFolders = ['.mortise', '.gitea', '.github', 'docs'];

/** `readme`, `README.md`, `readme.rst`; a language behind the name comes after those without. */
const readmes = /^readme(?:[._-]([a-z]{2,3}(?:[-_][a-z]{2,4})?))?(?:\.([a-z0-9]+))?$/i;

interface Readme {
  readonly name: string;
  /** Of its folder; empty: the root. */
  readonly folder: string;
  readonly oid: string;
  /** Where its text lies: elsewhere for a symbolic link. */
  readonly path: string;
}

/** The readme that is shown with a folder: one that is rendered rather than plain text, Markdown first. */
export async function findReadme(
  git: Pick<GitRepository, 'tree' | 'entry' | 'info' | 'blob'>,
  commit: string,
  folder: string,
  canRender: (name: string) => boolean,
): Promise<Readme | undefined> {
  for (const path of folder ? [folder] : ['', ...otherFolders]) {
    const entry = path ? await git.entry(commit, path) : undefined;
    if (path && entry?.type !== 'tree') continue;
    for (const { name, mode, oid } of candidates(await git.tree(entry?.oid ?? commit), canRender)) {
      const own = path ? `${path}/${name}` : name;
      if (mode !== '120000') return { name, folder: path, oid, path: own };
      const target = await followLinks(git, commit, own);
      if (target?.type === 'blob') return { name, folder: path, oid: target.oid, path: target.path };
    }
  }
  return undefined;
}

/** Files that may be the readme of their folder, the best first; few have more than a handful. */
function candidates(entries: readonly TreeEntry[], canRender: (name: string) => boolean): TreeEntry[] {
  return entries
    .flatMap((entry) => {
      const rank = entry.type === 'blob' && readmes.test(entry.name) ? rankOf(entry.name, canRender) : undefined;
      return rank === undefined ? [] : [{ entry, rank }];
    })
    .sort((a, b) => a.rank - b.rank)
    .slice(0, 10)
    .map(({ entry }) => entry);
}

/** The lower the better; undefined: no readme, but a script or a picture of that name. */
function rankOf(name: string, canRender: (name: string) => boolean): number | undefined {
  const isTranslated = name.split('.').length > 2;
  const isPlain = /^readme(?:\.txt)?$/i.test(name);
  if (!canRender(name) && !isPlain) return undefined;
  return (isTranslated ? 10 : 0) + (isPlain ? 5 : /\.(?:md|markdown)$/i.test(name) ? 0 : 1);
}
