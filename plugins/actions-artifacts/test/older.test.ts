import { createHash } from 'node:crypto';
import { mkdir, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { endTask } from '@mortise/actions/testing';
import { runArtifacts } from '../api.js';
import { ArtifactRow } from '../models/artifact.js';
import { OrphanBlobRow } from '../models/orphan-blob.js';
import { SummaryRow } from '../models/step-summary.js';
import { Bench, type Job } from './kit.js';

export const lab = Lab.script();
const { describe, it, before, after } = lab;

const md5 = (text: string | Buffer, as: 'hex' | 'base64' = 'hex') => createHash('md5').update(text).digest(as);

describe('artifacts the older way', { timeout: 120_000 }, () => {
  let bench: Bench;
  before(async () => {
    bench = await Bench.start();
  });
  after(() => bench.host.close());

  const base = (job: Job, run = job.run.id) => `/api/actions_pipeline/_apis/pipelines/workflows/${run}/artifacts`;
  const put = (job: Job, name: string, itemPath: string, content: string | Buffer, headers = {}) =>
    bench.send('PUT', `${base(job)}/${md5(name)}/upload?itemPath=${encodeURIComponent(itemPath)}`, {
      token: job.token,
      payload: content,
      headers: { 'content-type': 'application/octet-stream', ...headers },
    });
  const finish = (job: Job, name: string) =>
    bench.send('PATCH', `${base(job)}?artifactName=${name}`, { token: job.token, payload: { Size: 1 } });

  it('are files that come in pieces, and are fetched one by one', async () => {
    const job = await bench.job();
    const made = await bench.send('POST', base(job), {
      token: job.token,
      payload: { Type: 'actions_storage', Name: 'box' },
    });
    expect(made.json.fileContainerResourceUrl).to.equal(`${bench.host.site.rootUrl}${base(job)}/${md5('box')}/upload`);
    expect((await put(job, 'box', 'box/a.txt', 'first ', { 'content-range': 'bytes 0-5/12' })).json).to.equal({
      message: 'success',
    });
    expect((await put(job, 'box', 'box/a.txt', 'second', { 'content-range': 'bytes 6-11/12' })).statusCode).to.equal(
      200,
    );
    const packed = gzipSync('packed text');
    const headers = { 'content-encoding': 'gzip', 'x-actions-results-md5': md5(packed, 'base64') };
    expect((await put(job, 'box', 'box\\deep\\b.txt', packed, headers)).statusCode).to.equal(200);
    expect((await bench.send('GET', base(job), { token: job.token })).statusCode, 'before its end').to.equal(404);
    expect((await finish(job, 'box')).json).to.equal({ message: 'success' });
    expect((await finish(job, 'box')).statusCode, 'again').to.equal(200);

    const list = (await bench.send('GET', base(job), { token: job.token })).json;
    expect([list.count, list.value[0].name]).to.equal([1, 'box']);
    const files = (await bench.send('GET', String(list.value[0].fileContainerResourceUrl), { token: job.token })).json
      .value;
    expect(files.map(({ path }: { path: string }) => path)).to.equal(['box/a.txt', 'box/deep/b.txt']);
    const [a, b] = await Promise.all(
      files.map(({ contentLocation }: { contentLocation: string }) =>
        bench.send('GET', contentLocation, { token: job.token }),
      ),
    );
    expect(a.payload).to.equal('first second');
    expect([b.headers['content-encoding'], b.rawPayload.equals(packed)]).to.equal(['gzip', true]);
    const of = await bench.host.services.get(runArtifacts).ofAttempt(job.run.id, job.attempt.id);
    expect(of.map(({ name, size }) => [name, size])).to.equal([['box', 12 + packed.length]]);
    expect((await bench.api('/artifacts')).json.artifacts, 'the API lists wholes only').to.equal([]);
  });

  it('leave nothing that is not what it says', async () => {
    const job = await bench.job();
    const { token } = job;
    expect(
      (await put(job, 'x', 'x/a', 'text', { 'x-actions-results-md5': md5('other', 'base64') })).statusCode,
    ).to.equal(400);
    expect((await put(job, 'x', 'x/a', 'text', { 'content-range': 'bytes 0-9/10' })).statusCode).to.equal(400);
    expect(
      (await put(job, 'x', 'x/a', 'text', { 'content-range': 'bytes 4-7/8' })).statusCode,
      'no first piece',
    ).to.equal(400);
    expect((await put(job, 'x', 'x/a', 'text', { 'content-range': 'nonsense' })).statusCode).to.equal(400);
    expect((await put(job, 'x', 'y/a', 'text')).statusCode, 'another name than its hash').to.equal(400);
    for (const path of ['x/../a', 'x//a', 'x/', 'x/a:b', 'x/a\nb', 'x/./a'])
      expect((await put(job, 'x', path, 'text')).statusCode, path).to.equal(400);
    expect((await bench.send('PATCH', base(job), { token })).statusCode).to.equal(400);
    expect((await bench.send('POST', base(job), { token, payload: { Name: 'a/b' } })).statusCode).to.equal(400);
    expect((await bench.send('POST', base(job), { payload: { Name: 'a' } })).statusCode).to.equal(401);
    expect((await bench.send('POST', base(job, 9999), { token, payload: { Name: 'a' } })).statusCode).to.equal(400);
    expect(await bench.host.database.query(ArtifactRow).where('run_id', job.run.id).resultSize()).to.equal(0);
    await put(job, 'x', 'x/hole', 'text', { 'content-range': 'bytes 0-3/12' });
    await put(job, 'x', 'x/hole', 'text', { 'content-range': 'bytes 8-11/12' });
    expect((await finish(job, 'x')).statusCode, 'a piece is missing').to.equal(400);
    expect((await bench.send('GET', base(job), { token })).statusCode).to.equal(404);
    const other = await bench.job();
    await put(job, 'y', 'y/a', 'text');
    await finish(job, 'y');
    const id = (await bench.host.database.query(ArtifactRow).findOne({ name: 'y' }))!.id;
    expect((await bench.send('GET', `${base(other)}/${id}/download`, { token: other.token })).statusCode).to.equal(400);
  });

  it('keep summaries of steps within their limits', async () => {
    const job = await bench.job({ steps: 3 });
    const address = (step: number, of = job) =>
      `/api/actions_pipeline/_apis/pipelines/workflows/${of.run.id}/jobs/${of.job.id}/steps/${step}/summary`;
    const put = (step: number, payload: string | Buffer, type = 'text/markdown', of = job) =>
      bench.send('PUT', address(step, of), { token: job.token, payload, headers: { 'content-type': type } });
    expect((await put(1, '# Done')).json).to.equal({ message: 'success', sizeBytes: 6, runAttempt: 1 });
    expect((await put(0, 'ü')).json).to.include({ sizeBytes: 2 });
    expect((await put(1, '## Better')).statusCode).to.equal(200);
    expect((await put(3, 'x')).statusCode, 'no such step').to.equal(400);
    expect((await put(0, 'x', 'text/html')).statusCode).to.equal(400);
    expect((await put(0, 'x', 'text/markdown', await bench.job())).statusCode, 'another run').to.equal(400);
    expect((await put(2, Buffer.alloc(1_048_570, 'x'))).statusCode, 'too much in sum').to.equal(400);
    expect((await put(2, Buffer.alloc(1_048_578, 'x'))).statusCode, 'too much for one').to.equal(413);
    const of = await bench.host.services.get(runArtifacts).summaries([job.job.id]);
    expect(of.map(({ step, content }) => [step, content])).to.equal([
      [0, 'ü'],
      [1, '## Better'],
    ]);
    expect((await put(1, '')).json).to.include({ message: 'cleared', sizeBytes: 0 });
    expect(await bench.host.database.query(SummaryRow).resultSize()).to.equal(1);
  });

  it('leave nothing behind that no row knows, whenever the server was killed', async () => {
    const job = await bench.job();
    await put(job, 'kept', 'kept/a', 'text');
    await finish(job, 'kept');
    await bench.host.settle();
    const folder = join(bench.host.workDir, 'data', 'storage', 'actions-artifacts');
    const kept = await bench.stored();
    await mkdir(join(folder, '05', '9'), { recursive: true });
    await writeFile(join(folder, '05', '9', 'aa'), 'stored, and then killed');
    const old = new Date(Date.now() - 2 * 86_400_000);
    for (const key of ['05/9/aa', ...kept]) await utimes(join(folder, key), old, old);
    await bench.night();
    expect(await bench.stored()).to.equal(kept);
    // killed after the rows of a deleted artifact were gone, before their content was
    await bench.host.database.write(() =>
      bench.host.database.query(OrphanBlobRow).insert({ area: 'actions-artifacts', key: kept[0]! }),
    );
    await bench.night();
    expect(await bench.stored()).to.equal(kept.slice(1));
  });
});

describe('artifacts from before there were attempts', { timeout: 120_000 }, () => {
  let bench: Bench;
  after(() => bench?.host.close());

  it('ACT-17: are of the first when their run runs again', async () => {
    bench = await Bench.start();
    const job = await bench.job();
    await bench.upload(job, 'early', 'x');
    await endTask(bench.host, job);
    const { database } = bench.host;
    const runId = job.run.id;
    await database.write(async () => {
      const knex = database.knex();
      await knex('action_artifact').where('run_id', runId).update({ run_attempt_id: 0 });
      for (const table of ['action_job', 'action_task'])
        await knex(table).where('run_id', runId).update({ run_attempt_id: 0, attempt: 0 });
      await knex('action_run').where('id', runId).update({ latest_attempt_id: 0 });
      await knex('action_run_attempt').where('run_id', runId).delete();
    });
    expect((await bench.api(`/runs/${runId}/rerun`, 'POST')).statusCode).to.equal(201);
    const attempts = (await database
      .knex()('action_run_attempt')
      .where('run_id', runId)
      .orderBy('number')
      .select('id', 'number')) as { id: number; number: number }[];
    expect(attempts.map(({ number }) => number)).to.equal([1, 2]);
    expect((await database.query(ArtifactRow).findOne({ run_id: runId }))?.run_attempt_id).to.equal(attempts[0]!.id);
  });
});
