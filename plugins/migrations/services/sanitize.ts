/** What comes from a source may be anything: these make it what the tables take, or say that it cannot be. */

const maxTitle = 255;
/** Characters of one text; what goes beyond is cut off. */
const maxText = 1_000_000;
/** 1970-01-01 to 2200-01-01. */
const maxTime = 7_258_118_400_000;

const asText = (value: unknown): string => (typeof value === 'string' ? value : '');

/** Without characters that databases and pages do not take: NUL and unpaired surrogates. */
const storable = (text: string): string => text.replace(/\0/g, '').toWellFormed();

/** One line: each run of white space and control characters is one space. */
export const cleanLine = (value: unknown, max = maxTitle): string =>
  storable(asText(value).slice(0, 4 * max))
    .replace(/[\s\p{Cc}]+/gu, ' ')
    .trim()
    .slice(0, max)
    .toWellFormed();

export const cleanText = (value: unknown, max = maxText): string =>
  storable(asText(value).slice(0, max)).replace(/\r\n/g, '\n');

/** A time, or the other one where it is none. */
export const cleanTime = (value: unknown, otherwise: number): number =>
  typeof value === 'number' && Number.isFinite(value) && value > 0 && value < maxTime ? Math.floor(value) : otherwise;

/** Six hexadecimal digits; grey for what is no colour. */
export function cleanColor(value: unknown): string {
  const [, digits] = /^#?([0-9a-f]{6}|[0-9a-f]{3})$/i.exec(asText(value).trim()) ?? [];
  if (!digits) return 'cccccc';
  const full = digits.length === 3 ? [...digits].map((digit) => digit + digit).join('') : digits;
  return full.toLowerCase();
}

/** Columns of numbers hold 2^31 - 1: a million are left for the issues that come after those of an import. */
const maxNumber = 2 ** 31 - 1 - 1_000_000;

/** The number of an issue; undefined for what is none, and for one that leaves no room for others. */
export const cleanNumber = (value: unknown): number | undefined =>
  typeof value === 'number' && Number.isSafeInteger(value) && value > 0 && value <= maxNumber ? value : undefined;

/** A number that the source gives to an account; 0 for what is none. */
export const cleanId = (value: unknown): number =>
  typeof value === 'number' && Number.isSafeInteger(value) && value > 0 ? value : 0;

/** A branch, as git takes one and tables do; empty for what is none. */
export function cleanBranch(value: unknown): string {
  const name = asText(value);
  const isBad =
    name.length > 255 ||
    // oxlint-disable-next-line no-control-regex
    /^[-/.]|[\x00-\x20\x7f~^:?*[\\]|\.\.|@\{|\/\/|\.lock(?:\/|$)|[/.]$/.test(name) ||
    !name.isWellFormed();
  return isBad ? '' : name;
}

export const cleanOid = (value: unknown): string =>
  /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/.test(asText(value)) ? asText(value) : '';

/** A path below the root of a tree; empty for what is none. */
export function cleanPath(value: unknown): string {
  const path = storable(asText(value));
  const isBad = path.length > 4096 || path.startsWith('/') || path.split('/').some((part) => !part || part === '..');
  return isBad ? '' : path;
}

/** The first so many; what is no list is an empty one. */
export const cleanList = <T>(value: readonly T[] | undefined, max: number): readonly T[] =>
  Array.isArray(value) ? value.slice(0, max) : [];
