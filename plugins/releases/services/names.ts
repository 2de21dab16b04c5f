import { BadRequest, Invalid, type Problem } from '@mortise/plugin-sdk';
import { isRefName } from '@mortise/git/api';

/** Signs that no line of text needs: controls, and those that turn the direction of writing. */
const unseen = /[\u0000-\u001f\u007f-\u009f\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff]/g;

/** Halves of characters, which no encoding of text can hold. */
const halves = /[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g;

/** Text that a database and a page can hold as it is. */
export const storable = (text: string): string => text.replaceAll('\0', '').replace(halves, '\ufffd');

/** One line, without what cannot be seen. */
export const oneLine = (text: string): string =>
  storable(text)
    .replace(/[\t\r\n]+/g, ' ')
    .replace(unseen, '')
    .trim();

/** Throws Invalid unless git takes it as the name of a tag. */
export function checkTagName(name: string): void {
  if (name.length > 191) throw Invalid('the name of a tag has at most 191 characters here');
  // A file of that name, and of its lock, has to fit into a folder.
  if (name.split('/').some((part) => Buffer.byteLength(part) > 250)) throw Invalid('the name of the tag is too long');
  if (!isRefName(name) || name !== storable(name) || name === 'HEAD' || name.startsWith('refs/'))
    throw Invalid(`git does not take ${JSON.stringify(name)} as the name of a tag`);
}

/** The name of a file without folders and unseen signs; refuses what is then left of no use. */
export function fileName(given: string, refuse: (message: string) => Problem = BadRequest): string {
  const name = oneLine(given.slice(Math.max(given.lastIndexOf('/'), given.lastIndexOf('\\')) + 1));
  if (!name || name === '.' || name === '..') throw refuse('the file needs a name');
  if (name.length > 255) throw refuse('the name of a file has at most 255 characters');
  return name;
}

/** An address of the web; throws Invalid for others. */
export function webAddress(given: string): string {
  let url: URL;
  try {
    url = new URL(given);
  } catch {
    throw BadRequest('external_url is no address');
  }
  if ((url.protocol !== 'https:' && url.protocol !== 'http:') || url.username || url.password)
    throw BadRequest('external_url must begin with https:// or http:// and carry no password');
  if (url.href.length > 2000) throw BadRequest('external_url is too long');
  return url.href;
}

/** The escape sign of the patterns below; no part of SQL's own. */
export const escapeSign = '!';
const literal = (text: string) => text.replace(/[!%_]/g, '!$&');

/** REL-01 … REL-04: a LIKE pattern in which `*` is any text and all else is itself. */
export const tagPattern = (filter: string): string => filter.toLowerCase().split(/\*+/).map(literal).join('%');

/** A LIKE pattern of what contains the text. */
export const containing = (text: string): string => `%${literal(text.toLowerCase())}%`;
