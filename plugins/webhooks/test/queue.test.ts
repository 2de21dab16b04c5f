import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { submitForm } from '@mortise/plugin-sdk/testing';
import { webhooks } from '../contract/webhooks.js';
import { pauseAfter } from '../services/delivery-sender.js';
import { DeliveryKit } from './delivery-kit.js';

export const lab = Lab.script();
const { describe, it, before, after, beforeEach } = lab;

const hour = 3_600_000;
const engine = process.env.MORTISE_TEST_ENGINE;

describe('deliveries of one hook', () => {
  let kit: DeliveryKit;
  let id = 0;
  before(async () => {
    kit = await DeliveryKit.start();
  });
  after(() => kit?.close());
  beforeEach(async () => {
    kit.reset();
    if (id) await kit.drop(id);
    ({ id } = await kit.make());
  });

  const tell = async (count: number, from = 0) => {
    for (let n = from; n < from + count; n++)
      await kit.host.services
        .get(webhooks)
        .deliver({ eventType: 'greeting', repositoryId: kit.repository.id, payload: () => ({ n }) });
  };
  const heard = () => kit.received.map(({ body }) => (JSON.parse(body) as { payload: { n: number } }).payload.n);
  const numbers = (count: number) => Array.from({ length: count }, (_, n) => n);
  const page = () => kit.ada.inject(`/ada/tool/settings/hooks/${id}`);

  it('go out once each and in their order, however many jobs run at once', async () => {
    await tell(30);
    await kit.host.settle();
    expect(heard()).to.equal(numbers(30));
  });

  it('lose nothing while a receiver is down for an hour, and ask it rarely', async () => {
    await tell(3);
    kit.answers = Array.from({ length: 100 }, () => ({ status: 503 }));
    const start = Date.now();
    for (let minute = 0; minute < 60; minute++) {
      if (minute === 30) await tell(3, 3);
      await kit.host.jobs.runDue(start + minute * 60_000);
    }
    expect(kit.received.length).to.be.between(4, 12);
    expect(new Set(heard())).to.equal(new Set([0]));
    kit.reset();
    await kit.host.jobs.runDue(Date.now() + 2 * hour);
    expect(heard()).to.equal(numbers(6));
    expect(await kit.host.database.knex()('hook_delivery').where({ hook_id: id, state: 'waiting' })).to.have.length(0);
  });

  it('ask a receiver that has been dead for a day once an hour, and give up what is as old', async () => {
    await tell(8);
    const deliveries = () => kit.host.database.knex()('hook_delivery').where({ hook_id: id }).orderBy('id');
    const all = (await deliveries()) as { id: number }[];
    await kit.host.database.write(() =>
      kit.host.database
        .knex()('hook_delivery')
        .whereIn(
          'id',
          all.slice(0, 5).map((one) => one.id),
        )
        .update({ created_at: Date.now() - 25 * hour }),
    );
    kit.answers = Array.from({ length: 100 }, () => ({ status: 503 }));
    const start = Date.now();
    await kit.host.jobs.runDue(start);
    // one was asked for, the others that are as old were not sent
    expect(heard()).to.equal([0]);
    const states = ((await deliveries()) as { state: string }[]).map(({ state }) => state);
    expect(states).to.equal([...Array(5).fill('failed'), ...Array(3).fill('waiting')]);
    expect((await page()).payload).to.contain('3 deliveries wait.');
    await kit.host.jobs.runDue(start + 50 * 60_000);
    expect(heard()).to.equal([0]);
    kit.answers = [];
    await kit.host.jobs.runDue(start + 2 * hour);
    expect(heard()).to.equal([0, 5, 6, 7]);
  });

  it('make no event wait, however many are queued: it costs what it costs an empty queue', async () => {
    const knex = kit.host.database.knex();
    const heard: string[] = [];
    const listen = ({ sql }: { readonly sql: string }) => void heard.push(sql);
    const costs = async () => {
      heard.length = 0;
      // who listens is known only while all that others have committed is
      await kit.host.database.syncVersions();
      await kit.host.database.write(async () => {
        (kit.host.database.knex() as unknown as NodeJS.EventEmitter).on('query', listen);
        await tell(1);
      });
      return [...heard];
    };
    const jobs = async () => (await knex('job').where({ name: 'webhooks.deliver', state: 'waiting' })).length;
    await tell(1);
    const empty = await costs();
    const [{ id: _id, ...row }] = (await knex('hook_delivery').where({ hook_id: id }).limit(1)) as [{ id: number }];
    await kit.host.database.write(async () => {
      for (let at = 0; at < 10_000; at += 500)
        await kit.host.database
          .knex()('hook_delivery')
          .insert(Array.from({ length: 500 }, (_, n) => ({ ...row, uuid: `queued-${at + n}`, payload: '{"n":-1}' })));
    });
    const more = await costs();
    // statements of SQLite are not told to who listens
    if (engine === 'mysql') {
      expect(empty.filter((sql) => /^insert into .hook_delivery/.test(sql))).to.have.length(1);
      expect(more).to.equal(empty);
    }
    // one job sends them all
    expect(await jobs()).to.equal(1);
    // whoever looks for the next one to send does not go through what waits
    const { sql, bindings } = knex('hook_delivery')
      .select('id')
      .where({ hook_id: id, state: 'waiting' })
      .orderBy('id')
      .limit(1)
      .toSQL()
      .toNative();
    const plan = JSON.stringify(
      await knex.raw(`${engine === 'mysql' ? 'explain' : 'explain query plan'} ${sql}`, [...bindings]),
    );
    expect(plan)
      .to.include('hook_delivery_queue')
      .and.to.not.match(/temp b-tree|filesort/i);
  });

  it('are told on the page while the receiver takes nothing, and tried again at once when asked to', async () => {
    kit.answers = [{ status: 503 }];
    await tell(2);
    await kit.host.jobs.runDue();
    expect((await page()).payload)
      .to.contain('has not taken any delivery since')
      .and.contain('2 deliveries wait.');
    expect((await submitForm(kit.ada, `/ada/tool/settings/hooks/${id}/wake`)).statusCode).to.be.within(302, 303);
    await kit.host.jobs.runDue();
    expect(heard()).to.equal([0, 0, 1]);
    expect((await page()).payload).to.not.contain('has not taken any delivery since');
  });

  it('are taken up again when whoever sent one has died', async () => {
    await tell(2);
    const lease = (until: number) =>
      kit.host.database.write(() =>
        kit.host.database
          .knex()('hook_delivery')
          .where({ hook_id: id, state: 'waiting' })
          .update({ lease_until: until }),
      );
    await lease(Date.now() + hour);
    await kit.host.jobs.runDue();
    expect(heard()).to.equal([]);
    await lease(1);
    await kit.host.jobs.runDue(Date.now() + hour);
    expect(heard()).to.equal([0, 1]);
  });

  it('U17: go before one that the receiver answers with 500, which is tried again', async () => {
    kit.answers = [{ status: 500 }];
    await tell(3);
    await kit.host.jobs.runDue();
    expect(heard()).to.equal([0, 1, 2]);
    expect((await page()).payload).to.contain('later deliveries are sent before it');
    await kit.host.database.write(() =>
      kit.host.database.knex()('hook_delivery').where({ hook_id: id, state: 'waiting' }).update({ next_attempt_at: 1 }),
    );
    await kit.host.jobs.runDue(Date.now() + 60_000);
    expect(heard()).to.equal([0, 1, 2, 0]);
    expect((await page()).payload).to.not.contain('later deliveries are sent before it');
  });

  it('U17: keep their order for some minutes, then later ones are tried, and all go out when one is taken', async () => {
    const start = Date.now();
    kit.answers = Array.from({ length: 100 }, () => ({ status: 503 }));
    await tell(4);
    for (const minutes of [0, 1, 2]) await kit.host.jobs.runDue(start + minutes * 60_000);
    expect([...new Set(heard())]).to.equal([0]);
    await kit.host.database.write(() =>
      kit.host.database
        .knex()('webhook')
        .where({ id })
        .update({ failing_since: start - 6 * 60_000 }),
    );
    // another one asks each time, after a pause as long as the trouble
    await kit.host.jobs.runDue(start + 3 * 60_000);
    const held = await kit.host.database
      .knex()('hook_delivery')
      .where({ hook_id: id, state: 'waiting', overtaken: false })
      .orderBy('id')
      .first();
    expect(Number(held.next_attempt_at) - start).to.be.between(5 * 60_000, 8 * 60_000);
    for (let minutes = 8; minutes < 60; minutes++) await kit.host.jobs.runDue(start + minutes * 60_000);
    expect([...new Set(heard())]).to.equal([0, 1, 2, 3]);
    // the one that asked so often was given up; the others were not forgotten with it
    expect((await kit.delivery()).state).to.equal('failed');
    kit.reset();
    await kit.host.jobs.runDue(start + 2 * hour);
    expect([...heard()].sort()).to.equal([0, 1, 2]);
    expect((await page()).payload).to.not.contain('has not taken any delivery since');
  });

  it('U17: are taken with 2xx however long the answer is; its beginning is stored', async () => {
    kit.answers = [{ status: 200, text: 'x'.repeat(3_000_000) }];
    await tell(1);
    await kit.host.settle();
    const { state, response } = await kit.delivery();
    expect(state).to.equal('succeeded');
    expect(String(response).length).to.be.between(60_000, 70_000);
  });

  it('are not held up by one that the receiver refuses', async () => {
    kit.answers = [{ status: 400 }];
    await tell(2);
    await kit.host.settle();
    expect(heard()).to.equal([0, 1]);
  });

  it('have pauses that grow to an hour and fill a day', () => {
    const pauses = Array.from({ length: 40 }, (_, at) => pauseAfter(at + 1));
    expect(pauses[0]).to.equal(15_000);
    expect(Math.max(...pauses)).to.equal(hour);
    expect(pauses.reduce((sum, one) => sum + one, 0)).to.be.above(24 * hour);
  });
});
