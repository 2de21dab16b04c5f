import { Invalid } from '@mortise/plugin-sdk';
import { t } from '../texts/index.js';

/** Replaces a password in stored and displayed addresses. */
const mask = '******';
const maxPassword = 255;

interface SplitAddress {
  /** With {@link mask} in place of a password. */
  readonly url: string;
  /** Empty: the address has none. */
  readonly password: string;
}

/** Takes the password out of an address of `checkUrl`. */
export function splitAddress(url: string): SplitAddress {
  const parsed = URL.canParse(url) ? new URL(url) : undefined;
  if (!parsed?.password) return { url, password: '' };
  const password = decoded(parsed.password);
  if (password.length > maxPassword)
    throw Invalid('The password in config.url is too long.', {
      text: t.later('error.urlPasswordLong'),
      inputs: { url: t.later('error.urlPasswordLong') },
    });
  parsed.password = mask;
  return { url: parsed.href, password };
}

/**
 * The same for an address that takes the place of another: clients send back what they were shown. A masked password
 * stays only with its host, so that it cannot be sent to another.
 */
export function changedAddress(url: string, before: SplitAddress): SplitAddress {
  const after = splitAddress(url);
  if (after.password !== mask) return after;
  const [from, to] = [new URL(before.url), new URL(after.url)];
  if (before.password === '' || from.origin !== to.origin || from.username !== to.username)
    throw Invalid('config.url has another host or username than before. Enter its password again.', {
      text: t.later('error.urlPasswordAgain'),
      inputs: { url: t.later('error.urlPasswordAgain') },
    });
  return { url: after.url, password: before.password };
}

/** `Authorization` for an address with a name or a password; the address itself is sent without them. */
export function basicOf(url: string, password: string): { readonly url: string; readonly authorization: string } {
  const parsed = URL.canParse(url) ? new URL(url) : undefined;
  if (!parsed || (!parsed.username && !parsed.password)) return { url, authorization: '' };
  const secret = parsed.password === mask ? password : decoded(parsed.password);
  const authorization = `Basic ${Buffer.from(`${decoded(parsed.username)}:${secret}`).toString('base64')}`;
  parsed.username = '';
  parsed.password = '';
  return { url: parsed.href, authorization };
}

/** For copies that must not hold what only the owner of the original knows. */
export function withoutPassword(url: string): string {
  const parsed = new URL(url);
  if (!parsed.password) return url;
  parsed.password = '';
  return parsed.href;
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
