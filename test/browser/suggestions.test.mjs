// Users, issues and emoji are suggested while somebody writes, in each form where issues are written: by keys and by mouse.
// Time: about 15 s
import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { startServer } from '../support/server.mjs';
import { launchChromium, signIn } from './chromium.mjs';
import { complaintsOf } from './page-checks.mjs';

export const lab = Lab.script();
const { describe, it, before, after } = lab;
const skip = !process.env.MORTISE_TEST_CHROMIUM || process.env.MORTISE_TEST_ENGINE === 'mysql';

const password = 'Tr1cky-passw0rd!';
const home = '/repos/ada/wheel';

describe('suggestions while somebody writes', { timeout: 600_000, skip }, () => {
  let server;
  let browser;
  let page;
  let complaints;
  const call = async (method, path, body, as = `ada:${password}`) => {
    const answer = await server.api(method, path, { body, as });
    expect(answer.status, answer.text).to.be.below(300);
    return answer.json;
  };
  before(async () => {
    server = await startServer();
    for (const username of ['ada', 'bea', 'ben', 'bert'])
      await call(
        'POST',
        '/admin/users',
        { username, email: `${username}@example.com`, password, must_change_password: false },
        'root:password',
      );
    await call('POST', '/user/repos', { name: 'wheel', auto_init: true });
    for (const name of ['bea', 'ben', 'bert']) await call('PUT', `${home}/collaborators/${name}`, {});
    for (const title of ['Rim of steel', 'Rim of wood', 'Tyre']) await call('POST', `${home}/issues`, { title });
    browser = await launchChromium();
    page = await (await browser.newContext({ reducedMotion: 'reduce' })).newPage();
    complaints = complaintsOf(page);
    await signIn(page, server.base, `ada:${password}`);
  });
  after(async () => {
    await browser?.close();
    await server?.close();
  });

  const forms = {
    'a comment': { path: 'issues/3', area: '#comment-body' },
    'a new issue': { path: 'issues/new', area: '#issue-body' },
    'an edited issue': { path: 'issues/3?edit=0', area: '#edit-0' },
  };

  for (const [name, { path, area }] of Object.entries(forms))
    it(`in the form of ${name}`, async () => {
      await page.goto(`${server.base}/ada/wheel/${path}`);
      const text = page.locator(area);
      const list = page.locator(`.markdown-editor:has(${area}) .markdown-suggestions:visible`);
      const chosen = list.locator('[aria-selected=true]');
      const type = async (typed) => {
        await text.pressSequentially(typed);
        await chosen.waitFor();
      };
      const press = (key) => page.keyboard.press(key);
      await text.waitFor();
      await text.fill('');

      await type('@be');
      const users = await list.locator('[role=option] strong').allTextContents();
      expect(users.length).to.be.at.least(3);
      expect(await text.getAttribute('aria-activedescendant')).to.equal(await chosen.getAttribute('id'));
      await press('ArrowDown');
      expect(await chosen.locator('strong').textContent()).to.equal(users[1]);
      await press('ArrowUp');
      // before the first comes the last
      await press('ArrowUp');
      expect(await chosen.locator('strong').textContent()).to.equal(users.at(-1));
      await press('Enter');
      await list.waitFor({ state: 'hidden' });
      const first = await text.inputValue();
      expect(first).to.match(/^@(bea|ben|bert) $/);

      await type('#Rim');
      await list.locator('[role=option]:has-text("Rim of wood")').click();
      await list.waitFor({ state: 'hidden' });
      expect(await text.inputValue()).to.equal(`${first}#2 `);
      expect(await text.evaluate((element) => element === document.activeElement)).to.be.true();

      await type(':tada');
      await press('Escape');
      await list.waitFor({ state: 'hidden' });
      expect(await text.inputValue()).to.equal(`${first}#2 :tada`);
      // with the list closed, keys do what they do in any text
      await press('Enter');
      expect(await text.inputValue()).to.equal(`${first}#2 :tada\n`);
      expect(page.url()).to.contain(path);
      expect(complaints).to.equal([]);
    });

  it('are gone when the caret leaves the word that they are for', async () => {
    await page.goto(`${server.base}/ada/wheel/issues/3`);
    const text = page.locator('#comment-body');
    const list = page.locator('#comment-form .markdown-suggestions:visible');
    for (const leave of [() => page.keyboard.press('Home'), () => text.click({ position: { x: 12, y: 12 } })]) {
      await text.fill('');
      await text.pressSequentially('by @be');
      await list.waitFor();
      await leave();
      await list.waitFor({ state: 'hidden' });
      await page.keyboard.press('Enter');
      expect(await text.inputValue()).to.equal('\nby @be');
    }
    expect(complaints).to.equal([]);
  });
});
