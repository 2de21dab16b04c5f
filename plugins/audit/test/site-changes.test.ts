import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { database, events, type PluginDirectory, type SettingList, type SettingState } from '@mortise/plugin-sdk';
import { startHost, type TestHost } from '@mortise/plugin-sdk/testing';
import { EntryRow } from '../models/entry.js';
import { SiteStateRow } from '../models/site-state.js';
import { SiteChanges } from '../services/site-changes.js';

export const lab = Lab.script();
const { describe, it, before, after } = lab;

const setting = (key: string, value: string | undefined): SettingState => ({
  section: 'server',
  key,
  value,
  owner: 'core',
  description: '',
  type: 'text',
  defaultText: '',
  isSecret: value === undefined,
  isSet: true,
  source: 'file',
});

describe('what changes between two starts', () => {
  let host: TestHost;

  before(async () => {
    host = await startHost({ plugins: ['audit'] });
    const rows = host.services.get(database);
    await rows.write(async () => void (await rows.query(SiteStateRow).delete()));
  });
  after(() => host?.close());

  const start = (plugins: readonly string[], settings: readonly SettingState[]) =>
    new SiteChanges({
      database: host.services.get(database),
      events: host.services.get(events),
      plugins: {
        list: () => plugins.map((name) => ({ name, version: '1.0.0', description: '', enabled: true })),
      } as unknown as PluginDirectory,
      settings: { list: () => settings, find: () => undefined, compatible: () => undefined } satisfies SettingList,
    }).record();
  const entries = async () =>
    (await host.services.get(database).query(EntryRow).whereIn('target_kind', ['plugin', 'setting']).orderBy('id')).map(
      ({ action, target_name: name, details, way }) => [action, name, details, way],
    );

  it('is audited once: plugins that are switched, and settings; of secrets never the value', async () => {
    await start(['a', 'b'], [setting('DOMAIN', 'one.example'), setting('KEY', undefined)]);
    expect(await entries()).to.be.empty();
    const now = [setting('DOMAIN', 'two.example'), setting('KEY', undefined), setting('TOKEN', undefined)];
    await start(['b', 'c'], now);
    await start(['b', 'c'], now);
    expect(await entries()).to.equal([
      ['plugin.enable', 'c', {}, 'background'],
      ['plugin.disable', 'a', {}, 'background'],
      ['setting.change', '[server] DOMAIN', { from: 'one.example', to: 'two.example' }, 'background'],
      ['setting.change', '[server] TOKEN', { from: '', to: '******' }, 'background'],
    ]);
  });
});
