import type { Route } from '@mortise/plugin-sdk';
import type { Owned } from '../contracts.js';
import type { StartProblem } from '../plugins/errors.js';

/** Two paths with one fingerprint catch the same requests. */
const fingerprint = (path: string): string =>
  path.replace(/\{[^}]*?(\*\d*|\?)?\}/g, (_all, marker: string | undefined) =>
    marker === '?' ? '{}' : `{${marker ?? ''}}`,
  );

/** Everything that is wrong with the routes, those of the kernel among them, so that an author sees all of it at once. */
export function checkRoutes(routes: readonly Owned<Route>[]): StartProblem[] {
  const problems: StartProblem[] = [];
  const taken = new Map<string, string>();
  const ids = new Map<string, string>();
  for (const { owner, value: route } of routes) {
    const name = `${route.method} ${route.path}`;
    const say = (text: string, ...others: string[]) =>
      problems.push({ plugins: [owner, ...others].filter((one) => one !== 'core'), text });
    for (const fault of faultsOf(route)) say(`the route ${name} of ${owner} ${fault}`);
    const key = `${route.method} ${fingerprint(route.path)}`;
    const before = taken.get(key);
    if (before === owner) say(`the plugin ${owner} declares the route ${name} twice`);
    else if (before === 'core') say(`the route ${name} is the kernel's own; the plugin ${owner} cannot replace it`);
    else if (before) say(`the route ${name} is declared by ${before} and by ${owner}; it can have one owner`, before);
    taken.set(key, owner);
    if (!route.id) continue;
    const same = ids.get(route.id);
    if (same) say(`the operation id ${route.id} is used by ${same} and by ${owner} (${name})`, same);
    ids.set(route.id, owner);
  }
  return problems;
}

function* faultsOf(route: Route): Iterable<string> {
  const { access, path, handler } = route as Partial<Route> & { path: string };
  if (!access?.actor) yield 'does not say who may use it (access)';
  else if (!['anyone', 'user', 'admin'].includes(access.actor))
    yield `has an unknown actor in its access: ${access.actor}`;
  if (!path.startsWith('/')) yield 'does not start with a slash';
  if (path.length > 1 && path.endsWith('/')) yield 'ends with a slash; such addresses are answered without saying so';
  if (typeof handler !== 'function') yield 'has no handler';
}
