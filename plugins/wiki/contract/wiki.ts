/** The contract of `wiki`: what other plugins can learn of the pages of a repository's wiki. */
import { defineService } from '@mortise/plugin-sdk';

/** A page by its names. */
export interface WikiEntry {
  /** As people read it: `Well-Known`, `Guide/Chapter One`. */
  readonly title: string;
  /** As it stands in addresses, escaped: `Well-Known.-`, `Guide%2FChapter-One`. */
  readonly name: string;
  /** As it lies in the wiki's git repository: `Well-Known.-.md`. */
  readonly path: string;
  /** Object id of its text. */
  readonly oid: string;
}

export interface Wikis {
  /** The pages of the wiki's root folder, or with `folders` of all folders, in git's order; undefined: no wiki yet. */
  pages(repositoryId: number, options?: { readonly folders?: boolean }): Promise<readonly WikiEntry[] | undefined>;
  /** A page by its name in addresses (still escaped), at a commit or else at the head of the wiki. */
  find(repositoryId: number, name: string, commit?: string): Promise<WikiEntry | undefined>;
  /** The head of the wiki: its branch, and the commit while there is one. */
  head(repositoryId: number): Promise<{ readonly branch: string; readonly commit?: string }>;
}
export const wikis = defineService<Wikis>('wiki.wikis');
