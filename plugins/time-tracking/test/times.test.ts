import { expect } from '@hapi/code';
import * as Lab from '@hapi/lab';
import { startHost, submitForm, type TestClient, type TestHost } from '@mortise/plugin-sdk/testing';
import { signUp } from '@mortise/accounts/testing';
import { repositories } from '@mortise/repositories/api';

export const lab = Lab.script();
const { describe, it, before, after } = lab;

describe('tracked times', () => {
  let host: TestHost;
  let ada: TestClient;
  let ben: TestClient;
  let cas: TestClient;
  const api = '/api/v1/repos/ada/desk';
  const send = async <T = unknown>(by: Pick<TestClient, 'inject'>, method: string, url: string, payload?: object) => {
    const answer = await by.inject({ method: method as 'GET', url, ...(payload && { payload }) });
    return { status: answer.statusCode, body: (answer.payload ? JSON.parse(answer.payload) : undefined) as T };
  };
  const open = async () =>
    (await send<{ number: number }>(ada, 'POST', `${api}/issues`, { title: 'A title' })).body.number;
  const times = async (index: number, by = ada) =>
    (await send<{ time: number; user_name: string }[]>(by, 'GET', `${api}/issues/${index}/times`)).body.map(
      (one) => `${one.user_name} ${one.time}`,
    );
  const running = async (by: TestClient) =>
    (await send<{ issue_index: number }[]>(by, 'GET', '/api/v1/user/stopwatches')).body.map((one) => one.issue_index);

  before(async () => {
    host = await startHost({ plugins: ['time-tracking'] });
    [ada, ben, cas] = [await signUp(host, 'ada'), await signUp(host, 'ben'), await signUp(host, 'cas')];
    await send(ada, 'POST', '/api/v1/user/repos', { name: 'desk' });
    await send(ada, 'PUT', `${api}/collaborators/ben`, { permission: 'write' });
  });
  after(() => host.close());

  it('are seen whole by those who may write, and deleted by whose they are', async () => {
    const index = await open();
    const at = `${api}/issues/${index}/times`;
    const mine = (await send<{ id: number }>(ada, 'POST', at, { time: 90 })).body.id;
    await send(ada, 'POST', at, { time: 25, user_name: 'ben' });
    await send(ben, 'POST', at, { time: 30, user_name: 'ada' });
    expect(await times(index)).to.equal(['ada 90', 'ben 25', 'ben 30']);
    expect(await times(index, cas)).to.equal([]);
    expect((await send(cas, 'GET', `${at}?user=ben`)).status).to.equal(403);
    expect((await send(cas, 'POST', at, { time: 5 })).status).to.equal(403);
    expect((await send(ben, 'DELETE', `${at}/${mine}`)).status).to.equal(403);
    const both = await Promise.all([send(ada, 'DELETE', `${at}/${mine}`), send(ada, 'DELETE', `${at}/${mine}`)]);
    expect(both.map(({ status }) => status).sort()).to.equal([204, 404]);
    expect((await send(ben, 'DELETE', at)).status).to.equal(204);
    expect((await send(ben, 'DELETE', at)).status).to.equal(404);
    for (const time of [0, -5, 1.5, 3e9, 'x']) expect((await send(ada, 'POST', at, { time })).status).to.equal(422);
    expect(await times(index)).to.equal([]);
  });

  it('ISS-17 to ISS-19: one stopwatch runs at a time, and stopping keeps its time once', async () => {
    const [one, two] = [await open(), await open()];
    const watch = (index: number, what: string) =>
      send(ada, what === 'delete' ? 'DELETE' : 'POST', `${api}/issues/${index}/stopwatch/${what}`);
    const started = await Promise.all([watch(one, 'start'), watch(one, 'start')]);
    expect(started.map(({ status }) => status).sort()).to.equal([201, 409]);
    expect((await watch(two, 'start')).status).to.equal(201);
    expect(await running(ada)).to.equal([two]);
    expect(await times(one)).to.have.length(1);
    const stopped = await Promise.all([watch(two, 'stop'), watch(two, 'stop')]);
    expect(stopped.map(({ status }) => status).sort()).to.equal([201, 409]);
    expect(await times(two)).to.have.length(1);
    await watch(one, 'start');
    expect((await watch(one, 'delete')).status).to.equal(204);
    expect((await watch(one, 'delete')).status).to.equal(409);
    expect(await times(one)).to.have.length(1);
    await watch(one, 'start');
    await send(ada, 'PATCH', `${api}/issues/${one}`, { state: 'closed' });
    expect(await running(ada)).to.equal([]);
  });

  it('of repositories that one may not read any more are told to nobody', async () => {
    await send(ada, 'POST', '/api/v1/user/repos', { name: 'vault', private: true });
    const vault = '/api/v1/repos/ada/vault';
    await send(ada, 'POST', `${vault}/issues`, { title: 'Secret plans' });
    await send(ada, 'PUT', `${vault}/collaborators/cas`, { permission: 'write' });
    await send(cas, 'POST', `${vault}/issues/1/times`, { time: 60 });
    await send(cas, 'POST', `${vault}/issues/1/stopwatch/start`);
    const own = async () => JSON.stringify((await send(cas, 'GET', '/api/v1/user/times')).body);
    expect(await own()).to.contain('Secret plans');
    await send(ada, 'DELETE', `${vault}/collaborators/cas`);
    expect(await own()).to.equal('[]');
    expect(await running(cas)).to.equal([]);
    const before = (await send<unknown[]>(ada, 'GET', `${vault}/times`)).body.length;
    await send(ada, 'PUT', `${api}/collaborators/cas`, { permission: 'write' });
    expect((await send(cas, 'POST', `${api}/issues/1/stopwatch/start`)).status).to.equal(201);
    expect((await send<unknown[]>(ada, 'GET', `${vault}/times`)).body).to.have.length(before);
    await send(ada, 'DELETE', `${api}/collaborators/cas`);
  });

  it('are off where the repository says so', async () => {
    const index = await open();
    const tracker = {
      enable_time_tracker: false,
      allow_only_contributors_to_track_time: true,
      enable_issue_dependencies: true,
    };
    await send(ada, 'PATCH', api, { has_issues: true, internal_tracker: tracker });
    expect((await send(ada, 'GET', `${api}/issues/${index}/times`)).status).to.equal(404);
    expect((await send(ada, 'POST', `${api}/issues/${index}/times`, { time: 5 })).status).to.equal(400);
    expect((await send(ada, 'POST', `${api}/issues/${index}/stopwatch/start`)).status).to.equal(400);
  });

  it('takes nothing in an archived repository, where a stopwatch can still be discarded', async () => {
    const tracker = { enable_time_tracker: true, allow_only_contributors_to_track_time: true };
    await send(ada, 'PATCH', api, { has_issues: true, internal_tracker: tracker });
    const { body } = await send<{ number: number }>(ada, 'POST', `${api}/issues`, { title: 'Kept' });
    const one = `${api}/issues/${body.number}`;
    const { body: time } = await send<{ id: number }>(ada, 'POST', `${one}/times`, { time: 60 });
    await send(ada, 'POST', `${one}/stopwatch/start`);
    await send(ada, 'PATCH', api, { archived: true });
    const changes = [
      ['POST', '/times', { time: 5 }],
      ['DELETE', `/times/${time.id}`],
      ['DELETE', '/times'],
      ['POST', '/stopwatch/start'],
      ['POST', '/stopwatch/stop'],
    ] as const;
    for (const [method, path, payload] of changes)
      expect((await send(ada, method, `${one}${path}`, payload)).status, path).to.equal(423);
    expect((await send(ada, 'DELETE', `${one}/stopwatch/delete`)).status).to.equal(204);
    await send(ada, 'PATCH', api, { archived: false });
  });

  it('is switched on and off in the settings of the repository, as are dependencies', async () => {
    const settings = '/ada/desk/settings';
    expect((await ada.inject(settings)).payload).to.include([
      'Enable time tracking',
      'Only contributors can track time',
      'Enable issue dependencies',
    ]);
    const choose = async (more: Record<string, string>) => {
      const form = { action: 'units', has_code: 'on', has_issues: 'on', ...more };
      expect((await submitForm(ada, settings, form)).statusCode).to.equal(303);
      return (await send<{ internal_tracker: object }>(ada, 'GET', api)).body.internal_tracker;
    };
    expect(await choose({ issue_options: '1', enable_issue_dependencies: 'on' })).to.equal({
      enable_time_tracker: false,
      allow_only_contributors_to_track_time: false,
      enable_issue_dependencies: true,
    });
    // a form without them leaves them as they are
    expect(await choose({})).to.include({ enable_time_tracker: false, enable_issue_dependencies: true });
    expect(await choose({ issue_options: '1', enable_time_tracker: 'on' })).to.include({
      enable_time_tracker: true,
      enable_issue_dependencies: false,
    });
    await choose({ issue_options: '1', enable_time_tracker: 'on', enable_issue_dependencies: 'on' });
  });

  it('the box beside an issue starts and stops a stopwatch, takes times and an estimate', async () => {
    const tracker = { enable_time_tracker: true, allow_only_contributors_to_track_time: true };
    await send(ada, 'PATCH', api, { has_issues: true, internal_tracker: tracker });
    const { body } = await send<{ number: number }>(ada, 'POST', `${api}/issues`, { title: 'Timed' });
    const one = `/ada/desk/issues/${body.number}`;
    const page = async (by = ada) => (await by.inject(one)).payload;
    expect(await page()).to.include('Start stopwatch');
    expect((await submitForm(ada, `${one}/stopwatch`, { action: 'start' })).statusCode).to.equal(303);
    expect(await page()).to.include(['Stop stopwatch', 'started to work']);
    await submitForm(ada, `${one}/stopwatch`, { action: 'stop' });
    await submitForm(ada, `${one}/times`, { hours: '1', minutes: '30' });
    await submitForm(ada, `${one}/estimate`, { hours: '2', minutes: '' });
    expect(await page()).to.include(['1 h 30 min', '2 h 0 min', '1 hour 30 minutes']);
    expect((await submitForm(ada, `${one}/times`, { hours: 'x', minutes: '' })).statusCode).to.equal(422);
    expect((await submitForm(cas, `${one}/times`, { hours: '1', minutes: '' })).statusCode).to.equal(403);
  });
});

