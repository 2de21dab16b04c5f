// A person's first minutes in a real browser: register, make a repository, browse what was pushed, sign out.
// Time: about 27 s
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { startServer } from '../support/server.mjs';
import { launchChromium } from './chromium.mjs';

export const lab = Lab.script();
const { describe, it, before, after } = lab;
const skip = !process.env.MORTISE_TEST_CHROMIUM || process.env.MORTISE_TEST_ENGINE === 'mysql';

describe('the first steps in a browser', { timeout: 600_000, skip }, () => {
  let server;
  let browser;
  let page;

  before(async () => {
    server = await startServer({ admin: false });
    browser = await launchChromium();
    page = await browser.newPage();
  });
  after(async () => {
    await browser?.close();
    await server?.close();
  });

  it('registers; the first account becomes administrator', async () => {
    await page.goto(`${server.base}/user/sign_up`);
    await page.fill('input[name=user_name]', 'ada');
    await page.fill('input[name=email]', 'ada@example.com');
    await page.fill('input[name=password]', 'Tr1cky-passw0rd!');
    await page.fill('input[name=retype]', 'Tr1cky-passw0rd!');
    await page.click('main button[type=submit]');
    await page.waitForURL((url) => !url.pathname.endsWith('/user/sign_up'));
    const me = await server.api('GET', '/user', { as: 'ada:Tr1cky-passw0rd!' });
    expect(me.status).to.equal(200);
    expect(me.json.is_admin).to.be.true();
    expect(await page.textContent('body')).to.contain('ada');
  });

  it('makes a repository and shows how to push to it', async () => {
    await page.goto(`${server.base}/repo/create`);
    await page.fill('input[name=repo_name]', 'wheel');
    await page.click('main button[type=submit]');
    await page.waitForURL(`${server.base}/ada/wheel`);
    expect(await page.textContent('main')).to.contain('/ada/wheel.git');
  });

  it('shows what was pushed: files, README, commits, branches', async () => {
    const work = join(server.folder, 'wheel');
    mkdirSync(join(work, 'lib'), { recursive: true });
    writeFileSync(join(work, 'README.md'), '# Wheel\n\nIt *turns*.\n');
    writeFileSync(join(work, 'lib', 'turn.js'), 'export const turn = (angle) => angle % 360;\n');
    for (const args of [
      ['init', '-q', '-b', 'main'],
      ['add', '-A'],
      ['commit', '-q', '-m', 'Turn the wheel'],
      ['push', '-q', `${server.base}/ada/wheel.git`, 'main'],
    ]) {
      const run = await server.git(args, { cwd: work, as: 'ada:Tr1cky-passw0rd!' });
      expect(run.code, run.err).to.equal(0);
    }
    await page.goto(`${server.base}/ada/wheel`);
    const home = await page.textContent('main');
    expect(home).to.contain('Turn the wheel');
    expect(await page.innerHTML('main')).to.contain('<em>turns</em>');
    await page.click('main a:text-is("lib")');
    await page.click('main a:text-is("turn.js")');
    await page.waitForURL(/lib\/turn\.js$/);
    expect(await page.textContent('main')).to.contain('angle % 360');
    for (const path of [
      '/ada/wheel/commits/branch/main',
      '/ada/wheel/branches',
      '/ada/wheel/tags',
      '/ada/wheel/settings',
      '/ada/wheel/settings/hooks',
      '/user/settings',
      '/user/settings/applications',
      '/user/settings/keys',
      '/explore/repos',
      '/ada',
      '/api/swagger',
    ]) {
      const answer = await page.goto(server.base + path);
      expect(answer.status(), path).to.equal(200);
    }
  });

  it('does not scroll sideways at phone width', async () => {
    const phone = await browser.newPage({ viewport: { width: 390, height: 844 } });
    for (const path of [
      '/',
      '/ada/wheel',
      '/ada/wheel/src/branch/main/lib/turn.js',
      '/ada/wheel/commits/branch/main',
      '/user/login',
      '/explore/repos',
    ]) {
      await phone.goto(server.base + path);
      const over = await phone.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
      expect(over, path).to.be.at.most(1);
    }
    await phone.close();
  });

  it('reads without JavaScript, and pages raise no script errors', async () => {
    const context = await browser.newContext({ javaScriptEnabled: false });
    const plain = await context.newPage();
    await plain.goto(`${server.base}/ada/wheel`);
    expect(await plain.textContent('main')).to.contain('lib');
    await context.close();
    const errors = [];
    page.on('pageerror', (error) => errors.push(String(error)));
    page.on('console', (message) => message.type() === 'error' && errors.push(message.text()));
    for (const path of ['/', '/ada/wheel', '/ada/wheel/src/branch/main/lib/turn.js'])
      await page.goto(server.base + path);
    expect(errors).to.equal([]);
  });
});
