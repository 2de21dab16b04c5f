import { expect } from '@hapi/code';
import * as Lab from '@hapi/lab';
import { submitForm } from '@mortise/plugin-sdk/testing';
import { jobStates } from '../contract/runs.js';
import { signUp } from '@mortise/accounts/testing';
import { Mill, workflowText } from './run-kit.js';

export const lab = Lab.script();
const { describe, it, before, after } = lab;

describe('pull requests from elsewhere', () => {
  let mill: Mill;
  before(async () => {
    mill = await Mill.start();
    await mill.workflow('check.yml', workflowText('pull_request', { one: '', two: 'needs: one' }));
    await mill.workflow('greet.yml', workflowText('pull_request_target', { hello: '' }));
    await mill.send('POST', `${mill.api}/forks`, {}, mill.ben);
    await mill.host.settle();
    const made = await mill.send(
      'POST',
      '/api/v1/repos/ben/mill/contents/b.txt',
      { content: 'eA==', message: 'work', branch: 'main', new_branch: 'topic' },
      mill.ben,
    );
    expect(made.status, JSON.stringify(made.body)).to.equal(201);
    const input = { title: 'from outside', head: 'ben:topic', base: 'main' };
    const pull = await mill.send('POST', `${mill.api}/pulls`, input, mill.ben);
    expect(pull.status, JSON.stringify(pull.body)).to.equal(201);
    await mill.host.settle();
  });
  after(() => mill.host.close());
  const runOf = async (file: string) => (await mill.runs()).find((run) => String(run.path).startsWith(file))!;

  it('ACT-34, ACT-35, ACT-36, ACT-43, ERR-04: wait until somebody who may write approves them, but for what the base says', async () => {
    const [check, greet] = [await runOf('check.yml'), await runOf('greet.yml')];
    expect(await mill.jobs(check.id)).to.equal({ one: 'blocked', two: 'blocked' });
    expect(await mill.jobs(greet.id)).to.equal({ hello: 'waiting' });
    const box = async (by = mill.ada) => (await by.inject('/ada/mill/pulls/1')).payload;
    expect(await box()).to.include(['1 workflow run waits for approval', 'approve-all-checks']);
    expect(await box(mill.ben))
      .to.include('1 workflow run waits')
      .and.not.to.include('approve-all-checks');
    const approve = (id: unknown, by = mill.ada) =>
      mill.send('POST', `${mill.api}/actions/runs/${String(id)}/approve`, undefined, by);
    expect((await approve(check.id, mill.ben)).status).to.equal(403);
    const commit = /name="commit_id" value="([0-9a-f]+)"/.exec(await box())![1]!;
    const form = { commit_id: commit, stay: 'on', back: '/ada/mill/pulls/1' };
    const all = (by = mill.ada) => submitForm(by, '/ada/mill/actions/approve-all-checks', form);
    expect((await all(mill.ben)).statusCode).to.equal(403);
    expect((await all()).headers.location).to.equal('/ada/mill/pulls/1');
    expect(await box()).not.to.include('waits for approval');
    expect(await mill.jobs(check.id)).to.equal({ one: 'waiting', two: 'blocked' });
    expect((await approve(check.id)).status).to.equal(200);
    expect((await approve(greet.id)).status).to.equal(409);
    for (const name of ['one', 'two']) await mill.finish(check.id, name);
    const told = Object.entries(await mill.statuses(commit)).filter(([context]) => context.startsWith('check.yml'));
    expect(told.map(([, state]) => state)).to.equal(['success: Successful in <time>', 'success: Successful in <time>']);
  });

  it('get no secrets, but for what the base says', async () => {
    const states = mill.host.services.get(jobStates);
    const [check, greet] = [await runOf('check.yml'), await runOf('greet.yml')];
    expect(await states.secretsFor((await mill.rows(check.id))[0]!.id)).to.equal('none');
    expect(await states.secretsFor((await mill.rows(greet.id))[0]!.id)).to.equal('all');
    const github = await states.githubContext((await mill.rows(greet.id))[0]!.id);
    expect(github).to.include({ event_name: 'pull_request_target', ref: 'refs/heads/main', head_ref: 'topic' });
  });

  it('wait too when somebody who may write does something with them, and when a stranger does with those of others', async () => {
    const on = '{ pull_request: { types: [labeled] }, pull_request_comment: { types: [created] } }';
    await mill.workflow('more.yml', workflowText(on, { three: '' }));
    const newest = async () => {
      const [run] = (await mill.runs()).filter(({ path }) => String(path).startsWith('more.yml'));
      return [run?.id, run && (await mill.jobs(run.id)).three] as const;
    };
    // the label of a maintainer: the code is that of the stranger, who keeps more.yml out of the head
    const comment = (by = mill.ada, pull = 1) =>
      mill.send('POST', `${mill.api}/issues/${pull}/comments`, { body: 'look' }, by).then(() => mill.host.settle());
    await comment();
    const [first, state] = await newest();
    expect([typeof first, state]).to.equal(['number', 'blocked']);
    await mill.send('POST', '/api/v1/orgs', { username: 'guild' });
    await mill.send('POST', `${mill.api}/forks`, { organization: 'guild' });
    await mill.host.settle();
    const file = { content: 'eQ==', message: 'own', branch: 'main', new_branch: 'own' };
    expect((await mill.send('POST', '/api/v1/repos/guild/mill/contents/c.txt', file)).status).to.equal(201);
    const input = { title: 'from a fork of one who may write', head: 'guild:own', base: 'main' };
    const pull = Number((await mill.send('POST', `${mill.api}/pulls`, input)).body.number);
    await mill.host.settle();
    await comment(mill.ada, pull);
    const [second, ofOwner] = await newest();
    expect([second === first, ofOwner]).to.equal([false, 'waiting']);
    await comment(mill.ben, pull);
    const [third, ofStranger] = await newest();
    expect([third === second, ofStranger]).to.equal([false, 'blocked']);
    const label = await mill.send('POST', `${mill.api}/labels`, { name: 'ready', color: '#00ff00' });
    await mill.send('POST', `${mill.api}/issues/${pull}/labels`, { labels: [label.body.id] });
    await mill.host.settle();
    const [, labelled] = await newest();
    expect(labelled).to.equal('waiting');
  });

  it('wait too while another run of the same head does, and when a stranger pushed it', async () => {
    const { body: pulls } = await mill.send('GET', `${mill.api}/pulls?state=open`);
    const own = (pulls as unknown as readonly { number: number; head: { sha: string } }[])[0]!;
    const labels = `${mill.api}/issues/${own.number}/labels`;
    const label = await mill.send('POST', `${mill.api}/labels`, { name: 'again', color: '#00ff00' });
    const putOn = async () => {
      await mill.send('DELETE', `${labels}/${String(label.body.id)}`);
      expect((await mill.send('POST', labels, { labels: [label.body.id] })).status).to.equal(200);
      await mill.host.settle();
      const [run] = (await mill.runs()).filter(({ path }) => String(path).startsWith('more.yml'));
      return [run!.id, (await mill.jobs(run!.id)).three] as const;
    };
    const [before, atFirst] = await putOn();
    expect(atFirst).to.equal('waiting');
    // a pull request of the same commit by somebody who may write to the fork alone
    const member = await mill.send('PUT', '/api/v1/repos/guild/mill/collaborators/ben', { permission: 'write' });
    expect(member.status).to.equal(204);
    await mill.send('POST', `${mill.api}/branches`, { new_branch_name: 'side', old_branch_name: 'main' });
    const input = { title: 'the same', head: 'guild:own', base: 'side' };
    const theirs = await mill.send('POST', `${mill.api}/pulls`, input, mill.ben);
    expect(theirs.status, JSON.stringify(theirs.body)).to.equal(201);
    await mill.host.settle();
    const [second, state] = await putOn();
    expect([second === before, state]).to.equal([false, 'blocked']);
    const form = { commit_id: own.head.sha, stay: 'on', back: '/ada/mill/pulls/1' };
    // S2: an approval by the author of the pull request does not count
    const approveAll = (by: Mill['ada'], commit = own.head.sha) =>
      submitForm(by, '/ada/mill/actions/approve-all-checks', { ...form, commit_id: commit });
    expect((await approveAll(mill.ada)).statusCode).to.equal(403);
    const approve = `${mill.api}/actions/runs/${String(second)}/approve`;
    expect((await mill.send('POST', approve)).status).to.equal(403);
    const cas = await signUp(mill.host, 'cas');
    await mill.send('PUT', `${mill.api}/collaborators/cas`, { permission: 'write' });
    expect((await approveAll(cas)).statusCode).to.equal(303);
    expect((await putOn())[1]).to.equal('waiting');
    const file = { content: 'eg==', message: 'theirs', branch: 'own' };
    const pushed = await mill.send('POST', '/api/v1/repos/guild/mill/contents/d.txt', file, mill.ben);
    expect(pushed.status, JSON.stringify(pushed.body)).to.equal(201);
    await mill.host.settle();
    expect((await putOn())[1]).to.equal('blocked');
    const sha = (pushed.body.commit as { readonly sha: string }).sha;
    await approveAll(cas, sha);
    expect((await putOn())[1]).to.equal('blocked');
  });

  it('end nothing of their concurrency group before they are approved', async () => {
    const on = '{ workflow_dispatch: {}, pull_request_comment: { types: [created] } }';
    const group = 'concurrency: { group: line, cancel-in-progress: true }\n';
    await mill.workflow('line.yml', workflowText(on, { four: '' }, group));
    const url = `${mill.api}/actions/workflows/line.yml/dispatches?return_run_details=true`;
    const own = Number((await mill.send('POST', url, { ref: 'main' })).body.workflow_run_id);
    const outside = async () => {
      await mill.send('POST', `${mill.api}/issues/1/comments`, { body: 'once more' }, mill.ben);
      await mill.host.settle();
      return (await runOf('line.yml')).id;
    };
    const first = await outside();
    expect([await mill.jobs(own), await mill.jobs(first)]).to.equal([{ four: 'waiting' }, { four: 'blocked' }]);
    const second = await outside();
    expect([await mill.run(first), await mill.jobs(own)]).to.equal(['completed/cancelled', { four: 'waiting' }]);
    const approved = await mill.send('POST', `${mill.api}/actions/runs/${String(second)}/approve`);
    expect(approved.status).to.equal(200);
    expect([await mill.run(own), await mill.jobs(second)]).to.equal(['completed/cancelled', { four: 'waiting' }]);
  });
});

