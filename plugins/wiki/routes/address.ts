import type { RouteContext, Site } from '@mortise/plugin-sdk';

/**
 * The end of an address as the client wrote it: `C%2B%2B` and `C++` name different pages, so the decoded path
 * parameter does not tell enough. `before` counts the segments in front of it.
 */
export function addressEnd(context: RouteContext, site: Site, before: number): string {
  const path = (context.raw.request.raw.req.url ?? '').split(/[?#]/, 1)[0]!;
  const inside = site.basePath && path.startsWith(`${site.basePath}/`) ? path.slice(site.basePath.length) : path;
  return inside
    .split('/')
    .slice(before + 1)
    .join('/');
}
