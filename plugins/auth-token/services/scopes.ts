import { BadRequest, type TokenCategory, type TokenLevel } from '@mortise/plugin-sdk';
import type { Scopes } from '../api.js';

/** In the order in which scopes are listed (TOK-11). */
export const categories: readonly TokenCategory[] = [
  'activitypub',
  'admin',
  'misc',
  'notification',
  'organization',
  'package',
  'issue',
  'repository',
  'user',
];

const rank: Record<TokenLevel, number> = { none: 0, read: 1, write: 2, delete: 3 };

/** What a list of scope words means; throws BadRequest for an unknown word (TOK-03, TOK-13). */
export function readScopes(words: readonly string[]): Scopes {
  const held: Partial<Record<TokenCategory, TokenLevel>> = {};
  let publicOnly = false;
  let everything = false;
  for (const word of words) {
    if (word === 'all') everything = true;
    else if (word === 'public-only') publicOnly = true;
    else {
      const [level, category, ...rest] = word.split(':') as [TokenLevel, TokenCategory, ...string[]];
      if (rest.length > 0 || !['read', 'write', 'delete'].includes(level) || !categories.includes(category)) {
        throw BadRequest(`Unknown scope: ${word.slice(0, 100)}`);
      }
      if (rank[level] > rank[held[category] ?? 'none']) held[category] = level;
    }
  }
  if (categories.every((category) => rank[held[category] ?? 'none'] >= rank.write)) everything = true;
  return everything ? { publicOnly } : { categories: held, publicOnly };
}

/** The normal form: no scope twice, none that another includes, the full set is `all`. */
export function writeScopes(scopes: Scopes): string[] {
  const words = scopes.publicOnly ? ['public-only'] : [];
  if (!scopes.categories) return [...words, 'all'];
  for (const category of categories) {
    const level = scopes.categories[category];
    if (level && level !== 'none') words.push(`${level}:${category}`);
  }
  return words;
}

/** Does `wanted` go beyond `own`? (TOK-28) */
export function exceeds(wanted: Scopes, own: Scopes['categories']): boolean {
  if (!own) return false;
  if (!wanted.categories) return true;
  return Object.entries(wanted.categories).some(
    ([category, level]) => rank[level] > rank[own[category as TokenCategory] ?? 'none'],
  );
}
