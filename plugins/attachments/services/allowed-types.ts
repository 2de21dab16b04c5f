import { mediaTypeOf } from './media-type.js';

/** Does the list let the name through? Endings (`.zip`), media types (`text/plain`), a star for either part; empty: all. */
export function isAllowed(name: string, allowed: string): boolean {
  const wanted = allowed
    .toLowerCase()
    .split(',')
    .map((one) => one.trim())
    .filter(Boolean);
  if (wanted.length === 0) return true;
  const lower = name.toLowerCase();
  const type = mediaTypeOf(lower);
  return wanted.some((one) =>
    one.startsWith('.')
      ? lower.endsWith(one)
      : one === '*/*' || one === type || (one.endsWith('/*') && type.startsWith(one.slice(0, -1))),
  );
}
