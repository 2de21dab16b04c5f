import { mkdir, rm, writeFile } from 'node:fs/promises';
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

/** Keys of packed plugins that were deleted. */
const deleted: string[] = [];
const storage = {
  area: () => ({ delete: (key: string) => Promise.resolve(void deleted.push(key)) }),
} as unknown as Storage;

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
        composition: {
          settings: { plugins: { ENABLE_INSTALLATION: true } },
          onDisk: () => ({ packages: [{ name: 'shelf', packageName: 'mortise-plugin-shelf' }] }),
          workDir,
          log,
        } as unknown as Composition,
        options: { node: { id: 'here', applyChanges: () => undefined } },
        database,
        storage,
        locks: createLocks({ database, log }),
      });
    });
    after(() => test.close());
    afterEach(async () => {
      await test.database.write(async () => {
        for (const name of ['plugin_change', 'plugin_node']) await test.database.knex()(name).delete();
      });
      await rm(join(test.workDir, 'plugins'), { recursive: true, force: true });
    });

    const insert = (kind: PluginChangeKind, plugin: string, state: PluginChangeState) =>
      test.database.write(() => table.insert({ kind, plugin, state, source: plugin, details: {} }));
    const stateOf = async (id: number) => (await table.get(id)).state;
    const confirm = (id: number) => changes.confirm(id, () => Promise.resolve());

    it('a switch discards what awaits confirmation, and waits for what is being prepared', async () => {
      const proposed = await insert('add', 'shelf', 'proposed');
      await changes.beginSwitch('disable', 'quota');
      expect(await stateOf(proposed)).to.equal('discarded');
      await expect(confirm(proposed)).to.reject();
      await test.database.write(() => table.move(proposed + 1, 'running', 'done'));
      await insert('add', 'shelf', 'preparing');
      await expect(changes.beginSwitch('enable', 'quota')).to.reject(/being prepared/);
    });

    it('an unknown plugin is not found, and proposes nothing', async () => {
      for (const name of ['books', 'x'.repeat(300)])
        for (const kind of ['update', 'remove', 'purge'] as const)
          await expect(changes[kind](name)).to.reject(`There is no plugin ${name}.`);
      expect(await changes.list()).to.be.empty();
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

    /** Lets a node make what there is to do; without `restart` it waits for one by hand. */
    const apply = (restart?: () => Promise<boolean>, node = 'here') =>
      new ChangeApplier({
        options: { workDir: test.workDir, settings: { plugins: { ENABLED: 'audit' } } },
        workDir: test.workDir,
        settingsFile: join(test.workDir, 'app.ini'),
        database: test.database,
        packages: storage,
        node: { id: node, host: node },
        restart,
        lock: { check: () => Promise.resolve() } as HeldLock,
      }).run();
    const noteNode = (changeId: number, id = 'here', state: 'done' | 'running' = 'done') =>
      test.database.write(() => table.writeNode({ id, host: id, changeId, state, problem: undefined }));
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

    it('a purge that was cut short keeps the plugin for another try, and drops it when it is added again', async () => {
      const store = await storeWith('shelf');
      const first = await insert('purge', 'shelf', 'running');
      await noteNode(first - 1);
      await apply(() => Promise.resolve(true));
      // it is no plugin, so its data cannot be taken out
      const { state, problem } = await table.get(first);
      expect(`${state}: ${problem}`).to.match(/^failed: shelf is removed, but not all of its data/);
      await apply();
      expect(await store.trashed()).to.equal(['shelf']);
      await insert('add', 'shelf', 'done');
      await apply();
      expect(await store.trashed()).to.equal([]);
    });

    it('a running change is cancelled: nodes that have not begun do not begin, and the rest is told', async () => {
      const id = await insert('disable', 'shelf', 'running');
      await noteNode(id, 'first');
      await noteNode(id - 1);
      let acts = 0;
      await changes.cancel(id, () => Promise.resolve(void acts++));
      const { state, problem, nodes, canRetry } = await changes.get(id);
      expect({ state, problem, canRetry, acts }).to.equal({
        state: 'cancelled',
        problem: 'Cancelled. Made on: first. Not made on: here.',
        canRetry: true,
        acts: 1,
      });
      expect(nodes.map(({ host, state: own }) => `${host} ${own}`)).to.equal(['first done', 'here skipped']);
      expect(await apply()).to.be.undefined();
      expect(await table.node('here')).to.include({ changeId: id - 1 });
      await expect(changes.cancel(id, () => Promise.resolve())).to.reject();
      await changes.beginSwitch('enable', 'shelf');
    });

    it('a node that has begun with a change that is cancelled goes back', async () => {
      const store = await storeWith('shelf');
      const id = await insert('remove', 'shelf', 'running');
      await noteNode(id - 1);
      const restarts: boolean[] = [];
      const failed = await apply(async () => {
        if (restarts.length === 0) await changes.cancel(id, () => Promise.resolve());
        return restarts.push(store.has('shelf')) > 1;
      });
      expect([failed, restarts]).to.equal([undefined, [false, true]]);
      expect([await stateOf(id), store.has('shelf')]).to.equal(['cancelled', true]);
      expect(await table.node('here')).to.include({ changeId: id - 1, state: 'done' });
    });

    it('a node whose process was killed before its change was cancelled keeps no other node waiting', async () => {
      const id = await insert('disable', 'shelf', 'running');
      await noteNode(id - 1, 'here', 'running');
      await changes.cancel(id, () => Promise.resolve());
      expect(await apply()).to.be.undefined();
      expect(await table.node('here')).to.include({ changeId: id - 1, state: 'done' });
    });

    it('a change that failed on the second node is tried again there, also after newer ones', async () => {
      await storeWith('shelf');
      const id = await insert('remove', 'shelf', 'proposed');
      await test.database.write(() => table.move(id, 'proposed', 'running', { details: { version: '1.0.0' } }));
      for (const node of ['here', 'second']) await noteNode(id - 1, node);
      const yes = () => Promise.resolve(true);
      expect(await apply(yes)).to.be.undefined();
      expect(await stateOf(id)).to.equal('running');
      expect(await apply(() => Promise.resolve(false), 'second')).to.contain('does not start');
      const failed = await changes.get(id);
      expect([failed.state, failed.problem, failed.canRetry]).to.equal([
        'failed',
        'second: a new worker does not start; see the log of this node',
        true,
      ]);
      expect(failed.nodes.map(({ host, state }) => `${host} ${state}`)).to.equal(['here done', 'second failed']);
      const newer = await insert('disable', 'quota', 'discarded');
      const again = await changes.retry(id);
      expect(again).to.include({ kind: 'remove', plugin: 'shelf', state: 'proposed', version: '1.0.0' });
      expect(again.id).to.be.above(newer);
      await confirm(again.id);
      for (const node of ['here', 'second']) expect(await apply(yes, node)).to.be.undefined();
      expect(await stateOf(again.id)).to.equal('done');
      await expect(changes.retry(again.id)).to.reject(/cannot be tried again/);
    });

    it('one whose files are gone, or that never came so far, cannot be tried again', async () => {
      const add = await insert('add', 'shelf', 'failed');
      const remove = await insert('remove', 'shelf', 'failed');
      for (const id of [add, remove]) {
        expect((await changes.get(id)).canRetry).to.be.false();
        await expect(changes.retry(id)).to.reject(/cannot be tried again/);
      }
    });

    it('an older version than what is installed by now is not confirmed', async () => {
      const store = await storeWith('shelf');
      const file = join(store.link('shelf'), 'package.json');
      await writeFile(file, JSON.stringify({ version: '1.2.0' }));
      const id = await insert('update', 'shelf', 'preparing');
      await test.database.write(() => table.move(id, 'preparing', 'proposed', { details: { version: '1.1.0' } }));
      await expect(confirm(id)).to.reject('shelf 1.2.0 is installed here by now, which is newer than 1.1.0.');
      await rm(file);
      await confirm(id);
      expect(await stateOf(id)).to.equal('running');
    });

    it('changes that ended 90 days ago are forgotten, except the newest 100 and what later nodes still need', async () => {
      const { database } = test;
      const day = 86_400_000;
      const old: number[] = [];
      for (const kind of ['add', 'update', 'disable'] as const) old.push(await insert(kind, 'shelf', 'done'));
      const [added, failed, young] = old as [number, number, number];
      // a node that begins later must not run the one, nor keep the other
      await insert('enable', 'rack', 'done');
      const disabled = await insert('disable', 'rack', 'done');
      const removed = await insert('remove', 'ledge', 'done');
      await database.write(async () => {
        await table.move(added, 'done', 'done', { blob: 'kept' });
        await table.move(failed, 'done', 'failed', { blob: 'unused' });
        const knex = database.knex();
        await knex('plugin_change').update({ changed_at: Date.now() - 91 * day });
        await knex('plugin_change')
          .where({ id: young })
          .update({ changed_at: Date.now() - 89 * day });
        const row = { kind: 'disable', plugin: 'quota', state: 'done', source: 'quota', details: '{}' };
        await knex.batchInsert(
          'plugin_change',
          Array.from({ length: 100 }, () => ({ ...row, changed_at: Date.now() - 91 * day })),
        );
      });
      deleted.length = 0;
      await changes.beginSwitch('disable', 'quota');
      expect(deleted).to.equal(['unused']);
      const left = await table.list(200);
      expect(left.length).to.equal(104);
      expect(left.slice(-4).map(({ id }) => id)).to.equal([removed, disabled, young, added]);
    });

    it('a removal that was killed on the way can still be undone', async () => {
      const store = await storeWith('shelf');
      const id = await insert('remove', 'shelf', 'running');
      await noteNode(id - 1);
      await store.moveToTrash('shelf');
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
