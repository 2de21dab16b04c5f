import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { anonymous, database, events } from '@mortise/plugin-sdk';
import { pageIn } from '@mortise/plugin-sdk/testing';
import { accounts } from '@mortise/accounts/api';
import { gitProcesses, gitStore, zeroOid } from '@mortise/git/api';
import { base64, send, startScene, type Scene } from '@mortise/repositories/testing';
import { GitHookService } from '../services/git-hooks.js';

export const lab = Lab.script();
const { describe, it, before, after } = lab;

describe('git hooks', () => {
  let scene: Scene;
  before(async () => {
    scene = await startScene({
      plugins: ['git-hooks', 'refs', 'files'],
      settings: { security: { DISABLE_GIT_HOOKS: false } },
    });
    await send(scene.ada, 'POST', '/user/repos', { name: 'mill', auto_init: true, default_branch: 'main' });
  });
  after(() => scene.host.close());

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
    const german = await pageIn(scene.root, 'de', '/ada/mill/settings/git-hooks');
    expect(german).to.contain(['Git-Hooks', 'pre-receive speichern', 'lehnt den Push ab', '<code>#!</code>']);
    const refusedPage = await pageIn(scene.ada, 'zh-CN', '/ada/mill/settings/git-hooks');
    expect(refusedPage).to.contain('您没有编辑 Git 钩子的权限。');
  });

  it('waits for no hook for ever, nor for what it left behind', async () => {
    const { id } = (await send(scene.ada, 'GET', '/repos/ada/mill')).json;
    const { services } = scene.host;
    const hooks = new GitHookService({
      database: services.get(database),
      events: services.get(events),
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
      await expect(hooks.check(change as never)).to.reject(/timed out/);
      expect(Date.now() - started).to.be.below(50_000);
    }
    await hooks.set(id, 'pre-receive', '');
  });

  it('ends hooks with the host, and what they started with them', async () => {
    const { host, ada } = await startScene({
      plugins: ['git-hooks'],
      settings: { security: { DISABLE_GIT_HOOKS: false } },
    });
    await send(ada, 'POST', '/user/repos', { name: 'mill' });
    const { id } = (await send(ada, 'GET', '/repos/ada/mill')).json;
    const get = host.services.get;
    const hooks = new GitHookService({
      database: get(database),
      events: get(events),
      accounts: get(accounts),
      store: get(gitStore),
      processes: get(gitProcesses),
      disabled: false,
    });
    const begun = join(await mkdtemp(join(tmpdir(), 'mortise-hooks-')), 'begun');
    await hooks.set(id, 'pre-receive', `sleep 1000 &\necho > '${begun}'\nwait`);
    const updates = [{ ref: 'refs/heads/x', old: zeroOid, new: zeroOid }];
    const change = { repositoryId: id, kind: 'code', updates, pusher: anonymous, source: 'push' } as const;
    const running = expect(hooks.check(change as never)).to.reject();
    while (!existsSync(begun)) await setTimeout(20);
    const stopped = Date.now();
    await host.close();
    await running;
    expect(Date.now() - stopped).to.be.below(30_000);
    await rm(dirname(begun), { recursive: true });
  });
});
