import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { anonymous, defineService } from '@mortise/plugin-sdk';
import { accounts } from '@mortise/accounts/api';
import { repositories } from '@mortise/repositories/api';
import { send, startScene, type Scene } from '@mortise/repositories/testing';
import type { ForkService } from '../services/forks.js';

export const lab = Lab.script();
const { describe, it, before, after } = lab;

describe('forks of what has changed meanwhile', () => {
  let scene: Scene;
  before(async () => {
    scene = await startScene({ plugins: ['forks'] });
  });
  after(() => scene.host.close());

  it('are as visible as the original is by then', async () => {
    const { services } = scene.host;
    const { json } = await send(scene.ada, 'POST', '/user/repos', { name: 'hidden', auto_init: true });
    const seen = (await services.get(repositories).byId(json.id))!;
    const ben = (await services.get(accounts).byName('ben'))!;
    await send(scene.ada, 'PATCH', '/repos/ada/hidden', { private: true });
    const forks = services.get(defineService<ForkService>('forks.forks'));
    const actor = { ...anonymous, kind: 'user', id: ben.id, name: ben.name } as const;
    expect((await forks.fork(seen, ben, seen.name, actor)).isPrivate).to.be.true();
  });

  it('are refused, and so are repositories from it as a template, when it is gone', async () => {
    const { services } = scene.host;
    const { json } = await send(scene.ada, 'POST', '/user/repos', { name: 'gone', auto_init: true, template: true });
    const seen = (await services.get(repositories).byId(json.id))!;
    const ben = (await services.get(accounts).byName('ben'))!;
    const actor = { ...anonymous, kind: 'user', id: ben.id, name: ben.name } as const;
    await send(scene.ada, 'DELETE', '/repos/ada/gone');
    const forks = services.get(defineService<ForkService>('forks.forks'));
    const codeOf = (work: Promise<unknown>) =>
      work.then(
        () => 'done',
        (error: { code?: string }) => error.code,
      );
    expect(await codeOf(forks.fork(seen, ben, seen.name, actor))).to.equal('not_found');
    expect(await codeOf(forks.generate(seen, ben, { name: 'late', gitContent: true }, actor))).to.equal('not_found');
    expect((await send(scene.root, 'GET', '/repos/search?q=late')).json.data).to.equal([]);
  });
});
