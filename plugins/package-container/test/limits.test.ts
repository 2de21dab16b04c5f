import { createHash } from 'node:crypto';
import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { database, jobs, storage } from '@mortise/plugin-sdk';
import { makeUser, startHost, type KitUser, type TestHost } from '@mortise/plugin-sdk/testing';
import { cleanUpUploads } from '../jobs/clean-up-uploads.js';
import { maxOpen } from '../services/uploads.js';

export const lab = Lab.script();
const { describe, it, before, after } = lab;

const digest = (data: Buffer | string) => `sha256:${createHash('sha256').update(data).digest('hex')}`;
const content = (mark: string, size: number) => Buffer.alloc(size, mark);
const manifestType = 'application/vnd.oci.image.manifest.v1+json';
const limit = 3000;
const overQuota = 'maximum allowed package storage quota exceeded';

describe('limits of the registry of containers', () => {
  let host: TestHost;
  let ada: KitUser;
  let ben: KitUser;
  before(async () => {
    host = await startHost({
      plugins: ['package-container', 'auth-basic', 'auth-token'],
      settings: { packages: { LIMIT_TOTAL_OWNER_SIZE: String(limit), LIMIT_SIZE_CONTAINER: '1800' } },
    });
    ada = await makeUser(host, 'ada');
    ben = await makeUser(host, 'ben');
  });
  after(() => host.close());

  const send = (method: string, path: string, payload?: Buffer | string, as = ada, headers: object = {}) =>
    host.inject({
      method: method as 'GET',
      url: `/v2${path}`,
      payload,
      headers: { ...headers, authorization: as.authorization },
    });
  const blob = (data: Buffer, as = ada, path = '/ada/app') =>
    send('POST', `${path}/blobs/uploads?digest=${digest(data)}`, data, as);
  const begin = async (as = ada, path = '/ada/app') => {
    const begun = await send('POST', `${path}/blobs/uploads`, undefined, as);
    expect(begun.statusCode, begun.payload).to.equal(202);
    return String(begun.headers.location).slice('/v2'.length);
  };
  const refusal = ({ statusCode, json }: Awaited<ReturnType<typeof send>>) => {
    const [{ code, message }] = (json as { errors: [{ code: string; message: string }] }).errors;
    return [statusCode, code, message];
  };
  const sweep = async () => {
    const db = host.services.get(database);
    await db.write(() => db.knex()('container_upload').update({ updated_at: 0 }));
    await host.services.get(jobs).enqueue(cleanUpUploads, {});
    await host.settle();
  };
  const parts = async () => {
    const keys: string[] = [];
    for await (const { key } of host.services.get(storage).area('container-uploads').list()) keys.push(key);
    return keys;
  };

  it('count blobs that wait, once, and what has arrived of others', async () => {
    const [config, layer] = [content('a', 1500), content('b', 500)];
    for (const data of [config, layer, config]) expect((await blob(data)).statusCode).to.equal(201);
    expect(refusal(await blob(content('c', 1500)))).to.equal([403, 'DENIED', overQuota]);

    const [first, second] = [await begin(), await begin()];
    expect((await send('PATCH', first, content('d', 500))).statusCode).to.equal(202);
    expect(refusal(await send('PATCH', second, content('e', 600)))).to.equal([403, 'DENIED', overQuota]);
    // it has been given up, and nothing of it stays
    expect((await send('GET', second)).statusCode).to.equal(404);
    expect(await parts()).to.have.length(1);
    const third = await begin();
    expect(refusal(await send('PUT', `${third}?digest=${digest(content('e', 600))}`, content('e', 600)))).to.equal([
      403,
      'DENIED',
      overQuota,
    ]);
    const end = await send('PUT', `${first}?digest=${digest(content('d', 500))}`);
    expect(end.statusCode, end.payload).to.equal(201);

    const entry = (mediaType: string, data: Buffer) => ({ mediaType, digest: digest(data), size: data.length });
    const manifest = JSON.stringify({
      schemaVersion: 2,
      mediaType: manifestType,
      config: entry('application/vnd.oci.empty.v1+json', config),
      layers: [entry('application/vnd.oci.image.layer.v1.tar', layer)],
    });
    const made = await send('PUT', '/ada/app/manifests/v1', manifest, ada, { 'content-type': manifestType });
    expect(made.statusCode, made.payload).to.equal(201);
    // what a manifest has taken waits no more
    const left = limit - 1500 - 500 - 500 - manifest.length;
    expect((await blob(content('f', left))).statusCode).to.equal(201);
    expect(refusal(await blob(content('g', 1)))).to.equal([403, 'DENIED', overQuota]);
    const root = await makeUser(host, 'root', { isAdmin: true });
    expect((await blob(content('g', 1), root)).statusCode).to.equal(201);
  });

  it('are those of one blob too, before all of it has come', async () => {
    const at = await begin(ben, '/ben/app');
    expect((await send('PATCH', at, content('a', 1800), ben)).statusCode).to.equal(202);
    const range = { 'content-range': '1800-1800' };
    const message = 'maximum allowed package type size exceeded';
    expect(refusal(await send('PATCH', at, content('a', 1), ben, range))).to.equal([403, 'DENIED', message]);
    expect(await parts()).to.equal([]);
  });

  it('let an account have so many uploads open, until those that it gave up are swept', async () => {
    const db = host.services.get(database);
    const held = await begin(ben, '/ben/app');
    expect((await send('PATCH', held, content('a', 1500), ben)).statusCode).to.equal(202);
    const rows = Array.from({ length: maxOpen - 1 }, (_, n) => ({
      id: `open-${n}`,
      owner_id: ben.id,
      image: 'app',
      user_id: ben.id,
      parts: 0,
      received: 0,
      updated_at: Date.now(),
    }));
    for (let at = 0; at < rows.length; at += 100)
      await db.write(() =>
        db
          .knex()('container_upload')
          .insert(rows.slice(at, at + 100)),
      );
    expect(refusal(await send('POST', '/ben/app/blobs/uploads', undefined, ben)).slice(0, 2)).to.equal([
      429,
      'TOOMANYREQUESTS',
    ]);
    await begin();
    await sweep();
    const again = await begin(ben, '/ben/app');
    expect(await parts()).to.equal([]);
    // the room of what was swept is there again
    expect((await send('PATCH', again, content('b', 1600), ben)).statusCode).to.equal(202);
    expect((await send('DELETE', again, undefined, ben)).statusCode).to.equal(204);
  });
});
