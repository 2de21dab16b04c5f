import { defineService } from './references.js';

/** A plugin as it runs, and as it will after a restart. */
export interface PluginState {
  readonly name: string;
  /** Of what runs, else of what lies on the disk; empty where neither is known. */
  readonly version: string;
  readonly description: string;
  readonly enabled: boolean;
  /** Why the site goes on without it (`[plugins] OPTIONAL`). */
  readonly problem?: string;
  /** It came with Mortise, lies beside it, was added by command, or is named in `[plugins] PATHS`. */
  readonly from?: 'workspace' | 'installed' | 'added' | 'path';
  /** Version on the disk, where it is another one than the one that runs. */
  readonly onDisk?: string;
  /** What the next restart changes: it begins to run, another version of it does, or it runs no more. */
  readonly waiting?: 'start' | 'update' | 'stop';
  /** Ids of the services of other plugins that it overrides. */
  readonly overrides: readonly string[];
  /** What went wrong in it, in English. */
  readonly errors: readonly string[];
}

/** What is loaded; used by the documents, the doctor and the administration pages. */
export interface PluginDirectory {
  list(): readonly {
    name: string;
    version: string;
    description: string;
    enabled: boolean;
    /** Why the site goes on without it (`[plugins] OPTIONAL`). */
    problem?: string;
  }[];
  has(name: string): boolean;
  /** The same with what has to be looked up: what lies on the disk now, and what went wrong in the last 30 days. */
  states(): Promise<readonly PluginState[]>;
}
export const pluginDirectory = defineService<PluginDirectory>('core.plugins');

/** A restart of all workers of this machine's server, one after the other. */
export interface RestartState {
  readonly state: 'running' | 'done' | 'failed';
  /** In milliseconds since 1970 UTC. */
  readonly beganAt: number;
}

/**
 * Switches plugins on and off, in the settings file of the server, which reads it when it starts again. Where workers can be
 * replaced, every node does so, one after the other.
 */
export interface PluginSwitches {
  /** Plugins that run and cannot do without the named one, at whatever distance: they are disabled with it. */
  dependents(name: string): readonly string[];
  /**
   * Gives the plugins that are off from the next start on and were not before. Throws a Problem: 404 where there is no such plugin,
   * 409 where the setting does not come from the file or another change of it goes on, 503 where it takes too long.
   */
  disable(name: string): Promise<readonly string[]>;
  /** Gives the plugins that the next start tries again. Throws as `disable` does, and 409 where Mortise could not start with it. */
  enable(name: string): Promise<readonly string[]>;
  /** Whether the workers can be replaced: a server of one process is stopped and started by whoever runs it. */
  readonly canRestart: boolean;
  /** Asks for a restart of all workers and waits for nothing. Throws a Problem (409) where that cannot be done. */
  restart(): void;
  /** Undefined before the first one. */
  lastRestart(): Promise<RestartState | undefined>;
}
export const pluginSwitches = defineService<PluginSwitches>('core.pluginSwitches');
