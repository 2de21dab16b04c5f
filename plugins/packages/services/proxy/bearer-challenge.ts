/** `WWW-Authenticate: Bearer realm="…",service="…",scope="…"`. */
export interface BearerChallenge {
  readonly realm: string;
  readonly service?: string;
  readonly scope?: string;
}

export function bearerOf(headers: Readonly<Record<string, string>>): BearerChallenge | undefined {
  const text = (headers['www-authenticate'] ?? '').slice(0, 4096);
  const at = /(?:^|,\s*)bearer\s+/i.exec(text);
  if (!at) return undefined;
  const values: Record<string, string> = {};
  for (const [, name, value] of text.slice(at.index + at[0].length).matchAll(/([a-z_]+)="([^"]*)"/gi))
    values[name!.toLowerCase()] ??= value!;
  const { realm = '', service, scope } = values;
  if (!URL.canParse(realm) || !/^https?:/i.test(realm)) return undefined;
  return { realm, ...(service && { service }), ...(scope && { scope }) };
}

/** The Docker Hub alone signs in on another host, its own. */
const hubHost = /(?:^|\.)docker\.io$/;
const hubSignIn = 'auth.docker.io';

/**
 * May the sign-in have the credentials? Never less secure than the registry, and never a neighbour of it; another host only
 * where the operator names it.
 */
export function isSignInOf(registry: URL, realm: URL, named = ''): boolean {
  if (realm.protocol !== 'https:' && realm.protocol !== registry.protocol) return false;
  if (realm.host === registry.host || (named !== '' && realm.host === named.toLowerCase())) return true;
  return realm.protocol === 'https:' && realm.host === hubSignIn && hubHost.test(registry.hostname);
}
