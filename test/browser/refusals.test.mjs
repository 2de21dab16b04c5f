// What people meet when something is refused, missing or dangerous: nothing that they wrote is lost, and there is a way on.
import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { startServer } from '../support/server.mjs';
import { launchChromium, signIn } from './chromium.mjs';
import { seedHistory } from './seed.mjs';
import { Walk } from './walk.mjs';

export const lab = Lab.script();
const { describe, it, before, after, afterEach } = lab;
const skip = !process.env.MORTISE_TEST_CHROMIUM;

describe('refusals in the browser', { timeout: 600_000, skip }, () => {
  let server;
  let browser;
  let walk;
  const home = '/root/wheel';
  const shown = (selector) => walk.page.locator(selector).first().inputValue();

  before(async () => {
    server = await startServer();
    await seedHistory(server);
    browser = await launchChromium();
    // without scripts nothing stops a form before it is sent
    const context = await browser.newContext({ javaScriptEnabled: false });
    walk = new Walk(await context.newPage(), server.base);
    await signIn(walk.page, server.base, 'root:password');
  });
  after(async () => {
    await browser?.close();
    await server?.close();
  });
  afterEach(() => walk.settle());

  /** Sends the form as a browser would that knows no rules for fields. */
  const sendAnyway = async (form, fields, button) => {
    await walk.page
      .locator(form)
      .first()
      .evaluate((element) => (element.noValidate = true));
    await walk.send(form, fields, button);
    expect(await walk.count('.flash-error')).to.equal(1);
  };

  it('shows refused forms of the account again as they were sent', async () => {
    await walk.open('/user/settings');
    const profile = { full_name: 'Root of All', website: 'no address', location: 'Here', hide_activity: true };
    await sendAnyway('form[action$="/user/settings"]', profile);
    expect(await shown('[name=full_name]')).to.equal('Root of All');
    expect(await shown('[name=website]')).to.equal('no address');
    expect(await walk.page.locator('[name=hide_activity]').isChecked()).to.be.true();
    await walk.open('/user/settings/keys');
    await sendAnyway('form:has([name=key])', { title: 'Laptop', key: 'not a key', read_only: true });
    expect([await shown('[name=title]'), await shown('[name=key]')]).to.equal(['Laptop', 'not a key']);
    expect(await walk.page.locator('[name=read_only]').isChecked()).to.be.true();
    await walk.open('/user/settings/account');
    await sendAnyway('form:has([name=email][type=email])', { email: 'nobody' });
    expect(await shown('[name=email][type=email]')).to.equal('nobody');
    await walk.open('/user/settings/applications');
    await sendAnyway('form:has([name=public_only])', { name: ' ', public_only: true, scope_repository: 'write' });
    expect(await walk.page.locator('[name=public_only]').isChecked()).to.be.true();
    expect(await shown('[name=scope_repository]')).to.equal('write');
  });

  it('shows refused forms of a repository again as they were sent', async () => {
    await walk.open(`${home}/settings`);
    await sendAnyway('form:has([value=update])', { description: 'Round', topics: 'not_a_topic', template: true });
    expect([await shown('[name=description]'), await shown('[name=topics]')]).to.equal(['Round', 'not_a_topic']);
    expect(await walk.page.locator('[name=template]').isChecked()).to.be.true();
    expect(await walk.page.locator('[name=has_wiki]').isChecked()).to.be.true();
    await walk.open(`${home}/settings/collaboration`);
    await sendAnyway('form:has([name=collaborator]:not([type=hidden]))', {
      collaborator: 'nobody-there',
      permission: 'read',
    });
    expect(await shown('[name=collaborator]:not([type=hidden])')).to.equal('nobody-there');
    await walk.open(`${home}/branches`);
    await walk.unfold('summary:text-is("New branch")');
    await sendAnyway('form[action$="/branches/new"]', { name: 'bad..name', from: 'topic' });
    const branch = 'form[action$="/branches/new"]';
    expect([await shown(`${branch} [name=name]`), await shown(`${branch} [name=from]`)]).to.equal([
      'bad..name',
      'topic',
    ]);
    expect(await walk.page.locator(`${branch} [name=name]`).isVisible()).to.be.true();
    await walk.open(`${home}/branches`);
    await walk.unfold('summary[aria-label="Rename topic"]');
    await sendAnyway('form:has([name=from][value=topic])', { to: 'bad..name' });
    expect(await shown('form:has([name=from][value=topic]) [name=to]')).to.equal('bad..name');
    await walk.open(`${home}/tags`);
    await walk.unfold('summary:text-is("New tag")');
    await sendAnyway('form[action$="/tags/new"]', { name: 'bad..tag', target: 'topic', message: 'Two\nlines' });
    expect(await shown('form[action$="/tags/new"] [name=message]')).to.equal('Two\nlines');
  });

  it('keeps people inside a repository when something is not there', async () => {
    await walk.open(`${home}/src/branch/topic/no/such.file`, 404);
    await walk.shows('The path no/such.file does not exist in topic.');
    await walk.follow('main a:has-text("Files of topic")');
    await walk.open(`${home}/src/branch/gone`, 404);
    expect(await walk.count('h1 a:text-is("wheel")')).to.equal(1);
    await walk.follow('main a:has-text("Branches")');
    await walk.open(`${home}/commit/1234567`, 404);
    await walk.follow('main a:has-text("Files of wheel")');
  });

  it('leads to the search in code and to comparing', async () => {
    await walk.open(home);
    await walk.follow('main a:has-text("Search code")');
    await walk.send('main form:has([name=q]):not([action$="/refs"])', { q: 'spoke1' });
    await walk.shows('lib/turn.js');
    await walk.open(`${home}/branches`);
    await walk.follow('main a:text-is("Compare")');
    expect(walk.path).to.equal(`${home}/compare`);
  });

  it('asks before a tag is deleted, and stays where a star was given', async () => {
    await walk.open(`${home}/tags`);
    expect(await walk.page.locator('button[aria-label="Delete v1.0"]').isVisible()).to.be.false();
    await walk.confirm('button[aria-label="Delete v1.0"]');
    await walk.hides('v1.0', 'main ul');
    await walk.open(`${home}/releases`);
    await walk.follow('button:has-text("Star")');
    expect(walk.path).to.equal(`${home}/releases`);
    await walk.follow('button:has-text("Unstar")');
  });

  it('closes menus and questions with Escape and with a click elsewhere, on every page', async () => {
    const page = await browser.newPage();
    await signIn(page, server.base, 'root:password');
    for (const [path, menu] of [
      [home, 'header details:visible'],
      [home, 'main details.dropdown:visible'],
      [home, 'main details:has(> .code-menu)'],
      [`${home}/tags`, 'details.confirm'],
      [`${home}/settings`, 'details.confirm'],
      [`${home}/wiki`, 'header details:visible'],
      ['/root', 'header details:visible'],
      ['/user/settings', 'header details:visible'],
      ['/nobody/nothing', 'header details:visible'],
    ]) {
      await page.goto(server.base + path);
      const part = page.locator(menu).first();
      const unfold = async () => {
        await part.locator('> summary').click();
        expect(await part.getAttribute('open'), path + menu).to.not.be.null();
      };
      const isClosed = async () => expect(await part.getAttribute('open'), path + menu).to.be.null();
      await unfold();
      await page.keyboard.press('Escape');
      await isClosed();
      expect(await part.locator('> summary').evaluate((summary) => summary === document.activeElement)).to.be.true();
      await unfold();
      await page.locator('body').click({ position: { x: 5, y: 400 } });
      await isClosed();
    }
    await page.close();
  });

  it('leaves what unfolds within the text as it is', async () => {
    const page = await browser.newPage();
    await signIn(page, server.base, 'root:password');
    await page.goto(`${server.base}${home}/releases/new`);
    const part = page.locator('main details:not(.confirm):not(.dropdown)').first();
    await part.locator('> summary').click();
    const isOpen = await part.getAttribute('open');
    await page.keyboard.press('Escape');
    await page.locator('body').click({ position: { x: 5, y: 400 } });
    expect([isOpen, await part.getAttribute('open')]).to.equal(['', '']);
    await page.close();
  });

  it('gives back what was written when somebody is signed out meanwhile', async () => {
    await walk.open(`${home}/wiki/_new`);
    const fields = { title: 'Hours', content: 'The work of\nhours.' };
    await walk.page.context().clearCookies();
    await walk.send('form:has([name=content])', fields, 'button[value=save]');
    await walk.shows('It was not saved');
    expect(await shown('main textarea')).to.equal(fields.content);
    await walk.follow('main a:has-text("Sign in")');
    await walk.send('main form', { user_name: 'root', password: 'password' });
    expect(walk.path).to.equal(`${home}/wiki/_new`);
    // somebody else may look, and is led to the sign-in page where that is needed
    await walk.page.context().clearCookies();
    await walk.open(home);
    await walk.follow('main a:has-text("Star")');
    expect(walk.path).to.startWith('/user/login?redirect_to=');
  });
});
