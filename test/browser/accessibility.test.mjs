// axe finds nothing on any page, at both widths and in both themes, and every route of a page is looked at: one that is
// added later fails here until `pages.mjs` names a page of it, or `unseen` says why there is none.
//   MORTISE_TEST_FULL=1   three pages of a route instead of one, and at 390 pixels all rules instead of those about sizes
// Time: about 150 s
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from '@hapi/code';
import * as Lab from '@hapi/lab';
import { createHost } from '@mortise/core';
import { pluginNames } from '../support/plugin-names.mjs';
import { startServer } from '../support/server.mjs';
import { axe } from './axe.mjs';
import { launchChromium, signIn } from './chromium.mjs';
import { linksOf, settled } from './page-checks.mjs';
import {
  accountPages,
  adminPages,
  keeperPages,
  mailPages,
  organizationPages,
  repositoryPages,
  runPages,
  sitePages,
  pageSettings,
} from './pages.mjs';
import { seed } from './seed.mjs';

export const lab = Lab.script();
const { describe, it, before, after } = lab;

/** WCAG 2.2 AA and what axe holds for good practice. */
const everything = { type: 'tag', values: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'] };
/** What differs by theme. */
const colours = { type: 'rule', values: ['color-contrast', 'link-in-text-block'] };
const wide = { width: 1280, height: 900 };
const narrow = { width: 390, height: 844 };
/** Half of axe's time goes into the contrast of texts, which have the same colours at both widths. */
const withoutContrast = { 'color-contrast': { enabled: false } };
/** Another font as to its measures: the boxes of inline links are as tall as tall fonts make them, and may meet. */
const tallFont = `@font-face{font-family:Tall;src:local("DejaVu Sans");ascent-override:110%;descent-override:30%;line-gap-override:0%}
*,.text-mono{font-family:Tall!important}`;
const isFull = Boolean(process.env.MORTISE_TEST_FULL);
/** Those that depend on sizes. */
const sizes = { type: 'rule', values: ['target-size', 'scrollable-region-focusable'] };
/** The address that is open is the same for all of these: a page is loaded once. */
const looks = [
  ['1280 px, light', wide, 'light', { runOnly: everything }],
  ['1280 px, dark', wide, 'dark', { runOnly: colours }],
  // of each route one page: what is shown at which width is decided by how a page is built
  [
    '390 px, light',
    narrow,
    'light',
    isFull ? { runOnly: everything, rules: withoutContrast } : { runOnly: sizes },
    'first',
  ],
  // W: targets keep their size whatever font a machine has; last, because the font stays
  ['390 px, a tall font', narrow, 'light', { runOnly: { type: 'rule', values: ['target-size'] } }, 'first', tallFont],
];
/** Pages that are looked at beside each other. */
const tabs = 3;
/** Of one route: they differ by what they show, not by how they are built. */
const maxPagesOfRoute = isFull ? 3 : 1;
/** `MORTISE_TEST_PAGES=/root/wheel,/explore/repos`: these alone. */
const only = process.env.MORTISE_TEST_PAGES?.split(',');

/** Routes of pages without a page that could be looked at here, with the reason. */
const unseen = {
  '/explore': 'leads to another page',
  '/notifications/new': 'a number for a script',
  '/notifications/unsubscribe/{token}': 'needs the link of a mail',
  '/-/markup/diagram': 'a frame for pictures',
  '/-/palette': 'a part for a script: test/browser/palette',
  '/-/palette/items': 'the same',
  '/user/settings/replies/menu': 'a part for a script: test/browser/markdown-editor',
  '/user/settings/replies/{id}': 'the form of /user/settings/replies with what was written before',
  '/{owner}/{repo}/milestones/export': 'bytes',
  '/-/admin/audit/export': 'bytes',
  '/user/settings/security-log/export': 'bytes',
  '/{owner}/{repo}/settings/audit-log/export': 'bytes',
  '/org/{org}/settings/audit-log/export': 'bytes',
  '/{owner}/{repo}/pulls/{index}/merge-box': 'a part of the page of a pull request',
  '/user/two_factor': 'for people who are signing in: test/browser/two-factor',
  '/user/webauthn': 'the same',
  '/user/login/passkey': 'the same',
  '/user/link_account': 'for people who come from a provider: test/browser/providers',
  '/user/oauth2_activate': 'the same',
  '/user/oauth2/{source}': 'leads to a provider',
  '/user/oauth2/{source}/callback': 'comes from a provider',
  '/user/saml/{source}': 'leads to a provider',
  '/user/saml/{source}/callback': 'comes from a provider',
  '/user/saml/{source}/sign-out': 'leads to a provider',
  '/user/saml/{source}/logout': 'comes from a provider',
  '/user/settings/linked_accounts/go': 'leads to a provider',
  '/captcha/{token}': 'a picture',
  '/{owner}/{repo}/tree-list/{rest*}': 'a list for a script',
  '/{owner}/{repo}/suggestions': 'the same',
  '/{owner}/{repo}/issues/{index}/news': 'the same',
  '/{owner}/{repo}/wiki/raw/{path*}': 'bytes',
  '/{owner}/-/packages/{type}/{name}/{version}/files/{file}': 'bytes',
  '/{owner}/{repo}/releases/latest': 'leads to a release',
  '/org/{org}/dashboard': 'leads to the activity of the organization',
  '/org/invite/{token}': 'needs the link of a mail',
  '/{owner}/{repo}/migration': 'needs an import that goes on: plugins/migrations/test/pages',
  '/{owner}/{repo}/generate': 'needs a template',
  '/{owner}/{repo}/settings/git-hooks': 'switched off unless the operator wants it',
  '/{owner}/{repo}/settings/lfs/objects/{oid}': 'bytes',
  '/{owner}/{repo}/actions/runs/{run}/logs': 'bytes',
  '/{owner}/{repo}/actions/runs/{run}/jobs/{job}/logs': 'bytes',
  '/{owner}/{repo}/actions/runs/{run}/workflow': 'leads to a file',
  '/{owner}/{repo}/actions/runs/{run}/artifacts/{name}': 'bytes',
  '/{owner}/{repo}/actions/workflow-dispatch-inputs': 'a list for a script',
  '/{owner}/{repo}/actions/workflows/{file}/badge.svg': 'a picture',
  '/{owner}/{repo}/settings/actions/runners/{id}': 'the same page as that of the site',
  '/user/settings/actions/runners/{id}': 'the same',
  '/org/{org}/settings/actions/runners/{id}': 'the same',
  '/-/admin/hooks/default/{id}/deliveries/{delivery}': 'default webhooks deliver nothing',
};

/** Parts of a path in the order in which the router prefers them: words, parameters, the rest. */
const rank = (segment) => (segment.startsWith('{') ? (segment.includes('*') ? 2 : 1) : 0);

/** The route that answers a path. */
function routeOf(paths, path) {
  const wanted = path.replace(/\?.*/, '').split('/').slice(1);
  const isMatch = (route) => {
    const parts = route.split('/').slice(1);
    return (
      parts.every((part, at) => (rank(part) === 0 ? part === wanted[at] : rank(part) === 2 || wanted[at])) &&
      (parts.length === wanted.length || (rank(parts.at(-1)) === 2 && wanted.length >= parts.length - 1))
    );
  };
  const ranks = (route) => route.split('/').slice(1).map(rank).join('');
  return paths.filter(isMatch).sort((one, other) => (ranks(one) < ranks(other) ? -1 : 1))[0];
}

/** GET routes of pages, of all plugins. */
async function pageRoutes() {
  const folder = mkdtempSync(join(tmpdir(), 'mortise-routes-'));
  const host = await createHost({
    workDir: folder,
    environment: {},
    plugins: pluginNames(),
    settings: {
      server: { HTTP_PORT: 0 },
      security: { SECRET_KEY: 'ab'.repeat(32) },
      mailer: { ENABLED: true, PROTOCOL: 'dummy' },
      service: { REGISTER_EMAIL_CONFIRM: true },
      quota: { ENABLED: true },
    },
    logLevel: 'none',
  });
  try {
    return host
      .routes()
      .map(({ value }) => value)
      .filter(
        ({ method, path, surface }) => method === 'GET' && (surface ?? 'page') === 'page' && !path.startsWith('/api'),
      )
      .map(({ path }) => path);
  } finally {
    await host.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

/** What further pages need: a package, a rule for tags, a change of plugins, and webhooks with deliveries. */
async function seedMore(server) {
  const call = async (method, path, body) => {
    const answer = await server.api(method, path, { body, as: 'root:password' });
    if (answer.status >= 400) throw new Error(`${method} ${path}: ${answer.status} ${answer.text}`);
    return answer.json;
  };
  const config = { url: 'http://127.0.0.1:9/x', content_type: 'json' };
  const hook = { type: 'mortise', config, events: ['push'], active: true };
  await call('POST', '/repos/root/wheel/tag_protections', { name_pattern: 'v*', whitelist_usernames: ['root'] });
  for (const { id } of await call('GET', '/repos/root/wheel/hooks'))
    await call('PATCH', `/repos/root/wheel/hooks/${id}`, { active: true });
  await call('POST', '/user/hooks', hook);
  await call('POST', '/orgs/works/hooks', { ...hook, events: ['push'] });
  await call('POST', '/admin/hooks', { ...hook, config: { ...config, is_system_webhook: 'true' } });
  await call('POST', '/admin/hooks', hook);
  const content = Buffer.from('delivered').toString('base64');
  await call('POST', '/repos/works/engine/contents/DELIVERED', { content, message: 'Deliver' });
  await call('POST', '/repos/root/wheel/contents/DELIVERED', { content, message: 'Deliver', branch: 'main' });
  const authorization = `Basic ${Buffer.from('root:password').toString('base64')}`;
  const url = `${server.base}/api/packages/root/generic/tool/1.0/tool.txt`;
  const sent = await fetch(url, { method: 'PUT', headers: { authorization }, body: 'A tool' });
  if (!sent.ok) throw new Error(`package: ${sent.status}`);
  const body = new FormData();
  body.set('file', new Blob(['no package']), 'broken.tgz');
  const proposed = await fetch(`${server.base}/api/v1/admin/plugins/files`, {
    method: 'POST',
    headers: { authorization },
    body,
  });
  if (proposed.status !== 202) throw new Error(`plugin: ${proposed.status} ${await proposed.text()}`);
  return { pluginChange: (await proposed.json()).id };
}

/** Applications that only pages can make. */
async function seedApplications(browser, base) {
  const context = await browser.newContext();
  const page = await context.newPage();
  await signIn(page, base, 'root:password');
  for (const path of ['/org/works/settings/applications', '/-/admin/applications']) {
    await page.goto(base + path);
    const form = page.locator('form:has([name="redirect_uris"])');
    await form.locator('[name="name"]').fill('Reader');
    await form.locator('[name="redirect_uris"]').fill('https://reader.example/back');
    await form.locator('button[type="submit"]').click();
    await page.getByText('Reader').first().waitFor();
  }
  await context.close();
}

describe('axe', { timeout: 1_800_000 }, () => {
  let server;
  let browser;
  let pages;
  let routes;
  /** Routes that were looked at. */
  const seen = new Set();

  before(async () => {
    routes = await pageRoutes();
    server = await startServer({ settings: pageSettings });
    const facts = await seed(server);
    const { pluginChange } = await seedMore(server);
    pages = only ?? [
      ...sitePages('root'),
      ...accountPages(),
      ...organizationPages(),
      ...adminPages(),
      ...mailPages(),
      ...repositoryPages('/root/wheel', facts),
      ...keeperPages('/root/wheel', facts),
      ...runPages(facts),
      '/root/empty',
      `/-/admin/plugins/changes/${pluginChange}`,
      // linked where there are many
      '/root/-/packages/versions/generic/tool',
      '/no/such/page',
    ];
    browser = await launchChromium();
    if (!only) await seedApplications(browser, server.base);
  });
  after(async () => {
    await browser?.close();
    await server?.close();
  });

  /** What axe finds on these pages: rule, page, element. */
  async function findings(paths, who) {
    const context = await browser.newContext({ viewport: wide, bypassCSP: true, reducedMotion: 'reduce' });
    await context.addInitScript(axe);
    if (who) {
      const page = await context.newPage();
      await signIn(page, server.base, who);
      await page.close();
    }
    const found = [];
    const firsts = new Set();
    const counts = new Map();
    const rest = paths.filter((path) => {
      const route = routeOf(routes, path);
      if (route in unseen) return false;
      counts.set(route, (counts.get(route) ?? 0) + 1);
      seen.add(route);
      return only || counts.get(route) <= maxPagesOfRoute;
    });
    const work = async () => {
      const page = await context.newPage();
      for (let path = rest.shift(); path !== undefined; path = rest.shift()) {
        const route = routeOf(routes, path);
        const isFirst = !firsts.has(route);
        firsts.add(route);
        await page.setViewportSize(wide);
        await page.emulateMedia({ colorScheme: 'light' });
        await settled(page, () => page.goto(server.base + path));
        // routes with numbers in them are found as people find them
        for (const link of only ? [] : await linksOf(page, server.base)) {
          const further = link.slice(server.base.length);
          const other = routeOf(routes, further);
          if (!other || seen.has(other) || other in unseen) continue;
          seen.add(other);
          rest.push(further);
        }
        // what is skipped until it is scrolled to has no sizes yet
        await settled(page, () => page.addStyleTag({ content: '*{content-visibility:visible!important}' }));
        for (const [look, size, colorScheme, options, ofRoute, style] of looks) {
          if (ofRoute === 'first' && !isFirst) continue;
          if (style) await settled(page, () => page.addStyleTag({ content: style }));
          if (page.viewportSize().width !== size.width) await page.setViewportSize(size);
          await page.emulateMedia({ colorScheme });
          const violations = await settled(page, () =>
            page.evaluate(async (asked) => {
              // styles and pictures are of this site: nothing is to be fetched for the rules
              const more = { resultTypes: ['violations'], preload: false };
              const result = await globalThis.axe.run(document, { ...asked, ...more });
              return result.violations.map(({ id, nodes }) => [id, nodes.map(({ html }) => html.slice(0, 160))]);
            }, options),
          );
          for (const [id, nodes] of violations)
            found.push(`${path} (${look}): ${id} (${nodes.length}) ${nodes.slice(0, 3).join(' ')}`);
        }
      }
    };
    await Promise.all(Array.from({ length: tabs }, work));
    await context.close();
    return found.sort();
  }

  it('finds nothing on the pages of who is signed in', async () => {
    expect(await findings(pages, 'root:password')).to.equal([]);
  });

  it('finds nothing on what visitors see', async () => {
    const open = [
      ...mailPages().slice(0, 3),
      '/user/activate',
      '/',
      '/user/login',
      '/user/sign_up',
      '/explore/repos',
      '/root/wheel',
      '/root?tab=activity',
    ];
    expect(await findings(only ? [] : open)).to.equal([]);
  });

  it('has looked at every route of a page', { skip: Boolean(only) }, () => {
    expect(routes.length).to.be.above(100);
    expect(routes.filter((path) => !seen.has(path) && !(path in unseen))).to.equal([]);
    // what is excused is there
    expect(Object.keys(unseen).filter((path) => !routes.includes(path))).to.equal([]);
  });
});
