import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { makeUser, startHost, type TestClient, type TestHost } from '@mortise/plugin-sdk/testing';

export const lab = Lab.script();
const { describe, it, before, after } = lab;

describe('pages of packages', () => {
  let host: TestHost;
  let ada: TestClient;
  before(async () => {
    host = await startHost({ plugins: ['package-generic'] });
    ada = host.as(await makeUser(host, 'ada'));
    const url = '/api/packages/ada/generic/tool/1.0/tool.txt';
    expect((await ada.inject({ method: 'PUT', url, payload: 'content' })).statusCode).to.equal(201);
  });
  after(() => host.close());

  const page = async (url: string, language: string) => {
    const { statusCode, payload } = await ada.inject({ url, headers: { 'accept-language': language } });
    expect(statusCode).to.equal(200);
    return payload;
  };

  it('list packages in the language of who reads', async () => {
    for (const url of ['/ada/-/packages', '/ada?tab=packages'])
      expect(await page(url, 'de')).to.contain(['tool', 'Alle Formate', 'Pakete nach Namen suchen']);
    expect(await page('/ada/-/packages', 'zh-CN')).to.contain('软件包');
  });

  it('show a version in the language of who reads', async () => {
    const version = '/ada/-/packages/generic/tool/1.0';
    expect(await page(version, 'de')).to.contain(['Eine Datei herunterladen', 'Dateien (1)', 'Diese Version löschen']);
    expect(await page(version, 'en')).to.contain(['Download a file', '7 B', 'Files (1)', 'Packages of ada']);
  });
});
