import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { anonymous } from '@mortise/plugin-sdk';
import { createAccount } from '@mortise/accounts/testing';
import { activityEvents, type NewActivityEvent } from '@mortise/activity-events/api';
import { createRepository } from '@mortise/repositories/testing';
import { webhooks } from '../contract/webhooks.js';
import { DeliveryKit, hooksApi } from './delivery-kit.js';

export const lab = Lab.script();
const { describe, it, before, after, beforeEach } = lab;

describe('deliveries', () => {
  let kit: DeliveryKit;
  before(async () => {
    kit = await DeliveryKit.start();
  });
  after(() => kit?.close());
  beforeEach(() => kit.reset());

  it('are counted for whoever watches: those that wait, and those that failed (F11)', async () => {
    const counted = async (state: string) => {
      const { payload } = await kit.host.inject('/metrics');
      return Number(new RegExp(`^mortise_webhook_deliveries\\{state="${state}"\\} (\\d+)$`, 'm').exec(payload)?.[1]);
    };
    const failed = await counted('failed');
    const { id } = await kit.make();
    kit.answers = [{ status: 404 }];
    await kit.greet();
    expect(await counted('waiting')).to.equal(1);
    await kit.host.settle();
    expect([await counted('waiting'), await counted('failed')]).to.equal([0, failed + 1]);
    await kit.drop(id);
  });

  it('hears what is recorded, once, with its line', async () => {
    const { id } = await kit.make();
    const greeting = {
      id: 'greeting-1',
      kind: 'greeting',
      action: 'shouted',
      resource: { id: 7, title: 'everybody', repositoryId: kit.repository.id },
      actorId: kit.ada.account.id,
      data: { word: 'hello' },
    };
    const record = (...list: object[]) => kit.host.services.get(activityEvents).record(list as NewActivityEvent[]);
    await record(greeting, { ...greeting, id: 'greeting-2', action: 'whispered' }, { ...greeting, kind: 'unknown' });
    await record(greeting);
    // what is heard late happened before the hook was there
    await record({ ...greeting, id: 'greeting-0', at: Date.now() - 3_600_000 });
    await kit.host.settle();
    expect(kit.received.map(({ body }) => body)).to.equal([
      JSON.stringify({ event: 'greeting', payload: { action: 'shouted', word: 'hello' } }),
    ]);
    expect(JSON.parse(String((await kit.delivery()).description))).to.equal({
      title: `${kit.ada.account.id} greets everybody`,
      url: 'http://localhost/hello',
      tone: 'positive',
    });
    await kit.drop(id);
  });

  it('is told nothing where no hook listens, and from the first hook on everything', async () => {
    const { services, database } = kit.host;
    const record = () =>
      services.get(activityEvents).record([
        {
          kind: 'greeting',
          action: 'shouted',
          resource: { id: 7, title: 'everybody', repositoryId: kit.repository.id },
          actorId: kit.ada.account.id,
          data: {},
        } as NewActivityEvent,
      ]);
    const waiting = async () => {
      const rows = await database.knex()('event_delivery').where('subscriber', 'webhooks/activity-events');
      return rows.length;
    };
    await record();
    // whether nobody listens is known for a moment only, on MySQL, which may be over
    for (let tries = 0; tries === 0 || ((await waiting()) > 0 && tries < 20); tries++) {
      await kit.host.settle();
      await database.syncVersions();
      await record();
    }
    expect(await waiting()).to.equal(0);
    const { id } = await kit.make();
    await record();
    // with the change, not after it
    expect(await waiting()).to.equal(0);
    expect(await database.knex()('hook_delivery').where({ hook_id: id })).to.have.length(1);
    await kit.host.settle();
    expect(kit.received).to.have.length(1);
    await kit.drop(id);
  });

  it('sends the same once, however often it is told', async () => {
    const { id } = await kit.make();
    await kit.greet('g1');
    await kit.greet('g1');
    await kit.host.settle();
    expect(kit.received).to.have.length(1);
    await kit.drop(id);
  });

  it('tries again while the receiver is unwell, and gives up where that makes no sense', async () => {
    const { id } = await kit.make();
    kit.answers = [{ status: 503 }, { status: 200 }];
    await kit.greet();
    await kit.host.events.deliverAll();
    await kit.host.jobs.runDue();
    expect((await kit.delivery()).state).to.equal('waiting');
    await kit.host.jobs.runDue(Date.now() + 60_000);
    expect((await kit.delivery()).state).to.equal('succeeded');
    kit.answers = [{ status: 410 }];
    await kit.greet();
    await kit.host.settle();
    const row = await kit.delivery();
    expect(row.state).to.equal('failed');
    expect(row.attempts).to.equal(1);
    await kit.drop(id);
  });

  it('HOK-26: hooks have a kind that is there, an address and a type of content', async () => {
    const config = { url: kit.address, content_type: 'json', room: 'hall' };
    const made = async (option: object) =>
      (await kit.ada.inject({ method: 'POST', url: hooksApi, payload: { type: 'plain', config, ...option } }))
        .statusCode;
    const { url, content_type, room } = config;
    for (const option of [
      { type: 'pigeon' },
      { type: '' },
      { config: { content_type, room } },
      { config: { url, room } },
      { config: { url: 'mailto:ada@example.com', content_type, room } },
      { config: { url, room, content_type: 'xml' } },
    ])
      expect(await made(option), JSON.stringify(option)).to.equal(422);
    expect((await kit.ada.inject(hooksApi)).json).to.equal([]);
  });

  it('S5: deliveries share their slots by account', async () => {
    const other = await createRepository(kit.host, kit.ada.account, 'other');
    const ben = await createAccount(kit.host, 'bea');
    const levels = kit.host.services.get(webhooks).hooks;
    const option = {
      type: 'plain',
      active: true,
      events: ['greeting'],
      config: { url: kit.address, content_type: 'json', room: 'hall' },
    };
    const owners = [
      { ownerKind: 'repository', ownerId: kit.repository.id },
      { ownerKind: 'repository', ownerId: other.id },
      { ownerKind: 'user', ownerId: kit.ada.account.id },
      { ownerKind: 'user', ownerId: ben.id },
      { ownerKind: 'system', ownerId: 0 },
    ] as const;
    for (const place of owners) await levels.create(place, option, anonymous);
    for (const repositoryId of [kit.repository.id, other.id, undefined])
      await kit.host.services.get(webhooks).deliver({
        eventType: 'greeting',
        repositoryId,
        ownerId: repositoryId ? undefined : ben.id,
        payload: () => ({}),
      });
    const jobs = (await kit.host.database.knex()('job').where({ name: 'webhooks.deliver', state: 'waiting' })) as {
      payload: string;
      group_key: string;
    }[];
    const groups = new Map<string, Set<string>>();
    for (const { payload, group_key: group } of jobs) {
      const row = await kit.host.database
        .knex()('hook_delivery')
        .join('webhook', 'webhook.id', 'hook_id')
        .where('hook_delivery.id', (JSON.parse(payload) as { deliveryId: number }).deliveryId)
        .first('owner_kind', 'owner_id');
      const owner =
        row.owner_kind === 'user' && row.owner_id === ben.id ? 'ben' : row.owner_kind === 'system' ? 'site' : 'ada';
      groups.set(owner, (groups.get(owner) ?? new Set()).add(group));
    }
    expect([...groups.keys()].sort()).to.equal(['ada', 'ben', 'site']);
    expect([...groups.values()].map((keys) => keys.size)).to.equal([1, 1, 1]);
    expect(new Set([...groups.values()].flatMap((keys) => [...keys])).size).to.equal(3);
    await kit.host.settle();
    for (const place of owners) await levels.deleteAll(place);
  });

  it('forgets the hooks of a deleted repository and tells its owner’s', async () => {
    const own = await kit.ada.inject({
      method: 'POST',
      url: '/api/v1/user/hooks',
      payload: {
        type: 'plain',
        active: true,
        events: ['repository'],
        config: { url: kit.address, content_type: 'json', room: 'own' },
      },
    });
    expect(own.statusCode).to.equal(201);
    await kit.make();
    expect((await kit.ada.inject({ method: 'DELETE', url: '/api/v1/repos/ada/tool' })).statusCode).to.equal(204);
    await kit.host.settle();
    const heard = kit.received.map(
      ({ body }) =>
        JSON.parse(body) as { event: string; payload: { action: string; repository: { full_name: string } } },
    );
    expect(heard.map(({ event, payload }) => `${event} ${payload.action} ${payload.repository.full_name}`)).to.equal([
      'repository deleted ada/tool',
    ]);
    expect(await kit.host.database.knex()('webhook').where({ owner_kind: 'repository' })).to.have.length(0);
  });
});
