import type { Readable } from 'node:stream';
import { defineService } from './references.js';

export const pluginCapabilities = ['network', 'files', 'processes', 'native', 'database'] as const;

/**
 * What a plugin from outside can do beyond its own work: reach other servers, read and write files by itself, start programs, load
 * compiled code, or query the database. `mortise.capabilities` of its package.json names them.
 */
export type PluginCapability = (typeof pluginCapabilities)[number];

/** What a plugin brings. */
export interface PluginContents {
  /** Method and path of each. */
  readonly routes: readonly string[];
  readonly tables: readonly string[];
  /** `[section] KEY` of each. */
  readonly settings: readonly string[];
  readonly jobs: readonly string[];
  readonly commands: readonly string[];
  /** Undefined of changes that an earlier version noted. */
  readonly capabilities?: readonly PluginCapability[];
}

export type PluginChangeKind = 'add' | 'update' | 'remove' | 'purge' | 'enable' | 'disable';

/**
 * `preparing`: it is fetched and tried. `proposed`: it awaits confirmation. `running`: the nodes carry it out, one
 * after the other. The rest is final; `discarded`: it was not confirmed; `cancelled`: nodes that had not started did not.
 */
export type PluginChangeState = 'preparing' | 'proposed' | 'running' | 'done' | 'failed' | 'discarded' | 'cancelled';

/**
 * How far one node has come with a change. `restart_pending`: an operator has to restart it; `skipped`: it has not made the
 * change, and will not, since that failed or was cancelled.
 */
export interface PluginChangeNode {
  readonly host: string;
  readonly state: 'waiting' | 'running' | 'restart_pending' | 'done' | 'failed' | 'skipped';
  readonly problem?: string;
}

/** A change of the plugins of all nodes. */
export interface PluginChange {
  readonly id: number;
  readonly kind: PluginChangeKind;
  readonly state: PluginChangeState;
  /** Empty until the package is known. */
  readonly plugin: string;
  /** What was asked for: a name with a range for the package registry, the name of a file, or that of the plugin. */
  readonly source: string;
  readonly version?: string;
  /** Version that it takes the place of. */
  readonly from?: string;
  /** Of all files, as `sha512-…` of npm. */
  readonly integrity?: string;
  /** Bytes, packed. */
  readonly size?: number;
  readonly contents?: PluginContents;
  /** Why it failed, or how far a cancelled one had come; in English. */
  readonly problem?: string;
  /** It failed or was cancelled, and what it needs is still here; see `PluginChanges.retry`. */
  readonly canRetry: boolean;
  /** When its state changed last, in milliseconds since 1970 UTC. */
  readonly changedAt: number;
  /** The nodes that serve, of a change that runs, or ran with none after it. */
  readonly nodes: readonly PluginChangeNode[];
}

/** A plugin to add or to put in the place of what is added: a package of the registry (`@acme/mortise-plugin-shelf@^1`), or packed. */
export type PluginPackageSource =
  | { readonly packageName: string }
  | { readonly file: Readable; readonly fileName: string };

/**
 * Adds, updates, removes and purges plugins of all nodes. Each is proposed, shown with what it will do, and then confirmed.
 * One goes on at a time; another is refused (409).
 */
export interface PluginChanges {
  /** Whether the settings and the way the server was started let plugins be changed here. Else all below throw Forbidden. */
  readonly isEnabled: boolean;
  /** Adds a plugin, or updates the one of that name. Gives at once what is then prepared; its state says when that has ended. */
  install(source: PluginPackageSource): Promise<PluginChange>;
  /** Asks the registry that an added plugin came from for its newest version. */
  update(plugin: string): Promise<PluginChange>;
  remove(plugin: string): Promise<PluginChange>;
  /** Removes it with its tables, files and jobs. */
  purge(plugin: string): Promise<PluginChange>;
  /** Throws NotFound. */
  get(id: number): Promise<PluginChange>;
  /** The newest first, at most 50. */
  list(): Promise<readonly PluginChange[]>;
  /** Lets the nodes carry out what is proposed; `within` is run in the same transaction. Conflict (409) where it is not proposed any more. */
  confirm(id: number, within: (change: PluginChange) => Promise<void>): Promise<void>;
  /** Conflict (409) where it is not proposed any more. */
  discard(id: number): Promise<void>;
  /**
   * Nodes that have not started on a running change skip it; those that have made it keep it, and `problem` names both.
   * `within` is run in the same transaction. Conflict (409) where it does not run. Also allowed where `isEnabled` is false.
   */
  cancel(id: number, within: (change: PluginChange) => Promise<void>): Promise<void>;
  /** Proposes a change again that failed or was cancelled, with the same files. Conflict (409) where `canRetry` is false. */
  retry(id: number): Promise<PluginChange>;
}
export const pluginChanges = defineService<PluginChanges>('core.pluginChanges');
