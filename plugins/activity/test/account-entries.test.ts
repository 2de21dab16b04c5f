import { expect } from '@hapi/code';
import * as Lab from '@hapi/lab';
import { scheduledTasks } from '@mortise/plugin-sdk';
import { redoMigration, startHost, type TestHost } from '@mortise/plugin-sdk/testing';
import { signUp } from '@mortise/accounts/testing';
import { activities } from '../contract/activity.js';

export const lab = Lab.script();
const { describe, it, before, after } = lab;

describe('activity of accounts without a repository', { timeout: 60_000 }, () => {
  let host: TestHost;
  let ada: Awaited<ReturnType<typeof signUp>>;
  before(async () => {
    host = await startHost({ plugins: ['activity'], settings: { 'cron.delete_old_actions': { ENABLED: true } } });
    ada = await signUp(host, 'ada');
    await ada.inject({ method: 'POST', url: '/api/v1/user/repos', payload: { name: 'desk' } });
  });
  after(() => host.close());

  const record = (title: string) =>
    host.services
      .get(activities)
      .record({ actorId: ada.actor.id, kind: 'create_project', ownerId: ada.actor.id, content: `1|${title}` });
  const rows = async () => {
    const knex = host.database.knex();
    const entries = await knex('activity').orderBy('id').select('kind', 'repository_id', 'content');
    return { entries, receivers: Number((await knex('activity_receiver').count({ count: '*' }).first())!.count) };
  };

  it('FED-01: the upgrade keeps entries of repositories and their receivers, and the way back drops those of accounts alone', async () => {
    await record('Light');
    const start = await rows();
    expect(start.entries.map((one) => one.kind)).to.equal(['create_repo', 'create_project']);
    expect([start.entries[1].repository_id, start.receivers]).to.equal([null, 2]);
    const kept = { entries: start.entries.slice(0, 1), receivers: 1 };
    await redoMigration(host, new URL('../migrations/0003_record_accounts.js', import.meta.url), async () => {
      expect(await rows()).to.equal(kept);
    });
    expect(await rows()).to.equal(kept);
    await record('Light');
    expect((await rows()).receivers).to.equal(2);
  });

  it('FED-01: entries of accounts are in no feed while no plugin says who may read them', async () => {
    await record('Dark');
    const { json } = await ada.inject('/api/v1/users/ada/activities/feeds');
    expect(json.map((one: { op_type: string }) => one.op_type)).to.equal(['create_repo']);
  });

  it('old entries go where the site says so, however many there are', async () => {
    const year = 365 * 86_400_000;
    const records = { actorId: ada.actor.id, kind: 'create_project', ownerId: ada.actor.id } as const;
    const service = host.services.get(activities);
    for (let n = 0; n < 510; n++)
      await service.record({ ...records, content: `1|Old ${n}`, at: Date.now() - year - 1 });
    await service.record({ ...records, content: '1|Young', at: Date.now() - year + 600_000 });
    const young = (await rows()).entries.filter(({ content }) => !content.startsWith('1|Old'));
    expect(await host.services.get(scheduledTasks).run('delete_old_actions')).to.be.true();
    await host.settle();
    expect(await rows()).to.equal({ entries: young, receivers: young.length });
  });

  it('FED-01: entries of an account go with it', async () => {
    const ben = await signUp(host, 'ben');
    await host.services
      .get(activities)
      .record({ actorId: ada.actor.id, kind: 'create_project', ownerId: ben.actor.id, content: '1|Gone' });
    const left = () => host.database.knex()('activity').where('content', '1|Gone').pluck('id');
    expect(await left()).to.have.length(1);
    await host.database.write(() => host.database.knex()('user').where('id', ben.actor.id).delete());
    expect(await left()).to.equal([]);
  });
});
