/** The page that searches everything. */
import { definePoint, type Actor, type Keyed, type Text } from '@mortise/plugin-sdk';

/** One row of results. */
export interface SearchHit {
  /** On this site, with its path (`site.path`). */
  readonly href: string;
  readonly title: string;
  /** Octicon name, and what it says to who does not see it. */
  readonly icon: string;
  readonly iconLabel?: Text;
  readonly tone?: 'open' | 'done' | 'closed' | 'muted';
  /** Where it is, for instance the repository of an issue. */
  readonly location?: { readonly label: string; readonly href: string };
  /** Some of its text; see {@link excerptOf}. */
  readonly excerpt?: string;
  /** Lines of code around the one where it was found. */
  readonly lines?: readonly SearchLine[];
  /** Milliseconds since 1970 UTC. */
  readonly at?: number;
}

/** A line of code among results. */
export interface SearchLine {
  readonly number: number;
  readonly text: string;
  readonly isFound: boolean;
}

/** What results can be narrowed by: a list with options, else a field for text. */
export interface SearchFilter extends Keyed {
  readonly label: Text;
  readonly options?: readonly { readonly value: string; readonly label: Text }[];
  /** The options are `choices` of the results. */
  readonly isChosenFromResults?: boolean;
}

interface SearchRequest {
  /** Never empty. */
  readonly text: string;
  readonly actor: Actor;
  /** What was chosen, by the key of the filter; at most 100 characters each, none of them empty. */
  readonly filters: Readonly<Record<string, string | undefined>>;
  readonly limit: number;
  readonly offset: number;
}

interface SearchResults {
  readonly items: readonly SearchHit[];
  readonly total: number;
  /** By the key of a filter, what it can be set to. */
  readonly choices?: Readonly<Record<string, readonly string[]>>;
}

/** Extension point: what the page at `/search` looks for, each in a tab of its own. At most six queries for a page. */
export interface SearchKind extends Keyed {
  readonly label: Text;
  /** Octicon name. */
  readonly icon: string;
  readonly order?: number;
  /** In small letters, and other than `q`, `type` and `page`. Those that another kind has too stay when the tab is changed. */
  readonly filters?: readonly SearchFilter[];
  /** Only what the actor may see, filtered in SQL. */
  search(request: SearchRequest): Promise<SearchResults>;
}
export const searchKinds = definePoint.keyed<SearchKind>('search.kinds');

/** The part of a text around the first word of what is looked for, in one line. */
export function excerptOf(text: string, searched: string, maxLength = 200): string {
  const line = text
    .slice(0, 64 * 1024)
    .replace(/\s+/g, ' ')
    .trim();
  if (line.length <= maxLength) return line;
  const [word = ''] = /[\p{L}\p{N}]+/u.exec(searched) ?? [];
  const at = word ? line.toLowerCase().indexOf(word.toLowerCase()) : 0;
  const from = Math.max(0, Math.min(at - maxLength / 4, line.length - maxLength));
  const begin = from === 0 ? 0 : line.indexOf(' ', from) + 1 || from;
  // a pair of surrogates is not cut apart
  const part = line
    .slice(begin, begin + maxLength)
    .replace(/[\ud800-\udbff]$/, '')
    .replace(/^[\udc00-\udfff]/, '');
  return `${begin > 0 ? '…' : ''}${part.trim()}${begin + maxLength < line.length ? '…' : ''}`;
}
