import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { startHost, type TestHost } from '@mortise/plugin-sdk/testing';
import { signUp } from '@mortise/accounts/testing';
import { repositories } from '@mortise/repositories/api';
import { statusNumbers } from '../contract/states.js';
import { makeTask, type TaskOptions } from './rows.js';

export const lab = Lab.script();
const { describe, it, before, after } = lab;
const { failure, success } = statusNumbers;

describe('failed runs on the dashboard', { timeout: 60_000 }, () => {
  let host: TestHost;
  let ada: Awaited<ReturnType<typeof signUp>>;
  before(async () => {
    host = await startHost({ plugins: ['actions', 'activity'] });
    ada = await signUp(host, 'ada');
    await ada.inject({ method: 'POST', url: '/api/v1/user/repos', payload: { name: 'mill' } });
  });
  after(() => host.close());

  const home = async (by: Pick<TestHost, 'inject'> = ada) => (await by.inject('/')).payload;
  const run = async (options: TaskOptions) => {
    const mill = (await host.services.get(repositories).byPath('ada', 'mill'))!;
    return (await makeTask(host, mill, options)).run;
  };
  const change = (id: number, values: object) =>
    host.database.write(async () => {
      await host.database.knex()('action_run').where('id', id).update(values);
    });

  it('stand there for who started them, until the workflow runs there again', async () => {
    expect(await home()).to.not.include('Failed runs');
    const failed = await run({ status: failure });
    const path = `/ada/mill/actions/runs/${failed.id}`;
    expect(await home()).to.include(['Waiting for you', 'Failed runs that you started', path, 'ada/mill · build']);
    const ben = await signUp(host, 'ben');
    expect(await home(ben)).to.not.include('Failed runs');
    await run({ status: success, ref: 'refs/heads/other' });
    expect(await home()).to.include(path);
    await run({ status: success });
    expect(await home()).to.not.include('Failed runs');
  });

  it('are forgotten after a week, and where one may not read them any more', async () => {
    const { id } = await run({ status: failure, ref: 'refs/heads/late' });
    const path = `/ada/mill/actions/runs/${id}"`;
    expect(await home()).to.include(path);
    const ben = await signUp(host, 'cas');
    await change(id, { trigger_user_id: ben.actor.id });
    expect(await home(ben)).to.include(path);
    await ada.inject({ method: 'PATCH', url: '/api/v1/repos/ada/mill', payload: { private: true } });
    expect(await home(ben)).to.not.include(path);
    await change(id, { trigger_user_id: ada.actor.id, created_at: Date.now() - 8 * 86_400_000 });
    expect(await home()).to.not.include(path);
  });
});
