import { BadRequest, type Problem, type Text } from '@mortise/plugin-sdk';
import { t } from '../texts/index.js';

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

/** The name of a file without folders and unseen signs; refuses what is then left of no use. */
export function fileName(given: string, refuse: (message: Text) => Problem = BadRequest): string {
  const name = oneLine(given.slice(Math.max(given.lastIndexOf('/'), given.lastIndexOf('\\')) + 1));
  if (!name || name === '.' || name === '..') throw refuse(t.later('error.nameMissing'));
  if (name.length > 255) throw refuse(t.later('error.nameLong'));
  return name;
}

/** An address of the web; throws BadRequest for others. */
export function webAddress(given: string): string {
  let url: URL;
  try {
    url = new URL(given);
  } catch {
    throw BadRequest(t.later('error.url'));
  }
  if ((url.protocol !== 'https:' && url.protocol !== 'http:') || url.username || url.password)
    throw BadRequest(t.later('error.url'));
  if (url.href.length > 2000) throw BadRequest(t.later('error.urlLong'));
  return url.href;
}
