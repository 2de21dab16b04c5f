import { channelKinds } from '@mortise/plugin-sdk';
import type { Dependencies, Keyed, Logger, PluginDefinition, PluginHost, PointRef } from '@mortise/plugin-sdk';
import { checkCron } from '@mortise/plugin-sdk/host';
import type { SettingsRegistry } from '../settings/index.js';
import type { Declarations, Services } from './declarations.js';
import type { Points } from './points.js';

type Loose = (...values: never[]) => unknown;

interface HostContext {
  readonly log: Logger;
  readonly settingsRegistry: SettingsRegistry;
  readonly points: Points;
  /** Names of the plugins that are on. */
  readonly present: ReadonlySet<string>;
}

/** What one plugin declares, as long as its `register` runs. */
class Registration {
  isOpen = true;

  constructor(
    readonly name: string,
    readonly into: Declarations,
  ) {}

  /** Throws after `register`. */
  declare(what: string): void {
    if (!this.isOpen)
      throw new Error(`the plugin ${this.name} declares ${what} too late: everything is declared in register`);
  }

  ownedTwice(kind: string, id: string, before: string): void {
    const { name } = this;
    this.into.problem(
      [name, before],
      `the ${kind} ${id} is declared by ${before} and by ${name}; it can have one owner`,
    );
  }

  /** An id that one plugin alone can have. */
  claim<T extends { owner: string }>(map: Map<string, T>, kind: string, id: string, value: T): void {
    this.declare(`the ${kind} ${id}`);
    const before = map.get(id);
    if (before) this.ownedTwice(kind, id, before.owner);
    else map.set(id, value);
  }

  /** An id that the plugin itself can use once. */
  unique(list: readonly { owner: string; id: string }[], kind: string, id: string): void {
    this.declare(`the ${kind} ${id}`);
    if (list.some((one) => one.owner === this.name && one.id === id))
      this.into.problem(this.name, `the plugin ${this.name} declares the ${kind} ${id} twice`);
  }

  provide({ provides = [] }: PluginDefinition): void {
    const { name, into } = this;
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
  }
}

/** The door through which one plugin declares. After `register` it is closed. */
export function createPluginHost(
  definition: PluginDefinition,
  into: Declarations,
  context: HostContext,
): { host: PluginHost; close(): void } {
  const { name, version } = definition;
  const registration = new Registration(name, into);
  registration.provide(definition);
  const contribute = contributeMethod(registration);
  const host: PluginHost = {
    name,
    log: context.log,
    settings: (section, schema) => {
      registration.declare('settings');
      return context.settingsRegistry.declare(name, section, schema);
    },
    settingsBelow: (prefix, schema) => {
      registration.declare('settings');
      const { settingsRegistry } = context;
      const names = settingsRegistry.sectionsBelow(prefix).filter((one) => !one.includes('.'));
      return new Map(names.map((one) => [one, settingsRegistry.declare(name, `${prefix}${one}`, schema)]));
    },
    deprecatedSetting: (setting) => context.settingsRegistry.deprecate(name, setting),
    migrations(folder) {
      registration.declare('migrations');
      into.migrations.push({ owner: name, version, folder });
    },
    point(ref) {
      into.readPoints.add(ref.id);
      return context.points.reader(ref);
    },
    contribute,
    channel: (dependencies, make) => contribute(channelKinds, dependencies, make),
    whenPresent(plugin, declare) {
      if (context.present.has(plugin)) declare();
    },
    ...serviceMethods(registration),
    ...workMethods(registration),
    ...operatorMethods(registration),
  };
  return { host, close: () => (registration.isOpen = false) };
}

function contributeMethod(registration: Registration): PluginHost['contribute'] {
  const contribute = (
    ref: PointRef<unknown>,
    ...rest: [unknown] | [Dependencies, (services: Services) => unknown]
  ): void => {
    registration.declare(`a contribution to ${ref.id}`);
    const direct = rest.length === 1;
    const value = direct ? rest[0] : undefined;
    registration.into.contributions.push({
      owner: registration.name,
      ref,
      dependencies: direct ? {} : (rest[0] as Dependencies),
      make: direct ? () => value : (rest[1] as (services: Services) => unknown),
      key: ref.shape === 'keyed' && direct ? (value as Keyed).key : undefined,
    });
  };
  return contribute as PluginHost['contribute'];
}

