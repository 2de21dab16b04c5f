import { expect } from '@hapi/code';
import * as Lab from '@hapi/lab';
import { PostOffice } from '@mortise/mail/testing';
import { pageIn, submitForm } from '@mortise/plugin-sdk/testing';
import { Mill, workflowText } from './run-kit.js';

export const lab = Lab.script();
const { describe, it, before, after, beforeEach } = lab;

const page = '/user/settings/notifications';

describe('mail about runs that end', { timeout: 120_000 }, () => {
  let office: PostOffice;
  let mill: Mill;
  before(async () => {
    office = await PostOffice.start();
    mill = await Mill.start(['mail', 'notifications'], [], {
      mailer: office.settings,
      service: { ENABLE_NOTIFY_MAIL: true },
    });
    await mill.workflow('build.yml', `name: Build\n${workflowText('workflow_dispatch', { one: '', two: '' })}`);
    await mill.host.settle();
  });
  beforeEach(() => void (office.mails.length = 0));
  after(async () => {
    await mill?.host.close();
    await office?.close();
  });
  const url = () => `${mill.api}/actions/workflows/build.yml/dispatches?return_run_details=true`;
  const begin = async () => Number((await mill.send('POST', url(), { ref: 'main' })).body.workflow_run_id);
  const end = async (one: 'success' | 'failure' | 'skipped', two: 'success' | 'failure' | 'skipped' = one) => {
    const run = await begin();
    await mill.finish(run, 'one', one);
    await mill.finish(run, 'two', two);
    return run;
  };
  const choose = async (choice: string, status = 303) =>
    expect((await submitForm(mill.ada, `${page}/actions`, { choice })).statusCode).to.equal(status);

  it('goes to who started it, of those that fail, unless they chose otherwise', async () => {
    await end('success');
    expect(office.mails).to.equal([]);
    const run = await end('success', 'failure');
    expect(office.mails.map(({ to }) => to)).to.equal([['ada@example.com']]);
    const [mail] = office.mails;
    expect(mail!.subject).to.match(/^\[ada\/mill\] Failed: Build #2 \([0-9a-f]{10}\)$/);
    expect(mail!.text).to.include([
      'Run #2 of Build in ada/mill',
      'Succeeded: one\nFailed: two',
      `/actions/runs/${run}`,
    ]);
    expect(mail!.headers['list-unsubscribe']).to.include(page);

    await choose('all');
    await end('success');
    expect(office.mails.map(({ subject }) => subject.split(' (')[0])).to.equal([
      '[ada/mill] Failed: Build #2',
      '[ada/mill] Succeeded: Build #3',
    ]);
    await end('skipped');
    await choose('disabled');
    await end('failure');
    expect(office.mails).to.have.length(2);
    await choose('sometimes', 422);
    await choose('failure-only');
  });

  it('goes to who runs it again, in their language', async () => {
    await mill.send('PUT', `${mill.api}/collaborators/ben`, { permission: 'write' });
    await mill.send('PATCH', '/api/v1/user/settings', { language: 'de' }, mill.ben);
    const run = await end('failure');
    office.mails.length = 0;
    expect((await mill.send('POST', `${mill.api}/actions/runs/${run}/rerun`, {}, mill.ben)).status).to.equal(201);
    await mill.finish(run, 'one', 'failure');
    await mill.finish(run, 'two');
    expect(office.mails.map(({ to }) => to)).to.equal([['ben@example.com']]);
    expect(office.mails[0]!.subject).to.include('Fehlgeschlagen: Build');
  });

  it('does not go to who may not read it any more', async () => {
    const run = Number((await mill.send('POST', url(), { ref: 'main' }, mill.ben)).body.workflow_run_id);
    await mill.send('PATCH', mill.api, { private: true });
    await mill.send('DELETE', `${mill.api}/collaborators/ben`);
    await mill.finish(run, 'one', 'failure');
    await mill.finish(run, 'two');
    expect(office.mails).to.equal([]);
  });

  it('is chosen beside what else comes by mail', async () => {
    expect(await pageIn(mill.ada, 'en', page)).to.include(['Mail about workflow runs', 'value="failure-only" checked']);
    expect(await pageIn(mill.ada, 'de', page)).to.include('Mails zu Workflow-Läufen');
    expect(await pageIn(mill.ada, 'zh-CN', page)).to.include('工作流运行邮件');
  });
});
