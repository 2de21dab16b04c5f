import { Invalid, type Text } from '@mortise/plugin-sdk';
import { isEmailAddress } from '../api.js';
import { t } from '../texts/index.js';
import { fieldRefusal } from './field-refusal.js';

/** First path segments of the kernel's and common pages; plugins add theirs through `reservedNames`. */
const reserved = new Set(
  (
    '. .. - .well-known admin api assets attachments avatar avatars captcha devtest error explore favicon.ico ghost ' +
    'gitea-actions issues login logout manifest.json metrics milestones mortise-actions new notifications ' +
    'openapi3.v1.json org protocols.v1.json pulls raw repo repo-avatars robots.txt search serviceworker.js ' +
    'ssh_info static swagger.v1.json user users v2'
  ).split(' '),
);

const reservedEndings = ['.keys', '.gpg', '.rss', '.atom', '.png'];

const maxNameLength = 40;

/** Letters, digits, `-`, `.`, `_`; starts with a letter or digit; no two signs in a row and none at the end. */
const form = /^[\dA-Za-z](?:[-._]?[\dA-Za-z])*$/;

/** Why nobody may take the name, or undefined (admin-users-*, account-*). */
export function nameFault(name: string, more: Iterable<string> = []): Text | undefined {
  if (name.length === 0 || name.length > maxNameLength) return t.later('error.nameLength', { max: maxNameLength });
  const lower = name.toLowerCase();
  if (reserved.has(lower)) return t.later('error.nameReserved', { name });
  for (const word of more) if (word.toLowerCase() === lower) return t.later('error.nameReserved', { name });
  if (reservedEndings.some((ending) => lower.endsWith(ending))) return t.later('error.nameEnding', { name });
  return form.test(name) ? undefined : t.later('error.nameForm');
}

export function checkName(name: string, more: Iterable<string> = []): void {
  const fault = nameFault(name, more);
  if (fault) throw fieldRefusal('name', Invalid, fault);
}

export function checkEmail(email: string): void {
  if (!isEmailAddress(email)) throw fieldRefusal('email', Invalid, t.later('error.emailInvalid'));
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
