import { PassThrough, Readable } from 'node:stream';
import Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { NotFound, Problem, type BlobInfo, type Route, type StorageArea } from '@mortise/plugin-sdk';
import { isDamage, type GitReader } from '@mortise/git/api';
import { ArchiveService } from '../services/archives.js';
import { damageAware, despite, started } from '../services/damage.js';

export const lab = Lab.script();
const { describe, it } = lab;

const failure = Object.assign(new Error('git log failed with 128: bad object'), { name: 'GitFailure' });
const route = (error: Error): Route => ({
  method: 'GET',
  path: '/x',
  access: { actor: 'anyone' },
  handler: () => Promise.reject(error),
});

describe('damaged repositories', () => {
  it('are refused with words, and noted; other faults stay faults', async () => {
    const noted: string[] = [];
    const run = (error: Error) => {
      const [aware] = damageAware([route(error)], { warn: (message) => noted.push(message) });
      return aware!.handler({} as never) as Promise<unknown>;
    };
    const refused = await expect(run(failure)).to.reject();
    expect(Problem.is(refused) && refused.status).to.equal(404);
    expect(noted).to.have.length(1);
    await expect(run(new TypeError('a fault'))).to.reject('a fault');
    expect(isDamage(NotFound('file'))).to.be.false();
  });

  it('cost only their own part of an answer', async () => {
    expect(await despite(Promise.reject(failure), 'instead')).to.equal('instead');
    expect(await despite(Promise.reject(NotFound('file')), 'instead')).to.equal('instead');
    await expect(despite(Promise.reject(new TypeError('a fault')), 'instead')).to.reject('a fault');
  });

  it('are told before the first byte of a stream is sent', async () => {
    const broken = new PassThrough();
    setTimeout(() => broken.destroy(failure), 5);
    await expect(started(broken)).to.reject(/bad object/);
    expect(await started(Readable.from(['text']))).to.be.an.object();
    expect(await started(Readable.from([]))).to.be.an.object();
  });
});

describe('archives', () => {
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
        kept.set(key, { key, size: bytes.length, modifiedAt: Date.now() });
      },
      delete: async (key: string) => void kept.delete(key),
      async *list(prefix = '') {
        for (const [key, info] of [...kept]) if (key.startsWith(prefix)) yield info;
      },
    };
    return { store: store as unknown as StorageArea, kept, puts };
  };
  const locks = { hold: <T>(_name: string, work: () => Promise<T>) => work() };
  const request = { repositoryId: 7, commit: 'c', form: 'zip' as const, prefix: 'wheel/' };

  it('CNT-23: are made once however many ask, told apart by paths, and go away', async () => {
    const { store, kept, puts } = area();
    const git = { open: () => ({ archive: () => Readable.from(['bytes']) }) } as unknown as GitReader;
    const archives = new ArchiveService({ git, area: store, locks });
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
    });
    await expect(archives.prepare(request)).to.reject();
    expect(kept.size).to.equal(0);
    fails = false;
    expect((await archives.prepare(request)).size).to.equal(5);
  });
});
