// Database: SQLite alone; the format asks the database nothing by itself, and its kit runs on both.
import { createHash } from 'node:crypto';
import { spawnSync } from 'node:child_process';
import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { makeUser, startHost, type TestHost, type KitUser } from '@mortise/plugin-sdk/testing';
import { packBzip2 } from '@mortise/packages/api';
import { smallBzip2Bomb, tar } from '@mortise/packages/testing';
import { conda, indexOf } from './packages.js';

export const lab = Lab.script();
const { describe, it, before, after } = lab;
const hasBzip2 = spawnSync('bzip2', ['--version']).status === 0;

const refusedForGrowth = 'The archive cannot be read: it grows too much when it is unpacked.';

interface Repodata {
  readonly info: { readonly subdir: string };
  readonly packages: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
  readonly 'packages.conda': Readonly<Record<string, Readonly<Record<string, unknown>>>>;
}

describe('channels of Conda (PKG-01)', () => {
  let host: TestHost;
  let ada: KitUser;
  before(async () => {
    host = await startHost({ plugins: ['package-conda', 'auth-basic', 'auth-token'] });
    ada = await makeUser(host, 'ada', { visibility: 'private' });
  });
  after(() => host.close());

  const send = (method: 'GET' | 'PUT', path: string, payload?: Buffer) =>
    host.inject({
      method,
      url: `/api/packages/ada/conda${path}`,
      payload,
      headers: { authorization: ada.authorization },
    });
  const publish = async (path: string, payload: Buffer) =>
    expect((await send('PUT', path, payload)).statusCode).to.equal(201);
  const repodata = async (path: string) => (await send('GET', `${path}/repodata.json`)).json as Repodata;

  it('S1: takes an upload beside four small archives that become half a gigabyte each, and refuses those', async () => {
    const eve = await makeUser(host, 'eve');
    const bombs = Array.from({ length: 4 }, (_, n) =>
      host.inject({
        method: 'PUT',
        url: `/api/packages/eve/conda/bomb-${n}-0.tar.bz2`,
        payload: smallBzip2Bomb(),
        headers: { authorization: eve.authorization },
      }),
    );
    await publish('/honest-1.0-py0_0.conda', conda({ name: 'honest' }));
    for (const { statusCode, json } of await Promise.all(bombs))
      expect([statusCode, (json as { message: string }).message]).to.equal([400, refusedForGrowth]);
    expect(Object.keys((await repodata('/linux-64'))['packages.conda'])).to.include('honest-1.0-py0_0.conda');
  });

  it('tells solvers what index.json says, with the sums of the file', async () => {
    const bytes = conda({ constrains: ['other <2'], track_features: 'slow', license_family: 'MIT', odd: 'no' });
    await publish('/tool-1.0-py0_0.conda', bytes);
    const entry = (await repodata('/linux-64'))['packages.conda']['tool-1.0-py0_0.conda'];
    expect(entry).to.equal({
      ...(JSON.parse(indexOf()) as object),
      constrains: ['other <2'],
      track_features: 'slow',
      license_family: 'MIT',
      md5: createHash('md5').update(bytes).digest('hex'),
      sha256: createHash('sha256').update(bytes).digest('hex'),
      size: bytes.length,
    });
  });

  it('reads the older container, and answers for every platform', async () => {
    const index = indexOf({ name: 'older', subdir: undefined, noarch: 'python' });
    await publish('/older-1.0-py0_0.tar.bz2', await packBzip2(tar({ 'info/index.json': index, 'lib/a': 'b' })));
    expect(Object.keys((await repodata('/noarch')).packages)).to.equal(['older-1.0-py0_0.tar.bz2']);
    expect((await send('GET', '/noarch/older-1.0-py0_0.tar.bz2')).statusCode).to.equal(200);
  });

  it('keeps channels apart; C6: where there are no packages for every platform either, noarch is not found', async () => {
    await publish('/forge/deep/tool-1.0-py0_0.conda', conda());
    expect(Object.keys((await repodata('/forge/deep/linux-64'))['packages.conda'])).to.have.length(1);
    for (const path of ['/forge/linux-64', '/forge/noarch', '/forge/deep/osx-64', '/forge/deep/noarch'])
      for (const file of ['repodata.json', 'current_repodata.json', 'repodata.json.bz2'])
        expect((await send('GET', `${path}/${file}`)).statusCode, path).to.equal(404);
    const { json } = await host.inject({
      url: '/api/v1/packages/ada?type=conda&q=forge',
      headers: { authorization: ada.authorization },
    });
    expect((json as { name: string }[]).map(({ name }) => name)).to.equal(['forge/deep/tool']);
  });

  it('gives its index packed, as older clients ask for it', { skip: !hasBzip2 }, async () => {
    const answer = await send('GET', '/linux-64/repodata.json.bz2');
    expect(answer.headers['content-type']).to.equal('application/x-bzip2');
    const { stdout } = spawnSync('bzip2', ['-dc'], { input: answer.rawPayload });
    expect(JSON.parse(stdout.toString())).to.equal(await repodata('/linux-64'));
  });

  it('says on its page how to install', async () => {
    const { payload } = await host.as(ada).inject({ url: '/ada/-/packages/conda/tool/1.0' });
    expect(payload).to.contain(['conda install tool=1.0', 'channel_alias: ', 'a tool', 'python >=3.9']);
    await publish('/odd-1!2.0-py0_0.conda', conda({ name: 'odd', version: '1!2.0' }));
    // a shell would take the mark for a command of before
    const odd = await host.as(ada).inject({ url: '/ada/-/packages/conda/odd/1!2.0' });
    expect(odd.payload).to.match(/conda install (?:'|&#39;)odd=1!2\.0(?:'|&#39;) -c /);
  });
});
