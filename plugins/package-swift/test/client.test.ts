// Database: SQLite alone; the format asks the database nothing by itself, and its kit runs on both.
import { createHash, randomBytes } from 'node:crypto';
import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { makeUser, startHost, type KitUser, type TestHost } from '@mortise/plugin-sdk/testing';
import { publication, source, type SwiftUpload } from './sources.js';

export const lab = Lab.script();
const { describe, it, before, after } = lab;

/** What SwiftPM asks, in its order: the client is not packaged where this runs. */
describe('PKG-11: the Swift registry, asked as SwiftPM does', () => {
  let host: TestHost;
  let ada: KitUser;
  let ben: KitUser;
  const at = '/api/packages/ada/swift';
  const json = 'application/vnd.swift.registry.v1+json';
  const get = (path: string, accept: string, as: KitUser | undefined = ada) =>
    host.inject({ url: at + path, headers: { accept, ...(as && { authorization: as.authorization }) } });
  const publish = (path: string, deps: SwiftUpload, as: KitUser = ada) => {
    const { payload, headers } = publication(deps);
    return host.inject({
      method: 'PUT',
      url: at + path,
      payload,
      headers: { ...headers, authorization: as.authorization },
    });
  };
  const archive = source('1.0.0', {
    '5.9.0': '// swift-tools-version:5.9\nlet newer = true\n',
    6: '// swift-tools-version: 6.0\nlet newest = true\n',
  });
  const signature = randomBytes(900);
  before(async () => {
    host = await startHost({ plugins: ['package-swift', 'auth-basic', 'auth-token'] });
    ada = await makeUser(host, 'ada', { visibility: 'private' });
    ben = await makeUser(host, 'ben');
  });
  after(() => host.close());

  it('SwiftPM signs in with a token, and is refused without one', async () => {
    for (const path of ['', '/login'])
      for (const [as, status] of [
        [ada, 200],
        [undefined, 401],
      ] as const) {
        const headers = as && { authorization: as.authorization };
        const answer = await host.inject({ method: 'POST', url: at + path, headers });
        expect(answer.statusCode).to.equal(status);
        if (!as) expect(answer.headers['www-authenticate']).to.contain('Basic');
      }
  });

  it('publishes with metadata and signature', async () => {
    const metadata = JSON.stringify({
      // what a client leaves empty may also be null
      author: { name: 'Ada', familyName: null },
      codeRepository: null,
      keywords: null,
      description: 'a tool',
      licenseURL: 'https://example.com/license',
      repositoryURLs: ['https://example.com/acme/tool.git'],
    });
    const deps = { archive, metadata, signature };
    expect((await publish('/acme/Tool/1.0.0', deps, ben)).statusCode).to.equal(401);
    const answer = await publish('/acme/Tool/1.0.0', deps);
    expect(answer.statusCode).to.equal(201);
    expect(answer.headers['content-version']).to.equal('1');
    expect(new URL(answer.headers.location as string).pathname).to.equal(`${at}/acme/Tool/1.0.0`);
    const again = await publish('/Acme/TOOL/1.0.0', deps);
    expect(again.statusCode).to.equal(409);
    expect(again.headers['content-type']).to.contain('application/problem+json');
    expect(again.headers['content-version']).to.equal('1');
    for (const version of ['0.9.0', '1.1.0', '2.0.0-beta.1'])
      expect((await publish(`/acme/Tool/${version}`, { archive: source(version) })).statusCode).to.equal(201);
  });

  it('resolves: releases, release, manifests, archive', async () => {
    expect((await get('/acme/Tool', json, ben)).statusCode).to.equal(401);
    const releases = await get('/acme/Tool', json);
    expect(Object.keys(releases.json.releases)).to.equal(['2.0.0-beta.1', '1.1.0', '1.0.0', '0.9.0']);
    expect(releases.headers.link).to.match(/\/acme\/Tool\/1\.1\.0>; rel="latest-version"$/);

    const release = await get('/acme/Tool/1.0.0', json);
    const [resource] = release.json.resources;
    expect(resource.signing).to.equal({
      signatureBase64Encoded: signature.toString('base64'),
      signatureFormat: 'cms-1.0.0',
    });
    expect(release.json.metadata).to.include({ description: 'a tool', licenseURL: 'https://example.com/license' });
    expect(release.json.metadata).to.include({ author: { '@type': 'Person', name: 'Ada' } });
    expect(release.json.publishedAt).to.be.a.string();
    expect(release.headers.link).to.contain(['predecessor-version', 'successor-version']);

    const manifest = await get('/acme/Tool/1.0.0/Package.swift', 'application/vnd.swift.registry.v1+swift');
    expect(manifest.payload).to.startWith('// swift-tools-version:5.7\n// 1.0.0');
    const alternates = [
      ...String(manifest.headers.link).matchAll(
        /<([^>]+)>; rel="alternate"; filename="([^"]+)"; swift-tools-version="([^"]+)"/g,
      ),
    ];
    expect(alternates.map(([, , name, tools]) => `${name} ${tools}`).sort()).to.equal([
      'Package@swift-5.9.swift 5.9',
      'Package@swift-6.0.swift 6.0',
    ]);
    for (const [, url] of alternates) {
      const { pathname, search } = new URL(url!);
      const one = await get(pathname.slice(at.length) + search, 'application/vnd.swift.registry.v1+swift');
      expect(one.payload).to.contain('newe');
    }
    const other = await get('/acme/Tool/1.0.0/Package.swift?swift-version=5.1', '*/*');
    expect(other.statusCode).to.equal(303);

    const zip = await get('/acme/Tool/1.0.0.zip', 'application/vnd.swift.registry.v1+zip');
    expect(createHash('sha256').update(zip.rawPayload).digest('hex')).to.equal(resource.checksum);
    expect(zip.rawPayload.equals(archive)).to.be.true();
    expect(zip.headers['x-swift-package-signature']).to.equal(signature.toString('base64'));
    expect(zip.headers.digest).to.equal(`sha-256=${Buffer.from(resource.checksum, 'hex').toString('base64')}`);
    expect((await get('/identifiers?url=https://example.com/acme/tool.git', json)).json.identifiers).to.equal([
      'acme.Tool',
    ]);
  });

  it('speaks one version of the protocol', async () => {
    for (const [accept, status] of [
      ['', 200],
      ['*/*', 200],
      ['application/vnd.swift.registry+json', 200],
      ['application/vnd.swift.registry.v1', 200],
      ['application/vnd.swift.registry.v2+json', 415],
      ['application/vnd.swift.registry.v1+zip', 400],
      ['text/html', 400],
    ] as const) {
      const answer = await get('/acme/Tool', accept);
      expect(answer.statusCode, accept).to.equal(status);
      expect(answer.headers['content-version']).to.equal('1');
    }
    const { payload, headers } = publication({ archive, signature });
    const unknown = await host.inject({
      method: 'PUT',
      url: `${at}/acme/Tool/3.0.0`,
      payload,
      headers: { ...headers, authorization: ada.authorization, 'x-swift-package-signature-format': 'cms-9' },
    });
    expect(unknown.statusCode).to.equal(400);
  });
});
