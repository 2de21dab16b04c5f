import { expect } from '@hapi/code';
import * as Lab from '@hapi/lab';
import { definePlugin } from '@mortise/plugin-sdk';
import { redoMigration, startHost, type TestHost } from '@mortise/plugin-sdk/testing';
import { signUp } from '@mortise/accounts/testing';
import { notifications, notificationSubjects } from '../contract/notifications.js';
import { send, type Person, type ThreadJson } from './support.js';

export const lab = Lab.script();
const { describe, it, before, after } = lab;

/** Lamps that hang in no repository; even ones are for the reader of this number alone. */
const lamps = { readers: new Set<number>() };
const lampPlugin = definePlugin({
  name: 'lamps',
  version: '1.0.0',
  description: 'Notifies of lamps',
  sdk: '^1.0.0',
  requires: { notifications: '^1.0.0' },
  register(host) {
    host.contribute(notificationSubjects, {
      key: 'lamp',
      apiType: 'Lamp',
      label: () => 'Lamp',
      icon: 'light-bulb',
      readersAmong: async (accounts) => new Set(accounts.map(({ id }) => id).filter((id) => lamps.readers.has(id))),
      find: async (ids, actor) =>
        new Map(
          ids
            .filter(() => actor.kind === 'system' || lamps.readers.has(actor.id))
            .map((id) => [
              id,
              {
                title: `Lamp ${id}`,
                ownerName: 'guild',
                state: 'open',
                path: `/lamps/${id}`,
                apiPath: `/api/v1/lamps/${id}`,
              },
            ]),
        ),
    });
  },
});

describe('notifications of what belongs to no repository', { timeout: 60_000 }, () => {
  let host: TestHost;
  let ada: Person;
  let ben: Person;
  before(async () => {
    host = await startHost({ plugins: ['notifications', lampPlugin] });
    [ada, ben] = [await signUp(host, 'ada'), await signUp(host, 'ben')];
    lamps.readers.add(ada.actor.id);
    await send(ada, 'POST', '/api/v1/user/repos', { name: 'desk' });
  });
  after(() => host.close());

  const notify = (id: number) =>
    host.services.get(notifications).notify({
      subject: { kind: 'lamp', id },
      actorId: 0,
      userIds: [ada.actor.id, ben.actor.id],
      reason: 'participating',
    });
  const threads = async (by: Person, query = '') =>
    (await send<ThreadJson[]>(by, 'GET', `/api/v1/notifications${query}`)).body;
  const unread = async (by: Person) => (await send<{ new: number }>(by, 'GET', '/api/v1/notifications/new')).body.new;

  it('NOT-01: a thread without a repository has its subject, and `repository` is null; only readers are notified', async () => {
    await notify(1);
    const [thread, ...others] = await threads(ada);
    expect(others).to.equal([]);
    expect(thread!.repository).to.be.null();
    expect(thread!.subject).to.include({ title: 'Lamp 1', type: 'Lamp', state: 'open' });
    expect(new URL(thread!.subject!.url).pathname).to.equal('/api/v1/lamps/1');
    expect(new URL(thread!.subject!.html_url).pathname).to.equal('/lamps/1');
    expect([await unread(ada), await unread(ben), await threads(ben)]).to.equal([1, 0, []]);
    const { payload } = await ada.inject('/notifications');
    expect(payload).to.include(['Lamp 1', 'href="/lamps/1"', 'guild']);
  });

  it('NOT-01: lists are filtered by such a kind, and marked as others are', async () => {
    expect((await threads(ada, '?subject-type=lamp')).length).to.equal(1);
    expect((await threads(ada, '?subject-type=issue')).length).to.equal(0);
    await send(ada, 'PUT', '/api/v1/notifications');
    expect([await unread(ada), (await threads(ada, '?all=true')).length]).to.equal([0, 1]);
    await notify(1);
    expect(await unread(ada)).to.equal(1);
  });

  it('NOT-01: who may see it no longer is shown nothing of it, and nothing is counted', async () => {
    lamps.readers.delete(ada.actor.id);
    // a change that caches notice
    await host.database.write(() => host.database.knex()('notification').update({ comment_id: 0 }));
    const [thread] = await threads(ada);
    expect([thread!.repository, thread!.subject, await unread(ada)]).to.equal([null, null, 0]);
    expect((await ada.inject('/notifications')).payload).to.not.include('Lamp 1');
    lamps.readers.add(ada.actor.id);
  });

  it('NOT-01: what is deleted takes its threads along', async () => {
    await notify(2);
    await host.database.write(() => host.services.get(notifications).forgetSubjects('lamp', [1]));
    expect((await threads(ada, '?all=true')).map(({ subject }) => subject?.title)).to.equal(['Lamp 2']);
  });

  it('NOT-01: the upgrade keeps threads of repositories, and the way back drops those without one alone', async () => {
    const [{ id: repositoryId }] = await host.database.knex()('repository').select('id');
    await host.services
      .get(notifications)
      .notify({ subject: { repositoryId }, actorId: 0, userIds: [ada.actor.id], reason: 'transfer' });
    const kinds = () => host.database.knex()('notification').orderBy('id').pluck('kind');
    expect(await kinds()).to.equal(['lamp', 'repository']);
    await redoMigration(host, new URL('../migrations/0004_allow_other_subjects.js', import.meta.url), async () => {
      expect(await kinds()).to.equal(['repository']);
    });
    expect(await kinds()).to.equal(['repository']);
    await notify(3);
    expect(await kinds()).to.equal(['repository', 'lamp']);
  });

  it('NOT-01: the upgrade that renames the table of progress keeps how far each event has come', async () => {
    const row = { event_key: 'issue:1', last_user_id: 7, updated_at: 1_700_000_000_000 };
    await host.database.write(() => host.database.knex()('notification_progress').insert(row));
    await redoMigration(host, new URL('../migrations/0005_rename_progress.js', import.meta.url), async () => {
      expect(await host.database.knex()('notification_told').where('what', 'issue:1')).to.equal([
        { what: 'issue:1', last_user_id: 7, told_at: row.updated_at },
      ]);
    });
    expect(await host.database.knex()('notification_progress').where('event_key', 'issue:1')).to.equal([row]);
  });

  it('NOT-01: the upgrade that renames the table of mail choices keeps them', async () => {
    const row = { user_id: ada.actor.id, mail: 'onmention' };
    await host.database.write(() => host.database.knex()('notification_mail_choice').insert(row));
    await redoMigration(host, new URL('../migrations/0006_rename_mail_choice.js', import.meta.url), async () => {
      expect(await host.database.knex()('notification_choice').select()).to.equal([row]);
    });
    expect(await host.database.knex()('notification_mail_choice').select()).to.equal([row]);
  });
});
