import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { anonymous, database as databaseRef, type Actor, type ServiceRef } from '@mortise/plugin-sdk';
import { accounts as accountsRef, type Account } from '@mortise/accounts/api';
import { createAccount } from '@mortise/accounts/testing';
import type { Repository } from '../api.js';
import { RepositoryRow } from '../models/repository.js';
import * as own from '../services/service-refs.js';
import { send, sshKey, startScene, type Scene } from '../testing.js';

export const lab = Lab.script();
const { describe, it, before, after } = lab;

/** What a request has read is old when another one writes in between. */
describe('what others changed meanwhile', () => {
  let scene: Scene;
  const at = <T>(ref: ServiceRef<T>) => scene.host.services.get(ref);
  const users: Record<string, { account: Account; actor: Actor }> = {};
  let count = 0;

  before(async () => {
    scene = await startScene({ plugins: ['repositories', 'stars', 'forks', 'issues', 'pulls'] });
    for (const name of ['ada', 'ben']) {
      const account = (await scene.host.services.get(accountsRef).byName(name))!;
      users[name] = { account, actor: { ...anonymous, kind: 'user', id: account.id, name } };
    }
  });
  after(() => scene.host.close());

  const ada = () => users.ada!;
  const ben = () => users.ben!;
  const make = async (options: object = {}): Promise<Repository> => {
    const { json } = await send(scene.ada, 'POST', '/user/repos', { name: `m${++count}`, auto_init: true, ...options });
    return (await at(own.repositoryService).byId(json.id))!;
  };
  const now = async (repository: Repository) => (await at(own.repositoryService).byId(repository.id))!;
  const codeOf = (work: Promise<unknown>) =>
    work.then(
      () => 'done',
      (error: { code?: string }) => error.code,
    );

  it('keeps both of two changes of units', async () => {
    const seen = await make();
    await at(own.repositoryService).edit(seen, { units: { pulls: false } }, ada().actor);
    await at(own.repositoryService).edit(seen, { units: { issues: false } }, ada().actor);
    const off = (await now(seen)).units.filter((unit) => !unit.enabled).map((unit) => unit.key);
    expect(off).to.equal(['issues', 'pulls']);
  });

  it('leads from every older name to the newest one', async () => {
    const seen = await make();
    await at(own.repositoryService).edit(seen, { name: `${seen.name}-b` }, ada().actor);
    await at(own.repositoryService).edit(seen, { name: `${seen.name}-c` }, ada().actor);
    for (const older of [seen.name, `${seen.name}-b`])
      expect((await send(scene.ada, 'GET', `/repos/ada/${older}`)).headers.location ?? '').to.endWith(
        `/ada/${seen.name}-c`,
      );
  });

  it('does not change what belongs to another by now', async () => {
    const seen = await make();
    expect(
      (await send(scene.root, 'POST', `/repos/ada/${seen.name}/transfer`, { new_owner: 'ben' })).statusCode,
    ).to.equal(202);
    expect(await codeOf(at(own.repositoryService).edit(seen, { name: 'mine-still' }, ada().actor))).to.equal(
      'conflict',
    );
    expect(await codeOf(at(own.repositoryService).delete(seen, ada().account.id))).to.equal('conflict');
    expect(await now(seen)).to.include({ ownerName: 'ben', name: seen.name });
  });

  it('hands over under the name that it has by then', async () => {
    const seen = await make();
    await send(scene.ben, 'POST', '/user/repos', { name: `${seen.name}-taken` });
    await at(own.repositoryService).edit(seen, { name: `${seen.name}-taken` }, ada().actor);
    const offer = at(own.transfers).offer(seen, 'ben', { ...ada().actor, isAdmin: true }, []);
    expect(await codeOf(offer)).to.equal('invalid');
  });

  it('is accepted or taken back, not both', async () => {
    for (let round = 0; round < 6; round++) {
      const seen = await make();
      await at(own.transfers).offer(seen, 'ben', ada().actor, []);
      const cancel = () => at(own.transfers).cancel(seen);
      const accept = () => at(own.transfers).accept(seen, ben().actor);
      const both = round % 2 ? [cancel(), accept()] : [accept(), cancel()];
      const done = (await Promise.all(both.map(codeOf))).filter((code) => code === 'done');
      expect(done.length).to.equal(1);
    }
  });

  it('tells that a repository is gone', async () => {
    const seen = await make({ template: true });
    await send(scene.ada, 'DELETE', `/repos/ada/${seen.name}`);
    const [repositories, memberService, topics] = [at(own.repositoryService), at(own.members), at(own.topics)];
    const [deployKeys, transfers] = [at(own.deployKeyService), at(own.transfers)];
    const key = { title: 'gone', key: sshKey(9), readOnly: true };
    const late: Record<string, () => Promise<unknown>> = {
      edit: () => repositories.edit(seen, { description: 'x' }, ada().actor),
      rename: () => repositories.edit(seen, { name: 'other' }, ada().actor),
      invite: () => memberService.setCollaborator(seen, ben().account),
      topic: () => topics.add(seen, 'late'),
      key: () => deployKeys.add(seen.id, key),
      offer: () => transfers.offer(seen, 'ben', ada().actor, []),
      move: () => transfers.offer(seen, 'ben', { ...ada().actor, isAdmin: true }, []),
      delete: () => repositories.delete(seen, ada().account.id),
    };
    for (const [name, work] of Object.entries(late)) expect([name, await codeOf(work())]).to.equal([name, 'not_found']);
    expect((await send(scene.root, 'GET', `/repos/search?q=late`)).json.data).to.equal([]);
  });

  it('gives a name free that a killed process was about to take', async () => {
    const database = scene.host.services.get(databaseRef);
    const seen = await make();
    await database.write(() => database.query(RepositoryRow).findById(seen.id).patch({ is_ready: false }));
    const again = await send(scene.ada, 'POST', '/user/repos', { name: seen.name, auto_init: true });
    expect(again.statusCode).to.equal(201);
    expect(await database.query(RepositoryRow).findById(seen.id)).to.be.undefined();
  });

  it('sweeps what a killed process left, not what is still being made', async () => {
    const { account, actor } = ada();
    const row = { name: 'slow', defaultBranch: 'main', units: (await make()).units };
    const database = scene.host.services.get(databaseRef);
    const left = await make();
    await database.write(() => database.query(RepositoryRow).findById(left.id).patch({ is_ready: false }));
    const slow = await at(own.repositoryService).establish(account, row, actor, async (repository) => {
      await database.write(() => database.query(RepositoryRow).patch({ created_at: 1 }).where('is_ready', false));
      expect(await at(own.repositoryService).sweep()).to.equal(1);
      expect(await database.query(RepositoryRow).findById(repository.id)).to.exist();
    });
    expect((await now(slow)).name).to.equal('slow');
    expect(await database.query(RepositoryRow).findById(left.id)).to.not.exist();
  });

  it('lies under the name that its owner has by then', async () => {
    const accounts = scene.host.services.get(accountsRef);
    const cas = await createAccount(scene.host, 'cas');
    const actor: Actor = { ...anonymous, kind: 'user', id: cas.id, name: 'cas' };
    const seen = await make();
    await accounts.rename(cas.id, 'cas-b');
    const made = await at(own.repositoryService).create(cas, { name: 'mine' }, actor);
    expect(made.ownerName).to.equal('cas-b');
    await accounts.delete(cas.id, { purge: true });
    expect(await codeOf(at(own.repositoryService).create(cas, { name: 'late' }, actor))).to.equal('not_found');
    expect(await codeOf(at(own.transfers).offer(seen, 'cas-b', ada().actor, []))).to.equal('not_found');
  });
});
