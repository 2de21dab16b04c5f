import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { anonymous } from '@mortise/plugin-sdk';
import { send, startScene, type Scene } from '../testing.js';

export const lab = Lab.script();
const { describe, it, before, after } = lab;

interface Listed {
  readonly name: string;
  readonly description: string;
  readonly stars_count: number;
  readonly permissions: { readonly admin: boolean };
}

describe('REP-01: lists of repositories are right at once after every change', () => {
  let scene: Scene;
  before(async () => {
    scene = await startScene();
    for (const name of ['one', 'two']) await send(scene.ada, 'POST', '/user/repos', { name });
  });
  after(() => scene.host.close());

  const list = async (client: Scene['ada'], path = '/users/ada/repos') => {
    const answer = await send(client, 'GET', path);
    expect(answer.statusCode, path).to.equal(200);
    const items = answer.json as Listed[];
    expect(answer.headers['x-total-count']).to.equal(String(items.length));
    return items;
  };
  const names = async (...asked: Parameters<typeof list>) => (await list(...asked)).map(({ name }) => name);

  it('shows what was made, changed, starred, hidden and deleted', async () => {
    const { ada, ben, host } = scene;
    const visitor = host.as(anonymous) as Scene['ada'];
    expect(await names(visitor)).to.equal(['one', 'two']);
    await send(ada, 'POST', '/user/repos', { name: 'three' });
    expect(await names(visitor)).to.equal(['one', 'two', 'three']);
    await send(ada, 'PATCH', '/repos/ada/one', { description: 'The first' });
    expect((await list(visitor))[0]!.description).to.equal('The first');
    await send(ben, 'PUT', '/user/starred/ada/one');
    await host.settle();
    expect((await list(visitor))[0]!.stars_count).to.equal(1);
    expect(await names(ben, '/users/ben/starred')).to.equal(['one']);
    await send(ada, 'PATCH', '/repos/ada/two', { private: true });
    expect(await names(visitor)).to.equal(['one', 'three']);
    expect(await names(ada)).to.equal(['one', 'two', 'three']);
    await send(ada, 'DELETE', '/repos/ada/three');
    expect(await names(visitor)).to.equal(['one']);
  });

  it('gives each what they may do, in one list after the other', async () => {
    const { ada, ben } = scene;
    expect((await list(ada))[0]!.permissions.admin).to.be.true();
    expect((await list(ben))[0]!.permissions.admin).to.be.false();
    expect(await names(ben)).to.equal(['one']);
    await send(ada, 'PUT', '/repos/ada/two/collaborators/ben', { permission: 'read' });
    expect(await names(ben)).to.equal(['one', 'two']);
    await send(ada, 'DELETE', '/repos/ada/two/collaborators/ben');
    expect(await names(ben)).to.equal(['one']);
  });
});
