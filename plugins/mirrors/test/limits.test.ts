/** Bounds of mirrors, and what is told when only a part of a run goes well. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Readable } from 'node:stream';
import { expect } from '@hapi/code';
import * as Lab from '@hapi/lab';
import { Problem, locks, type Jobs, type Logger, type Outbound } from '@mortise/plugin-sdk';
import { gitReader, gitRemotes, gitStore, type RemoteAddress } from '@mortise/git/api';
import type { LfsObjects } from '@mortise/lfs/api';
import { repositories } from '@mortise/repositories/api';
import { base64, send } from '@mortise/repositories/testing';
import type { PushMirrorRow } from '../models/push-mirror.js';
import { startDueMirrors } from '../services/due-mirrors.js';
import { checkInterval } from '../services/interval.js';
import { LfsTransfer } from '../services/lfs-transfer.js';
import { PushMirrorService, type PushMirrorDeps } from '../services/push-mirrors.js';
import { PushSync, type PushSyncDeps } from '../services/push-sync.js';
import { RequestedPushes } from '../services/requested-pushes.js';
import { runLimits } from '../services/run-limits.js';
import { RunLog } from '../services/runs.js';
import { startMirrorScene, type MirrorScene } from './kit.js';

export const lab = Lab.script();
const { describe, it, before, after, beforeEach } = lab;

describe('runs of mirrors', { timeout: 180_000 }, () => {
  let scene: MirrorScene;
  let made = 0;
  before(async () => {
    scene = await startMirrorScene(['wiki']);
  });
  after(async () => {
    await scene.remote.close();
    await scene.host.close();
  });
  beforeEach(() => {
    scene.remote.misbehave = undefined;
  });
  const knex = (table: string) => scene.host.database.knex()(table);
  const lastRun = async (id: number) => {
    const run = await knex('mirror_run').where('repository_id', id).orderBy('id', 'desc').first();
    return {
      state: run.state,
      total: (JSON.parse(run.changes) as { total: number }).total,
      error: run.error as string,
    };
  };
  const breakWiki = () => {
    scene.remote.misbehave = (request, response) => {
      if (!/wiki\.git/.test(String(request.url))) return undefined;
      response.writeHead(500).end('broken');
      return true;
    };
  };
  const pushing = async (address: string) => {
    const name = `mast${++made}`;
    const { json } = await send(scene.ada, 'POST', '/user/repos', { name, auto_init: true, default_branch: 'main' });
    const added = await send(scene.ada, 'POST', `/repos/ada/${name}/push_mirrors`, {
      remote_address: address,
      interval: '0',
    });
    expect(added.statusCode, added.payload).to.equal(200);
    return { id: Number(json.id), api: `/repos/ada/${name}`, name };
  };

  it('a wiki that breaks takes nothing away from the code that came', async () => {
    const name = `spring${++made}`;
    await scene.remote.repository(name);
    await scene.remote.commit(name, 'main', { 'a.txt': 'a' });
    const mirror = await scene.mirror(scene.ada, name, { address: scene.remote.url(name), interval: '0', wiki: true });
    await scene.host.settle();
    await scene.remote.commit(name, 'main', { 'b.txt': 'b' });
    breakWiki();
    await send(scene.ada, 'POST', `/repos/ada/${name}/mirror-sync`);
    await scene.host.settle();
    const run = await lastRun(mirror.id);
    expect([run.state, run.total, run.error !== '']).to.equal(['failed', 1, true]);
  });

  it('nor from the code that went', async () => {
    await scene.remote.repository('target');
    const { id, api } = await pushing(scene.remote.url('target'));
    const page = { title: 'Home', content_base64: base64('hello') };
    expect((await send(scene.ada, 'POST', `${api}/wiki/new`, page)).statusCode).to.equal(201);
    breakWiki();
    expect((await send(scene.ada, 'POST', `${api}/push_mirrors-sync`)).statusCode).to.equal(422);
    const run = await lastRun(id);
    expect([run.state, run.total, run.error !== '']).to.equal(['failed', 1, true]);
  });

  it('one that is interrupted does not stand as running', async () => {
    const silent = createServer(() => undefined);
    await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
    try {
      const { id } = await pushing(`http://127.0.0.1:${(silent.address() as AddressInfo).port}/x.git`);
      const { get } = scene.host.services;
      const row = await knex('push_mirror').where('repository_id', id).first();
      const sync = new PushSync({
        database: scene.host.database,
        locks: get(locks),
        log: {} as Logger,
        repositories: get(repositories),
        remotes: get(gitRemotes),
        store: get(gitStore),
        reader: get(gitReader),
        credentials: { decrypt: () => ({}) },
        runs: new RunLog(scene.host.database),
      } as unknown as PushSyncDeps);
      await expect(sync.run(row.id, 'user', AbortSignal.timeout(500))).to.reject(/interrupted/);
      expect((await lastRun(id)).state).to.equal('interrupted');
    } finally {
      silent.closeAllConnections();
      silent.close();
    }
  });

  it('a run waits for another one to the same address as long as that may take, however the address is written', async () => {
    const asked: { name: string; waitMs: number | undefined }[] = [];
    const hold = async (name: string, _work: unknown, { waitMs }: { waitMs?: number } = {}) => {
      asked.push({ name: name.replace(/\d+/, ''), waitMs });
      return '';
    };
    const row = { id: 1, repository_id: 2 };
    for (const remote_url of [
      'https://Git.example/a/b.git',
      'https://git.example/a/b',
      'https://git.example/a/b.git/',
      'https://git.example/a/c',
    ]) {
      const database = { query: () => ({ findById: async () => ({ ...row, remote_url }) }) };
      const sync = new PushSync({ database, locks: { hold } } as unknown as PushSyncDeps);
      await sync.run(1, 'user', new AbortController().signal);
    }
    expect(asked.map(({ waitMs }) => waitMs)).to.equal(Array.from({ length: 4 }, () => runLimits.timeoutMs));
    const [first, ...others] = asked.map(({ name }) => name);
    expect(others.map((name) => name === first)).to.equal([true, true, false]);
  });

  it('the log cuts what the other side says', async () => {
    const { id } = await pushing(scene.remote.url('target'));
    const runs = new RunLog(scene.host.database);
    const run = await runs.begin(id, null, 'user');
    const refused = [{ ref: 'refs/heads/a', reason: 'r'.repeat(100_000) }];
    await scene.host.database.write(() => runs.end(run, { updates: [], refused }, 'e'.repeat(100_000)));
    const row = await knex('mirror_run').where('id', run).first();
    expect([row.error.length, row.changes.length < 1000]).to.equal([1000, true]);
  });

  it('those that are due but cannot start leave their place to others', async () => {
    const due: number[] = [];
    const names = ['due-a', 'due-b', 'due-c'];
    for (const name of names) {
      await scene.remote.repository(name);
      await scene.remote.commit(name, 'main', { 'a.txt': 'a' });
      const { id } = await scene.mirror(scene.ada, name, { address: scene.remote.url(name), interval: '1h' });
      due.push(id);
    }
    await scene.host.database.write(() => knex('pull_mirror').whereIn('repository_id', due).update({ next_run_at: 1 }));
    const started: number[] = [];
    const jobs = {
      enqueue: async (_job: unknown, { repositoryId }: { repositoryId: number }) => started.push(repositoryId),
    };
    const deps = {
      database: scene.host.database,
      jobs: jobs as unknown as Jobs,
      repositories: scene.host.services.get(repositories),
      pushMirrors: {} as PushMirrorService,
    };
    for (const _ of names) await startDueMirrors(deps, { PULL_LIMIT: 1, PUSH_LIMIT: 0 });
    expect(started).to.equal(due);
    await startDueMirrors(deps, { PULL_LIMIT: -1, PUSH_LIMIT: 0 });
    expect(started).to.equal(due);
  });

  it('intervals are a year at most, and short to write', async () => {
    for (const text of ['2500000000h', '8761h', '99999999999m'])
      expect(checkInterval(text, 0), text).to.include('problem');
    expect(checkInterval('8760h', 0)).to.equal({ interval: 8760 * 3_600_000 });
    const { api } = await pushing(scene.remote.url('target'));
    const add = async (interval: string) =>
      (await send(scene.ada, 'POST', `${api}/push_mirrors`, { remote_address: scene.remote.url('target'), interval }))
        .statusCode;
    expect([await add('2500000000h'), await add('1h'.repeat(1000))]).to.only.include([400, 422]);
  });
});

describe('push mirrors that are asked for', () => {
  const mirrors = (count: number) =>
    Array.from(
      { length: count },
      (_, at) => ({ id: at + 1, remote_url: `https://${at}.example/x.git` }) as PushMirrorRow,
    );

  it('run no more at once than jobs do, and those of one owner leave room for others', async () => {
    const begun: number[] = [];
    let isOpen = false;
    const run = async (id: number) => {
      begun.push(id);
      while (!isOpen) await new Promise((resolve) => setTimeout(resolve, 5));
      return id === 2 ? 'refused' : '';
    };
    const limits = { concurrency: 4, perGroup: 3, timeoutMs: 60_000 };
    const requested = new RequestedPushes(
      { pushSync: { run }, pushMirrors: { request: async () => undefined } },
      limits,
    );
    const { signal } = new AbortController();
    const running = [requested.run(1, mirrors(5), signal), requested.run(2, mirrors(2), signal)];
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect(begun).to.have.length(4);
    isOpen = true;
    expect(await Promise.all(running)).to.equal([1, 1]);
    expect(begun).to.have.length(7);
  });

  it('go on as jobs when the client leaves', async () => {
    const asked: number[] = [];
    const ending = new AbortController();
    const run = (id: number, _by: string, signal: AbortSignal) =>
      id === 1
        ? Promise.resolve('')
        : new Promise<string>((_resolve, reject) =>
            signal.addEventListener('abort', () => reject(new Problem('unavailable', 'interrupted'))),
          );
    const request = async ({ id }: { id: number }) => void asked.push(id);
    const limits = { concurrency: 2, perGroup: 2, timeoutMs: 60_000 };
    const running = new RequestedPushes({ pushSync: { run }, pushMirrors: { request } }, limits).run(
      1,
      mirrors(4),
      ending.signal,
    );
    setTimeout(() => ending.abort(new Error('gone')), 50);
    await expect(running).to.reject('gone');
    expect(asked).to.equal([2, 3, 4]);
  });

  it('are refused where mirrors are off; errors of this server are no fault of an address', async () => {
    const own = new TypeError('a mistake');
    const deps = {
      jobs: { enqueue: () => Promise.reject(new Error('it was queued')) },
      remotes: {
        parse: () => {
          throw own;
        },
      },
      settings: { ENABLED: false },
    } as unknown as PushMirrorDeps;
    const off = await expect(new PushMirrorService(deps).requestSync(mirrors(1)[0]!)).to.reject();
    expect(off).to.include({ code: 'bad_request' });
    const on = new PushMirrorService({ ...deps, settings: { ENABLED: true, MIN_INTERVAL: 0 } as never });
    const actor = { isAdmin: true } as never;
    const input = { address: 'https://a/b', interval: '0', syncOnCommit: false };
    expect(await expect(on.create({ id: 1 } as never, input, actor)).to.reject()).to.shallow.equal(own);
  });
});

describe('objects of LFS that the other server refuses', () => {
  const pointer = { oid: 'a'.repeat(64), size: 3 };
  const transfer = (object: object | undefined, isPresent = true) => {
    const asked: string[] = [];
    const outbound = {
      async fetch(url: string) {
        asked.push(url);
        const body = Buffer.from(JSON.stringify({ objects: object ? [{ oid: pointer.oid, ...object }] : [] }));
        return { status: 200, headers: {}, body };
      },
    } as unknown as Outbound;
    const some = async function* () {
      yield pointer;
    };
    const lfs = {
      enabled: true,
      present: some,
      missing: some,
      open: async () => (isPresent ? { stream: Readable.from(['abc']), size: 3 } : undefined),
    } as unknown as LfsObjects;
    const remotes = { allowedHosts: () => '*' } as never;
    const address = {
      protocol: 'https',
      host: 'git.example',
      url: 'https://git.example/a/b.git',
      username: '',
      password: '',
    };
    const remote = { address: address as RemoteAddress, credentials: {}, signal: new AbortController().signal };
    const own = new LfsTransfer({ outbound, lfs, remotes });
    return { asked, push: () => own.push(1, { tips: [], not: [] }, remote), fetch: () => own.fetch(1, [], remote) };
  };
  const error = (code: number) => ({ error: { code, message: 'no room' } });

  it('end a push before references lead to them', async () => {
    for (const code of [403, 404, 422, 507])
      await expect(transfer(error(code)).push(), String(code)).to.reject(/no room/);
    await expect(transfer(undefined).push()).to.reject(/said nothing/);
    expect(await transfer({}).push()).to.equal(0);
  });

  it('are missing here as they are there, but not for another reason', async () => {
    for (const code of [404, 410]) expect(await transfer(error(code)).fetch()).to.equal(0);
    await expect(transfer(error(503)).fetch()).to.reject(/no room/);
  });

  it('are counted and verified only where they were sent', async () => {
    const actions = { upload: { href: 'https://git.example/up' }, verify: { href: 'https://git.example/verify' } };
    const gone = transfer({ actions }, false);
    expect([await gone.push(), gone.asked.length]).to.equal([0, 1]);
    const sent = transfer({ actions });
    expect([await sent.push(), sent.asked.length]).to.equal([1, 3]);
  });
});
