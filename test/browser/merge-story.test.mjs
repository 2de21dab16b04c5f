// A pull request in conflict is resolved in the browser, two suggestions are taken at once, it is merged by another method
// than usual, and the release that follows has its notes made; reading and forms work without scripts and in German.
// Time: about 30 s
import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { startServer } from '../support/server.mjs';
import { axe, expectAccessible } from './axe.mjs';
import { launchChromium, signIn } from './chromium.mjs';
import { Walk } from './walk.mjs';

export const lab = Lab.script();
const { describe, it, before, after, afterEach } = lab;
const skip = !process.env.MORTISE_TEST_CHROMIUM || process.env.MORTISE_TEST_ENGINE === 'mysql';

const password = 'Tr1cky-passw0rd!';
const home = '/repos/ada/wheel';
const resolve = 'form[action$="/conflicts"]';
const merge = 'form.pull-merge-form';

describe('the story of a merge', { timeout: 600_000, skip }, () => {
  let server;
  let browser;
  let ada;
  let plain;
  const call = async (method, path, body, as = `ada:${password}`) => {
    const answer = await server.api(method, path, { body, as });
    expect(answer.status, answer.text).to.be.below(300);
    return answer.json;
  };
  const write = async (path, text, branch, more = {}) => {
    const known = await server.api('GET', `${home}/contents/${path}?ref=${branch}`, { as: `ada:${password}` });
    await call(known.status === 200 ? 'PUT' : 'POST', `${home}/contents/${path}`, {
      content: Buffer.from(text).toString('base64'),
      message: `Change ${path}`,
      branch,
      ...(known.status === 200 && { sha: known.json.sha }),
      ...more,
    });
  };
  /** A pull request that changes two lines that its base changes as well; gives its path. */
  const propose = async (branch) => {
    const path = `${branch}.txt`;
    await write(path, 'rim\n1\n2\n3\n4\n5\nhub\n', 'main');
    await write(path, 'rim of wood\n1\n2\n3\n4\n5\nhub of wood\n', 'main', { new_branch: branch });
    const { number } = await call('POST', `${home}/pulls`, { head: branch, base: 'main', title: `Use ${branch}` });
    await write(path, 'rim of steel\n1\n2\n3\n4\n5\nhub of steel\n', 'main');
    return `/ada/wheel/pulls/${number}`;
  };
  const raw = async (path, branch) => (await server.api('GET', `${home}/raw/${path}?ref=${branch}`)).text;

  before(async () => {
    server = await startServer();
    for (const username of ['ada', 'ben'])
      await call(
        'POST',
        '/admin/users',
        { username, email: `${username}@example.com`, password, must_change_password: false },
        'root:password',
      );
    await call('POST', '/user/repos', { name: 'wheel', auto_init: true, default_branch: 'main' });
    browser = await launchChromium();
    const page = await (await browser.newContext({ reducedMotion: 'reduce' })).newPage();
    await page.addInitScript(axe);
    await signIn(page, server.base, `ada:${password}`);
    ada = new Walk(page, server.base);
    const bare = await browser.newContext({ javaScriptEnabled: false, locale: 'de-DE' });
    plain = await bare.newPage();
    await signIn(plain, server.base, `ada:${password}`);
  });
  after(async () => {
    await browser?.close();
    await server?.close();
  });
  afterEach(() => ada.settle());

  let pull;

  it('its conflicts are resolved place by place', async () => {
    pull = await propose('timber');
    await ada.open(pull);
    await ada.waitsAndFollows('a[href$="/conflicts"]');
    await ada.shows('rim of steel');
    const edit = ada.page.locator(`${resolve} textarea`).nth(1);
    expect(await edit.isVisible()).to.be.false();
    await ada.page.check(`${resolve} [name="choice-0-1"][value="edit"]`);
    expect(await edit.inputValue()).to.equal('hub of steel\nhub of wood\n');
    await expectAccessible(ada.page, 'conflicts');
    await ada.send(resolve, { 'choice-0-0': 'head', 'text-0-1': 'hub of both' });
    expect(ada.path).to.equal(pull);
    await ada.waits('There are no conflicts with the base branch.');
    expect(await raw('timber.txt', 'timber')).to.equal('rim of wood\n1\n2\n3\n4\n5\nhub of both\n');
  });

  it('two suggestions of a review become one commit', async () => {
    const comment = (line, text) => ({
      path: 'timber.txt',
      new_position: line,
      body: `\`\`\`suggestion\n${text}\n\`\`\``,
    });
    const comments = [comment(1, 'rim of oak'), comment(7, 'hub of oak')];
    const at = pull.replace('/ada/wheel', home);
    await call('POST', `${at}/reviews`, { event: 'COMMENT', body: 'Oak', comments }, 'root:password');
    await ada.open(`${pull}/files`);
    const boxes = ada.page.locator('[name=comment][form=apply-suggestions]');
    for (const box of await boxes.all()) await box.check();
    expect(await boxes.count()).to.equal(2);
    await expectAccessible(ada.page, 'suggestions');
    await ada.follow('#apply-suggestions button');
    expect(ada.path).to.match(/\/files#issuecomment-\d+$/);
    expect(await raw('timber.txt', 'timber')).to.equal('rim of oak\n1\n2\n3\n4\n5\nhub of oak\n');
  });

  it('what a rule asks for links to where it is, and the menu says when it is merged', async () => {
    const rule = { rule_name: 'main', enable_status_check: true, status_check_contexts: ['spin'] };
    await call('POST', `${home}/branch_protections`, rule);
    await ada.open(pull);
    const buttons = ada.page.locator(`${merge} button[type=submit]:visible`);
    const shown = async () => (await buttons.allInnerTexts()).map((text) => text.trim());
    expect(await shown()).to.equal(['Merge when all requirements are met']);
    await ada.unfold(`${merge} .dropdown > summary`);
    await ada.page.check(`${merge} [value=force]`);
    expect(await shown()).to.equal(['Merge without meeting all requirements']);
    await expectAccessible(ada.page, 'merge-times');
    await ada.page.keyboard.press('Escape');
    await ada.follow(`#merge-box a[href="${pull}/checks"]`);
    await ada.shows('spin');
    await call('DELETE', `${home}/branch_protections/main`);
  });

  it('it is merged by the method that is chosen in the menu, with a message of its own', async () => {
    await ada.open(pull);
    await ada.waits('There are no conflicts with the base branch.');
    const button = ada.page.locator(`${merge} button.btn-primary`);
    expect(await button.innerText()).to.contain('Create a merge commit');
    await ada.unfold(`${merge} .dropdown > summary`);
    await ada.page.check(`${merge} [value=squash]`);
    expect((await button.innerText()).trim()).to.equal('Squash into one commit');
    await ada.page.keyboard.press('Escape');
    await ada.unfold(`${merge} summary.btn-link`);
    expect(await ada.page.locator(`${merge} [name="title-merge"]`).isVisible()).to.be.false();
    await expectAccessible(ada.page, 'merge-box');
    await ada.page.fill(`${merge} [name="title-squash"]`, 'Build it of oak');
    await ada.follow(`${merge} button.btn-primary`);
    await ada.shows('This pull request is merged');
    const [commit] = await call('GET', `${home}/commits?limit=1`);
    expect(commit.commit.message).to.startWith('Build it of oak\n');
    expect(commit.parents.length).to.equal(1);
  });

  it('the release that follows has its notes made', async () => {
    await ada.open('/ada/wheel/releases/new');
    await ada.page.fill('[name=tag_name]', 'v1');
    await ada.unfold('details:has([name=previous_tag]) > summary');
    await ada.follow('button[value=generate]');
    const notes = await ada.page.inputValue('textarea[name=note]');
    expect(notes).to.contain('* Use timber by @ada in !1').and.contain('/commits/tag/v1');
    await expectAccessible(ada.page, 'release-notes');
    await ada.follow('button[value=publish]');
    await ada.shows('New Contributors');
    expect(await ada.count('a[href$="/pulls/1"]')).to.be.above(0);
  });

  it('the same is done in German without scripts', async () => {
    const path = await propose('reed');
    const open = async (address, selector) => {
      for (let tries = 0; tries < 400; tries++) {
        await plain.goto(server.base + address);
        if (await plain.locator(selector).count()) return;
        await plain.waitForTimeout(250);
      }
      throw new Error(`${address} has no ${selector}`);
    };
    await open(path, 'a[href$="/conflicts"]');
    await plain.click('a[href$="/conflicts"]');
    expect(await plain.innerText('main')).to.contain('Die Zeilen von main');
    for (const place of [0, 1]) await plain.check(`[name="choice-0-${place}"][value="both"]`);
    await plain.click(`${resolve} button[type=submit]`);
    expect(await raw('reed.txt', 'reed')).to.startWith('rim of steel\nrim of wood\n1\n');
    await open(path, `${merge} button.btn-primary`);
    await plain.click(`${merge} .dropdown > summary`);
    await plain.check(`${merge} [value=squash]`);
    await plain.click(`${merge} .dropdown > summary`);
    await plain.click(`${merge} button.btn-primary`);
    expect(await plain.innerText('main')).to.contain('Dieser Pull Request ist zusammengeführt.');
  });
});
