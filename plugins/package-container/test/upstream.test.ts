import { createHash } from 'node:crypto';
import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { downloadPolicy } from '@mortise/plugin-sdk';
import { freePort, makeUser, startHost, type KitUser, type TestHost } from '@mortise/plugin-sdk/testing';
import { FakeUpstream, type UpstreamReply } from '@mortise/packages/testing';

export const lab = Lab.script();
const { describe, it, before, after } = lab;
const plugins = ['package-container', 'auth-basic', 'auth-token'];
const digest = (data: Buffer | string) => `sha256:${createHash('sha256').update(data).digest('hex')}`;
const manifestType = 'application/vnd.oci.image.manifest.v1+json';
const layer = Buffer.from('a layer'.repeat(1000));
const config = Buffer.from('{"os":"linux","architecture":"amd64"}');
const manifest = JSON.stringify({
  schemaVersion: 2,
  mediaType: manifestType,
  config: { mediaType: 'application/vnd.oci.image.config.v1+json', digest: digest(config), size: config.length },
  layers: [{ mediaType: 'application/vnd.oci.image.layer.v1.tar', digest: digest(layer), size: layer.length }],
});

describe('PKG-20: images of another registry', { timeout: 60_000 }, () => {
  let far: TestHost;
  let host: TestHost;
  let ada: KitUser;
  const push = async (to: TestHost, { authorization }: KitUser, image: string, tag: string) => {
    for (const data of [layer, config]) {
      const url = `/v2/${image}/blobs/uploads?digest=${digest(data)}`;
      expect((await to.inject({ method: 'POST', url, payload: data, headers: { authorization } })).statusCode).to.equal(
        201,
      );
    }
    const headers = { authorization, 'content-type': manifestType };
    const url = `/v2/${image}/manifests/${tag}`;
    expect((await to.inject({ method: 'PUT', url, payload: manifest, headers })).statusCode).to.equal(201);
  };
  const read = (path: string, method: 'GET' | 'HEAD' = 'GET') =>
    host.inject({ method, url: `/v2/ada/${path}`, headers: { authorization: ada.authorization } });

  before(async () => {
    const port = await freePort();
    far = await startHost({
      plugins,
      settings: { server: { HTTP_PORT: port, ROOT_URL: `http://127.0.0.1:${port}/` } },
    });
    const ben = await makeUser(far, 'ben', { visibility: 'private' });
    for (const image of ['ben/tool', 'ben/mine']) await push(far, ben, image, 'v1');
    host = await startHost({
      plugins,
      settings: {
        'package-container': {
          UPSTREAM: await far.url(),
          UPSTREAM_USERNAME: 'ben',
          UPSTREAM_PASSWORD: ben.password,
        },
      },
    });
    ada = await makeUser(host, 'ada');
  });
  after(async () => {
    await host.close();
    await far.close();
  });

  it('signs in there, and serves manifests, blobs and tags', async () => {
    for (const reference of ['v1', digest(manifest)]) {
      const got = await read(`ben/tool/manifests/${reference}`);
      expect(got.statusCode, got.payload).to.equal(200);
      expect(got.payload).to.equal(manifest);
      expect(got.headers).to.include({ 'content-type': manifestType, 'docker-content-digest': digest(manifest) });
      expect(got.headers['content-security-policy']).to.equal(downloadPolicy);
    }
    const head = await read('ben/tool/manifests/v1', 'HEAD');
    expect(head.statusCode).to.equal(200);
    expect(head.headers['docker-content-digest']).to.equal(digest(manifest));
    expect(Number(head.headers['content-length'])).to.equal(manifest.length);
    for (const data of [layer, config]) {
      const blob = await read(`ben/tool/blobs/${digest(data)}`);
      expect(blob.rawPayload).to.equal(data);
      expect(blob.headers['docker-content-digest']).to.equal(digest(data));
    }
    expect((await read('ben/tool/tags/list')).json).to.equal({ name: 'ada/ben/tool', tags: ['v1'] });
  });

  it('says what there is not, and whom it does not serve', async () => {
    for (const path of [
      'ben/tool/manifests/v2',
      'ben/none/manifests/v1',
      `ben/tool/blobs/${digest('none')}`,
      'ben/none/tags/list',
    ])
      expect((await read(path)).statusCode, path).to.equal(404);
    const { token } = (await host.inject('/v2/token')).json;
    for (const authorization of ['', `Bearer ${token}`]) {
      const headers = authorization ? { authorization } : {};
      const refused = await host.inject({ url: '/v2/ada/ben/tool/manifests/v1', headers });
      expect(refused.statusCode).to.equal(401);
      expect(refused.headers['www-authenticate']).to.include('Bearer realm=');
    }
  });

  it('never asks for an image that is here, whichever tag is wanted', async () => {
    await push(host, ada, 'ada/ben/mine', 'own');
    expect((await read('ben/mine/manifests/own')).statusCode).to.equal(200);
    expect((await read('ben/mine/manifests/v1')).statusCode).to.equal(404);
    expect((await read('ben/mine/tags/list')).json.tags).to.equal(['own']);
  });

  it('takes an image whose name is known there, and asks for none of its blobs', async () => {
    const upstream = await FakeUpstream.start();
    const other = await startHost({ plugins, settings: { 'package-container': { UPSTREAM: upstream.url } } });
    try {
      const cy = await makeUser(other, 'cy');
      for (const data of [layer, config]) {
        upstream.has(`/v2/tool/blobs/${digest(data)}`, { body: data });
        const url = `/v2/cy/tool/blobs/${digest(data)}`;
        const { authorization } = cy;
        expect((await other.inject({ method: 'HEAD', url, headers: { authorization } })).statusCode).to.equal(404);
      }
      await push(other, cy, 'cy/tool', 'own');
      expect(upstream.asked().length).to.equal(0);
    } finally {
      await other.close();
      await upstream.close();
    }
  });

  it('refuses what has another digest, and shows credentials to nobody else', async () => {
    const upstream = await FakeUpstream.start();
    const thief = await FakeUpstream.start();
    const friend = await FakeUpstream.start();
    const other = await startHost({
      plugins,
      settings: {
        'package-container': {
          UPSTREAM: upstream.url.replace('127.0.0.1', 'localhost'),
          UPSTREAM_USERNAME: 'name',
          UPSTREAM_PASSWORD: 'secret',
          UPSTREAM_SIGN_IN_HOST: new URL(friend.url).host,
        },
      },
    });
    try {
      const { authorization } = await makeUser(other, 'ada');
      const get = (path: string) => other.inject({ url: `/v2/ada/${path}`, headers: { authorization } });
      upstream.has(`/v2/tool/manifests/${digest(manifest)}`, {
        body: config,
        headers: { 'content-type': manifestType },
      });
      upstream.has(`/v2/tool/blobs/${digest(layer)}`, { body: config });
      expect((await get(`tool/manifests/${digest(manifest)}`)).statusCode).to.equal(502);
      expect((await get(`tool/blobs/${digest(layer)}`)).statusCode).to.equal(502);
      thief.has('/token?service=x&scope=repository%3Alured%3Apull', { body: { token: 'got' } });
      upstream.has('/v2/lured/manifests/v1', (request): UpstreamReply =>
        request.headers.authorization === 'Bearer got'
          ? { body: manifest, headers: { 'content-type': manifestType } }
          : { status: 401, headers: { 'www-authenticate': `Bearer realm="${thief.url}/token",service="x"` } },
      );
      expect((await get('lured/manifests/v1')).statusCode).to.equal(200);
      expect(thief.asked().map(({ headers }) => headers.authorization)).to.equal([undefined]);
      // but the host that the operator names gives tokens for them
      friend.has('/token?service=x&scope=repository%3Aours%3Apull', (request): UpstreamReply =>
        request.headers.authorization === `Basic ${Buffer.from('name:secret').toString('base64')}`
          ? { body: { token: 'ours' } }
          : { status: 401 },
      );
      upstream.has('/v2/ours/manifests/v1', (request): UpstreamReply =>
        request.headers.authorization === 'Bearer ours'
          ? { body: manifest, headers: { 'content-type': manifestType } }
          : { status: 401, headers: { 'www-authenticate': `Bearer realm="${friend.url}/token",service="x"` } },
      );
      expect((await get('ours/manifests/v1')).statusCode).to.equal(200);
      // whoever a redirect leads to neither sees credentials nor has them sent
      upstream.has('/v2/moved/manifests/v1', { status: 302, headers: { location: `${thief.url}/moved` } });
      thief.has('/moved', {
        status: 401,
        headers: { 'www-authenticate': `Bearer realm="${upstream.url.replace('127.0.0.1', 'localhost')}/token"` },
      });
      expect((await get('moved/manifests/v1')).statusCode).to.equal(404);
      expect(thief.asked('/moved').map(({ headers }) => headers.authorization)).to.equal([undefined]);
      expect(upstream.asked().filter(({ url }) => url!.startsWith('/token'))).to.equal([]);
    } finally {
      await other.close();
      await upstream.close();
      await thief.close();
      await friend.close();
    }
  });
});
