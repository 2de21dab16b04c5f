/** Eight hundred modules: loaded with the first question (`services/language-table.ts`). */
import * as all from 'linguist-languages';

/** What is known of a language: its type, the one that it counts as, and how its files are named. */
export interface KnownLanguage {
  readonly name: string;
  readonly type: 'programming' | 'markup' | 'data' | 'prose';
  readonly group?: string;
  readonly color?: string;
  readonly aliases: readonly string[];
  /** With their dot; the first one is its own. */
  readonly extensions: readonly string[];
  readonly filenames: readonly string[];
}

export const knownLanguages: readonly KnownLanguage[] = Object.values(
  all as unknown as Readonly<Record<string, Partial<KnownLanguage>>>,
).map(({ name = '', type = 'data', group, color, aliases = [], extensions = [], filenames = [] }) => ({
  name,
  type,
  group,
  color,
  aliases,
  extensions,
  filenames,
}));
