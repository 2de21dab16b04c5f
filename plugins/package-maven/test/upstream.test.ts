// Database: SQLite alone; the format asks the database nothing by itself, and its kit runs on both.
import { createHash } from 'node:crypto';
import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { downloadPolicy } from '@mortise/plugin-sdk';
import { makeUser, startHost, type KitUser, type TestHost } from '@mortise/plugin-sdk/testing';
import { FakeUpstream } from '@mortise/packages/testing';

export const lab = Lab.script();
const { describe, it, before, after } = lab;
const at = '/api/packages/ada/maven';

describe('PKG-20: artifacts of another repository', { timeout: 60_000 }, () => {
  let upstream: FakeUpstream;
  let host: TestHost;
  let ada: KitUser;
  const jar = Buffer.from('a jar');
  const hex = (algorithm: string, data: Buffer) => createHash(algorithm).update(data).digest('hex');
  const folder = '/org/far/tool';
  const metadata = '<?xml version="1.0"?><metadata><groupId>org.far</groupId></metadata>';

  before(async () => {
    upstream = await FakeUpstream.start();
    for (const version of ['1.0', '2.0', '3.0'])
      upstream.has(`${folder}/${version}/tool-${version}.jar`, { body: jar });
    upstream.has(`${folder}/1.0/tool-1.0.jar.sha1`, { body: `${hex('sha1', jar)}  tool-1.0.jar\n` });
    upstream.has(`${folder}/2.0/tool-2.0.jar.sha1`, { body: hex('sha1', Buffer.from('another')) });
    upstream.has(`${folder}/maven-metadata.xml`, { body: metadata });
    host = await startHost({
      plugins: ['package-maven', 'auth-basic'],
      settings: { 'package-maven': { UPSTREAM: upstream.url, UPSTREAM_OWN_NAMES: 'com/acme/**' } },
    });
    ada = await makeUser(host, 'ada');
  });
  after(async () => {
    await host.close();
    await upstream.close();
  });
  const read = (path: string) => host.inject({ url: at + path, headers: { authorization: ada.authorization } });

  it('serves metadata, files and checksums, and keeps them', async () => {
    const list = await read(`${folder}/maven-metadata.xml`);
    expect(list.payload).to.equal(metadata);
    expect(list.headers['content-type']).to.include('text/xml');
    for (const { headers } of [
      list,
      await read(`${folder}/1.0/tool-1.0.jar.sha1`),
      await read(`${folder}/1.0/tool-1.0.jar`),
    ])
      expect(headers).to.include({ 'content-security-policy': downloadPolicy, 'x-content-type-options': 'nosniff' });
    expect((await read(`${folder}/maven-metadata.xml.sha256`)).payload).to.equal(hex('sha256', Buffer.from(metadata)));
    for (let time = 0; time < 2; time++) expect((await read(`${folder}/1.0/tool-1.0.jar`)).rawPayload).to.equal(jar);
    expect((await read(`${folder}/1.0/tool-1.0.jar.sha1`)).payload).to.equal(hex('sha1', jar));
    expect((await read(`${folder}/1.0/tool-1.0.jar.sha512`)).statusCode).to.equal(404);
    expect((await read(`${folder}/9.0/tool-9.0.jar`)).statusCode).to.equal(404);
    expect(upstream.asked(`${folder}/1.0/tool-1.0.jar`).length).to.equal(1);
    expect((await host.inject(`${at}${folder}/1.0/tool-1.0.jar`)).statusCode).to.equal(401);
  });

  it('compares files with their checksums, where there are some', async () => {
    expect((await read(`${folder}/2.0/tool-2.0.jar`)).statusCode).to.equal(502);
    expect((await read(`${folder}/3.0/tool-3.0.jar`)).rawPayload).to.equal(jar);
  });

  it('asks again for snapshots without a checksum, and keeps no page in place of a file', async () => {
    const other = await startHost({
      plugins: ['package-maven', 'auth-basic'],
      settings: { 'package-maven': { UPSTREAM: upstream.url }, packages: { UPSTREAM_FRESH_SECONDS: 0 } },
    });
    try {
      const { authorization } = await makeUser(other, 'ada');
      const get = (path: string) => other.inject({ url: at + path, headers: { authorization } });
      const snapshot = `${folder}/1.1-SNAPSHOT/tool-1.1-SNAPSHOT.jar`;
      for (const body of ['an early jar', 'a later jar']) {
        upstream.has(snapshot, { body });
        const got = await get(snapshot);
        expect(got.payload).to.equal(body);
        expect(got.headers['content-type']).to.equal('application/java-archive');
        expect(got.headers['content-disposition']).to.include('attachment');
      }
      const page = { body: 'Sign in', headers: { 'content-type': 'text/html' } };
      upstream.has(snapshot, page);
      expect((await get(snapshot)).payload).to.equal('a later jar');
      const release = `${folder}/4.0/tool-4.0.jar`;
      upstream.has(release, page);
      expect((await get(release)).statusCode).to.equal(502);
      upstream.has(release, { body: jar });
      expect((await get(release)).rawPayload).to.equal(jar);
    } finally {
      await other.close();
    }
  });

  it('never asks for a name that is here, or is its own', async () => {
    const asked = upstream.asked().length;
    const pom = '<project><groupId>org.far</groupId><artifactId>mine</artifactId><version>1.0</version></project>';
    const put = await host.inject({
      method: 'PUT',
      url: `${at}/org/far/mine/1.0/mine-1.0.pom`,
      payload: pom,
      headers: { authorization: ada.authorization },
    });
    expect(put.statusCode).to.equal(201);
    upstream.has('/org/far/mine/9.9/mine-9.9.jar', { body: jar }).has('/com/acme/a/b/1.0/b-1.0.jar', { body: jar });
    for (const path of [
      '/org/far/mine/9.9/mine-9.9.jar',
      '/Org/far/MINE/9.9/mine-9.9.jar',
      '/com/acme/a/b/1.0/b-1.0.jar',
    ])
      expect((await read(path)).statusCode).to.equal(404);
    expect((await read('/org/far/mine/maven-metadata.xml')).payload).to.include('<release>1.0</release>');
    expect(upstream.asked().length).to.equal(asked);
  });
});
