import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from '@hapi/code';
import * as Lab from '@hapi/lab';
import { pluginDirectory } from '@mortise/plugin-sdk';
import { createHost, workspaceRoot, type Host } from '../index.js';

export const lab = Lab.script();
const { describe, it, before, after } = lab;

describe('P6: what lies on the disk beside what runs', () => {
  let folder: string;
  let host: Host;
  const write = (name: string, version: string) => {
    const plugin = join(folder, 'plugins', name);
    mkdirSync(plugin, { recursive: true });
    writeFileSync(
      join(plugin, 'package.json'),
      JSON.stringify({ name: `mortise-plugin-${name}`, version, type: 'module', mortise: { plugin: './plugin.mjs' } }),
    );
    const definition = JSON.stringify({ name, version, sdk: '^1.0.0' });
    writeFileSync(join(plugin, 'plugin.mjs'), `export default { ...${definition}, register() {} };\n`);
  };
  const setDisabled = (names: string) =>
    writeFileSync(
      join(folder, 'config', 'app.ini'),
      `[plugins]\nPATHS = ${join(folder, 'plugins')}\nDISABLED = ${names}\n`,
    );
  const states = async () =>
    Object.fromEntries(
      (await host.composition.container.get(pluginDirectory).states()).map(({ name, version, onDisk, waiting }) => [
        name,
        [version, ...(onDisk ? [onDisk] : []), ...(waiting ? [waiting] : [])].join(' '),
      ]),
    );

  before(async () => {
    folder = mkdtempSync(join(tmpdir(), 'mortise-pending-'));
    symlinkSync(join(workspaceRoot(), 'node_modules'), join(folder, 'node_modules'));
    mkdirSync(join(folder, 'config'));
    for (const name of ['stays', 'newer', 'gone', 'off', 'unused']) write(name, '1.0.0');
    setDisabled('unused');
    host = await createHost({ workDir: folder, root: folder, environment: {}, logLevel: 'none' });
    await host.start({ background: false });
  });
  after(async () => {
    await host?.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  it('nothing waits for a restart after a start', async () => {
    expect(await states()).to.equal({ stays: '1.0.0', newer: '1.0.0', gone: '1.0.0', off: '1.0.0', unused: '1.0.0' });
  });

  it('says what a restart starts, updates and stops', async () => {
    write('newer', '1.1.0');
    rmSync(join(folder, 'plugins', 'gone'), { recursive: true });
    write('arrived', '2.0.0');
    setDisabled('off');
    expect(await states()).to.equal({
      stays: '1.0.0',
      newer: '1.0.0 1.1.0 update',
      gone: '1.0.0 stop',
      off: '1.0.0 stop',
      unused: '1.0.0 start',
      arrived: '2.0.0 start',
    });
  });
});
