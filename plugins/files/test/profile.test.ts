import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import type { TestClient } from '@mortise/plugin-sdk/testing';
import { base64, send, startScene, type Scene } from '@mortise/repositories/testing';

export const lab = Lab.script();
const { describe, it, before, after } = lab;

describe('the readme of a profile', () => {
  let scene: Scene;
  const introduce = async (owner: string, name: string, text: string, more: object = {}) => {
    const path = owner === 'ada' ? '/user/repos' : `/orgs/${owner}/repos`;
    expect((await send(scene.ada, 'POST', path, { name, ...more })).statusCode).to.equal(201);
    const file = { content: base64(text), message: 'introduce' };
    expect((await send(scene.ada, 'POST', `/repos/${owner}/${name}/contents/README.md`, file)).statusCode).to.equal(
      201,
    );
  };
  const page = async (client: Pick<TestClient, 'inject'>, url: string) => {
    const answer = await client.inject(url);
    expect(answer.statusCode, url).to.equal(200);
    return answer.payload;
  };

  before(async () => {
    scene = await startScene({ plugins: ['files', 'refs', 'organizations', 'activity'] });
    await introduce('ada', '.profile', 'I build **wheels**. See [more](docs/more.md), <script>alert(1)</script>');
    await send(scene.ada, 'POST', '/orgs', { username: 'works' });
    await introduce('works', '.profile', 'We are _works_.');
    await introduce('works', '.profile-private', 'The door code is in the _safe_.', { private: true });
  });
  after(() => scene.host.close());

  it('is shown above the first tab, with links into the repository', async () => {
    const profile = await page(scene.host, '/ada');
    expect(profile).to.include(['<strong>wheels</strong>', 'href="/ada/.profile/src/branch/main/docs/more.md"']);
    expect(profile).to.not.include('alert(1)</script>');
    const [first, second] = [...profile.matchAll(/href="\/ada\?tab=(\w+)"[^>]*(?:aria-current|>)/g)]
      .map(([, tab]) => tab)
      .filter((tab) => tab !== 'followers' && tab !== 'following');
    expect(await page(scene.host, `/ada?tab=${first}`)).to.include('<strong>wheels</strong>');
    expect(second).to.be.a.string();
    expect(await page(scene.host, `/ada?tab=${second}`)).to.not.include('<strong>wheels</strong>');
    expect(await page(scene.host, '/ada?tab=followers')).to.not.include('<strong>wheels</strong>');
    expect(await page(scene.host, '/ben')).to.not.include('id="readme"');
  });

  it('tells nobody of a private repository', async () => {
    await send(scene.ada, 'PATCH', '/repos/ada/.profile', { private: true });
    for (const client of [scene.host, scene.ben, scene.ada])
      expect(await page(client, '/ada')).to.not.include('wheels');
    await send(scene.ada, 'PATCH', '/repos/ada/.profile', { private: false });
    expect(await page(scene.host, '/ada')).to.include('wheels');
  });

  it('of an organization has one for members and one for everybody', async () => {
    for (const client of [scene.host, scene.ben])
      for (const url of ['/works', '/works?view_as=member'])
        expect(await page(client, url))
          .to.include('<em>works</em>')
          .and.not.to.include('safe');
    const member = await page(scene.ada, '/works');
    expect(member).to.include(['<em>safe</em>', 'href="/works?view_as=public"']).and.not.to.include('<em>works</em>');
    const visitor = await page(scene.ada, '/works?view_as=public');
    expect(visitor).to.include(['<em>works</em>', 'href="/works?view_as=member"']).and.not.to.include('safe');
  });

  it('costs no more than a bounded file', async () => {
    const { sha } = (await send(scene.ada, 'GET', '/repos/ada/.profile/contents/README.md')).json as { sha: string };
    const content = base64('wheels '.repeat(100_000));
    const sent = await send(scene.ada, 'PUT', '/repos/ada/.profile/contents/README.md', { content, sha });
    expect(sent.statusCode).to.equal(200);
    expect(await page(scene.host, '/ada')).to.not.include('id="readme"');
  });
});
