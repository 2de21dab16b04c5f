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

/** Without it, these pages or the way to them would be gone, or signing in easier: the commands alone take it away. */
export const carriesThesePages = (name: string, dependents: readonly string[]): boolean =>
  [name, ...dependents].some((one) => ['admin', 'sessions'].includes(one) || one.startsWith('auth-'));

/** Proposes and confirms changes of plugins for pages and the API: keeps what these pages need, and writes the audit log. */
export class PluginChangeRequests {
  constructor(private readonly deps: PluginChangeRequestsDeps) {}

  /** Proposes to take a plugin out, with its data where it is to be purged. */
  async propose(kind: 'remove' | 'purge', plugin: string): Promise<PluginChange> {
    this.#checkSpared(plugin);
    return this.deps.changes[kind](plugin);
  }

  confirm(id: number): Promise<void> {
    const { changes, events } = this.deps;
    return changes.confirm(id, async ({ kind, plugin, version, from, integrity }) => {
      // it was asked for by the name of its package, perhaps, or others need it since
      if (kind === 'remove' || kind === 'purge') this.#checkSpared(plugin);
      await events.emit(actAudited, {
        action: `plugin.${kind}`,
        target: { kind: 'plugin', name: plugin },
        details: {
          ...(version !== undefined && { version }),
          ...(from !== undefined && { from }),
          ...(integrity !== undefined && { integrity }),
        },
      });
    });
  }

  #checkSpared(plugin: string): void {
    if (carriesThesePages(plugin, this.deps.switches.dependents(plugin)))
      throw BadRequest(t.later('plugins.carries', { name: plugin }));
  }
}
