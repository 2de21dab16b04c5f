import { createLocalJWKSet, jwtVerify, decodeProtectedHeader, type JSONWebKeySet } from 'jose';
import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { startHost, type TestHost } from '@mortise/plugin-sdk/testing';
import type { Account } from '@mortise/accounts/api';
import { createAccount } from '@mortise/accounts/testing';
import type { Repository } from '@mortise/repositories/api';
import { createRepository } from '@mortise/repositories/testing';
import { runtimeTokens } from '../api.js';
import { idTokenRequests } from '../contract/id-tokens.js';
import { endTask, makeTask, type TaskOptions } from './rows.js';

export const lab = Lab.script();
const { describe, it, before, after } = lab;

const secret = 'a secret of this site that is long enough';

describe('identity tokens of jobs', () => {
  let host: TestHost;
  let ada: Account;
  let repository: Repository;
  before(async () => {
    host = await startHost({ plugins: ['actions'], settings: { security: { SECRET_KEY: secret } } });
    ada = await createAccount(host, 'ada');
    repository = await createRepository(host, ada, 'mill');
  });
  after(() => host.close());

  const job = async (options: TaskOptions) => {
    const made = await makeTask(host, repository, options);
    const claims = { taskId: made.task.id, runId: made.run.id, jobId: made.job.id };
    return { ...made, ...(await host.services.get(idTokenRequests).requestOf(claims)) };
  };
  const ask = ({ url, token }: { url: string; token: string }, more = '') =>
    host.inject({ url: `${url}${more}`.replace(host.site.rootUrl, ''), headers: { authorization: `bearer ${token}` } });
  const keys = async () => {
    const { json } = await host.inject('/api/actions/.well-known/openid-configuration');
    const found = await host.inject(String(json.jwks_uri).replace(host.site.rootUrl, ''));
    return { issuer: String(json.issuer), set: found.json as JSONWebKeySet };
  };

  it('are checked with what the site publishes, and say whose job it is', async () => {
    const made = await job({ mayIdentify: true, ref: 'refs/heads/topic' });
    const answer = await ask(made, '&audience=sts.example.com');
    expect([answer.statusCode, answer.headers['cache-control']]).to.equal([200, 'no-store']);
    const { issuer, set } = await keys();
    expect(issuer).to.equal(`${host.site.rootUrl}/api/actions`);
    expect(Object.keys(set.keys[0]!).sort()).to.equal(['alg', 'e', 'kid', 'kty', 'n', 'use']);
    const value = String(answer.json.value);
    const { payload } = await jwtVerify(value, createLocalJWKSet(set), { issuer, audience: 'sts.example.com' });
    expect(payload).to.include({
      sub: 'repo:ada/mill:ref:refs/heads/topic',
      repository: 'ada/mill',
      repository_owner: 'ada',
      repository_visibility: 'public',
      ref: 'refs/heads/topic',
      ref_type: 'branch',
      sha: made.run.commit_sha,
      workflow: 'build.yml',
      workflow_ref: 'ada/mill/.gitea/workflows/build.yml@refs/heads/topic',
      job: 'test',
      actor: 'ada',
      event_name: 'push',
      run_id: String(made.run.id),
      run_attempt: '1',
      runner_environment: 'self-hosted',
    });
    expect(payload.exp! - payload.iat!).to.be.at.most(600);
    expect(decodeProtectedHeader(value)).to.equal({ alg: 'RS256', kid: set.keys[0]!.kid!, typ: 'JWT' });
    const plain = await jwtVerify(String((await ask(made)).json.value), createLocalJWKSet(set));
    expect(plain.payload.aud).to.equal(`${host.site.rootUrl}/ada`);
    expect(plain.payload.jti).to.not.equal(payload.jti);
  });

  it('name the pull request and its branches', async () => {
    const pull_request = { head: { ref: 'topic' }, base: { ref: 'main' } };
    const options = { mayIdentify: true, ref: 'refs/pull/3/head', event: 'pull_request', payload: { pull_request } };
    const { set } = await keys();
    const { payload } = await jwtVerify(String((await ask(await job(options))).json.value), createLocalJWKSet(set));
    expect(payload).to.include({
      sub: 'repo:ada/mill:pull_request',
      head_ref: 'topic',
      base_ref: 'main',
      ref_type: '',
    });
  });

  it('are for running jobs that may have one', async () => {
    expect((await ask(await job({}))).statusCode, 'without the permission').to.equal(403);
    const outside = await job({ mayIdentify: true, isFork: true, event: 'pull_request' });
    expect((await ask(outside)).statusCode, "an outsider's pull request").to.equal(403);
    const made = await job({ mayIdentify: true });
    expect((await ask({ ...made, token: `${made.token}x` })).statusCode).to.equal(401);
    expect((await ask({ ...made, token: '' })).statusCode).to.equal(401);
    await endTask(host, made);
    expect((await ask(made)).statusCode).to.equal(401);
  });

  it('stay checkable after a restart', async () => {
    const before = (await keys()).set;
    host = await host.restart();
    expect((await keys()).set).to.equal(before);
    host = await host.restart({ settings: { security: { SECRET_KEY: `another: ${secret}` } } });
    const { set } = await keys();
    expect(set.keys[0]!.kid, 'after a change of the secret').to.not.equal(before.keys[0]!.kid);
    const value = String((await ask(await job({ mayIdentify: true }))).json.value);
    await expect(jwtVerify(value, createLocalJWKSet(set))).to.not.reject();
  });

  it('come from tokens that nobody else can make', async () => {
    const made = await makeTask(host, repository, { mayIdentify: true });
    const tokens = host.services.get(runtimeTokens);
    const claims = { taskId: made.task.id, runId: made.run.id, jobId: made.job.id };
    const first = await tokens.issue(claims);
    expect(await tokens.issue({ ...claims, taskId: claims.taskId + 1 })).to.not.equal(first);
    expect(await tokens.read(first)).to.equal(claims);
    const [header, body, signature] = first.split('.');
    const content = JSON.parse(Buffer.from(body!, 'base64url').toString()) as Record<string, unknown>;
    expect(content).to.include({ scp: `Actions.Results:${made.run.id}:${made.job.id}`, TaskID: made.task.id });
    expect(content.ac).to.equal('[{"Scope":"","Permission":2}]');
    const changed = Buffer.from(JSON.stringify({ ...content, TaskID: 1 })).toString('base64url');
    const none = Buffer.from('{"alg":"none"}').toString('base64url');
    for (const token of [`${header}.${changed}.${signature}`, `${none}.${body}.`, 'x', 'a.b.c', ''])
      expect(await tokens.read(token), token).to.be.undefined();
    const wrongRun = await tokens.issue({ ...claims, runId: claims.runId + 1 });
    const url = '/api/actions/_apis/id-token?api-version=2.0';
    expect((await ask({ url, token: wrongRun })).statusCode).to.equal(401);
  });
});
