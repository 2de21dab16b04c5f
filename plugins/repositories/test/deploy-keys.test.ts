import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import type { DeployKeyService } from '../services/deploy-keys.js';
import { deployKeys, repositories, repositoryAccess } from '../api.js';
import { send, sshKey, startScene, type Scene } from '../testing.js';

export const lab = Lab.script();
const { describe, it, before, after } = lab;

describe('deploy keys', () => {
  let scene: Scene;
  before(async () => {
    scene = await startScene();
    for (const name of ['gate', 'door', 'open'])
      await send(scene.ada, 'POST', '/user/repos', { name, private: name !== 'open' });
    await send(scene.ada, 'POST', '/repos/ada/gate/keys', { title: 'reader', key: sshKey(1), read_only: true });
    await send(scene.ada, 'POST', '/repos/ada/door/keys', { title: 'writer', key: sshKey(1), read_only: false });
  });
  after(() => scene.host.close());

  it('opens the code of its repository, and nothing else anywhere', async () => {
    const { services } = scene.host;
    const keys = services.get(deployKeys);
    const access = services.get(repositoryAccess);
    const fingerprint = (await send(scene.ada, 'GET', '/repos/ada/gate/keys')).json[0].fingerprint;
    const rows = await keys.byFingerprint(fingerprint);
    expect(rows.map((row) => row.readOnly)).to.equal([true, false]);
    const [reader, writer] = rows.map((row) => keys.actor(row));
    const at = async (actor = reader!, name = 'gate') => {
      const repository = await services.get(repositories).byPath('ada', name);
      return access.context(actor, repository!);
    };
    expect((await at()).may('read', 'code')).to.be.true();
    expect((await at()).may('write', 'code')).to.be.false();
    expect((await at()).may('read', 'issues')).to.be.false();
    expect((await at(writer!, 'door')).may('write', 'code')).to.be.true();
    expect((await at(writer!, 'door')).may('write')).to.be.false();
    expect((await at(writer!, 'door')).may('write', 'wiki')).to.be.false();
    for (const name of ['door', 'open']) expect((await at(reader!, name)).may('read', 'code'), name).to.be.false();
    await expect(access.open({ actor: reader!, owner: 'ada', name: 'gate', unit: 'code', mode: 'write' })).to.reject(
      /write/,
    );
    await expect(access.open({ actor: reader!, owner: 'ada', name: 'open' })).to.reject(/not exist/);
    const seen = await services.get(repositories).search({ limit: 10, offset: 0 }, reader!);
    expect(seen.items.map((one) => one.name)).to.equal(['gate']);
  });

  it('the last use of a deploy key is written behind', async () => {
    const { services, database } = scene.host;
    const keys = services.get(deployKeys) as DeployKeyService;
    keys.used(1);
    await keys.uses.flush();
    const [row] = await database.knex()('deploy_key').where({ id: 1 });
    expect(Number(row.last_used_at)).to.be.above(0);
  });
});
