import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from '@hapi/code';
import Lab from '@hapi/lab';
import type { HeldLock, PluginChangeKind, PluginChangeState, Storage } from '@mortise/plugin-sdk';
import { ChangeRunner } from '../cli/change-runner.js';
import type { Composition } from '../compose.js';
import { createLocks } from '../locks/index.js';
import type { ApplyResult } from '../plugin-changes/apply-task.js';
import { ChangeApplier } from '../plugin-changes/change-applier.js';
import { PluginChangeService } from '../plugin-changes/service.js';
import { PluginChangeTable } from '../plugin-changes/table.js';
import { PluginStore } from '../installed-plugins/store.js';
import { engines, recordingLog, until, type TestDatabase } from './data-kit.js';

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
        options: { node: { id: 'here', applyChanges: () => undefined } },
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

    /** Lets this node make what there is to do; without `restart` it waits for one by hand. */
    const apply = (restart?: () => Promise<boolean>) =>
      new ChangeApplier({
        options: { workDir: test.workDir, settings: { plugins: { ENABLED: 'audit' } } },
        workDir: test.workDir,
        settingsFile: join(test.workDir, 'app.ini'),
        database: test.database,
        packages: storage,
        node: { id: 'here', host: 'here' },
        restart,
        lock: { check: () => Promise.resolve() } as HeldLock,
      }).run();
    const noteNode = (changeId: number) =>
      test.database.write(() =>
        table.writeNode({ id: 'here', host: 'here', changeId, state: 'done', problem: undefined }),
      );
    const storeWith = async (plugin: string) => {
      const store = new PluginStore(join(test.workDir, 'plugins'));
      await mkdir(store.link(plugin), { recursive: true });
      return store;
    };

    it('the data of a plugin that is in place are not purged', async () => {
      const store = await storeWith('shelf');
      const id = await insert('purge', 'shelf', 'running');
      await noteNode(id);
      await apply();
      const { state, problem } = await table.get(id);
      expect([state, problem]).to.equal(['failed', 'shelf is removed, but not all of its data: it is in place again']);
      expect(store.has('shelf')).to.be.true();
    });

    it('a removal that was killed on the way can still be undone', async () => {
      const store = await storeWith('shelf');
      const id = await insert('remove', 'shelf', 'running');
      await noteNode(id - 1);
      await store.setAside('shelf');
      expect(await apply(() => Promise.resolve(false))).to.contain('does not start');
      expect([await stateOf(id), store.has('shelf')]).to.equal(['failed', true]);
    });

    it('a node that begins leaves out what was removed later, and one that cannot be made keeps none back', async () => {
      const store = await storeWith('rack');
      const begin = await insert('disable', 'shelf', 'done');
      await noteNode(begin - 1);
      await insert('remove', 'shelf', 'done');
      await insert('enable', 'nowhere', 'done');
      expect(await apply()).to.be.undefined();
      const lost = await insert('add', 'lost', 'done');
      await test.database.write(() => table.move(lost, 'done', 'done', { blob: 'lost' }));
      const last = await insert('remove', 'rack', 'done');
      expect(await apply()).to.equal('add lost: it was never prepared');
      expect(store.has('rack')).to.be.false();
      expect(await table.node('here')).to.include({ changeId: last, state: 'failed' });
    });
  });

describe('the process that looks after a node', () => {
  it('tries again what went wrong, and no change that failed', async () => {
    const log = recordingLog();
    const answers: ApplyResult[] = [
      { isBusy: false, problem: 'it was killed' },
      { isBusy: true },
      { isBusy: false, failed: 'no such plugin' },
    ];
    let asked = 0;
    const runner = new ChangeRunner({}, () => log, undefined, {
      apply: () => Promise.resolve(answers[asked++] ?? { isBusy: false }),
      retryMs: 1,
    });
    runner.applyChanges();
    await until(() => log.lines.length === 2);
    expect(log.lines.map(({ fields }) => fields?.error)).to.equal(['it was killed', 'no such plugin']);
    expect(asked).to.equal(3);
  });
});
