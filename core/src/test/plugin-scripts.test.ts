import { mkdirSync, mkdtempSync, realpathSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from '@hapi/code';
import * as Lab from '@hapi/lab';
import type { PluginPackage } from '../plugins/discover.js';
import { loadPlugins } from '../plugins/load.js';
import { PluginScripts } from '../plugins/scripts.js';

export const lab = Lab.script();
const { describe, it, beforeEach, afterEach } = lab;

/** As `npm run build` makes it: `api` is what others import, `run` counts how often it was run. */
const script = (name: string, more = '') => `
  let ran = 0;
  exports.plugin = () => ({ default: { name: '${name}', version: '1.0.0', sdk: '^1.0.0', register() {}, ${more} } });
  exports.api = () => ({ from: 'the script of ${name}', address: __addressOf('./services/some.js'), ran: ++ran });
`;

describe('scripts of plugins', () => {
  let root: string;
  const dist = (name: string) => join(root, 'plugins', name, 'dist');

  beforeEach(() => {
    root = realpathSync(mkdtempSync(join(tmpdir(), 'mortise-scripts-')));
  });
  afterEach(() => rmSync(root, { recursive: true, force: true }));

  function plugin(name: string, files: Readonly<Record<string, string>>): PluginPackage {
    mkdirSync(dist(name), { recursive: true });
    const about = { name: `@own/${name}`, version: '1.0.0', type: 'module', mortise: { plugin: './dist/plugin.js' } };
    const all = {
      'plugin.js': `export default { name: '${name}', version: '1.0.0', sdk: '^1.0.0', register() {}, isModule: true };`,
      ...files,
    };
    writeFileSync(join(root, 'plugins', name, 'package.json'), JSON.stringify(about));
    for (const [file, text] of Object.entries(all)) writeFileSync(join(dist(name), file), text);
    const folder = join(root, 'plugins', name);
    return {
      ...{ name, folder, packageName: `@own/${name}`, version: '1.0.0' },
      ...{ entry: join(folder, 'dist/plugin.js'), from: 'workspace' },
    };
  }

  it('get the SDK of the host, and the contracts of others, each run once', async () => {
    const one = plugin('one', { 'plugin.bundle.cjs': script('one') });
    const asks =
      "one: require('@own/one/api'), again: require('@own/one/api'), sdk: require('@mortise/plugin-sdk'), later: __import,";
    const two = plugin('two', {
      'plugin.bundle.cjs': script('two', asks),
      'plugin.import.js': 'export default (name) => import(name);',
    });
    const scripts = await PluginScripts.of([one, two]);
    expect([one, two].map((found) => scripts.has(found))).to.equal([true, true]);
    const made = scripts.definition(two) as Record<string, Record<string, unknown>>;
    expect(made.one).to.shallow.equal(made.again!);
    expect(made.one).to.equal({
      from: 'the script of one',
      address: `file://${dist('one')}/services/some.js`,
      ran: 1,
    });
    const later = made.later as unknown as (name: string) => Promise<unknown>;
    expect(await later('node:path')).to.shallow.equal(await import('node:path'));
    expect(made.sdk!.definePlugin).to.shallow.equal((await import('@mortise/plugin-sdk')).definePlugin);
  });

  it('are passed over when the plugin was compiled since, and others get its contract from the module', async () => {
    const files = {
      'plugin.bundle.cjs': script('one'),
      'api.js': "export const from = 'the module of one';",
      'tsconfig.tsbuildinfo': '{}',
    };
    const one = plugin('one', files);
    utimesSync(join(dist('one'), 'plugin.bundle.cjs'), 1, 1);
    const two = plugin('two', { 'plugin.bundle.cjs': script('two', "one: require('@own/one/api'),") });
    const scripts = await PluginScripts.of([one, two]);
    expect([one, two].map((found) => scripts.has(found))).to.equal([false, true]);
    expect(scripts.definition(two)).to.include({ one: { from: 'the module of one' } });
    const { loaded, problems } = await loadPlugins(
      { root },
      { enabled: [], disabled: [], workDir: root, limitMs: 60_000 },
    );
    expect(problems).to.equal([]);
    expect(loaded.map(({ definition }) => [definition.name, 'isModule' in definition]).sort()).to.equal([
      ['one', true],
      ['two', false],
    ]);
  });

  it('are told apart by their folders when one cannot be loaded', async () => {
    plugin('one', { 'plugin.bundle.cjs': script('one', "no: require('no-such-library'),") });
    plugin('two', { 'plugin.bundle.cjs': script('two') });
    const { loaded, problems } = await loadPlugins(
      { root },
      { enabled: [], disabled: [], workDir: root, limitMs: 60_000 },
    );
    expect(loaded.map(({ definition }) => definition.name)).to.equal(['two']);
    expect(problems.map(({ plugins }) => plugins)).to.equal([['one']]);
    expect(problems[0]!.text).to.match(/cannot be loaded: Cannot find module 'no-such-library'/);
  });
});
