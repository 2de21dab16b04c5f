import { expect } from '@hapi/code';
import * as Lab from '@hapi/lab';
import { registrationTokens, runnerService, siteScope, taskIdentities } from '../api.js';
import { ScopedSourceRow } from '../models/scoped-source.js';
import { Mill, workflowText } from './run-kit.js';

export const lab = Lab.script();
const { describe, it, before, after } = lab;

describe('a repository that gets another owner', () => {
  let mill: Mill;
  before(async () => {
    mill = await Mill.start();
    await mill.workflow('hand.yml', workflowText('workflow_dispatch', { one: '', two: 'needs: one' }));
  });
  after(() => mill.host.close());

  const begin = async () => {
    const url = `${mill.api}/actions/workflows/hand.yml/dispatches?return_run_details=true`;
    return Number((await mill.send('POST', url, { ref: 'main' })).body.workflow_run_id);
  };

  it('takes no run along that goes on, and the next owner is that of all its rows (ACT-58)', async () => {
    const { database, services } = mill.host;
    const [ended, taken, waiting] = [await begin(), await begin(), await begin()];
    await mill.finish(ended, 'one');
    await mill.finish(ended, 'two', 'failure');
    const { token } = await claim();
    const identities = services.get(taskIdentities);
    expect((await identities.byToken(token))?.ownerId).to.equal(mill.ada.account.id);
    const { id: repositoryId } = (await mill.send('GET', mill.api)).body;
    const source = { source_repo_id: Number(repositoryId), workflow_configs: {}, created_at: 1 };
    await database.write(() => database.query(ScopedSourceRow).insert({ owner_id: 0, ...source }));

    expect((await mill.send('POST', `${mill.api}/transfer`, { new_owner: 'ben' })).status).to.equal(201);
    expect((await mill.send('POST', `${mill.api}/transfer/accept`, undefined, mill.ben)).status).to.equal(202);
    await mill.host.settle();
    expect(await mill.jobs(ended)).to.equal({ one: 'success', two: 'failure' });
    expect(await mill.jobs(taken)).to.equal({ one: 'cancelled', two: 'cancelled' });
    expect(await mill.jobs(waiting)).to.equal({ one: 'cancelled', two: 'cancelled' });
    expect(await identities.byToken(token)).to.be.undefined();
    for (const table of ['action_run', 'action_job', 'action_task']) {
      const owners: { owner_id: number }[] = await database.knex()(table).distinct('owner_id');
      expect(owners.map((one) => one.owner_id)).to.equal([mill.ben.account.id]);
    }
    expect(await database.query(ScopedSourceRow).resultSize()).to.equal(0);

    const again = await mill.send('POST', `/api/v1/repos/ben/mill/actions/runs/${ended}/rerun`, undefined, mill.ben);
    expect(again.status).to.equal(201);
    expect((await mill.rows(ended)).map((row) => row.owner_id)).to.equal([mill.ben.account.id, mill.ben.account.id]);
  });

  /** What a runner of the site is given. */
  async function claim(): Promise<{ token: string }> {
    const gateway = mill.host.services.get(runnerService);
    const token = await mill.host.services.get(registrationTokens).current(siteScope);
    const made = await gateway.register({
      token,
      name: 'one',
      version: 'v1',
      labels: ['linux'],
      isEphemeral: false,
      capabilities: [],
    });
    const { task } = await gateway.fetch(made.runner, 0n, new AbortController().signal);
    return { token: String(task!.context.token) };
  }
});
