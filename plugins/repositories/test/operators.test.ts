import { spawnSync } from 'node:child_process';
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { anonymous, database } from '@mortise/plugin-sdk';
import { accounts } from '@mortise/accounts/api';
import { gitProcesses, gitStore, zeroOid } from '@mortise/git/api';
import { GitHookService } from '../services/git-hooks.js';
import { base64, send, startScene, submit, type Scene } from './setup.js';

export const lab = Lab.script();
const { describe, it, before, after } = lab;

describe('what operators may', () => {
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
      plugins: ['contents', 'admin'],
      settings: {
        security: { DISABLE_GIT_HOOKS: false },
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

  it('lets owners adopt their own where that is allowed', async () => {
    expect((await scene.ada.inject('/user/settings/adopt')).payload).to.include('ada/found');
    expect((await scene.ben.inject('/user/settings/adopt')).payload).not.to.include('ada/found');
    const page = '/user/settings/adopt';
    expect((await submit(scene.ben, page, { action: 'adopt', path: 'ada/found' })).statusCode).to.equal(422);
    expect((await submit(scene.ada, page, { action: 'delete', path: 'ada/found' })).statusCode).to.equal(422);
    expect((await submit(scene.ada, page, { action: 'adopt', path: 'ada/found' })).statusCode).to.equal(303);
    expect((await send(scene.ada, 'GET', '/repos/ada/found')).json.object_format_name).to.equal('sha256');
    expect((await send(scene.ada, 'GET', '/repos/ada/found/contents/a.ts')).statusCode).to.equal(200);
  });

  it('runs git hooks of administrators and of nobody else', async () => {
    const hook = '/repos/ada/mill/hooks/git/pre-receive';
    const script = 'read old new ref\ntest "$ref" = refs/heads/main || { echo "only main"; exit 1; }\n';
    expect((await send(scene.ada, 'GET', '/repos/ada/mill/hooks/git')).statusCode).to.equal(403);
    expect((await send(scene.ada, 'PATCH', hook, { content: script })).statusCode).to.equal(403);
    expect((await send(scene.root, 'PATCH', hook, { content: script })).json.is_active).to.be.true();
    expect((await send(scene.root, 'GET', '/repos/ada/mill/hooks/git/commit-msg')).statusCode).to.equal(404);
    const write = (branch: object) =>
      send(scene.ada, 'POST', '/repos/ada/mill/contents/x.txt', { content: base64('x'), ...branch });
    const refused = await write({ new_branch: 'side' });
    expect(refused.statusCode).to.equal(403);
    expect(refused.json.message).to.include('only main');
    expect((await write({ branch: 'main' })).statusCode).to.equal(201);
    expect((await send(scene.root, 'DELETE', hook)).statusCode).to.equal(204);
    const side = await send(scene.ada, 'POST', '/repos/ada/mill/branches', { new_branch_name: 'side' });
    expect(side.statusCode).to.equal(201);
    expect((await scene.root.inject('/ada/mill/settings/git-hooks')).payload).to.include('post-receive');
  });

  it('waits for no hook for ever, nor for what it left behind', async () => {
    const { id } = (await send(scene.ada, 'GET', '/repos/ada/mill')).json;
    const { services } = scene.host;
    const hooks = new GitHookService({
      database: services.get(database),
      accounts: services.get(accounts),
      store: services.get(gitStore),
      processes: services.get(gitProcesses),
      disabled: false,
      timeoutMs: 300,
    });
    const updates = [{ ref: 'refs/heads/x', old: zeroOid, new: zeroOid }];
    const change = { repositoryId: id, kind: 'code', updates, pusher: anonymous, source: 'push' } as const;
    for (const script of ['sleep 100', 'setsid sleep 100 & exit 0']) {
      await hooks.set(id, 'pre-receive', script);
      const started = Date.now();
      await expect(hooks.check(change as never)).to.reject(/too long/);
      expect(Date.now() - started).to.be.below(50_000);
    }
    await hooks.set(id, 'pre-receive', '');
  });
});
