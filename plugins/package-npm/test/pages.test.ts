import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { makeUser, startHost, type KitUser, type TestHost } from '@mortise/plugin-sdk/testing';
import { repositoryPage } from '../services/repository-address.js';
import { publishBody } from './publish-body.js';

export const lab = Lab.script();
const { describe, it, before, after } = lab;

describe('pages of npm packages', () => {
  let host: TestHost;
  let ada: KitUser;

  const publish = (version: string, tag: string) =>
    host.inject({
      method: 'PUT',
      url: '/api/packages/ada/npm/@kit%2fhello',
      headers: { authorization: ada.authorization, 'content-type': 'application/json' },
      payload: publishBody(version, (body) => {
        body['dist-tags'] = { [tag]: version };
        body.versions[version].repository = { type: 'git', url: 'git+https://git.example/ada/hello.git' };
        body.versions[version].readme = '# Hello\n\nThis is *how* it is used.\n\nA second paragraph.';
      }),
    });

  before(async () => {
    host = await startHost({ plugins: ['package-npm', 'markup', 'auth-basic', 'auth-token'] });
    ada = await makeUser(host, 'ada');
    expect((await publish('1.0.0', 'latest')).statusCode).to.equal(201);
    expect((await publish('2.0.0-rc.1', 'next')).statusCode).to.equal(201);
  });
  after(() => host.close());

  it('leads from a package to the version that the registry calls the latest', async () => {
    const answer = await host.inject('/ada/-/packages/npm/@kit%2Fhello');
    expect(answer.statusCode).to.equal(302);
    expect(answer.headers.location).to.match(/\/1\.0\.0$/);
  });

  it('shows it in lists, too, though a newer version was published', async () => {
    for (const path of ['/ada/-/packages', '/ada?tab=packages']) {
      const { payload } = await host.inject(path);
      expect(payload, path).to.match(/@kit\/hello<.*?>1\.0\.0</s);
      expect(payload, path).not.to.include('2.0.0-rc.1');
    }
  });

  it('leads to the repository, however its address is written', () => {
    const page = (repository: unknown) => repositoryPage({ repository });
    for (const text of [
      'git+https://git.example/ada/hello.git',
      'git+ssh://git@git.example/ada/hello.git',
      'ssh://git@git.example:2222/ada/hello',
      'git://git.example/ada/hello.git',
      'git@git.example:ada/hello.git',
      'https://ada:secret@git.example/ada/hello/',
    ])
      expect(page({ type: 'git', url: text }), text).to.equal('https://git.example/ada/hello');
    expect(page('http://git.example:3000/ada/hello')).to.equal('http://git.example:3000/ada/hello');
    expect([page('ada/hello'), page('gitlab:ada/hello')]).to.equal([
      'https://github.com/ada/hello',
      'https://gitlab.com/ada/hello',
    ]);
    for (const none of ['', 'javascript:alert(1)', 'file:///etc/passwd', 'git+file:///etc', 7, { url: 7 }, undefined])
      expect(page(none), String(none)).to.be.undefined();
  });

  it('renders the readme, lists dist-tags, and offers to copy commands', async () => {
    const { payload } = await host.inject('/ada/-/packages/npm/@kit%2Fhello/1.0.0');
    expect(payload).to.include(['This is <em>how</em> it is used.', 'A second paragraph.']);
    expect(payload).to.match(/>latest<\/span> <a href="[^"]+\/1\.0\.0">1\.0\.0</);
    expect(payload).to.match(/>next<\/span> <a href="[^"]+\/2\.0\.0-rc\.1">/);
    expect(payload).to.include('data-copy-text="npm install @kit/hello@1.0.0"');
    expect(payload).to.include('href="https://git.example/ada/hello"');
  });
});
