import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { anonymous, defineService } from '@mortise/plugin-sdk';
import { accounts } from '@mortise/accounts/api';
import { repositories } from '@mortise/repositories/api';
import type { TestClient } from '@mortise/plugin-sdk/testing';
import { pageIn } from '@mortise/plugin-sdk/testing';
import { base64, send, startScene, type Scene } from '@mortise/repositories/testing';
import type { ForkService } from '../services/forks.js';

export const lab = Lab.script();
const { describe, it, before, after } = lab;

describe('pages of forks and templates', () => {
  let scene: Scene;
  before(async () => {
    scene = await startScene({ plugins: ['forks', 'files'] });
    await send(scene.ada, 'POST', '/user/repos', { name: 'shop', auto_init: true, template: true });
    await send(scene.ben, 'POST', '/repos/ada/shop/forks', {});
  });
  after(() => scene.host.close());

  const commit = (client: TestClient, path: string, file: string) =>
    send(client, 'POST', `${path}/contents/${file}`, { content: base64('x') });

  it("speak the visitor's language", async () => {
    expect(await pageIn(scene.ben, 'de', '/ada/shop/fork')).to.contain(['Neuer Fork', 'Es gibt bereits einen eigenen']);
    // the form for a new repository leads to what it may begin with
    expect(await pageIn(scene.ben, 'en', '/repo/create')).to.contain(['Start from a template', '/ada/shop/generate']);
    expect(await pageIn(scene.ben, 'zh-CN', '/ada/shop/generate')).to.contain(['从模板新建仓库', '要复制的内容']);
    expect(await pageIn(scene.ben, 'de', '/ada/shop/forks')).to.contain(['Forks', 'aria-label="1 Fork"']);
    const refused = await scene.ben.inject({
      method: 'POST',
      url: '/ada/shop/generate',
      headers: { 'content-type': 'application/x-www-form-urlencoded', 'accept-language': 'de' },
      payload: 'repo_name=x',
    });
    expect(refused.statusCode).to.equal(422);
    expect(refused.payload).to.contain('Bitte mindestens einen Inhalt auswählen');
  });

  it('say in whole sentences how a fork stands to its upstream', async () => {
    const sentence = async (language = 'en') =>
      /<p>(<code>main<\/code>.*?)<\/p>/
        .exec(await pageIn(scene.ben, language, '/ben/shop'))?.[1]
        ?.replace(/<[^>]*>/g, '');
    expect(await sentence()).to.equal('main is up to date with ada/shop.');
    await commit(scene.ada, '/repos/ada/shop', 'a');
    expect(await sentence()).to.equal('main is behind ada/shop.');
    await commit(scene.ben, '/repos/ben/shop', 'b');
    await send(scene.ben, 'POST', '/repos/ben/shop/merge-upstream', { branch: 'main' });
    expect(await sentence()).to.equal('main is 2 commits ahead of ada/shop.');
    expect(await sentence('de')).to.equal('main ist ada/shop um 2 Commits voraus.');
    expect((await send(scene.ben, 'GET', '/repos/ben/shop/git/commits/main')).json.commit?.message).to.equal(
      "merge branch 'main' of ada/shop\n",
    );
  });
});

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
