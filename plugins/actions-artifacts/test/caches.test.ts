import { randomBytes } from 'node:crypto';
import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { endTask } from '@mortise/actions/testing';
import { createRepository } from '@mortise/repositories/testing';
import { CacheRow } from '../models/cache.js';
import { UploadRow } from '../models/upload.js';
import { Bench, stores, storeSettings, s3, type Job } from './kit.js';

export const lab = Lab.script();
const { describe, it, before, after } = lab;
const base = '/api/actions_pipeline/_apis/artifactcache';
const day = 86_400_000;

for (const store of stores)
  describe(
    `caches of jobs in ${store === 'local' ? 'a folder' : 'an S3-compatible store'}`,
    {
      timeout: 120_000,
      skip: store === 'minio' && !s3,
    },
    () => {
      let bench: Bench;
      before(async () => {
        const limits = { MAX_ENTRY_SIZE: 2, MAX_SIZE: 4, MAX_ENTRIES: 20 };
        bench = await Bench.start({ 'actions.cache': limits, ...storeSettings(store) });
      });
      after(() => bench.host.close());

      const reserve = ({ token }: Job, key: string, version = 'v') =>
        bench.send('POST', `${base}/caches`, { token, payload: { key, version, cacheSize: 5 } });
      const patch = ({ token }: Job, id: number, from: number, content: string | Buffer) =>
        bench.send('PATCH', `${base}/caches/${id}`, {
          token,
          payload: content,
          headers: {
            'content-type': 'application/octet-stream',
            'content-range': `bytes ${from}-${from + Buffer.byteLength(content) - 1}/*`,
          },
        });
      const commit = ({ token }: Job, id: number, size: number) =>
        bench.send('POST', `${base}/caches/${id}`, { token, payload: { size } });
      const save = async (job: Job, key: string, content: string | Buffer, version = 'v') => {
        const id = Number((await reserve(job, key, version)).json.cacheId);
        await patch(job, id, 0, content);
        expect((await commit(job, id, Buffer.byteLength(content))).statusCode).to.equal(200);
        return id;
      };
      const find = async ({ token }: Job, keys: string, version = 'v') => {
        const answer = await bench.send('GET', `${base}/cache?keys=${encodeURIComponent(keys)}&version=${version}`, {
          token,
        });
        return answer.statusCode === 204 ? undefined : (answer.json as { cacheKey: string; archiveLocation: string });
      };

      it('are kept once, whole, and found by the first key that fits', async () => {
        const job = await bench.job();
        const { cacheId } = (await reserve(job, 'deps-1')).json as { cacheId: number };
        expect((await reserve(job, 'deps-1')).statusCode, 'somebody is at it').to.equal(409);
        expect((await patch(job, cacheId, 6, 'second')).statusCode, 'out of order').to.equal(200);
        expect(await find(job, 'deps-1'), 'not complete').to.be.undefined();
        expect((await commit(job, cacheId, 12)).statusCode, 'a hole').to.equal(400);
        expect((await patch(job, cacheId, 0, 'first ')).statusCode).to.equal(200);
        expect((await commit(job, cacheId, 11)).statusCode, 'another size').to.equal(400);
        expect((await commit(job, cacheId, 12)).statusCode).to.equal(200);
        expect((await patch(job, cacheId, 0, 'other!')).statusCode, 'it does not change any more').to.equal(400);
        expect((await reserve(job, 'deps-1')).statusCode).to.equal(409);
        const hit = (await find(job, 'deps-1'))!;
        expect(hit.cacheKey).to.equal('deps-1');
        expect((await bench.send('GET', hit.archiveLocation)).payload).to.equal('first second');
        expect((await bench.send('GET', hit.archiveLocation, { headers: { range: 'bytes=6-8' } })).payload).to.equal(
          'sec',
        );
        const forged = hit.archiveLocation.replace(/sig=(.)/, (_, first) => `sig=${first === '_' ? '-' : '_'}`);
        expect((await bench.send('GET', forged)).statusCode).to.equal(401);
        await save(job, 'deps-2', 'newer');
        expect((await find(job, 'none,deps-'))?.cacheKey, 'the newest').to.equal('deps-2');
        expect((await find(job, 'deps-1,deps-'))?.cacheKey, 'exactly goes first').to.equal('deps-1');
        expect(await find(job, 'DEPS-'), 'capital letters differ').to.be.undefined();
        expect(await find(job, 'deps_1'), 'no pattern').to.be.undefined();
        expect(await find(job, 'deps-1', 'w'), 'another version').to.be.undefined();
        await endTask(bench.host, job);
        expect((await bench.send('GET', hit.archiveLocation)).statusCode).to.equal(404);
        expect((await reserve(job, 'late')).statusCode).to.equal(401);
      });

      it('are seen from the branch, the base of a pull request, and the default branch', async () => {
        const repository = await createRepository(bench.host, bench.ada, `scopes-${store}`);
        const on = (ref: string, payload = {}) => bench.job({ ref, payload }, repository);
        const [main, topic, base2] = [
          await on('refs/heads/main'),
          await on('refs/heads/topic'),
          await on('refs/heads/next'),
        ];
        const pull = await on('refs/pull/7/head', { pull_request: { base: { ref: 'next' } } });
        await save(main, 'k-main', 'm');
        await save(topic, 'k-topic', 't');
        await save(base2, 'k-next', 'n');
        await save(pull, 'p-pull', 'p');
        expect((await find(topic, 'k-'))?.cacheKey, 'its own first').to.equal('k-topic');
        expect((await find(topic, 'k-main'))?.cacheKey).to.equal('k-main');
        expect(await find(topic, 'k-next'), 'not of a sibling').to.be.undefined();
        expect(await find(main, 'k-topic'), 'not of others').to.be.undefined();
        expect((await find(pull, 'k-'))?.cacheKey, 'the base first').to.equal('k-next');
        expect((await find(pull, 'k-main'))?.cacheKey).to.equal('k-main');
        expect(await find(main, 'p-pull'), 'a pull request leaves nothing to others').to.be.undefined();
        const elsewhere = await bench.job();
        expect(await find(elsewhere, 'k-main'), 'another repository').to.be.undefined();
      });

      it('of pull requests are met by none of pull_request_target', async () => {
        const repository = await createRepository(bench.host, bench.ada, `target-${store}`);
        const [ref, payload] = ['refs/pull/7/head', { pull_request: { base: { ref: 'next' } } }];
        const on = (event: string, isFork: boolean) => bench.job({ ref, payload, event, isFork }, repository);
        const [pull, target] = [await on('pull_request', true), await on('pull_request_target', true)];
        const id = await save(pull, 'deps-1', 'poison');
        expect((await find(pull, 'deps-'))?.cacheKey).to.equal('deps-1');
        expect(await find(target, 'deps-1,deps-')).to.be.undefined();
        for (const key of ['deps-1', 'deps-2']) expect((await reserve(target, key)).statusCode).to.equal(403);
        const open = Number((await reserve(pull, 'deps-3')).json.cacheId);
        for (const one of [id, open]) expect((await patch(target, one, 0, 'x')).statusCode).to.equal(404);
        await save(await bench.job({ ref: 'refs/heads/next' }, repository), 'deps-0', 'base');
        expect((await find(target, 'deps-'))?.cacheKey, 'reads the base').to.equal('deps-0');
        const own = await on('pull_request_target', false);
        await save(own, 'own', 'o');
        expect((await find(await bench.job({ ref: 'refs/heads/next' }, repository), 'own'))?.cacheKey).to.equal('own');
        expect((await find(own, 'deps-'))?.cacheKey).to.equal('deps-0');
      });

      it('leave room: the ones unused longest go', async () => {
        const repository = await createRepository(bench.host, bench.ada, `room-${store}`);
        const job = await bench.job({}, repository);
        const { database } = bench.host;
        const big = randomBytes(1_400_000);
        for (const [at, key] of ['a', 'b', 'c'].entries()) {
          const id = await save(job, key, big);
          if (key !== 'c')
            await database.write(() =>
              database
                .query(CacheRow)
                .patch({ used_at: at + 1 })
                .where('id', id),
            );
        }
        expect([await find(job, 'a'), (await find(job, 'b'))?.cacheKey]).to.equal([undefined, 'b']);
        const { cacheId } = (await reserve(job, 'huge')).json as { cacheId: number };
        expect((await patch(job, cacheId, 0, randomBytes(2_200_000))).statusCode).to.equal(413);
        expect((await reserve(job, 'a,b')).statusCode).to.equal(400);
        expect((await reserve(job, 'x'.repeat(513))).statusCode).to.equal(400);
        await database.write(() =>
          database
            .query(CacheRow)
            .patch({ used_at: Date.now() - 8 * day })
            .where('repository_id', repository.id),
        );
        await bench.night();
        expect(await database.query(CacheRow).where('repository_id', repository.id).resultSize()).to.equal(0);
        const kept = await database.query(CacheRow).where('is_complete', true).resultSize();
        expect(await bench.stored('actions-cache'), 'no content without a row').to.have.length(kept);
      });

      it('that are being sent have no more room together than complete ones', async () => {
        const repository = await createRepository(bench.host, bench.ada, `sending-${store}`);
        const job = await bench.job({}, repository);
        const half = randomBytes(1_500_000);
        const sent = [];
        for (const key of ['open-1', 'open-2', 'open-3', 'open-4']) {
          const { cacheId } = (await reserve(job, key)).json as { cacheId: number };
          sent.push(`${(await patch(job, cacheId, 0, half)).statusCode}`, cacheId);
        }
        const ids = sent.filter((one) => typeof one === 'number');
        expect(sent).to.equal(['200', ids[0], '200', ids[1], '413', ids[2], '413', ids[3]]);
        const one = randomBytes(1_100_000);
        expect((await patch(job, ids[2]!, 0, one)).statusCode).to.equal(200);
        expect((await patch(job, ids[3]!, 0, one.subarray(0, 200_000))).statusCode, 'none is left').to.equal(413);
        for (const [at, id] of ids.slice(0, 2).entries())
          expect((await commit(job, id, half.length)).statusCode, `${at}`).to.equal(200);
        expect((await patch(job, ids[3]!, 0, one)).statusCode, 'again').to.equal(200);
        await bench.host.database.write(() =>
          bench.host.database
            .query(UploadRow)
            .patch({ updated_at: Date.now() - day })
            .whereIn('id', CacheRow.query().select('upload_id').where('repository_id', repository.id)),
        );
        const { cacheId: late } = (await reserve(job, 'late')).json as { cacheId: number };
        expect((await patch(job, late, 0, half)).statusCode, 'those stand still').to.equal(200);
        const side = await Promise.all(
          ['p-1', 'p-2', 'p-3', 'p-4'].map(async (key) => {
            const { cacheId } = (await reserve(job, key)).json as { cacheId: number };
            return cacheId;
          }),
        );
        const given = await Promise.all(side.map(async (id) => (await patch(job, id, 0, half)).statusCode));
        expect(
          given.filter((status) => status === 200),
          'at the same time',
        ).to.have.length(1);
      });

      it('speak the newer protocol too', async () => {
        const job = await bench.job({ ref: 'refs/heads/newer' });
        const call = (method: string, message: object) =>
          bench.twirp('CacheService', method, job, { version: 'n', ...message });
        const made = await call('CreateCacheEntry', { key: 'one' });
        expect(made.json.ok).to.be.true();
        const address = String(made.json.signedUploadUrl);
        expect((await bench.block(address, 'a', 'begin ')).statusCode).to.equal(201);
        expect((await bench.block(address, 'b', 'end')).statusCode).to.equal(201);
        expect((await bench.list(address, ['a', 'b'])).statusCode).to.equal(201);
        const end = { key: 'one', sizeBytes: '9' };
        const done = await call('FinalizeCacheEntryUpload', end);
        expect([done.statusCode, done.json.ok]).to.equal([200, true]);
        expect((await call('FinalizeCacheEntryUpload', end)).json.entryId, 'again').to.equal(done.json.entryId);
        expect((await call('CreateCacheEntry', { key: 'one' })).json.code).to.equal('already_exists');
        const whole = await call('CreateCacheEntry', { key: 'two' });
        await bench.send('PUT', String(whole.json.signedUploadUrl), { payload: 'at once' });
        expect((await call('FinalizeCacheEntryUpload', { key: 'two', size_bytes: 7 })).json.ok).to.be.true();
        const hit = (await call('GetCacheEntryDownloadURL', { key: 'none', restore_keys: ['on'] })).json;
        expect([hit.ok, hit.matchedKey]).to.equal([true, 'one']);
        expect((await bench.send('GET', String(hit.signedDownloadUrl))).payload).to.equal('begin end');
        expect((await call('GetCacheEntryDownloadURL', { key: 'none' })).json.ok).to.be.false();
        expect((await bench.twirp('CacheService', 'CreateCacheEntry', job, { key: 'x' }, '')).statusCode).to.equal(401);
      });
    },
  );
