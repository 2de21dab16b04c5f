import { expect } from '@hapi/code';
import * as Lab from '@hapi/lab';
import { issues } from '@mortise/issues/api';
import { repositories } from '@mortise/repositories/api';
import { notifications } from '../contract/notifications.js';
import { desk, inbox, makeWorld, open, send, threadOf, unread, type World } from './support.js';

export const lab = Lab.script();
const { describe, it, before, after } = lab;

describe('the inbox page', () => {
  let world: World;
  before(async () => {
    world = await makeWorld({ plugins: ['activity'] });
    for (const title of ['one', 'two', 'three']) await open(world.cas, title);
    await world.host.settle();
  });
  after(() => world.host.close());
  const page = async (by: World['ada'], path = '/notifications') => {
    const { statusCode, payload } = await by.inject(path);
    expect(statusCode, path).to.equal(200);
    return payload;
  };
  const post = (by: World['ada'], path: string, payload: object) => by.inject({ method: 'POST', url: path, payload });

  it('lists threads, and marks one, some or all of them', async () => {
    const { ada } = world;
    const shown = await page(ada);
    for (const title of ['one', 'two', 'three']) expect(shown).to.include(`>${title}</a>`);
    expect(shown).to.include('data-notifications="3"');
    const [one, two] = [await threadOf(ada, 'one'), await threadOf(ada, 'two')];
    expect((await post(ada, '/notifications/status', { one: `${one.id}:pinned` })).statusCode).to.equal(303);
    await post(ada, '/notifications/status', { id: [one.id, two.id], to: 'read', tab: 'unread' });
    expect(await inbox(ada)).to.equal(['Issue three open unread', 'Issue two open read', 'Issue one open read']);
    // somebody else's stay as they are
    await post(world.ben, '/notifications/status', { id: [two.id], to: 'pinned' });
    expect(await inbox(ada, '?status-types=pinned')).to.equal([]);
    await post(ada, '/notifications/purge', {});
    expect(await unread(ada)).to.equal(0);
    expect(await page(ada, '/notifications?status=read')).to.include('>three</a>');
    expect(await page(ada, '/notifications?status=pinned')).to.include('Nothing is pinned');
    expect((await ada.inject('/notifications?status=lost')).statusCode).to.equal(422);
    expect((await post(ada, '/notifications/status', { one: 'x' })).statusCode).to.equal(422);
  });

  it('forgets what somebody has looked at', async () => {
    const { ada, cas, host } = world;
    const index = await open(cas, 'looked at');
    await host.settle();
    expect(await unread(ada)).to.equal(1);
    const seen = await page(ada, `/ada/desk/issues/${index}`);
    expect(seen).to.include('data-notifications="0"');
    expect(await unread(ada)).to.equal(0);
  });

  it('stand on the dashboard where somebody is mentioned, until they were read', async () => {
    const { ada, cas, host } = world;
    await ada.inject({ method: 'POST', url: '/notifications/purge', payload: {} });
    const index = await open(cas, 'what do you think', { body: 'see @ada' });
    await host.settle();
    const home = await page(ada, '/');
    expect(home).to.include([
      'Mentions that you have not read',
      `href="/ada/desk/issues/${index}"`,
      `ada/desk#${index}`,
    ]);
    expect(await page(cas, '/')).to.not.include('Mentions');
    await page(ada, `/ada/desk/issues/${index}`);
    expect(await page(ada, '/')).to.not.include('Mentions');
    // what comes later is no mention
    await send(cas, 'POST', `${desk}/issues/${index}/comments`, { body: 'anyone?' });
    await host.settle();
    expect(await unread(ada)).to.equal(1);
    expect(await page(ada, '/')).to.not.include('Mentions');
    await page(ada, `/ada/desk/issues/${index}`);
  });

  it('PSH-11: tells pages that ask how many are unread', async () => {
    const { ada, cas, host } = world;
    await open(cas, 'four');
    await host.settle();
    expect((await ada.inject('/notifications/new')).json).to.equal({ new: 1 });
    expect((await host.inject('/notifications/new')).statusCode).to.equal(303);
  });

  it('has what one subscribed to and what one watches', async () => {
    const { ada, ben } = world;
    await send(ben, 'PUT', `${desk}/issues/1/subscriptions/ben`);
    expect(await page(ben, '/notifications/subscriptions')).to.include('>one</a>');
    const { id } = (await send<{ id: number }>(ben, 'GET', `${desk}/issues/1`)).body;
    await post(ben, '/notifications/unfollow', { id });
    expect(await page(ben, '/notifications/subscriptions')).to.not.include('>one</a>');
    expect(await page(ada, '/notifications/watching')).to.include('desk');
  });

  it('tells pull requests by their flag, and takes news of other plugins', async () => {
    const { ada, ben, host } = world;
    const [tracker, notifier, homes] = [issues, notifications, repositories].map((ref) =>
      host.services.get(ref as never),
    ) as unknown as [
      import('@mortise/issues/api').Issues,
      import('../api.js').Notifications,
      import('@mortise/repositories/api').Repositories,
    ];
    const repository = (await homes.byPath('ada', 'desk'))!;
    const accountOf = async (name: string) =>
      (await send<{ id: number }>(host, 'GET', `/api/v1/users/${name}`)).body.id;
    const actor = {
      kind: 'user',
      id: await accountOf('ben'),
      name: 'ben',
      isAdmin: false,
      isRestricted: false,
      method: 'test',
      publicOnly: false,
    } as const;
    const pull = await tracker.create(repository, { title: 'pull', isPull: true }, actor);
    await host.settle();
    const { subject } = await threadOf(ada, 'pull');
    expect([subject!.type, subject!.state]).to.equal(['Pull', 'open']);
    expect(subject!.html_url).to.match(new RegExp(`/ada/desk/pulls/${pull.index}$`));
    expect(subject!.url).to.match(new RegExp(`/repos/ada/desk/pulls/${pull.index}$`));
    const casId = await accountOf('cas');
    const request = { subject: { issue: pull }, actorId: actor.id, userIds: [casId, actor.id] } as const;
    await notifier.notify({ ...request, reason: 'review_requested' });
    expect(await unread(world.cas)).to.equal(1);
    expect(await page(world.cas)).to.include('Your review was requested');
    expect(await inbox(ben, '?subject-type=pull')).to.equal([]);
    await notifier.markSeen(casId, pull.id);
    expect(await unread(world.cas)).to.equal(0);
    // told again as if it had been delivered twice: what was read stays read
    await notifier.notify({ ...request, at: 1 });
    expect(await unread(world.cas)).to.equal(0);
  });
});
