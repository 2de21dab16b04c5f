import { spawnSync } from 'node:child_process';
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { pageIn, submitForm } from '@mortise/plugin-sdk/testing';
import { send, startScene, type Scene } from '@mortise/repositories/testing';

export const lab = Lab.script();
const { describe, it, before, after } = lab;

describe('folders to adopt', () => {
  let scene: Scene;
  const git = (cwd: string, ...args: string[]) => {
    const run = spawnSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@example.com', ...args], {
      cwd,
      encoding: 'utf8',
    });
    if (run.status !== 0) throw new Error(run.stderr);
  };
  before(async () => {
    scene = await startScene({
      plugins: ['adoption', 'files', 'admin'],
      settings: {
        repository: { ALLOW_ADOPTION_OF_UNADOPTED_REPOSITORIES: true },
      },
    });
    await send(scene.ada, 'POST', '/user/repos', { name: 'mill', auto_init: true, default_branch: 'main' });
  });
  after(() => scene.host.close());
  const folder = (owner: string, name: string, format = 'sha1') => {
    const path = join(scene.host.workDir, 'adopt', owner, `${name}.git`);
    const work = join(scene.host.workDir, `work-${owner}-${name}`);
    mkdirSync(path, { recursive: true });
    git(path, 'init', '-q', '--bare', '-b', 'trunk', `--object-format=${format}`);
    mkdirSync(work);
    git(work, 'init', '-q', '-b', 'trunk', `--object-format=${format}`);
    writeFileSync(join(work, 'a.ts'), 'export {};\n');
    git(work, 'add', '.');
    git(work, 'commit', '-q', '-m', 'one');
    git(work, 'push', '-q', path, 'trunk');
    writeFileSync(join(path, 'hooks', 'pre-receive'), '#!/bin/sh\nexit 1\n', { mode: 0o755 });
  };

  it('adopts folders, once, and deletes others', async () => {
    folder('ada', 'lost');
    folder('ada', 'found', 'sha256');
    folder('nobody', 'alone');
    symlinkSync('/', join(scene.host.workDir, 'adopt', 'ada', 'root.git'));
    const list = await send(scene.root, 'GET', '/admin/unadopted');
    expect(list.json).to.equal(['ada/found', 'ada/lost', 'nobody/alone']);
    expect((await send(scene.root, 'GET', '/admin/unadopted?pattern=lo*')).json).to.equal(['ada/lost']);
    expect((await send(scene.ada, 'GET', '/admin/unadopted')).statusCode).to.equal(403);
    expect((await send(scene.root, 'POST', '/admin/unadopted/ada/lost')).statusCode).to.equal(204);
    const made = (await send(scene.ada, 'GET', '/repos/ada/lost')).json;
    expect([made.private, made.empty, made.default_branch, made.language]).to.equal([
      true,
      false,
      'trunk',
      'TypeScript',
    ]);
    // its hooks stayed behind
    expect((await send(scene.ada, 'POST', '/repos/ada/lost/contents/b.txt', { content: '' })).statusCode).to.equal(201);
    expect((await send(scene.root, 'POST', '/admin/unadopted/ada/lost')).statusCode).to.equal(404);
    expect((await send(scene.root, 'POST', '/admin/unadopted/nobody/alone')).statusCode).to.equal(404);
    expect((await send(scene.root, 'DELETE', '/admin/unadopted/nobody/alone')).statusCode).to.equal(204);
    expect((await send(scene.root, 'DELETE', '/admin/unadopted/ada/..%2fmill')).statusCode).to.be.within(400, 404);
  });

  it('is told about in the language of the visitor', async () => {
    const german = await pageIn(scene.ada, 'de', '/user/settings/adopt');
    expect(german).to.contain([
      'Nicht übernommene Repositories',
      '<code>owner/name.git</code>',
      'ada/found übernehmen',
    ]);
    expect(await pageIn(scene.ben, 'en', '/user/settings/adopt')).to.contain('Nothing to adopt');
  });

  it('lets owners adopt their own where that is allowed', async () => {
    expect((await scene.ada.inject('/user/settings/adopt')).payload).to.include('ada/found');
    expect((await scene.ben.inject('/user/settings/adopt')).payload).not.to.include('ada/found');
    const page = '/user/settings/adopt';
    expect((await submitForm(scene.ben, page, { action: 'adopt', path: 'ada/found' })).statusCode).to.equal(422);
    expect((await submitForm(scene.ada, page, { action: 'delete', path: 'ada/found' })).statusCode).to.equal(422);
    expect((await submitForm(scene.ada, page, { action: 'adopt', path: 'ada/found' })).statusCode).to.equal(303);
    expect((await send(scene.ada, 'GET', '/repos/ada/found')).json.object_format_name).to.equal('sha256');
    expect((await send(scene.ada, 'GET', '/repos/ada/found/contents/a.ts')).statusCode).to.equal(200);
  });

  it('mortise adopts a repository folder by command too', async () => {
    const { host } = scene;
    folder('ben', 'kept');
    folder('ben', 'thrown');
    expect(await host.command('admin repo list-unadopted', { pattern: 'ben/*' })).to.equal(['ben/kept', 'ben/thrown']);
    await host.command('admin repo adopt', { name: 'ben/kept' });
    const byPage = (typed: string) =>
      submitForm(scene.root, '/-/admin/adopt', { action: 'delete', path: 'ben/thrown', typed_name: typed });
    expect((await byPage('thrown')).payload).to.include('enter ben/thrown to confirm');
    await host.command('admin repo delete-unadopted', { name: 'ben/thrown' });
    folder('ben', 'again');
    const again = { action: 'delete', path: 'ben/again', typed_name: 'ben/again' };
    expect((await submitForm(scene.root, '/-/admin/adopt', again)).statusCode).to.equal(303);
    await expect(host.command('admin repo adopt', { name: 'ben/thrown' })).to.reject();
    await expect(host.command('admin repo adopt', { name: 'ben' })).to.reject(/owner\/name/);
    expect(await host.command('admin repo list-unadopted', { pattern: 'ben/*' })).to.equal([]);
    expect((await send(scene.ben, 'GET', '/repos/ben/kept/contents/a.ts')).statusCode).to.equal(200);
    const names = async (args: { query?: string }) =>
      (await host.command('admin repo list', args)).slice(1).map((line) => line.split('\t')[1]);
    expect(await names({})).to.include(['ben/kept', 'ada/mill']);
    expect(await names({ query: 'kept' })).to.equal(['ben/kept']);
    await host.command('admin repo delete', { name: 'ben/kept' });
    expect((await send(scene.ben, 'GET', '/repos/ben/kept')).statusCode).to.equal(404);
    await expect(host.command('admin repo delete', { name: 'ben/kept' })).to.reject(/does not exist/);
  });
});
