import type { Route } from '@mortise/plugin-sdk';
import type { Owned } from '../contracts.js';

/** Two paths with one fingerprint catch the same requests. */
const fingerprint = (path: string): string =>
  path.replace(/\{[^}]*?(\*\d*|\?)?\}/g, (_all, mark: string | undefined) => (mark === '?' ? '{}' : `{${mark ?? ''}}`));

/** Everything that is wrong with the routes, in plain words, so that an author sees all of it at once. */
export function routeFaults(routes: readonly Owned<Route>[]): string[] {
  const faults: string[] = [];
  const taken = new Map<string, Owned<Route>>();
  const ids = new Map<string, Owned<Route>>();
  for (const one of routes) {
    const { owner, value: route } = one;
    const what = `${owner}: ${route.method} ${route.path}`;
    if (!(route as { access?: unknown }).access) faults.push(`${what} declares no access`);
    else if (!['anyone', 'user', 'admin'].includes(route.access.actor))
      faults.push(`${what} declares an unknown actor`);
    if (!route.path.startsWith('/')) faults.push(`${what} does not start with a slash`);
    if (route.path.length > 1 && route.path.endsWith('/'))
      faults.push(`${what} ends with a slash; such addresses are answered without saying so`);
    if (typeof route.handler !== 'function') faults.push(`${what} has no handler`);
    const key = `${route.method} ${fingerprint(route.path)}`;
    const other = taken.get(key);
    if (other) faults.push(`${what} is already answered by ${other.owner}: ${other.value.method} ${other.value.path}`);
    taken.set(key, one);
    if (route.id) {
      const twin = ids.get(route.id);
      if (twin)
        faults.push(
          `${what} has the operation id ${route.id} of ${twin.owner}: ${twin.value.method} ${twin.value.path}`,
        );
      ids.set(route.id, one);
    }
  }
  return faults;
}
