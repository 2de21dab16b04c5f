// Live counts in two tabs over one connection, and what pages do without one.
// Time: about 17 s
import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { startServer } from '../support/server.mjs';
import { launchChromium, signIn } from './chromium.mjs';

export const lab = Lab.script();
const { describe, it, before, after } = lab;
const skip = !process.env.MORTISE_TEST_CHROMIUM || process.env.MORTISE_TEST_ENGINE === 'mysql';

const ben = { username: 'ben', email: 'ben@example.com', password: 'long enough', must_change_password: false };
const bell = '[data-notifications]';

describe('live counts in the browser', { timeout: 600_000, skip }, () => {
  let server;
  let browser;
  let context;
  before(async () => {
    server = await startServer({
      // a second connection of the same account would be refused
      settings: { MORTISE__ui_0X2E_notification__MIN_TIMEOUT: '1s', MORTISE__websocket__MAX_PER_ACCOUNT: '1' },
    });
    expect((await server.api('POST', '/admin/users', { body: ben })).status).to.equal(201);
    expect((await server.api('POST', '/user/repos', { body: { name: 'desk' } })).status).to.equal(201);
    browser = await launchChromium();
    context = await browser.newContext();
    context.setDefaultTimeout(30_000);
  });
  after(async () => {
    await browser?.close();
    await server?.close();
  });

  const write = async (title) => {
    const authorization = `Basic ${Buffer.from('ben:long enough').toString('base64')}`;
    const answer = await fetch(`${server.base}/api/v1/repos/root/desk/issues`, {
      method: 'POST',
      headers: { authorization, 'content-type': 'application/json' },
      body: JSON.stringify({ title }),
    });
    expect(answer.status).to.equal(201);
  };
  /** Holds the scripts of push back on this page, until what it gives is called. */
  const held = async (page) => {
    let goOn;
    const may = new Promise((resolve) => (goOn = resolve));
    await page.route(/\/push\.js$/, (route) => may.then(() => route.continue()));
    return goOn;
  };
  const shows = (page, count) => page.waitForSelector(`[data-notifications="${count}"]`);

  it('PSH-04, PSH-07: two tabs share a connection and show what is new; PSH-09: a sign-out leads both away', async () => {
    const [one, two] = [await context.newPage(), await context.newPage()];
    await signIn(one, server.base, 'root:password');
    const [releaseOne, releaseTwo] = [await held(one), await held(two)];
    await one.goto(`${server.base}/notifications`, { waitUntil: 'commit' });
    await two.goto(`${server.base}/explore/repos`, { waitUntil: 'commit' });
    for (const page of [one, two]) expect(await page.getAttribute(bell, 'data-notifications')).to.equal('0');
    await write('first');
    // what came before the connection, and what came after it before this page
    releaseOne();
    await shows(one, 1);
    expect(await one.getAttribute(bell, 'aria-label')).to.equal('1 unread notification');
    expect(await two.getAttribute(bell, 'data-notifications')).to.equal('0');
    releaseTwo();
    await shows(two, 1);
    await write('second');
    await Promise.all([shows(one, 2), shows(two, 2)]);
    expect(await two.textContent(`${bell} [data-unread]`)).to.equal('2');
    expect(await two.getAttribute(bell, 'aria-label')).to.equal('2 unread notifications');
    for (const page of [one, two]) expect(await page.getAttribute('html', 'data-push')).to.be.null();
    await one.reload();
    await one.click('text=Mark all as read');
    await shows(two, 0);
    await one.goto(`${server.base}/`);
    await one.evaluate(() => document.querySelector('form[action$="/user/logout"]').submit());
    await Promise.all([one.waitForSelector('a[href="/user/login"]'), two.waitForURL(`${server.base}/`)]);
    await Promise.all([one.close(), two.close()]);
  });

  it('shows each account its own number, and on the way back the last one', async () => {
    const own = await browser.newContext();
    const [hers, his] = [await own.newPage(), await own.newPage()];
    await signIn(hers, server.base, 'root:password');
    await write('seen by root alone');
    await hers.goto(`${server.base}/explore/repos`);
    await shows(hers, 1);
    await hers.goto(`${server.base}/explore/users`);
    await his.goto(`${server.base}/explore/repos`);
    await write('while root looks elsewhere');
    await shows(hers, 2);
    await hers.goBack();
    await shows(hers, 2);
    // another signs in, though nobody signed out
    await own.clearCookies();
    await signIn(his, server.base, 'ben:long enough');
    await his.goto(`${server.base}/explore/repos`);
    await his.waitForSelector('html[data-listening]');
    await his.reload();
    await his.waitForSelector('html[data-listening]');
    expect(await his.getAttribute(bell, 'data-notifications')).to.equal('0');
    await own.close();
    await server.api('PUT', '/notifications');
  });

  it('PSH-10, PSH-11, LIM-04: pages ask by themselves after three failed attempts, and hear again once it is back', async () => {
    const away = await browser.newContext();
    await away.addInitScript(() => {
      // as in browsers that have none
      if (location.search === '?alone') delete globalThis.SharedWorker;
    });
    away.setDefaultTimeout(60_000);
    const page = await away.newPage();
    await signIn(page, server.base, 'root:password');
    await page.goto(`${server.base}/explore/repos?alone`);
    await write('asked for');
    await shows(page, 1);
    await page.goto(`${server.base}/explore/repos`);
    await server.stop();
    await page.waitForSelector('html[data-push="push-unavailable"]');
    await server.start();
    await page.waitForSelector('html[data-push="push-available"]');
    await write('heard of');
    await shows(page, 2);
    await away.close();
  });
});
