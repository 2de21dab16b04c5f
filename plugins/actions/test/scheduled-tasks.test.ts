import { expect } from '@hapi/code';
import * as Lab from '@hapi/lab';
import { scheduledTasks } from '@mortise/plugin-sdk';
import { startHost, type TestHost } from '@mortise/plugin-sdk/testing';

export const lab = Lab.script();
const { describe, it, afterEach } = lab;

describe('scheduled tasks of Actions', { timeout: 120_000 }, () => {
  let host: TestHost;
  afterEach(() => host?.close());
  const tasks = async () =>
    new Map((await host.services.get(scheduledTasks).list()).map(({ name, schedule }) => [name, schedule]));

  it('have the times of their sections, and are not there where these switch them off', async () => {
    host = await startHost({
      plugins: ['actions'],
      settings: {
        'cron.stop_zombie_tasks': { SCHEDULE: '@every 7m' },
        'cron.cancel_abandoned_jobs': { ENABLED: false },
        'cron.cleanup_actions': { SCHEDULE: '30 2 * * *' },
      },
    });
    const found = await tasks();
    expect(found.get('stop_zombie_tasks')).to.equal('@every 7m');
    expect(found.get('stop_endless_tasks')).to.equal('@every 30m');
    expect(found.get('start_schedule_tasks')).to.equal('* * * * *');
    expect(found.get('cleanup_actions')).to.equal('30 2 * * *');
    expect(found.has('cancel_abandoned_jobs')).to.be.false();
  });

  it('run at the start where their sections say so', async () => {
    const waiting = async () => {
      const rows = (await host.database.knex()('job').select('*')) as { readonly kind: string }[];
      return JSON.stringify(rows).includes('actions.stopEndless');
    };
    host = await startHost({ plugins: ['actions'] });
    expect(await waiting()).to.be.false();
    await host.close();
    host = await startHost({ plugins: ['actions'], settings: { 'cron.stop_endless_tasks': { RUN_AT_START: true } } });
    expect(await waiting()).to.be.true();
  });
});
