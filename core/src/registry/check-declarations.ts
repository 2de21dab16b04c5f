import type { AnyRef, Dependencies, PluginDefinition } from '@mortise/plugin-sdk';
import type { Container } from './container.js';
import type { Declarations } from './declarations.js';

/** Looks at everything that was declared together; adds to its problems and warnings. */
export function checkDeclarations(all: Declarations, container: Container, plugins: readonly PluginDefinition[]): void {
  checkProvided(all);
  checkDependencies(all, container);
  checkOverrides(all, container);
  checkServiceCircles(all);
  checkContributions(all);
  warnOfDeprecated(all);
  const areas = new Map<string, string>();
  for (const { name, areas: own = [] } of plugins) {
    for (const area of own) {
      const before = areas.get(area);
      if (before) all.problem([name, before], `the storage area ${area} is claimed by ${before} and by ${name}`);
      areas.set(area, name);
    }
  }
  for (const { owner, id, job } of all.schedules) {
    if (!all.jobs.has(job.id))
      all.problem(owner, `the schedule ${id} of ${owner} enqueues the job ${job.id}, which no loaded plugin runs`);
  }
  const used = usedPlugins(all);
  for (const { name, requires = {}, optional = {} } of plugins) {
    for (const other of used.get(name) ?? []) {
      if (!(other in requires) && !(other in optional)) {
        all.warnings.push(`the plugin ${name} uses services of ${other} without naming it in requires or optional`);
      }
    }
  }
}

function checkProvided(all: Declarations): void {
  for (const { owner, ref } of all.provided.values()) {
    if (ref.kind === 'service' && all.services.get(ref.id)?.owner !== owner) {
      all.problem(owner, `the plugin ${owner} promises the service ${ref.id} and does not make it`);
    }
    if (ref.kind === 'job' && all.jobs.get(ref.id)?.owner !== owner) {
      all.problem(owner, `the plugin ${owner} promises the job ${ref.id} and does not run it`);
    }
  }
}

/** Who asks for services, and what for. */
export function* serviceUsers(
  all: Declarations,
): Iterable<{ owner: string; what: string; dependencies: Dependencies }> {
  for (const { owner, dependencies, ref } of all.services.values())
    yield { owner, dependencies, what: `its service ${ref.id}` };
  for (const { owner, dependencies, ref } of all.overrides.values())
    yield { owner, dependencies, what: `its override of ${ref.id}` };
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
  for (const { owner, what, dependencies } of serviceUsers(all)) {
    for (const [name, ref] of Object.entries(dependencies)) {
      if (ref?.kind !== 'service') {
        all.problem(owner, `the plugin ${owner} asks, for ${what}, for "${name}", which is no reference to a service`);
      } else if (!container.has(ref) && !said.has(`${owner} ${ref.id}`)) {
        said.add(`${owner} ${ref.id}`);
        all.problem(
          owner,
          `the plugin ${owner} needs the service ${ref.id} for ${what}, and no loaded plugin provides it`,
        );
      }
    }
  }
}

function checkOverrides(all: Declarations, container: Container): void {
  for (const { owner, ref } of all.overrides.values()) {
    const of = all.services.get(ref.id)?.owner;
    if (of === owner) all.problem(owner, `the plugin ${owner} overrides its own service ${ref.id}`);
    else if (of === undefined)
      all.problem(
        owner,
        `the plugin ${owner} overrides the service ${ref.id}, which ` +
          (container.has(ref) ? 'is the kernel’s' : 'no loaded plugin provides'),
      );
  }
}

/** By the name of a plugin: the others whose services it uses. */
function usedPlugins(all: Declarations): Map<string, Set<string>> {
  const used = new Map<string, Set<string>>();
  const overridden = [...all.overrides.values()].map(({ owner, ref }) => ({ owner, dependencies: { ref } }));
  for (const { owner, dependencies } of [...serviceUsers(all), ...overridden]) {
    for (const ref of Object.values(dependencies)) {
      const other = all.services.get(ref?.id)?.owner;
      if (!other || other === owner) continue;
      const known = used.get(owner);
      if (known) known.add(other);
      else used.set(owner, new Set([other]));
    }
  }
  return used;
}

function checkServiceCircles(all: Declarations): void {
  const done = new Set<string>();
  const path: string[] = [];
  const visit = (id: string): void => {
    if (path.includes(id)) {
      all.problem(
        [...new Set(path.slice(path.indexOf(id)).map((one) => all.services.get(one)!.owner))].reverse(),
        `the services ${[...path.slice(path.indexOf(id)), id].join(' → ')} need each other in a circle`,
      );
      return;
    }
    const declared = all.services.get(id);
    if (!declared || done.has(id)) return;
    path.push(id);
    const override = all.overrides.get(id);
    for (const ref of Object.values(declared.dependencies)) visit(ref.id);
    for (const ref of Object.values({ ...override?.dependencies })) visit(ref.id);
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
        all.problem(
          [owner, before],
          `${before} and ${owner} both contribute to ${ref.id}, which takes one contribution`,
        );
      single.set(ref.id, owner);
    }
    if (key !== undefined) {
      const before = keys.get(`${ref.id} ${key}`);
      if (before)
        all.problem(
          [owner, before],
          `${before} and ${owner} both contribute "${key}" to ${ref.id}; a key can have one owner`,
        );
      keys.set(`${ref.id} ${key}`, owner);
    }
    const known = all.readPoints.has(ref.id) || all.provided.has(`point ${ref.id}`) || ref.id.startsWith('core.');
    if (!known) all.warnings.push(`the plugin ${owner} contributes to ${ref.id}, which no loaded plugin reads`);
  }
}

/** One warning for each deprecated reference that a plugin uses which is not its own. */
function warnOfDeprecated(all: Declarations): void {
  const names = new Set<string>();
  const look = (owner: string, { kind, id, deprecated }: AnyRef) => {
    const own = all.services.get(id)?.owner ?? all.provided.get(`${kind} ${id}`)?.owner ?? id.split('.')[0];
    if (!deprecated || own === owner) return;
    names.add(
      `the plugin ${owner} uses the ${kind} ${id}, which is deprecated since ${deprecated.since}: use ${deprecated.use}`,
    );
  };
  for (const { owner, dependencies } of serviceUsers(all))
    for (const ref of Object.values(dependencies)) if (ref) look(owner, ref);
  for (const { owner, ref } of all.contributions) look(owner, ref);
  for (const { owner, ref } of all.overrides.values()) look(owner, ref);
  for (const { owner, event } of all.subscriptions) look(owner, event);
  for (const { owner, job } of all.schedules) look(owner, job);
  all.warnings.push(...names);
}
