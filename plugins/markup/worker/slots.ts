/** Files whose headings are given ids by the Markdown renderer. */
const hasHeadings = /\.(?:md|markdown|mdown|mkd|livemd)$/i;

/** `#setup` names the heading of that name, whose id has a prefix. */
export const toHeading = (hash: string): string =>
  hash.length < 2 || hash.startsWith('#user-content-') ? hash : `#user-content-${hash.slice(1)}`;

/**
 * The slot of a relative address in kept HTML; `..` and `.` are worked out here, in a thread, so that filling it in is
 * cheap.
 */
export function relativeTarget(address: string, kind: 'L' | 'M'): string {
  const end = address.search(/[?#]/);
  const path = end < 0 ? address : address.slice(0, end);
  let rest = end < 0 ? '' : address.slice(end);
  if (rest.startsWith('#') && hasHeadings.test(path)) rest = toHeading(rest);
  let up = path.startsWith('/') ? -1 : 0;
  const segments: string[] = [];
  for (const segment of path.replace(/^\/+/, '').split('/')) {
    if (segment === '..') {
      if (segments.pop() === undefined && up >= 0) up++;
    } else if (segment !== '.') segments.push(segment);
  }
  return `\0${kind}${up}:${segments.join('/')}${rest}\0`;
}
