import { createHash } from 'node:crypto';
import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { database, jobs } from '@mortise/plugin-sdk';
import { makeUser, startHost, type KitUser, type TestHost } from '@mortise/plugin-sdk/testing';
import { cleanUpUploads } from '../jobs/clean-up-uploads.js';

export const lab = Lab.script();
const { describe, it, before, after } = lab;

const digest = (data: string) => `sha256:${createHash('sha256').update(data).digest('hex')}`;
const types = {
  index: 'application/vnd.oci.image.index.v1+json',
  list: 'application/vnd.docker.distribution.manifest.list.v2+json',
  manifest: 'application/vnd.oci.image.manifest.v1+json',
  config: 'application/vnd.oci.image.config.v1+json',
  layer: 'application/vnd.oci.image.layer.v1.tar+gzip',
};
const entry = (mediaType: string, data: string, more: object = {}) => ({
  mediaType,
  digest: digest(data),
  size: data.length,
  ...more,
});

/** By the OCI image specification 1.1: manifest.md, image-index.md, descriptor.md. */
describe('U7: what an index and a manifest of a container image may name', () => {
  let host: TestHost;
  let ada: KitUser;
  before(async () => {
    host = await startHost({ plugins: ['package-container', 'auth-basic', 'auth-token'] });
    ada = await makeUser(host, 'ada');
  });
  after(() => host.close());

  const send = (method: string, path: string, payload?: string, headers: object = {}) =>
    host.inject({
      method: method as 'GET',
      url: `/v2/ada${path}`,
      payload,
      headers: { ...headers, authorization: ada.authorization },
    });
  const blob = async (image: string, data: string) => {
    const made = await send('POST', `/${image}/blobs/uploads?digest=${digest(data)}`, data);
    expect(made.statusCode, made.payload).to.equal(201);
  };
  const put = async (image: string, tag: string, body: object, mediaType: string) => {
    const payload = JSON.stringify({ schemaVersion: 2, mediaType, ...body });
    const { statusCode, json } = await send('PUT', `/${image}/manifests/${tag}`, payload, {
      'content-type': mediaType,
    });
    return { payload, answer: statusCode === 201 ? 201 : [statusCode, json.errors[0].code] };
  };
  const push = async (image: string, tag: string, os: string, architecture: string) => {
    const config = JSON.stringify({ os, architecture });
    const layer = `layer of ${os}/${architecture}`;
    for (const data of [config, layer]) await blob(image, data);
    const body = { config: entry(types.config, config), layers: [entry(types.layer, layer)] };
    const { payload, answer } = await put(image, tag, body, types.manifest);
    expect(answer).to.equal(201);
    return payload;
  };
  const page = async (image: string, tag: string) =>
    (await host.as(ada).inject(`/ada/-/packages/container/${image}/${tag}`)).payload;

  for (const [kind, mediaType] of [
    ['OCI', types.index],
    ['Docker', types.list],
  ] as const)
    it(`takes a build cache in the form of an index of ${kind}, and keeps its blobs`, async () => {
      const image = `cache-${kind.toLowerCase()}`;
      const [layer, state] = [`cached ${kind}`, `{"layers":[{"blob":"${kind}"}]}`];
      const manifests = [
        entry(types.layer, layer, { annotations: { 'buildkit/createdat': '2026-01-01T00:00:00Z' } }),
        entry('application/vnd.buildkit.cacheconfig.v0', state),
      ];
      await blob(image, state);
      const early = await put(image, 'main', { manifests }, mediaType);
      expect(early.answer).to.equal([404, 'MANIFEST_BLOB_UNKNOWN']);
      await blob(image, layer);
      const short = [{ ...manifests[0], size: 1 }, manifests[1]];
      expect((await put(image, 'main', { manifests: short }, mediaType)).answer).to.equal([400, 'SIZE_INVALID']);
      const { payload, answer } = await put(image, 'main', { manifests }, mediaType);
      expect(answer).to.equal(201);
      // what waits for no manifest is swept, and these wait no more
      const db = host.services.get(database);
      await db.write(() => db.knex()('package_file').update({ created_at: 0 }));
      await host.services.get(jobs).enqueue(cleanUpUploads, {});
      await host.settle();
      expect((await send('GET', `/${image}/manifests/main`)).payload).to.equal(payload);
      for (const data of [layer, state])
        expect((await send('GET', `/${image}/blobs/${digest(data)}`)).payload).to.equal(data);
      expect((await send('DELETE', `/${image}/blobs/${digest(layer)}`)).statusCode).to.equal(405);
      expect(await page(image, 'main')).to.contain(digest(layer).slice(0, 19));
    });

  it('takes an index in an index, an empty one, and one with a subject that is not here', async () => {
    const child = await push('nested', 'child', 'linux', 'amd64');
    const inner = { manifests: [entry(types.manifest, child), entry('application/vnd.example.note', 'a note')] };
    await blob('nested', 'a note');
    const { payload, answer } = await put('nested', 'inner', inner, types.index);
    expect(answer).to.equal(201);
    const outer = { manifests: [entry(types.index, payload)], subject: entry(types.manifest, 'elsewhere') };
    expect((await put('nested', 'outer', outer, types.index)).answer).to.equal(201);
    expect((await put('nested', 'empty', { manifests: [] }, types.index)).answer).to.equal(201);
    // what has the type of a manifest must have been pushed as one
    const wrong = { manifests: [entry(types.manifest, 'a note')] };
    expect((await put('nested', 'wrong', wrong, types.index)).answer).to.equal([404, 'MANIFEST_BLOB_UNKNOWN']);
  });

  it('needs no foreign layer that says where it is, and every other one', async () => {
    await blob('foreign', '{}');
    const config = entry(types.config, '{}');
    const urls = ['https://example.com/base.tar.gz'];
    const take = async (layer: object) =>
      (await put('foreign', 'v1', { config, layers: [layer] }, types.manifest)).answer;
    for (const mediaType of [
      'application/vnd.docker.image.rootfs.foreign.diff.tar.gzip',
      'application/vnd.oci.image.layer.nondistributable.v1.tar+gzip',
    ]) {
      expect(await take(entry(mediaType, 'base', { urls }))).to.equal(201);
      expect(await take(entry(mediaType, 'base'))).to.equal([404, 'MANIFEST_BLOB_UNKNOWN']);
    }
    expect(await take(entry(types.layer, 'base', { urls }))).to.equal([404, 'MANIFEST_BLOB_UNKNOWN']);
  });

  it('reads null as nothing, as clients in Go write it, and refuses what is both image and index', async () => {
    const child = await push('odd', 'child', 'linux', 'amd64');
    const config = entry(types.config, JSON.stringify({ os: 'linux', architecture: 'amd64' }));
    const none = { config, layers: null, subject: null, annotations: null };
    expect((await put('odd', 'v1', none, types.manifest)).answer).to.equal(201);
    const manifests = [entry(types.manifest, child, { platform: null, annotations: null })];
    expect((await put('odd', 'v2', { manifests }, types.index)).answer).to.equal(201);
    for (const mediaType of [types.manifest, types.index])
      expect((await put('odd', 'v3', { manifests, config }, mediaType)).answer).to.equal([400, 'MANIFEST_INVALID']);
  });

  it('shows the platforms of an image once each, and attestations as what they are', async () => {
    const child = await push('attested', 'child', 'linux', 'amd64');
    const proof = await push('attested', 'proof', 'unknown', 'unknown');
    const platform = { os: 'linux', architecture: 'arm64', variant: 'v8' };
    const annotations = {
      'vnd.docker.reference.digest': digest(child),
      'vnd.docker.reference.type': 'attestation-manifest',
    };
    const unknown = { platform: { os: 'unknown', architecture: 'unknown' }, annotations };
    const manifests = [
      entry(types.manifest, child, { platform }),
      entry(types.manifest, child, { platform }),
      entry(types.manifest, proof, unknown),
    ];
    expect((await put('attested', 'all', { manifests }, types.index)).answer).to.equal(201);
    const shown = await page('attested', 'all');
    expect(shown).to.contain(['Platforms: linux/arm64/v8<', 'Attestations: 1']).and.not.contain('unknown');
    expect(await page('attested', 'proof')).to.not.contain('unknown');
  });
});
