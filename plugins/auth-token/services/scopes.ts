import {
  BadRequest,
  type AddedTokenCategory,
  type PointReader,
  type TokenCategory,
  type TokenLevel,
} from '@mortise/plugin-sdk';
import type { OfferedCategory, Scopes, TokenScopes } from '../contract/auth-token.js';
import { t } from '../texts/index.js';

/** In the order in which scopes are listed (TOK-11). */
const own = [
  'activitypub',
  'admin',
  'misc',
  'notification',
  'organization',
  'package',
  'issue',
  'repository',
  'user',
] as const;

const rank: Record<TokenLevel, number> = { none: 0, read: 1, write: 2, delete: 3 };
const isLevel = (word: string): word is TokenLevel => word !== 'none' && Object.hasOwn(rank, word);

/** Words of token scopes: the categories of the specification, then those of plugins. */
export class ScopeSyntax implements TokenScopes {
  #categories: readonly OfferedCategory[] | undefined;

  constructor(private readonly added: Pick<PointReader<AddedTokenCategory>, 'list'>) {}

  get categories(): readonly OfferedCategory[] {
    return (this.#categories ??= [
      ...own.map((key) => ({ key, label: t.later(`scope.${key}`), note: t.later(`scopeNote.${key}`) })),
      ...this.added.list(),
    ]);
  }

  read(words: readonly string[]): Scopes {
    return this.#read(words, (word) => {
      throw BadRequest(`Unknown scope: ${word.slice(0, 100)}`);
    });
  }

  readStored(words: readonly string[]): Scopes {
    return this.#read(words, () => undefined);
  }

  #read(words: readonly string[], unknown: (word: string) => void): Scopes {
    const held: Partial<Record<TokenCategory, TokenLevel>> = {};
    let publicOnly = false;
    let everything = false;
    for (const word of words) {
      if (word === 'all') everything = true;
      else if (word === 'public-only') publicOnly = true;
      else {
        const [level, category, ...rest] = word.split(':') as [string, string, ...string[]];
        if (rest.length > 0 || !isLevel(level) || !this.categories.some(({ key }) => key === category)) unknown(word);
        else if (rank[level] > rank[held[category] ?? 'none']) held[category] = level;
      }
    }
    if (this.categories.every(({ key }) => rank[held[key] ?? 'none'] >= rank.write)) everything = true;
    return everything ? { publicOnly } : { categories: held, publicOnly };
  }

  write(scopes: Scopes): string[] {
    const words = scopes.publicOnly ? ['public-only'] : [];
    if (!scopes.categories) return [...words, 'all'];
    for (const { key } of this.categories) {
      const level = scopes.categories[key];
      if (level && level !== 'none') words.push(`${level}:${key}`);
    }
    return words;
  }

  exceeds(wanted: Scopes, held: Scopes['categories']): boolean {
    if (!held) return false;
    if (!wanted.categories) return true;
    return Object.entries(wanted.categories).some(
      ([category, level]) => rank[level ?? 'none'] > rank[held[category] ?? 'none'],
    );
  }
}
