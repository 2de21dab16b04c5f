/** Several push mirrors of one repository, many commits at once, and servers that follow each other. */
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect } from '@hapi/code';
import * as Lab from '@hapi/lab';
import { password } from '@mortise/accounts/testing';
import { gitReader } from '@mortise/git/api';
import { base64, createRepository, remoteUrl, send } from '@mortise/repositories/testing';
import { startMirrorScene, type MirrorScene } from './kit.js';

export const lab = Lab.script();
const { describe, it, before, after } = lab;

describe('push mirrors beside each other', { timeout: 180_000 }, () => {
  let scene: MirrorScene;
  let silent: Server;
  let silentUrl: string;
  let made = 0;
  before(async () => {
    scene = await startMirrorScene([], { repository: { ENABLE_PUSH_CREATE_USER: true } });
    // takes requests and never answers
    silent = createServer(() => undefined);
    await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
    silentUrl = `http://127.0.0.1:${(silent.address() as AddressInfo).port}`;
  });
  after(async () => {
    silent.closeAllConnections();
    silent.close();
    await scene.remote.close();
    await scene.host.close();
  });

  const start = async () => {
    const name = `mast${++made}`;
    await scene.remote.repository(name);
    const answer = await send(scene.ada, 'POST', '/user/repos', { name, auto_init: true, default_branch: 'main' });
    return { name, id: Number(answer.json.id), api: `/repos/ada/${name}` };
  };
  const add = async (api: string, address: string, more: object = {}) => {
    const body = { remote_address: address, interval: '0', ...more };
    const answer = await send(scene.ada, 'POST', `${api}/push_mirrors`, body);
    expect(answer.statusCode, answer.payload).to.equal(200);
    return answer.json.remote_name as string;
  };
  const tip = async (id: number) => (await scene.host.services.get(gitReader).open(id).branch('main'))!.oid;
  const theirs = (name: string) => scene.remote.git(name, 'rev-parse', 'main').catch(() => '');
  const runs = async (id: number) =>
    (await scene.host.database.knex()('mirror_run').where('repository_id', id).select()) as { state: string }[];
  const until = async (condition: () => Promise<boolean>) => {
    for (let tries = 0; tries < 300 && !(await condition()); tries++)
      await new Promise((resolve) => setTimeout(resolve, 50));
    expect(await condition()).to.be.true();
  };

  it('one whose server never answers is in the way of no other, by the API and after a commit', async () => {
    const { name, id, api } = await start();
    const hanging = await add(api, `${silentUrl}/x.git`, { sync_on_commit: true });
    await add(api, scene.remote.url(name), { sync_on_commit: true });
    const syncing = send(scene.ada, 'POST', `${api}/push_mirrors-sync`).catch(() => undefined);
    await until(async () => (await theirs(name)) === (await tip(id)));
    await send(scene.ada, 'POST', `${api}/contents/new.txt`, { content: base64('new') });
    await scene.host.events.deliverAll();
    const working = scene.host.jobs.runDue();
    await until(async () => (await theirs(name)) === (await tip(id)));
    // it ends with its mirror
    expect((await send(scene.ada, 'DELETE', `${api}/push_mirrors/${hanging}`)).statusCode).to.equal(204);
    await Promise.all([syncing, working]);
    expect((await runs(id)).map(({ state }) => state)).to.not.include('running');
  });

  it('fifty pushes within a moment make few runs, and the last of them arrives', async () => {
    const { name, id, api } = await start();
    await add(api, scene.remote.url(name), { sync_on_commit: true });
    const began = Date.now();
    for (let n = 0; n < 50; n++) {
      const answer = await send(scene.ada, 'POST', `${api}/contents/${n}.txt`, { content: base64(String(n)) });
      expect(answer.statusCode).to.equal(201);
      // as if a worker took each job at once
      if (n % 2 === 0) await scene.host.settle();
    }
    await scene.host.settle();
    await scene.host.jobs.runDue(Date.now() + 600_000);
    expect(await theirs(name)).to.equal(await tip(id));
    // five at once and then in pauses of half a second more each at least, anew each minute
    const seconds = (Date.now() - began) / 1000;
    const most = (5 + 2 * Math.sqrt(Math.min(seconds, 60))) * Math.ceil(seconds / 60);
    expect((await runs(id)).length).to.be.between(1, most + 2);
  });

  it('the same address twice takes turns, and both have gone well', async () => {
    const { name, id, api } = await start();
    for (let n = 0; n < 3; n++) await add(api, scene.remote.url(name), n ? {} : { branch_filter: 'main' });
    await send(scene.ada, 'POST', `${api}/branches`, { new_branch_name: 'side' });
    expect((await send(scene.ada, 'POST', `${api}/push_mirrors-sync`)).statusCode).to.equal(200);
    expect(await theirs(name)).to.equal(await tip(id));
    expect(await scene.remote.git(name, 'rev-parse', 'side')).to.equal(await tip(id));
    expect((await runs(id)).map(({ state }) => state)).to.equal(['succeeded', 'succeeded', 'succeeded']);
  });

  it('a repository that is not there is made by the push where that server does so, and is an error elsewhere', async () => {
    const { id, api } = await start();
    await add(api, await remoteUrl(scene.host, `ben/made-by-push${made}.git`), {
      remote_username: 'ben',
      remote_password: password,
    });
    expect((await send(scene.ada, 'POST', `${api}/push_mirrors-sync`)).statusCode).to.equal(200);
    const there = (await send(scene.ben, 'GET', `/repos/ben/made-by-push${made}`)).json;
    expect(await tip(Number(there.id))).to.equal(await tip(id));
    const missing = await start();
    await add(missing.api, scene.remote.url('nowhere'));
    expect((await send(scene.ada, 'POST', `${missing.api}/push_mirrors-sync`)).statusCode).to.equal(422);
    const [{ last_error: error }] = (await send(scene.ada, 'GET', `${missing.api}/push_mirrors`)).json;
    expect(error).to.match(/not found|does not exist/i);
  });

  it('a mirror of a repository onto itself changes nothing, and begins nothing again', async () => {
    const { name, id, api } = await start();
    await add(api, await remoteUrl(scene.host, `ada/${name}.git`), {
      remote_username: 'ada',
      remote_password: password,
      sync_on_commit: true,
    });
    await send(scene.ada, 'POST', `${api}/contents/a.txt`, { content: base64('a') });
    const had = await tip(id);
    for (let n = 0; n < 5; n++) await scene.host.settle();
    expect(await tip(id)).to.equal(had);
    expect((await runs(id)).map(({ state }) => state)).to.equal(['succeeded']);
  });

  it('a circle of two comes to rest, also when both change at the same moment', async () => {
    const one = await start();
    const two = await createRepository(scene.host, scene.ben.account, `echo${made}`);
    const login = (remote_username: string) => ({ remote_username, remote_password: password, sync_on_commit: true });
    await add(one.api, await remoteUrl(scene.host, `ben/${two.name}.git`), login('ben'));
    await send(scene.ada, 'POST', `${one.api}/push_mirrors-sync`);
    const back = { remote_address: await remoteUrl(scene.host, `ada/${one.name}.git`), interval: '0', ...login('ada') };
    expect((await send(scene.ben, 'POST', `/repos/ben/${two.name}/push_mirrors`, back)).statusCode).to.equal(200);
    const rest = async () => {
      await scene.host.settle();
      for (let n = 0; n < 10 && (await scene.host.jobs.runDue(Date.now() + 600_000)) > 0; n++)
        await scene.host.settle();
      const count = (await runs(one.id)).length + (await runs(two.id)).length;
      await scene.host.settle();
      await scene.host.jobs.runDue(Date.now() + 600_000);
      expect((await runs(one.id)).length + (await runs(two.id)).length).to.equal(count);
      expect(await tip(one.id)).to.equal(await tip(two.id));
      return count;
    };
    await send(scene.ada, 'POST', `${one.api}/contents/a.txt`, { content: base64('a') });
    expect(await rest()).to.be.below(20);
    // what is new is not undone by what was there before
    for (const path of [one.api, `/repos/ben/${two.name}`])
      expect((await send(scene.ada, 'GET', `${path}/contents/a.txt`)).statusCode).to.equal(200);
    await Promise.all([
      send(scene.ada, 'POST', `${one.api}/contents/b.txt`, { content: base64('b') }),
      send(scene.ben, 'POST', `/repos/ben/${two.name}/contents/c.txt`, { content: base64('c') }),
    ]);
    expect(await rest()).to.be.below(50);
  });
});
