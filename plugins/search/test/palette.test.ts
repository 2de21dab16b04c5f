import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { definePlugin, paletteSources, type PaletteRequest } from '@mortise/plugin-sdk';
import { startHost, type TestClient, type TestHost } from '@mortise/plugin-sdk/testing';
import { signUp } from '@mortise/accounts/testing';

export const lab = Lab.script();
const { describe, it, before, after } = lab;

const base64 = (text: string) => Buffer.from(text).toString('base64');

describe('issue 29: the command palette', { timeout: 300_000 }, () => {
  let host: TestHost;
  let ada: TestClient;
  let ben: TestClient;
  let asked: PaletteRequest[] = [];
  let fails = '';

  const tester = definePlugin({
    name: 'tester',
    version: '1.0.0',
    sdk: '^1.0.0',
    requires: { search: '^1.0.0' },
    register(plugin) {
      plugin.contribute(paletteSources, {
        key: 'toys',
        label: 'Toys',
        async find(request) {
          asked.push(request);
          if (fails === 'late') await new Promise(() => undefined);
          if (fails === 'error') throw new Error('no toys');
          return Array.from({ length: 9 }, (_, at) => ({ href: `/toys/${at}`, title: `Toy ${at} <b>` }));
        },
      });
    },
  });

  before(async () => {
    host = await startHost({ plugins: ['search', 'files', 'organizations', 'admin', 'issues', tester] });
    [ada, ben] = [await signUp(host, 'ada', { isAdmin: true }), await signUp(host, 'ben', { fullName: 'Gear Smith' })];
    const send = async (by: TestClient, method: 'POST' | 'PUT', url: string, payload: object) => {
      const answer = await by.inject({ method, url: `/api/v1${url}`, payload });
      expect(answer.statusCode, answer.payload).to.equal(201);
    };
    for (const name of ['gear', 'gearbox', 'gear-vault'])
      await send(ada, 'POST', '/user/repos', {
        name,
        private: name === 'gear-vault',
        auto_init: true,
        default_branch: 'main',
      });
    await send(ben, 'POST', '/orgs', { username: 'guild' });
    await send(ben, 'POST', '/user/repos', { name: 'own', auto_init: true, default_branch: 'main' });
    for (const [repository, path] of [
      ['gear', '.config/turn.ts'],
      ['gear', 'turn/more.ts'],
      ['gear', 'src/deep/turn a.ts'],
      ['gear-vault', 'turn-secret.ts'],
    ] as const)
      await send(
        ada,
        'POST',
        `/repos/ada/${repository}/contents/${path.split('/').map(encodeURIComponent).join('/')}`,
        {
          content: base64('x\n'),
          message: 'Add',
        },
      );
    await host.settle();
  });
  after(() => host.close());

  const items = async (by: Pick<TestClient, 'inject'>, q: string, from = '/', headers = {}) => {
    const url = `/-/palette/items?${new URLSearchParams({ q, from }).toString()}`;
    const { statusCode, payload } = await by.inject({ method: 'GET', url, headers });
    expect(statusCode, payload).to.equal(200);
    const sections = payload.split('role="group"').slice(1);
    return new Map(
      sections.map((section) => [
        /aria-labelledby="palette-([\w-]+)"/.exec(section)![1]!,
        [...section.matchAll(/role="option"[^>]*href="([^"]*)"/g)].map(([, href]) => href!.replaceAll('&amp;', '&')),
      ]),
    );
  };

  it('issue 29: finds repositories that the visitor may see, what is called so first', async () => {
    expect((await items(ada, 'gear')).get('repositories')).to.equal(['/ada/gear', '/ada/gear-vault', '/ada/gearbox']);
    expect((await items(ben, 'gear')).get('repositories')).to.equal(['/ada/gear', '/ada/gearbox']);
    expect((await items(host, 'gear')).get('repositories')).to.equal(['/ada/gear', '/ada/gearbox']);
    expect((await items(host, 'ada/gear')).get('repositories')?.[0]).to.equal('/ada/gear');
    // before something is typed, those that somebody works on
    expect((await items(ben, '')).get('repositories')).to.equal(['/ben/own']);
    expect((await items(host, '')).has('repositories')).to.be.false();
  });

  it('issue 29: finds users and organizations', async () => {
    expect((await items(host, 'gear')).get('people')).to.equal(['/ben']);
    expect((await items(host, 'guild')).get('people')).to.equal(['/guild']);
    expect((await items(host, '')).has('people')).to.be.false();
  });

  it('issue 29: finds files of the repository that is open, those in hidden folders last', async () => {
    const base = '/ada/gear/src/branch/main';
    const found = ['/turn/more.ts', '/src/deep/turn%20a.ts', '/.config/turn.ts'].map((path) => base + path);
    expect((await items(host, 'turn', '/ada/gear/issues/1')).get('files')?.sort()).to.equal(found.sort());
    expect((await items(host, 'turn', '/ada/gear')).get('files')?.at(-1)).to.equal(`${base}/.config/turn.ts`);
    expect((await items(host, 'TURN deep', '/ada/gear')).get('files')).to.equal([`${base}/src/deep/turn%20a.ts`]);
    expect((await items(ada, 'turn', '/ada/gear-vault')).get('files')).to.have.length(1);
    for (const [by, from] of [
      [ben, '/ada/gear-vault'],
      [host, '/ada/gear-vault'],
      [ada, '/ada/nothing'],
      [ada, '/'],
      [ada, '//'],
      [ada, '/user/settings'],
    ] as const)
      expect((await items(by, 'turn', from)).has('files'), from).to.be.false();
  });

  it('issue 29: finds pages of settings that one may open, in every language', async () => {
    const settings = async (by: Pick<TestClient, 'inject'>, q: string, from?: string, headers = {}) =>
      [...(await items(by, q, from, headers))].filter(([key]) => /settings|administration/.test(key));
    expect(await settings(ada, 'deploy keys', '/ada/gear/src/branch/main/turn')).to.equal([
      ['repository-settings', ['/ada/gear/settings/keys', '/ada/gear/settings/keys#field-title']],
    ]);
    expect(await settings(ben, 'deploy keys', '/ada/gear')).to.equal([]);
    expect(await settings(host, 'deploy keys', '/ada/gear')).to.equal([]);
    const [[, appearance]] = (await settings(ben, 'appearance')) as [[string, string[]]];
    expect(appearance[0]).to.equal('/user/settings/appearance');
    expect((await settings(ben, 'konto', '/', { 'accept-language': 'de' }))[0]?.[1][0]).to.equal(
      '/user/settings/account',
    );
    expect(await settings(host, 'appearance')).to.equal([]);
    expect(await settings(ben, 'blocked', '/guild')).to.part.include([
      ['organization-settings', ['/org/guild/settings/blocked_users']],
    ]);
    expect((await settings(ada, 'delete', '/org/guild/teams')).map(([key]) => key)).to.include('organization-settings');
    expect((await settings(host, 'delete', '/guild')).length).to.equal(0);
    expect(new Map(await settings(ada, 'tasks')).get('administration')).to.equal(['/-/admin/tasks']);
    expect(new Map(await settings(ben, 'tasks')).has('administration')).to.be.false();
    // before something is typed they would only be in the way
    expect(await settings(ada, '', '/ada/gear')).to.equal([]);
  });

  it('issue 29: asks the sources of plugins, and waits for none of them', async () => {
    asked = [];
    expect((await items(ben, ' toy ', '/ada/gear')).get('toys')).to.equal([0, 1, 2, 3, 4].map((at) => `/toys/${at}`));
    expect(asked).to.have.length(1);
    expect(asked[0]).to.include({ text: 'toy', path: '/ada/gear', limit: 5 });
    expect(asked[0]!.actor.name).to.equal('ben');
    for (fails of ['late', 'error']) {
      const found = await items(ben, 'gear');
      expect([found.has('toys'), found.has('repositories')], fails).to.equal([false, true]);
    }
    fails = '';
  });

  it('issue 29: leads to the search, and takes what people type', async () => {
    expect((await items(host, 'a&b "c')).get('search')).to.equal(['/search?q=a%26b+%22c']);
    expect((await items(host, '')).has('search')).to.be.false();
    for (const q of ['%', '_', "';--", ',,,', '/', '合页', `${'a,'.repeat(49)}a`]) await items(ada, q, `/${q}/${q}`);
    const tooLong = await host.inject(`/-/palette/items?q=${'x'.repeat(101)}`);
    expect(tooLong.statusCode).to.be.within(400, 499);
    const { payload } = await host.inject('/-/palette/items?q=toy');
    expect(payload).to.contain('Toy 1 &lt;b>').and.to.contain('data-status="6 results"');
  });

  it('issue 29: has a button that leads to the search without scripts, and speaks the visitor’s language', async () => {
    const page = async (language: string, url = '/explore/repos') =>
      (await host.inject({ method: 'GET', url, headers: { 'accept-language': language } })).payload;
    expect(await page('en')).to.match(/<a class="site-button" href="\/search" aria-label="Search or go to…"/);
    expect(await page('de')).to.contain('aria-label="Suchen oder öffnen…"');
    expect(await page('de', '/-/palette')).to.match(/<dialog [^>]*data-here="Auf dieser Seite"/);
    expect(await page('en', '/-/shortcuts')).to.contain('<kbd>Ctrl+K</kbd>');
  });
});
