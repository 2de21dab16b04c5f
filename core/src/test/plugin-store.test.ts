import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from '@hapi/code';
import * as Lab from '@hapi/lab';
import { PluginStore } from '../installed-plugins/store.js';
import type { InstanceProcess } from '../instance/index.js';

export const lab = Lab.script();
const { describe, it, beforeEach, afterEach } = lab;

describe('the folder of added plugins', () => {
  let folder: string;
  let store: PluginStore;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'mortise-store-'));
    store = new PluginStore(folder);
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  const put = async (version: string) => {
    const prepared = await store.stage();
    writeFileSync(join(prepared, 'version'), version);
    await store.activate('shelf', version, prepared, { addedAt: 1 });
  };
  const packages = () => {
    const names = readdirSync(store.packages).sort();
    expect(readdirSync(store.records).sort()).to.equal(names.map((name) => `${name}.json`));
    return names;
  };
  const versions = () => packages().map((name) => name.split('-')[1]);
  const process = (loaded?: readonly string[]): InstanceProcess => ({ host: 'here', process: 1, packages: loaded });

  it('sweeps what a killed command left, and nothing of one that still runs', async () => {
    const [left, running] = [await store.stage(), await store.stage()];
    const before = new Date(Date.now() - 2 * 3_600_000);
    utimesSync(left, before, before);
    await store.sweep([]);
    expect([existsSync(left), existsSync(running)]).to.equal([false, true]);
  });

  it('keeps what a process has loaded over any number of updates, and the removal', async () => {
    await put('1.0.0');
    const serving = [process(packages())];
    for (const version of ['1.1.0', '1.2.0', '1.3.0']) {
      await put(version);
      await store.sweep(serving);
      expect(versions()).to.equal(['1.0.0', version]);
    }
    await store.remove('shelf');
    await store.sweep(serving);
    expect([store.has('shelf'), versions()]).to.equal([false, ['1.0.0']]);
    await store.sweep([]);
    expect(versions()).to.equal([]);
  });

  it('deletes no version while a process is about to load one', async () => {
    await put('1.0.0');
    await put('1.1.0');
    await store.sweep([process([]), process()]);
    expect(versions()).to.equal(['1.0.0', '1.1.0']);
    await store.sweep([process([])]);
    expect(versions()).to.equal(['1.1.0']);
  });

  it('puts back what was updated, added or removed, and keeps its files until then', async () => {
    await put('1.0.0');
    const before = await store.linkOf('shelf');
    await put('1.1.0');
    await store.restore('shelf', before);
    await store.moveToTrash('shelf');
    expect([store.has('shelf'), await store.trashed()]).to.equal([false, ['shelf']]);
    await store.sweep([]);
    expect(versions()).to.equal(['1.0.0']);
    await store.restore('shelf', before);
    expect([store.has('shelf'), await store.linkOf('shelf')]).to.equal([true, before]);
    await store.moveToTrash('shelf');
    await store.deleteTrashed('shelf');
    await put('1.2.0');
    await store.restore('shelf', undefined);
    await store.sweep([]);
    expect([store.has('shelf'), versions()]).to.equal([false, []]);
  });

  it('leaves alone what was put there by hand', async () => {
    mkdirSync(join(folder, 'own'));
    await put('1.0.0');
    await store.sweep([]);
    expect(readdirSync(folder).sort()).to.equal(['.packages', '.records', 'own', 'shelf']);
  });
});
