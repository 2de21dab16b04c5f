import { rmSync } from 'node:fs';
import { join } from 'node:path';
import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { gitStore } from '@mortise/git/api';
import { pageIn, submitForm } from '@mortise/plugin-sdk/testing';
import { send, startScene, type Scene } from '../testing.js';

export const lab = Lab.script();
const { describe, it, before, after } = lab;

describe('repositories, for administrators', () => {
  let scene: Scene;
  const url = '/-/admin/repositories';
  const names = (page: string) => [...page.matchAll(/wb-break-word" href="\/([^"]+)">/g)].map(([, name]) => name);

  before(async () => {
    scene = await startScene({ plugins: ['repositories', 'admin'] });
    for (const [client, name, more] of [
      [scene.ada, 'chisel', { private: true }],
      [scene.ben, 'awl', { description: 'It pierces' }],
      [scene.ada, 'bench', {}],
    ] as const)
      expect((await send(client, 'POST', '/user/repos', { name, ...more })).statusCode).to.equal(201);
  });
  after(() => scene.host.close());

  it('are listed, private ones too, sorted by links in the head and searched', async () => {
    const { root } = scene;
    const all = (await root.inject(url)).payload;
    expect(names(all)).to.equal(['ada/bench', 'ada/chisel', 'ben/awl']);
    expect(all).to.include('aria-sort="ascending"');
    expect(all).to.include(`${url}?sort=path&amp;order=desc`);
    expect(names((await root.inject(`${url}?sort=path&order=desc`)).payload)).to.equal([
      'ben/awl',
      'ada/chisel',
      'ada/bench',
    ]);
    expect(names((await root.inject(`${url}?sort=created&order=desc`)).payload)[0]).to.equal('ada/bench');
    expect(names((await root.inject(`${url}?q=pierces`)).payload)).to.equal(['ben/awl']);
    expect((await root.inject(`${url}?q=none-such`)).payload).to.include('No matching repositories');
    const second = (await root.inject(`${url}?page=2`)).payload;
    expect(second).to.include('rel="prev"').and.not.include('rel="next"');
    expect((await root.inject(`${url}?sort=colour`)).statusCode).to.equal(422);
    expect((await root.inject('/-/admin')).payload).to.match(
      /Repositories<\/th><td><a href="\/-\/admin\/repositories">3</,
    );
  });

  it('are deleted, with a message', async () => {
    const { root, ben } = scene;
    const { id } = (await send(ben, 'GET', '/repos/ben/awl')).json;
    expect((await submitForm(ben, url, { id, typed_name: 'ben/awl' })).statusCode).to.equal(403);
    expect((await submitForm(root, url, { id, typed_name: 'awl' })).payload).to.include('enter ben/awl to confirm');
    const gone = await submitForm(root, url, { id, typed_name: 'ben/awl' });
    expect([gone.statusCode, gone.headers.location]).to.equal([303, `${url}?deleted=ben%2Fawl`]);
    expect((await root.inject(gone.headers.location!)).payload).to.include('ben/awl has been deleted.');
    expect((await send(ben, 'GET', '/repos/ben/awl')).statusCode).to.equal(404);
    expect((await submitForm(root, url, { id })).statusCode).to.equal(422);
  });

  it('speak the language of the visitor, and are not there without administration', async () => {
    expect(await pageIn(scene.root, 'de', url)).to.include(['Größe', 'geplanten Aufgaben']);
    for (const client of [scene.ada, scene.ben]) expect((await client.inject(url)).statusCode).to.equal(403);
    const without = await startScene({ plugins: ['repositories'] });
    expect((await without.root.inject(url)).statusCode).to.equal(404);
    await without.host.close();
  });

  it('show the disks that they lie on, where there are several', async () => {
    expect((await scene.root.inject(url)).payload).to.not.include('Disks of repositories');
    const settings = { 'git.storages': { default: 0, large: 'large 2', full: 'full 0' } };
    const other = await startScene({ plugins: ['repositories', 'admin'], settings });
    expect((await send(other.ada, 'POST', '/user/repos', { name: 'chisel' })).statusCode).to.equal(201);
    const page = (await other.root.inject(url)).payload;
    const rows = [...page.matchAll(/<tr>.*?<\/tr>/g)].map(([row]) => row.replace(/<[^>]+>/g, ' ').replace(/\s+/g, ' '));
    expect(rows.filter((row) => /(default|full) .* \(\d+%\) .* None /.test(row))).to.have.length(2);
    expect(rows.filter((row) => /large .* \(\d+%\) .* 100% /.test(row))).to.have.length(1);
    expect(rows.filter((row) => row.includes('ada/chisel')).join()).to.include(' large ');
    rmSync(join(other.host.workDir, 'large', '.mortise-storage'));
    expect((await other.root.inject(url)).payload).to.include('Not mounted');
    await other.host.close();
  });

  it('ADM-08: go with their owner, and so do their folders', async () => {
    const { host, root, ben } = scene;
    const made = await send(ben, 'POST', '/user/repos', { name: 'plane', auto_init: true });
    const store = host.services.get(gitStore);
    expect(await store.exists(made.json.id)).to.be.true();
    expect((await send(root, 'DELETE', '/admin/users/ben?purge=true')).statusCode).to.equal(204);
    expect(await store.exists(made.json.id)).to.be.false();
  });
});
