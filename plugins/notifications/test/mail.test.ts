import { expect } from '@hapi/code';
import * as Lab from '@hapi/lab';
import { issues } from '@mortise/issues/api';
import { linkIn, PostOffice } from '@mortise/mail/testing';
import { multipart } from '@mortise/plugin-sdk/testing';
import { repositories } from '@mortise/repositories/api';
import { notifications } from '../contract/notifications.js';
import { desk, idOf, inbox, makeWorld, open, send, unread, type World } from './support.js';

export const lab = Lab.script();
const { describe, it, before, after } = lab;

describe('notifications by mail', () => {
  let world: World;
  let office: PostOffice;
  before(async () => {
    office = await PostOffice.start();
    world = await makeWorld({
      plugins: ['mail', 'releases', 'files', 'organizations'],
      settings: { mailer: office.settings, service: { ENABLE_NOTIFY_MAIL: true } },
    });
  });
  after(async () => {
    await world.host.close();
    await office.close();
  });
  const settle = () => world.host.settle();
  const choose = async (by: World['ada'], mail: string) => {
    const answer = await by.inject({ method: 'POST', url: '/user/settings/notifications', payload: { mail } });
    expect(answer.statusCode).to.equal(303);
  };
  const sentTo = (name: string) => office.mails.filter(({ to }) => to.includes(`${name}@example.com`));

  it('form threads, and end with the link that each has', async () => {
    const { ada, ben } = world;
    const index = await open(ben, 'lamp <flickers>', { body: 'since *today*' });
    await settle();
    expect(sentTo('ben').length).to.equal(0);
    const first = office.mailTo('ada@example.com');
    expect(first.subject).to.equal(`[ada/desk] lamp <flickers> (#${index})`);
    expect(first.text).to.include('ben opened this issue.').and.include('since *today*');
    expect(first.headers.from).to.match(/^ben </);
    expect(first.text)
      .to.match(/^ada\/desk #\d+: lamp <flickers>\n/)
      .and.include('Why this email was sent: You watch');
    expect(first.headers).to.include({
      'x-gitea-reason': 'watching',
      'x-gitea-recipient': 'ada',
      'x-gitea-sender': 'ben',
    });
    expect(first.headers).to.include({ 'x-gitea-repository-path': 'ada/desk', 'x-gitea-issue-id': String(index) });
    expect(first.html)
      .to.include('lamp &lt;flickers&gt;</a>')
      .and.include('<em>today</em>')
      .and.include(`/ada/desk/issues/${index}`);
    await send(ben, 'POST', `${desk}/issues/${index}/comments`, { body: 'still so' });
    await settle();
    const second = office.mailTo('ada@example.com');
    expect(second.subject).to.equal(`Re: ${first.subject}`);
    expect(second.headers['message-id']).to.not.equal(first.headers['message-id']);
    expect(second.headers['in-reply-to']).to.equal(first.headers['message-id']);
    expect(second.headers.references).to.equal(first.headers['message-id']);
    expect(second.headers['list-id']).to.match(/^<ada\.desk\./);
    expect(second.headers['list-unsubscribe-post']).to.equal('List-Unsubscribe=One-Click');
    // mail programs post to the address of the header, without a session
    const url = new URL(second.headers['list-unsubscribe']!.slice(1, -1)).pathname;
    expect(linkIn(second, '/unsubscribe/')).to.equal(url);
    expect((await world.host.inject(url)).payload).to.include('<form');
    expect((await world.host.inject(`${url}x`)).statusCode).to.equal(404);
    const left = await world.host.inject({
      method: 'POST',
      url,
      payload: 'List-Unsubscribe=One-Click',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
    });
    expect(left.statusCode).to.equal(200);
    const before = [office.mails.length, await unread(ada)];
    await send(ben, 'POST', `${desk}/issues/${index}/comments`, { body: 'hello?' });
    await settle();
    expect([office.mails.length, await unread(ada)]).to.equal(before);
  });

  it('U15: hold no address that a mail program could not follow', async () => {
    const { ben } = world;
    office.mails.length = 0;
    await open(ben, 'pictures', {
      body: '![a](/attachments/0-0) [b](docs/x.md) ![c](img/a.png) [d](#e) <img src="/y.png"> @ada #1 [w](../wiki)',
    });
    await settle();
    const { html } = office.mailTo('ada@example.com');
    const addresses = [...html.matchAll(/(?:href|src)="([^"]*)"/g)].map(([, address]) => address!);
    expect(addresses.length).to.be.above(6);
    expect(addresses.filter((address) => !/^https?:/.test(address))).to.equal([]);
  });

  it('none is lost or doubled when things happen at once, or are told again or in another order', async () => {
    const { ben, cas, host } = world;
    const index = await open(cas, 'two at once');
    await settle();
    office.mails.length = 0;
    const form = multipart([
      { name: 'body', value: 'done, I think' },
      { name: 'action', value: 'close' },
    ]);
    expect(
      (await ben.inject({ method: 'POST', url: `/ada/desk/issues/${index}/comments`, ...form })).statusCode,
    ).to.equal(303);
    await settle();
    const told = sentTo('cas').map(({ text }) => /ben .*/.exec(text)?.[0]);
    expect(told).to.equal(['ben commented:', 'ben closed this issue.']);
    const issue = await host.services.get(issues).byIndex(1, index);
    const tell = async (event: string, at: number) =>
      host.services.get(notifications).notify({
        subject: { issue: issue! },
        actorId: await idOf(host, 'cas'),
        at,
        event,
        userIds: [await idOf(host, 'ada')],
        mail: { line: event },
      });
    office.mails.length = 0;
    const now = Date.now();
    await tell('later', now + 1000);
    await tell('sooner', now);
    await tell('sooner', now);
    await tell('at the same time', now);
    await settle();
    expect(sentTo('ada').map(({ text }) => text.split('\n')[2])).to.equal(['later', 'sooner', 'at the same time']);
  });

  it('come as each account chose', async () => {
    const { ada, ben, cas } = world;
    await choose(ada, 'onmention');
    office.mails.length = 0;
    await open(cas, 'plain');
    await settle();
    expect(office.mails.length).to.equal(0);
    await open(cas, 'named', { body: '@ada look' });
    await settle();
    expect(sentTo('ada').length).to.equal(1);
    await choose(ada, 'disabled');
    await choose(cas, 'andyourown');
    await open(cas, 'mine', { body: '@ada look' });
    await settle();
    expect(sentTo('ada').length).to.equal(1);
    expect(sentTo('cas').length).to.equal(1);
    await choose(ben, 'onmention');
    await choose(ada, 'enabled');
    await open(ada, 'given', { assignees: ['ben'] });
    await settle();
    expect(office.mailTo('ben@example.com').text).to.include('ada assigned this issue to you.');
    expect((await ada.inject('/user/settings/notifications')).payload).to.include('checked');
    const bad = await ada.inject({ method: 'POST', url: '/user/settings/notifications', payload: { mail: 'loud' } });
    expect(bad.statusCode).to.equal(422);
  });

  it('leave out what is written about code for those who may not read that', async () => {
    const { ada, ben, cas, host } = world;
    await send(ada, 'POST', '/api/v1/orgs', { username: 'works' });
    const made = await send<{ id: number }>(ada, 'POST', '/api/v1/orgs/works/repos', { name: 'mill', private: true });
    for (const [name, by, unit] of [
      ['desk', cas, 'repo.issues'],
      ['bench', ben, 'repo.code'],
    ] as const) {
      const units = { permission: 'read', units: [...new Set(['repo.issues', unit])] };
      const team = await send<{ id: number }>(ada, 'POST', '/api/v1/orgs/works/teams', { name, ...units });
      await send(ada, 'PUT', `/api/v1/teams/${team.body.id}/members/${by.account.name}`);
      await send(ada, 'PUT', `/api/v1/teams/${team.body.id}/repos/works/mill`);
    }
    const issue = await send<{ number: number }>(ada, 'POST', '/api/v1/repos/works/mill/issues', { title: 'wheel' });
    await settle();
    for (const by of [ben, cas]) await choose(by, 'enabled');
    office.mails.length = 0;
    await host.services.get(notifications).notify({
      subject: { issue: (await host.services.get(issues).byIndex(made.body.id, issue.body.number))! },
      actorId: ada.account.id,
      userIds: [ben.account.id, cas.account.id],
      mail: { line: 'ada commented:', text: 'const cog = 42', textUnit: 'code' },
    });
    await settle();
    expect([sentTo('ben'), sentTo('cas')].map((mails) => mails.map(({ text }) => text.includes('cog')))).to.equal([
      [true],
      [false],
    ]);
  });

  it('W: come once of an issue that is opened with assignees, also to those who want what concerns them alone', async () => {
    const { ada, ben, cas } = world;
    for (const choice of ['enabled', 'onmention']) {
      await choose(ben, choice);
      await choose(cas, 'onmention');
      office.mails.length = 0;
      const index = await open(ada, `for ben ${choice}`, { assignees: ['ben'], body: 'please' });
      await settle();
      expect(
        sentTo('ben').map(({ text }) => text.split('\n').filter((line) => /^ada [^#]|please/.test(line))),
        choice,
      ).to.equal([['ada opened this issue.', 'ada assigned this issue to you.', 'please']]);
      expect(sentTo('cas').length).to.equal(0);
      expect((await inbox(ben))[0]).to.equal(`Issue for ben ${choice} open unread`);
      office.mails.length = 0;
      await send(ada, 'PATCH', `${desk}/issues/${index}`, { assignees: [] });
      await send(ada, 'PATCH', `${desk}/issues/${index}`, { assignees: ['ben'] });
      await settle();
      expect(sentTo('ben').map(({ text }) => /assigned/.test(text))).to.equal([true]);
    }
    await choose(ben, 'enabled');
  });

  it('tell watchers of a release', async () => {
    const { ada, ben } = world;
    await send(ada, 'POST', `${desk}/contents/a.txt`, { content: 'YQ==', message: 'a' });
    office.mails.length = 0;
    const made = await send(ben, 'POST', `${desk}/releases`, { tag_name: 'v1', name: 'First', body: 'All *new*' });
    expect(made.status).to.equal(201);
    await settle();
    const mail = office.mailTo('ada@example.com');
    expect(mail.subject).to.equal('[ada/desk] ben published the release First.');
    expect(mail.text).to.include('All *new*');
    expect(sentTo('ben').length).to.equal(0);
  });

  it('S9: tell nobody of a release who may not read releases', async () => {
    const { ada, ben, cas, host } = world;
    const mill = '/api/v1/repos/works/mill';
    await send(ada, 'POST', `${mill}/contents/a.txt`, { content: 'YQ==', message: 'a' });
    const team = { name: 'shop', permission: 'read', units: ['repo.releases'] };
    const { id } = (await send<{ id: number }>(ada, 'POST', '/api/v1/orgs/works/teams', team)).body;
    await send(ada, 'PUT', `/api/v1/teams/${id}/members/ben`);
    await send(ada, 'PUT', `/api/v1/teams/${id}/repos/works/mill`);
    for (const by of [ben, cas]) {
      expect((await send(by, 'PUT', `${mill}/subscription`)).status).to.equal(200);
      await choose(by, 'enabled');
    }
    await settle();
    office.mails.length = 0;
    const release = { tag_name: 'v1', name: 'First', body: 'All *new*' };
    expect((await send(ada, 'POST', `${mill}/releases`, release)).status).to.equal(201);
    await settle();
    expect([sentTo('ben').length, sentTo('cas').length]).to.equal([1, 0]);
    const { id: repositoryId } = (await host.services.get(repositories).byPath('works', 'mill'))!;
    const about = { repositoryId, sha: 'a'.repeat(40) };
    const userIds = [ben.account.id, cas.account.id];
    await host.services.get(notifications).notify({ subject: about, actorId: ada.account.id, userIds });
    const commits = async (by: World['ada']) => (await inbox(by)).filter((line) => line.startsWith('Commit')).length;
    expect([await commits(ben), await commits(cas)]).to.equal([1, 0]);
  });
});
