import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { database as databaseRef } from '@mortise/plugin-sdk';
import { catalogueProblems, pageIn, submitForm, type TestClient } from '@mortise/plugin-sdk/testing';
import { createRepository, startScene, type Scene } from '@mortise/repositories/testing';
import type { Repository } from '@mortise/repositories/api';
import { registrationTokens, siteScope, statusNumbers } from '../api.js';
import { repositoryScope } from '../contract/scopes.js';
import { tokenSettings } from '../contract/token-settings.js';
import { variables } from '../contract/secrets.js';
import { RegistrationRow } from '../models/registration.js';
import { RunnerRow } from '../models/runner.js';
import { RunnerActivityRow } from '../models/runner-activity.js';
import { RunRow } from '../models/run.js';
import { endTask, makeTask } from '../testing.js';
import { t } from '../texts/index.js';

export const lab = Lab.script();
const { describe, it, before, after } = lab;

describe('settings of Actions on pages', { timeout: 120_000 }, () => {
  let scene: Scene;
  let repositoryId: number;
  const page = async (client: Pick<TestClient, 'inject'>, path: string, status = 200) => {
    const answer = await client.inject(path);
    expect(answer.statusCode, path).to.equal(status);
    return answer.payload;
  };
  const makeRunner = async (name: string, scope: { owner_id?: number; repository_id?: number } = {}) => {
    const database = scene.host.services.get(databaseRef);
    return database.write(async () => {
      const { id } = await database.query(RunnerRow).insertAndFetch({
        ...{ uuid: name.padEnd(36, '0'), name, owner_id: 0, repository_id: 0, description: '' },
        ...{ token_hash: '', token_salt: '', version: 'v1', labels: ['linux'], used_by_task: null },
        ...{ is_ephemeral: false, is_disabled: false, can_cancel: true, created_at: 1, updated_at: 1 },
        ...scope,
      });
      await database.query(RunnerActivityRow).insert({ runner_id: id, online_at: 0, active_at: 0 });
      return id;
    });
  };

  before(async () => {
    scene = await startScene({ plugins: ['actions', 'organizations', 'admin'] });
    repositoryId = (await createRepository(scene.host, scene.ada.account, 'tool')).id;
  });
  after(() => scene?.host.close());

  it('the catalogues agree with each other', () => {
    expect(catalogueProblems(t.catalogue)).to.equal([]);
  });

  it('every level has its pages, for those who administer it', async () => {
    const { ada, ben, root } = scene;
    for (const name of ['general', 'runners', 'secrets', 'variables']) {
      expect(await page(ada, `/ada/tool/settings/actions/${name}`)).to.include(`actions/${name}" aria-current="page"`);
      expect([403, 404]).to.include((await ben.inject(`/ada/tool/settings/actions/${name}`)).statusCode);
      await page(ada, `/user/settings/actions/${name}`);
    }
    for (const name of ['runners', 'runs', 'variables']) {
      await page(root, `/-/admin/actions/${name}`);
      await page(ada, `/-/admin/actions/${name}`, 403);
    }
    expect(await pageIn(ada, 'de', '/user/settings/actions/secrets')).to.include('Keine Secrets');
    expect(await pageIn(ada, 'zh-CN', '/user/settings/actions/secrets')).to.include('没有密钥');
  });

  it('secrets are kept and deleted, and their values never shown', async () => {
    const { ada } = scene;
    const base = '/ada/tool/settings/actions/secrets';
    const made = await submitForm(ada, base, { name: 'token_a', data: 'hidden words', description: 'for the tests' });
    expect(made.statusCode).to.equal(303);
    const list = await page(ada, base);
    expect(list).to.include(['TOKEN_A', 'for the tests']).and.not.to.include('hidden words');
    const refused = await submitForm(ada, base, { name: '1st', data: 'hidden words' });
    expect(refused.statusCode).to.equal(422);
    expect(refused.payload).to.include('value="1st"').and.not.to.include('hidden words');
    expect((await submitForm(ada, `${base}/delete`, { name: 'TOKEN_A' })).statusCode).to.equal(303);
    expect(await page(ada, base)).not.to.include('TOKEN_A');
  });

  it('variables are made, changed and deleted', async () => {
    const { ada, host } = scene;
    const base = '/ada/tool/settings/actions/variables';
    expect((await submitForm(ada, base, { name: 'color', value: 'red' })).statusCode).to.equal(303);
    const taken = await submitForm(ada, base, { name: 'color', value: 'blue' });
    expect(taken.statusCode).to.equal(422);
    expect(taken.payload).to.include('blue');
    await submitForm(ada, base, { before: 'COLOR', name: 'paint', value: 'a < b' });
    expect((await host.services.get(variables).find(repositoryScope(repositoryId), 'PAINT')).value).to.equal('a < b');
    expect(await page(ada, base))
      .to.include(['PAINT', 'a &lt; b'])
      .and.not.to.include('COLOR');
    expect((await submitForm(ada, `${base}/delete`, { name: 'PAINT' })).statusCode).to.equal(303);
    expect((await submitForm(ada, `${base}/delete`, { name: 'PAINT' })).statusCode).to.equal(422);
  });

  it('looking at runners makes no registration token; asking for it does', async () => {
    const { ada, host } = scene;
    const base = '/ada/tool/settings/actions/runners';
    const own = await makeRunner('weaver', { repository_id: repositoryId });
    await makeRunner('spinner');
    const rows = () => host.services.get(databaseRef).query(RegistrationRow).resultSize();
    const before = await rows();
    const list = await page(ada, base);
    expect(list).to.include(['weaver', 'spinner', 'linux', 'Offline']);
    expect(await rows()).to.equal(before);
    const shown = await submitForm(ada, `${base}/token`);
    const token = await host.services.get(registrationTokens).current(repositoryScope(repositoryId));
    expect(shown.payload).to.include(token);
    const reset = await submitForm(ada, `${base}/reset-token`);
    expect(reset.payload).not.to.include(token);

    await submitForm(ada, `${base}/${own}`, { description: 'the loom', disabled: 'on' });
    expect(await page(ada, `${base}/${own}`)).to.include(['the loom', 'Disabled']);
    expect((await submitForm(ada, `${base}/${own}/delete`)).statusCode).to.equal(303);
    await page(ada, `${base}/${own}`, 404);
  });

  it('a runner of another scope is out of reach; administrators act on several at once', async () => {
    const { ada, root, host } = scene;
    const ids = [await makeRunner('one'), await makeRunner('two')];
    await page(ada, `/ada/tool/settings/actions/runners/${ids[0]}`, 404);
    // deleting is asked for once more
    expect((await root.inject('/-/admin/actions/runners')).payload).to.include('All that are selected are deleted');
    const bulk = (what: string) =>
      submitForm(root, '/-/admin/actions/runners/bulk', [
        ['what', what],
        ...ids.map((id): [string, string] => ['id', String(id)]),
      ]);
    const database = host.services.get(databaseRef);
    expect((await bulk('disable')).statusCode).to.equal(303);
    expect((await database.query(RunnerRow).findByIds(ids)).map((row) => row.is_disabled)).to.equal([true, true]);
    await bulk('enable');
    expect((await database.query(RunnerRow).findByIds(ids)).map((row) => row.is_disabled)).to.equal([false, false]);
    await bulk('delete');
    expect(await database.query(RunnerRow).findByIds(ids)).to.have.length(0);
    expect(await host.services.get(variables).list(siteScope, { limit: 1, offset: 0 })).to.include({ total: 0 });
  });

  it('administrators of the site find, cancel and delete runs of all repositories', async () => {
    const { host, root, ada } = scene;
    const database = host.services.get(databaseRef);
    const own = { id: repositoryId, ownerId: ada.account.id } as Repository;
    const [open, ended] = [await makeTask(host, own), await makeTask(host, own)];
    await endTask(host, ended);
    const runs = '/-/admin/actions/runs';
    await page(ada, runs, 403);
    const shown = async (query = '') => {
      const html = await page(root, `${runs}?${query}`);
      return [...html.matchAll(/name="id" value="(\d+)"/g)].map(([, id]) => Number(id));
    };
    expect(await shown()).to.equal([ended.run.id, open.run.id]);
    expect(await shown('repository=ada/tool&actor=ada&status=6')).to.equal([open.run.id]);
    for (const none of ['repository=ada/none', 'repository=x', 'actor=nobody', 'status=2'])
      expect(await shown(none), none).to.equal([]);
    expect(await shown('status=nonsense')).to.have.length(2);
    const act = (what: string) =>
      submitForm(root, `${runs}/bulk?repository=ada%2Ftool`, [
        ['what', what],
        ...[open.run.id, ended.run.id, 9999].map((id): [string, string] => ['id', String(id)]),
      ]);
    expect((await submitForm(ada, `${runs}/bulk`, { what: 'cancel', id: '1' })).statusCode).to.equal(403);
    const forced = await act('force');
    expect(forced.statusCode).to.equal(303);
    expect(forced.headers.location).to.match(/\?repository=ada%2Ftool&.*done=\d&refused=\d$/);
    expect(await page(root, `${runs}?done=1&refused=2`)).to.include('1 run done; 2 runs were not');
    const rows = await database.query(RunRow).orderBy('id');
    expect(rows.map(({ status }) => status)).to.equal([statusNumbers.cancelled, statusNumbers.success]);
    expect((await act('delete')).statusCode).to.equal(303);
    expect(await shown()).to.equal([]);
  });

  it('permissions of job tokens are set for a repository and its owner', async () => {
    const { ada, ben, host } = scene;
    const base = '/ada/tool/settings/actions/general';
    const store = host.services.get(tokenSettings);
    const form = { mode: 'restricted', ceiling_code: 'read', ceiling_wiki: 'none', overrides: 'on', names: 'ben' };
    expect((await submitForm(ada, base, form)).statusCode).to.equal(303);
    expect(await store.ofRepository(repositoryId)).to.equal({
      mode: 'restricted',
      ceiling: { code: 'read', wiki: 'none' },
      overridesOwner: true,
      collaborativeOwnerIds: [ben.account.id],
    });
    expect(await page(ada, base)).to.include('value="ben"');
    const unknown = await submitForm(ada, base, { ...form, names: 'nobody' });
    expect(unknown.statusCode).to.equal(422);
    expect(unknown.payload).to.include('nobody');
    await submitForm(ada, '/user/settings/actions/general', { mode: 'permissive', names: 'tool' });
    expect((await store.ofOwner(ada.account.id)).allowedRepositoryIds).to.equal([repositoryId]);
  });
});
