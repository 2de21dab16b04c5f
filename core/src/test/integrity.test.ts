// Database: SQLite alone, as what is compared are files of the work folder.
import { spawnSync } from 'node:child_process';
import {
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from '@hapi/code';
import * as Lab from '@hapi/lab';
import { compose, workspaceRoot } from '../index.js';
import { PluginStore } from '../installed-plugins/store.js';
import { vouchFor } from '../plugins/integrity.js';

export const lab = Lab.script();
const { describe, it, beforeEach, afterEach } = lab;

interface AddedPlugin {
  readonly packageName?: string;
  /** Package that npm laid into its `node_modules`. */
  readonly copyOf?: string;
}

describe('issue 30: added plugins are loaded as they were added', () => {
  let folder: string;
  const inside = (name: string, ...path: string[]) => join(realpathSync(join(folder, 'plugins', name)), ...path);
  async function add(
    name: string,
    { packageName = `mortise-plugin-${name}`, copyOf = '', ...more }: Record<string, unknown> & AddedPlugin = {},
  ): Promise<void> {
    const store = new PluginStore(join(folder, 'plugins'));
    const prepared = await store.stage();
    const about = { name: packageName, version: '1.0.0', type: 'module', mortise: { plugin: './plugin.mjs' }, ...more };
    writeFileSync(join(prepared, 'package.json'), JSON.stringify(about));
    writeFileSync(
      join(prepared, 'plugin.mjs'),
      `import './words.mjs';\nexport default { name: '${name}', version: '1.0.0', sdk: '^1.0.0', register() {} };\n`,
    );
    writeFileSync(join(prepared, 'words.mjs'), 'export const word = 1;\n');
    if (copyOf) {
      const copy = join(prepared, 'node_modules', copyOf);
      mkdirSync(copy, { recursive: true });
      writeFileSync(join(copy, 'package.json'), JSON.stringify({ ...about, name: copyOf }));
    }
    await store.activate(name, '1.0.0', prepared, { addedAt: 1, ...vouchFor(prepared) });
  }
  const start = (plugins: Record<string, string> = {}) =>
    compose({ workDir: folder, root: join(folder, 'root'), environment: {}, logLevel: 'none', settings: { plugins } });
  const refused = async (plugins?: Record<string, string>) => Object.fromEntries((await start(plugins)).leftOut);

  beforeEach(async () => {
    folder = mkdtempSync(join(tmpdir(), 'mortise-integrity-'));
    mkdirSync(join(folder, 'root'));
    symlinkSync(join(workspaceRoot(), 'node_modules'), join(folder, 'root', 'node_modules'));
    await add('toys');
    await add('games', { packageName: '@acme/mortise-plugin-games' });
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  it('as often as they are started, with what the host links into them', async () => {
    for (let count = 0; count < 2; count++) expect(await refused()).to.equal({});
    unlinkSync(inside('toys', 'node_modules', 'joi'));
    symlinkSync(tmpdir(), inside('toys', 'node_modules', 'joi'));
    expect(await refused()).to.equal({});
    expect(realpathSync(inside('toys', 'node_modules', 'joi'))).to.contain(workspaceRoot());
  });

  const changes: Record<string, () => void> = {
    'a file is another': () => writeFileSync(inside('toys', 'words.mjs'), 'export const word = 2;\n'),
    'a file is gone': () => unlinkSync(inside('toys', 'words.mjs')),
    'a file is new': () => writeFileSync(inside('toys', 'more.mjs'), ''),
    'a library is new': () => {
      mkdirSync(inside('toys', 'node_modules', 'left-pad'), { recursive: true });
      writeFileSync(inside('toys', 'node_modules', 'left-pad', 'index.js'), '');
    },
    'a named pipe is new': () => void spawnSync('mkfifo', [inside('toys', 'pipe')]),
    'a link is new': () => symlinkSync(tmpdir(), inside('toys', 'linked')),
  };
  for (const [what, change] of Object.entries(changes))
    it(`one is refused by name when ${what}, and the others run`, async () => {
      await start();
      change();
      const { leftOut, plugins } = await start();
      expect([...leftOut.keys()]).to.equal(['toys']);
      expect(leftOut.get('toys')).to.contain('was changed since it was added').and.contain('plugins update');
      expect(plugins.map(({ definition }) => definition.name)).to.equal(['games']);
    });

  it('one that names others is the same whether they are added later, or removed', async () => {
    const ranges = { 'mortise-plugin-dice': '^1.0.0' };
    await add('board', {
      peerDependencies: ranges,
      peerDependenciesMeta: { 'mortise-plugin-dice': { optional: true } },
    });
    await add('cards', { dependencies: ranges, copyOf: 'mortise-plugin-dice' });
    expect(await refused()).to.equal({});
    await add('dice');
    for (let count = 0; count < 2; count++) expect(await refused()).to.equal({});
    await new PluginStore(join(folder, 'plugins')).remove('dice');
    expect(await refused()).to.equal({});
  });

  it('one that signs people in is not left out: the start is refused', async () => {
    await add('auth-badge');
    writeFileSync(inside('auth-badge', 'words.mjs'), '');
    await expect(start()).to.reject(/the plugin auth-badge was changed since it was added/);
  });

  it('those of an earlier version, without a record, are loaded', async () => {
    rmSync(join(folder, 'plugins', '.records'), { recursive: true });
    writeFileSync(inside('toys', 'more.mjs'), '');
    expect(await refused()).to.equal({});
  });

  it('[plugins] ALLOWED names packages and scopes; others are left out', async () => {
    expect(Object.keys(await refused({ ALLOWED: '@acme/*' }))).to.equal(['toys']);
    expect(await refused({ ALLOWED: '@acme/*, mortise-plugin-toys' })).to.equal({});
    const told = await refused({ ALLOWED: 'mortise-plugin-toys' });
    expect(told.games).to.contain('@acme/mortise-plugin-games, which [plugins] ALLOWED does not name');
  });

  it('a record says what sha512 the files had', async () => {
    const record = readFileSync(
      join(folder, 'plugins', '.records', `${inside('toys').split('/').at(-1)}.json`),
      'utf8',
    );
    expect(JSON.parse(record).integrity).to.match(/^sha512-[\w+/]{86}==$/);
  });
});
