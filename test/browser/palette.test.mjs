// The command palette by keys alone: to a repository, to a page of settings, to a file, to what the page offers; and
// suggestions below the search field.
// Time: about 15 s
import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { startServer } from '../support/server.mjs';
import { axe } from './axe.mjs';
import { launchChromium, signIn } from './chromium.mjs';
import { complaintsOf } from './page-checks.mjs';

export const lab = Lab.script();
const { describe, it, before, after } = lab;
const skip = !process.env.MORTISE_TEST_CHROMIUM || process.env.MORTISE_TEST_ENGINE === 'mysql';

const password = 'Tr1cky-passw0rd!';

describe('issue 29: the command palette in a browser', { timeout: 600_000, skip }, () => {
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
    const user = { username: 'ada', email: 'ada@example.com', password, must_change_password: false };
    await call('POST', '/admin/users', user, 'root:password');
    for (const name of ['wheel', 'gearbox'])
      await call('POST', '/user/repos', { name, auto_init: true, default_branch: 'main' });
    const content = Buffer.from('export const turn = 1;\n').toString('base64');
    await call('POST', '/repos/ada/wheel/contents/src/turn.ts', { content, message: 'Add a turn' });
    browser = await launchChromium();
    page = await (await browser.newContext({ reducedMotion: 'reduce' })).newPage();
    complaints = complaintsOf(page);
    await signIn(page, server.base, `ada:${password}`);
  });
  after(async () => {
    await browser?.close();
    await server?.close();
  });

  const dialog = () => page.locator('dialog.palette');
  const option = (text) => dialog().locator('[role=option]', { hasText: text });
  const path = () => new URL(page.url()).pathname;
  const violations = async () => {
    await page.evaluate(axe);
    const found = await page.evaluate(async () => (await globalThis.axe.run()).violations);
    return found.map(({ id, nodes }) => `${id} ${nodes[0].html}`);
  };
  /** Opens the palette by keys, types, and waits for what is looked for. */
  const palette = async (words, wanted) => {
    await page.keyboard.press('Control+k');
    await dialog().waitFor();
    await page.keyboard.type(words);
    await option(wanted).first().waitFor();
  };
  /** Chooses it with the arrow keys, and opens it. */
  const choose = async (wanted) => {
    for (let at = 0; at < 20; at++) {
      const chosen = await dialog().locator('[aria-selected=true]').textContent();
      if (chosen.includes(wanted)) break;
      await page.keyboard.press('ArrowDown');
    }
    await page.keyboard.press('Enter');
  };

  it('issue 29: goes to a repository, to a file of it and to its settings, by keys alone', async () => {
    await page.goto(server.base);
    await palette('gearb', 'ada/gearbox');
    const field = dialog().locator('input');
    expect(await field.getAttribute('aria-activedescendant')).to.equal(
      await dialog().locator('[aria-selected=true]').getAttribute('id'),
    );
    expect(await violations()).to.equal([]);
    await choose('ada/gearbox');
    await page.waitForURL(`${server.base}/ada/gearbox`);

    await page.goto(`${server.base}/ada/wheel`);
    // the index has the file as soon as its job has run
    for (let found = 0; !found;) {
      await page.keyboard.press('Control+k');
      await dialog().waitFor();
      await page.keyboard.type('turn.ts');
      await option('Search for “turn.ts”').waitFor();
      found = await option('src/turn.ts').count();
      if (!found) await page.keyboard.press('Escape');
    }
    await choose('src/turn.ts');
    await page.waitForURL(`${server.base}/ada/wheel/src/branch/main/src/turn.ts`);

    await palette('deploy', 'Deploy keys');
    await choose('Deploy keys');
    await page.waitForURL(`${server.base}/ada/wheel/settings/keys`);
    expect(complaints).to.equal([]);
  });

  it('issue 29: offers what the page offers', async () => {
    await page.goto(`${server.base}/ada/wheel/src/branch/main/src/turn.ts`);
    await palette('edit', 'Edit');
    await choose('Edit');
    await page.waitForURL(/\/_edit\//);
    await page.goto(`${server.base}/ada/wheel/issues`);
    await palette('new issue', 'New issue');
    await choose('New issue');
    await page.waitForURL(/\/issues\/new/);
    expect(complaints).to.equal([]);
  });

  it('issue 29: opens by its button, and closes again with the focus where it was', async () => {
    await page.goto(`${server.base}/ada/wheel`);
    const button = page.locator('[data-palette]');
    await button.focus();
    await page.keyboard.press('Enter');
    await option('ada/wheel').waitFor();
    expect(
      await dialog()
        .locator('input')
        .evaluate((field) => field === document.activeElement),
    ).to.be.true();
    await page.keyboard.press('Escape');
    await dialog().waitFor({ state: 'hidden' });
    expect(await button.evaluate((one) => one === document.activeElement)).to.be.true();
    // what was typed first is answered last: the list is that of what stands in the field
    await palette('gea', 'ada/gearbox');
    await dialog().locator('[data-close]').click();
    await dialog().waitFor({ state: 'hidden' });
    expect([path(), complaints]).to.equal(['/ada/wheel', []]);
  });

  it('issue 29: suggests below the search field, where Enter alone searches', async () => {
    await page.goto(server.base);
    const field = page.locator('.site-top > .site-search input');
    await field.click();
    await field.pressSequentially('gearb');
    const list = page.locator('.site-top > .site-search [role=option]');
    await list.first().waitFor();
    expect(await field.getAttribute('aria-expanded')).to.equal('true');
    expect(await field.getAttribute('aria-activedescendant')).to.be.null();
    expect(await violations()).to.equal([]);
    await page.keyboard.press('Escape');
    await list.first().waitFor({ state: 'hidden' });
    expect(await field.inputValue()).to.equal('gearb');
    await page.keyboard.press('Enter');
    await page.waitForURL(`${server.base}/search?q=gearb`);
    await field.pressSequentially('gearb');
    await list.first().waitFor();
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await page.waitForURL(`${server.base}/ada/gearbox`);
    expect(complaints).to.equal([]);
  });

  it('issue 29: loads nothing of it before it is asked for', async () => {
    const loaded = [];
    page.on('request', (request) => loaded.push(new URL(request.url()).pathname));
    await page.goto(`${server.base}/ada/wheel`);
    const [own] = loaded.filter((one) => one.includes('palette'));
    expect(loaded.filter((one) => one.includes('palette'))).to.equal([own]);
    expect(own).to.match(/\/palette-keys\.js$/);
    expect((await (await page.request.get(server.base + own)).body()).length).to.be.below(1500);
  });
});
