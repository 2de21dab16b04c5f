import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from '@hapi/code';
import Lab from '@hapi/lab';
import type { HeldLock, PluginChangeKind, PluginChangeState, Storage } from '@mortise/plugin-sdk';
import type { Composition } from '../compose.js';
import { createLocks } from '../locks/index.js';
import { NodeFollower } from '../plugin-changes/node-follower.js';
import { PluginChangeService } from '../plugin-changes/service.js';
import { PluginChangeTable } from '../plugin-changes/table.js';
import { PluginStore } from '../installed-plugins/store.js';
import { engines, type TestDatabase } from './data-kit.js';

export const lab = Lab.script();
const { describe, it, before, after, afterEach } = lab;

const storage = {} as Storage;

for (const engine of engines)
  describe(`changes of plugins, ${engine.name}`, () => {
    let test: TestDatabase;
    let table: PluginChangeTable;
    let changes: PluginChangeService;
    before(async () => {
      test = await engine.open();
      const { database, log, workDir } = test;
      table = new PluginChangeTable(database);
      changes = new PluginChangeService({
        composition: { settings: { plugins: { ENABLE_INSTALLATION: true } }, workDir, log } as unknown as Composition,
        options: { node: { id: 'here', follow: () => undefined } },
        database,
        storage,
        locks: createLocks({ database, log }),
      });
    });
    after(() => test.close());
    afterEach(() => test.database.write(() => test.database.knex()('plugin_change').delete()));

    const insert = (kind: PluginChangeKind, plugin: string, state: PluginChangeState) =>
      test.database.write(() => table.insert({ kind, plugin, state, source: plugin, details: {} }));
    const stateOf = async (id: number) => (await table.get(id)).state;
    const confirm = (id: number) => changes.confirm(id, () => Promise.resolve());

    it('a switch discards what waits for a yes, and waits for what is being prepared', async () => {
      const proposed = await insert('add', 'shelf', 'proposed');
      await changes.beginSwitch('disable', 'quota');
      expect(await stateOf(proposed)).to.equal('discarded');
      await expect(confirm(proposed)).to.reject();
      await test.database.write(() => table.move(proposed + 1, 'running', 'done'));
      await insert('add', 'shelf', 'preparing');
      await expect(changes.beginSwitch('enable', 'quota')).to.reject(/being prepared/);
    });

    it('none is confirmed that nodes would take for one that they have made', async () => {
      const proposed = await insert('add', 'shelf', 'proposed');
      await insert('disable', 'quota', 'done');
      await expect(confirm(proposed)).to.reject(/changed since this was proposed/);
      expect(await stateOf(proposed)).to.equal('proposed');
      const next = await insert('add', 'shelf', 'proposed');
      await confirm(next);
      expect(await stateOf(next)).to.equal('running');
    });

    it('the data of a plugin that is in place are not purged', async () => {
      const { database, workDir } = test;
      const store = new PluginStore(join(workDir, 'plugins'));
      await mkdir(store.link('shelf'), { recursive: true });
      const id = await insert('purge', 'shelf', 'running');
      const node = { id: 'here', host: 'here' };
      await database.write(() => table.writeNode({ ...node, changeId: id, state: 'done', problem: undefined }));
      const follower = new NodeFollower({
        options: { workDir },
        workDir,
        settingsFile: join(workDir, 'app.ini'),
        database,
        packages: storage,
        node,
        restart: undefined,
        lock: {} as HeldLock,
      });
      await follower.run();
      const { state, problem } = await table.get(id);
      expect([state, problem]).to.equal(['failed', 'shelf is removed, but not all of its data: it is in place again']);
      expect(store.has('shelf')).to.be.true();
    });
  });
