import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { storage } from '@mortise/plugin-sdk';
import { createBackup } from '../backup/create.js';
import { BackupFolder } from '../backup/folder.js';
import { verify } from '../backup/verify.js';
import { restore } from '../cli/restore.js';
import { createHost, workspaceRoot } from '../index.js';

export const lab = Lab.script();
const { describe, it, before, after } = lab;

const sound = join(workspaceRoot(), 'test', 'fixtures', 'broken-plugins', 'sound');

describe('back-ups and plugins from outside', { timeout: 120_000 }, () => {
  let folder: string;
  before(() => {
    folder = mkdtempSync(join(tmpdir(), 'mortise-backup-'));
  });
  after(() => rmSync(folder, { recursive: true, force: true }));

  const backUp = async (name: string, place: string) => {
    const workDir = join(folder, name);
    mkdirSync(join(workDir, place), { recursive: true });
    cpSync(sound, join(workDir, place), { recursive: true });
    const options = { workDir, environment: { MORTISE__plugins__ENABLED: 'sound' }, logLevel: 'none' } as const;
    const host = await createHost(options);
    try {
      await host.migrate();
      const target = join(folder, `${name}-back-up`);
      return { target, point: await createBackup(host, await BackupFolder.make(target)), options };
    } finally {
      await host.stop();
    }
  };

  it('what lies in plugins/ of the work folder is in it', async () => {
    const { target, point, options } = await backUp('added', join('plugins', 'sound'));
    expect(point.notes).to.be.empty();
    const workDir = join(folder, 'restored');
    mkdirSync(workDir);
    await restore({ ...options, workDir }, workDir, target, {});
    expect(readFileSync(join(workDir, 'plugins', 'sound', 'plugin.mjs'), 'utf8')).to.contain('sound');
  });

  it('O2: content that is not what its key says is copied, and told as a fault until the store has the right one', async () => {
    const workDir = join(folder, 'rotten');
    mkdirSync(workDir);
    const host = await createHost({ workDir, environment: {}, plugins: [], logLevel: 'none' });
    try {
      await host.migrate();
      const area = host.get(storage).area('things');
      const good = await area.putByHash(Buffer.from('as it was'));
      await area.put(good.key, Buffer.from('as it rots'));
      const target = await BackupFolder.make(join(folder, 'rotten-back-up'));
      const fault = `things/${good.key} has other content than its name says, in the store already`;
      for (let time = 0; time < 2; time++) {
        const point = await createBackup(host, target);
        expect(point.faults).to.equal([fault]);
        expect((await verify(target, [point])).faults).to.equal([`${point.id}: ${fault}`]);
      }
      await area.put(good.key, Buffer.from('as it was'));
      const mended = await createBackup(host, target);
      expect([mended.faults, (await verify(target, [mended])).faults]).to.equal([[], []]);
    } finally {
      await host.stop();
    }
  });

  it('O3: what went wrong in plugins of one site is not told of the site that is restored from it', async () => {
    const workDir = join(folder, 'troubled');
    mkdirSync(workDir);
    const options = { workDir, environment: {}, plugins: [], logLevel: 'none' } as const;
    const host = await createHost(options);
    await host.migrate();
    host.pluginErrors.record('snail', 'within', 'crawl', new Error('it had not ended'));
    await host.pluginErrors.flush();
    expect(await host.pluginErrors.stored()).to.have.length(1);
    const point = await createBackup(host, await BackupFolder.make(join(folder, 'troubled-back-up')));
    await host.stop();
    expect(point.tables.map(({ name }) => name)).to.not.include('plugin_fault');
    const fresh = join(folder, 'untroubled');
    mkdirSync(fresh);
    await restore({ ...options, workDir: fresh }, fresh, join(folder, 'troubled-back-up'), {});
    const restored = await createHost({ ...options, workDir: fresh });
    expect(await restored.pluginErrors.stored()).to.be.empty();
    await restored.stop();
  });

  it('what npm installed elsewhere is not, which is said', async () => {
    const { point } = await backUp('installed', join('node_modules', 'mortise-plugin-sound'));
    expect(point.notes).to.have.length(1);
    expect(point.notes[0]).to.contain('not in it: the plugin mortise-plugin-sound 1.0.0 in');
  });
});
