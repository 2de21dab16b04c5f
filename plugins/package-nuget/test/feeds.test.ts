// Database: SQLite alone; the format asks the database nothing by itself, and its kit runs on both.
import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { makeUser, startHost, type KitUser, type TestHost } from '@mortise/plugin-sdk/testing';
import { zip } from '@mortise/packages/testing';
import { compareVersions, normalizedVersion } from '../services/versions.js';
import { nupkg, nuspec, pdb } from './nupkgs.js';

export const lab = Lab.script();
const { describe, it, before, after } = lab;

/** What `dotnet` asks, step by step: the client is not packaged where this runs. */
describe('NuGet', () => {
  let host: TestHost;
  let ada: KitUser;
  const at = '/api/packages/ada/nuget';
  const get = (path: string, headers: object = {}) =>
    host.inject({
      url: path.startsWith('/') ? at + path : path,
      headers: { authorization: ada.authorization, ...headers },
    });
  const form = (name: string, data: Buffer) => {
    const boundary = '9d1a7b6c';
    const head = `--${boundary}\r\nContent-Type: application/octet-stream\r\nContent-Disposition: form-data; name=package; filename=${name}\r\n\r\n`;
    return {
      payload: Buffer.concat([Buffer.from(head), data, Buffer.from(`\r\n--${boundary}--\r\n`)]),
      headers: { 'content-type': `multipart/form-data; boundary="${boundary}"` },
    };
  };
  const push = (path: string, name: string, data: Buffer, headers: object) => {
    const sent = form(name, data);
    return host.inject({
      method: 'PUT',
      url: at + path,
      payload: sent.payload,
      headers: { ...sent.headers, 'x-nuget-protocol-version': '4.1.0', ...headers },
    });
  };
  let token: string;
  before(async () => {
    host = await startHost({ plugins: ['package-nuget', 'auth-basic', 'auth-token'] });
    ada = await makeUser(host, 'ada', { visibility: 'private' });
    const made = await host.inject({
      method: 'POST',
      url: '/api/v1/users/ada/tokens',
      headers: { authorization: ada.authorization },
      payload: { name: 'nuget', scopes: ['write:package'] },
    });
    token = made.json.sha1;
  });
  after(() => host.close());

  it('normalizes and orders versions', () => {
    expect(normalizedVersion('1.0')).to.equal('1.0.0');
    expect(normalizedVersion('01.02.3.0-Beta.1+build')).to.equal('1.2.3-Beta.1');
    expect(normalizedVersion('1.0.0.4')).to.equal('1.0.0.4');
    for (const none of ['', 'one', '1.', '1.0.0.0.0', '1.0-', 'v1.0.0'])
      expect(normalizedVersion(none)).to.be.undefined();
    const sorted = ['1.0.0-alpha', '1.0.0-alpha.2', '1.0.0-alpha.10', '1.0.0-Beta', '1.0.0', '1.0.0.1', '1.10.0'];
    expect([...sorted].reverse().sort(compareVersions)).to.equal(sorted);
  });

  it('is pushed to, and restored from', async () => {
    const data = nupkg(
      'Acme.Tool',
      '1.0',
      '<dependencies><group targetFramework="net8.0"><dependency id="Other" version="1.0.0"/></group></dependencies>',
    );
    expect((await push('/', 'package.nupkg', data, {})).statusCode).to.equal(401);
    expect((await push('/', 'package.nupkg', data, { 'x-nuget-apikey': token })).statusCode).to.equal(201);
    const again = await push('/', 'package.nupkg', data, { 'x-nuget-apikey': token });
    expect(again.statusCode).to.equal(409);
    expect(again.json.Message).to.be.a.string();

    // the index is read before the client signs in (C6)
    expect((await host.inject(`${at}/index.json`)).statusCode).to.equal(200);
    const index = (await get('/index.json')).json as { resources: { '@id': string; '@type': string }[] };
    const resource = (kind: string) => new URL(index.resources.find((one) => one['@type'] === kind)!['@id']).pathname;
    const content = resource('PackageBaseAddress/3.0.0');
    const basic = { authorization: `Basic ${Buffer.from(`ada:${token}`).toString('base64')}` };
    const ask = (url: string, headers: object = basic) => host.inject({ url, headers: { ...headers } });
    expect((await ask(`${content}/acme.tool/index.json`, {})).statusCode).to.equal(401);
    expect((await ask(`${content}/acme.tool/index.json`)).json).to.equal({ versions: ['1.0.0'] });
    const file = await ask(`${content}/acme.tool/1.0.0/acme.tool.1.0.0.nupkg`);
    expect(file.rawPayload.equals(data)).to.be.true();
    expect((await ask(`${content}/acme.tool/1.0.0/acme.tool.nuspec`)).payload).to.contain('<id>Acme.Tool</id>');
    const registration = (await ask(`${resource('RegistrationsBaseUrl')}/acme.tool/index.json`)).json;
    expect(registration.items[0].items[0].catalogEntry.dependencyGroups).to.equal([
      { targetFramework: 'net8.0', dependencies: [{ id: 'Other', range: '1.0.0' }] },
    ]);
  });

  it('says that a form was cut off, wherever it was', async () => {
    const { payload, headers } = form('a.nupkg', nupkg('Cut.Off', '1.0.0'));
    for (const length of [10, payload.length - 200, payload.length - 20, payload.length - 6]) {
      const answer = await host.inject({
        method: 'PUT',
        url: `${at}/`,
        payload: payload.subarray(0, length),
        headers: { ...headers, authorization: ada.authorization },
      });
      expect(answer.statusCode, `${length} of ${payload.length}: ${answer.payload}`).to.equal(400);
    }
  });

  it('finds pre-releases only for who asks for them', async () => {
    const key = { 'x-nuget-apikey': token };
    for (const [id, version] of [
      ['Acme.Tool', '2.0.0-beta.1'],
      ['Early.Tool', '0.1.0-alpha'],
    ] as const)
      expect((await push('/', 'a.nupkg', nupkg(id, version), key)).statusCode).to.equal(201);
    const found = async (query: string) => {
      const { totalHits, data } = (await get(`/query?q=tool${query}`)).json as {
        totalHits: number;
        data: { id: string; version: string; versions: object[] }[];
      };
      return [totalHits, ...data.map((one) => `${one.id} ${one.version} ${one.versions.length}`)];
    };
    expect(await found('')).to.equal([1, 'Acme.Tool 1.0.0 1']);
    expect(await found('&prerelease=true&semVerLevel=2.0.0')).to.equal([
      2,
      'Acme.Tool 2.0.0-beta.1 2',
      'Early.Tool 0.1.0-alpha 1',
    ]);
    expect(await found('&prerelease=true&skip=1&take=1')).to.equal([2, 'Early.Tool 0.1.0-alpha 1']);
    expect((await get("/Search()/$count?searchTerm='tool'")).payload).to.equal('1');
    expect((await get("/Search()/$count?searchTerm='tool'&includePrerelease=true")).payload).to.equal('2');
    const all = (await get("/FindPackagesById()?id='acme.tool'&semVerLevel=2.0.0")).payload;
    expect(all).to.contain(['<d:Version>1.0.0</d:Version>', '<d:Version>2.0.0-beta.1</d:Version>']);
    expect(all).to.contain('<d:Dependencies>Other:1.0.0:net8.0</d:Dependencies>');
    const latest = (await get("/Packages()?$filter=(tolower(Id)%20eq%20'acme.tool')%20and%20IsLatestVersion")).payload;
    expect(latest).to.contain('<d:Version>1.0.0</d:Version>').and.to.not.contain('2.0.0-beta.1');
    expect((await get("/FindPackagesById()/$count?id='none'")).payload).to.equal('0');
  });

  it('serves symbols by the id in them', async () => {
    const guid = Buffer.from('00112233445566778899aabbccddeeff', 'hex');
    const key = `${'33221100554477668899aabbccddeeff'}ffffffff`;
    const symbols = (id: string, data: Buffer) =>
      zip({ [`${id}.nuspec`]: nuspec(id, '1.0.0'), 'lib/net8.0/Acme.Tool.pdb': data });
    const send = (data: Buffer) => push('/symbolpackage', 'a.snupkg', data, { 'x-nuget-apikey': token });
    expect((await send(symbols('Unknown.Tool', pdb(guid)))).statusCode).to.equal(404);
    expect((await send(symbols('Acme.Tool', Buffer.from('Microsoft C/C++ MSF 7.00')))).statusCode).to.equal(400);
    expect((await send(symbols('Acme.Tool', pdb(guid)))).statusCode).to.equal(201);
    const found = await get(`/symbols/Acme.Tool.pdb/${key.toUpperCase()}/acme.tool.pdb`);
    expect(found.statusCode).to.equal(200);
    expect(found.rawPayload.equals(pdb(guid))).to.be.true();
    expect((await get(`/symbols/acme.tool.pdb/${'0'.repeat(40)}/acme.tool.pdb`)).statusCode).to.equal(404);
    expect((await get('/symbols/acme.tool.pdb/none/acme.tool.pdb')).statusCode).to.equal(400);
  });
});
