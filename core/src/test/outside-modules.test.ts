// Database: SQLite alone; which module is found has nothing to do with it.
import {
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { expect } from '@hapi/code';
import Lab from '@hapi/lab';
import * as sdk from '@mortise/plugin-sdk';
import { h } from 'preact';
import { compose, StartError, type Composition } from '../index.js';
import type { PluginPackage } from '../plugins/discover.js';
import { linkPeers } from '../plugins/link-peers.js';

export const lab = Lab.script();
const { describe, it, before, after } = lab;

describe('plugins from outside get the modules of the host', () => {
  let folder: string;
  let composition: Composition;

  const write = (files: Record<string, string>) => {
    for (const [path, text] of Object.entries(files)) {
      mkdirSync(dirname(join(folder, path)), { recursive: true });
      writeFileSync(join(folder, path), text);
    }
  };
  const manifest = (name: string, version = '1.0.0', more: object = {}) =>
    JSON.stringify({ name, version, type: 'module', mortise: { plugin: './plugin.js' }, ...more });
  const found = (name: string) =>
    composition.plugins.find((one) => one.definition.name === name)!.definition as unknown as Record<string, unknown>;

  before(async () => {
    folder = mkdtempSync(join(tmpdir(), 'mortise-outside-'));
    write({
      'plugins/lamp/package.json': manifest('@acme/mortise-plugin-lamp', '1.0.0', { exports: { './api': './api.js' } }),
      'plugins/lamp/api.js': `
        import { definePoint } from '@mortise/plugin-sdk';
        export const shades = definePoint.keyed('lamp.shades');`,
      'plugins/lamp/plugin.js': `
        import * as sdk from '@mortise/plugin-sdk';
        import { h } from 'preact';
        import { jsx } from 'preact/jsx-runtime';
        import { shades } from './api.js';
        import joi from 'joi';
        import { own } from 'brought-along';
        export default { name: 'lamp', version: '1.0.0', sdk: '^1.0.0', register() {}, sdkModule: sdk, h, jsx, shades, joi, own };`,
      // What lies beside a plugin must not matter …
      'plugins/lamp/node_modules/@mortise/plugin-sdk/package.json': JSON.stringify({
        name: '@mortise/plugin-sdk',
        version: '0.0.1',
        type: 'module',
        exports: './index.js',
      }),
      'plugins/lamp/node_modules/@mortise/plugin-sdk/index.js': 'throw new Error("not this one");',
      // … and what it brought may have its own.
      'plugins/lamp/node_modules/brought-along/package.json': JSON.stringify({
        name: 'brought-along',
        version: '1.0.0',
        type: 'module',
        exports: './index.js',
      }),
      'plugins/lamp/node_modules/brought-along/index.js': `
        import joi from 'joi';
        import { h } from 'preact';
        export const own = { joi, h };`,
      'plugins/lamp/node_modules/joi/package.json': JSON.stringify({ name: 'joi', version: '9.0.0', main: 'index.js' }),
      'plugins/lamp/node_modules/joi/index.js': 'module.exports = { itsOwn: true };',
      'elsewhere/shade/package.json': manifest('mortise-plugin-shade', '1.0.0', {
        peerDependencies: { '@acme/mortise-plugin-lamp': '^1.0.0', '@mortise/webhooks': '^1.0.0' },
      }),
      'elsewhere/shade/plugin.js': `
        import { shades } from '@acme/mortise-plugin-lamp/api';
        import { webhookKinds } from '@mortise/webhooks/api';
        import { startHost } from '@mortise/plugin-sdk/testing';
        import Joi from 'joi';
        export default { name: 'shade', version: '1.0.0', sdk: '^1.0.0', requires: { lamp: '^1.0.0' }, register(host) {
          host.contribute(shades, { key: 'green' });
        }, shades, webhookKinds, startHost, Joi };`,
    });
    composition = await compose({
      workDir: folder,
      environment: {},
      logLevel: 'none',
      plugins: ['lamp', 'shade'],
      settings: { plugins: { PATHS: 'elsewhere/shade' } },
    });
  });
  after(() => rmSync(folder, { recursive: true, force: true }));

  it('its one SDK and its one preact, whatever is installed beside the plugin', () => {
    const { sdkModule, h: itsH, jsx } = found('lamp') as { sdkModule: typeof sdk; h: unknown; jsx: unknown };
    expect(sdkModule.Problem === sdk.Problem).to.be.true();
    expect(sdkModule.BaseModel === sdk.BaseModel).to.be.true();
    expect(itsH === h).to.be.true();
    expect(jsx).to.be.a.function();
  });

  it('contracts of plugins that came with Mortise, and of others from outside', () => {
    const shade = found('shade');
    expect(shade.shades === found('lamp').shades).to.be.true();
    expect((shade.webhookKinds as { id: string }).id).to.equal('webhooks.kinds');
    expect(shade.startHost).to.be.a.function();
  });

  it('joi as the host has it, unless the plugin brought its own', () => {
    expect(found('shade').Joi === sdk.Joi).to.be.true();
    expect(found('lamp').joi).to.equal({ itsOwn: true });
    const { own } = found('lamp') as { own: { joi: unknown; h: unknown } };
    expect(own.joi).to.equal({ itsOwn: true });
    expect(own.h === h).to.be.true();
  });

  it('after the host has moved, and where others share node_modules nothing of it is changed', async () => {
    const again = () =>
      compose({
        workDir: folder,
        environment: {},
        logLevel: 'none',
        plugins: ['lamp', 'shade'],
        settings: { plugins: { PATHS: 'elsewhere/shade' } },
      });
    const link = join(folder, 'elsewhere/shade/node_modules/preact');
    rmSync(link);
    symlinkSync(join(folder, 'not-there'), link);
    await again();
    expect(realpathSync(link)).to.equal(dirname(createRequire(import.meta.url).resolve('preact/package.json')));
    renameSync(dirname(link), join(folder, 'elsewhere/modules'));
    symlinkSync('../modules', dirname(link));
    expect((await again()).plugins.map(({ definition }) => definition.name)).to.include('shade');
    rmSync(join(folder, 'elsewhere/modules/preact'));
    const error = await expect(again()).to.reject(StartError);
    expect(error.message).to.match(
      /the plugin shade finds preact nowhere, not in .*node_modules leads to .*modules, which others share/,
    );
  });

  it('S1: no name in a package.json leads out of node_modules, and no link there is followed', () => {
    write({
      'odd/victim/data': 'kept',
      'odd/plugins/a/package.json': JSON.stringify({ name: '../../victim', mortise: { plugin: './plugin.js' } }),
      'odd/plugins/b/package.json': JSON.stringify({ name: 'b', dependencies: { '../../victim': '1', preact: '1' } }),
      'odd/elsewhere/plugin-sdk/data': 'kept',
      'odd/plugins/c/package.json': JSON.stringify({ name: 'c' }),
      'odd/plugins/c/node_modules/x/data': '',
    });
    const at = (name: string) => join(folder, 'odd', name);
    const plugin = (name: string, packageName: string): PluginPackage => ({
      name,
      packageName,
      folder: at(`plugins/${name}`),
      entry: at(`plugins/${name}/plugin.js`),
      version: '1.0.0',
      from: 'path',
    });
    const all = [plugin('a', '../../victim'), plugin('b', 'b'), plugin('p', 'preact')];
    expect(linkPeers(all[1]!, all)).to.be.undefined();
    expect(readFileSync(at('victim/data'), 'utf8')).to.equal('kept');
    expect(realpathSync(at('plugins/b/node_modules/preact'))).not.to.include('odd');
    symlinkSync(at('elsewhere'), at('plugins/c/node_modules/@mortise'));
    expect(linkPeers(plugin('c', 'c'), all)).to.include('others share');
    expect(readFileSync(at('elsewhere/plugin-sdk/data'), 'utf8')).to.equal('kept');
  });

  it('a version in package.json that is not that of the definition stops the start', async () => {
    write({
      'elsewhere/odd/package.json': manifest('mortise-plugin-odd', '1.2.0'),
      'elsewhere/odd/plugin.js': `export default { name: 'odd', version: '1.1.0', sdk: '^1.0.0', register() {} };`,
    });
    const error = await expect(
      compose({
        workDir: folder,
        environment: {},
        logLevel: 'none',
        plugins: ['odd'],
        settings: { plugins: { PATHS: 'elsewhere/odd' } },
      }),
    ).to.reject(StartError);
    expect(error.message).to.contain(
      'the plugin odd is 1.1.0 in its definition and 1.2.0 in its package.json; both must agree',
    );
  });
});
