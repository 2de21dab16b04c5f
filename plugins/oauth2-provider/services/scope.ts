import type { Scopes, TokenScopes } from '@mortise/auth-token/api';

/** Words of OpenID Connect; everything else is a scope of tokens. */
export const identityWords = ['openid', 'profile', 'email', 'groups'] as const;
const isIdentity = (word: string) => (identityWords as readonly string[]).includes(word);
const forTokens = (scope: readonly string[]) => scope.filter((word) => !isIdentity(word));

/**
 * The words of a request's `scope`, each once; none at all mean everything, as programs expect that know no scopes.
 * Throws BadRequest for an unknown word.
 */
export function readScope(text: string, words: TokenScopes): readonly string[] {
  const given = [...new Set(text.split(/[\s,]+/).filter(Boolean))];
  words.read(forTokens(given));
  return given.length === 0 ? ['all'] : given;
}

/**
 * What an access token may do. Words of OpenID Connect alone: tell who it is; `public-only` keeps it from the settings and
 * addresses of the account.
 */
export function scopesOf(scope: readonly string[], words: TokenScopes): Scopes {
  const held = words.readStored(forTokens(scope));
  const isEmpty = held.categories && Object.keys(held.categories).length === 0;
  return isEmpty ? { categories: { user: 'read' }, publicOnly: true } : held;
}

/** Is everything that is wanted in what was granted? */
export function covers(granted: readonly string[], wanted: readonly string[], words: TokenScopes): boolean {
  const [held, asked] = [scopesOf(granted, words), scopesOf(wanted, words)];
  return (
    wanted.every((word) => !isIdentity(word) || granted.includes(word)) &&
    !words.exceeds(asked, held.categories) &&
    (asked.publicOnly || !held.publicOnly)
  );
}

/** What was granted before and now; of a grant that is limited to what is public, and one that is not, the later one. */
export function joined(before: readonly string[], now: readonly string[], words: TokenScopes): readonly string[] {
  if (covers(before, now, words)) return before;
  const isPublicOnly = now.includes('public-only');
  if (before.includes('public-only') !== isPublicOnly) return now;
  const both = [...new Set([...before, ...now])];
  const identity = both.filter(isIdentity);
  return [...identity, ...words.write({ ...words.readStored(forTokens(both)), publicOnly: isPublicOnly })];
}
