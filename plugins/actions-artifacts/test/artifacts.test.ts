import { randomBytes } from 'node:crypto';
import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { createAccount, actorOf } from '@mortise/accounts/testing';
import { endTask } from '@mortise/actions/testing';
import { ArtifactRow } from '../models/artifact.js';
import { OrphanBlobRow } from '../models/orphan-blob.js';
import { PartRow } from '../models/part.js';
import { UploadRow } from '../models/upload.js';
import { Bench, s3, sha256, stores, storeSettings } from './kit.js';

export const lab = Lab.script();
const { describe, it, before, after } = lab;
if (!s3) console.log('skipped: the tests with an S3-compatible store need MORTISE_TEST_S3');
const day = 86_400_000;

for (const store of stores)
  describe(
    `artifacts of jobs in ${store === 'local' ? 'a folder' : 'an S3-compatible store'}`,
    {
      timeout: 120_000,
      skip: store === 'minio' && !s3,
    },
    () => {
      let bench: Bench;
      const db = () => bench.host.database;
      before(async () => {
        bench = await Bench.start({ 'actions.artifacts': { MAX_SIZE: 4, MAX_PER_RUN: 20 }, ...storeSettings(store) });
      });
      after(() => bench.host.close());

      it('are uploaded in blocks of any order, and fetched whole and in part (ACT-25)', async () => {
        const job = await bench.job();
        const made = await bench.artifact(job, 'CreateArtifact', { name: 'parts', version: 4 });
        expect([made.statusCode, made.json.ok]).to.equal([200, true]);
        const address = String(made.json.signedUploadUrl);
        const pieces = [randomBytes(500_000), randomBytes(300_000), randomBytes(1)];
        expect((await bench.block(address, 'b', pieces[1]!)).statusCode).to.equal(201);
        expect((await bench.block(address, 'a', Buffer.from('wrong'))).statusCode).to.equal(201);
        expect((await bench.block(address, 'c', pieces[2]!)).statusCode).to.equal(201);
        expect((await bench.block(address, 'a', pieces[0]!)).statusCode, 'sent again').to.equal(201);
        expect((await bench.list(address, ['a', 'x'])).statusCode, 'an unknown block').to.equal(400);
        expect((await bench.list(address, ['a', 'a'])).statusCode, 'a block twice').to.equal(400);
        expect((await bench.list(address, ['a', 'b', 'c'])).statusCode).to.equal(201);
        const whole = Buffer.concat(pieces);
        const message = { name: 'parts', size: String(whole.length), hash: `sha256:${sha256(whole)}` };
        const short = await bench.artifact(job, 'FinalizeArtifact', { ...message, size: '5' });
        expect([short.statusCode, short.json.code]).to.equal([400, 'invalid_argument']);
        const wrong = await bench.artifact(job, 'FinalizeArtifact', { ...message, hash: `sha256:${'0'.repeat(64)}` });
        expect(wrong.statusCode).to.equal(400);
        const ends = await Promise.all([1, 2, 3].map(() => bench.artifact(job, 'FinalizeArtifact', message)));
        expect(
          ends.map(({ statusCode }) => statusCode),
          'three at once',
        ).to.equal([200, 200, 200]);
        expect(new Set(ends.map(({ json }) => String(json.artifactId))).size).to.equal(1);
        await bench.host.settle();
        expect(await bench.stored(), 'nothing but the whole is left').to.have.length(1);
        expect(await db().query(PartRow).resultSize()).to.equal(0);

        const { json } = await bench.artifact(job, 'GetSignedArtifactURL', { name: 'parts' });
        const got = await bench.send('GET', String(json.signedUrl));
        expect([got.statusCode, got.headers['content-type'], sha256(got.rawPayload)]).to.equal([
          200,
          'application/zip',
          sha256(whole),
        ]);
        const part = await bench.send('GET', String(json.signedUrl), { headers: { range: 'bytes=499990-500009' } });
        expect([part.statusCode, part.rawPayload.equals(whole.subarray(499_990, 500_010))]).to.equal([206, true]);
        const { id } = (await bench.api('/artifacts')).json.artifacts[0] as { id: number };
        const first = await bench.api(`/artifacts/${id}/zip`);
        expect(first.statusCode).to.equal(302);
        const second = await bench.send('GET', String(first.headers.location));
        expect([second.statusCode, second.rawPayload.equals(whole)]).to.equal([200, true]);
        expect(second.headers['content-disposition']).to.contain('filename="parts.zip"');
      });

      it('replace those of the same name and leave nothing of them', async () => {
        const job = await bench.job();
        const before = await bench.stored();
        expect((await bench.upload(job, 'box', 'first')).statusCode).to.equal(200);
        const unfinished = await bench.artifact(job, 'CreateArtifact', { name: 'box', version: 4 });
        await bench.block(String(unfinished.json.signedUploadUrl), 'x', 'never completed');
        expect((await bench.upload(job, 'box', 'second')).statusCode).to.equal(200);
        const late = await bench.block(String(unfinished.json.signedUploadUrl), 'y', 'too late');
        expect(late.statusCode).to.equal(404);
        await bench.host.settle();
        expect(await bench.stored()).to.have.length(before.length + 1);
        const { artifacts } = (await bench.artifact(job, 'ListArtifacts', {})).json;
        expect(artifacts.map(({ name, size }: { name: string; size: string }) => [name, size])).to.equal([
          ['box', '6'],
        ]);
        expect((await bench.artifact(job, 'DeleteArtifact', { name: 'box' })).json.ok).to.be.true();
        await bench.host.settle();
        expect(await bench.stored()).to.equal(before);
      });

      it('belong to one attempt, are refused to others, and to a task that ended (ACT-13)', async () => {
        const [job, other] = [await bench.job(), await bench.job()];
        await bench.upload(job, 'mine', 'x');
        expect((await bench.artifact(other, 'ListArtifacts', {})).json.artifacts).to.equal([]);
        expect((await bench.artifact(other, 'GetSignedArtifactURL', { name: 'mine' })).statusCode).to.equal(404);
        const foreign = { workflow_run_backend_id: String(job.run.id) };
        expect((await bench.artifact(other, 'ListArtifacts', foreign)).statusCode).to.equal(400);
        expect((await bench.artifact(job, 'ListArtifacts', {}, '')).statusCode).to.equal(401);
        expect((await bench.artifact(job, 'ListArtifacts', {}, `${job.token}x`)).statusCode).to.equal(401);
        const { json } = await bench.artifact(job, 'GetSignedArtifactURL', { name: 'mine' });
        const address = String(json.signedUrl);
        expect(
          (await bench.send('GET', address.replace('artifactName=mine', 'artifactName=other'))).statusCode,
        ).to.equal(401);
        expect((await bench.send('GET', address.replace(/expires=\d+/, 'expires=9999999999'))).statusCode).to.equal(
          401,
        );
        expect((await bench.send('PUT', address.replace('Download', 'Upload'), { payload: 'x' })).statusCode).to.equal(
          401,
        );
        await endTask(bench.host, job);
        expect((await bench.artifact(job, 'ListArtifacts', {})).statusCode).to.equal(401);
        expect((await bench.send('GET', address)).statusCode).to.equal(404);
      });

      it('have names that are names, sizes within limits, and bounded number', async () => {
        const job = await bench.job();
        for (const name of [
          '../up',
          'a/b',
          'a\\b',
          'a:b',
          'a\nb',
          '..',
          '',
          ' ',
          'x'.repeat(256),
          'a"b',
          'q?',
          5,
          null,
        ])
          expect((await bench.artifact(job, 'CreateArtifact', { name, version: 4 })).statusCode, String(name)).to.equal(
            400,
          );
        const made = await bench.artifact(job, 'CreateArtifact', { name: 'big', version: 4 });
        const address = String(made.json.signedUploadUrl);
        const before = await bench.stored();
        expect((await bench.block(address, 'a', Buffer.alloc(3_000_000))).statusCode).to.equal(201);
        expect((await bench.block(address, 'b', Buffer.alloc(3_000_000))).statusCode).to.equal(413);
        await bench.host.settle();
        expect(await bench.stored()).to.have.length(before.length + 1);
        expect(
          (
            await bench.send('PUT', `${address}&comp=blocklist`, {
              payload: '<!DOCTYPE x [<!ENTITY a "b">]><BlockList/>',
            })
          ).statusCode,
        ).to.equal(400);
        expect(
          (await bench.artifact(job, 'FinalizeArtifact', { name: 'big', size: '3000000' })).statusCode,
          'without a list',
        ).to.equal(400);
        for (let at = 1; at < 20; at++)
          expect((await bench.artifact(job, 'CreateArtifact', { name: `n${at}`, version: 4 })).statusCode).to.equal(
            200,
          );
        expect((await bench.artifact(job, 'CreateArtifact', { name: 'one more', version: 4 })).statusCode).to.equal(
          429,
        );
      });

      it('never run in a browser, and keep the name of a raw file', async () => {
        const job = await bench.job();
        for (const [name, mime_type, type] of [
          ['page.html', 'text/html', 'application/octet-stream'],
          ['note.txt', 'text/plain', 'text/plain'],
          ['odd', 'nonsense', 'application/zip'],
        ] as const) {
          const made = await bench.artifact(job, 'CreateArtifact', { name, version: 7, mime_type });
          const address = String(made.json.signedUploadUrl);
          expect((await bench.send('PUT', address, { payload: 'content' })).statusCode, 'all at once').to.equal(201);
          expect((await bench.artifact(job, 'FinalizeArtifact', { name, size: '7' })).statusCode).to.equal(200);
          const { json } = await bench.artifact(job, 'GetSignedArtifactURL', { name });
          const got = await bench.send('GET', String(json.signedUrl));
          expect(String(got.headers['content-type']).split(';')[0]).to.equal(type);
          expect(got.headers['content-disposition']).to.contain(
            `filename="${name}${type === 'application/zip' ? '.zip' : ''}"`,
          );
          expect(got.headers['content-security-policy']).to.contain('sandbox');
        }
      });

      it('are gone when their time, their run or their repository is', async () => {
        const [old, run] = [await bench.job(), await bench.job()];
        const ben = await createAccount(bench.host, 'ben');
        await bench.upload(old, 'old', 'x');
        await bench.upload(run, 'kept', 'y');
        const begun = await bench.artifact(run, 'CreateArtifact', { name: 'begun', version: 4 });
        await bench.block(String(begun.json.signedUploadUrl), 'a', 'z');
        const id = Number((await db().query(ArtifactRow).findOne({ name: 'old', run_id: old.run.id }))!.id);
        await db().write(async () => {
          await db()
            .query(ArtifactRow)
            .patch({ expires_at: Date.now() - 1 })
            .where('id', id);
          const stale = { updated_at: Date.now() - 2 * day };
          await db().query(ArtifactRow).patch(stale).where('name', 'begun');
          await db().query(UploadRow).patch(stale);
        });
        await bench.night();
        expect((await bench.api(`/artifacts/${id}`)).json).to.include({ name: 'old', expired: true });
        expect((await bench.api(`/artifacts/${id}/zip`)).statusCode).to.equal(404);
        expect(await db().query(ArtifactRow).where('name', 'begun').resultSize()).to.equal(0);
        expect(await db().query(OrphanBlobRow).resultSize()).to.equal(0);
        const list = (await bench.api(`/runs/${run.run.id}/artifacts`)).json.artifacts as {
          name: string;
          id: number;
        }[];
        expect(list.map(({ name }) => name)).to.equal(['kept']);
        const stranger = bench.host.as(actorOf(bench.host, ben));
        const address = `/api/v1/repos/ada/mill/actions/artifacts/${list[0]!.id}`;
        for (const who of [stranger, bench.host])
          expect((await who.inject({ method: 'DELETE', url: address })).statusCode).to.equal(403);
        expect((await bench.api(`/artifacts/${list[0]!.id}`, 'DELETE')).statusCode).to.equal(204);
        expect((await bench.api(`/artifacts/${list[0]!.id}`, 'DELETE')).statusCode).to.equal(404);
        await bench.upload(run, 'last', 'x');
        await bench.host.as(actorOf(bench.host, bench.ada)).inject({ method: 'DELETE', url: '/api/v1/repos/ada/mill' });
        await bench.host.settle();
        expect(await db().query(ArtifactRow).resultSize()).to.equal(0);
        await bench.night();
        expect(await bench.stored()).to.equal([]);
      });
    },
  );
