import { createHash } from 'node:crypto';
import { gunzipSync } from 'node:zlib';
import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { createMessage, readKey, readSignature, verify } from 'openpgp';
import { makeUser, startHost, type TestHost, type KitUser } from '@mortise/plugin-sdk/testing';
import { packageIndexes, packageStore, type PackageRequest } from '@mortise/packages/api';
import { rpmFormat } from '../format.js';
import { mergeAdvisories, readAdvisories } from '../services/errata.js';
import { readHeaders } from '../services/header.js';
import type { RpmRepositories } from '../services/repositories.js';
import { rpm } from './rpms.js';

export const lab = Lab.script();
const { describe, it, before, after } = lab;

describe('an RPM repository (PKG-09)', () => {
  let host: TestHost;
  let ada: KitUser;
  before(async () => {
    host = await startHost({
      plugins: ['package-rpm', 'auth-basic', 'auth-token'],
    });
    ada = await makeUser(host, 'ada');
  });
  after(() => host.close());

  const send = (method: 'GET' | 'PUT' | 'POST' | 'DELETE', path: string, payload?: Buffer | object) =>
    host.inject({
      method,
      url: `/api/packages/ada/rpm${path}`,
      payload,
      headers: { authorization: ada.authorization },
    });
  const publish = async (group: string, payload: Buffer, query = '') =>
    expect((await send('PUT', `${group}/upload${query}`, payload)).statusCode).to.equal(201);
  const xml = async (group: string, kind: string) => {
    const answer = await send('GET', `${group}/repodata/${kind}.xml.gz`);
    return answer.statusCode === 200 ? gunzipSync(answer.rawPayload).toString() : '';
  };
  const labels = async (group: string) =>
    [...(await xml(group, 'primary')).matchAll(/<location href="([^"]+)"/g)].map(([, location]) => location);
  const trusted = async (
    content: Buffer,
    signature: { binarySignature: Uint8Array } | { armoredSignature: string },
  ) => {
    const verificationKeys = await readKey({ armoredKey: (await send('GET', '/repository.key')).payload });
    const message = await createMessage({ binary: new Uint8Array(content) });
    const read = await readSignature(signature as { armoredSignature: string });
    return (await verify({ message, signature: read, verificationKeys })).signatures[0]!.verified;
  };

  it('dnf is given a .repo file of the repository', async () => {
    const { payload } = await send('GET', '/el9/testing.repo');
    expect(payload.split('\n')).to.equal([
      '[mortise-ada-el9-testing]',
      'name=ada - Mortise - el9 - testing',
      `baseurl=${host.site.url('/api/packages/ada/rpm/el9/testing')}`,
      'enabled=1',
      'gpgcheck=1',
      `gpgkey=${host.site.url('/api/packages/ada/rpm/repository.key')}`,
    ]);
    expect((await send('GET', '.repo')).payload).to.contain(`baseurl=${host.site.url('/api/packages/ada/rpm')}\n`);
  });

  it('signs metadata that says what the packages are', async () => {
    await publish('/el9', rpm({}));
    await publish('/el9', rpm({ version: '2.0', epoch: 1 }));
    await publish('/el9/testing', rpm({ name: 'tool-doc', arch: 'noarch' }));
    await publish('', rpm({ name: 'rootless' }));
    const repomd = await send('GET', '/el9/repodata/repomd.xml');
    const armoredSignature = (await send('GET', '/el9/repodata/repomd.xml.asc')).payload;
    expect(await trusted(repomd.rawPayload, { armoredSignature })).to.be.true();
    for (const kind of ['primary', 'filelists', 'other']) {
      const { rawPayload } = await send('GET', `/el9/repodata/${kind}.xml.gz`);
      expect(repomd.payload).to.contain(createHash('sha256').update(rawPayload).digest('hex'));
      expect(repomd.payload).to.contain(createHash('sha256').update(gunzipSync(rawPayload)).digest('hex'));
    }
    expect(await xml('/el9', 'primary')).to.contain([
      `<checksum type="sha256" pkgid="YES">${createHash('sha256').update(rpm({})).digest('hex')}</checksum>`,
      '<summary>a tool &#38; more</summary>',
      '<rpm:entry name="python" flags="GE" epoch="1" ver="3.9" rel="2"/>',
      '<rpm:entry name="libc.so.6"/>',
      '<file>/usr/bin/tool</file>',
    ]);
    expect(await xml('/el9', 'filelists')).to.contain([
      'xmlns="http://linux.duke.edu/metadata/filelists"',
      '<file type="dir">/var/tool.d</file>',
      '<file type="ghost">/var/tool.log</file>',
    ]);
    expect(await xml('/el9', 'other')).to.contain('date="1709287200">- first</changelog>');
  });

  it('the groups of an owner are repositories of their own', async () => {
    const epoch = 'package/tool/1-2.0-1/x86_64/tool-1-2.0-1.x86_64.rpm';
    expect(await labels('/el9')).to.equal(['package/tool/1.0-1/x86_64/tool-1.0-1.x86_64.rpm', epoch]);
    expect(await labels('')).to.equal(['package/rootless/1.0-1/x86_64/rootless-1.0-1.x86_64.rpm']);
    expect((await send('GET', `/el9/${epoch}`)).rawPayload.equals(rpm({ version: '2.0', epoch: 1 }))).to.be.true();
    // packages of all architectures are found under each
    expect((await send('GET', '/el9/testing/package/tool-doc/1.0-1/x86_64')).statusCode).to.equal(200);
    expect((await send('DELETE', '/el9/testing/package/tool-doc/1.0-1/x86_64')).statusCode).to.equal(404);
    expect((await send('DELETE', '/el9/testing/package/tool-doc/1.0-1/noarch')).statusCode).to.equal(204);
    expect((await send('GET', '/el9/testing/repodata/repomd.xml')).statusCode).to.equal(404);
    expect((await labels('/el9')).length).to.equal(2);
  });

  it('signs packages on request', async () => {
    const plain = rpm({ name: 'signed' });
    await publish('/el8', plain, '?sign=true');
    const { rawPayload } = await send('GET', '/el8/package/signed/1.0-1/x86_64');
    expect(rawPayload.equals(plain)).to.be.false();
    const source = {
      size: rawPayload.length,
      read: (start: number, length: number) => Promise.resolve(rawPayload.subarray(start, start + length)),
    };
    const { header, signature, headerStart } = await readHeaders(source);
    const entry = signature.entries.find(({ tag }) => tag === 268)!;
    const binarySignature = signature.store.subarray(entry.offset, entry.offset + entry.count);
    expect(await trusted(header.bytes, { binarySignature })).to.be.true();
    // what is signed is what was sent
    const { headerStart: before } = await readHeaders({
      size: plain.length,
      read: (start, length) => Promise.resolve(plain.subarray(start, start + length)),
    });
    expect(rawPayload.subarray(headerStart).equals(plain.subarray(before))).to.be.true();
    expect(signature.text(269)).to.equal(createHash('sha1').update(header.bytes).digest('hex'));
    expect(signature.number(1007)).to.equal(124);
  });

  it('signs every package where the operator says so', async () => {
    const asked: boolean[] = [];
    const publishing = {
      publish: (...given: Parameters<RpmRepositories['publish']>) => Promise.resolve(void asked.push(given[4].sign)),
    } as unknown as RpmRepositories;
    const upload = async (signsAll: boolean, sign?: string) => {
      const store = host.services.get(packageStore);
      const { routes } = rpmFormat(publishing, store, { siteName: () => 'Mortise', signsAll });
      const { handler } = routes.find(({ method }) => method === 'PUT')!;
      await handler({ params: { group: '' }, query: { sign } } as unknown as PackageRequest);
    };
    await upload(false);
    await upload(false, 'true');
    await upload(true);
    expect(asked).to.equal([false, true, true]);
  });

  it('tells errata, merged by their ids', async () => {
    const of = (version: string) => ({
      id: 'TOOL-1',
      type: 'security',
      title: 'a hole',
      issued: { date: '2024-03-01 10:00:00' },
      pkg_list: [{ short: 'el9', packages: [{ name: 'tool', version, release: '1', arch: 'x86_64' }] }],
    });
    const path = '/el9/package/tool/1.0-1/errata';
    expect((await send('POST', path, [of('1.0'), null])).statusCode).to.equal(200);
    const lists = of('1.1').pkg_list.map((list) => ({ ...list, packages: [null, ...list.packages] }));
    const withNulls = { ...of('1.1'), severity: null, references: [null], pkg_list: [null, ...lists] };
    expect((await send('POST', path, [withNulls])).statusCode).to.equal(200);
    const text = await xml('/el9', 'updateinfo');
    expect([...text.matchAll(/<update /g)].length).to.equal(1);
    expect(
      [...text.matchAll(/<package arch="x86_64" name="tool" release="1" src="" version="(.*?)"/g)].map(([, v]) => v),
    ).to.equal(['1.0', '1.1']);
    expect((await send('POST', path, { id: 1 })).statusCode).to.equal(400);
    expect((await send('POST', '/el8/package/tool/1.0-1/errata', [of('1.0')])).statusCode).to.equal(404);
  });

  it('merges errata of many packages without going through those before for each', () => {
    const many = 500;
    let read = 0;
    const of = (n: number) => {
      const text = { arch: 'x86_64', release: '1', src: '', version: '1.0', filename: '' };
      const packages = [Object.defineProperty({ ...text, name: '' }, 'name', { get: () => (read++, `tool-${n}`) })];
      const [advisory] = readAdvisories([{ id: 'MANY-1', title: `title ${n}` }]);
      return { ...advisory!, pkg_list: [{ short: 'el9', packages }] };
    };
    const [merged, ...others] = mergeAdvisories(
      [],
      Array.from({ length: many }, (_, n) => of(n)),
    );
    expect(read).to.be.at.most(2 * many);
    expect([others.length, merged!.title]).to.equal([0, `title ${many - 1}`]);
    expect(merged!.pkg_list.map(({ packages }) => packages.length)).to.equal([many]);
  });

  it('is the metadata that is made of all packages, after many came and went at the same time', async () => {
    const names = Array.from({ length: 24 }, (_, n) => `many-${n}`);
    const some = (of: number) => names.filter((_, n) => n % of === 0);
    const gone = (name: string) => send('DELETE', `/el7/package/${name}/1.0-1/x86_64`);
    const advisory = { id: 'MANY-1', title: 'a hole', pkg_list: [] };
    await Promise.all(names.map((name) => publish('/el7', rpm({ name }))));
    await Promise.all(some(3).map((name) => send('POST', `/el7/package/${name}/1.0-1/errata`, [advisory])));
    await Promise.all(some(4).map(gone));
    await Promise.all(some(8).map((name) => publish('/el7', rpm({ name, arch: 'aarch64' }))));
    await Promise.all(some(6).map((name) => publish('/el7', rpm({ name, version: '2.0' }))));
    const kinds = ['primary', 'filelists', 'other', 'updateinfo'];
    const texts = () => Promise.all(kinds.map((kind) => xml('/el7', kind)));
    const before = await texts();
    await host.database.write(() => host.services.get(packageIndexes).mark(ada.id, 'rpm', ['el7']));
    expect(await texts()).to.equal(before);
    expect(before[0]).to.contain(' packages="25">\n<package type="rpm">');
    expect(before[0]!.match(/<package /g)).to.have.length(25);
    expect(before[3]!.match(/<update /g)).to.have.length(1);
    // with the last package that has them, errata go
    await Promise.all(some(3).map(gone));
    expect(await xml('/el7', 'updateinfo')).to.equal('');
    expect((await send('GET', '/el7/repodata/repomd.xml')).payload).not.to.contain('updateinfo');
    expect((await send('GET', '/el7/repodata/.errata')).statusCode).to.equal(404);
  });

  it('says on its page how to install', async () => {
    const { payload } = await host.as(ada).inject({ url: '/ada/-/packages/rpm/tool/1-2.0-1' });
    expect(payload).to.contain([
      '/api/packages/ada/rpm/el9.repo',
      'dnf install tool-1:2.0-1',
      'a tool made for a test',
    ]);
  });
});
