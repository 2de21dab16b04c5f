import { PassThrough, Readable } from 'node:stream';
import Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { type BlobInfo, type Locks, StorageArea } from '@mortise/plugin-sdk';
import { type GitReader } from '@mortise/git/api';
import { startHost, type TestHost } from '@mortise/plugin-sdk/testing';
import { ArchiveIndex } from '../services/archive-index.js';
import { ArchiveService } from '../services/archives.js';

export const lab = Lab.script();
const { describe, it, before, after, afterEach } = lab;

const failure = Object.assign(new Error('git log failed with 128: bad object'), { name: 'GitFailure' });

describe('archives', () => {
  let host: TestHost;
  before(async () => {
    host = await startHost({ plugins: ['files'] });
  });
  after(() => host.close());
  afterEach(() => host.database.write(async () => host.database.knex()('file_archive').delete()));
  const nothing = () => undefined;
  const log = { debug: nothing, info: nothing, warn: nothing, error: nothing };
  const ledgerOf = (store: StorageArea, maxBytes = 0) =>
    new ArchiveIndex({ database: host.database, area: store, log, maxBytes });

  /** Storage in memory; slow enough that two requests meet. */
  const area = () => {
    const kept = new Map<string, BlobInfo>();
    const puts: string[] = [];
    const store = {
      stat: async (key: string) => kept.get(key),
      async put(key: string, content: Readable) {
        puts.push(key);
        await new Promise((resolve) => setTimeout(resolve, 10));
        const bytes = Buffer.concat((await content.toArray()).map((one) => Buffer.from(one as string)));
        const info = { key, size: bytes.length, modifiedAt: Date.now() };
        kept.set(key, info);
        return info;
      },
      delete: async (key: string) => void kept.delete(key),
      async *list(prefix = '') {
        for (const [key, info] of [...kept]) if (key.startsWith(prefix)) yield info;
      },
    };
    return { store: store as unknown as StorageArea, kept, puts };
  };
  const held = { signal: new AbortController().signal, check: async () => undefined };
  const locks: Locks = { hold: (_name, work) => work(held) };
  const request = { repositoryId: 7, commit: 'c', form: 'zip' as const, prefix: 'wheel/' };

  it('CNT-23: are made once however many ask, told apart by paths, and go away', async () => {
    const { store, kept, puts } = area();
    const git = { open: () => ({ archive: () => Readable.from(['bytes']) }) } as unknown as GitReader;
    const archives = new ArchiveService({ git, area: store, locks, archiveIndex: ledgerOf(store) });
    const [one, other] = await Promise.all([archives.prepare(request), archives.prepare(request)]);
    expect([one.size, other.key]).to.equal([5, one.key]);
    await archives.prepare(request);
    expect(puts).to.have.length(1);
    await archives.prepare({ ...request, paths: ['a'] });
    await archives.prepare({ ...request, repositoryId: 70 });
    expect(kept.size).to.equal(3);
    await archives.forget(7);
    expect([...kept.keys()].every((key) => key.startsWith('70/'))).to.be.true();
    await archives.clean(60_000);
    expect(kept.size).to.equal(1);
    await archives.clean(-1);
    expect(kept.size).to.equal(0);
  });

  it('that cannot be made leave nothing behind, and the next one is tried anew', async () => {
    const { store, kept } = area();
    let fails = true;
    const archive = () => {
      const stream = new PassThrough();
      if (fails) stream.destroy(failure);
      else stream.end('bytes');
      return stream;
    };
    const archives = new ArchiveService({
      git: { open: () => ({ archive }) } as unknown as GitReader,
      area: store,
      locks,
      archiveIndex: ledgerOf(store),
    });
    await expect(archives.prepare(request)).to.reject();
    expect(kept.size).to.equal(0);
    fails = false;
    expect((await archives.prepare(request)).size).to.equal(5);
  });

  it('S8: stay within their budget however many are asked for; the least recently used go first', async () => {
    const { store, kept } = area();
    const content = 'x'.repeat(100);
    const git = { open: () => ({ archive: () => Readable.from([content]) }) } as unknown as GitReader;
    // two processes on one storage
    const [one, other] = [1, 2].map(
      () => new ArchiveService({ git, area: store, locks, archiveIndex: ledgerOf(store, 1000) }),
    ) as [ArchiveService, ArchiveService];
    const first = await one.prepare({ ...request, commit: 'favourite' });
    for (let at = 0; at < 60; at++) {
      await (at % 2 ? one : other).prepare({ ...request, repositoryId: at % 7, commit: `c${at}`, paths: [`p${at}`] });
      // somebody asks for it all the time
      const clock = Date.now();
      await one.prepare({ ...request, commit: 'favourite' });
      while (Date.now() === clock) await new Promise((resolve) => setTimeout(resolve, 1));
      const size = [...kept.values()].reduce((sum, info) => sum + info.size, 0);
      expect(size).to.be.at.most(1000);
    }
    expect(kept.has(first.key)).to.be.true();
    expect([...kept.keys()].some((key) => key.includes('c59'))).to.be.true();
    const rows = await host.database.knex()('file_archive').pluck('key');
    expect(rows.sort()).to.equal([...kept.keys()].sort());
  });

  it('S8: one that is larger than the budget is refused, and nothing else goes for it', async () => {
    const { store, kept } = area();
    const asked: unknown[] = [];
    const put = store.put.bind(store);
    store.put = (key, content, options) => {
      asked.push(options?.maxBytes);
      return put(key, content, options);
    };
    const git = { open: () => ({ archive: () => Readable.from(['bytes']) }) } as unknown as GitReader;
    await new ArchiveService({ git, area: store, locks, archiveIndex: ledgerOf(store, 50) }).prepare(request);
    expect([asked, kept.size]).to.equal([[50], 1]);
  });

  it('S8: what a kill left without a row is found, counted and goes like the others', async () => {
    const { store, kept } = area();
    for (let at = 0; at < 300; at++)
      kept.set(`9/${at}.zip`, { key: `9/${at}.zip`, size: 10, modifiedAt: Date.now() - 10_000 + at });
    await ledgerOf(store, 500).clean(3_600_000);
    expect([...kept.keys()]).to.equal(Array.from({ length: 50 }, (_, at) => `9/${250 + at}.zip`));
    kept.clear();
    await ledgerOf(store, 500).clean(-1);
    expect(await host.database.knex()('file_archive').pluck('key')).to.equal([]);
  });

  it('S8: only so many wait to be made', async () => {
    const { store } = area();
    let free = () => {};
    const gate = new Promise<void>((resolve) => (free = resolve));
    const git = {
      open: () => ({
        archive: () =>
          Readable.from(
            (async function* () {
              await gate;
              yield 'bytes';
            })(),
          ),
      }),
    } as unknown as GitReader;
    const archives = new ArchiveService({ git, area: store, locks, archiveIndex: ledgerOf(store) });
    const results = Array.from({ length: 60 }, (_, at) =>
      archives.prepare({ ...request, commit: `w${at}` }).then(
        () => 'made',
        (error: Error) => error.message,
      ),
    );
    const refused = (await Promise.all(results.slice(30))).filter((text) => /many archives/.test(text));
    expect(refused).to.have.length(30);
    free();
    expect((await Promise.all(results)).filter((text) => text === 'made').length).to.be.within(20, 29);
  });
});
