import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { anonymous, database, locks, Problem, storage } from '@mortise/plugin-sdk';
import { startHost, type TestHost } from '@mortise/plugin-sdk/testing';
import { proxyBase } from '../api.js';
import { singleFlight } from '../services/proxy/single-flight.js';
import { ByteBudget } from '../services/proxy/byte-budget.js';
import { isSignInOf } from '../services/proxy/bearer-challenge.js';
import { sourceProblem, type SourceClient } from '../services/proxy/source-client.js';
import { ProxyFiles } from '../services/proxy/proxy-files.js';
import { ProxyCache, proxyCacheArea, useTable, type ProxyCacheLimits } from '../services/proxy/proxy-cache.js';
import { LongDocuments, replaced } from '../services/proxy/long-documents.js';
import { StagingFile } from '../services/proxy/staging-file.js';
import { ConcurrencyLimit } from '../services/proxy/concurrency-limit.js';

export const lab = Lab.script();
const { describe, it, before, after } = lab;

const log = { debug: () => undefined, info: () => undefined, warn: () => undefined, error: () => undefined };
const quietly = <T>(work: Promise<T>): Promise<T | Problem> => work.catch((error: unknown) => error as Problem);
const never = () => new Promise<void>(() => undefined);
const readAll = async (content: Readable) => Buffer.concat((await content.toArray()) as Buffer[]);

describe('PKG-20: what people may have of upstreams at once', () => {
  it('leaves places to others, however much one wants', async () => {
    const limit = new ConcurrencyLimit(4, 60_000);
    for (let n = 0; n < 100; n++) void quietly(limit.add('ada', never).result);
    expect(await limit.add('ben', () => Promise.resolve('served')).result).to.equal('served');
  });

  it('lets nobody wait for ever, or without number', async () => {
    const limit = new ConcurrencyLimit(2, 20);
    void quietly(limit.add('ada', never).result);
    const late = await quietly(limit.add('ada', never).result);
    expect((late as Problem).code).to.equal('unavailable');
    const full = new ConcurrencyLimit(2, 60_000);
    const all = Array.from({ length: 600 }, () => quietly(full.add('ada', never).result));
    for (const refused of await Promise.all(all.slice(550))) expect((refused as Problem).code).to.equal('unavailable');
  });

  it('bounds the bytes on their way, in all and of one', () => {
    const budget = new ByteBudget(100);
    const first = budget.open('ada');
    // what is alone fits, however large
    first.grow(500);
    expect(() => budget.open('ben').grow(1)).to.throw(/Too many/);
    first.close();
    const [one, two, other] = [budget.open('ada'), budget.open('ada'), budget.open('ben')];
    one.grow(30);
    two.grow(20);
    expect(() => two.grow(21)).to.throw(/Too many/);
    other.grow(50);
    expect(() => other.grow(51)).to.throw(/Too many/);
    one.close();
    other.grow(60);
    const any = new ByteBudget(-1);
    for (const name of ['ada', 'ben']) any.open(name).grow(1e12);
  });

  it('ends readers who read nothing', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'mortise-spool-'));
    try {
      const spool = await StagingFile.make(folder, () => undefined);
      await spool.write(Buffer.alloc(2 * 1024 * 1024, 1));
      spool.finish();
      const slow = await spool.read(20);
      const patient = await spool.read();
      slow.once('readable', () => undefined);
      const [error] = (await once(slow, 'error')) as [Error];
      expect(error.message).to.include('did not read the next chunk');
      await spool.remove();
      expect((await readAll(patient)).length).to.equal(2 * 1024 * 1024);
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  });

  it('sends long documents in pieces, and not too many different ones', async () => {
    const text = Array.from({ length: 20_000 }, (_, n) => `"${'x'.repeat(n % 50)}${proxyBase}/${n}"`).join(',');
    const body = Buffer.from(text);
    const base = 'https://here/api';
    expect(Buffer.concat([...replaced(body, base)]).toString()).to.equal(text.replaceAll(proxyBase, base));
    for (const piece of replaced(body, base)) expect(piece.length).to.be.below(300_000);

    const pages = new LongDocuments(body.length);
    const [one, same] = [pages.open(body, base), pages.open(body, `${base}/other`)];
    for (const page of [one, same]) await once(page, 'readable');
    expect(() => pages.open(Buffer.from(body), base)).to.throw(/Too many/);
    one.destroy();
    expect((await readAll(same)).toString()).to.equal(text.replaceAll(proxyBase, `${base}/other`));
    await readAll(pages.open(Buffer.from(body), base));
    // an answer that is dropped holds nothing
    pages.open(Buffer.from(body), base);
    pages.open(body, base);
  });
});

