// What people do with comments: close with one, copy its address, hide it, and see what an edit changed.
// Time: about 15 s
import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { startServer } from '../support/server.mjs';
import { launchChromium, signIn } from './chromium.mjs';
import { complaintsOf, overhangOf } from './page-checks.mjs';

export const lab = Lab.script();
const { describe, it, before, after } = lab;
const skip = !process.env.MORTISE_TEST_CHROMIUM || process.env.MORTISE_TEST_ENGINE === 'mysql';
const who = 'root:password';

describe('issue 29: comments', { timeout: 600_000, skip }, () => {
  let server;
  let browser;
  let page;
  let complaints;
  const call = async (method, path, body) => {
    const answer = await server.api(method, path, { body, as: who });
    expect(answer.status, answer.text).to.be.below(300);
    return answer.json;
  };
  const issue = () => `${server.base}/root/wheel/issues/1`;
  before(async () => {
    server = await startServer();
    await call('POST', '/user/repos', { name: 'wheel' });
    await call('POST', '/repos/root/wheel/issues', { title: 'Rim of steel' });
    await call('POST', '/repos/root/wheel/issues/1/comments', { body: 'A rim of steel rusts' });
    browser = await launchChromium();
    const context = await browser.newContext({ reducedMotion: 'reduce', locale: 'en-US' });
    await context.grantPermissions(['clipboard-read', 'clipboard-write']);
    page = await context.newPage();
    complaints = complaintsOf(page);
    await signIn(page, server.base, who);
  });
  after(async () => {
    await browser?.close();
    await server?.close();
  });
  const card = () => page.locator('#issuecomment-1');
  const openMenu = () => card().locator('summary[aria-label=Actions]').click();

  it('one is sent as the issue is closed; the button says so while something is written', async () => {
    await page.goto(issue());
    const close = page.locator('button[name=action][value=close]');
    expect(await close.textContent()).to.equal('Close');
    await page.fill('#comment-body', 'It rusts no more');
    expect(await close.textContent()).to.equal('Close with comment');
    await close.click();
    await page.getByText('It rusts no more').first().waitFor();
    expect(await page.locator('button[value=reopen]').textContent()).to.equal('Reopen');
    expect((await call('GET', '/repos/root/wheel/issues/1')).state).to.equal('closed');
  });

  it('its address is copied', async () => {
    await page.goto(issue());
    await openMenu();
    await card().getByRole('button', { name: 'Copy link' }).click();
    await card().getByRole('button', { name: 'Copied' }).waitFor();
    const copied = await page.evaluate(() => navigator.clipboard.readText());
    expect(copied).to.match(/^http.*\/root\/wheel\/issues\/1#issuecomment-1$/);
  });

  it('it is hidden with a reason, unfolded, and shown again', async () => {
    await page.goto(issue());
    await openMenu();
    await card().locator('select[name=reason]').selectOption('outdated');
    await card().getByRole('button', { name: 'Hide', exact: true }).click();
    const fold = card().locator('summary', { hasText: 'Outdated · Hidden by root' });
    await fold.waitFor();
    const text = card().getByText('A rim of steel rusts');
    expect(await text.isVisible()).to.be.false();
    await fold.press('Enter');
    await text.waitFor({ state: 'visible' });
    await page.getByText('hid a comment').first().waitFor();
    await openMenu();
    await card().getByRole('button', { name: 'Show comment again' }).click();
    await text.waitFor({ state: 'visible' });
    expect(await fold.count()).to.equal(0);
  });

  it('what an edit changed is seen in its history, on a phone too', async () => {
    await call('PATCH', '/repos/root/wheel/issues/comments/1', { body: 'A rim of carbon rusts never' });
    await page.setViewportSize({ width: 390, height: 844 });
    await page.goto(issue());
    await card().getByRole('link', { name: 'edited' }).click();
    const changes = page.getByRole('group', { name: 'What this edit changed' });
    expect((await changes.locator('del').allTextContents()).join('')).to.equal('steel');
    expect((await changes.locator('ins').allTextContents()).join('')).to.equal('carbon never');
    expect(await overhangOf(page)).to.be.undefined();
    await page.locator('ul.Box a').last().click();
    await page.getByText('The first version').waitFor();
  });

  it('without a complaint of the browser', () => {
    expect(complaints).to.equal([]);
  });
});
