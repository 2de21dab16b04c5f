import { createHash } from 'node:crypto';
import { gzipSync, inflateRawSync } from 'node:zlib';
import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { actorOf, createAccount } from '@mortise/accounts/testing';
import { catalogueProblems, pageIn, submitForm, type TestClient } from '@mortise/plugin-sdk/testing';
import { ArtifactRow } from '../models/artifact.js';
import { t } from '../texts/index.js';
import { Bench, type Job } from './kit.js';

export const lab = Lab.script();
const { describe, it, before, after } = lab;
const zip = Buffer.from('PK whatever is stored');

/** Files of an archive by name; every one is packed. */
function filesOf(archive: Buffer): Record<string, string> {
  const files: Record<string, string> = {};
  for (let at = archive.indexOf('PK\x01\x02'); at >= 0; at = archive.indexOf('PK\x01\x02', at + 4)) {
    const [packed, length] = [archive.readUInt32LE(at + 20), archive.readUInt16LE(at + 28)];
    const start = archive.readUInt32LE(at + 42);
    const body = start + 30 + archive.readUInt16LE(start + 26) + archive.readUInt16LE(start + 28);
    const name = archive.toString('utf8', at + 46, at + 46 + length);
    files[name] = inflateRawSync(archive.subarray(body, body + packed)).toString();
  }
  return files;
}

describe('artifacts and summaries on the page of a run', { timeout: 120_000 }, () => {
  let bench: Bench;
  let job: Job;
  let own: string;
  let ada: TestClient;
  let ben: TestClient;
  before(async () => {
    bench = await Bench.start();
    job = await bench.job({ steps: 2 });
    own = `/ada/mill/actions/runs/${job.run.id}`;
    ada = bench.host.as(actorOf(bench.host, bench.ada));
    ben = bench.host.as(actorOf(bench.host, await createAccount(bench.host, 'ben')));
  });
  after(() => bench?.host.close());
  const state = async () => (await ada.inject({ method: 'POST', url: own, payload: {} })).json;
  const older = async (name: string, path: string, content: string | Buffer, headers = {}) => {
    const base = `/api/actions_pipeline/_apis/pipelines/workflows/${job.run.id}/artifacts`;
    const hash = createHash('md5').update(name).digest('hex');
    await bench.send('PUT', `${base}/${hash}/upload?itemPath=${encodeURIComponent(`${name}/${path}`)}`, {
      token: job.token,
      payload: content,
      headers: { 'content-type': 'application/octet-stream', ...headers },
    });
    return () => bench.send('PATCH', `${base}?artifactName=${name}`, { token: job.token, payload: { Size: 1 } });
  };

  it('the catalogues agree with each other', () => {
    expect(catalogueProblems(t.catalogue)).to.equal([]);
  });

  it('an artifact is listed, downloaded and deleted', async () => {
    await bench.upload(job, 'a b', zip);
    await bench.artifact(job, 'CreateArtifact', { name: 'unfinished', version: 4 });
    const html = (await ada.inject(own)).payload;
    expect(html).to.include([`${own}/artifacts/a%20b?attempt=1`, `${own}/artifacts/a%20b/delete`]);
    expect(html).not.to.include('unfinished');
    expect((await ben.inject(own)).payload)
      .to.include('a%20b?attempt=1')
      .and.not.to.include('a%20b/delete');
    expect(await pageIn(ada, 'de', own)).to.include('Artefakte');
    expect(await pageIn(ada, 'zh-CN', own)).to.include('产物');
    const { artifacts } = await state();
    expect(artifacts).to.have.length(1);
    expect(artifacts[0]).to.include({ name: 'a b', size: zip.length, status: 'completed' });
    const got = await ben.inject(`${own}/artifacts/a%20b?attempt=1`);
    expect([got.statusCode, got.rawPayload.equals(zip)]).to.equal([200, true]);
    expect(got.headers['content-disposition']).to.include('attachment');
    expect((await ben.inject(`${own}/artifacts/a%20b`)).statusCode).to.equal(200);
    for (const path of ['a%20b?attempt=2', 'unfinished', 'other'])
      expect((await ada.inject(`${own}/artifacts/${path}`)).statusCode, path).to.equal(404);
    expect((await ada.inject(`/ada/mill/actions/runs/999/artifacts/a%20b`)).statusCode).to.equal(404);
    expect((await submitForm(ben, `${own}/artifacts/a%20b/delete`, { attempt: '1' })).statusCode).to.equal(403);
    const gone = await submitForm(ada, `${own}/artifacts/a%20b/delete`, { attempt: '1' });
    expect([gone.statusCode, gone.headers.location]).to.equal([303, `${own}/attempts/1`]);
    expect((await state()).artifacts).to.equal([]);
    expect(await bench.host.database.query(ArtifactRow).where('name', 'unfinished')).to.have.length(1);
  });

  it('an artifact of several files comes as an archive of what they were', async () => {
    await older('box', 'a.txt', 'first');
    const finish = await older('box', 'deep/b.txt', gzipSync('packed'), { 'content-encoding': 'gzip' });
    await finish();
    const got = await ada.inject(`${own}/artifacts/box`);
    expect(got.headers['content-type']).to.include('application/zip');
    expect(filesOf(got.rawPayload)).to.equal({ 'a.txt': 'first', 'deep/b.txt': 'packed' });
    expect((await ben.inject({ method: 'DELETE', url: `${own}/artifacts/box` })).statusCode).to.equal(403);
    expect((await ada.inject({ method: 'DELETE', url: `${own}/artifacts/box` })).statusCode).to.equal(204);
    expect((await ada.inject(`${own}/artifacts/box`)).statusCode).to.equal(404);
  });

  it('summaries are rendered, and nothing of them runs', async () => {
    const address = `/api/actions_pipeline/_apis/pipelines/workflows/${job.run.id}/jobs/${job.job.id}/steps`;
    for (const [step, text] of ['# Results\n\n<script>bad()</script>', '**good**'].entries()) {
      const headers = { 'content-type': 'text/markdown' };
      const put = await bench.send('PUT', `${address}/${step}/summary`, { token: job.token, payload: text, headers });
      expect(put.statusCode).to.be.below(300);
    }
    const html = (await ben.inject(own)).payload;
    expect(html).to.include(['Results', '<strong>good</strong>']).and.not.to.include('bad()</script>');
    const [summary] = (await state()).state.run.jobSummaries;
    expect(summary).to.include({ jobId: job.job.id, jobName: job.job.name });
    expect(summary.html).to.include('<strong>good</strong>').and.not.to.include('<script');
  });
});
