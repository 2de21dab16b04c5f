import { rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { brotliDecompressSync } from 'node:zlib';
import { expect } from '@hapi/code';
import Lab from '@hapi/lab';
import { defineRoute, icon, NotFound, webPage, type Route } from '@mortise/plugin-sdk';
import { h } from 'preact';
import { as, headerAuth, httpKit, type KitSettings } from './http-kit.js';
import { defaultHttpSettings, serverSettings } from '../http/settings.js';
import { compatibleVersion } from '../http/compatible-version.js';

export const lab = Lab.script();
const { describe, it } = lab;

const source = join(tmpdir(), `mortise-island-${process.pid}.ts`);
writeFileSync(source, 'const greeting: string = "hello island"; document.title = greeting;');

const routes: Route[] = [
  defineRoute({
    method: 'GET',
    path: '/page',
    access: { actor: 'anyone' },
    handler: () =>
      webPage({
        title: 'Page',
        active: 'explore',
        islands: ['greet', 'unknown'],
        flash: { kind: 'success', text: 'Saved.' },
        head: [{ tag: 'meta', attributes: { name: 'go-import', content: '"x" <y>' } }],
        body: h('p', {}, icon('repo'), icon('no-such-icon'), '<b>'),
      }),
  }),
  defineRoute({
    method: 'GET',
    path: '/gone',
    access: { actor: 'anyone' },
    handler: () => {
      throw NotFound('repository');
    },
  }),
  defineRoute({
    method: 'GET',
    path: '/fault',
    access: { actor: 'anyone' },
    handler: () => {
      throw new Error('<i>secret</i>');
    },
  }),
];

const contributions = {
  'core.authMethods': [headerAuth],
  'core.navigation': [
    { key: 'explore', label: 'Explore', href: '/explore', icon: 'telescope' },
    { key: 'admin', label: 'Administration', href: '/admin', visible: (actor: { isAdmin: boolean }) => actor.isAdmin },
  ],
  'core.userMenu': [
    { key: 'later', order: 2, render: () => h('span', {}, 'second') },
    { key: 'first', order: 1, render: async () => h('span', {}, 'first') },
  ],
  'core.theme': [
    { key: 'fixture', theme: async (actor: { name: string }) => (actor.name === 'ada' ? 'dark' : undefined) },
  ],
};
const kit = (more: object = {}, settings: KitSettings = {}) =>
  httpKit({
    routes,
    contributions: { ...contributions, ...more },
    settings,
    islands: [{ owner: 'fixture', name: 'greet', source: pathToFileURL(source) }],
  });

describe('web: the shell', () => {
  it('has landmarks, a skip link, the navigation and the icons in use', async () => {
    const { inject } = await kit();
    const { payload, headers } = await inject('/page');
    expect(headers['set-cookie'], 'no form, no cookie').to.be.undefined();
    expect(payload, 'one byte a character').to.not.match(/[^\0-\xff]/);
    expect(payload).to.startWith('<!doctype html><html lang="en-US" data-color-mode="auto"');
    expect(payload).to.contain([
      'href="#main"',
      '<main id="main"',
      '<header',
      '<footer',
      'aria-current="page"',
      'Saved.',
      '&lt;b',
      'id="icon-repo-16"',
      'id="icon-telescope-16"',
      'id="icon-no-such-icon-16"',
      'content="&quot;x&quot; &lt;y&gt;"',
    ]);
    expect(payload).not.to.contain(['Administration', 'icon-alert-16"']);
    expect(payload.indexOf('first')).to.be.below(payload.indexOf('second'));
    expect(payload).not.to.match(/<script(?![^>]*src=)/);
  });

  it('issue 30: says at its end what the site wants', async () => {
    const endings: [object, string | undefined][] = [
      [{}, 'Powered by Mortise 9.8.7'],
      [{ SHOW_FOOTER_VERSION: false }, 'Powered by Mortise'],
      [{ SHOW_FOOTER_POWERED_BY: false }, 'Version 9.8.7'],
      [{ SHOW_FOOTER_VERSION: false, SHOW_FOOTER_POWERED_BY: false }, undefined],
    ];
    for (const [footer, text] of endings) {
      const { inject } = await kit({}, { footer });
      const { payload } = await inject('/page');
      expect(/<footer class="site-footer">(?:<span>([^<]*)<\/span>)?<a/.exec(payload)?.[1]).to.equal(text);
    }
  });

  it('follows the theme and the rights of who looks', async () => {
    const { inject } = await kit();
    const { payload } = await inject({ url: '/page', headers: as({ isAdmin: true }) });
    expect(payload).to.contain(['data-color-mode="dark"', 'Administration']);
  });

  it('serves styles and islands for good under the hash of their content', async () => {
    const { inject, workDir } = await kit();
    const { payload } = await inject('/page');
    const sheet = /href="(\/assets\/[0-9a-f]+\/mortise\.css)"/.exec(payload)![1]!;
    const script = /src="(\/assets\/[0-9a-f]+\/greet\.js)"/.exec(payload)![1]!;
    const style = await inject(sheet);
    expect([style.statusCode, style.headers['content-type']]).to.equal([200, 'text/css; charset=utf-8']);
    expect(style.headers['cache-control']).to.contain('immutable');
    expect(style.payload).to.contain(['.btn', '.Box', '--fgColor-default']);
    const packed = await inject({ url: sheet, headers: { 'accept-encoding': 'br' } });
    expect([packed.headers['content-encoding'], packed.headers.vary]).to.equal(['br', 'accept-encoding']);
    expect(brotliDecompressSync(packed.rawPayload).equals(style.rawPayload)).to.be.true();
    for (const { headers } of [style, packed]) {
      const known = { 'if-none-match': String(headers.etag), 'accept-encoding': 'br' };
      expect((await inject({ url: sheet, headers: known })).statusCode).to.equal(304);
    }
    const island = await inject(script);
    expect(island.headers['content-type']).to.contain('javascript');
    expect(island.payload).to.contain('hello island').and.not.contain('string');
    // an operator may empty the folder of what can be made again
    rmSync(join(workDir, 'cache'), { recursive: true });
    for (const path of [sheet, script, '/favicon.svg']) expect((await inject(path)).statusCode, path).to.equal(200);
    expect((await inject('/assets/0000/mortise.css')).statusCode).to.equal(404);
    expect((await inject('/assets/0000/none.js')).statusCode).to.equal(404);
  });

  it('has a menu of what can be created, and a menu for phones with the navigation and the search', async () => {
    const visible = ({ kind }: { kind: string }) => kind === 'user';
    const create = [{ key: 'thing', label: 'New thing', href: '/things/new', visible }];
    const { inject } = await kit({ 'core.createMenu': create });
    const visitor = await inject('/page');
    expect(visitor.payload).to.include('class="site-menu').and.to.not.include('/things/new');
    expect(visitor.payload.match(/href="\/explore"/g)).to.have.length(2);
    const member = await inject({ url: '/page', headers: as({ name: 'ada' }) });
    expect(member.payload).to.include(['Create new', 'href="/things/new"']);
  });

  it('has a search field that asks the first of the pages that find things', async () => {
    const targets = [
      { key: 'names', path: '/explore/things', order: 100 },
      { key: 'texts', path: '/search', order: 10 },
    ];
    const found = await (await kit({ 'core.searchTargets': targets })).inject('/page');
    expect(found.payload).to.match(/<form class="site-search"[^>]* action="\/search"/);
    expect((await (await kit()).inject('/page')).payload).to.not.contain('site-search');
  });

  it('explains its keyboard shortcuts, in every language', async () => {
    const groups = [{ key: 'code', title: 'In code', keys: [['t', 'Go to file']] }];
    const { inject } = await kit({ 'core.shortcutGroups': groups });
    expect((await inject('/page')).payload).to.include('href="/-/shortcuts"');
    expect((await inject('/-/shortcuts')).payload).to.include([
      '<kbd>Esc</kbd>',
      '<kbd>t</kbd>',
      'Go to file',
      'In code',
    ]);
    expect((await (await kit()).inject('/-/shortcuts')).payload)
      .to.include('<kbd>Esc</kbd>')
      .and.not.include('Go to file');
    const german = await inject({ url: '/-/shortcuts', headers: { 'accept-language': 'de' } });
    expect(german.payload).to.include('Tastenkürzel');
  });

  it('tells its own version at the foot of pages, and the compatible one over the API', async () => {
    const { inject } = await kit();
    expect((await inject('/page')).payload).to.match(/Mortise 9\.8\.7</);
    expect((await inject('/api/v1/version')).payload).to.equal(JSON.stringify({ version: compatibleVersion }));
  });

  it('closes menus, copies and sorts on every page with one small script that does not hold the page up', async () => {
    const { inject } = await kit();
    const { payload } = await inject('/gone');
    const address = /<script type="module" src="(\/assets\/[0-9a-f]+\/mortise\.js)">/.exec(payload)![1]!;
    const script = await inject(address);
    expect([script.statusCode, script.headers['content-type']]).to.equal([200, 'text/javascript; charset=utf-8']);
    expect(script.headers['cache-control']).to.contain('immutable');
    expect(script.payload).to.contain('Escape');
    expect(script.payload.length).to.be.below(2750);
    // another process of the site may have named it
    expect((await (await kit()).inject(address)).statusCode).to.equal(200);
  });

  it('shows errors as pages with a way home, and faults without their details', async () => {
    const server = await kit();
    const gone = await server.inject('/gone');
    expect([gone.statusCode, gone.payload.includes('Page not found'), gone.payload.includes('Home')]).to.equal([
      404,
      true,
      true,
    ]);
    const fault = await server.inject('/fault');
    expect(fault.statusCode).to.equal(500);
    expect(fault.payload).to.contain(String(fault.headers['x-request-id'])).and.not.contain('secret');
  });

  it('issue 30: leads visitors who are not signed in to the landing page that the operator chose', async () => {
    const to = async (page: string, headers = {}) => {
      const settings = { server: { LANDING_PAGE: page } };
      const { inject } = await httpKit({ settings, contributions: { 'core.authMethods': [headerAuth] } });
      const { statusCode, headers: sent } = await inject({ url: '/', headers });
      return [statusCode, sent.location];
    };
    expect(await to('home')).to.equal([200, undefined]);
    expect(await to('explore')).to.equal([303, '/explore']);
    expect(await to('login')).to.equal([303, '/user/login']);
    expect(await to('/ada/engine')).to.equal([303, '/ada/engine']);
    expect(await to('explore', as())).to.equal([200, undefined]);
    expect(defaultHttpSettings().server.LANDING_PAGE).to.equal('home');
    for (const wrong of ['//evil.example', '/\\evil.example', 'ada/engine'])
      expect(serverSettings.validate({ LANDING_PAGE: wrong }).error, wrong).to.exist();
  });

  it('has a front page of its own, with what plugins offer, until a plugin has a better one', async () => {
    const features = [
      { key: 'late', icon: 'package', title: 'Packages', text: 'Publish them.', order: 20 },
      { key: 'early', icon: 'repo', title: 'Repositories', text: 'Host them.', order: 10 },
    ];
    const plain = await (await kit({ 'core.siteFeatures': features })).inject('/');
    expect(plain.payload)
      .to.contain('class="hero"')
      .and.to.match(/Host them\.[^]*Publish them\./);
    expect((await (await kit()).inject('/')).payload).to.not.contain('Repositories');
    const homes = [
      { key: 'none', order: 1, render: () => null },
      { key: 'better', order: 2, render: () => h('h1', {}, 'Dashboard') },
    ];
    const better = await (await kit({ 'core.homePage': homes })).inject('/');
    expect(better.payload).to.contain('Dashboard').and.not.contain('class="hero"');
  });

  it('has the look of its own that lies in the work folder', async () => {
    const files = {
      'public/assets/css/site.css': 'body{background:url(../img/back.png)}',
      'public/assets/img/logo.png': 'a logo',
      'public/assets/img/favicon.svg': '<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>',
      'public/assets/img/back.png': 'a picture',
    };
    const meta = { AUTHOR: 'The "team"', DESCRIPTION: 'Code of ours', KEYWORDS: 'git,code' };
    const { inject } = await httpKit({ routes, files, settings: { meta }, rootUrl: 'http://code.example/sub' });
    const page = await inject('/sub/page');
    const address = (pattern: RegExp) => pattern.exec(page.payload)?.[1] ?? '';
    const [, head = '', body = ''] = /<head>(.*)<\/head>(.*)/s.exec(page.payload) ?? [];
    expect(head).to.contain(
      '<meta name="author" content="The &quot;team&quot;"><meta name="keywords" content="git,code">',
    );
    expect(head).to.contain('<meta name="description" content="Code of ours">');
    // after all others
    const sheet = address(/<link rel="stylesheet" href="([^"]*)"><\/head>/);
    expect(sheet).to.match(/^\/sub\/assets\/css\/site\.css\?v=[0-9a-f]{16}$/);
    const icon = address(/<link rel="icon" type="image\/svg\+xml" href="([^"]*)">/);
    const logo = address(/<img class="site-logo" src="([^"]*)" height="28" alt/);
    expect(body).to.contain('<span>Fixture</span>').and.not.contain('viewBox="0 0 32 32"');
    expect((await inject('/sub/')).payload).to.contain('height="88"');
    for (const [path, type] of [
      [sheet, 'text/css; charset=utf-8'],
      [logo, 'image/png'],
      [icon, 'image/svg+xml'],
      ['/sub/assets/img/back.png', 'image/png'],
      ['/sub/favicon.ico', 'image/svg+xml'],
      ['/sub/favicon.svg', 'image/svg+xml'],
    ] as const) {
      const answer = await inject(path);
      expect([path, answer.statusCode, answer.headers['content-type']]).to.equal([path, 200, type]);
      expect(answer.headers['cache-control']).to.equal('public, max-age=21600');
      if (!path.includes('/css/')) expect(answer.headers['content-security-policy']).to.contain('sandbox');
      const known = await inject({ url: path, headers: { 'if-none-match': String(answer.headers.etag) } });
      expect([path, known.statusCode]).to.equal([path, 304]);
    }
    const plain = await kit();
    expect(page.headers['content-security-policy']).to.equal(
      (await plain.inject('/page')).headers['content-security-policy'],
    );
    expect((await plain.inject('/page')).payload)
      .to.not.contain('name="author"')
      .and.not.contain('site.css');
  });

  it('serves the icon of the site, and answers 304 where it is known', async () => {
    const { inject } = await kit();
    const answer = await inject('/favicon.svg');
    expect([answer.statusCode, answer.headers['content-type']]).to.equal([200, 'image/svg+xml']);
    expect(
      (await inject({ url: '/favicon.ico', headers: { 'if-none-match': String(answer.headers.etag) } })).statusCode,
    ).to.equal(304);
  });
});
