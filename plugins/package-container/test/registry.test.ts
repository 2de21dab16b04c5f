import { createHash } from 'node:crypto';
import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { definePlugin, jobs, storage } from '@mortise/plugin-sdk';
import { cleanUpPackages, packageCreated, packageDeleted } from '@mortise/packages/api';
import { makeUser, startHost, submitForm, type KitUser, type TestHost } from '@mortise/plugin-sdk/testing';

export const lab = Lab.script();
const { describe, it, before, after } = lab;

const digest = (data: Buffer | string) => `sha256:${createHash('sha256').update(data).digest('hex')}`;
const manifestType = 'application/vnd.oci.image.manifest.v1+json';

function image(mark: string, more: object = {}) {
  const layer = Buffer.from(`layer ${mark}`.repeat(100));
  const config = Buffer.from(JSON.stringify({ os: 'linux', architecture: 'amd64', config: { Labels: { mark } } }));
  const entry = (mediaType: string, data: Buffer) => ({ mediaType, digest: digest(data), size: data.length });
  const manifest = JSON.stringify({
    schemaVersion: 2,
    mediaType: manifestType,
    config: entry('application/vnd.oci.image.config.v1+json', config),
    layers: [entry('application/vnd.oci.image.layer.v1.tar+gzip', layer)],
    ...more,
  });
  return { layer, config, manifest };
}

const news: string[] = [];
const listener = definePlugin({
  name: 'kit-listener',
  version: '1.0.0',
  sdk: '*',
  requires: { packages: '*' },
  register(door) {
    door.on(packageCreated, 'after', 'kit-created', {}, async ({ name, version }) => {
      news.push(`created ${name} ${version}`);
    });
    door.on(packageDeleted, 'after', 'kit-deleted', {}, async ({ name, version }) => {
      news.push(`deleted ${name} ${version}`);
    });
  },
});

