import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from '@hapi/code';
import * as Lab from '@hapi/lab';
import { accounts } from '@mortise/accounts/api';
import { issues } from '../api.js';
import { issueServices } from '../services/services.js';
import { api, makeWorld, open, send, type IssueJson, type World } from './support.js';

export const lab = Lab.script();
const { describe, it, before, after } = lab;

describe('dependencies', () => {
  let world: World;
  before(async () => {
    world = await makeWorld();
  });
  after(() => world.host.close());

  const to = (index: number, repo = 'desk') => ({ owner: 'ada', repo, index });
  const needs = (index: number) => `${api}/issues/${index}/dependencies`;
  const listed = async (url: string, by: Pick<World['ada'], 'inject'> = world.ada) =>
    (await send<{ number: number; title: string }[]>(by, 'GET', url)).body;

  it('ISS-10, ISS-22, ISS-25: both directions are listed, and what is open keeps open what waits for it', async () => {
    const [roof, walls] = [await open(world.ada), await open(world.ada)];
    expect((await send(world.ben, 'POST', needs(roof.number), to(walls.number))).status).to.equal(201);
    expect((await listed(needs(roof.number))).map(({ number }) => number)).to.equal([walls.number]);
    expect((await listed(`${api}/issues/${walls.number}/blocks`)).map(({ number }) => number)).to.equal([roof.number]);
    const close = (index: number) => send(world.ada, 'PATCH', `${api}/issues/${index}`, { state: 'closed' });
    expect((await close(roof.number)).status).to.equal(412);
    expect((await close(walls.number)).status).to.equal(201);
    expect((await close(roof.number)).status).to.equal(201);
  });

  it('ISS-26: itself, a second time and in a circle are refused, also when both ends are made at once', async () => {
    const [one, two, three] = [await open(world.ada), await open(world.ada), await open(world.ada)];
    const add = async (from: number, index: number) => (await send(world.ada, 'POST', needs(from), to(index))).status;
    expect(await add(one.number, one.number)).to.equal(422);
    expect(await add(one.number, two.number)).to.equal(201);
    expect(await add(one.number, two.number)).to.equal(422);
    expect(await add(two.number, three.number)).to.equal(201);
    expect(await add(three.number, one.number)).to.equal(422);
    const [left, right] = [await open(world.ada), await open(world.ada)];
    const both = await Promise.all([add(left.number, right.number), add(right.number, left.number)]);
    expect(both.sort()).to.equal([201, 422]);
  });

  it('ISS-26: two that close a circle over four repositories are not both made at the same moment', async () => {
    const { services, database } = world.host;
    const { dependencies } = services.get(issueServices);
    const ada = services.get(accounts).actorOf((await services.get(accounts).byName('ada'))!, '');
    const [north, east, south, west] = await Promise.all(
      ['north', 'east', 'south', 'west'].map(async (name) => {
        await send(world.ada, 'POST', '/api/v1/user/repos', { name });
        const { body } = await send<IssueJson>(world.ada, 'POST', `/api/v1/repos/ada/${name}/issues`, { title: name });
        return (await services.get(issues).byId(body.id))!;
      }),
    );
    await dependencies.add(east!, south!, ada);
    await dependencies.add(west!, north!, ada);
    let hasEnded = false;
    let begin!: () => void;
    const other = new Promise<void>((resolve) => (begin = resolve))
      .then(() => dependencies.add(south!, west!, ada))
      .then(
        () => 'made',
        (error: unknown) => String(error),
      )
      .finally(() => (hasEnded = true));
    await database.write(async () => {
      await dependencies.add(north!, east!, ada);
      begin();
      // on SQLite one writes at a time
      if (database.engine === 'sqlite') return;
      // it waits for this one, or goes past it
      const waits = () => database.knex()('information_schema.innodb_trx').where('trx_state', 'LOCK WAIT');
      // the server looks anew only when nobody has asked for a tenth of a second
      while (!hasEnded && (await waits()).length === 0) await sleep(150);
    });
    expect(await other).to.match(/circle/);
  });

  it('ISS-23, ISS-28, ISS-29: what one cannot read is neither named nor shown', async () => {
    await send(world.ada, 'POST', '/api/v1/user/repos', { name: 'vault', private: true });
    await send(world.ada, 'POST', '/api/v1/repos/ada/vault/issues', { title: 'Secret plans' });
    const { number } = await open(world.ada);
    expect((await send(world.ben, 'POST', needs(number), to(1, 'vault'))).status).to.equal(404);
    expect((await send(world.ben, 'POST', `${api}/issues/${number}/blocks`, to(1, 'vault'))).status).to.equal(404);
    expect(await listed(needs(number))).to.equal([]);
    expect((await send(world.ada, 'POST', needs(number), to(1, 'vault'))).status).to.equal(201);
    const seen = await listed(needs(number), world.cas);
    expect(seen).to.have.length(1);
    expect(JSON.stringify(seen)).to.not.contain('Secret').and.to.not.contain('vault');
    expect(JSON.stringify(await listed(`${api}/issues/${number}/timeline`, world.cas))).to.not.contain('vault');
    expect((await listed(needs(number)))[0]!.title).to.equal('Secret plans');
  });

  it('ISS-24, ISS-27: a removed one is gone from both ends', async () => {
    const [roof, walls] = [await open(world.ada), await open(world.ada)];
    await send(world.ada, 'POST', needs(roof.number), to(walls.number));
    expect((await send(world.cas, 'DELETE', needs(roof.number), to(walls.number))).status).to.equal(404);
    const blocks = `${api}/issues/${walls.number}/blocks`;
    expect((await send(world.ben, 'DELETE', blocks, to(roof.number))).status).to.equal(201);
    expect(await listed(needs(roof.number))).to.equal([]);
    expect((await send(world.ben, 'DELETE', blocks, to(roof.number))).status).to.equal(404);
  });
});
