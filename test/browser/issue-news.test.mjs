// Open pages of issues and pull requests say what is new, and show it without losing what somebody writes; and what
// scripts do for those who write: files, tasks, completion, previews, choosing many.
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

  // by the keyboard and the clipboard of a person: the same events with the same data
  const give = (kind, files) =>
    page.evaluate(
      ([name, given]) => {
        const data = new globalThis.DataTransfer();
        for (const [file, type] of given) data.items.add(new globalThis.File(['content of it'], file, { type }));
        const event =
          name === 'paste'
            ? new globalThis.ClipboardEvent('paste', { clipboardData: data, bubbles: true, cancelable: true })
            : new globalThis.DragEvent('drop', { dataTransfer: data, bubbles: true, cancelable: true });
        document.querySelector('#comment-body').dispatchEvent(event);
        return event.defaultPrevented;
      },
      [kind, files],
    );

  it('files that are pasted and dropped go with the comment, and the text leads to them', async () => {
    await call('POST', `${home}/issues`, { title: 'With pictures' }, ada);
    await open('issues/3');
    await page.fill('#comment-body', 'See ');
    expect(await give('paste', [['image.png', 'image/png']])).to.be.true();
    expect(
      await give('drop', [
        ['image.png', 'image/png'],
        ['notes.txt', 'text/plain'],
      ]),
    ).to.be.true();
    expect(await page.inputValue('#comment-body')).to.equal(
      'See ![image.png](attachment:image.png)\n![image-2.png](attachment:image-2.png)\n[notes.txt](attachment:notes.txt)\n',
    );
    await picture('files');
    await Promise.all([page.waitForNavigation(), page.click('#comment-form button[value=comment]')]);
    const [said] = await call('GET', `${home}/issues/3/comments`, undefined, ada);
    expect(said.assets.map(({ name }) => name)).to.equal(['image.png', 'image-2.png', 'notes.txt']);
    expect(said.body).to.not.include('attachment:').and.to.include(said.assets[1].uuid);
    // text that is pasted stays text
    expect(await give('paste', [])).to.be.false();
  });

  it('tasks are ticked in place, one after the other, and others find them ticked', async () => {
    await call('POST', `${home}/issues`, { title: 'To do', body: '- [ ] rim\n- [x] hub\n- [ ] tyre' }, ada);
    await open('issues/4');
    const boxes = page.locator('[data-tasks] .task-list-item input[type=checkbox]');
    for (const at of [0, 1, 2]) {
      const answer = page.waitForResponse((one) => one.url().endsWith('/task'));
      await boxes.nth(at).click();
      expect((await answer).status()).to.be.below(300);
      await page.waitForFunction(() => !document.querySelector('[data-tasks] input[type=checkbox]').disabled);
    }
    const { body } = await call('GET', `${home}/issues/4`, undefined, ada);
    expect(body).to.equal('- [x] rim\n- [ ] hub\n- [x] tyre');
    // a text that somebody else has changed since is not overwritten
    await call('PATCH', `${home}/issues/4`, { body: '- [ ] other' }, ben);
    await boxes.nth(0).click();
    await page.waitForSelector('[data-tasks] [role=alert]');
    expect((await call('GET', `${home}/issues/4`, undefined, ada)).body).to.equal('- [ ] other');
    await picture('tasks');
  });

  it('people, issues and emoji are completed while somebody writes, and the preview shows them', async () => {
    await open('issues/3');
    const list = page.locator('#comment-form .markdown-suggestions');
    for (const [typed, key] of [
      ['@be', 'Enter'],
      ['#To', 'Tab'],
      [':tada', 'Enter'],
    ]) {
      await page.locator('#comment-body').pressSequentially(typed);
      await list.locator('[aria-selected=true]').waitFor();
      if (typed === '@be') await picture('completion');
      await page.keyboard.press(key);
      await list.waitFor({ state: 'hidden' });
    }
    expect(await page.inputValue('#comment-body')).to.equal('@ben #4 :tada: ');
    await page.click('#comment-form .markdown-editor-bar > button >> nth=1');
    const preview = page.locator('#comment-form .markdown-editor-preview');
    await preview.locator('a[href$="/ben"]').waitFor();
    expect(await preview.locator('a[href$="/issues/4"]').count()).to.equal(1);
    expect(await preview.textContent()).to.include('🎉');
  });

  it('issues of a list are chosen one by one or all, and changed together', async () => {
    await call('POST', `${home}/milestones`, { title: 'wide '.repeat(50) }, ada);
    await open('issues');
    const bulk = page.locator('.issue-bulk');
    expect(await bulk.isVisible()).to.be.false();
    const boxes = page.locator('input[name=ids]');
    await boxes.nth(0).check();
    await bulk.waitFor();
    expect(await page.evaluate(() => document.documentElement.scrollWidth - globalThis.innerWidth)).to.equal(0);
    await picture('bulk');
    await boxes.nth(0).uncheck();
    await bulk.waitFor({ state: 'hidden' });
    await page.locator('input[type=checkbox]:not([name])').first().check();
    expect(await boxes.count()).to.equal(3);
    await Promise.all([page.waitForNavigation(), page.click('.issue-bulk button[value=close]')]);
    expect(await call('GET', `${home}/issues?type=issues&state=open`, undefined, ada)).to.equal([]);
  });
});
