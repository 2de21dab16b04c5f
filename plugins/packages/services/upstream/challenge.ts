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

/** `auth.docker.io` is of the same site as `registry-1.docker.io`; never less secure than it. */
export function isOfSameSite(realm: URL, registry: URL): boolean {
  if (realm.protocol !== 'https:' && realm.protocol !== registry.protocol) return false;
  if (realm.host === registry.host) return true;
  const parent = registry.hostname.slice(registry.hostname.indexOf('.') + 1);
  const isName = parent.includes('.') && !/^[\d.]+$/.test(registry.hostname);
  return isName && (realm.hostname === parent || realm.hostname.endsWith(`.${parent}`));
}
