import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { definePlugin } from '@mortise/plugin-sdk';
import { pageIn } from '@mortise/plugin-sdk/testing';
import { sshAddress } from '@mortise/repositories/api';
import { send, startScene, type Scene } from '@mortise/repositories/testing';

export const lab = Lab.script();
const { describe, it, before, after } = lab;

const ssh = definePlugin({
  name: 'ssh-address',
  version: '1.0.0',
  sdk: '^1.0.0',
  register: (host) => host.contribute(sshAddress, { address: (path) => `git@code.example:${path}.git` }),
});

describe('addresses to clone', () => {
  let scene: Scene;
  before(async () => {
    scene = await startScene({
      plugins: ['files', 'auth-token', ssh],
      settings: { repository: { GO_GET_CLONE_URL_PROTOCOL: 'ssh' } },
    });
    await send(scene.ada, 'POST', '/user/repos', { name: 'empty' });
    await send(scene.ada, 'POST', '/user/repos', { name: 'shop', auto_init: true });
  });
  after(() => scene.host.close());

  it('stand in the menu for both protocols, with buttons to copy them and a way to tokens', async () => {
    const page = await pageIn(scene.ada, 'en', '/ada/shop');
    expect(page).to.contain(['>http://localhost:0/ada/shop.git</code>', '>git@code.example:ada/shop.git</code>']);
    expect(page).to.contain(['data-copy-text="git@code.example:ada/shop.git"', 'Generate an access token']);
    expect(await pageIn(scene.host, 'en', '/ada/shop')).not.to.contain('Generate an access token');
  });

  it('issue 30: the go command is told the one over SSH with GO_GET_CLONE_URL_PROTOCOL = ssh', async () => {
    for (const path of ['/ada/shop', '/ada/shop/pkg/deep', '/ada/none'])
      expect((await scene.host.inject(`${path}?go-get=1`)).payload, path).to.match(
        /content="localhost:0\/ada\/(\w+) git ssh:\/\/git@code\.example\/ada\/\1\.git"/,
      );
  });

  it('stand with commands in an empty repository', async () => {
    const page = await pageIn(scene.ada, 'de', '/ada/empty');
    expect(page).to.contain([
      'Dieses Repository ist leer',
      'Vorhandenes Repository pushen',
      'Zugriffstoken generieren',
    ]);
    for (const address of ['http://localhost:0/ada/empty.git', 'git@code.example:ada/empty.git'])
      expect(page.match(new RegExp(`data-copy-text="[^"]*remote add origin ${address}\\n`, 'g'))).to.have.length(2);
  });
});

describe('addresses to clone without other plugins', () => {
  it('are one, and say nothing of tokens', async () => {
    const scene = await startScene({ plugins: ['files'] });
    await send(scene.ada, 'POST', '/user/repos', { name: 'empty' });
    const page = await pageIn(scene.ada, 'en', '/ada/empty');
    await scene.host.close();
    expect(page).not.to.contain(['clone-ssh', 'access token']);
    expect(page).to.contain('Push an existing repository');
  });
});
