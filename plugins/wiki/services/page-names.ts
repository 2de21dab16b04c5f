/**
 * One page has three names, and existing wikis and clients rely on how they follow from each other:
 *
 *     title           name in addresses        file in git
 *     Two Words       Two-Words                Two-Words.md
 *     Well-Known      Well-Known.-             Well-Known.-.md
 *     9-5 Job         9-5+Job.-                9-5 Job.-.md
 *     100% Free       100%25-Free              100%25-Free.md
 *     a/b             a%2Fb                    a%2Fb.md
 *
 * A dash stands for a blank, unless the name ends with the mark `.-`: then dashes are dashes. Everything else is
 * escaped as in a query, only that in files a blank stays a blank.
 */
export const pageEnding = '.md';
const escapeSuffix = '.-';

/** Words that the pages of the wiki themselves use in addresses. */
const reserved = new Set(['_pages', '_new', '_edit', '_delete', '_revision', '_compare', 'raw']);
export const isReserved = (title: string): boolean => title.split('/').some((part) => reserved.has(part));
/** Would the address lead to something else than the page? */
export const isShadowed = (name: string): boolean => reserved.has(name.split('/')[0] ?? '');

/** Escaped as in a query (application/x-www-form-urlencoded): `+` for a blank, `~._-` and letters and digits as they are. */
const escape = (text: string): string =>
  encodeURIComponent(text)
    .replace(/[!'()*]/g, (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`)
    .replace(/%20/g, '+');

function decode(text: string): string {
  if (!text.includes('%')) return text;
  try {
    return decodeURIComponent(text);
  } catch {
    return text; // a name that git users chose without knowing the rules
  }
}

/** `blanks`: in addresses `+` is a blank; in files it can only be a plus that somebody pushed. */
function titleOfPart(part: string, blanks: boolean): string {
  const plain = part.endsWith(escapeSuffix) ? part.slice(0, -escapeSuffix.length) : part.replace(/-/g, ' ');
  return decode(blanks ? plain.replace(/\+/g, ' ') : plain);
}

function nameOfPart(title: string, marked = false): string {
  // half of a surrogate pair is nothing that can be escaped
  const text = Buffer.from(title).toString();
  const dashed = marked || text.includes('-') || text.endsWith(pageEnding);
  return escape(dashed ? `${text}${escapeSuffix}` : text.replace(/ /g, '-'));
}

const parts = (name: string) => name.split('/');

/** Title of a name in addresses; folders stay in front of it. */
export const titleOfName = (name: string): string =>
  parts(name)
    .map((part) => titleOfPart(part, true))
    .join('/');

/** The name that a title gets: a slash in it makes no folder. */
export const nameOfTitle = (title: string): string => nameOfPart(title.trim());

/** The same name however it was escaped. */
export const canonical = (name: string): string =>
  parts(name)
    .map((part) => nameOfPart(titleOfPart(part, true), part.endsWith(escapeSuffix)))
    .join('/');

/** The file of a name in addresses. */
export const fileOfName = (name: string): string => canonical(name).replace(/\+/g, ' ') + pageEnding;

/** Files of plain letters, dashes and digits: the great part of most wikis, told without taking names apart. */
const plainFile = /^[\w~-]+\.md$/;

/** Is this the file that the page's name leads to? Others were named without the rules. */
export function isRuly(file: string): boolean {
  if (plainFile.test(file)) return true;
  const name = nameOfFile(file);
  return name !== undefined && fileOfName(name) === file;
}

/** The name of a page's file; undefined for files that are no pages. */
export function nameOfFile(path: string): string | undefined {
  if (!path.endsWith(pageEnding) || path.endsWith(`/${pageEnding}`) || path === pageEnding) return undefined;
  return parts(path.slice(0, -pageEnding.length))
    .map((part) => nameOfPart(titleOfPart(part, false), part.endsWith(escapeSuffix)))
    .join('/');
}

export const titleOfFile = (path: string): string =>
  parts(path.endsWith(pageEnding) ? path.slice(0, -pageEnding.length) : path)
    .map((part) => titleOfPart(part, false))
    .join('/');

/** Name by name below a folder, each escaped for an address. */
export const encodePath = (path: string): string => parts(path).map(escapeSegment).join('/');
const escapeSegment = (part: string) => encodeURIComponent(Buffer.from(part).toString());

/** Undo of {@link encodePath}, for what clients send. */
export const decodePath = (address: string): string => parts(address).map(decode).join('/');
