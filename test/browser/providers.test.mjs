// Signing in with another provider, and the captcha of a form, as a person does: pages in both themes and on a phone.
import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { clientId, clientSecret, OidcServer } from '../../plugins/auth-oauth2/dist/test/provider.js';
import { startServer } from '../support/server.mjs';
import { axe, expectAccessible, wide } from './axe.mjs';
import { launchChromium } from './chromium.mjs';
import { complaintsOf } from './page-checks.mjs';

export const lab = Lab.script();
const { describe, it, before, after } = lab;
const skip = !process.env.MORTISE_TEST_CHROMIUM || process.env.MORTISE_TEST_ENGINE === 'mysql';

describe('other providers and captchas', { timeout: 600_000, skip }, () => {
  let server;
  let provider;
  let browser;
  let page;
  let complaints;

  before(async () => {
    server = await startServer({
      settings: {
        MORTISE__service__ENABLE_CAPTCHA: 'true',
        MORTISE__service__REQUIRE_EXTERNAL_REGISTRATION_CAPTCHA: 'true',
      },
    });
    provider = await OidcServer.start([`${server.base}/user/oauth2/Example%20ID/callback`]);
    const person = (name) => ({ nickname: name, name, email: `${name}@corp.example`, email_verified: true });
    for (const name of ['ada', 'root']) provider.people.set(`sub-${name}`, person(name));
    const source = ['--name', 'Example ID', '--provider', 'openidConnect', '--auto-discover-url', provider.issuer];
    const added = server.cli('admin', 'auth', 'add-oauth', ...source, '--key', clientId, '--secret', clientSecret);
    if (added.code !== 0) throw new Error(added.err);
    browser = await launchChromium();
    const context = await browser.newContext({ viewport: wide, reducedMotion: 'reduce' });
    await context.addInitScript(axe);
    page = await context.newPage();
    complaints = complaintsOf(page);
  });
  after(async () => {
    await browser?.close();
    await server?.close();
    await provider?.stop();
  });

  const path = () => page.url().slice(server.base.length);
  const send = (button) => Promise.all([page.waitForNavigation(), page.click(button)]);
  const look = (name) => expectAccessible(page, `providers-${name}`);

  it('shows a picture to who registers', async () => {
    await page.goto(`${server.base}/user/sign_up`);
    await look('register');
    const shown = await page.$eval('.captcha-picture', (picture) => [picture.complete, picture.naturalWidth]);
    expect(shown).to.equal([true, 240]);
    await page.fill('input[name=user_name]', 'machine');
    await page.fill('input[name=email]', 'machine@example.com');
    for (const name of ['password', 'retype']) await page.fill(`input[name=${name}]`, 'long enough');
    await page.fill('input[name=img-captcha-response]', 'no digits');
    await send('main form button[type=submit]');
    expect(await page.textContent('body')).to.include('The captcha was not solved.');
    await look('register-again');
  });

  it('leads to the provider and back, and asks a newcomer', async () => {
    await page.goto(`${server.base}/user/login`);
    await look('sign-in');
    provider.person = 'sub-ada';
    await page.click('text=Sign in with Example ID');
    await page.waitForURL((url) => url.pathname === '/user/link_account');
    await look('link-account');
    await page.fill('#field-link-name', 'root');
    await page.fill('#field-link-password', 'wrong');
    await send('form[action$="/link_account_signin"] button[type=submit]');
    expect(await page.textContent('body')).to.include('Incorrect username or password.');
    await look('link-account-again');
    await page.fill('#field-link-name', 'root');
    await page.fill('#field-link-password', 'password');
    await send('form[action$="/link_account_signin"] button[type=submit]');
    expect(path()).to.equal('/');
  });

  it('shows linked accounts, and links another one past the policy of forms', async () => {
    await page.goto(`${server.base}/user/settings/linked_accounts`);
    await look('linked-accounts');
    expect(await page.textContent('main')).to.include('ada');
    await page.context().clearCookies({ domain: '127.0.0.1', name: /^_/ });
    provider.person = 'sub-root';
    await page.fill('#field-link-password', 'password');
    await page.click('main form[action$="/add"] button[type=submit]');
    await page.waitForURL((url) => url.search === '?saved=1');
    expect(await page.locator('main .Box-row').count()).to.equal(2);
    await page.goto(`${server.base}/-/admin/auths/1`);
    await look('source');
  });

  it('says why somebody is not signed in', async () => {
    await page.context().clearCookies();
    provider.refusal = { error: 'access_denied', error_description: 'no' };
    await page.goto(`${server.base}/user/oauth2/Example%20ID`);
    expect(await page.textContent('main')).to.include('cancelled at the provider');
    await look('failed');
    await page.goto(`${server.base}/user/oauth2_activate?code=void`);
    await look('activate');
    // an answer of 401 or 410 is the page itself
    expect(complaints.filter((one) => !/^4\d\d of /.test(one))).to.equal([]);
  });
});
