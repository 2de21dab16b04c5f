import { expect } from '@hapi/code';
import * as Lab from '@hapi/lab';
import { definePlugin } from '@mortise/plugin-sdk';
import {
  makeIssue,
  makeRepository,
  makeUser,
  startHost,
  type KitUser,
  type TestHost,
} from '@mortise/plugin-sdk/testing';
import { accounts } from '@mortise/accounts/api';
import { signIn } from '@mortise/accounts/testing';
import { issues } from '@mortise/issues/api';
import {
  notificationChannels,
  notificationReasons,
  notifications,
  type NotificationDelivery,
} from '../contract/notifications.js';

export const lab = Lab.script();
const { describe, it, before, beforeEach, after } = lab;

describe('reasons and channels of other plugins', () => {
  const pushed: NotificationDelivery[] = [];
  let stored = 0;
  let isBroken = false;
  let host: TestHost;
  let ada: KitUser;
  let ben: KitUser;
  const pager = definePlugin({
    name: 'pager',
    version: '1.0.0',
    sdk: '^1.0.0',
    requires: { notifications: '^1.0.0' },
    register(host) {
      host.contribute(notificationReasons, { key: 'on_call', label: 'You are on call', isPersonal: true });
      host.contribute(notificationChannels, {
        key: 'pager',
        async prepare(notice) {
          if (isBroken) throw new Error('no network');
          pushed.push(notice);
          return async () => void stored++;
        },
      });
    },
  });
  before(async () => {
    host = await startHost({ plugins: ['issues', 'stars', 'notifications', 'auth-basic', pager] });
    [ada, ben] = [await makeUser(host, 'ada'), await makeUser(host, 'ben')];
  });
  after(() => host.close());
  beforeEach(() => {
    pushed.length = 0;
    stored = 0;
    isBroken = false;
  });
  const openDesk = async (name: string) => {
    const repository = await makeRepository(host, ada, name, { isEmpty: true });
    const { id } = await makeIssue(host, ben, repository, { title: 'Lamp flickers' });
    await host.settle();
    return (await host.services.get(issues).byId(id))!;
  };
  const inboxOf = async (user: KitUser) =>
    (await signIn(host, (await host.services.get(accounts).byId(user.id))!).inject('/notifications')).payload;

  it('P7: a channel is given what is told, with those who may read it and why, but not whose deed it was', async () => {
    await openDesk('desk');
    expect(
      pushed.map(({ repository, receivers }) => [repository?.name, receivers.map((one) => one.account.name)]),
    ).to.equal([['desk', ['ada']]]);
    expect(pushed[0]!.receivers[0]!.reason).to.equal('watching');
    expect(stored).to.equal(1);
  });

  it('P7: a channel that throws keeps nothing from the inbox', async () => {
    isBroken = true;
    await openDesk('broken');
    expect([stored, (await inboxOf(ada)).includes('ada/broken')]).to.equal([0, true]);
  });

  it('P7: a reason is shown in the words of its plugin, and takes the place of an impersonal one', async () => {
    const issue = await openDesk('ward');
    await host.services
      .get(notifications)
      .notify({ subject: { issue }, actorId: ben.id, userIds: [ada.id], reason: 'on_call', at: Date.now() + 1000 });
    expect(await inboxOf(ada)).to.include('You are on call');
  });

  it('P7: a reason that nobody declared is refused with the remedy', async () => {
    const issue = await openDesk('shed');
    const notifying = host.services
      .get(notifications)
      .notify({ subject: { issue }, actorId: ben.id, reason: 'boredom' });
    await expect(notifying).to.reject(/unknown reason "boredom"; contribute it to the point notifications.reasons/);
  });
});
