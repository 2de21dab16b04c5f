import type { Dependencies, PluginDefinition, Route } from '@mortise/plugin-sdk';
import type { Owned } from '../contracts.js';
import type { Container } from './container.js';
import type { Declarations } from './declarations.js';

/** Looks at everything that was declared together; adds to its problems and warnings. */
export function checkDeclarations(all: Declarations, container: Container, plugins: readonly PluginDefinition[]): void {
  checkProvided(all);
  checkDependencies(all, container);
  checkServiceCircles(all);
  checkContributions(all);
  for (const { owner, id, job } of all.schedules) {
    if (!all.jobs.has(job.id))
      all.problems.push(`the schedule ${id} of ${owner} enqueues the job ${job.id}, which no loaded plugin runs`);
  }
  for (const { name, requires = {}, optional = {} } of plugins) {
    for (const other of usedPlugins(all, name)) {
      if (!(other in requires) && !(other in optional)) {
        all.warnings.push(`the plugin ${name} uses services of ${other} without naming it in requires or optional`);
      }
    }
  }
}

function checkProvided(all: Declarations): void {
  for (const { owner, ref } of all.provided.values()) {
    if (ref.kind === 'service' && all.services.get(ref.id)?.owner !== owner) {
      all.problems.push(`the plugin ${owner} promises the service ${ref.id} and does not make it`);
    }
    if (ref.kind === 'job' && all.jobs.get(ref.id)?.owner !== owner) {
      all.problems.push(`the plugin ${owner} promises the job ${ref.id} and does not run it`);
    }
  }
}

function* users(all: Declarations): Iterable<{ owner: string; what: string; dependencies: Dependencies }> {
  for (const { owner, dependencies, ref } of all.services.values())
    yield { owner, dependencies, what: `its service ${ref.id}` };
  for (const { owner, dependencies, ref } of all.contributions)
    yield { owner, dependencies, what: `its contribution to ${ref.id}` };
  for (const { owner, dependencies } of all.routes) yield { owner, dependencies, what: 'its routes' };
  for (const { owner, dependencies, id } of all.subscriptions)
    yield { owner, dependencies, what: `its subscription ${id}` };
  for (const { owner, dependencies, job } of all.jobs.values())
    yield { owner, dependencies, what: `its job ${job.id}` };
  for (const { owner, dependencies, command } of all.commands.values())
    yield { owner, dependencies, what: `its command ${command.name}` };
  for (const { owner, dependencies, id } of all.healthChecks)
    yield { owner, dependencies, what: `its health check ${id}` };
  for (const { owner, dependencies, id } of all.doctors)
    yield { owner, dependencies, what: `its doctor's check ${id}` };
  for (const { owner, dependencies } of all.starts) yield { owner, dependencies, what: 'its start' };
}

function checkDependencies(all: Declarations, container: Container): void {
  const said = new Set<string>();
  for (const { owner, what, dependencies } of users(all)) {
    for (const [name, ref] of Object.entries(dependencies)) {
      if (ref?.kind !== 'service') {
        all.problems.push(`the plugin ${owner} asks, for ${what}, for "${name}", which is no reference to a service`);
      } else if (!container.has(ref) && !said.has(`${owner} ${ref.id}`)) {
        said.add(`${owner} ${ref.id}`);
        all.problems.push(
          `the plugin ${owner} needs the service ${ref.id} for ${what}, and no loaded plugin provides it`,
        );
      }
    }
  }
}

function usedPlugins(all: Declarations, name: string): Set<string> {
  const used = new Set<string>();
  for (const { owner, dependencies } of users(all)) {
    if (owner !== name) continue;
    for (const ref of Object.values(dependencies)) {
      const other = all.services.get(ref?.id)?.owner;
      if (other && other !== name) used.add(other);
    }
  }
  return used;
}

function checkServiceCircles(all: Declarations): void {
  const done = new Set<string>();
  const path: string[] = [];
  const visit = (id: string): void => {
    if (path.includes(id)) {
      all.problems.push(
        `the services ${[...path.slice(path.indexOf(id)), id].join(' → ')} need each other in a circle`,
      );
      return;
    }
    const declared = all.services.get(id);
    if (!declared || done.has(id)) return;
    path.push(id);
    for (const ref of Object.values(declared.dependencies)) visit(ref.id);
    path.pop();
    done.add(id);
  };
  for (const id of all.services.keys()) visit(id);
}

function checkContributions(all: Declarations): void {
  const keys = new Map<string, string>();
  const single = new Map<string, string>();
  for (const { owner, ref, key } of all.contributions) {
    if (ref.shape === 'one') {
      const before = single.get(ref.id);
      if (before)
        all.problems.push(`${before} and ${owner} both contribute to ${ref.id}, which takes one contribution`);
      single.set(ref.id, owner);
    }
    if (key !== undefined) {
      const before = keys.get(`${ref.id} ${key}`);
      if (before)
        all.problems.push(`${before} and ${owner} both contribute "${key}" to ${ref.id}; a key can have one owner`);
      keys.set(`${ref.id} ${key}`, owner);
    }
    const known = all.readPoints.has(ref.id) || all.provided.has(`point ${ref.id}`) || ref.id.startsWith('core.');
    if (!known) all.warnings.push(`the plugin ${owner} contributes to ${ref.id}, which no loaded plugin reads`);
  }
}

/** The part of a path that hapi tells routes apart by. */
const fingerprint = (path: string) => path.replace(/\{[^}*?]+(\*?\d*|\?)\}/g, '{$1}');

/** Two owners of one route, and routes without an access declaration. */
export function checkRoutes(routes: readonly Owned<Route>[]): string[] {
  const problems: string[] = [];
  const owners = new Map<string, string>();
  const ids = new Map<string, string>();
  for (const { owner, value: route } of routes) {
    const name = `${route.method} ${route.path}`;
    if (!route.access?.actor) problems.push(`the route ${name} of ${owner} does not say who may use it (access)`);
    const key = `${route.method} ${fingerprint(route.path)}`;
    const before = owners.get(key);
    if (before) {
      problems.push(
        before === owner
          ? `the plugin ${owner} declares the route ${name} twice`
          : `the route ${name} is declared by ${before} and by ${owner}; it can have one owner`,
      );
    }
    owners.set(key, owner);
    if (!route.id) continue;
    const same = ids.get(route.id);
    if (same) problems.push(`the operation id ${route.id} is used by ${same} and by ${owner} (${name})`);
    ids.set(route.id, owner);
  }
  return problems;
}
