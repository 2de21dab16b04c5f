import { request } from 'node:http';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { database, defineService, locks, storage } from '@mortise/plugin-sdk';
import { gitStore, gitWriter, refUpdates, zeroOid } from '@mortise/git/api';
import { repositories, type Repository } from '@mortise/repositories/api';
import { formatPointer, lfsObjects } from '../contract/lfs.js';
import { checkContents } from '../services/doctor.js';
import { GarbageCollector } from '../services/garbage-collector.js';
import { lfsMedia } from '../services/media.js';
import { ObjectService, objectKey } from '../services/object-service.js';
import { PointerScan } from '../services/pointer-scan.js';
import { contentOf, LfsBench, type Content } from './kit.js';

export const lab = Lab.script();
const { describe, it, before, after } = lab;

const never = new AbortController().signal;
const silent = { debug() {}, info() {}, warn() {}, error() {} };

describe('LFS objects and their content', { timeout: 120_000 }, () => {
  let bench: LfsBench;
  let objects: ObjectService;
  let collector: GarbageCollector;
  let n = 0;

  const put = async (name: string, content: Content) => {
    expect((await bench.put(name, content, content.bytes, bench.users.ada)).statusCode).to.equal(200);
  };
  const newContent = () => contentOf(`content ${++n}`);
  const stored = async ({ oid }: Content) => (await objects.area.stat(objectKey(oid))) !== undefined;
  const has = async (repository: Repository, { oid }: Content) => (await objects.find(repository.id, [oid])).has(oid);
  /** As if everything had happened long ago. */
  const age = (repository?: Repository) =>
    bench.host.database.write(async () => {
      const rows = bench.host.database.knex()('lfs_object').update({ seen_at: 1 });
      await (repository ? rows.where('repository_id', repository.id) : rows);
    });
  const future = () => Date.now() + 10_000;
  /** Nothing but what `age` made old is older, however long the tests take. */
  const began = Date.now() - 60_000;
  const until = async (holds: () => Promise<boolean>) => {
    while (!(await holds())) await new Promise((resolve) => setTimeout(resolve, 20));
  };
  const commit = async (repository: Repository, files: Record<string, string>, branch = 'main') => {
    const writer = bench.host.services.get(gitWriter);
    const signature = { name: 'A', email: 'a@example.com', time: Date.now(), zone: '+0000' };
    const changes = Object.entries(files).map(([path, content]) => ({ path, content }));
    const tree = await writer.writeTree(repository.id, undefined, changes);
    const oid = await writer.writeCommit(repository.id, {
      tree,
      parents: [],
      author: signature,
      committer: signature,
      message: 'x',
    });
    await bench.host.services.get(refUpdates).apply({
      repositoryId: repository.id,
      updates: [{ ref: `refs/heads/${branch}`, old: zeroOid, new: oid }],
      pusher: bench.actor(bench.users.ada),
      source: 'internal',
    });
    return oid;
  };

  before(async () => {
    bench = await LfsBench.start();
    const get = bench.host.services.get.bind(bench.host.services);
    objects = get(lfsObjects) as ObjectService;
    collector = new GarbageCollector({
      database: get(database),
      locks: get(locks),
      area: get(storage).area('lfs'),
      scan: get(defineService<PointerScan>('lfs.scan')),
      settings: { ENABLED: true, OLDER_THAN: 1000 },
    });
  });
  after(() => bench.host.close());

  it('leaves nothing of an upload that breaks off', async () => {
    const repository = await bench.repository('broken');
    const content = contentOf(Buffer.alloc(5_000_000, 'x'));
    const url = new URL(`${await bench.host.url()}/ada/broken.git/info/lfs/objects/${content.oid}/${content.size}`);
    const aside = join(bench.host.workDir, 'data', 'storage', 'lfs', '.tmp-uploads');
    const filesAside = () => readdir(aside).catch(() => []);
    await new Promise<void>((resolve) => {
      const headers = {
        authorization: bench.login(bench.users.ada),
        'content-type': 'application/octet-stream',
        'content-length': content.size,
      };
      const call = request(url, { method: 'PUT', headers });
      call.on('error', () => resolve());
      call.write(content.bytes.subarray(0, 3_000_000));
      // Killed before the server has begun, there would be nothing to leave.
      void until(async () => (await filesAside()).length > 0).then(() => call.destroy(new Error('killed')));
    });
    await until(async () => (await bench.host.database.knex()('lfs_upload')).length === 0);
    expect([await stored(content), await has(repository, content)]).to.equal([false, false]);
    expect(await filesAside()).to.equal([]);
    await put('broken', content);
    expect((await bench.get('broken', content.oid)).rawPayload.equals(content.bytes)).to.be.true();
  });

  it('takes the same object from many at the same time', async () => {
    const repository = await bench.repository('crowd');
    const content = newContent();
    const answers = await Promise.all(
      Array.from({ length: 8 }, () => bench.put('crowd', content, content.bytes, bench.users.ada)),
    );
    expect(answers.map(({ statusCode }) => statusCode)).to.equal(Array(8).fill(200));
    expect(await has(repository, content)).to.be.true();
    expect((await objects.sizes([repository.id])).get(repository.id)).to.equal(content.size);
  });

  it('gives forks what their origin has, and keeps it when that goes', async () => {
    const origin = await bench.repository('origin');
    await commit(origin, { 'a.txt': 'a' });
    const content = newContent();
    await put('origin', content);
    const fork = await bench.host
      .as(bench.actor(bench.users.ben))
      .inject({ method: 'POST', url: '/api/v1/repos/ada/origin/forks', payload: {} });
    expect(fork.statusCode).to.equal(202);
    const forked = await bench.host.services.get(repositories).byPath('ben', 'origin');
    expect(await has(forked!, content)).to.be.true();
    await bench.host.services.get(repositories).delete(origin);
    await bench.host.settle();
    await collector.collectContents(future(), never);
    const opened = await objects.open(forked!.id, content.oid);
    expect(content.bytes.equals(Buffer.concat(await opened!.stream.toArray()))).to.be.true();
    await bench.host.services.get(repositories).delete(forked!);
    await bench.host.settle();
    expect(await stored(content)).to.be.true();
    expect(await collector.collectContents(began, never)).to.equal(0);
    expect(await collector.collectContents(future(), never)).to.be.at.least(1);
    expect(await stored(content)).to.be.false();
  });

  it('collects objects that no pointer names, after a while', async () => {
    const repository = await bench.repository('history');
    const [named, idle, young, tagged] = [newContent(), newContent(), newContent(), newContent()];
    for (const content of [named, idle, tagged]) await put('history', content);
    const many = Object.fromEntries(
      Array.from({ length: 300 }, (_, i) => [`some/${i}.txt`, `small file ${i}\n`.repeat(i % 60)]),
    );
    await commit(repository, {
      ...many,
      'deep/in a/folder.bin': formatPointer(named),
      'large.txt': 'x'.repeat(100_000),
    });
    await commit(repository, { 'b.bin': formatPointer(tagged) }, 'other');
    await age(repository);
    await put('history', young);
    expect(await collector.collectObjects(began, never, silent)).to.equal(1);
    expect(await Promise.all([named, idle, young, tagged].map((one) => has(repository, one)))).to.equal([
      true,
      false,
      true,
      true,
    ]);
    // what a client is told to be there is not taken away before its push
    await age(repository);
    await bench.batch('history', 'upload', [young], bench.users.ada);
    expect(await collector.collectObjects(began, never, silent)).to.equal(0);
  });

  it('does not collect under an upload', async () => {
    const repository = await bench.repository('race');
    const content = newContent();
    await objects.area.put(objectKey(content.oid), content.bytes);
    const working = Array.from({ length: 20 }, async (_, i) => {
      if (i % 2) return collector.collectContents(future(), never);
      await put('race', content);
      await objects.remove(repository.id, content.oid).catch(() => undefined);
      return 0;
    });
    await Promise.all(working);
    await put('race', content);
    await collector.collectContents(future(), never);
    expect([await stored(content), await has(repository, content)]).to.equal([true, true]);
    expect(await bench.host.database.knex()('lfs_upload')).to.equal([]);
  });

  it('shares what merged commits name', async () => {
    const [from, to] = [await bench.repository('from'), await bench.repository('to')];
    const [told, untold] = [newContent(), newContent()];
    for (const content of [told, untold]) await put('from', content);
    const missing = newContent();
    const tip = await commit(from, { 'a.bin': formatPointer(told), 'm.bin': formatPointer(missing) });
    // with the commits
    await bench.host.services.get(gitStore).fetchObjects(from.id, to.id, [tip]);
    expect(await objects.share(from.id, to.id, { tips: [tip] })).to.equal(0);
    expect([await has(to, told), await has(to, untold), await has(to, missing)]).to.equal([true, false, false]);
    expect(await objects.share(from.id, to.id, { tips: ['--all', 'x'] })).to.equal(0);
  });

  it('is what pointer files stand for', async () => {
    const [repository, content] = [await bench.repository('media'), newContent()];
    await put('media', content);
    const media = lfsMedia(objects);
    const read = async (pointer: string, range?: { start: number; end?: number }) => {
      const opened = await media.open(repository.id, Buffer.from(pointer), range);
      return opened && [opened.size, Buffer.concat(await opened.stream.toArray()).toString()];
    };
    const pointer = formatPointer(content);
    expect(await read(pointer)).to.equal([content.size, String(content.bytes)]);
    expect(await read(pointer, { start: 0, end: 6 })).to.equal([content.size, 'content']);
    expect(await read(pointer, { start: 0, end: 8191 })).to.equal([content.size, String(content.bytes)]);
    expect(await read('no pointer')).to.be.undefined();
    expect(await read(formatPointer({ ...content, size: 1 }))).to.be.undefined();
    expect(await read(formatPointer(newContent()))).to.be.undefined();
    const nothing = contentOf('');
    await put('media', nothing);
    expect(await read(formatPointer(nothing), { start: 0, end: 8191 })).to.equal([0, '']);
  });

  it('has a doctor that finds what is damaged', async () => {
    const repository = await bench.repository('sick');
    const [good, lost, cut] = [newContent(), newContent(), newContent()];
    for (const content of [good, lost, cut]) await put('sick', content);
    await objects.area.delete(objectKey(lost.oid));
    await objects.area.put(objectKey(cut.oid), cut.bytes.subarray(1));
    expect((await bench.get('sick', lost.oid)).statusCode).to.equal(404);
    const look = async (fix: boolean) => {
      const found = [];
      for await (const finding of checkContents({ database: bench.host.database, objects, collector }, { fix }))
        found.push(finding);
      return found.filter(({ level }) => level === 'error').length;
    };
    expect([await look(false), await look(true), await look(false)]).to.equal([2, 2, 0]);
    for (const content of [lost, cut]) await put('sick', content);
    expect(await look(false)).to.equal(0);
    expect(await has(repository, good)).to.be.true();
  });

  it('is gone with its repository', async () => {
    const repository = await bench.repository('gone');
    await put('gone', newContent());
    await bench.ask('POST', 'gone.git/info/lfs/locks', { as: bench.users.ada, body: { path: 'x' } });
    await bench.host.services.get(repositories).delete(repository);
    for (const table of ['lfs_object', 'lfs_lock'])
      expect(await bench.host.database.knex()(table).where('repository_id', repository.id)).to.equal([]);
  });
});
