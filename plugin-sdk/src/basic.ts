/** Name and password of a `Basic` authorization header (RFC 7617); undefined when it is none or broken. */
export function readBasic(
  header: string | undefined,
): { readonly user: string; readonly password: string } | undefined {
  const encoded = /^basic +([A-Za-z0-9+/_-]+={0,2}) *$/i.exec(header ?? '')?.[1];
  if (!encoded) return undefined;
  const text = Buffer.from(encoded, 'base64').toString('utf8');
  const colon = text.indexOf(':');
  if (colon < 0) return undefined;
  const user = text.slice(0, colon);
  const password = text.slice(colon + 1);
  return user || password ? { user, password } : undefined;
}
