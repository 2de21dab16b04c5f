/** Addresses that browsers are sent to with a code (RFC 6749 3.1.2, RFC 8252). */
const maxUri = 2000;

const loopback = new Set(['127.0.0.1', '[::1]', 'localhost']);

/** May an application register it: absolute, with an allowed scheme, without a fragment or credentials. */
export function isRedirectUri(text: string, schemes: readonly string[]): boolean {
  if (text.length > maxUri || !/^[\x21-\x7e]+$/.test(text) || !URL.canParse(text)) return false;
  const url = new URL(text);
  const scheme = url.protocol.slice(0, -1);
  if (url.hash !== '' || text.includes('#') || url.username !== '' || url.password !== '') return false;
  if (scheme === 'http' || scheme === 'https') return url.hostname !== '';
  return schemes.includes(scheme);
}

/**
 * Is it one of the registered ones? Compared as text; for a program on somebody's computer, which takes whatever port is
 * free, the port of a loopback address does not matter (RFC 8252 7.3).
 */
export function matchesRedirect(given: string, registered: readonly string[]): boolean {
  return registered.some((one) => one === given || loopbackOf(one) === (loopbackOf(given) ?? ''));
}

/** A loopback address without its port; undefined for any other. */
function loopbackOf(text: string): string | undefined {
  if (text.length > maxUri || !URL.canParse(text)) return undefined;
  const url = new URL(text);
  if (url.protocol !== 'http:' || !loopback.has(url.hostname) || url.username || url.password || url.hash)
    return undefined;
  return `${url.hostname}${url.pathname}${url.search}`;
}
