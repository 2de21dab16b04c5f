import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { submitForm, type TestHost } from '@mortise/plugin-sdk/testing';
import { signUp, type SignedIn } from '@mortise/accounts/testing';
import { gitRemotes } from '@mortise/git/api';
import { CountingProxy } from '@mortise/git/testing';
import { formatPointer, lfsObjects } from '@mortise/lfs/api';
import { base64, send } from '@mortise/repositories/testing';
import type { SourceReader } from '../contract/source.js';
import { credentialsAt, isAtServerOf } from '../services/options.js';
import { giteaSource } from '../sources/gitea.js';
import { gitHubSource } from '../sources/github.js';
import { gitLabSource } from '../sources/gitlab.js';
import { PlayedService, bytesOf, collect, tools } from './played-service.js';
import { startSource, startTarget, type SourceSite } from './support.js';

export const lab = Lab.script();
const { describe, it, before, after } = lab;
const token = 'secret-token-77';
const listed = (name: string, url: string) => ({ name, full_name: `works/${name}`, clone_url: url });

describe('S4: credentials of an import go to the server that the importer named, and to no other', () => {
  let host: TestHost;
  let cas: SignedIn;
  /** Named by the source, not by the importer. */
  let elsewhere: PlayedService;
  let source: PlayedService;
  before(async () => {
    host = await startTarget();
    cas = await signUp(host, 'cas');
    elsewhere = new PlayedService(() => ({ body: 'content' }));
    await elsewhere.start();
    source = new PlayedService(({ path }, url) => {
      if (path === '/api/v1/orgs/works') return { body: {} };
      if (path === '/api/v1/orgs/works/repos')
        return {
          body: [
            listed('own', `${url}/works/own.git`),
            listed('stolen', `${elsewhere.url}/works/stolen.git`),
            listed('local', 'file:///etc/passwd'),
            listed('none', 'x'),
          ],
        };
      return undefined;
    });
    await source.start();
  });
  after(async () => {
    await elsewhere.stop();
    await source.stop();
    await host?.close();
  });
  const carried = ({ requests }: PlayedService) =>
    requests.filter(({ headers }) => Object.values(headers).some((value) => String(value).includes(token)));

  it('what the list of an owner gives at another server is left out, and told', async () => {
    const path = '/repo/migrate/owner';
    const asked = { service: 'gitea', owner_addr: `${source.url}/works`, auth_token: token };
    const list = await submitForm(cas, path, { ...asked, action: 'list' });
    expect(list.statusCode, list.payload).to.equal(200);
    expect(list.payload).to.contain(['works/own', 'you did not name', new URL(elsewhere.url).host]);
    expect(list.payload).to.not.contain(['works/stolen', 'works/local', 'works/none', token]);
    for (const address of [`${elsewhere.url}/works/stolen.git`, 'file:///etc/passwd']) {
      const refused = await submitForm(cas, path, { ...asked, action: 'start', address });
      expect(refused.statusCode, address).to.equal(422);
    }
    const begun = await submitForm(cas, path, { ...asked, action: 'start', address: `${source.url}/works/own.git` });
    expect(begun.statusCode, begun.payload).to.equal(303);
    expect(elsewhere.requests).to.be.empty();
    expect(carried(source).length).to.be.above(2);
    expect((await send(cas, 'GET', '/repos/cas/stolen')).statusCode).to.equal(404);
  });

  it('a source that knows itself by another scheme or name is imported from the server that was named', async () => {
    const path = '/repo/migrate/owner';
    const inner = 'http://gitea.inner.example:3000';
    let addresses: Readonly<Record<string, string>> = {};
    const behind = new PlayedService((request) => {
      if (request.path.endsWith('/orgs/works')) return { body: {} };
      if (request.path.endsWith('/repos'))
        return { body: Object.entries(addresses).map(([name, address]) => listed(name, address)) };
      return undefined;
    });
    await behind.start();
    try {
      const asked = { service: 'gitea', owner_addr: `${behind.url}/works`, auth_token: token };
      addresses = { pump: `${inner}/works/pump.git`, mill: `${inner}/works/mill.git` };
      const list = await submitForm(cas, path, { ...asked, action: 'list' });
      expect(list.payload).to.contain([`value="${behind.url}/works/pump.git"`, 'works/mill', `calls itself ${inner}`]);
      expect(list.payload).to.not.contain(`value="${inner}`);
      // neither of two servers, nor an address that says something else than the name
      const wrong: Record<string, string>[] = [
        { pump: `${inner}/works/pump.git`, mill: 'https://evil.example/works/mill.git' },
        { pump: `${inner}/works/other.git` },
        { pump: 'file:///works/pump.git' },
      ];
      for (const others of wrong) {
        addresses = others;
        const { payload } = await submitForm(cas, path, { ...asked, action: 'list' });
        expect(payload).to.contain('you did not name').and.to.not.contain('name="address"');
      }
    } finally {
      await behind.stop();
    }
  });

  it('whatever a source says of its addresses, git signs in at that server alone', () => {
    const remotes = host.services.get(gitRemotes);
    const options = { address: 'https://git.example/a/b', values: { auth_token: token }, kinds: new Set<never>() };
    const at = (address: string) => credentialsAt(remotes, options, address).password;
    expect([at('https://git.example/a/b.wiki.git'), at('https://GIT.example:443/x')]).to.equal([token, token]);
    for (const other of [
      'https://git.example.evil.example/a/b',
      'https://git.example@evil.example/a/b',
      'https://git.example:8443/a/b',
      'http://git.example/a/b',
      'git://git.example/a/b',
      'ssh://git@git.example/a/b',
      'git@git.example:a/b',
    ])
      expect(at(other), other).to.be.undefined();
    expect(isAtServerOf('https://git.example:443/x', 'https://git.example/y')).to.be.true();
    expect(isAtServerOf('https://git.example.evil.example/x', 'https://git.example/y')).to.be.false();
  });

  it('files of releases at another server are read without them', async () => {
    const asset = { id: 1, name: 'a', size: 7, browser_download_url: '', url: '', assets: [] };
    const played = new PlayedService(({ path }) => {
      const url = `${elsewhere.url}/file`;
      const release = { id: 1, tag_name: 'v1', name: 'v1', assets: [{ ...asset, browser_download_url: url, url }] };
      const links = [{ id: 1, name: 'a', url, direct_asset_url: url }];
      if (path.endsWith('/releases'))
        return { body: [path.includes('/projects/') ? { ...release, assets: { links } } : release] };
      return { body: path.includes('merge_requests') || path.endsWith('/issues') ? [] : { id: 1, name: 'b' } };
    });
    await played.start();
    elsewhere.requests.length = 0;
    try {
      for (const one of [giteaSource, gitHubSource, gitLabSource]) {
        const reader: SourceReader = await one.connect(
          { address: `${played.url}/a/b`, values: { auth_token: token }, kinds: new Set(['releases'] as const) },
          tools(),
        );
        const [release] = await collect((after) => reader.releases!(after));
        expect(await release!.assets[0]!.read(bytesOf, new AbortController().signal), one.key).to.equal('content');
      }
      expect(elsewhere.requests).to.have.length(3);
      expect(carried(elsewhere)).to.be.empty();
      expect(carried(played).length).to.be.above(2);
    } finally {
      await played.stop();
    }
  });
});