/** Services, routes and islands. */
function serviceMethods(registration: Registration): Pick<PluginHost, 'service' | 'override' | 'routes' | 'island'> {
  const { name: owner, into } = registration;
  return {
    service(ref, dependencies, make) {
      registration.declare(`the service ${ref.id}`);
      const provider = into.provided.get(`service ${ref.id}`)?.owner;
      if (provider && provider !== owner)
        into.problem([owner, provider], `the service ${ref.id} belongs to ${provider}, but ${owner} makes it too`);
      else
        registration.claim(into.services, 'service', ref.id, {
          owner,
          ref,
          dependencies,
          make: make as Loose as (services: Services) => unknown,
        });
    },
    override(ref, dependencies, make) {
      registration.declare(`an override of ${ref.id}`);
      const before = into.overrides.get(ref.id)?.owner;
      if (before)
        into.problem(
          [owner, before],
          `the service ${ref.id} is overridden by ${before} and by ${owner}; one may do so`,
        );
      else into.overrides.set(ref.id, { owner, ref, dependencies, make: make as Loose as never });
    },
    routes(dependencies, make) {
      registration.declare('routes');
      into.routes.push({ owner, dependencies, make: make as Loose as (services: Services) => readonly never[] });
    },
    island(island, source) {
      registration.declare(`the island ${island}`);
      const before = into.islands.find((one) => one.name === island);
      if (before) registration.ownedTwice('island', island, before.owner);
      else into.islands.push({ owner, name: island, source });
    },
  };
}

/** What runs by itself: at events, in jobs, at times and at the start. */
function workMethods(registration: Registration): Pick<PluginHost, 'on' | 'job' | 'schedule' | 'onStart'> {
  const { name: owner, into } = registration;
  return {
    on(event, when, id, dependencies, handle, { formerly = [], wants, readAhead } = {}) {
      // what comes after the commit to one subscriber comes in one order, whatever event it is
      const rivals = into.subscriptions.filter((one) => when === 'within' || one.when !== when || one.event === event);
      registration.unique(rivals, 'subscription', id);
      into.subscriptions.push({
        owner,
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
      registration.claim(into.jobs, 'job', job.id, { owner, job, kind, dependencies, run: run as Loose as never });
    },
    schedule(id, cron, job, payload, options = {}) {
      registration.unique(into.schedules, 'schedule', id);
      try {
        checkCron(cron);
      } catch (error) {
        into.problem(owner, `the schedule ${id} of ${owner} has a wrong time, "${cron}": ${(error as Error).message}`);
      }
      const taken = into.schedules.find(({ options: { taskName } }) => taskName && taskName === options.taskName);
      if (taken) into.problem(owner, `the task ${options.taskName} is of ${taken.owner} already`);
      into.schedules.push({ owner, id, cron, job, payload, options });
    },
    onStart(dependencies, start) {
      registration.declare('a start');
      into.starts.push({ owner, dependencies, start: start as Loose as never });
    },
  };
}

/** For operators: commands and checks. */
function operatorMethods(
  registration: Registration,
): Pick<PluginHost, 'command' | 'commandGroup' | 'healthCheck' | 'doctor'> {
  const { name: owner, into } = registration;
  return {
    command(command, dependencies, run) {
      const declared = { owner, command, dependencies, run: run as Loose as never };
      registration.claim(into.commands, 'command', command.name, declared);
    },
    commandGroup(group) {
      registration.claim(into.commandGroups, 'group of commands', group.name, { owner, ...group });
    },
    healthCheck(id, dependencies, check) {
      registration.unique(into.healthChecks, 'health check', id);
      into.healthChecks.push({ owner, id, dependencies, check: check as Loose as never });
    },
    doctor(id, dependencies, check) {
      registration.unique(into.doctors, "doctor's check", id);
      into.doctors.push({ owner, id, dependencies, check: check as Loose as never });
    },
  };
}
