import type {
  CommandGroup,
  AnyRef,
  Command,
  CommandContext,
  Dependencies,
  DoctorOptions,
  EventContext,
  EventRef,
  Finding,
  JobContext,
  JobKind,
  ScheduleOptions,
  JobRef,
  PointRef,
  Route,
  ServiceRef,
} from '@mortise/plugin-sdk';
import type { MigrationSource } from '../contracts.js';
import type { StartProblem } from '../plugins/errors.js';

/** Filled dependencies, with their types left behind: the SDK has checked them where they were written. */
export type Services = Readonly<Record<string, unknown>>;

export interface ServiceDeclaration {
  readonly owner: string;
  readonly ref: ServiceRef<unknown>;
  readonly dependencies: Dependencies;
  make(services: Services): unknown;
}

export interface OverrideDeclaration {
  readonly owner: string;
  readonly ref: ServiceRef<unknown>;
  readonly dependencies: Dependencies;
  make(original: unknown, services: Services): unknown;
}

export interface ContributionDeclaration {
  readonly owner: string;
  readonly ref: PointRef<unknown>;
  readonly dependencies: Dependencies;
  make(services: Services): unknown;
  /** Known before anything is made. */
  readonly key?: string;
}

interface RoutesDeclaration {
  readonly owner: string;
  readonly dependencies: Dependencies;
  make(services: Services): readonly Route[];
}

interface SubscriptionDeclaration {
  readonly owner: string;
  readonly id: string;
  readonly event: EventRef<unknown>;
  readonly when: 'within' | 'after';
  readonly formerly: readonly string[];
  wants?(payload: unknown, services: Services): boolean;
  readAhead?(payloads: readonly unknown[], services: Services): Promise<(payload: unknown) => Promise<void>>;
  readonly dependencies: Dependencies;
  handle(payload: unknown, services: Services, context: EventContext): Promise<void>;
}

interface JobDeclaration {
  readonly owner: string;
  readonly job: JobRef<unknown>;
  readonly kind: JobKind;
  readonly dependencies: Dependencies;
  run(payload: unknown, services: Services, context: JobContext): Promise<void>;
}

interface ScheduleDeclaration {
  readonly owner: string;
  readonly id: string;
  readonly cron: string;
  readonly job: JobRef<unknown>;
  readonly payload: unknown;
  readonly options: ScheduleOptions;
}

export interface CommandDeclaration {
  readonly owner: string;
  readonly command: Command;
  readonly dependencies: Dependencies;
  run(context: CommandContext, services: Services): Promise<void>;
}

interface HealthCheckDeclaration {
  readonly owner: string;
  readonly id: string;
  readonly dependencies: Dependencies;
  check(services: Services): Promise<void>;
}

interface DoctorDeclaration {
  readonly owner: string;
  readonly id: string;
  readonly dependencies: Dependencies;
  check(services: Services, options: DoctorOptions): AsyncIterable<Finding>;
}

interface StartDeclaration {
  readonly owner: string;
  readonly dependencies: Dependencies;
  start(services: Services): Promise<void | (() => Promise<void> | void)>;
}

/** Everything that plugins declared, each with its owner, in plugin order. */
export class Declarations {
  readonly services = new Map<string, ServiceDeclaration>();
  /** By the id of the service. */
  readonly overrides = new Map<string, OverrideDeclaration>();
  readonly contributions: ContributionDeclaration[] = [];
  readonly routes: RoutesDeclaration[] = [];
  readonly subscriptions: SubscriptionDeclaration[] = [];
  readonly jobs = new Map<string, JobDeclaration>();
  readonly schedules: ScheduleDeclaration[] = [];
  readonly commands = new Map<string, CommandDeclaration>();
  readonly commandGroups = new Map<string, CommandGroup & { readonly owner: string }>();
  readonly healthChecks: HealthCheckDeclaration[] = [];
  readonly doctors: DoctorDeclaration[] = [];
  readonly islands: { owner: string; name: string; source: URL }[] = [];
  readonly starts: StartDeclaration[] = [];
  readonly migrations: MigrationSource[] = [];
  /** Points that somebody reads. */
  readonly readPoints = new Set<string>();
  /** Owner of each id in `provides`. */
  readonly provided = new Map<string, { owner: string; ref: AnyRef }>();
  readonly problems: StartProblem[] = [];
  readonly warnings: string[] = [];

  /** `plugins`: whose it is; where two are in it, the later first, which is taken out if either may be. */
  problem(plugins: string | readonly string[], text: string): void {
    this.problems.push({ plugins: typeof plugins === 'string' ? [plugins] : plugins, text });
  }
}
