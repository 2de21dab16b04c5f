import {
  actAudited,
  BadRequest,
  type Events,
  type PluginChange,
  type PluginChanges,
  type PluginSwitches,
} from '@mortise/plugin-sdk';
import { t } from '../texts/index.js';

interface PluginInstallerDeps {
  readonly changes: PluginChanges;
  readonly events: Events;
  readonly switches: PluginSwitches;
}

/** Without it, these pages or the way to them would be gone, or signing in easier: the commands alone take it away. */
export const carriesThesePages = (name: string, dependents: readonly string[]): boolean =>
  [name, ...dependents].some((one) => ['admin', 'sessions'].includes(one) || one.startsWith('auth-'));

/** Changes of installed plugins as pages and the API ask for them, with their entries in the audit log. */
export class PluginInstaller {
  constructor(private readonly deps: PluginInstallerDeps) {}

  /** Proposes to take a plugin out, with its data where it is to be purged. */
  async propose(kind: 'remove' | 'purge', plugin: string): Promise<PluginChange> {
    const { changes, switches } = this.deps;
    if (carriesThesePages(plugin, switches.dependents(plugin)))
      throw BadRequest(t.later('plugins.carries', { name: plugin }));
    return changes[kind](plugin);
  }

  confirm(id: number): Promise<void> {
    const { changes, events } = this.deps;
    return changes.confirm(id, ({ kind, plugin, version, from, integrity }) =>
      events.emit(actAudited, {
        action: `plugin.${kind}`,
        target: { kind: 'plugin', name: plugin },
        details: {
          ...(version !== undefined && { version }),
          ...(from !== undefined && { from }),
          ...(integrity !== undefined && { integrity }),
        },
      }),
    );
  }
}
