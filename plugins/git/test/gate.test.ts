import { execFile } from 'node:child_process';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { definePlugin, Forbidden, Invalid } from '@mortise/plugin-sdk';
import { asActor, startHost, type TestHost } from '@mortise/plugin-sdk/testing';
import {
  gitReader,
  gitStore,
  gitWriter,
  refChecks,
  refsUpdated,
  refUpdates,
  zeroOid,
  type RefsUpdated,
} from '../api.js';
import { refGate } from '../services/service-refs.js';
import { thisProcess } from '../services/process-owner.js';

export const lab = Lab.script();
const { describe, it, before, after } = lab;
const run = promisify(execFile);

describe('the gate for references', () => {
  let host: TestHost;
  const heard: RefsUpdated[] = [];
  const ada = asActor({ id: 1, name: 'ada' });
  const by = { name: 'Ada', email: 'ada@example.com', time: 1_700_000_000_000, zone: '+0000' };
  const listener = definePlugin({
    name: 'test-listener',
    version: '1.0.0',
    sdk: '*',
    requires: { git: '^1.0.0' },
    register(plugin) {
      plugin.contribute(refChecks, {
        key: 'locked',
        check: async ({ updates }) => {
          if (updates.some((update) => update.ref === 'refs/heads/locked')) throw Forbidden('this branch is locked');
        },
      });
      plugin.on(refsUpdated, 'within', 'refuse', {}, async ({ updates }) => {
        if (updates.some((update) => update.ref === 'refs/heads/unwanted')) throw Invalid('not wanted');
      });
      plugin.on(refsUpdated, 'after', 'hear', {}, async (payload) => void heard.push(payload));
    },
  });

  before(async () => {
    host = await startHost({ plugins: ['git', listener] });
  });
  after(() => host.close());

  const make = async (id: number) => {
    await host.services.get(gitStore).create(id);
    const writer = host.services.get(gitWriter);
    const tree = await writer.writeTree(id, undefined, [{ path: 'a', content: String(id) }]);
    return writer.writeCommit(id, { tree, parents: [], author: by, committer: by, message: 'first' });
  };
  const set = (id: number, ref: string, oid: string) =>
    host.services
      .get(refUpdates)
      .apply({ repositoryId: id, updates: [{ ref, old: zeroOid, new: oid }], pusher: ada, source: 'api' });

  it('asks the checks before anything moves', async () => {
    const oid = await make(1);
    await expect(set(1, 'refs/heads/locked', oid)).to.reject('this branch is locked');
    expect(await host.services.get(gitReader).open(1).isEmpty()).to.be.true();
  });

  it('puts references back when a subscriber refuses within the transaction', async () => {
    const oid = await make(2);
    await expect(set(2, 'refs/heads/unwanted', oid)).to.reject('not wanted');
    expect(await host.services.get(gitReader).open(2).refs()).to.be.empty();
  });

  it('tells what has moved, once, and lets HEAD of an empty repository follow', async () => {
    const oid = await make(3);
    await set(3, 'refs/heads/trunk', oid);
    await host.events.deliverAll();
    const mine = heard.filter((event) => event.repositoryId === 3);
    expect(mine).to.have.length(1);
    expect(mine[0]).to.include({ wasEmpty: true, defaultBranch: 'trunk', pusherName: 'ada', source: 'api' });
    expect((await host.services.get(gitReader).open(3).head()).oid).to.equal(oid);
  });

  it('completes what a kill has interrupted, and tells it once', async () => {
    const oid = await make(4);
    const store = host.services.get(gitStore);
    const folder = store.path(4);
    const journal = join(folder, '..', '..', '.journal');
    await mkdir(journal, { recursive: true });
    const gone = { owner: { ...thisProcess, process: 2 ** 22 + 1 } };
    const entry = (id: string, ref: string, old: string) => ({
      id,
      repositoryId: 4,
      kind: 'code',
      updates: [{ ref, old, new: oid }],
      pusherId: 1,
      pusherName: 'ada',
      pushOptions: {},
      source: 'http',
      at: Date.now(),
      wasEmpty: true,
      ...gone,
    });
    const leave = (left: ReturnType<typeof entry>) =>
      writeFile(join(journal, `4-code-${left.id}.json`), JSON.stringify(left));
    // killed after references had moved, and another time before
    await run('git', ['update-ref', 'refs/heads/main', oid], { cwd: folder });
    await leave(entry('moved', 'refs/heads/main', zeroOid));
    await leave(entry('unmoved', 'refs/heads/other', zeroOid));
    await host.services.get(refUpdates).repair(4);
    // and killed again after the event was stored, before the journal was gone
    await leave(entry('moved', 'refs/heads/main', zeroOid));
    await host.services.get(refUpdates).repair(4);
    await host.events.deliverAll();
    const mine = heard.filter((event) => event.repositoryId === 4);
    expect(mine.map((event) => event.updates.map((update) => update.ref))).to.equal([['refs/heads/main']]);
    expect((await host.services.get(gitReader).open(4).branch('main'))?.oid).to.equal(oid);
  });

  it('makes no reference that would be read as something else, but lets old ones move and go', async () => {
    const oid = await make(6);
    const names = ['HEAD', '@', '-x', 'refs/heads/main', 'a'.repeat(40), 'B'.repeat(64)];
    for (const kind of ['heads', 'tags'])
      for (const name of names) {
        const refused = await expect(set(6, `refs/${kind}/${name}`, oid)).to.reject();
        expect(refused).to.include({ code: 'invalid' });
      }
    for (const name of [
      'heads/x/HEAD',
      'tags/x/-y',
      `heads/x/${'a'.repeat(40)}`,
      `heads/${'a'.repeat(39)}`,
      'heads/reefs/x',
    ])
      await set(6, `refs/${name}`, oid);
    const folder = host.services.get(gitStore).path(6);
    const gate = host.services.get(refUpdates);
    const change = (ref: string, old: string, next: string) =>
      gate.apply({ repositoryId: 6, updates: [{ ref, old, new: next }], pusher: ada, source: 'api' });
    const tree = await host.services.get(gitWriter).writeTree(6, oid, [{ path: 'b', content: 'b' }]);
    const more = { tree, parents: [oid], author: by, committer: by, message: 'more' };
    const next = await host.services.get(gitWriter).writeCommit(6, more);
    for (const name of names) {
      const ref = `refs/heads/${name}`;
      await run('git', ['update-ref', ref, oid], { cwd: folder });
      await change(ref, oid, next);
      await change(ref, next, zeroOid);
      expect(await host.services.get(gitReader).open(6).ref(ref)).to.be.undefined();
    }
  });

  it('refuses pushes that go past the server', async () => {
    await make(5);
    const { folder } = host.services.get(refGate).deps.hooks;
    for (const name of ['pre-receive', 'proc-receive', 'post-receive'])
      await expect(run(join(folder, name), [], { cwd: host.workDir })).to.reject(/through the server only/);
  });
});
