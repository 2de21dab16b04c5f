// Database: SQLite alone; the format asks the database nothing by itself, and its kit runs on both.
import { createHash, createPublicKey, createVerify } from 'node:crypto';
import { Readable } from 'node:stream';
import { gunzipSync } from 'node:zlib';
import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { makeUser, startHost, type TestHost, type KitUser } from '@mortise/plugin-sdk/testing';
import { packageIndexes, tarEntries } from '@mortise/packages/api';
import { apk } from './apks.js';

export const lab = Lab.script();
const { describe, it, before, after } = lab;

describe('an Alpine repository (PKG-08)', () => {
  let host: TestHost;
  let ada: KitUser;
  before(async () => {
    host = await startHost({
      plugins: ['package-alpine', 'auth-basic', 'auth-token'],
    });
    ada = await makeUser(host, 'ada');
  });
  after(() => host.close());

  const send = (method: 'GET' | 'PUT' | 'DELETE', path: string, payload?: Buffer) =>
    host.inject({
      method,
      url: `/api/packages/ada/alpine${path}`,
      payload,
      headers: { authorization: ada.authorization },
    });
  const publish = async (fields: Readonly<Record<string, string>>) =>
    expect((await send('PUT', '/edge/main', apk(fields).data)).statusCode).to.equal(201);
  const read = async (architecture: string) => {
    const answer = await send('GET', `/edge/main/${architecture}/APKINDEX.tar.gz`);
    const entries = new Map<string, Buffer>();
    if (answer.statusCode === 200)
      for await (const entry of tarEntries(Readable.from([gunzipSync(answer.rawPayload)])))
        entries.set(entry.name, await entry.content(1e6));
    return { answer, entries };
  };
  const listed = async (architecture: string) => {
    const text = (await read(architecture)).entries.get('APKINDEX')?.toString() ?? '';
    return text
      .split('\n\n')
      .filter(Boolean)
      .map((stanza) => ['P', 'V', 'A'].map((letter) => new RegExp(`^${letter}:(.*)$`, 'm').exec(stanza)![1]).join(' '));
  };

  it('signs its index with the key that it gives', async () => {
    await publish({ pkgname: 'tool', depend: 'zlib>1.2' });
    const key = await send('GET', '/key');
    const file = /filename="(.+)"/.exec(String(key.headers['content-disposition']))![1]!;
    const given = createPublicKey(key.payload);
    expect(given.asymmetricKeyDetails!.modulusLength).to.equal(2048);
    const der = given.export({ type: 'spki', format: 'der' });
    expect(file).to.equal(`ada@${createHash('sha256').update(der).digest('hex')}.rsa.pub`);
    const { answer, entries } = await read('x86_64');
    expect([...entries.keys()]).to.equal([`.SIGN.RSA.${file}`, 'APKINDEX']);
    // the second member is what the signature covers
    const packed = answer.rawPayload;
    const second = packed.indexOf(Buffer.from([0x1f, 0x8b, 8]), 4);
    const verifier = createVerify('sha1').update(packed.subarray(second));
    expect(verifier.verify(key.payload, entries.get(`.SIGN.RSA.${file}`)!)).to.be.true();
  });

  it('tells the checksum of the packed control member', async () => {
    const text = (await read('x86_64')).entries.get('APKINDEX')!.toString();
    const { control, data } = apk({ pkgname: 'tool', depend: 'zlib>1.2' });
    expect(text).to.contain(`C:Q1${createHash('sha1').update(control).digest('base64')}\nP:tool\n`);
    expect(text).to.contain([`S:${data.length}\n`, 'D:zlib>1.2\n', 'T:a tool\n']);
  });

  it('has packages of all architectures in the index of each', async () => {
    await publish({ pkgname: 'tool', arch: 'aarch64' });
    await publish({ pkgname: 'tool-doc', arch: 'noarch' });
    expect(await listed('x86_64')).to.equal(['tool 1.0-r0 x86_64', 'tool-doc 1.0-r0 x86_64']);
    expect(await listed('aarch64')).to.equal(['tool 1.0-r0 aarch64', 'tool-doc 1.0-r0 aarch64']);
    expect(await listed('riscv64')).to.equal(['tool-doc 1.0-r0 noarch']);
    expect((await send('GET', '/edge/main/x86_64/tool-doc-1.0-r0.apk')).statusCode).to.equal(200);
    expect((await send('DELETE', '/edge/main/x86_64/tool-doc-1.0-r0.apk')).statusCode).to.equal(404);
    expect((await send('DELETE', '/edge/main/noarch/tool-doc-1.0-r0.apk')).statusCode).to.equal(204);
    expect(await listed('aarch64')).to.equal(['tool 1.0-r0 aarch64']);
    expect(await listed('riscv64')).to.equal([]);
  });

  it('is the index that is made of all packages, after many came and went at the same time', async () => {
    const names = Array.from({ length: 24 }, (_, n) => `many-${n}`);
    const archs = ['x86_64', 'aarch64', 'noarch'];
    const file = (n: number) => `/edge/main/${archs[n % 3]!}/${names[n]!}-1.0-r0.apk`;
    const some = (of: number) => names.map((_, n) => n).filter((n) => n % of === 0);
    await Promise.all(names.map((pkgname, n) => publish({ pkgname, arch: archs[n % 3]!, pkgdesc: 'x'.repeat(9000) })));
    await Promise.all(some(4).map((n) => send('DELETE', file(n))));
    await Promise.all(some(8).map((n) => publish({ pkgname: names[n]!, arch: archs[n % 3]!, pkgdesc: 'it is back' })));
    await Promise.all(some(6).map((n) => publish({ pkgname: names[n]!, arch: archs[n % 3]!, pkgver: '2.0-r0' })));
    const texts = () => Promise.all(archs.map(async (arch) => (await read(arch)).entries.get('APKINDEX')!.toString()));
    const before = await texts();
    await host.database.write(() =>
      host.services.get(packageIndexes).mark(
        ada.id,
        'alpine',
        archs.map((arch) => `edge|main|${arch}`),
      ),
    );
    expect(await texts()).to.equal(before);
    expect(before[0]!.match(/^P:many-/gm)).to.have.length(18);
  });

  it('takes lines of any length, as real packages have them', async () => {
    const provides = Array.from({ length: 10_000 }, (_, n) => `so:lib${n}.so`).join(' ');
    await publish({
      pkgname: 'long',
      provides,
      license: 'x'.repeat(70_000),
      depend: 'y'.repeat(120_000),
      arch: 'long',
    });
    const text = (await read('long')).entries.get('APKINDEX')!.toString();
    for (const line of [`p:${provides}`, `D:${'y'.repeat(120_000)}`, `L:${'x'.repeat(70_000)}`])
      expect(text.includes(`\n${line}\n`), line.slice(0, 20)).to.be.true();
    const { statusCode } = await host.as(ada).inject({ url: '/ada/-/packages/alpine/long/1.0-r0' });
    expect(statusCode).to.equal(200);
  });

  it('says on its page how to install', async () => {
    const { payload } = await host.as(ada).inject({ url: '/ada/-/packages/alpine/tool/1.0-r0' });
    expect(payload).to.contain(['/api/packages/ada/alpine/edge/main', 'apk add tool=1.0-r0', 'zlib>1.2']);
  });
});
