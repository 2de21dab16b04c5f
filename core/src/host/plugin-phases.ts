import { withTimeout } from '@mortise/plugin-sdk';
import { kernelMigrations } from '@mortise/core-migrations';
import type { Composition } from '../compose.js';
import type { MigrationSource } from '../contracts.js';

/** Longer than that, and the log says which plugin is waited for; in milliseconds. */
const warnAfterMs = 10_000;

/** What the host waits for in plugins, one after the other: their migrations and their start. */
export class PluginPhases {
  readonly #builtIn: ReadonlySet<string>;

  constructor(private readonly composition: Composition) {
    this.#builtIn = new Set(
      composition.plugins.filter((one) => one.package?.from === 'workspace').map((one) => one.definition.name),
    );
  }

  isBuiltIn(plugin: string): boolean {
    return this.#builtIn.has(plugin);
  }

  migrationSources(): MigrationSource[] {
    const { declarations, version } = this.composition;
    return [
      { owner: 'core', version, folder: kernelMigrations, isBuiltIn: true },
      // On an empty database too, the tables of built-in plugins are there before the migrations of others: one that touches
      // them is refused for that, not for a table that is missing.
      ...declarations.migrations
        .map((one) => ({ ...one, isBuiltIn: this.isBuiltIn(one.owner) }))
        .sort((left, right) => Number(right.isBuiltIn) - Number(left.isBuiltIn)),
    ];
  }

  /** Within a time, and with a line in the log that names the plugin; also where its code never gives way. */
  async run<T>(owner: string, phase: string, limitMs: number, late: string, work: () => Promise<T>): Promise<T> {
    const { log, plugins, watch } = this.composition;
    const outside = plugins.find((one) => one.definition.name === owner)?.package;
    const leave = outside && outside.from !== 'workspace' ? watch(outside, phase, limitMs) : undefined;
    const warn = () =>
      log.of(owner).warn(`everything waits for the plugin ${owner} while it ${phase}`, {
        event: 'plugin.slow',
        seconds: warnAfterMs / 1000,
      });
    const warning = setTimeout(warn, warnAfterMs);
    try {
      return await withTimeout(limitMs, () => new Error(late), work);
    } finally {
      clearTimeout(warning);
      leave?.();
    }
  }

  /** A migration of one plugin. */
  migrate = <T>(owner: string, name: string, work: () => Promise<T>): Promise<T> => {
    const limitMs = this.composition.settings.plugins.MIGRATION_TIMEOUT * 1000;
    const late = `it took longer than ${limitMs / 1000} seconds`;
    return this.run(owner, `runs its migration ${name}`, limitMs, late, work);
  };
}
