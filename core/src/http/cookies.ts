import type { CookieOptions, Site } from '@mortise/plugin-sdk';
import type { CookieSettings } from './settings.js';

/** What all cookies of a site carry that say nothing else. */
export interface CookieDefaults {
  readonly path: string;
  readonly secure: boolean;
  readonly sameSite: NonNullable<CookieOptions['sameSite']>;
}

const sameSites = { lax: 'Lax', strict: 'Strict', none: 'None' } as const;

/** Whether cookies go over HTTPS alone. */
export const isSecure = (rootUrl: string, { COOKIE_SECURE: secure }: CookieSettings): boolean =>
  secure ?? rootUrl.startsWith('https:');

export const cookieDefaults = ({ rootUrl, basePath }: Site, settings: CookieSettings): CookieDefaults => ({
  path: basePath || '/',
  secure: isSecure(rootUrl, settings),
  sameSite: sameSites[settings.SAME_SITE],
});

/** Reads a `Cookie` header; the first of two cookies with one name counts (RFC 6265 leaves it open). */
export function readCookies(header: string | undefined): Readonly<Record<string, string | undefined>> {
  const cookies: Record<string, string | undefined> = Object.create(null) as Record<string, string | undefined>;
  if (!header) return cookies;
  for (const part of header.split(';')) {
    const at = part.indexOf('=');
    if (at < 1) continue;
    const name = part.slice(0, at).trim();
    let value = part.slice(at + 1).trim();
    if (value.startsWith('"') && value.endsWith('"') && value.length > 1) value = value.slice(1, -1);
    if (!(name in cookies)) cookies[name] = decode(value);
  }
  return cookies;
}

function decode(value: string): string {
  if (!value.includes('%')) return value;
  try {
    return decodeURIComponent(value);
  } catch {
    return value;
  }
}

/** One `Set-Cookie` value; null deletes the cookie. */
export function writeCookie(
  name: string,
  value: string | null,
  options: CookieOptions,
  defaults: CookieDefaults,
): string {
  let text = `${name}=${value === null ? '' : encodeURIComponent(value)}; Path=${options.path ?? defaults.path}`;
  if (value === null) text += '; Max-Age=0';
  else if (options.maxAge !== undefined) text += `; Max-Age=${Math.floor(options.maxAge)}`;
  if (options.httpOnly ?? true) text += '; HttpOnly';
  if (defaults.secure) text += '; Secure';
  return `${text}; SameSite=${options.sameSite ?? defaults.sameSite}`;
}
