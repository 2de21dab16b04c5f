import { Invalid } from '@mortise/plugin-sdk';

/** First path segments of the kernel's and common pages; plugins add theirs through `reservedNames`. */
const reserved = new Set(
  (
    '. .. - .well-known admin api assets attachments avatar avatars captcha devtest error explore favicon.ico ghost ' +
    'gitea-actions issues login logout manifest.json metrics milestones mortise-actions new notifications org pulls ' +
    'raw repo repo-avatars robots.txt search serviceworker.js ssh_info static swagger.v1.json user users v2'
  ).split(' '),
);

const reservedEndings = ['.keys', '.gpg', '.rss', '.atom', '.png'];

/** Letters, digits, `-`, `.`, `_`; starts with a letter or digit; no two signs in a row and none at the end. */
const form = /^[\dA-Za-z](?:[-._]?[\dA-Za-z])*$/;

/** Why nobody may take the name, or undefined (admin-users-*, account-*). */
export function nameFault(name: string, more: Iterable<string> = []): string | undefined {
  if (name.length === 0 || name.length > 40) return 'The name needs 1 to 40 characters.';
  const lower = name.toLowerCase();
  if (reserved.has(lower)) return `The name ${name} is reserved.`;
  for (const word of more) if (word.toLowerCase() === lower) return `The name ${name} is reserved.`;
  if (reservedEndings.some((ending) => lower.endsWith(ending))) return `The ending of the name ${name} is reserved.`;
  if (!form.test(name)) {
    return 'The name may have letters, digits, dash, dot and underscore, and no two of these signs in a row.';
  }
  return undefined;
}

export function checkName(name: string, more: Iterable<string> = []): void {
  const fault = nameFault(name, more);
  if (fault) throw Invalid(fault);
}

const address =
  /^[A-Za-z0-9][A-Za-z0-9.!#$%&'*+\-/=?^_`{|}~]*@[A-Za-z0-9](?:[A-Za-z0-9-]*[A-Za-z0-9])?(?:\.[A-Za-z0-9](?:[A-Za-z0-9-]*[A-Za-z0-9])?)*$/;

export function isEmail(email: string): boolean {
  return email.length <= 254 && address.test(email);
}

export function checkEmail(email: string): void {
  if (!isEmail(email)) throw Invalid('This is not an e-mail address.');
}

/** An absolute http(s) address, as profile links need it. */
export function isWebAddress(text: string): boolean {
  try {
    const url = new URL(text);
    return (url.protocol === 'http:' || url.protocol === 'https:') && url.hostname !== '';
  } catch {
    return false;
  }
}
