import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { startHost, type TestClient, type TestHost } from '@mortise/plugin-sdk/testing';
import { signUp } from '@mortise/accounts/testing';

export const lab = Lab.script();
const { describe, it, before, after } = lab;
const base64 = (text: string) => Buffer.from(text).toString('base64');

describe('contents over the API and in pages', () => {
  let host: TestHost;
  let ada: TestClient;
  const api = '/api/v1/repos/ada/wheel';
  const send = (method: string, url: string, payload?: object, by: Pick<TestClient, 'inject'> = ada) =>
    by.inject({ method: method as 'GET', url, payload });

  before(async () => {
    host = await startHost({ plugins: ['refs', 'files'] });
    ada = await signUp(host, 'ada');
    expect((await send('POST', '/api/v1/user/repos', { name: 'wheel', default_branch: 'main' })).statusCode).to.equal(
      201,
    );
  });
  after(() => host.close());

  it('shows an empty repository, and refuses its commits (CNT-12)', async () => {
    expect((await send('GET', '/ada/wheel')).payload).to.include('repository is empty');
    expect((await send('GET', `${api}/commits`)).statusCode).to.equal(409);
  });

  it('CNT-22: changes several files in one commit, or none', async () => {
    const files = [
      { operation: 'create', path: 'README.md', content: base64('# Wheel\n') },
      { operation: 'create', path: 'src/a.ts', content: base64('const a = 1;\n') },
    ];
    const made = await send('POST', `${api}/contents`, { files, message: 'Begin' });
    expect(made.statusCode).to.equal(201);
    expect(
      (await send('POST', `${api}/contents`, { files: [{ ...files[0], path: 'new.md' }, files[1]] })).statusCode,
    ).to.equal(422);
    expect((await send('GET', `${api}/contents/new.md`)).statusCode).to.equal(404);
  });

  it('writes of different files at the same time all land', async () => {
    const names = Array.from({ length: 8 }, (_, index) => `race/${index}.txt`);
    const answers = await Promise.all(
      names.map((name) => send('POST', `${api}/contents/${name}`, { content: base64(name), message: name })),
    );
    expect(answers.map((answer) => answer.statusCode)).to.equal(names.map(() => 201));
    expect((await send('GET', `${api}/contents/race`)).json).to.have.length(names.length);
  });

  it('CNT-18, CNT-19: reads at branches, tags and whole references only', async () => {
    expect((await send('POST', `${api}/branches`, { new_branch_name: 'f/one' })).statusCode).to.equal(201);
    for (const ref of ['f/one', 'refs/heads/f/one', ''])
      expect((await send('GET', `${api}/contents/README.md?ref=${ref}`)).statusCode, ref).to.equal(200);
    for (const ref of ['refs/pull/1/head', 'nope', 'abc1234'])
      expect((await send('GET', `${api}/contents/README.md?ref=${ref}`)).statusCode, ref).to.equal(404);
  });

  it('CNT-08, CNT-10: finds commits by branch with a slash and by steps back', async () => {
    expect((await send('GET', `${api}/commits/f/one`)).statusCode).to.equal(200);
    expect((await send('GET', `${api}/compare/main...f/one`)).statusCode).to.equal(200);
    expect((await send('GET', `${api}/compare/main^{commit}...main`)).statusCode).to.equal(400);
    expect((await send('GET', `${api}/compare/nope...main`)).statusCode).to.equal(404);
  });

  it('serves bytes with a fence, and the pages around them', async () => {
    const raw = await send('GET', '/ada/wheel/raw/branch/f/one/src/a.ts');
    expect(raw.payload).to.equal('const a = 1;\n');
    expect(raw.headers['content-security-policy']).to.include("default-src 'none'");
    for (const path of [
      '',
      '/src/branch/main/src',
      '/src/branch/f/one/src/a.ts',
      '/commits/branch/main',
      '/branches',
      '/tags',
    ]) {
      const page = await send('GET', `/ada/wheel${path}`, undefined, host);
      expect(page.statusCode, path).to.equal(200);
    }
    expect((await send('GET', '/ada/wheel')).payload).to.include('>Wheel<');
    expect((await send('GET', '/ada/wheel/src/branch/nope', undefined, host)).statusCode).to.equal(404);
  });

  it('hides a private repository from others in every form', async () => {
    expect((await send('PATCH', api, { private: true })).statusCode).to.equal(200);
    for (const url of [
      `${api}/contents`,
      `${api}/raw/README.md`,
      `${api}/commits`,
      `${api}/archive/main.zip`,
      '/ada/wheel',
      '/ada/wheel/raw/branch/main/README.md',
      '/ada/wheel/archive/main.zip',
      '/ada/wheel/src/branch/main',
    ])
      expect((await send('GET', url, undefined, host)).statusCode, url).to.equal(404);
    const asked = (await send('GET', '/ada/wheel?go-get=1', undefined, host)).payload;
    const missing = (await send('GET', '/ada/none?go-get=1', undefined, host)).payload;
    expect(asked.replaceAll('wheel', 'none')).to.equal(missing);
    expect(asked).to.match(/go-import" content="\S+\/ada\/wheel git http:\/\/\S+\/ada\/wheel\.git"/);
  });
});
