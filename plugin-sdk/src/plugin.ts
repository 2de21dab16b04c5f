import type { VNode } from 'preact';
import type { Actor } from './actor.js';
import type { ChannelKind } from './channels.js';
import { cronSetting } from './cron-expression.js';
import type { Route } from './http.js';
import { Joi } from './joi.js';
import type { Text } from './language.js';
import type { Logger } from './services.js';
import type {
  AnyRef,
  Dependencies,
  EventRef,
  JobRef,
  PointReader,
  PointRef,
  Resolved,
  ServiceRef,
} from './references.js';

export interface PluginDefinition {
  /** kebab-case; equals the folder, the settings section and the hapi plugin. */
  readonly name: string;
  /** Semantic version of the plugin. */
  readonly version: string;
  readonly description?: string;
  /** Range on the SDK, for instance `^1.0.0`. */
  readonly sdk: string;
  /** Plugins that must be on, with ranges; they come earlier in every order. */
  readonly requires?: Readonly<Record<string, string>>;
  /** Plugins that are used when on; they come earlier when on. */
  readonly optional?: Readonly<Record<string, string>>;
  /** Services, events, jobs and points that this plugin owns; unkept or claimed twice stops the start. */
  readonly provides?: readonly AnyRef[];
  /** Storage areas that hold this plugin's blobs: emptied when the plugin is removed with its data. */
  readonly areas?: readonly string[];
  /** Declares everything; synchronous, no I/O. */
  register(host: PluginHost): void;
}

export function definePlugin(definition: PluginDefinition): PluginDefinition {
  return Object.freeze(definition);
}

export interface EventContext {
  readonly log: Logger;
  /** Delivery attempt, from 1 (`after` only). */
  readonly attempt: number;
}

export interface JobContext {
  readonly log: Logger;
  readonly id: string;
  /** From 1. */
  readonly attempt: number;
  /** Aborted when the lease is lost or the process drains. */
  readonly signal: AbortSignal;
  /** Shown to whoever watches the job; also renews the lease. */
  progress(done: number, total: number, text?: string): Promise<void>;
}

/** How a scheduled task is shown. */
export interface ScheduleOptions {
  /**
   * Name for administrators, in letters, digits and `_`: the compatible service's where it does the same work, such as
   * `gc_lfs`. Default: plugin and id. The start is refused when two tasks share a name.
   */
  readonly taskName?: string;
  /** What it does, for administrators: `Delete expired sessions`. Default: its name. */
  readonly title?: Text;
  /** Also when the site starts, once, whatever the times are. */
  readonly runsAtStart?: boolean;
}

/** More of a subscription. */
interface SubscriptionOptions<P = unknown, S = never> {
  /**
   * Names that an `after` subscription had before it was renamed or moved between plugins, as `plugin/id`: what waits for
   * them at an upgrade is delivered to this one. Its payloads must be of the same event.
   */
  readonly formerly?: readonly string[];
  /**
   * False for what it would pass over; for an `after` subscription that is never stored. Asked in the emitting
   * transaction; looks at nothing but the payload and what is known already (`QueryCache.peek`).
   */
  wants?(payload: P, services: S): boolean;
  /**
   * Of an `after` subscription: reads at once what several events that wait for it need. Gives what handles each of them,
   * in their order; where it fails, the usual handler does.
   */
  readAhead?(payloads: readonly P[], services: S): Promise<(payload: P) => Promise<void>>;
}

export interface JobKind {
  /** Attempts in all; default 5. */
  readonly attempts?: number;
  /** Milliseconds before attempt n+1 (n from 1); default exponential from 1 s to 10 min. */
  readonly backoff?: (attempt: number) => number;
  /** A lease that is not renewed for so long is taken over; default 60 000 ms. */
  readonly leaseMs?: number;
  /** How many at once in one process; default 2. */
  readonly concurrency?: number;
  /** How many of one group (see JobOptions) at once on the whole site; default: as many as there is room for. */
  readonly perGroup?: number;
  /**
   * Milliseconds that one attempt may take; default `[queue] JOB_TIMEOUT`. Then its signal is aborted, and a moment
   * later the attempt has failed and others take its place, whether it has ended or not.
   */
  readonly timeoutMs?: number;
}

export interface CommandContext {
  readonly args: Readonly<Record<string, string | boolean | undefined>>;
  /** Words without a flag, where the command takes some. */
  readonly positionals: readonly string[];
  readonly print: (line: string) => void;
  /** What comes on the standard input, to its end: for secrets, which others can read on a command line. */
  readonly input: () => Promise<string>;
  /** Asks a route of this site in this process, as the actor would; nothing listens for it. GET only. */
  readonly request: (actor: Actor, path: string) => Promise<CommandAnswer>;
  readonly log: Logger;
}

