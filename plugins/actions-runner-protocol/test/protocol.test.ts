import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { create, fromBinary, toBinary } from '@bufbuild/protobuf';
import { startHost, type TestHost } from '@mortise/plugin-sdk/testing';
import { signUp, type SignedIn } from '@mortise/accounts/testing';
import { ownerScope, registrationTokens, siteScope, statusNumbers, taskIdentities } from '@mortise/actions/api';
import { PingRequestSchema, PingResponseSchema } from '../schema/index.js';
import { call, JsonRunner } from './kit.js';

export const lab = Lab.script();
const { describe, it, before, after } = lab;

const flow = (name: string, more = '') =>
  `on: workflow_dispatch\nname: ${name}\njobs:\n  one:\n    runs-on: linux\n${more}    steps:\n      - name: look\n        run: echo a\n      - run: echo b\n`;

describe('the protocol of runners', () => {
  let host: TestHost;
  let ada: SignedIn;
  const api = '/api/v1/repos/ada/mill';

  const send = async (method: string, url: string, payload?: object) => {
    const answer = await ada.inject({ method, url, ...(payload && { payload }) });
    if (answer.statusCode >= 400) throw new Error(`${method} ${url}: ${answer.statusCode} ${answer.payload}`);
    return answer.json;
  };
  const start = async (file = 'a.yml') => {
    await send('POST', `${api}/actions/workflows/${file}/dispatches`, { ref: 'main' });
    await host.settle();
  };
  const scope = () => ownerScope(ada.account.id);

  before(async () => {
    host = await startHost({ plugins: ['actions-runner-protocol', 'files', 'refs', 'git-http', 'packages', 'stars'] });
    ada = await signUp(host, 'ada');
    await send('POST', '/api/v1/user/repos', { name: 'mill', auto_init: true, default_branch: 'main', private: true });
    const files = {
      'a.yml': flow('a'),
      'reads.yml': flow('reads', '    permissions:\n      issues: write\n'),
      'looks.yml': flow('looks', '    permissions:\n      issues: read\n      contents: write\n'),
    };
    for (const [name, text] of Object.entries(files))
      await send('POST', `${api}/contents/.gitea/workflows/${name}`, {
        content: Buffer.from(text).toString('base64'),
        branch: 'main',
      });
    await host.settle();
  });
  after(() => host?.close());

  it('answers in JSON and in bytes', async () => {
    const json = await call(host, 'Ping', { data: 'here' }, {}, 'ping.v1.PingService');
    expect(json.json.data).to.equal('Hello, here!');
    expect(String(json.headers['content-type'])).to.equal('application/json');
    const answer = await host.inject({
      method: 'POST',
      url: '/api/actions/ping.v1.PingService/Ping',
      payload: Buffer.from(toBinary(PingRequestSchema, create(PingRequestSchema, { data: 'there' }))),
      headers: { 'content-type': 'application/proto', 'connect-protocol-version': '1' },
    });
    expect(fromBinary(PingResponseSchema, answer.rawPayload).data).to.equal('Hello, there!');
    const none = await call(host, 'Guess', {});
    expect(none.status).to.equal(404);
  });

  it('ACT-71: takes in runners with a token that holds, and knows them by their secret', async () => {
    const tokens = host.services.get(registrationTokens);
    const old = await tokens.current(siteScope);
    const token = await tokens.reset(siteScope);
    for (const [given, words] of [
      [{ token }, 'missing runner token, name'],
      [{ name: 'x' }, 'missing runner token, name'],
      [{ name: 'x', token: 'y'.repeat(40) }, 'runner registration token not found'],
      [{ name: 'x', token: old }, 'runner registration token has been invalidated, please use the latest one'],
    ] as const) {
      const refused = await call(host, 'Register', given);
      expect([refused.status, refused.json.message]).to.equal([400, words]);
    }
    const made = await call(host, 'Register', { name: 'x', token, labels: ['linux'], version: 'v1.0.8' });
    expect(made.json.runner.token).to.match(/^[0-9a-f]{40}$/);
    const { uuid, token: secret } = made.json.runner;
    for (const headers of [
      {},
      { 'x-runner-uuid': uuid, 'x-runner-token': 'f'.repeat(40) },
      { 'x-runner-uuid': '00000000-0000-4000-8000-000000000000', 'x-runner-token': secret },
    ]) {
      const refused = await call(host, 'FetchTask', {}, headers as Record<string, string>);
      expect([refused.status, refused.json]).to.equal([
        401,
        { code: 'unauthenticated', message: 'unregistered runner' },
      ]);
    }
    const declared = await call(
      host,
      'Declare',
      { version: 'v2', labels: ['slow'] },
      { 'x-runner-uuid': uuid, 'x-runner-token': secret },
    );
    expect(declared.json.runner).to.include({ version: 'v2', labels: ['slow'] });
    expect(declared.headers['x-gitea-actions-capabilities']).to.equal('job-summary');
  });

  it('gives a job once, keeps its reports and its log, and ends it once', async () => {
    const one = await JsonRunner.make(host, scope());
    const other = await JsonRunner.make(host, scope(), { name: 'other' });
    const metal = await JsonRunner.make(host, scope(), { name: 'metal', labels: ['metal'] });
    expect(await one.take()).to.be.undefined();
    await start();
    expect(await metal.take()).to.be.undefined();
    const [first, second] = await Promise.all([one.take(), other.take()]);
    expect([first, second].filter(Boolean)).to.have.length(1);
    const [runner, task] = first ? [one, first] : [other, second!];
    const stranger = first ? other : one;
    expect(task.context).to.include({ repository: 'ada/mill', job: 'one', event_name: 'workflow_dispatch' });
    expect(task.secrets.GITHUB_TOKEN).to.equal(task.context.token);
    expect(Buffer.from(task.workflowPayload, 'base64').toString()).to.include('echo b');

    expect((await stranger.report(task, 'SUCCESS')).status).to.equal(404);
    expect(await stranger.log(task, 0, ['x'])).to.equal(-404);
    expect(await runner.log(task, 0, ['one', 'two'])).to.equal(2);
    expect(await runner.log(task, 1, ['two', 'three'])).to.equal(3);
    expect(await runner.log(task, 9, ['ten'])).to.equal(3);
    const steps = [
      {
        result: 'RESULT_SUCCESS',
        startedAt: '2026-01-01T00:00:00Z',
        stoppedAt: '2026-01-01T00:00:01Z',
        logLength: '2',
      },
      { id: '1', startedAt: '2026-01-01T00:00:01Z' },
    ];
    const told = await runner.report(task, undefined, { steps }, { size: '7' });
    expect([told.json.state.result, told.json.sentOutputs]).to.equal([undefined, ['size']]);
    const again = await runner.report(task, undefined, {}, { size: '8', ['n'.repeat(256)]: 'x' });
    expect(again.json.sentOutputs).to.equal(['size']);
    expect(await runner.log(task, 3, ['four'], true)).to.equal(4);
    expect(await runner.log(task, 4, ['five'])).to.equal(-409);
    expect((await runner.report(task, 'FAILURE')).json.state.result).to.equal('RESULT_FAILURE');
    expect((await runner.report(task, 'SUCCESS')).json.state.result).to.equal('RESULT_FAILURE');
    const jobs = (await send('GET', `${api}/actions/jobs`)).jobs;
    expect(jobs[0]).to.include({ status: 'completed', conclusion: 'failure' });
    expect(jobs[0].steps.map((step: { conclusion: string }) => step.conclusion)).to.equal(['success', 'failure']);
  });

  it('holds a call while nothing changes, and answers when something does', async () => {
    const runner = await JsonRunner.make(host, scope());
    const version = (await runner.call('FetchTask', {})).json.tasksVersion;
    expect(Number(version)).to.be.above(0);
    const held = runner.take(Number(version));
    await start();
    const task = await held;
    expect(task).not.to.be.undefined();
    await runner.report(task!, 'SUCCESS');
  });

  it('ACT-72: a token of a task does what the workflow allows, as long as the task runs', async () => {
    const runner = await JsonRunner.make(host, scope());
    await start('reads.yml');
    const task = (await runner.take())!;
    const token = task.context.token!;
    const may = async (method: string, path: string, payload?: object, authorization = `token ${token}`) =>
      (await host.inject({ method, url: path, headers: { authorization }, ...(payload && { payload }) })).statusCode;
    expect(await may('GET', api)).to.equal(200);
    expect(await may('GET', `${api}/contents/README.md`)).to.equal(403);
    expect(await may('POST', `${api}/issues`, { title: 'by a job' })).to.equal(201);
    expect(await may('PATCH', api, { description: 'x' })).to.equal(403);
    expect(await may('POST', '/api/v1/user/repos', { name: 'x' })).to.equal(403);
    expect(await may('PUT', `${api}/subscription`)).to.equal(403);
    expect(await may('PUT', '/api/v1/user/following/ada')).to.equal(403);
    expect(await may('GET', '/api/v1/admin/actions/runners')).to.equal(403);
    expect(await may('GET', '/api/v1/user')).to.equal(200);
    expect(await may('GET', api, undefined, `Bearer ${task.context.gitea_runtime_token}`)).to.equal(200);
    const basic = (name: string, password: string) => `Basic ${Buffer.from(`${name}:${password}`).toString('base64')}`;
    expect(await may('GET', api, undefined, basic('x', token))).to.equal(200);
    expect(await may('GET', api, undefined, basic(token, ''))).to.equal(200);
    const identities = host.services.get(taskIdentities);
    expect((await identities.byToken(token))?.status).to.equal(statusNumbers.running);
    await runner.report(task, 'SUCCESS');
    expect(await identities.byToken(token)).to.be.undefined();
    expect(await may('GET', api)).to.equal(401);
    expect(await may('GET', api, undefined, `Bearer ${task.context.gitea_runtime_token}`)).to.equal(401);
  });

  it('ACT-72: of a pull request from elsewhere it reads code alone, whatever the workflow declares', async () => {
    const runner = await JsonRunner.make(host, scope());
    await start('a.yml');
    await start('looks.yml');
    for (const task of [(await runner.take())!, (await runner.take())!]) {
      const { database } = host;
      await database.write(() => database.knex()('action_task').where('id', task.id).update({ is_fork: true }));
      const may = async (method: string, url: string, payload?: object) => {
        const headers = { authorization: `token ${task.context.token}` };
        return (await host.inject({ method, url, headers, ...(payload && { payload }) })).statusCode;
      };
      expect(await may('GET', `${api}/contents/README.md`)).to.equal(200);
      const file = { content: 'eA==', branch: 'main' };
      for (const [method, path, payload] of [
        ['POST', '/contents/x.txt', file],
        ['POST', '/branches', { new_branch_name: 'x', old_branch_name: 'main' }],
        ['GET', '/actions/runners', undefined],
        ['PATCH', '', { description: 'x' }],
        ['PUT', '/actions/secrets/X', { data: 'x' }],
      ] as const)
        expect(await may(method, `${api}${path}`, payload), `${method} ${path}`).to.equal(403);
      expect(await may('GET', `${api}/issues`), 'a unit that it may not read').to.be.within(403, 404);
      expect(await may('POST', `${api}/issues`, { title: 'x' }), 'nor write').to.equal(404);
      await runner.report(task, 'SUCCESS');
    }
  });

  it('ACT-72: what everybody may write in the open, a job may where writing was given to it', async () => {
    const ben = await signUp(host, 'ben');
    const open = '/api/v1/repos/ben/open';
    await ben.inject({ method: 'POST', url: '/api/v1/user/repos', payload: { name: 'open' } });
    await ben.inject({ method: 'POST', url: `${open}/issues`, payload: { title: 'one' } });
    const runner = await JsonRunner.make(host, scope());
    await start('reads.yml');
    await start('looks.yml');
    const [writes, looks] = [(await runner.take())!, (await runner.take())!];
    const ask = (task: typeof writes, method: string, url: string, payload?: object) =>
      host.inject({
        method,
        url,
        headers: { authorization: `token ${task.context.token}` },
        ...(payload && { payload }),
      });
    const own = (await ask(writes, 'POST', `${api}/issues`, { title: 'by a job' })).json.number as number;
    const note = (await ask(writes, 'POST', `${api}/issues/${own}/comments`, { body: 'x' })).json.id as number;
    expect((await ask(writes, 'PATCH', `${api}/issues/comments/${note}`, { body: 'y' })).statusCode).to.equal(200);
    expect((await ask(writes, 'GET', `${open}/issues/1`)).statusCode).to.equal(200);
    expect((await ask(looks, 'GET', `${api}/issues/comments/${note}`)).statusCode).to.equal(200);
    for (const [task, method, path, payload] of [
      [writes, 'POST', `${open}/issues`, { title: 'x' }],
      [writes, 'POST', `${open}/issues/1/comments`, { body: 'x' }],
      [writes, 'POST', `${open}/issues/1/reactions`, { content: '+1' }],
      [looks, 'POST', `${api}/issues`, { title: 'x' }],
      [looks, 'PATCH', `${api}/issues/${own}`, { title: 'x' }],
      [looks, 'POST', `${api}/issues/${own}/comments`, { body: 'x' }],
      [looks, 'PATCH', `${api}/issues/comments/${note}`, { body: 'x' }],
      [looks, 'DELETE', `${api}/issues/comments/${note}`, undefined],
    ] as const)
      expect((await ask(task, method, path, payload)).statusCode, `${method} ${path}`).to.equal(403);
    for (const task of [writes, looks]) await runner.report(task, 'SUCCESS');
  });

  it('gives an ephemeral runner one task, and nothing to one that is switched off', async () => {
    const brief = await JsonRunner.make(host, scope(), { name: 'brief', ephemeral: true });
    await start();
    await start();
    const task = await brief.take();
    expect(task).not.to.be.undefined();
    expect(await brief.take()).to.be.undefined();
    const off = await JsonRunner.make(host, scope(), { name: 'off' });
    await send('PATCH', `/api/v1/user/actions/runners/${off.id}`, { disabled: true });
    expect(await off.take()).to.be.undefined();
    await brief.report(task!, 'SUCCESS');
    expect((await brief.call('FetchTask', {})).status).to.equal(401);
    await send('PATCH', `/api/v1/user/actions/runners/${off.id}`, { disabled: false });
    const left = await off.take();
    expect(left).not.to.be.undefined();
    await off.report(left!, 'SUCCESS');
  });
});
