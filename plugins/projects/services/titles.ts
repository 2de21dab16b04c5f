import { Invalid } from '@mortise/plugin-sdk';
import { t } from '../texts/index.js';

/** A title in one line; Invalid for one without words, and for one that is too long. */
export function titleOf(given: string, maxLength: number): string {
  const title = given.replace(/\s+/g, ' ').trim();
  const refused = !title
    ? t.later('error.title')
    : title.length > maxLength
      ? t.later('error.titleLength', { max: maxLength })
      : undefined;
  if (refused) throw Invalid(refused, { inputs: { title: refused } });
  return title;
}

/** A colour as `#rrggbb` in lower case, empty for none; Invalid for other words. */
export function colorOf(given: string): string {
  const color = given.trim().toLowerCase();
  if (!color) return '';
  const digits = /^#?([0-9a-f]{6})$/.exec(color)?.[1] ?? '';
  const short = /^#?([0-9a-f])([0-9a-f])([0-9a-f])$/.exec(color);
  if (!digits && !short) {
    const refused = t.later('error.color', { value: given.slice(0, 20) });
    throw Invalid(refused, { inputs: { color: refused } });
  }
  return `#${
    digits ||
    short!
      .slice(1)
      .map((digit) => digit + digit)
      .join('')
  }`;
}
