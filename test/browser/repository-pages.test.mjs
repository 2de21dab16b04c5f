// Every page around repositories: at phone width, its links, and read and written without scripts.
// Time: about 70 s
//   MORTISE_TEST_FULL=1   three links of each shape are followed instead of one
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { startServer } from '../support/server.mjs';
import { launchChromium, signIn } from './chromium.mjs';
import { linksOf, overhangOf } from './page-checks.mjs';
import {
  accountPages,
  adminPages,
  keeperPages,
  organizationPages,
  repositoryPages,
  runPages,
  sitePages,
} from './pages.mjs';
import { grace, long, seed } from './seed.mjs';
import { Walk } from './walk.mjs';

export const lab = Lab.script();
const { describe, it, before, after } = lab;
// What pages look like does not hang on the database.
const skip = !process.env.MORTISE_TEST_CHROMIUM || process.env.MORTISE_TEST_ENGINE === 'mysql';
const home = '/root/wheel';
/** Links that differ by a commit or a number alone. */
const maxOfShape = process.env.MORTISE_TEST_FULL ? 3 : 1;

/** Of links that differ only by a commit or a line some are enough; archives are made for each, and tested elsewhere. */
function fewOf(links) {
  const shapes = new Map();
  return links.filter((link) => {
    if (/\/archive\/|\/user\/logout$/.test(link)) return false;
    // The switcher goes to the same path of other branches, which need not have it.
    if (/\/(src|blame)\/(branch|tag)\//.test(link) && link.endsWith(long.file) && !link.includes(long.branch))
      return false;
    const shape = link.replace(/[0-9a-f]{40}/g, '*').replace(/\d+$/, '*');
    shapes.set(shape, (shapes.get(shape) ?? 0) + 1);
    return shapes.get(shape) <= maxOfShape;
  });
}

/** The text of the heading in what a server sent. */
const headingOf = (html) =>
  /<h1\b[^>]*>(.*?)<\/h1>/s
    .exec(html)?.[1]
    .replace(/<[^>]*>/g, '')
    .trim() ?? '';

describe('every page around repositories', { timeout: 600_000, skip }, () => {
  let server;
  let browser;
  let facts;
  const links = new Set();

  const open = async (who, options) => {
    const context = await browser.newContext({ viewport: { width: 1280, height: 900 }, ...options });
    const walk = new Walk(await context.newPage(), server.base);
    if (who) await signIn(walk.page, server.base, who);
    return walk;
  };

  before(async () => {
    server = await startServer({
      settings: { MORTISE__security__DISABLE_GIT_HOOKS: 'false', MORTISE__quota__ENABLED: 'true' },
    });
    facts = await seed(server);
    browser = await launchChromium();
  });
  after(async () => {
    await browser?.close();
    await server?.close();
  });

  it('fits a phone, names its parts, and raises no errors', async () => {
    const walk = await open('root:password', { viewport: { width: 390, height: 844 }, isMobile: true });
    const pages = [
      ...sitePages('root'),
      ...accountPages(),
      ...organizationPages(),
      ...adminPages(),
      ...repositoryPages(home, facts),
      ...keeperPages(home, facts),
      ...runPages(facts),
      `${home}/settings/git-hooks`,
      '/root/empty',
      '/grace/wheel',
    ];
    for (const path of pages) {
      await walk.open(path);
      const overhang = await overhangOf(walk.page);
      if (overhang) walk.complaints.push(`${path}: ${overhang}`);
      for (const link of await linksOf(walk.page, server.base)) links.add(link);
    }
    walk.settle();
    const dead = [];
    const rest = fewOf([...links].filter((link) => !pages.includes(link.slice(server.base.length))));
    expect(rest.length).to.be.above(150);
    await Promise.all(
      Array.from({ length: 4 }, async () => {
        for (let link = rest.pop(); link; link = rest.pop()) {
          const answer = await walk.page.request.fetch(link, { method: 'HEAD', maxRedirects: 0 });
          if (answer.status() >= 400) dead.push(`${answer.status()} ${link.slice(server.base.length)}`);
        }
      }),
    );
    expect(dead).to.equal([]);
    await walk.page.context().close();
  });

  it('unfolds its menus within a phone', async () => {
    const walk = await open('root:password', { viewport: { width: 390, height: 844 }, isMobile: true });
    for (const [path, menu] of [
      [home, '.code-clone summary'],
      [home, 'summary:has-text("Add file")'],
      [home, 'summary:has(> [title=main])'],
      [`${home}/branches`, 'summary:text-is("New branch")'],
      [`${home}/branches`, 'summary[aria-label="Rename topic"]'],
      [`${home}/tags`, 'summary:text-is("New tag")'],
      [`${home}/commits/branch/topic`, 'summary[aria-label^="Checks:"]'],
      [`${home}/settings`, 'summary:text-is("External issue tracker")'],
      [`${home}/releases/new`, 'summary:text-is("Tag message")'],
      ['/', 'header summary'],
    ]) {
      await walk.open(path);
      await walk.unfold(menu);
      expect(await overhangOf(walk.page), `${path} ${menu}`).to.be.undefined();
    }
    walk.settle();
    await walk.page.context().close();
  });

  it('is read by anybody without scripts', async () => {
    const walk = await open(undefined, { javaScriptEnabled: false });
    for (const [at, path] of [...sitePages('root'), ...repositoryPages(home, facts)].entries()) {
      const sent = await walk.page.request.get(server.base + path);
      expect(sent.status(), path).to.equal(200);
      expect(headingOf(await sent.text()).length, path).to.be.above(0);
      // that what is sent is shown as well is up to the frame around all pages
      if (at % 5 !== 0) continue;
      await walk.page.goto(server.base + path);
      expect((await walk.text('h1')).length, path).to.be.above(0);
    }
    await walk.page.goto(`${server.base}${home}/settings`);
    expect(walk.path).to.startWith('/user/login');
    await walk.page.context().close();
  });

  it('is written without scripts', async () => {
    const walk = await open('root:password', { javaScriptEnabled: false });
    // Script in the page is what looks it over, so here only what it shows counts.
    walk.look = () => {};
    for (const path of [...accountPages(), ...keeperPages(home, facts)]) {
      const answer = await walk.page.request.get(server.base + path);
      expect(answer.status(), path).to.equal(200);
    }
    await walk.open('/repo/create');
    await walk.send('main form', { repo_name: 'plain', auto_init: true });
    expect(walk.path).to.equal('/root/plain');
    await walk.unfold('summary:has-text("Add file")');
    await walk.follow('a:text-is("New file")');
    await walk.send('main form', { path: 'notes/one.md', content: 'By *hand*\n' }, 'button[value=preview]');
    await walk.shows('By hand', 'section[aria-label=Preview]');
    await walk.send('main form', { target: 'branch', newBranch: 'notes' }, 'button[value=save]');
    expect(walk.path).to.equal('/root/plain/compare/main...notes');
    const upload = join(server.folder, 'plain.txt');
    writeFileSync(upload, 'Plain.\n');
    await walk.open('/root/plain/_upload/main');
    await walk.send('main form[enctype]', { file: upload });
    await walk.shows('plain.txt');
    await walk.open('/root/plain/branches');
    await walk.follow('button[aria-label="Delete notes"]');
    await walk.follow('button:text-is("Restore")');
    await walk.open('/root/plain/tags');
    await walk.unfold('summary:text-is("New tag")');
    await walk.send('form[action$="/tags/new"]', { name: 'v1', target: 'main' });
    await walk.open('/root/plain/find?q=plain');
    await walk.shows('plain.txt');
    await walk.open('/root/plain/search?q=Plain');
    await walk.shows('plain.txt');
    await walk.open('/root/plain/compare?base=main&head=notes');
    await walk.shows('one.md');
    await walk.open('/root/plain/releases/new');
    await walk.send(
      'main form',
      { tag_name: 'v1', title: 'First', note: 'Notes', files: upload },
      'button[value=publish]',
    );
    await walk.shows('plain.txt');
    await walk.open('/root/plain/wiki/_new');
    await walk.send('main form', { title: 'Home', content: 'A *wiki*' }, 'button[value=save]');
    await walk.shows('A wiki');
    await walk.open('/root/plain/settings');
    await walk.send('form:has([value=update])', { description: 'Plain forms', topics: 'plain' });
    await walk.open('/root/plain/settings/branches/new');
    await walk.send('form:has([name=rule_name])', { rule_name: 'main', push: 'all' });
    await walk.shows('main');
    await walk.open('/root/plain');
    await walk.shows('Plain forms', 'aside');
    await walk.follow('button:has-text("Star")');
    expect(await walk.count('button:has-text("Unstar")')).to.equal(1);
    await walk.open('/root/plain/settings');
    await walk.send('form:has([value=delete])', { confirm: 'plain' });
    expect((await walk.page.request.get(`${server.base}/root/plain`)).status()).to.equal(404);
    await walk.page.context().close();
  });

  it('shows a guest only what a guest may do', async () => {
    const walk = await open(undefined);
    await walk.open(home);
    expect(await walk.count('summary:has-text("Add file")')).to.equal(0);
    expect(await walk.count('nav[aria-label=Repository] a:has-text("Settings")')).to.equal(0);
    walk.settle();
    await walk.page.context().close();
    const hers = await open(grace);
    await hers.open(home);
    expect(await hers.count('summary:has-text("Add file")')).to.equal(1);
    await hers.open(`${home}/settings`, 403);
    hers.settle();
    await hers.page.context().close();
  });
});
