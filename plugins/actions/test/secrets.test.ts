import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { database as databaseRef, events as eventsRef, type Database } from '@mortise/plugin-sdk';
import { repositoryRenamed, type Repository } from '@mortise/repositories/api';
import { createRepository, send, startScene, type Scene } from '@mortise/repositories/testing';
import { jobSecrets, secrets, variables } from '../contract/secrets.js';
import { SecretKeyRow } from '../models/secret-key.js';
import { SecretRow } from '../models/secret.js';

export const lab = Lab.script();
const { describe, it, before, after, beforeEach } = lab;

describe('secrets and variables', () => {
  let scene: Scene;
  let database: Database;
  let repository: Repository;
  const at = '/repos/ada/tool/actions';
  const status = async (method: string, path: string, payload?: object) =>
    (await send(scene.ada, method, path, payload)).statusCode;

  before(async () => {
    scene = await startScene({ plugins: ['actions', 'organizations'] });
    database = scene.host.services.get(databaseRef);
    repository = await createRepository(scene.host, scene.ada.account, 'tool');
  });
  after(() => scene?.host.close());
  beforeEach(() =>
    database.write(async () => {
      await database.query(SecretRow).delete();
    }),
  );

  it('ACT-02, ACT-04, ACT-23: are written once and never shown', async () => {
    const made = await send(scene.ada, 'PUT', `${at}/secrets/deploy`, { data: 'hush', description: 'a key' });
    expect(made.statusCode, made.payload).to.equal(201);
    expect(await status('PUT', `${at}/secrets/Deploy`, { data: 'hush hush', description: 'é'.repeat(5000) })).to.equal(
      204,
    );
    const list = await send(scene.ada, 'GET', `${at}/secrets`);
    expect(list.json.map((one: object) => Object.keys(one).sort())).to.equal([['created_at', 'description', 'name']]);
    expect(list.json[0]).to.include({ name: 'DEPLOY', description: 'é'.repeat(4096) });
    expect(list.payload).not.to.include('hush');
    expect(JSON.stringify(await database.query(SecretRow))).not.to.include('hush');
    expect(await status('PUT', `${at}/secrets/BIG`, { data: 'é'.repeat(32_769) })).to.equal(400);
    for (const name of ['1ST', 'A-B', 'CI', 'github_x', 'GITEA_X', 'Mortise_X', 'A%20B'])
      expect(await status('PUT', `${at}/secrets/${name}`, { data: 'x' }), name).to.equal(400);
    expect(await status('DELETE', `${at}/secrets/deploy`)).to.equal(204);
    expect(await status('DELETE', `${at}/secrets/deploy`)).to.equal(404);
  });

  it('ACT-05, ACT-58: belong to the owner of what they hang on', async () => {
    expect(await status('PUT', '/user/actions/secrets/OWN', { data: 'x' })).to.equal(201);
    for (const client of [scene.ben, scene.root]) {
      const { statusCode } = await send(client, 'GET', `${at}/secrets`);
      expect(statusCode).to.equal(client === scene.ben ? 403 : 200);
    }
    expect((await send(scene.ben, 'DELETE', '/user/actions/secrets/OWN')).statusCode).to.equal(404);
    expect(await status('GET', '/user/actions/secrets')).to.equal(404);
  });

  it('ACT-03, ACT-06, ACT-59, VER-06: a variable is created with 201 and kept with line ends of one kind', async () => {
    expect(await status('POST', `${at}/variables/colour`, { value: 'red\r\nblue\r' })).to.equal(201);
    expect(await status('POST', `${at}/variables/COLOUR`, { value: 'x' })).to.equal(409);
    expect((await send(scene.ada, 'GET', `${at}/variables/Colour`)).json).to.equal({
      owner_id: 0,
      repo_id: repository.id,
      name: 'COLOUR',
      data: 'red\nblue\n',
      description: '',
    });
    expect(await status('POST', `${at}/variables/HUE`, { value: 'x' })).to.equal(201);
    expect(await status('PUT', `${at}/variables/hue`, { name: 'colour', value: 'x' })).to.equal(409);
    expect(await status('PUT', `${at}/variables/hue`, { name: 'CI', value: 'x' })).to.equal(400);
    expect(await status('PUT', `${at}/variables/hue`, { name: 'shade', value: 'grey' })).to.equal(204);
    expect(await status('GET', `${at}/variables/HUE`)).to.equal(404);
    expect(await status('DELETE', `${at}/variables/SHADE`)).to.equal(204);
  });

  it('gives jobs what lies nearest', async () => {
    const service = scene.host.services.get(jobSecrets);
    const ofOwner = { ownerId: scene.ada.account.id, repositoryId: 0 };
    const ofRepository = { ownerId: 0, repositoryId: repository.id };
    const keep = scene.host.services.get(secrets);
    const words = scene.host.services.get(variables);
    for (const [scope, data] of [
      [ofOwner, 'owner'],
      [ofRepository, 'repository'],
    ] as const) {
      await keep.put(scope, { name: 'BOTH', data });
      await keep.put(scope, { name: data, data });
      await words.create(scope, { name: 'SAME', value: data, description: '' });
    }
    await words.create({ ownerId: 0, repositoryId: 0 }, { name: 'SITE', value: 'all', description: '' });
    expect(await service.secretsOf(repository)).to.equal({
      BOTH: 'repository',
      OWNER: 'owner',
      REPOSITORY: 'repository',
    });
    expect([...(await service.secretNamesOf(repository))].sort()).to.equal(['BOTH', 'OWNER', 'REPOSITORY']);
    expect(await service.variablesOf(repository)).to.include({ SAME: 'repository', SITE: 'all' });
  });

  it('seals all of them with a new key', async () => {
    const scope = { ownerId: 0, repositoryId: repository.id };
    const keep = scene.host.services.get(secrets);
    for (let at = 0; at < 120; at++) await keep.put(scope, { name: `S${at}`, data: `value ${at}` });
    const before = await database.query(SecretRow).orderBy('id');
    expect(await keep.rotate()).to.equal(120);
    const now = await database.query(SecretRow).orderBy('id');
    expect(now.every((row, at) => row.sealed !== before[at]!.sealed && row.key_id > before[at]!.key_id)).to.be.true();
    expect(await database.query(SecretKeyRow).resultSize()).to.equal(1);
    const values = await scene.host.services.get(jobSecrets).secretsOf(repository);
    expect(values).to.include({ S0: 'value 0', S119: 'value 119' });
    const printed = await scene.host.command('actions rotate-secret-key', {});
    expect(JSON.stringify(printed)).to.include('120 secrets');
  });

  it('keeps secrets from the next owner of a repository', async () => {
    const scope = { ownerId: 0, repositoryId: repository.id };
    const keep = scene.host.services.get(secrets);
    await keep.put(scope, { name: 'MINE', data: 'x' });
    const events = scene.host.services.get(eventsRef);
    const move = (from: string, to: string) =>
      database.write(() => events.emit(repositoryRenamed, { repositoryId: repository.id, from, to }));
    await move('ada/tool', 'ada/kit');
    expect((await keep.list(scope, { limit: 5, offset: 0 })).total).to.equal(1);
    await move('ada/kit', 'ben/kit');
    expect((await keep.list(scope, { limit: 5, offset: 0 })).total).to.equal(0);
  });
});