describe('PKG-20: what upstreams and clients hear', () => {
  it('gives credentials to the registry and its own sign-in alone', () => {
    const may = (registry: string, realm: string, named?: string) =>
      isSignInOf(new URL(registry), new URL(realm), named);
    expect(may('https://registry.acme.org', 'https://registry.acme.org/token')).to.be.true();
    expect(may('https://registry-1.docker.io', 'https://auth.docker.io/token')).to.be.true();
    for (const [registry, realm] of [
      ['https://registry.acme.org', 'https://other.acme.org/token'],
      ['https://registry.acme.org', 'http://registry.acme.org/token'],
      ['https://registry.acme.org', 'https://registry.acme.org:444/token'],
      ['https://registry.acme.co.uk', 'https://thief.co.uk/token'],
      ['https://registry-1.docker.io', 'https://other.docker.io/token'],
      ['https://registry.acme.org', 'https://auth.docker.io/token'],
    ] as const)
      expect(may(registry, realm), realm).to.be.false();
    // another host, where the operator names it
    const [registry, named] = ['https://registry.acme.org', 'Git.acme.org'];
    expect(may(registry, 'https://git.acme.org/jwt/auth', named)).to.be.true();
    for (const realm of ['http://git.acme.org/auth', 'https://git.acme.org:444/auth', 'https://thief.org/auth'])
      expect(may(registry, realm, named), realm).to.be.false();
  });

  it('says nothing of paths of the server', () => {
    const error = Object.assign(new Error("ENOSPC: no space left on device, write '/srv/mortise'"), {
      code: 'ENOSPC',
      syscall: 'write',
    });
    expect(sourceProblem(error).message).not.to.include('/srv');
    expect(sourceProblem(error).code).to.equal('unavailable');
  });
});

describe('PKG-20: room for what upstreams gave', () => {
  let host: TestHost;
  before(async () => {
    host = await startHost({ plugins: ['packages'] });
  });
  after(() => host.close());

  const keep = async (limits: ProxyCacheLimits, count: number) => {
    const data = host.services.get(database);
    let asked = 0;
    const kept = new ProxyCache(data, host.services.get(storage), log, limits, () => Promise.resolve(asked++));
    const keys = Array.from({ length: count }, (_, n) => ProxyCache.key('entry', String(n)));
    for (const key of keys) await kept.put(key, Buffer.from('x'));
    // the last is used again, long after
    const last = keys.at(-1)!;
    kept.uses.add(Number.parseInt(last.slice(0, 12), 16), Date.now() + 60_000);
    const gone = await kept.trim(new AbortController().signal);
    let left = 0;
    for await (const info of host.services.get(storage).area(proxyCacheArea).list()) left += Math.sign(info.size);
    const times = (await data.knex()(useTable).select('id')).length;
    const isThere = (await kept.stat(last)) !== undefined;
    for (const key of keys) await kept.delete(key);
    await kept.uses.close();
    await data.write(async () => {
      await data.knex()(useTable).delete();
    });
    return { gone, left, times, isThere, asked };
  };

  it('counts the smallest as what it takes of a disk, a few at a time', async () => {
    const found = await keep({ maxBytes: 10 * 4096, maxEntries: 1000, trimBatch: 3 }, 20);
    expect(found).to.include({ gone: 11 * 4096, left: 9, times: 9, isThere: true });
    expect(found.asked).to.be.above(5);
  });

  it('bounds their number, unless there may be any', async () => {
    const large = 1024 ** 3;
    const found = await keep({ maxBytes: large, maxEntries: 10, trimBatch: 4 }, 20);
    expect(found).to.include({ left: 9, times: 9, isThere: true });
    expect(await keep({ maxBytes: -1, maxEntries: 10, trimBatch: 4 }, 20)).to.include({ left: 20, asked: 0 });
  });

  it('is filled once for several processes that want the same file', async () => {
    const kept = new ProxyCache(
      host.services.get(database),
      host.services.get(storage),
      log,
      { maxBytes: -1, maxEntries: 10, trimBatch: 4 },
      () => Promise.resolve(),
    );
    const folder = await mkdtemp(join(tmpdir(), 'mortise-files-'));
    let asked = 0;
    let go!: () => void;
    const gate = new Promise<void>((resolve) => (go = resolve));
    const client = {
      address: (path: string) => path,
      stream: async (_wanted: object, take: (answer: object) => Promise<unknown>) => {
        asked++;
        await gate;
        return take({ status: 200, headers: { 'content-length': '5' }, body: Readable.from([Buffer.from('bytes')]) });
      },
    } as unknown as SourceClient;
    const deps = {
      cache: kept,
      locks: host.services.get(locks),
      folder,
      maxBytes: -1,
      timeoutMs: 60_000,
      log,
    };
    const fetch = () => {
      const files = new ProxyFiles({ ...deps, limit: new ConcurrencyLimit(4, 60_000), budget: new ByteBudget(-1) });
      const request = { method: 'GET', headers: {}, actor: anonymous, signal: new AbortController().signal };
      return files.answer(client, 'paper', request, { path: '/a', checksums: [], name: 'a' });
    };
    try {
      const both = [fetch(), fetch()];
      go();
      for (const answer of await Promise.all(both))
        expect((await readAll(answer.body as Readable)).toString()).to.equal('bytes');
      expect(asked).to.equal(1);
    } finally {
      await kept.uses.close();
      await rm(folder, { recursive: true, force: true });
    }
  });

  it('does not wait for long for what another process does', async () => {
    const held = host.services.get(locks);
    let end!: () => void;
    let long!: Promise<void>;
    await new Promise<void>((begun) => {
      long = singleFlight(held, 'slow', () => {
        begun();
        return new Promise((resolve) => (end = resolve));
      });
    });
    expect(await singleFlight(held, 'slow', () => Promise.resolve('done'), 1)).to.equal('done');
    end();
    await long;
    const failing = singleFlight(held, 'slow', () => Promise.reject(new Problem('unavailable', 'of the work itself')));
    expect(((await quietly(failing)) as Problem).message).to.equal('of the work itself');
  });
});
