import { addedTokenCategories, tokenCategories, type Access, type InnerRoute, type Route } from '@mortise/plugin-sdk';
import type { Owned, PointBoard } from '../contracts.js';
import type { StartProblem } from '../plugins/errors.js';

/** Two paths with one fingerprint catch the same requests. */
const fingerprint = (path: string): string =>
  path.replace(/\{[^}]*?(\*\d*|\?)?\}/g, (_all, marker: string | undefined) =>
    marker === '?' ? '{}' : `{${marker ?? ''}}`,
  );

/** Everything that is wrong with the routes, those of the kernel among them, so that an author sees all of it at once. */
export function checkRoutes(routes: readonly Owned<Route>[], points: Pick<PointBoard, 'reader'>): StartProblem[] {
  const added = points.reader(addedTokenCategories);
  const isCategory = (word: string) =>
    (tokenCategories as readonly string[]).includes(word) || added.get(word) !== undefined;
  const problems: StartProblem[] = [];
  const taken = new Map<string, string>();
  const ids = new Map<string, string>();
  for (const { owner, value: route } of routes) {
    const name = `${route.method} ${route.path}`;
    const say = (text: string, ...others: string[]) =>
      problems.push({ plugins: [owner, ...others].filter((one) => one !== 'core'), text });
    for (const fault of problemsOf(route, isCategory)) say(`the route ${name} of ${owner} ${fault}`);
    const key = `${route.method} ${fingerprint(route.path)}`;
    const before = taken.get(key);
    if (before === owner) say(`the plugin ${owner} declares the route ${name} twice`);
    else if (before === 'core') say(`the route ${name} is the kernel's own; the plugin ${owner} cannot replace it`);
    else if (before) say(`the route ${name} is declared by ${before} and by ${owner}; it can have one owner`, before);
    taken.set(key, owner);
    for (const { id, path } of [route, ...(route.inner ?? [])]) {
      if (!id) continue;
      const same = ids.get(id);
      if (same) say(`the operation id ${id} is used by ${same} and by ${owner} (${route.method} ${path})`, same);
      ids.set(id, owner);
    }
    for (const inner of route.inner ?? [])
      for (const fault of problemsOfInner(inner, isCategory))
        say(`the inner route ${inner.method} ${inner.path} of ${owner} ${fault}`);
  }
  return problems;
}

/** What a route and its access may say; anything else, such as a misspelt `resource`, would silently protect nothing. */
const known = {
  route: [
    'method',
    'path',
    'surface',
    'access',
    'request',
    'payload',
    'inner',
    'refusal',
    'responses',
    'handler',
    'id',
    'tags',
    'summary',
    'deprecated',
    'examples',
    'noCsrf',
    'isCachedForVisitors',
  ],
  access: [
    'actor',
    'scope',
    'level',
    'resource',
    'unit',
    'mode',
    'noPublicOnly',
    'expensive',
    'signInFirst',
    'noSignIn',
    'forbiddenAsUnauthorized',
    'ownCredentials',
    'always',
  ],
} satisfies { route: (keyof Route)[]; access: (keyof Access)[] };

/** Names of an earlier SDK. */
const renamed: Readonly<Record<string, string>> = { subject: 'resource', answers: 'responses' };

const values: Readonly<Record<string, readonly unknown[]>> = {
  level: ['read', 'write', undefined],
  mode: ['read', 'write', 'admin', 'owner', undefined],
};

type IsCategory = (word: string) => boolean;

function* problemsOf(route: Route, isCategory: IsCategory): Iterable<string> {
  const { access, path, handler } = route as Partial<Route> & { path: string };
  yield* unknownKeys(route, known.route, '');
  if (!access?.actor) yield 'does not say who may use it (access)';
  else if (!['anyone', 'user', 'admin'].includes(access.actor))
    yield `has an unknown actor in its access: ${access.actor}`;
  if (access) yield* problemsOfAccess(access, isCategory);
  if (!path.startsWith('/')) yield 'does not start with a slash';
  if (path.length > 1 && path.endsWith('/')) yield 'ends with a slash; such addresses are answered without saying so';
  if (typeof handler !== 'function') yield 'has no handler';
}

function* problemsOfInner({ access, path, handler }: Partial<InnerRoute>, isCategory: IsCategory): Iterable<string> {
  if (!access?.actor) yield 'does not say who may use it (access)';
  else yield* problemsOfAccess(access, isCategory);
  if (!path?.startsWith('/')) yield 'does not start with a slash';
  if (typeof handler !== 'function') yield 'has no handler';
}

function* problemsOfAccess(access: Access, isCategory: IsCategory): Iterable<string> {
  yield* unknownKeys(access, known.access, 'access.');
  for (const [key, allowed] of Object.entries(values)) {
    const value = access[key as keyof Access];
    if (!allowed.includes(value)) yield `has an unknown ${key} in its access: ${String(value)}`;
  }
  if (Object.hasOwn(access, 'resource') && (access.resource?.kind as unknown) !== 'resource')
    yield 'has no resource in access.resource: it is made with defineResource';
  else if (!access.resource && (access.unit !== undefined || access.mode !== undefined))
    yield 'has a unit or mode in its access and no resource that they belong to';
  for (const scope of typeof access.scope === 'string' ? [access.scope] : (access.scope ?? []))
    if (!isCategory(scope)) yield `has an unknown scope in its access: ${String(scope)}`;
}

function* unknownKeys(value: object, keys: readonly string[], where: string): Iterable<string> {
  for (const key of Object.keys(value)) {
    if (keys.includes(key)) continue;
    const now = renamed[key];
    yield `has ${where}${key}, which nothing reads${now === undefined ? '' : `; it is called ${where}${now} now`}`;
  }
}