describe('issue 30: options of issues that the site wants otherwise', () => {
  it('are those of new repositories, and of issues that are switched on again', async () => {
    const service = {
      DEFAULT_ENABLE_TIMETRACKING: false,
      DEFAULT_ALLOW_ONLY_CONTRIBUTORS_TO_TRACK_TIME: false,
      DEFAULT_ENABLE_DEPENDENCIES: false,
    };
    const repository = { DEFAULT_CLOSE_ISSUES_VIA_COMMITS_IN_ANY_BRANCH: true };
    const host = await startHost({ plugins: ['time-tracking'], settings: { service, repository } });
    try {
      const ada = await signUp(host, 'ada');
      const send = (method: string, url: string, payload: object) =>
        ada.inject({ method: method as 'GET', url: `/api/v1${url}`, payload });
      const off = {
        enable_time_tracker: false,
        allow_only_contributors_to_track_time: false,
        enable_issue_dependencies: false,
      };
      expect((await send('POST', '/user/repos', { name: 'desk' })).json.internal_tracker).to.equal(off);
      const made = await host.services.get(repositories).byPath('ada', 'desk');
      const config = made!.units.find(({ key }) => key === 'issues')!.config;
      expect(config).to.equal({ ...off, close_issues_via_commit_in_any_branch: true });
      const api = '/repos/ada/desk';
      await send('POST', `${api}/issues`, { title: 'A title' });
      expect((await send('POST', `${api}/issues/1/times`, { time: 5 })).statusCode).to.equal(400);
      const internal_tracker = { ...off, enable_time_tracker: true };
      const chosen = await send('PATCH', api, { internal_tracker });
      expect(chosen.json.internal_tracker).to.equal(internal_tracker);
      await send('PATCH', api, { has_issues: false });
      expect((await send('PATCH', api, { has_issues: true })).json.internal_tracker).to.equal(off);
    } finally {
      await host.close();
    }
  });
});
