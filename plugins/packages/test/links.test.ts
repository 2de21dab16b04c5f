import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { send, startScene, type Scene } from '@mortise/repositories/testing';

export const lab = Lab.script();
const { describe, it, before, after } = lab;

describe('links between packages and repositories', () => {
  let scene: Scene;
  before(async () => {
    scene = await startScene({ plugins: ['packages', 'package-generic', 'repositories'] });
  });
  after(() => scene.host.close());

  it('S4: no package is linked to an archived repository', async () => {
    const { ada } = scene;
    const url = '/api/packages/ada/generic/tool/1.0/tool.bin';
    expect((await ada.inject({ method: 'PUT', url, payload: 'bytes' })).statusCode).to.equal(201);
    await send(ada, 'POST', '/user/repos', { name: 'tool' });
    await send(ada, 'PATCH', '/repos/ada/tool', { archived: true });
    const link = () => send(ada, 'POST', '/packages/ada/generic/tool/-/link/tool');
    expect((await link()).statusCode).to.equal(423);
    await send(ada, 'PATCH', '/repos/ada/tool', { archived: false });
    expect((await link()).statusCode).to.equal(201);
  });
});