describe('the registry of containers', () => {
  let host: TestHost;
  let ada: KitUser;
  let ben: KitUser;
  before(async () => {
    host = await startHost({ plugins: ['package-container', 'auth-basic', 'auth-token', listener] });
    ada = await makeUser(host, 'ada');
    ben = await makeUser(host, 'ben');
  });
  after(() => host.close());

  const send = (
    method: string,
    path: string,
    { as = ada.authorization, payload = undefined as string | Buffer | undefined, headers = {} } = {},
  ) =>
    host.inject({
      method: method as 'GET',
      url: `/v2${path}`,
      payload,
      headers: { ...headers, ...(as && { authorization: as }) },
    });
  const blob = (path: string, data: Buffer) =>
    send('POST', `${path}/blobs/uploads?digest=${digest(data)}`, { payload: data });
  const put = (path: string, reference: string, manifest: string) =>
    send('PUT', `${path}/manifests/${reference}`, { payload: manifest, headers: { 'content-type': manifestType } });
  async function push(path: string, tag: string, { layer, config, manifest }: ReturnType<typeof image>) {
    for (const data of [layer, config]) expect((await blob(path, data)).statusCode).to.equal(201);
    const made = await put(path, tag, manifest);
    expect(made.statusCode, made.payload).to.equal(201);
  }

  it('says where to sign in, and takes the token that it gives', async () => {
    const refused = await send('GET', '/', { as: '' });
    expect(refused.statusCode).to.equal(401);
    expect(refused.headers['www-authenticate']).to.match(
      /^Bearer realm="[^"]+\/v2\/token",service="container_registry"/,
    );
    expect(refused.json.errors[0].code).to.equal('UNAUTHORIZED');
    const { token } = (await send('GET', '/token')).json;
    expect((await send('GET', '/', { as: `Bearer ${token}` })).statusCode).to.equal(200);
    // and gives none for it: it would never end
    expect((await send('GET', '/token', { as: `Bearer ${token}` })).statusCode).to.equal(401);
    const forged = `${token.split('.')[0]}.${Buffer.from('{"aud":"packages","sub":1,"exp":9999999999}').toString('base64url')}.${token.split('.')[2]}`;
    for (const as of [`Bearer ${forged}`, `Basic ${Buffer.from('ada:wrong').toString('base64')}`])
      expect((await send('GET', '/', { as })).statusCode).to.equal(401);
    // nobody's token reads what is public, and writes nothing
    await push('/ada/open', 'v1', image('open'));
    const nobody = `Bearer ${(await send('GET', '/token', { as: '' })).json.token}`;
    expect((await send('GET', '/ada/open/manifests/v1', { as: '' })).statusCode).to.equal(401);
    expect((await send('GET', '/ada/open/manifests/v1', { as: nobody })).statusCode).to.equal(200);
    expect((await send('POST', '/ada/open/blobs/uploads', { as: nobody })).statusCode).to.equal(401);
    // it is good for registries alone
    expect(
      (await host.inject({ url: '/api/v1/user', headers: { authorization: `Bearer ${token}` } })).statusCode,
    ).to.equal(401);
  });

  it('pulls what was pushed, by tag and digest, whole and in part', async () => {
    const one = image('one');
    await push('/ada/deep/path', 'v1', one);
    for (const reference of ['v1', digest(one.manifest)]) {
      const got = await send('GET', `/ada/deep/path/manifests/${reference}`);
      expect(got.payload).to.equal(one.manifest);
      expect(got.headers).to.include({ 'content-type': manifestType, 'docker-content-digest': digest(one.manifest) });
    }
    const at = `/ada/deep/path/blobs/${digest(one.layer)}`;
    const part = await send('GET', at, { headers: { range: 'bytes=2-5' } });
    expect([part.statusCode, part.payload]).to.equal([206, one.layer.toString().slice(2, 6)]);
    const head = await send('HEAD', at);
    expect([head.statusCode, Number(head.headers['content-length'])]).to.equal([200, one.layer.length]);
    // nothing is packed while it is sent: layers are packed already
    const long = Buffer.alloc(5000, 'layer');
    await blob('/ada/deep/path', long);
    const whole = await send('GET', `/ada/deep/path/blobs/${digest(long)}`, {
      headers: { 'accept-encoding': 'gzip, br' },
    });
    expect(whole.headers['content-encoding']).to.not.exist();
    expect(Number(whole.headers['content-length'])).to.equal(5000);
  });

  it('takes a blob in parts, from who began only', async () => {
    const data = Buffer.from('first-second-third');
    const begun = await send('POST', '/ada/parts/blobs/uploads');
    const at = (begun.headers.location as string).slice('/v2'.length);
    const patch = (from: number, to: number, as = ada.authorization) =>
      send('PATCH', at, { payload: data.subarray(from, to + 1), headers: { 'content-range': `${from}-${to}` }, as });
    expect((await patch(0, 5)).headers.range).to.equal('0-5');
    expect((await patch(0, 5)).statusCode).to.equal(416);
    expect((await patch(6, 12, ben.authorization)).statusCode).to.equal(401);
    const root = await makeUser(host, 'root', { isAdmin: true });
    expect((await patch(6, 12, root.authorization)).statusCode).to.equal(404);
    expect((await patch(6, 12)).headers.range).to.equal('0-12');
    const end = await send('PUT', `${at}?digest=${digest(data)}`, { payload: data.subarray(13) });
    expect(end.statusCode, end.payload).to.equal(201);
    expect((await send('GET', `/ada/parts/blobs/${digest(data)}`)).payload).to.equal(data.toString());
    for await (const left of host.services.get(storage).area('container-uploads').list()) expect(left.key).to.equal('');
  });

  it('stores no manifest under another digest, and none whose blobs are not there', async () => {
    const one = image('strict');
    expect((await put('/ada/strict', 'v1', one.manifest)).json.errors[0].code).to.equal('MANIFEST_BLOB_UNKNOWN');
    await push('/ada/strict', 'v1', one);
    const other = digest('other');
    expect((await put('/ada/strict', other, one.manifest)).json.errors[0].code).to.equal('DIGEST_INVALID');
    for (const bad of ['', '{', '[]', '{"schemaVersion":2}', one.manifest.replace('"size":', '"size":1')])
      expect((await put('/ada/strict', 'bad', bad)).statusCode, bad).to.be.within(400, 499);
    for (const tag of ['_upload', '_UPLOAD'])
      expect((await put('/ada/strict', tag, one.manifest)).json.errors?.[0].code, tag).to.equal('MANIFEST_INVALID');
    expect((await send('DELETE', `/ada/strict/blobs/${digest(one.layer)}`)).statusCode).to.equal(405);
    expect((await send('GET', '/ada/strict/tags/list')).json.tags).to.equal(['v1']);
  });

  it('takes an index that names a manifest often, but not without end', async () => {
    const one = image('child');
    await push('/ada/index', 'child', one);
    const entry = { mediaType: manifestType, digest: digest(one.manifest), size: one.manifest.length };
    const mediaType = 'application/vnd.oci.image.index.v1+json';
    const index = async (manifests: readonly object[]) => {
      const payload = JSON.stringify({ schemaVersion: 2, mediaType, manifests });
      const headers = { 'content-type': mediaType };
      return (await send('PUT', '/ada/index/manifests/all', { payload, headers })).statusCode;
    };
    expect(await index([entry, entry])).to.equal(201);
    expect(await index([entry, { ...entry, digest: digest('nothing') }])).to.equal(404);
    expect(await index(Array.from({ length: 1001 }, () => entry))).to.equal(400);
  });

  it('mounts from images that may be read, and from no others', async () => {
    const hidden = await makeUser(host, 'hidden', { visibility: 'private' });
    const data = Buffer.from('secret layer');
    await send('POST', `/hidden/app/blobs/uploads?digest=${digest(data)}`, { payload: data, as: hidden.authorization });
    const mount = (from: string, as: string, owner: string) =>
      send('POST', `/${owner}/mounted/blobs/uploads?mount=${digest(data)}&from=${from}`, { as });
    expect((await mount('hidden/app', ben.authorization, 'ben')).statusCode).to.equal(202);
    expect((await send('HEAD', `/ben/mounted/blobs/${digest(data)}`, { as: ben.authorization })).statusCode).to.equal(
      404,
    );
    expect((await mount('hidden/app', hidden.authorization, 'hidden')).statusCode).to.equal(201);
  });

  it('tells what refers to a manifest', async () => {
    const one = image('signed');
    await push('/ada/signed', 'v1', one);
    const subject = { mediaType: manifestType, digest: digest(one.manifest), size: one.manifest.length };
    const signature = image('signature', { subject, artifactType: 'application/vnd.example.signature' });
    for (const data of [signature.layer, signature.config]) await blob('/ada/signed', data);
    const made = await put('/ada/signed', digest(signature.manifest), signature.manifest);
    expect(made.headers['oci-subject']).to.equal(subject.digest);
    const { manifests } = (await send('GET', `/ada/signed/referrers/${subject.digest}`)).json;
    expect(manifests).to.have.length(1);
    expect(manifests[0]).to.include({
      digest: digest(signature.manifest),
      artifactType: 'application/vnd.example.signature',
    });
  });

  it('replaces a tag, once of many at the same time, and lists it once', async () => {
    const images = Array.from({ length: 6 }, (_, n) => image(`many ${n}`));
    for (const { layer, config } of images) for (const data of [layer, config]) await blob('/ada/many', data);
    const statuses = await Promise.all(
      images.map(async ({ manifest }) => (await put('/ada/many', 'v1', manifest)).statusCode),
    );
    expect(statuses).to.equal(images.map(() => 201));
    const { payload } = await send('GET', '/ada/many/manifests/v1');
    expect(images.map(({ manifest }) => manifest)).to.include(payload);
    // those that it replaced are gone with their files
    const found = await Promise.all(
      images.map(async ({ manifest }) => (await send('GET', `/ada/many/manifests/${digest(manifest)}`)).payload),
    );
    expect(found.filter((one) => images.some(({ manifest }) => manifest === one))).to.equal([payload]);
    const { json } = await host.inject({
      url: '/api/v1/packages/ada/container/many',
      headers: { authorization: ada.authorization },
    });
    expect(json).to.have.length(1);
    expect((await send('DELETE', '/ada/many/manifests/v1')).statusCode).to.equal(202);
    expect((await send('GET', '/ada/many/manifests/v1')).statusCode).to.equal(404);
  });

  it('deletes by digest all tags of a manifest, and no others', async () => {
    const [one, two] = [image('gone'), image('stays')];
    for (const tag of ['v1', 'v2', digest(one.manifest)]) await push('/ada/gone', tag, one);
    await push('/ada/gone', 'v3', two);
    await push('/ada/gone', 'v2', two);
    expect((await send('DELETE', `/ada/gone/manifests/${digest(one.manifest)}`)).statusCode).to.equal(202);
    expect((await send('GET', '/ada/gone/tags/list')).json.tags).to.equal(['v2', 'v3']);
    expect((await send('DELETE', `/ada/gone/manifests/${digest(one.manifest)}`)).statusCode).to.equal(404);
    expect((await send('GET', '/ada/gone/manifests/v2')).payload).to.equal(two.manifest);
  });

  it('lists all images that may be read, page by page, in the order of their bytes', async () => {
    // a dash comes before the slash behind the shorter name
    const people: KitUser[] = [];
    for (const name of ['cat', 'cat-b', 'cata']) people.push(await makeUser(host, name));
    const secret = await makeUser(host, 'cat-c', { visibility: 'private' });
    for (const { name, authorization: as } of [...people, secret])
      for (const repository of ['b', 'a/deep', 'c'])
        for (const [path, payload] of [
          [`blobs/uploads?digest=${digest('{}')}`, '{}'],
          [`manifests/v1`, undefined],
        ] as const) {
          const config = { mediaType: 'application/vnd.oci.empty.v1+json', digest: digest('{}'), size: 2 };
          const manifest = JSON.stringify({ schemaVersion: 2, mediaType: manifestType, config, layers: [] });
          const made = await send(payload ? 'POST' : 'PUT', `/${name}/${repository}/${path}`, {
            as,
            payload: payload ?? manifest,
            headers: { 'content-type': payload ? 'application/octet-stream' : manifestType },
          });
          expect(made.statusCode, made.payload).to.equal(201);
        }
    // no manifest has come for it: it is no image yet
    await send('POST', `/cat/only-blobs/blobs/uploads?digest=${digest('x')}`, {
      as: people[0]!.authorization,
      payload: 'x',
    });
    const all = async (as: string, n: number, start = 'cat') => {
      const found: string[] = [];
      for (let next: string | undefined = `/_catalog?n=${n}&last=${start}`; next;) {
        const page = await send('GET', next, { as });
        const { repositories } = page.json as { repositories: string[] };
        expect(repositories.length).to.be.at.most(n);
        found.push(...repositories);
        next = /<\/v2([^>]+)>/.exec(String(page.headers.link ?? ''))?.[1];
      }
      return found.filter((name) => name.startsWith('cat'));
    };
    const of = (...names: string[]) => names.flatMap((name) => ['a/deep', 'b', 'c'].map((one) => `${name}/${one}`));
    for (const n of [1, 2, 4, 100])
      expect(await all(ben.authorization, n), String(n)).to.equal(of('cat-b', 'cat', 'cata'));
    expect(await all(secret.authorization, 2)).to.equal(of('cat-b', 'cat-c', 'cat', 'cata'));
    expect(await all(ben.authorization, 2, 'cat/a/zoo')).to.equal(['cat/b', 'cat/c', ...of('cata')]);
    expect((await send('GET', '/_catalog?n=0')).json.repositories).to.equal([]);
  });

  it('leaves clean-up rules neither the tag latest nor what an index names', async () => {
    const [child, free] = [image('kept child'), image('free')];
    await push('/ada/rules', digest(child.manifest), child);
    await push('/ada/rules', 'arm', child);
    await push('/ada/rules', 'old', free);
    await push('/ada/rules', 'latest', free);
    const mediaType = 'application/vnd.oci.image.index.v1+json';
    const manifests = [{ mediaType: manifestType, digest: digest(child.manifest), size: child.manifest.length }];
    const payload = JSON.stringify({ schemaVersion: 2, mediaType, manifests });
    const made = await send('PUT', '/ada/rules/manifests/all', { payload, headers: { 'content-type': mediaType } });
    expect(made.statusCode, made.payload).to.equal(201);
    const url = '/ada/-/package-rules';
    const rule = { action: 'save', type: 'container', keep_count: '0', remove_days: '0', match_full_name: 'true' };
    const client = host.as(ada);
    const values = { ...rule, keep_pattern: '', remove_pattern: 'rules/.*', is_enabled: 'true' };
    expect((await submitForm(client, url, values)).statusCode).to.equal(303);
    const { payload: page } = await client.inject(`${url}?type=container`);
    expect([...page.matchAll(/packages\/container\/rules\/([^"]+)"/g)].map(([, tag]) => tag)).to.equal(['all', 'old']);
    await host.services.get(jobs).enqueue(cleanUpPackages, {});
    await host.settle();
    expect((await send('GET', '/ada/rules/tags/list')).json.tags).to.equal(['arm', 'latest']);
    expect((await send('GET', `/ada/rules/manifests/${digest(child.manifest)}`)).payload).to.equal(child.manifest);
    await submitForm(client, url, { action: 'delete', type: 'container' });
  });

  it('lets tokens, administrators and people do what they may, and nobody with a wrong password', async () => {
    const one = image('rights');
    await push('/ada/rights', 'v1', one);
    const at = '/ada/rights/manifests';
    const headers = { 'content-type': manifestType };
    const basic = (name: string, password: string) => `Basic ${Buffer.from(`${name}:${password}`).toString('base64')}`;
    const token = async (scope: string) => {
      const made = await host.inject({
        method: 'POST',
        url: '/api/v1/users/ada/tokens',
        payload: { name: scope, scopes: [scope] },
        headers: { authorization: ada.authorization },
      });
      return basic('ada', made.json.sha1 as string);
    };
    const ways = async (as: string) => [
      (await send('GET', `${at}/v1`, { as })).statusCode,
      (await send('POST', `/ada/rights/blobs/uploads?digest=${digest(one.layer)}`, { as, payload: one.layer }))
        .statusCode,
      (await send('PUT', `${at}/v2`, { as, payload: one.manifest, headers })).statusCode,
      (await send('DELETE', `${at}/v2`, { as })).statusCode,
    ];
    const reading = await token('read:package');
    const exchanged = async (as: string) => `Bearer ${(await send('GET', '/token', { as })).json.token}`;
    for (const as of [reading, await exchanged(reading), ben.authorization])
      expect(await ways(as)).to.equal([200, 401, 401, 401]);
    const writing = await token('write:package');
    const admin = await makeUser(host, 'keeper', { isAdmin: true });
    for (const as of [writing, await exchanged(writing), admin.authorization])
      expect(await ways(as)).to.equal([200, 201, 201, 202]);
    for (const as of [await token('read:repository'), basic('ada', 'wrong')])
      expect(await ways(as)).to.equal([401, 401, 401, 401]);
    const limited = await makeUser(host, 'limited', { visibility: 'limited' });
    const given = { as: limited.authorization, payload: one.layer };
    await send('POST', `/limited/app/blobs/uploads?digest=${digest(one.layer)}`, given);
    const blobAt = `/limited/app/blobs/${digest(one.layer)}`;
    expect((await send('GET', blobAt, { as: await exchanged('') })).statusCode).to.equal(401);
    expect((await send('GET', blobAt, { as: ben.authorization })).statusCode).to.equal(200);
  });

  it('forgets what the API deletes, and tells hooks of each tag once (HOK-20)', async () => {
    await host.settle();
    news.length = 0;
    const [one, two] = [image('told'), image('told later')];
    await push('/ada/told', 'v1', one);
    await push('/ada/told', 'v2', one);
    await push('/ada/told', 'v2', two);
    const remove = (path: string) =>
      host.inject({
        method: 'DELETE',
        url: `/api/v1/packages/ada/container/told${path}`,
        headers: { authorization: ada.authorization },
      });
    expect((await remove('/v1')).statusCode).to.equal(204);
    expect((await send('GET', '/ada/told/tags/list')).json.tags).to.equal(['v2']);
    for (const reference of ['v1', digest(one.manifest)])
      expect((await send('GET', `/ada/told/manifests/${reference}`)).statusCode).to.equal(404);
    expect((await send('GET', '/ada/told/manifests/v2')).payload).to.equal(two.manifest);
    expect((await remove('')).statusCode).to.equal(204);
    expect((await send('GET', '/ada/told/tags/list')).statusCode).to.equal(404);
    expect((await send('GET', `/ada/told/blobs/${digest(two.layer)}`)).statusCode).to.equal(404);
    await host.settle();
    expect(news).to.equal(['created told v1', 'created told v2', 'deleted told v1', 'deleted told v2']);
  });

  it('shows an image on its page', async () => {
    const page = await host.as(ada).inject('/ada/-/packages/container/deep%2Fpath/v1');
    expect(page.payload).to.contain(['docker pull', '/ada/deep/path:v1', 'linux/amd64']);
  });
});