describe('of two who do the same to a run', () => {
  let mill: Mill;
  before(async () => {
    mill = await Mill.start();
    await mill.workflow('hand.yml', workflowText('workflow_dispatch', { one: '' }));
  });
  after(() => mill.host.close());
  const begin = async () => {
    const url = `${mill.api}/actions/workflows/hand.yml/dispatches?return_run_details=true`;
    return Number((await mill.send('POST', url, { ref: 'main' })).body.workflow_run_id);
  };

  it('of two who run a run again at once, one makes the attempt and the other is told so', async () => {
    const run = await begin();
    await mill.finish(run, 'one');
    const url = `${mill.api}/actions/runs/${run}/rerun`;
    const answers = await Promise.all([1, 2, 3].map(() => mill.send('POST', url)));
    expect(answers.filter(({ status }) => status === 201)).to.have.length(1);
    expect(answers.every(({ status }) => [201, 400, 409].includes(status))).to.equal(true);
    const attempts = await mill.send('GET', `${mill.api}/actions/runs/${run}`);
    expect(attempts.body.run_attempt).to.equal(2);
  });

  it('of two who cancel a run at once, one does and the other gets 409', async () => {
    const run = await begin();
    await mill.take(run, 'one');
    const url = `${mill.api}/actions/runs/${run}/cancel`;
    const answers = await Promise.all([mill.send('POST', url), mill.send('POST', url)]);
    expect(answers.map(({ status }) => status).sort()).to.equal([200, 409]);
    expect(await mill.run(run)).to.equal('completed/cancelled');
  });
});
