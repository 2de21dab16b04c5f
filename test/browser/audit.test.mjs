// An administrator does some things, among them changes of plugins, finds them in the audit log, and takes the log home.
// Time: about 20 s
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { startServer } from '../support/server.mjs';
import { layBadPlugin } from '../outside/bad-plugins.mjs';
import { launchChromium } from './chromium.mjs';
import { Walk } from './walk.mjs';

export const lab = Lab.script();
const { describe, it, before, after } = lab;
const skip = !process.env.MORTISE_TEST_CHROMIUM || process.env.MORTISE_TEST_ENGINE === 'mysql';

describe('the audit log in a browser', { timeout: 300_000, skip }, () => {
  let server;
  let browser;
  let walk;
  let folder;
  const filters = 'main form[role=search]:has([name=actor])';

  before(async () => {
    server = await startServer({ plugins: ['audit', 'organizations'] });
    folder = mkdtempSync(join(tmpdir(), 'mortise-audit-'));
    browser = await launchChromium();
    const context = await browser.newContext({ reducedMotion: 'reduce', acceptDownloads: true });
    walk = new Walk(await context.newPage(), server.base);
    await walk.open('/user/login');
    await walk.send('main form[action$="/user/login"]', { user_name: 'root', password: 'password' });
    for (let number = 1; number <= 60; number++)
      await server.api('POST', '/user/repos', { body: { name: `tool-${number}` } });
  });
  after(async () => {
    await browser?.close();
    await server?.close();
    rmSync(folder, { recursive: true, force: true });
  });

  const entries = () => walk.page.locator('main ul.Box > li');

  it('is searched, paged and exported', async () => {
    await walk.open('/-/admin/audit');
    await walk.send(filters, { actor: 'root', action: 'user.sign_in' });
    expect(await entries().count()).to.equal(1);
    expect(await entries().first().textContent())
      .to.include('Signed in')
      .and.to.include('127.0.0.1');
    await walk.send(filters, { action: 'repository.create', target: 'root/tool-' });
    expect(await entries().count()).to.equal(50);
    await walk.follow('main a[rel=next]');
    expect(await entries().count()).to.equal(10);
    const [download] = await Promise.all([
      walk.page.waitForEvent('download'),
      walk.page.locator('main a[href*="format=csv"]').click(),
    ]);
    expect(download.suggestedFilename()).to.equal('audit-log.csv');
    const lines = readFileSync(await download.path(), 'utf8')
      .trimEnd()
      .split('\r\n');
    expect(lines).to.have.length(61);
    expect(lines[1]).to.include('root/tool-60');
  });

  it('leads to the logs of a repository and of the account from their settings', async () => {
    await walk.open('/root/tool-1/settings');
    await walk.follow('a[href$="/settings/audit-log"]');
    expect(await entries().count()).to.equal(1);
    await walk.open('/user/settings');
    await walk.follow('a[href$="/user/settings/security-log"]');
    expect(await entries().count()).to.equal(50);
  });

  it('issue 30: a plugin is added, a purge is cancelled and tried again, and both are in the log', async () => {
    const packed = join(folder, 'plugin.tgz');
    // it does harm only where its route is asked for
    const plugin = layBadPlugin(folder, 'bad-route');
    spawnSync('tar', ['-czf', packed, '-C', folder, plugin.split('/').at(-1)]);
    const shows = (words) => walk.page.waitForSelector(`#plugin-change p[role=status]:has-text("${words}")`);
    await walk.open('/-/admin/plugins');
    await walk.send('form[action$="/install"]', { file: packed });
    // the page goes on by itself
    await shows('Waits for your confirmation');
    await walk.shows('GET /api/v1/bad-route');
    await walk.shows('sha512-');
    await walk.follow('button:text-is("Add")');
    await shows('Done');
    await walk.shows('Waits for a restart by its operator');
    // a server of one process: whoever purges waits for its restart
    await walk.open('/-/admin/plugins');
    await walk.follow('form[action$="/bad-route/purge"] button');
    await shows('Waits for your confirmation');
    await walk.unfold('details.confirm summary');
    await walk.send('details.confirm form', { typed_name: 'bad-route' });
    await walk.shows('Being carried out');
    await walk.confirm('button:text-is("Cancel the change")');
    await walk.shows('Cancelled. Made on: ');
    await walk.open('/-/admin/plugins');
    await walk.follow('a:text-is("Purge bad-route")');
    await walk.follow('button:text-is("Try again")');
    await walk.shows('Waits for your confirmation');
    await walk.follow('button:text-is("Discard")');
    await walk.open('/-/admin/audit');
    for (const words of ['Added plugin', 'Cancelled change of plugin']) await walk.shows(words);
    walk.settle();
  });
});
