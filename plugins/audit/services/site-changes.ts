import {
  actAudited,
  type AuditedAct,
  type Database,
  type Events,
  type PluginDirectory,
  type SettingList,
} from '@mortise/plugin-sdk';
import { SiteStateRow, type SiteState } from '../models/site-state.js';

const rowId = 1;
/** Entries of one start. */
const maxActs = 200;
/** Characters of a value in an entry. */
const maxValue = 500;

interface SiteChangesDeps {
  readonly database: Database;
  readonly events: Events;
  readonly plugins: PluginDirectory;
  readonly settings: SettingList;
}

/**
 * Plugins are switched, and settings written, by hands that no service sees. What differs from the last start is audited
 * when the site starts; the first start has nothing to compare with.
 */
export class SiteChanges {
  constructor(private readonly deps: SiteChangesDeps) {}

  async record(): Promise<void> {
    const { database, events } = this.deps;
    const state = this.#current();
    const seen = await this.#last();
    if (seen && changesOf(seen, state).length === 0) return;
    await database.write(async () => {
      // another process that starts at the same moment may have been first
      const last = await database.query(SiteStateRow).findById(rowId).forUpdate();
      if (!last)
        return void (await database.query(SiteStateRow).insert({ id: rowId, state }).onConflict('id').ignore());
      for (const act of changesOf(last.state, state).slice(0, maxActs)) await events.emit(actAudited, act);
      await database.query(SiteStateRow).findById(rowId).patch({ state });
    });
  }

  async #last(): Promise<SiteState | undefined> {
    return (await this.deps.database.query(SiteStateRow).findById(rowId))?.state;
  }

  #current(): SiteState {
    const { plugins, settings } = this.deps;
    const written = settings.list().filter(({ source }) => source === 'file' || source === 'environment');
    const running = plugins.list().filter(({ enabled, problem }) => enabled && problem === undefined);
    return {
      plugins: running.map(({ name }) => name).sort(),
      settings: Object.fromEntries(
        written.map(({ section, key, value, isSet }) => [
          section ? `[${section}] ${key}` : key,
          (value ?? (isSet ? '******' : '')).slice(0, maxValue),
        ]),
      ),
    };
  }
}

function changesOf(before: SiteState, after: SiteState): AuditedAct[] {
  const pluginAct = (verb: 'enable' | 'disable', name: string): AuditedAct => ({
    action: `plugin.${verb}`,
    target: { kind: 'plugin', name },
  });
  const names = [...new Set([...Object.keys(before.settings), ...Object.keys(after.settings)])].sort();
  return [
    ...after.plugins.filter((name) => !before.plugins.includes(name)).map((name) => pluginAct('enable', name)),
    ...before.plugins.filter((name) => !after.plugins.includes(name)).map((name) => pluginAct('disable', name)),
    ...names
      .filter((name) => before.settings[name] !== after.settings[name])
      .map((name): AuditedAct => ({
        action: 'setting.change',
        target: { kind: 'setting', name },
        details: { from: before.settings[name] ?? '', to: after.settings[name] ?? '' },
      })),
  ];
}