/** What a route of this site answered a command. */
interface CommandAnswer {
  readonly status: number;
  /** By lower-case name. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
}

export interface Command {
  /** Words after `mortise`, for instance `admin user create`. */
  readonly name: string;
  readonly summary: string;
  /** Commander syntax: `--username <name>`, `--admin`. */
  readonly options?: readonly { readonly flags: string; readonly description: string; readonly required?: boolean }[];
  /** Words without a flag that it takes, in Commander syntax: `<file...>`. Default none. */
  readonly positionals?: string;
  /** Asks for no service and needs no database: it runs where no installation is. */
  readonly isStandalone?: boolean;
}

/** Commands whose names begin with the same words. */
export interface CommandGroup {
  /** Words after `mortise`, for instance `admin user`. */
  readonly name: string;
  /** A sentence for what its commands are for. */
  readonly summary: string;
  /** A command line to try, without `mortise`: `admin user list`. */
  readonly example: string;
}

export interface DeprecatedSetting {
  readonly section: string;
  readonly key: string;
  /** What to use instead, for instance `[security] ALLOWED_HOST_LIST`. */
  readonly replacement: string;
}

/** How `mortise doctor` was called. */
export interface DoctorOptions {
  readonly fix: boolean;
  /** Contents are read and compared too, however long that takes. */
  readonly deep: boolean;
}

/** One finding of `mortise doctor`. */
export interface Finding {
  readonly level: 'ok' | 'warning' | 'error';
  readonly text: string;
  readonly fixed?: boolean;
}

/** What a plugin declares with. Everything registered has this plugin as owner and is gone when it is off. */
export interface PluginHost {
  readonly name: string;
  readonly log: Logger;
  /** Typed, frozen values of an INI section. Keys are upper case; every key has a default and a description. */
  settings<T>(section: string, schema: Joi.ObjectSchema<T>): Readonly<T>;
  /**
   * Likewise of every section that was written below the prefix, by the rest of its name, which has no dot: `markup.` gives `jupyter`
   * for `[markup.jupyter]`.
   */
  settingsBelow<T>(prefix: string, schema: Joi.ObjectSchema<T>): ReadonlyMap<string, Readonly<T>>;
  deprecatedSetting(setting: DeprecatedSetting): void;
  /** Folder with compiled migrations `NNNN_what.js`, each exporting `up(knex)` and `down(knex)`. */
  migrations(folder: URL): void;
  /** Makes the service when first needed, after migrations; synchronous (I/O belongs into onStart). */
  service<T, D extends Dependencies>(
    ref: ServiceRef<T>,
    dependencies: D,
    make: (services: Resolved<D>) => NoInfer<T>,
  ): void;
  /**
   * Gives all who use a service of another plugin what `make` makes of it, such as a wrapper; name that plugin in `requires` or
   * `optional`. Of all plugins one may override a service; those of the kernel cannot be.
   */
  override<T, D extends Dependencies>(
    ref: ServiceRef<T>,
    dependencies: D,
    make: (original: T, services: Resolved<D>) => NoInfer<T>,
  ): void;
  /** Reads a point that this plugin or another opens. */
  point<C>(ref: PointRef<C>): PointReader<C>;
  contribute<C>(ref: PointRef<C>, contribution: NoInfer<C>): void;
  contribute<C, D extends Dependencies>(
    ref: PointRef<C>,
    dependencies: D,
    make: (services: Resolved<D>) => NoInfer<C>,
  ): void;
  routes<D extends Dependencies>(dependencies: D, make: (services: Resolved<D>) => readonly Route[]): void;
  /**
   * `within`: in the emitting transaction, may refuse by throwing; `after`: durable, at least once, in order. Several
   * events may come `after` to one id, in the order in which they were emitted.
   */
  on<P, D extends Dependencies>(
    event: EventRef<P>,
    when: 'within' | 'after',
    id: string,
    dependencies: D,
    handle: (payload: NoInfer<P>, services: Resolved<D>, context: EventContext) => Promise<void>,
    options?: SubscriptionOptions<NoInfer<P>, Resolved<D>>,
  ): void;
  job<P, D extends Dependencies>(
    job: JobRef<P>,
    kind: JobKind,
    dependencies: D,
    run: (payload: NoInfer<P>, services: Resolved<D>, context: JobContext) => Promise<void>,
  ): void;
  /** Enqueues the job at the times of a cron expression (UTC), once however many processes run. */
  schedule<P>(id: string, cron: string, job: JobRef<P>, payload: NoInfer<P>, options?: ScheduleOptions): void;
  /** What is said of a group of commands in the help; one plugin may say it for all that add to the group. */
  commandGroup(group: CommandGroup): void;
  command<D extends Dependencies>(
    command: Command,
    dependencies: D,
    run: (context: CommandContext, services: Resolved<D>) => Promise<void>,
  ): void;
  /** Checked by `/api/healthz` and `mortise doctor`; throws when unwell. */
  healthCheck<D extends Dependencies>(
    id: string,
    dependencies: D,
    check: (services: Resolved<D>) => Promise<void>,
  ): void;
  /** A check of `mortise doctor`; repairs when `fix`, and reads whole contents only when `deep`. */
  doctor<D extends Dependencies>(
    id: string,
    dependencies: D,
    check: (services: Resolved<D>, options: DoctorOptions) => AsyncIterable<Finding>,
  ): void;
  /** A client script (bundled by esbuild from a source file) or style sheet that pages name in `islands`. */
  island(name: string, source: URL): void;
  /** Messages to open pages; `channels` publishes them. */
  channel<D extends Dependencies>(dependencies: D, make: (services: Resolved<D>) => ChannelKind): void;
  /** Runs when all plugins are registered and migrated; returns its own stop. Not run by one-off commands. */
  onStart<D extends Dependencies>(
    dependencies: D,
    start: (services: Resolved<D>) => Promise<void | (() => Promise<void> | void)>,
  ): void;
  /** Declarations that hold only when the optional plugin is on. */
  whenPresent(plugin: string, declare: () => void): void;
}

