import {
  actAudited,
  BadRequest,
  type Events,
  type PluginChange,
  type PluginChanges,
  type PluginSwitches,
} from '@mortise/plugin-sdk';
import { t } from '../texts/index.js';

interface PluginChangeRequestsDeps {
  readonly changes: PluginChanges;
  readonly events: Events;
  readonly switches: PluginSwitches;
}

/** Without it, these pages could not be reached, or signing in would be less strict: only the command line removes it. */
export const isNeededHere = (name: string, dependents: readonly string[]): boolean =>
  [name, ...dependents].some((one) => ['admin', 'sessions'].includes(one) || one.startsWith('auth-'));

/** Proposes and confirms changes of plugins for pages and the API: keeps what these pages need, and writes the audit log. */
export class PluginChangeRequests {
  constructor(private readonly deps: PluginChangeRequestsDeps) {}

  /** Proposes to take a plugin out, with its data where it is to be purged. */
  async propose(kind: 'remove' | 'purge', plugin: string): Promise<PluginChange> {
    this.#checkRemovable(plugin);
    return this.deps.changes[kind](plugin);
  }

  confirm(id: number): Promise<void> {
    return this.deps.changes.confirm(id, async (change) => {
      const { kind, plugin, version, from, integrity } = change;
      // it was asked for by the name of its package, perhaps, or others need it since
      if (kind === 'remove' || kind === 'purge' || kind === 'disable') this.#checkRemovable(plugin);
      await this.#record(`plugin.${kind}`, change, {
        ...(version !== undefined && { version }),
        ...(from !== undefined && { from }),
        ...(integrity !== undefined && { integrity }),
      });
    });
  }

  /** Discards a proposed change; cancels one that the nodes carry out. */
  async discardOrCancel(id: number): Promise<void> {
    const { changes } = this.deps;
    if ((await changes.get(id)).state !== 'running') return changes.discard(id);
    await changes.cancel(id, (change) =>
      this.#record('plugin.cancel', change, {
        change: change.kind,
        ...(change.problem !== undefined && { progress: change.problem }),
      }),
    );
  }

  async #record(action: string, { plugin }: PluginChange, details: Readonly<Record<string, string>>): Promise<void> {
    await this.deps.events.emit(actAudited, { action, target: { kind: 'plugin', name: plugin }, details });
  }

  #checkRemovable(plugin: string): void {
    if (isNeededHere(plugin, this.deps.switches.dependents(plugin)))
      throw BadRequest(t.later('plugins.needed', { name: plugin }));
  }
}
