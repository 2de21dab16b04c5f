import { channelKinds } from '@mortise/plugin-sdk';
import type { Dependencies, Keyed, Logger, PluginDefinition, PluginHost, PointRef } from '@mortise/plugin-sdk';
import { checkCron } from '../jobs/schedules.js';
import type { SettingsRegistry } from '../settings/index.js';
import type { Declarations, Services } from './declarations.js';
import type { Points } from './points.js';

type Loose = (...values: never[]) => unknown;

/** The door through which one plugin declares. After `register` it is closed. */
export function createPluginHost(
  { name, version, provides = [] }: PluginDefinition,
  into: Declarations,
  context: { log: Logger; settingsRegistry: SettingsRegistry; points: Points; present: ReadonlySet<string> },
): { host: PluginHost; close(): void } {
  let open = true;
  const declaring = (what: string) => {
    if (!open) throw new Error(`the plugin ${name} declares ${what} too late: everything is declared in register`);
  };
  const claim = <T>(
    map: Map<string, T & { owner: string }>,
    kind: string,
    id: string,
    value: T & { owner: string },
  ) => {
    const before = map.get(id);
    if (before)
      into.problem(
        [name, before.owner],
        `the ${kind} ${id} is declared by ${before.owner} and by ${name}; it can have one owner`,
      );
    else map.set(id, value);
  };
  const unique = (list: readonly { owner: string; id: string }[], kind: string, id: string) => {
    if (list.some((one) => one.owner === name && one.id === id))
      into.problem(name, `the plugin ${name} declares the ${kind} ${id} twice`);
  };

  for (const ref of provides) {
    const key = `${ref.kind} ${ref.id}`;
    const before = into.provided.get(key);
    if (before)
      into.problem(
        [name, before.owner],
        `the ${ref.kind} ${ref.id} is provided by ${before.owner} and by ${name}; it can have one owner`,
      );
    else into.provided.set(key, { owner: name, ref });
  }

  const contribute = (
    ref: PointRef<unknown>,
    ...rest: [unknown] | [Dependencies, (services: Services) => unknown]
  ): void => {
    declaring(`a contribution to ${ref.id}`);
    const direct = rest.length === 1;
    const value = direct ? rest[0] : undefined;
    into.contributions.push({
      owner: name,
      ref,
      dependencies: direct ? {} : (rest[0] as Dependencies),
      make: direct ? () => value : (rest[1] as (services: Services) => unknown),
      key: ref.shape === 'keyed' && direct ? (value as Keyed).key : undefined,
    });
  };

  const host: PluginHost = {
    name,
    log: context.log,
    settings: (section, schema) => {
      declaring('settings');
      return context.settingsRegistry.declare(name, section, schema);
    },
    deprecatedSetting: (setting) => context.settingsRegistry.deprecate(name, setting),
    migrations(folder) {
      declaring('migrations');
      into.migrations.push({ owner: name, version, folder });
    },
    service(ref, dependencies, make) {
      declaring(`the service ${ref.id}`);
      const owner = into.provided.get(`service ${ref.id}`)?.owner;
      if (owner && owner !== name)
        into.problem([name, owner], `the service ${ref.id} belongs to ${owner}, but ${name} makes it too`);
      else
        claim(into.services, 'service', ref.id, {
          owner: name,
          ref,
          dependencies,
          make: make as Loose as (services: Services) => unknown,
        });
    },
    point(ref) {
      into.readPoints.add(ref.id);
      return context.points.reader(ref);
    },
    contribute: contribute as PluginHost['contribute'],
    routes(dependencies, make) {
      declaring('routes');
      into.routes.push({ owner: name, dependencies, make: make as Loose as (services: Services) => readonly never[] });
    },
    on(event, when, id, dependencies, handle, { formerly = [], wants, readAhead } = {}) {
      declaring(`the subscription ${id}`);
      // what comes after the commit to one subscriber comes in one order, whatever event it is
      const rivals = into.subscriptions.filter((one) => when === 'within' || one.when !== when || one.event === event);
      unique(rivals, 'subscription', id);
      into.subscriptions.push({
        owner: name,
        id,
        event,
        when,
        formerly,
        ...(wants && { wants: wants as Loose as never }),
        ...(readAhead && { readAhead: readAhead as Loose as never }),
        dependencies,
        handle: handle as Loose as never,
      });
    },
    job(job, kind, dependencies, run) {
      declaring(`the job ${job.id}`);
      claim(into.jobs, 'job', job.id, { owner: name, job, kind, dependencies, run: run as Loose as never });
    },
    schedule(id, cron, job, payload, options = {}) {
      declaring(`the schedule ${id}`);
      unique(into.schedules, 'schedule', id);
      try {
        checkCron(cron);
      } catch (error) {
        into.problem(name, `the schedule ${id} of ${name} has a wrong time, "${cron}": ${(error as Error).message}`);
      }
      const taken = into.schedules.find(({ options: { taskName } }) => taskName && taskName === options.taskName);
      if (taken) into.problem(name, `the task ${options.taskName} is of ${taken.owner} already`);
      into.schedules.push({ owner: name, id, cron, job, payload, options });
    },
    command(command, dependencies, run) {
      declaring(`the command ${command.name}`);
      claim(into.commands, 'command', command.name, { owner: name, command, dependencies, run: run as Loose as never });
    },
    healthCheck(id, dependencies, check) {
      declaring(`the health check ${id}`);
      unique(into.healthChecks, 'health check', id);
      into.healthChecks.push({ owner: name, id, dependencies, check: check as Loose as never });
    },
    doctor(id, dependencies, check) {
      declaring(`the doctor's check ${id}`);
      unique(into.doctors, "doctor's check", id);
      into.doctors.push({ owner: name, id, dependencies, check: check as Loose as never });
    },
    island(island, source) {
      declaring(`the island ${island}`);
      const before = into.islands.find((one) => one.name === island);
      if (before)
        into.problem(
          [name, before.owner],
          `the island ${island} is declared by ${before.owner} and by ${name}; it can have one owner`,
        );
      else into.islands.push({ owner: name, name: island, source });
    },
    channel: (dependencies, make) => host.contribute(channelKinds, dependencies, make),
    onStart(dependencies, start) {
      declaring('a start');
      into.starts.push({ owner: name, dependencies, start: start as Loose as never });
    },
    whenPresent(plugin, declare) {
      if (context.present.has(plugin)) declare();
    },
  };
  return { host, close: () => (open = false) };
}
