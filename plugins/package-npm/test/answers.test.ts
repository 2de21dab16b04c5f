import { gzipSync } from 'node:zlib';
import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { database } from '@mortise/plugin-sdk';
import { makeUser, startHost, type KitUser, type TestHost } from '@mortise/plugin-sdk/testing';
import { publishBody } from './publish-body.js';

export const lab = Lab.script();
const { describe, it, before, after } = lab;

const at = '/api/packages/ada/npm';

/** What the newest npm does not ask, but older ones, yarn, pnpm and rarer commands do. */
describe('what npm clients ask besides packages (PKG-13)', () => {
  let host: TestHost;
  let ada: KitUser;
  before(async () => {
    host = await startHost({ plugins: ['package-npm', 'auth-basic', 'auth-token'] });
    ada = await makeUser(host, 'ada');
    expect((await send('PUT', '/@kit%2fhello', publishBody('1.0.0', withProvenance))).statusCode).to.equal(201);
  });
  after(() => host.close());

  const send = (method: string, path: string, payload?: object | Buffer, headers: Record<string, string> = {}) =>
    host.inject({
      method: method as 'GET',
      url: at + path,
      payload,
      headers: { authorization: ada.authorization, 'content-type': 'application/json', ...headers },
    });
  const statement = { predicateType: 'https://slsa.dev/provenance/v1', subject: [] };
  const bundle = JSON.stringify({
    mediaType: 'application/vnd.dev.sigstore.bundle.v0.3+json',
    dsseEnvelope: { payload: Buffer.from(JSON.stringify(statement)).toString('base64'), signatures: [] },
  });
  const proof = (data: unknown) => ({
    '@kit/hello-1.0.0.sigstore': { content_type: 'application/vnd.dev.sigstore.bundle.v0.3+json', data },
  });
  // oxlint-disable-next-line typescript/no-explicit-any
  function withProvenance(body: Record<string, any>) {
    body._attachments = { ...proof(bundle), ...body._attachments };
    body.versions['1.0.0'].dist.signatures = [{ keyid: 'SHA256:a', sig: 'b' }];
  }

  it('says why nobody signs in or is made a maintainer through the client', async () => {
    const login = await send('PUT', '/-/user/org.couchdb.user:ada', { name: 'ada', password: 'secret' });
    expect([login.statusCode, /access token/.test(login.json.error)]).to.equal([403, true]);
    const owner = await send('GET', '/-/user/org.couchdb.user:ada');
    expect([owner.statusCode, /rights on the owner/.test(owner.json.error)]).to.equal([403, true]);
  });

  it('answers every kind of audit, packed or not, with nothing to report', async () => {
    const asked = JSON.stringify({ '@kit/hello': ['1.0.0'] });
    for (const body of [Buffer.from(asked), gzipSync(asked)]) {
      const headers: Record<string, string> = body[0] === 0x1f ? { 'content-encoding': 'gzip' } : {};
      expect((await send('POST', '/-/npm/v1/security/advisories/bulk', body, headers)).json).to.equal({});
      for (const kind of ['audits', 'audits/quick']) {
        const answer = await send('POST', `/-/npm/v1/security/${kind}`, body, headers);
        expect(answer.statusCode).to.equal(200);
        expect(answer.json).to.include({ actions: [], advisories: {}, muted: [] });
        expect(answer.json.metadata.vulnerabilities).to.equal({ info: 0, low: 0, moderate: 0, high: 0, critical: 0 });
      }
    }
  });

  it('keeps provenance and signatures, and tells where they are', async () => {
    const { versions } = (await send('GET', '/@kit%2fhello')).json;
    const { signatures, attestations, tarball } = versions['1.0.0'].dist;
    expect(signatures).to.equal([{ keyid: 'SHA256:a', sig: 'b' }]);
    expect(attestations.provenance).to.equal({ predicateType: statement.predicateType });
    expect(tarball).to.match(/hello-1\.0\.0\.tgz$/);
    const path = new URL(attestations.url).pathname.slice(at.length);
    expect((await send('GET', path)).json).to.equal({
      attestations: [{ predicateType: statement.predicateType, bundle: JSON.parse(bundle) }],
    });
    for (const unknown of ['@kit%2fhello@2.0.0', '@kit/none@1.0.0', 'hello', '@kit%2fhello'])
      expect((await send('GET', `/-/npm/v1/attestations/${unknown}`)).statusCode, unknown).to.equal(404);
    expect((await send('GET', '/@kit%2fhello/-/hello-1.0.0.sigstore')).statusCode).to.equal(404);
  });

  it('refuses a provenance that is none', async () => {
    const envelope = (payload: unknown) => JSON.stringify({ dsseEnvelope: { payload } });
    for (const data of [
      'x',
      '[]',
      7,
      '{}',
      envelope(Buffer.from('{}').toString('base64')),
      envelope('!'),
      `"${'x'.repeat(600_000)}"`,
    ]) {
      const body = publishBody('2.0.0', (given) => (given._attachments = { ...given._attachments, ...proof(data) }));
      expect((await send('PUT', '/@kit%2fhello', body)).statusCode, String(data).slice(0, 50)).to.equal(400);
    }
    expect(Object.keys((await send('GET', '/@kit%2fhello')).json.versions)).to.equal(['1.0.0']);
  });

  it('tells rights, which follow from the owner, and does not pretend to change them', async () => {
    for (const kind of ['org', 'user']) {
      expect((await send('GET', `/-/${kind}/ada/package`)).json).to.equal({ '@kit/hello': 'read-write' });
      expect((await send('GET', `/-/${kind}/ben/package`)).statusCode).to.equal(404);
    }
    for (const name of ['@kit%2fhello', '@kit/hello']) {
      expect((await send('GET', `/-/package/${name}/collaborators`)).json).to.equal({ ada: 'read-write' });
      expect((await send('GET', `/-/package/${name}/visibility`)).json).to.equal({ public: true });
      expect((await send('POST', `/-/package/${name}/access`, { access: 'private' })).statusCode).to.equal(403);
      const owners = await send('PUT', `/${name}/-rev/1`, { _id: '@kit/hello', maintainers: [{ name: 'ben' }] });
      expect([owners.statusCode, owners.json.error]).to.equal([
        403,
        'Who may publish is said by the rights on the owner of the package.',
      ]);
    }
    expect((await send('GET', '/-/package/none/visibility')).statusCode).to.equal(404);
    expect((await send('GET', '/-/npm/v1/tokens')).json).to.equal({ objects: [], urls: {} });
    expect((await send('POST', '/-/npm/v1/tokens', {})).statusCode).to.equal(403);
  });

  it('sets a bounded number of dist-tags, whatever is sent', async () => {
    const tags = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, n) => [`t${n}`, '1.0.0']));
    const change = async (count: number) =>
      (await send('PUT', '/@kit%2fhello/-rev/1', { 'dist-tags': { latest: '1.0.0', ...tags(count) } })).statusCode;
    expect(await change(101)).to.equal(400);
    expect(await change(99)).to.equal(200);
    // what is there already is no change
    expect(await change(150)).to.equal(200);
    expect(await change(0)).to.equal(200);
    expect((await send('GET', '/-/package/@kit%2fhello/dist-tags')).json).to.equal({ latest: '1.0.0' });
  });

  it('leaves a dist-tag on one version, however many move it at once', async () => {
    const versions = ['3.0.0', '3.1.0', '3.2.0'];
    for (const version of versions) {
      const body = publishBody(version, (one) => {
        one._id = one.name = one.versions[version].name = '@kit/moved';
      });
      expect((await send('PUT', '/@kit%2fmoved', body)).statusCode).to.equal(201);
    }
    const moves = Array.from({ length: 12 }, (_, at) =>
      send('PUT', '/-/package/@kit%2fmoved/dist-tags/next', Buffer.from(JSON.stringify(versions[at % 3]))),
    );
    expect(new Set((await Promise.all(moves)).map(({ statusCode }) => statusCode))).to.equal(new Set([200]));
    const named = await host.services.get(database).knex()('package_property').where({ value: 'next' }).pluck('ref_id');
    expect(named).to.have.length(1);
  });

  it('finds a tarball by its name alone', async () => {
    expect((await send('GET', '/@kit%2fhello/-/hello-1.0.0.tgz')).statusCode).to.equal(200);
    for (const name of ['hello-2.0.0.tgz', 'other-1.0.0.tgz', '.tgz', 'hello-.tgz'])
      expect((await send('GET', `/@kit%2fhello/-/${name}`)).statusCode, name).to.equal(404);
  });

  it('links a package to the repository that its manifest names, in any spelling, and to none of others', async () => {
    const ben = await makeUser(host, 'ben');
    const create = (user: KitUser, name: string) =>
      host.as(user).inject({ method: 'POST', url: '/api/v1/user/repos', payload: { name } });
    await create(ada, 'hello');
    await create(ben, 'hello');
    const { host: place, hostname } = new URL(host.site.rootUrl);
    const linked = async (url: string, at: number) => {
      const name = `@kit/linked${at}`;
      const body = publishBody('1.0.0', (given) => {
        given._id = given.name = given.versions['1.0.0'].name = name;
        given.versions['1.0.0'].repository = { type: 'git', url };
      });
      expect((await send('PUT', `/${name.replace('/', '%2f')}`, body)).statusCode, url).to.equal(201);
      const shown = await host.as(ada).inject(`/api/v1/packages/ada/npm/${encodeURIComponent(name)}/1.0.0`);
      return (shown.json.repository as { full_name: string } | null)?.full_name;
    };
    const ours = [
      `git+http://${place}/ada/hello.git`,
      `git+ssh://git@${hostname}/ada/hello.git`,
      `git@${hostname}:ada/hello.git`,
    ];
    for (const [at, url] of ours.entries()) expect(await linked(url, at), url).to.equal('ada/hello');
    const others = [`git+http://${place}/ben/hello.git`, 'git+https://elsewhere.example/ada/hello.git'];
    for (const [at, url] of others.entries()) expect(await linked(url, at + 10), url).to.be.undefined();
    // packages of the repository are switched off: its owner may still, others may not
    const repository = { url: '/api/v1/repos/ada/hello', payload: { has_packages: false } };
    expect((await host.as(ada).inject({ ...repository, method: 'PATCH' })).statusCode).to.equal(200);
    expect(await linked(ours[0]!, 20)).to.equal('ada/hello');
    const root = await makeUser(host, 'root', { isAdmin: true });
    const body = publishBody('9.0.0', (given) => (given.versions['9.0.0'].repository = ours[0]));
    const { authorization } = root;
    const refused = await send('PUT', '/@kit%2fhello', body, { authorization });
    expect([refused.statusCode, refused.json.error]).to.equal([403, 'no permission to upload this package']);
  });

  it('takes a version whose repository has an address on this site that is no text', async () => {
    const repository = host.site.url('/%E0%A4%A/x');
    const body = publishBody('3.0.0', (given) => (given.versions['3.0.0'].repository = repository));
    const put = await send('PUT', '/@kit%2fhello', body);
    expect(put.statusCode, put.payload).to.equal(201);
    expect((await send('GET', '/@kit%2fhello')).json.versions['3.0.0'].repository).to.equal(repository);
  });
});
