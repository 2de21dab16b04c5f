import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { database as databaseRef, type Database } from '@mortise/plugin-sdk';
import type { Repository } from '@mortise/repositories/api';
import { createRepository, send, startScene, type Scene } from '@mortise/repositories/testing';
import { registrationTokens } from '../api.js';
import { runners, type Runners } from '../contract/runners.js';
import { taskQueue } from '../contract/tasks.js';
import { RegistrationRow } from '../models/registration.js';
import { RunnerRow } from '../models/runner.js';
import { RunnerActivityRow } from '../models/runner-activity.js';
import { VersionRow } from '../models/version.js';
import { presetToken } from '../services/runners/registration.js';
import { fits, statusOf } from '../services/runners/runner-records.js';
import { registration as registrationService } from '../wiring/runners.js';

export const lab = Lab.script();
const { describe, it, before, after } = lab;

describe('runners', () => {
  let scene: Scene;
  let database: Database;
  let repository: Repository;
  let service: Runners;

  const make = (name: string, scope: { owner_id?: number; repository_id?: number } = {}) =>
    database.write(async () => {
      const row = await database.query(RunnerRow).insertAndFetch({
        uuid: `${name}-${'0'.repeat(36)}`.slice(0, 36),
        name,
        owner_id: 0,
        repository_id: 0,
        description: '',
        token_hash: '',
        token_salt: '',
        version: 'v1',
        labels: ['linux', 'big'],
        is_ephemeral: false,
        is_disabled: false,
        can_cancel: name.startsWith('new'),
        used_by_task: null,
        created_at: 1,
        updated_at: 1,
        ...scope,
      });
      await database.query(RunnerActivityRow).insert({ runner_id: row.id, online_at: 0, active_at: 0 });
      return row.id;
    });

  before(async () => {
    scene = await startScene({ plugins: ['actions', 'organizations'] });
    database = scene.host.services.get(databaseRef);
    service = scene.host.services.get(runners);
    repository = await createRepository(scene.host, scene.ada.account, 'tool');
  });
  after(() => scene?.host.close());

  it('ACT-24, ACT-53 to ACT-56: are listed, switched and deleted where they belong', async () => {
    const ofAda = await make('new one', { owner_id: scene.ada.account.id });
    const ofSite = await make('site');
    const list = await send(scene.ada, 'GET', '/user/actions/runners');
    expect(list.json).to.equal({
      runners: [
        {
          id: ofAda,
          name: 'new one',
          status: 'offline',
          busy: false,
          disabled: false,
          ephemeral: false,
          labels: [
            { id: 0, name: 'linux', type: 'custom' },
            { id: 1, name: 'big', type: 'custom' },
          ],
        },
      ],
      total_count: 1,
    });
    const path = `/user/actions/runners/${ofAda}`;
    expect((await send(scene.ada, 'PATCH', path, {})).statusCode).to.equal(422);
    expect((await send(scene.ada, 'PATCH', path, { disabled: true })).json.disabled).to.be.true();
    expect((await send(scene.ada, 'GET', '/user/actions/runners?disabled=false')).json.total_count).to.equal(0);
    for (const other of [
      `/user/actions/runners/${ofSite}`,
      `/repos/ada/tool/actions/runners/${ofAda}`,
      '/user/actions/runners/x',
    ])
      expect((await send(scene.ada, 'GET', other)).statusCode, other).to.equal(404);
    expect((await send(scene.root, 'GET', '/admin/actions/runners')).json.total_count).to.equal(2);
    expect((await send(scene.ada, 'GET', '/admin/actions/runners')).statusCode).to.equal(403);
    expect([...(await service.cancelling([ofAda, ofSite, 999]))]).to.equal([ofAda]);
    expect((await service.usableFor(repository)).map(({ name }) => name)).to.equal(['new one', 'site']);
    expect((await send(scene.root, 'DELETE', `/admin/actions/runners/${ofAda}`)).statusCode).to.equal(204);
    expect((await send(scene.ada, 'DELETE', path)).statusCode).to.equal(404);
  });

  it('ACT-57, ERR-09: a missing runner is 404, and a database that fails while it is read is 500', async () => {
    const path = `/admin/actions/runners/${await make('read')}`;
    expect((await send(scene.root, 'GET', '/admin/actions/runners/999999')).statusCode).to.equal(404);
    const rename = (from: string, to: string) => database.write(() => database.knex().schema.renameTable(from, to));
    await rename('action_runner_activity', 'action_runner_missing');
    try {
      const failed = await send(scene.root, 'GET', path);
      expect([failed.statusCode, Object.keys(failed.json).sort()]).to.equal([500, ['message', 'url']]);
    } finally {
      await rename('action_runner_missing', 'action_runner_activity');
    }
    expect((await send(scene.root, 'GET', path)).statusCode).to.equal(200);
  });

  it('ACT-48 to ACT-50: registration tokens stay until they are reset', async () => {
    const ask = async (method: string, path: string, client = scene.ada) =>
      (await send(client, method, `${path}/actions/runners/registration-token`)).json.token as string;
    const token = await ask('POST', '/user');
    expect(token).to.match(/^[0-9a-f]{40}$/);
    expect(await ask('GET', '/user')).to.equal(token);
    const others = [await ask('POST', '/repos/ada/tool'), await ask('POST', '/admin', scene.root)];
    expect(new Set([token, ...others]).size).to.equal(3);
    const old = await send(scene.root, 'GET', '/admin/runners/registration-token');
    expect(old.json.token).to.equal(others[1]);
    const rows = await database.query(RegistrationRow);
    expect(JSON.stringify(rows)).not.to.include(token);
    const tokens = scene.host.services.get(registrationTokens);
    const scope = { ownerId: scene.ada.account.id, repositoryId: 0 };
    const fresh = await tokens.reset(scope);
    expect(fresh).not.to.equal(token);
    expect(await tokens.current(scope)).to.equal(fresh);
    const printed = await scene.host.command('actions generate-runner-token', { scope: 'ada' });
    expect(JSON.stringify(printed)).to.include(fresh);
  });

  it('VER-04: asking for a registration token by GET works, and the documents call it deprecated', async () => {
    const { paths } = (await scene.host.inject('/swagger.v1.json')).json as {
      readonly paths: Readonly<Record<string, Readonly<Record<string, { readonly deprecated?: boolean } | undefined>>>>;
    };
    const asked = Object.keys(paths).filter((path) => path.endsWith('/registration-token') && paths[path]!.get);
    expect(asked).to.include([
      '/admin/runners/registration-token',
      '/orgs/{org}/actions/runners/registration-token',
      '/repos/{owner}/{repo}/actions/runners/registration-token',
      '/user/actions/runners/registration-token',
    ]);
    for (const path of asked) expect(paths[path]!.get!.deprecated, path).to.be.true();
    for (const path of asked.filter((path) => paths[path]!.post))
      expect(paths[path]!.post!.deprecated, path).to.be.undefined();
    expect((await send(scene.ada, 'GET', '/user/actions/runners/registration-token')).statusCode).to.equal(200);
  });

  it('of many who ask for a token at once all get the same, and it holds', async () => {
    const tokens = scene.host.services.get(registrationTokens);
    const scope = { ownerId: scene.ben.account.id, repositoryId: 0 };
    const given = await Promise.all(Array.from({ length: 20 }, () => tokens.current(scope)));
    expect(new Set(given).size).to.equal(1);
    const rows = await database.query(RegistrationRow).where('owner_id', scope.ownerId);
    expect(rows.map(({ is_active: isActive }) => isActive)).to.equal([true]);
    const reset = await Promise.all([tokens.reset(scope), tokens.reset(scope)]);
    const active = await database.query(RegistrationRow).where({ owner_id: scope.ownerId, is_active: true });
    expect(active).to.have.length(1);
    expect(reset).to.include(await tokens.current(scope));
  });

  it('a preset token comes from one place and is long enough', () => {
    const name = 'GITEA_RUNNER_REGISTRATION_TOKEN';
    const read = () => `${'f'.repeat(40)}\n`;
    expect(presetToken({}, read)).to.be.undefined();
    expect(presetToken({ [name]: 'a'.repeat(32) }, read)).to.equal('a'.repeat(32));
    expect(presetToken({ [`${name}_FILE`]: '/run/token' }, read)).to.equal('f'.repeat(40));
    expect(() => presetToken({ [name]: 'a'.repeat(32), [`${name}_FILE`]: '/x' }, read)).to.throw(/both/);
    expect(() => presetToken({ [name]: 'a'.repeat(31) }, read)).to.throw(/less than 32/);
  });

  it('a preset token may have 255 characters of any kind, and more are refused', async () => {
    const token = '仓'.repeat(255);
    const registration = scene.host.services.get(registrationService);
    await registration.preset(token);
    expect((await registration.find(token))?.is_active).to.be.true();
    expect(await registration.current({ ownerId: 0, repositoryId: 0 })).to.equal(token);
    expect(() => presetToken({ GITEA_RUNNER_REGISTRATION_TOKEN: `${token}x` }, () => '')).to.throw(/more than 255/);
  });

  it('versions grow for the site, the owner and the repository, and never are 0', async () => {
    const versions = async () =>
      Object.fromEntries(
        (await database.query(VersionRow)).map((row) => [`${row.owner_id}/${row.repository_id}`, Number(row.version)]),
      );
    await database.write(() => database.query(VersionRow).delete());
    const queue = scene.host.services.get(taskQueue);
    await database.write(() => queue.bump(repository));
    const own = `${repository.ownerId}/0`;
    expect(await versions()).to.equal({ '0/0': 2, [own]: 2, [`0/${repository.id}`]: 2 });
    await database.write(() => queue.bump(repository));
    expect((await versions())[own]).to.equal(3);
  });

  it('what runs where, and how runners stand', () => {
    const now = 1_000_000;
    expect(statusOf({ onlineAt: now - 60_000, activeAt: now }, now)).to.equal('offline');
    expect(statusOf({ onlineAt: now - 59_999, activeAt: now - 10_000 }, now)).to.equal('idle');
    expect(statusOf({ onlineAt: now, activeAt: now - 9_999 }, now)).to.equal('active');
    const runner = { labels: ['linux', 'big'] };
    expect([[], ['linux'], ['big', 'linux']].every((labels) => fits(runner, labels))).to.be.true();
    expect([['Linux'], ['linux', 'metal']].some((labels) => fits(runner, labels))).to.be.false();
  });
});
