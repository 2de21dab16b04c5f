import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from '@hapi/code';
import Lab from '@hapi/lab';
import { outbound } from '@mortise/plugin-sdk';
import { compose } from '../index.js';
import { capabilitiesOf, inCode, undeclared } from '../installed-plugins/capabilities.js';

export const lab = Lab.script();
const { describe, it, before, after } = lab;

const manifest = (capabilities?: unknown) =>
  ({ name: 'one', version: '1.0.0', mortise: { plugin: './plugin.js', capabilities } }) as Parameters<
    typeof undeclared
  >[0];

describe('capabilities of plugins from outside', () => {
  let folder: string;
  before(() => {
    folder = mkdtempSync(join(tmpdir(), 'mortise-capabilities-'));
  });
  after(() => rmSync(folder, { recursive: true, force: true }));

  it('are told from what code imports, however it is written', () => {
    for (const [code, found] of [
      [`import { readFile } from 'node:fs/promises';`, ['files']],
      [`import{spawn as s}from"child_process"`, ['processes']],
      [`import 'node:cluster';`, ['processes']],
      [`const net = require('net');`, ['network']],
      ['await import(`node:https`)', ['network']],
      [`export * from 'node:dns/promises';`, ['network']],
      [`process.getBuiltinModule('node:fs')`, ['files']],
      [`const answer = await fetch ('https://example.org')`, ['network']],
      [`new WebSocket(address)`, ['network']],
      [`process.dlopen(module, './thing.node')`, ['native']],
      // what only looks like it
      [`import { fs } from './fs.js'; cache.fetch(key); const prefetch = (x) => x; prefetch(1);`, []],
      [`import path from 'node:path'; import http from '@hapi/hapi';`, []],
    ] as const)
      expect([...new Set(inCode(code))], code).to.equal([...found]);
  });

  it('are those of libraries and services too, and not of scripts for browsers', async () => {
    const added = join(folder, 'work', 'plugins');
    const write = (name: string, path: string, text: string) => {
      mkdirSync(join(added, name, path, '..'), { recursive: true });
      writeFileSync(join(added, name, path), text);
    };
    for (const name of ['reader', 'caller']) {
      const about = {
        name: `mortise-plugin-${name}`,
        version: '1.0.0',
        type: 'module',
        mortise: { plugin: './plugin.js' },
      };
      write(name, 'package.json', JSON.stringify(about));
    }
    write('reader', 'node_modules/deep/lib/index.cjs', `exports.read = require('fs').readFileSync;`);
    write('reader', 'node_modules/deep/build/addon.node', '');
    write('reader', 'island.js', `fetch('/api/v1/version');`);
    write(
      'reader',
      'plugin.js',
      `export default { name: 'reader', version: '1.0.0', sdk: '^1.0.0', register: (host) => host.island('reader', new URL('./island.js', import.meta.url)) };`,
    );
    write(
      'caller',
      'plugin.js',
      `export default { name: 'caller', version: '1.0.0', sdk: '^1.0.0', register: (host) => host.onStart({ outbound: ${JSON.stringify(outbound)} }, async () => undefined) };`,
    );
    const composition = await compose({
      workDir: join(folder, 'work'),
      root: folder,
      environment: {},
      logLevel: 'none',
      tolerant: true,
    });
    try {
      expect(composition.problems).to.equal([]);
      expect(capabilitiesOf(composition, 'reader')).to.equal(['files', 'native']);
      expect(capabilitiesOf(composition, 'caller')).to.equal(['network']);
      expect(capabilitiesOf(composition, 'none')).to.equal([]);
    } finally {
      composition.metrics.close();
    }
  });

  it('must be named by a package that names any', () => {
    expect(undeclared(manifest(), ['network'])).to.equal([]);
    expect(undeclared(manifest(['network', 'files']), ['network'])).to.equal([]);
    expect(undeclared(manifest([]), ['files', 'database'])).to.equal([
      'it needs the capability files, which mortise.capabilities of its package.json does not name',
      'it needs the capability database, which mortise.capabilities of its package.json does not name',
    ]);
    for (const wrong of ['network', ['teleport'], [7], {}, null])
      expect(undeclared(manifest(wrong), [])).to.equal([
        'mortise.capabilities of its package.json is no list of network, files, processes, native, database',
      ]);
  });
});