/** `[cron.NAME]` of a task that people may switch off or give other times. */
interface TaskTimes {
  readonly RUN_AT_START: boolean;
  readonly SCHEDULE: string;
}

interface ScheduledWork {
  /** Of the schedule, in this plugin. */
  readonly id: string;
  /** For administrators, see `ScheduleOptions.taskName`; its settings stand in `[cron.NAME]`. */
  readonly taskName: string;
  /** See `ScheduleOptions.title`. */
  readonly title?: Text;
  /** A cron expression (UTC), where the section says nothing else. */
  readonly schedule: string;
  /**
   * What it does, for the setting that switches it off: `Ends tasks without a sign of life`. Absent: the plugin declares
   * `ENABLED` of the section itself, as something else.
   */
  readonly does?: string;
  /** What the plugin's own `ENABLED` says; false: the times are settings all the same, and nothing is scheduled. */
  readonly isEnabled?: boolean;
}

/** Schedules a job at the times that its section of the settings says. */
export function scheduleTask<P>(host: PluginHost, task: ScheduledWork, job: JobRef<P>, payload: NoInfer<P>): void {
  const { id, taskName, title, schedule, does } = task;
  const section = `cron.${taskName}`;
  const times = host.settings(
    section,
    Joi.object<TaskTimes, true>({
      // what was due while the site was down is made up for anyway
      RUN_AT_START: Joi.boolean().default(false).description('Also at each start of the site.'),
      SCHEDULE: cronSetting(schedule),
    }),
  );
  if (does !== undefined) {
    const ENABLED = Joi.boolean().default(true).description(`${does}, at the times of SCHEDULE.`);
    if (!host.settings(section, Joi.object<{ readonly ENABLED: boolean }>({ ENABLED })).ENABLED) return;
  }
  if (task.isEnabled === false) return;
  host.schedule(id, times.SCHEDULE, job, payload, { taskName, title, runsAtStart: times.RUN_AT_START });
}

// ---------------------------------------------------------------- slots of the web shell

/** A setting that the search in settings finds. */
export interface NamedSetting {
  /** As the page calls it. */
  readonly label: Text;
  /** Id of its control on the page, `field-theme`; default: the page as a whole. */
  readonly field?: string;
  /** Further words by which it is found, for instance its choices. */
  readonly also?: readonly Text[];
}

export interface NavigationItem {
  readonly key: string;
  readonly label: Text;
  readonly href: string;
  readonly order?: number;
  /** Octicon name. */
  readonly icon?: string;
  /** Of an entry of a settings menu: what can be set on its page, for the search in settings. */
  readonly settings?: readonly NamedSetting[];
  visible?(actor: Actor): boolean;
}

/**
 * Something rendered into a named place of a page. `P` is what the place knows. What `render` gives is rendered later,
 * in the visitor's language: texts belong into a component that it names, not into `render` itself.
 */
export interface Slot<P> {
  readonly key: string;
  readonly order?: number;
  render(props: P): VNode | null | Promise<VNode | null>;
}
