import type { PluginContents } from '@mortise/plugin-sdk';
import type { Composition } from '../compose.js';
import type { KernelDatabase, Owned } from '../contracts.js';
import { capabilitiesOf } from './capabilities.js';
import { namesIn } from '../database/table-guard.js';

interface ContentsSource {
  readonly composition: Composition;
  readonly database: KernelDatabase;
  routes(): readonly Owned<{ readonly method: string; readonly path: string }>[];
}

/** What a loaded plugin brings, of a host whose tables are made. */
export async function contentsOf(
  { composition, database, routes }: ContentsSource,
  name: string,
): Promise<PluginContents> {
  const { declarations, settingsRegistry } = composition;
  const isOwn = ({ owner }: { readonly owner: string }) => owner === name;
  const rows = await database.knex()('migration').where('owner', name).select<{ tables: string | null }[]>('tables');
  const own = {
    routes: routes()
      .filter(isOwn)
      .map(({ value }) => `${value.method} ${value.path}`),
    tables: rows.flatMap(({ tables }) => namesIn(tables)),
    settings: settingsRegistry.declared.filter(isOwn).map(({ section, key }) => `[${section}] ${key}`),
    jobs: [...declarations.jobs.values()].filter(isOwn).map(({ job }) => job.id),
    commands: [...declarations.commands.values()].filter(isOwn).map(({ command }) => `mortise ${command.name}`),
  };
  return {
    routes: [...new Set(own.routes)],
    tables: [...new Set(own.tables)].sort(),
    settings: own.settings,
    jobs: own.jobs,
    commands: own.commands,
    capabilities: capabilitiesOf(composition, name),
  };
}
