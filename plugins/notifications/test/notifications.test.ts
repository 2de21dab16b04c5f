import { expect } from '@hapi/code';
import * as Lab from '@hapi/lab';
import { issues } from '@mortise/issues/api';
import { repositories } from '@mortise/repositories/api';
import { signUp } from '@mortise/accounts/testing';
import { notifications } from '../contract/notifications.js';
import {
  desk,
  idOf,
  inbox,
  lineOf,
  makeWorld,
  open,
  send,
  threadOf,
  unread,
  type ThreadJson,
  type World,
} from './support.js';

type Listening = (name: string, heard: () => void) => void;

export const lab = Lab.script();
const { describe, it, before, after } = lab;

describe('notifications', () => {
  let world: World;
  before(async () => {
    world = await makeWorld();
  });
  after(() => world.host.close());
  const settle = () => world.host.settle();
  const say = async (by: World['ada'], index: number, body: string) => {
    expect((await send(by, 'POST', `${desk}/issues/${index}/comments`, { body })).status).to.equal(201);
    await settle();
  };

  it('NOT-01, NOT-02, ERR-08: every operation without a token answers 401 and says that one is required', async () => {
    for (const [method, url] of [
      ['GET', '/api/v1/notifications'],
      ['PUT', '/api/v1/notifications'],
      ['GET', '/api/v1/notifications/new'],
      ['GET', '/api/v1/notifications/threads/1'],
      ['PATCH', '/api/v1/notifications/threads/1'],
      ['GET', `${desk}/notifications`],
      ['PUT', `${desk}/notifications`],
    ] as const) {
      const { status, body } = await send<{ message: string }>(world.host, method, url);
      expect(status, `${method} ${url}`).to.equal(401);
      expect(body.message).to.equal('token is required');
    }
  });

  it('come to who watches, takes part, is mentioned or assigned, and never to whose deed it was', async () => {
    const { ada, ben, cas } = world;
    const index = await open(cas, 'lamp flickers', { body: '@ben knows' });
    await settle();
    expect([await unread(ada), await unread(ben), await unread(cas)]).to.equal([1, 1, 0]);
    await say(ada, index, 'since when?');
    expect(await inbox(cas)).to.equal(['Issue lamp flickers open unread']);
    const { subject } = await threadOf(cas, 'lamp flickers');
    expect(subject!.latest_comment_html_url).to.match(/\/ada\/desk\/issues\/1#issuecomment-\d+$/);
    const other = await open(ada, 'chair', { assignees: ['ben'] });
    await settle();
    expect(await inbox(ben)).to.equal(['Issue chair open unread', 'Issue lamp flickers open unread']);
    // who wants to hear nothing hears nothing
    await send(ben, 'DELETE', `${desk}/issues/${other}/subscriptions/ben`);
    await send(ben, 'PATCH', `/api/v1/notifications/threads/${(await threadOf(ben, 'chair')).id}`);
    await say(ada, other, 'is it done?');
    expect(await inbox(ben, '')).to.equal(['Issue lamp flickers open unread']);
  });

  it('become unread by news, except pinned ones, and tell the state of the issue', async () => {
    const { ada, cas } = world;
    const index = await open(cas, 'table');
    await settle();
    const { id } = await threadOf(ada, 'table');
    const mark = (status: string) => send(ada, 'PATCH', `/api/v1/notifications/threads/${id}?to-status=${status}`);
    expect((await mark('read')).status).to.equal(205);
    await send(cas, 'PATCH', `${desk}/issues/${index}`, { state: 'closed' });
    await settle();
    expect(lineOf(await threadOf(ada, 'table'))).to.equal('Issue table closed unread');
    await mark('pinned');
    await say(cas, index, 'again');
    expect(lineOf(await threadOf(ada, 'table'))).to.equal('Issue table closed pinned');
    expect((await send(cas, 'GET', `/api/v1/notifications/threads/${id}`)).status).to.equal(403);
    expect((await send(ada, 'GET', '/api/v1/notifications/threads/99999999999')).status).to.equal(404);
    await send(ada, 'DELETE', `${desk}/issues/${index}`);
    expect((await send(ada, 'GET', `/api/v1/notifications/threads/${id}`)).status).to.equal(404);
  });

  it('a repeated event changes nothing that was read meanwhile', async () => {
    const { ada, cas, host } = world;
    await open(cas, 'twice');
    await settle();
    const outbox = () => host.database.knex()('notification').where('status', 'unread').count({ n: '*' });
    const before = await outbox();
    await settle();
    expect(await outbox()).to.equal(before);
    expect(lineOf(await threadOf(ada, 'twice'))).to.equal('Issue twice open unread');
  });

  it('are marked all at once, by status, time and repository', async () => {
    const { ada } = world;
    const all = (await inbox(ada)).length;
    const changed = await send<ThreadJson[]>(ada, 'PUT', '/api/v1/notifications?last_read_at=2020-01-01T00:00:00Z');
    expect([changed.status, changed.body]).to.equal([205, []]);
    expect((await send(ada, 'PUT', '/api/v1/notifications?last_read_at=now')).status).to.equal(400);
    expect((await send(ada, 'GET', '/api/v1/notifications?since=yesterday')).status).to.equal(422);
    const marked = await send<ThreadJson[]>(ada, 'PUT', `${desk}/notifications?all=true&to-status=pinned`);
    expect(marked.body.length).to.equal(all);
    expect(marked.body.every(({ pinned }) => pinned)).to.be.true();
    expect(await unread(ada)).to.equal(0);
    expect((await inbox(ada, '?status-types=pinned', `${desk}/notifications`)).length).to.equal(all);
    await send(ada, 'PUT', '/api/v1/notifications?status-types=pinned');
    expect(await inbox(ada, '')).to.equal([]);
  });

  it('show nothing of a repository that one may not read any more', async () => {
    const { ada, ben, cas } = world;
    await send(ada, 'PATCH', desk, { private: true });
    await open(ada, 'secret', { assignees: ['ben'] });
    await settle();
    expect(await unread(cas)).to.equal(0);
    expect(await inbox(ben, '')).to.include('Issue secret open unread');
    await send(ada, 'DELETE', `${desk}/collaborators/ben`);
    await settle();
    expect(await unread(ben)).to.equal(0);
    const { body } = await send<ThreadJson[]>(ben, 'GET', '/api/v1/notifications?all=true');
    expect(body.every(({ repository, subject }) => repository === null && subject === null)).to.be.true();
    expect((await send(ben, 'GET', `${desk}/notifications`)).status).to.equal(404);
    await send(ada, 'PATCH', desk, { private: false });
  });

  it('ask for the rights of all who are told at once, and leave out who blocks whose deed it was', async () => {
    const { ada, ben, cas, host } = world;
    const many: { id: number }[] = [];
    for (const number of Array.from({ length: 12 }, (_, at) => at)) {
      await signUp(host, `many${number}`);
      many.push({ id: await idOf(host, `many${number}`) });
    }
    await send(ada, 'POST', '/api/v1/user/repos', { name: 'closed', private: true });
    for (const number of many.keys())
      if (number % 2) await send(ada, 'PUT', `/api/v1/repos/ada/closed/collaborators/many${number}`, {});
    await send(ada, 'POST', '/api/v1/repos/ada/closed/issues', { title: 'told to many' });
    await settle();
    const home = await host.services.get(repositories).byPath('ada', 'closed');
    const issue = await host.services.get(issues).byIndex(home!.id, 1);
    const cost = async (users: readonly { id: number }[], event: string) => {
      let count = 0;
      const heard = () => count++;
      const knex = host.database.knex() as unknown as { on: Listening; removeListener: Listening };
      knex.on('query', heard);
      await host.services.get(notifications).notify({
        subject: { issue: issue! },
        actorId: await idOf(host, 'ada'),
        at: Date.now(),
        event,
        userIds: users.map(({ id }) => id),
      });
      knex.removeListener('query', heard);
      return count;
    };
    const few = await cost(many.slice(0, 2), 'few');
    expect(await cost(many.slice(2), 'many')).to.be.at.most(few);
    const told = await host.database.knex()('notification').where('issue_id', issue!.id).pluck('user_id');
    expect(told.sort((one: number, other: number) => one - other)).to.equal(
      many.filter((_, number) => number % 2).map(({ id }) => id),
    );
    await send(ben, 'PUT', '/api/v1/user/blocks/cas');
    const before = await inbox(ben, '');
    await open(cas, 'unwelcome', { body: '@ben look' });
    await host.services.get(notifications).notify({
      subject: { issue: (await host.services.get(issues).byIndex(1, 1))! },
      actorId: await idOf(host, 'cas'),
      userIds: [await idOf(host, 'ben')],
      reason: 'review_requested',
    });
    await settle();
    expect(await inbox(ben, '')).to.equal(before);
    await send(ben, 'DELETE', '/api/v1/user/blocks/cas');
    await send(ada, 'DELETE', '/api/v1/repos/ada/closed');
  });

  it('an offered repository is told to who may take it', async () => {
    const { ada, cas } = world;
    expect((await send(ada, 'POST', `${desk}/transfer`, { new_owner: 'cas' })).status).to.equal(201);
    await settle();
    expect(await inbox(cas, '?subject-type=repository')).to.equal(['Repository ada/desk  unread']);
    await send(cas, 'POST', `${desk}/transfer/reject`);
  });

  it('go with the repository and with the account', async () => {
    const { ada, ben, host } = world;
    await host.command('admin user delete', { username: 'ben' }).catch(() => undefined);
    await send(ada, 'DELETE', desk);
    expect(await inbox(ada)).to.equal([]);
    expect(await unread(ada)).to.equal(0);
    expect(ben).to.exist();
    expect(await host.database.knex()('notification').count({ n: '*' }).first()).to.equal({ n: 0 });
  });
});