describe('imports from a server with LFS', () => {
  let source: SourceSite;
  const content = 'a large file';
  const oid = createHash('sha256').update(content).digest('hex');
  before(async () => {
    source = await startSource('mill', ['lfs']);
    const { id } = await source.ask(source.ada, 'GET', '');
    await source.host.services.get(lfsObjects).receive(id, { oid, size: content.length }, Readable.from([content]));
    const pointer = base64(formatPointer({ oid, size: content.length }));
    await source.ask(source.ada, 'POST', '/contents/large.bin', { content: pointer, branch: 'main' });
  });
  after(() => source?.host.close());
  const migrate = (cas: SignedIn, body: object) =>
    send(cas, 'POST', '/repos/migrate', {
      clone_addr: `${source.url}/ada/mill.git`,
      service: 'gitea',
      lfs: true,
      ...source.credentials,
      ...body,
    });

  it('S4: an address of LFS objects at another server gets no credentials', async () => {
    const elsewhere = new PlayedService(() => ({ body: { objects: [] } }));
    await elsewhere.start();
    const host = await startTarget();
    try {
      const cas = await signUp(host, 'cas');
      const made = await migrate(cas, { repo_name: 'apart', lfs_endpoint: `${elsewhere.url}/x/info/lfs` });
      expect(made.statusCode, made.payload).to.equal(201);
      expect(elsewhere.requests.map(({ path }) => path)).to.equal(['/x/info/lfs/objects/batch']);
      expect(elsewhere.requests[0]!.headers.authorization).to.be.undefined();
      // it is used as it is, whatever it looks like
      await migrate(cas, { repo_name: 'plain', lfs_endpoint: `${elsewhere.url}/objects-of/mill/` });
      expect(elsewhere.requests.at(-1)!.path).to.equal('/objects-of/mill/objects/batch');
    } finally {
      await host.close();
      await elsewhere.stop();
    }
  });

  it('[proxy]: go by the proxy of the operator, records, code and objects', async () => {
    const proxy = await CountingProxy.start();
    const settings = { proxy: { PROXY_ENABLED: true, PROXY_URL: proxy.url, PROXY_HOSTS: '**' } };
    const host = await startTarget({ settings });
    try {
      const cas = await signUp(host, 'cas');
      const made = await migrate(cas, { repo_name: 'by-proxy', issues: true });
      expect(made.statusCode, made.payload).to.equal(201);
      const asked = proxy.requests.map((one) => one.replace(source.url, '').replace(/\?.*/, ''));
      expect(asked).to.include([
        'GET /api/v1/repos/ada/mill',
        'GET /api/v1/repos/ada/mill/issues',
        'GET /ada/mill.git/info/refs',
        'POST /ada/mill.git/git-upload-pack',
        'POST /ada/mill.git/info/lfs/objects/batch',
      ]);
      expect([...(await host.services.get(lfsObjects).find(made.json.id, [oid]))]).to.equal([[oid, content.length]]);
    } finally {
      await host.close();
      proxy.close();
    }
  });
});
