import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { defineService, Problem } from '@mortise/plugin-sdk';
import { makeUser, startHost, submitForm, type TestClient, type TestHost } from '@mortise/plugin-sdk/testing';

export const lab = Lab.script();
const { describe, it, before, after } = lab;
const repositories = defineService<{ byPath: () => Promise<unknown> }>('repositories.repositories');

describe('pages of packages', () => {
  let host: TestHost;
  let ada: TestClient;
  let ben: TestClient;
  before(async () => {
    host = await startHost({ plugins: ['package-generic'] });
    ada = host.as(await makeUser(host, 'ada'));
    ben = host.as(await makeUser(host, 'ben'));
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

  it('quote what a shell would run in the commands that people copy', async () => {
    const url = `/api/packages/ada/generic/odd/1.0;x/${encodeURIComponent('$(reboot)&.txt')}`;
    expect((await ada.inject({ method: 'PUT', url, payload: 'x' })).statusCode).to.equal(201);
    expect(await page('/ada/-/packages/generic/odd/1.0;x', 'en')).to.match(
      /curl -O (?:'|&#39;)[^'&]*\/odd\/1\.0%3Bx\/%24\(reboot\)%26\.txt(?:'|&#39;)/,
    );
  });

  it('link a package to a repository of its owner, and delete it', async () => {
    const settings = '/ada/-/packages/settings/generic/tool';
    const form = async (fields: Record<string, string>, client = ada) => {
      const { statusCode, headers, payload } = await submitForm(client, settings, fields);
      return { statusCode, location: headers.location, payload };
    };
    const create = async (client: TestClient, name: string) =>
      expect(
        (await client.inject({ method: 'POST', url: '/api/v1/user/repos', payload: { name } })).statusCode,
      ).to.equal(201);
    await create(ada, 'works');
    await create(ben, 'others');
    expect((await ben.inject(settings)).statusCode).to.equal(403);
    expect((await form({ action: 'link', repo_name: 'works' }, ben)).statusCode).to.equal(403);
    expect(await page('/ada/-/packages/generic/tool/1.0', 'en')).to.contain(`href="${settings}"`);
    expect(await page(settings, 'en')).to.contain(['<option value="works"', 'Delete this package']);
    for (const name of ['none', 'others', '']) {
      const refused = await form({ action: 'link', repo_name: name });
      expect([refused.statusCode, refused.payload.includes('id="field-repo_name-error"')], name).to.equal([422, true]);
    }
    // what is no matter of the name is not said of it
    const service = host.services.get(repositories);
    const { byPath } = service;
    service.byPath = () => Promise.reject(new Problem('unavailable', 'The database is away.'));
    const away = await form({ action: 'link', repo_name: 'works' }).finally(() => (service.byPath = byPath));
    expect(away.payload).to.contain('The database is away.').and.not.contain('field-repo_name-error');
    expect((await form({ action: 'link', repo_name: 'Works' })).location).to.equal(`${settings}?saved=1`);
    expect(await page(settings, 'en')).to.contain(
      'Linked to <a class="text-underline" href="/ada/works">ada/works</a>',
    );
    expect(await page('/ada/works/packages', 'en')).to.contain('tool');
    expect((await form({ action: 'link', repo_name: 'works' })).statusCode).to.equal(422);
    expect((await form({ action: 'unlink' })).location).to.equal(`${settings}?saved=1`);
    expect(await page('/ada/works/packages', 'en')).to.contain('No packages');
    expect((await form({ action: 'else' })).statusCode).to.equal(422);
    expect((await form({ action: 'delete', typed_name: 'too' })).statusCode).to.equal(422);
    expect((await form({ action: 'delete', typed_name: 'tool' })).location).to.equal('/ada/-/packages?deleted=tool');
    expect((await ada.inject('/ada/-/packages/generic/tool/1.0')).statusCode).to.equal(404);
  });

  it('list all versions of a package, page by page, and show one of any name', async () => {
    const put = async (version: string) => {
      const url = `/api/packages/ada/generic/many/${version}/file.txt`;
      expect((await ada.inject({ method: 'PUT', url, payload: 'content' })).statusCode).to.equal(201);
    };
    for (let n = 0; n < 35; n++) await put(`1.${n}`);
    const list = '/ada/-/packages/versions/generic/many';
    expect(await page('/ada/-/packages/generic/many/1.34', 'en')).to.contain(['Versions (35)', `href="${list}"`]);
    const versions = async (url: string) =>
      [...(await page(url, 'en')).matchAll(/<a href="[^"]*\/many\/([\d.]+)"/g)].map(([, version]) => version);
    const first = await versions(list);
    expect(await page(list, 'en')).to.contain(`href="${list}?page=2"`);
    const second = await versions(`${list}?page=2`);
    expect([first[0], first.length + second.length, second.at(-1)]).to.equal(['1.34', 35, '1.0']);
    await put('versions');
    const one = '/ada/-/packages/generic/many/versions';
    expect(await page(one, 'en')).to.contain(['/generic/many/versions/file.txt', 'Versions (36)']);
    expect(await page(list, 'en')).to.contain(`href="${one}"`);
  });
});
