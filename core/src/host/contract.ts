import type { ServerInjectOptions, ServerInjectResponse } from '@hapi/hapi';
import type { Actor, PluginDirectory, Route, ServiceRef, Site } from '@mortise/plugin-sdk';
import type { ComposeOptions, Composition } from '../compose.js';
import type { KernelDatabase, ManagedEvents, ManagedJobs, MigrationSource, Owned } from '../contracts.js';
import type { NamedFinding } from '../doctor.js';
import type { PluginErrors } from '../plugin-errors/index.js';
import type { StartProblem } from '../plugins/index.js';
import type { ManagedLog } from '../telemetry/index.js';

/** What looks after this node, so that changes of plugins are carried out on it. */
export interface NodeLink {
  readonly id: string;
  /** Asks for the changes to be carried out, and waits for nothing. */
  applyChanges(): void;
}

export interface HostOptions extends ComposeOptions {
  /** Checks JSON answers against the schemas of their routes; for tests. */
  readonly validateResponses?: boolean;
  /** Who acts in an injected request; for tests. */
  readonly actorOf?: (app: unknown) => Actor | undefined;
  /** Is told the SQL of each statement; for tests. */
  readonly onStatement?: (sql: string) => void;
  /** The work folder is just being restored. */
  readonly restoring?: boolean;
  /** Waits without end for a database or Redis that is away: for a worker of a server that was well before. */
  readonly waitsForServers?: boolean;
  /** Asks the process that looks after the workers to replace them; undefined where there is none. */
  readonly askRestart?: () => void;
  /** The node that this process serves on; undefined for commands and tests. */
  readonly node?: NodeLink;
  /** Pages load again when the server was started again; for `mortise dev`. */
  readonly liveReload?: boolean;
  /** A host that listens or not; without, only services and commands work. */
  readonly port?: number;
  readonly address?: string;
}

export interface Host {
  readonly composition: Composition;
  readonly log: ManagedLog;
  readonly site: Site;
  readonly database: KernelDatabase;
  readonly events: ManagedEvents;
  readonly jobs: ManagedJobs;
  readonly pluginDirectory: PluginDirectory;
  get<T>(ref: ServiceRef<T>): T;
  /** All routes of plugins, made with their services. */
  routes(): readonly Owned<Route>[];
  /** Applies pending migrations, or of them only some; gives their names. */
  migrate(options?: { only?: readonly string[] }): Promise<string[]>;
  knownMigrations(): Promise<string[]>;
  /** What went wrong in plugins where no caller heard of it. */
  readonly pluginErrors: PluginErrors;
  /** What is wrong with contributions and routes; needs no tables. */
  check(): StartProblem[];
  pendingMigrations(): Promise<string[]>;
  /** The kernel's and those of the loaded plugins, in their order. */
  migrationSources(): readonly MigrationSource[];
  /** Migrates (unless told not to), then starts everything but listening. */
  start(options?: {
    migrate?: boolean;
    background?: boolean;
    /** Runs the `onStart` of this plugin only. */
    startOnly?: string;
  }): Promise<void>;
  /** Listens and gives the address; starts before when needed. */
  listen(): Promise<string>;
  inject(request: string | ServerInjectOptions): Promise<ServerInjectResponse>;
  runCommand(
    name: string,
    args: Readonly<Record<string, string | boolean | undefined>>,
    print: (line: string) => void,
    /** Default: the standard input. */
    input?: () => Promise<string>,
    /** Words without a flag. */
    positionals?: readonly string[],
  ): Promise<void>;
  doctor(options: { fix: boolean; deep?: boolean }): AsyncIterable<NamedFinding>;
  /** Drains and ends everything, in the reverse order of the start. Safe to call twice. `isReplaced`: another process serves on. */
  stop(isReplaced?: boolean): Promise<void>;
}
