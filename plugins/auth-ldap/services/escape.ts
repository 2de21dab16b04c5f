/** Places of the name in filters and patterns, as administrators know them. */
const placeholder = /%(?:\[1\])?s/g;

export const hasPlaceholder = (pattern: string): boolean => /%(?:\[1\])?s/.test(pattern);

/** RFC 4515: a value in a filter stands for itself, whatever it holds. */
export const escapeFilter = (value: string): string =>
  value.replace(/[\\*()\u0000]/g, (char) => `\\${char.charCodeAt(0).toString(16).padStart(2, '0')}`);

/** RFC 4514: a value in a distinguished name stands for itself, whatever it holds. */
export const escapeDn = (value: string): string =>
  value
    .replace(/[\\,+"<>;=]/g, (char) => `\\${char}`)
    .replace(/[\u0000-\u001f]/g, (char) => `\\${char.charCodeAt(0).toString(16).padStart(2, '0')}`)
    .replace(/^[ #]/, (char) => `\\${char}`)
    .replace(/ $/, '\\ ');

/** The value in all places of the pattern; `value` is escaped already. */
export const fillPattern = (pattern: string, value: string): string => pattern.replace(placeholder, () => value);

/** One spelling of a distinguished name, to compare with: letters and spaces around its parts do not count. */
export const plainDn = (dn: string): string =>
  dn
    .replace(/\s*(?<!\\)([,=+])\s*/g, '$1')
    .trim()
    .toLowerCase();
