// An administrator does some things, finds them in the audit log, and takes the log home.
// Time: about 10 s
import { readFileSync } from 'node:fs';
import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { startServer } from '../support/server.mjs';
import { launchChromium } from './chromium.mjs';
import { Walk } from './walk.mjs';

export const lab = Lab.script();
const { describe, it, before, after } = lab;
const skip = !process.env.MORTISE_TEST_CHROMIUM || process.env.MORTISE_TEST_ENGINE === 'mysql';

describe('the audit log in a browser', { timeout: 300_000, skip }, () => {
  let server;
  let browser;
  let walk;
  const filters = 'main form[role=search]:has([name=actor])';

  before(async () => {
    server = await startServer({ plugins: ['audit', 'organizations'] });
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
});
