import { createHash } from 'node:crypto';
import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { makeUser, startHost, type TestHost, type KitUser } from '@mortise/plugin-sdk/testing';
import { deb } from './debs.js';

export const lab = Lab.script();
const { describe, it, before, after } = lab;

const many = 100;

describe('a hundred versions of one package at once (PKG-07)', { timeout: 120_000 }, () => {
  let host: TestHost;
  let ada: KitUser;
  before(async () => {
    host = await startHost({
      plugins: ['package-debian', 'auth-basic', 'auth-token'],
    });
    ada = await makeUser(host, 'ada');
  });
  after(() => host.close());

  const send = (method: 'GET' | 'PUT' | 'DELETE', path: string, payload?: Buffer) =>
    host.inject({
      method,
      url: `/api/packages/ada/debian${path}`,
      payload,
      headers: { authorization: ada.authorization },
    });
  const versions = Array.from({ length: many }, (_, n) => `1.${n}-1`);

  it('are all there, each once, in an index that fits its Release', async () => {
    const answers = await Promise.all(
      versions.map((Version) => send('PUT', '/pool/stable/main/upload', deb({ Version }))),
    );
    expect(answers.map(({ statusCode }) => statusCode)).to.equal(versions.map(() => 201));
    const { rawPayload: packages } = await send('GET', '/dists/stable/main/binary-all/Packages');
    const listed = [...packages.toString().matchAll(/^Version: (.*)$/gm)].map(([, version]) => version!);
    expect(listed.sort()).to.equal([...versions].sort());
    const { payload: release } = await send('GET', '/dists/stable/Release');
    const sum = createHash('sha256').update(packages).digest('hex');
    expect(release).to.contain(` ${sum} ${packages.length} main/binary-all/Packages\n`);
    const files = [...packages.toString().matchAll(/^Filename: (.*)$/gm)].map(([, file]) => `/${file}`);
    for (const file of files) expect((await send('GET', file)).statusCode, file).to.equal(200);
  });

  it('go at once as well, and leave the index of those that stay', async () => {
    const going = versions.slice(1);
    const answers = await Promise.all(going.map((version) => send('DELETE', `/pool/stable/main/tool/${version}/all`)));
    expect(answers.map(({ statusCode }) => statusCode)).to.equal(going.map(() => 204));
    const { payload } = await send('GET', '/dists/stable/main/binary-all/Packages');
    expect([...payload.matchAll(/^Version: (.*)$/gm)].map(([, version]) => version)).to.equal([versions[0]]);
  });
});
