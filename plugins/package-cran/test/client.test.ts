// Database: SQLite alone; the format asks the database nothing by itself, and its kit runs on both.
import { createHash } from 'node:crypto';
import { gunzipSync } from 'node:zlib';
import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { makeUser, startHost, type KitUser, type TestHost } from '@mortise/plugin-sdk/testing';
import { tgz, zip } from '@mortise/packages/testing';

export const lab = Lab.script();
const { describe, it, before, after } = lab;

describe('a CRAN repository (PKG-10)', () => {
  let host: TestHost;
  let ada: KitUser;
  before(async () => {
    host = await startHost({ plugins: ['package-cran', 'auth-basic', 'auth-token'] });
    ada = await makeUser(host, 'ada');
  });
  after(() => host.close());

  const send = (method: 'GET' | 'PUT' | 'DELETE', path: string, payload?: Buffer, root = '/api/packages/ada/cran') =>
    host.inject({ method, url: root + path, payload, headers: { authorization: ada.authorization } });
  const description = (name: string, version: string, more = '') =>
    ({ [`${name}/DESCRIPTION`]: `Package: ${name}\nVersion: ${version}\nLicense: MIT\n${more}` }) as const;
  const publish = async (path: string, payload: Buffer) =>
    expect((await send('PUT', path, payload)).statusCode).to.equal(201);
  const listed = async (path: string) => {
    const { statusCode, payload } = await send('GET', path);
    const pattern = /Package: (.*)\nVersion: (.*)/g;
    return statusCode === 200 ? [...payload.matchAll(pattern)].map(([, name, version]) => `${name} ${version}`) : [];
  };

  it('answers what R asks for before it installs', async () => {
    const more = 'Depends: R (>= 4.0),\n  methods\nImports: stats\nDescription: Text,\n  URL: not a field\n';
    const file = tgz(description('toolr', '1.0.0', more));
    await publish('/src', file);
    expect((await send('GET', '/src/contrib/PACKAGES.rds')).statusCode).to.equal(404);
    const { rawPayload } = await send('GET', '/src/contrib/PACKAGES.gz');
    expect(gunzipSync(rawPayload).toString()).to.equal(
      [
        'Package: toolr\nVersion: 1.0.0\nLicense: MIT\nDepends: R (>= 4.0), methods\nImports: stats\n',
        `NeedsCompilation: no\nMD5sum: ${createHash('md5').update(file).digest('hex')}\n`,
      ].join(''),
    );
  });

  it('lists the highest version that has a file of the kind', async () => {
    await publish('/src', tgz(description('toolr', '1.10.0')));
    await publish('/src', tgz(description('toolr', '1.9.0')));
    await publish('/src', tgz(description('alpha', '0.1')));
    await publish('/bin?platform=windows&rversion=4.3', zip(description('toolr', '2.0')));
    expect(await listed('/src/contrib/PACKAGES')).to.equal(['alpha 0.1', 'toolr 1.10.0']);
    expect(await listed('/bin/windows/contrib/4.3/PACKAGES')).to.equal(['toolr 2.0']);
    expect(await listed('/bin/windows/contrib/4.1/PACKAGES')).to.equal([]);
    expect((await send('GET', '/src/contrib/Archive/toolr/toolr_1.9.0.tar.gz')).statusCode).to.equal(200);
    const { statusCode } = await send('DELETE', '/ada/cran/toolr/1.10.0', undefined, '/api/v1/packages');
    expect(statusCode).to.equal(204);
    expect(await listed('/src/contrib/PACKAGES')).to.equal(['alpha 0.1', 'toolr 1.9.0']);
  });

  it('takes fields of any length, as real packages have them', async () => {
    const imports = Array.from({ length: 9000 }, (_, n) => `package${n}`).join(', ');
    const author = '['.repeat(70_000);
    await publish(
      '/src',
      tgz(description('longr', '1.0', `Imports: ${imports}\nAuthor: ${author}\nURL: https://example.com/${author}\n`)),
    );
    const { payload } = await send('GET', '/src/contrib/PACKAGES');
    expect(payload.includes(`\nImports: ${imports}\n`)).to.be.true();
    const page = await host.as(ada).inject({ url: '/ada/-/packages/cran/longr/1.0' });
    expect(page.payload).to.contain('package10').and.not.contain(['package8000', 'href=""']);
  });

  it('serves binaries for macOS as R asks for them', async () => {
    await publish('/bin?platform=macosx/big-sur-arm64&rversion=4.3', tgz(description('macr', '1.0')));
    const root = '/bin/macosx/big-sur-arm64/contrib/4.3';
    expect(await listed(`${root}/PACKAGES`)).to.equal(['macr 1.0']);
    expect((await send('GET', `${root}/macr_1.0.tgz`)).statusCode).to.equal(200);
    expect((await send('GET', `${root}/macr_1.0.tar.gz`)).statusCode).to.equal(200);
  });

  it('says on its page how to install', async () => {
    const { payload } = await host.as(ada).inject({ url: '/ada/-/packages/cran/toolr/1.0.0' });
    expect(payload).to.contain(['/api/packages/ada/cran', 'install.packages(', 'Text, URL: not a field', 'methods']);
  });
});
