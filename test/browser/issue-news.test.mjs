// Open pages of issues and pull requests say what is new, and show it without losing what somebody writes.
// Time: about 15 s
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { startServer } from '../support/server.mjs';
import { launchChromium, signIn } from './chromium.mjs';

export const lab = Lab.script();
const { describe, it, before, after } = lab;
const skip = !process.env.MORTISE_TEST_CHROMIUM || process.env.MORTISE_TEST_ENGINE === 'mysql';

const password = 'Tr1cky-passw0rd!';
const home = '/repos/ada/wheel';
const pictures = process.env.MORTISE_PICTURES;

describe('what is new on open pages', { timeout: 600_000, skip }, () => {
  let server;
  let browser;
  let page;
  const call = async (method, path, body, as = 'root:password') => {
    const answer = await server.api(method, path, { body, as });
    expect(answer.status, answer.text).to.be.below(300);
    return answer.json;
  };
  const [ada, ben] = ['ada', 'ben'].map((name) => `${name}:${password}`);
  before(async () => {
    server = await startServer();
    for (const username of ['ada', 'ben'])
      await call('POST', '/admin/users', {
        username,
        email: `${username}@example.com`,
        password,
        must_change_password: false,
      });
    await call('POST', '/user/repos', { name: 'wheel', auto_init: true, default_branch: 'main' }, ada);
    await call('PUT', `${home}/collaborators/ben`, { permission: 'write' }, ada);
    await call('POST', `${home}/issues`, { title: 'The tyre is missing' }, ada);
    const content = Buffer.from('rim\n').toString('base64');
    const file = { content, message: 'Name the parts', branch: 'main', new_branch: 'parts' };
    await call('POST', `${home}/contents/parts.txt`, file, ada);
    await call('POST', `${home}/pulls`, { title: 'Name the parts', base: 'main', head: 'parts' }, ada);
    browser = await launchChromium();
    page = await (await browser.newContext({ reducedMotion: 'reduce' })).newPage();
    await signIn(page, server.base, ada);
  });
  after(async () => {
    await browser?.close();
    await server?.close();
  });
  const button = '#issue-news button';
  const open = async (path) => {
    await page.goto(`${server.base}/ada/wheel/${path}`);
    await page.waitForFunction(() => performance.now() > 0);
  };
  const picture = async (name) => {
    if (!pictures) return;
    mkdirSync(pictures, { recursive: true });
    for (const [look, size, colorScheme] of [
      ['light', 1280, 'light'],
      ['dark', 1280, 'dark'],
      ['phone', 390, 'light'],
    ]) {
      await page.setViewportSize({ width: size, height: 900 });
      await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
      await page.screenshot({ path: join(pictures, `${name}-${look}.png`) });
    }
    await page.setViewportSize({ width: 1280, height: 900 });
  };

  it('comments on an issue, while somebody writes one', async () => {
    await open('issues/1');
    await page.fill('#comment-body', 'half a thought');
    await call('POST', `${home}/issues/1/comments`, { body: 'I have it' }, ben);
    await page.waitForSelector(`${button}:text("1 new comment")`);
    await picture('issue');
    await page.click(button);
    await page.waitForSelector('article:has-text("I have it")');
    expect(await page.inputValue('#comment-body')).to.equal('half a thought');
    expect(await page.$(button)).to.be.null();
    expect((await page.$$('article.issue-comment')).length).to.equal(2);
    // one's own stand there already
    await Promise.all([page.waitForNavigation(), page.click('#comment-form button[value=comment]')]);
    await call('POST', `${home}/issues/1/comments`, { body: 'the last word' }, ben);
    const bar = await page.waitForSelector(button);
    expect(await bar.textContent()).to.equal('1 new comment · Show');
  });

  it('what was said before the page could hear of it', async () => {
    // the page is made, and its script that listens comes only after somebody has answered
    let said;
    const scripts = '**/assets/islands/push*';
    await page.context().route(scripts, async (route) => {
      said ??= call('POST', `${home}/issues/1/comments`, { body: 'said early' }, ben);
      await said;
      await route.continue();
    });
    await open('issues/1');
    const bar = await page.waitForSelector(button);
    expect(await bar.textContent()).to.equal('1 new comment · Show');
    await page.context().unroute(scripts);
  });

  it('a review of a pull request', async () => {
    await open('pulls/2');
    await call('POST', `${home}/pulls/2/reviews`, { event: 'COMMENT', body: 'Looks round' }, ben);
    await page.waitForSelector(button);
    await picture('pull');
    await page.click(button);
    await page.waitForSelector('.issue-event:has-text("Looks round")');
    expect(await page.isVisible('#merge-box')).to.be.true();
  });
});
