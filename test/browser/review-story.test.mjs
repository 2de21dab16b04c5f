// Two people work on one repository at once, each in a browser of their own: an issue, a branch, a push, a pull request, a
// review with a suggestion, the fix, the approval, the merge, and the issue is closed; each hears of the other at once.
// Time: about 25 s
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { startServer } from '../support/server.mjs';
import { launchChromium, signIn } from './chromium.mjs';
import { Walk } from './walk.mjs';

export const lab = Lab.script();
const { describe, it, before, after, afterEach } = lab;
const skip = !process.env.MORTISE_TEST_CHROMIUM || process.env.MORTISE_TEST_ENGINE === 'mysql';

const password = 'Tr1cky-passw0rd!';
const finish = '#review-finish';

describe('the story of a review', { timeout: 600_000, skip }, () => {
  let server;
  let browser;
  const walks = {};
  let pull;

  before(async () => {
    server = await startServer();
    const call = async (method, path, body, as = 'root:password') => {
      const answer = await server.api(method, path, { body, as });
      expect(answer.status, answer.text).to.be.below(300);
    };
    for (const username of ['ada', 'ben'])
      await call('POST', '/admin/users', {
        username,
        email: `${username}@example.com`,
        password,
        must_change_password: false,
      });
    const ada = `ada:${password}`;
    await call('POST', '/user/repos', { name: 'wheel', auto_init: true, default_branch: 'main' }, ada);
    const content = Buffer.from('rim\nhub\nspoke\n').toString('base64');
    await call('POST', '/repos/ada/wheel/contents/parts.txt', { content, message: 'Name the parts' }, ada);
    await call('PUT', '/repos/ada/wheel/collaborators/ben', { permission: 'write' }, ada);
    browser = await launchChromium();
    for (const name of ['ada', 'ben']) {
      const page = await (await browser.newContext({ reducedMotion: 'reduce' })).newPage();
      await signIn(page, server.base, `${name}:${password}`);
      walks[name] = new Walk(page, server.base);
      await walks[name].open('/explore/repos');
    }
  });
  after(async () => {
    await browser?.close();
    await server?.close();
  });
  afterEach(() => Object.values(walks).forEach((walk) => walk.settle()));

  /** The page that is open says so by itself. */
  const hears = (walk, count) => walk.page.waitForSelector(`[data-notifications="${count}"]`, { state: 'attached' });
  const run = async (args, cwd) => {
    const done = await server.git(args, { as: `ben:${password}`, ...(cwd && { cwd }) });
    expect(done.code, done.err).to.equal(0);
    return done.err;
  };

  it('one opens an issue, the other hears of it and pushes a branch', async () => {
    const { ada, ben } = walks;
    await hears(ben, 0);
    await ada.open('/ada/wheel/issues/new');
    await ada.send('main form[action$="/issues/new"]', { title: 'The tyre is missing', body: 'Will @ben add it?' });
    expect(ada.path).to.equal('/ada/wheel/issues/1');
    await hears(ben, 1);
    await ben.open('/ada/wheel/issues/1');
    await ben.shows('Will @ben add it?');
    await hears(ben, 0);
    const folder = join(server.folder, 'wheel');
    await run(['clone', '-q', `${server.base}/ada/wheel.git`, folder]);
    await run(['switch', '-q', '-c', 'tyre'], folder);
    writeFileSync(join(folder, 'parts.txt'), 'rim\nhub\nspoke\ntire\n');
    const who = ['-c', 'user.name=ben', '-c', 'user.email=ben@example.com'];
    await run([...who, 'commit', '-q', '-a', '-m', 'Add the tyre'], folder);
    expect(await run(['push', 'origin', 'tyre'], folder)).to.contain("Create a pull request for 'tyre'");
  });

  it('makes a pull request of it, and the first reviews it with a suggestion', async () => {
    const { ada, ben } = walks;
    await ben.open('/ada/wheel/compare/main...tyre');
    await ben.follow('main a[href*="/pulls/new?"]');
    await ben.send('main form[action$="/pulls/new"]', { body: 'Closes #1', reviewers: 'ada' });
    pull = ben.path;
    expect(pull).to.equal('/ada/wheel/pulls/2');
    await hears(ada, 1);
    await ada.open(`${pull}/files`);
    const { page } = ada;
    await page.locator('td[id$="R4"]').hover();
    await page.click('.review-add');
    const form = 'tr .review-form';
    await page.click(`${form} [data-review-suggest]`);
    const text = page.locator(`${form} textarea`);
    expect(await text.inputValue()).to.equal('```suggestion\ntire\n```\n');
    await text.fill('One letter:\n```suggestion\ntyre\n```\n');
    await ada.follow(`${form} button[value=review]`);
    await ada.shows('Pending');
    await ben.hides('One letter');
    await ada.unfold(`${finish} > summary`);
    await ada.send(`${finish} form[action$="/reviews"]`, { state: 'rejected', body: 'Nearly.' });
    expect(ada.path).to.match(/^\/ada\/wheel\/pulls\/2#issuecomment-\d+$/);
    await ada.shows('requested changes');
  });

  it('the other hears of it, takes the suggestion, and it is approved', async () => {
    const { ada, ben } = walks;
    await hears(ben, 1);
    await ben.open(pull);
    await hears(ben, 0);
    await ben.shows('One letter');
    await ben.follow('.review-suggestion button[type=submit]');
    await ben.shows('Resolved by');
    // the head has moved
    await ben.waits('Outdated');
    await ada.open(`${pull}/files`);
    await ada.hides('tire');
    await ada.unfold(`${finish} > summary`);
    await ada.send(`${finish} form[action$="/reviews"]`, { state: 'approved' });
    await ada.shows('approved these changes');
    await hears(ben, 1);
  });

  it('it is merged, the issue is closed, and both see it', async () => {
    const { ada, ben } = walks;
    await ben.open(pull);
    await hears(ben, 0);
    await ben.shows('Approved by 1 reviewer');
    await hears(ada, 0);
    await ben.waitsAndFollows('form[action$="/merge"] button.btn-primary');
    await ben.shows('This pull request is merged');
    // of the merge, and of her issue
    await hears(ada, 2);
    await ada.open('/ada/wheel/issues/1');
    await ada.waits('Closed');
    await ada.open('/ada/wheel/src/branch/main/parts.txt');
    await ada.shows('tyre');
    await ada.open(pull);
    await ada.shows('Merged');
  });
});
