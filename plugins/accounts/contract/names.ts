/**
 * The account name for a name from outside: an OpenID Connect claim, a directory entry, a proxy header, a Kerberos
 * principal. The part before the `@` of an address, without accents and quotes, with hyphens as separators. Undefined
 * where other characters are left: dropping them might give the name of another user (`ada$`).
 */
export function externalAccountName(external: string): string | undefined {
  const name = external
    .normalize('NFKD')
    .replace(/\p{Mn}/gu, '')
    .trim()
    .replace(/@.*$/, '')
    .replace(/['’´`]/g, '')
    .replace(/[\s~+]+/g, '-')
    .replace(/[-._]{2,}/g, '-')
    .replace(/^[-._]+|[-._]+$/g, '');
  return /^[\dA-Za-z._-]{1,40}$/.test(name) ? name : undefined;
}

/**
 * The one spelling of what was typed as a name or address: compatibility forms such as full-width letters made plain,
 * without invisible characters and outer spaces. Directories compare names like this too (RFC 4518), so two spellings
 * must not count as two names. Letter case is left for sources that tell it apart; comparisons here ignore it. Control
 * characters stay: nobody types them, and a name that has one belongs to nobody.
 */
export function signInName(typed: string): string {
  return typed
    .normalize('NFKC')
    .replace(/\p{Z}+|[\t-\r]+/gu, ' ')
    .replace(/\p{Cf}/gu, '')
    .trim();
}
