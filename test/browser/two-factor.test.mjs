// Security keys and passkeys with an authenticator of the browser's own, and the pages of signing in with them.
import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { startServer } from '../support/server.mjs';
import { axe, expectAccessible, wide } from './axe.mjs';
import { launchChromium } from './chromium.mjs';

export const lab = Lab.script();
const { describe, it, before, after } = lab;
const skip = !process.env.MORTISE_TEST_CHROMIUM || process.env.MORTISE_TEST_ENGINE === 'mysql';

describe('security keys and passkeys', { timeout: 600_000, skip }, () => {
  let server;
  let base;
  let browser;
  let page;
  let devices;
  let codes;

  before(async () => {
    server = await startServer({ start: false });
    // browsers know no security keys on an address of numbers
    base = server.base.replace('127.0.0.1', 'localhost');
    server.env.MORTISE__server__ROOT_URL = base;
    await server.start();
    browser = await launchChromium();
    const context = await browser.newContext({
      bypassCSP: true,
      viewport: wide,
      // colours that change their theme would be looked at on their way
      reducedMotion: 'reduce',
    });
    await context.addInitScript(axe);
    page = await context.newPage();
    devices = await context.newCDPSession(page);
    await devices.send('WebAuthn.enable');
  });
  after(async () => {
    await browser?.close();
    await server?.close();
  });

  const plug = async (options) =>
    (
      await devices.send('WebAuthn.addVirtualAuthenticator', {
        options: { protocol: 'ctap2', transport: 'usb', automaticPresenceSimulation: true, ...options },
      })
    ).authenticatorId;
  const unplug = (authenticatorId) => devices.send('WebAuthn.removeVirtualAuthenticator', { authenticatorId });
  const passkeyDevice = {
    hasResidentKey: true,
    hasUserVerification: true,
    isUserVerified: true,
    transport: 'internal',
  };
  const path = () => page.url().slice(base.length);
  const send = (button) => Promise.all([page.waitForNavigation(), page.click(button)]);
  const password = async () => {
    await page.goto(`${base}/user/login`);
    await page.fill('input[name=user_name]', 'root');
    await page.fill('input[name=password]', 'password');
    await send('main form[action$="/user/login"] button[type=submit]');
  };
  const signOut = async () => {
    await page.context().clearCookies();
  };
  const look = (name) => expectAccessible(page, name);
  const add = async (name, kind) => {
    await page.goto(`${base}/user/settings/security`);
    await page.fill('#field-key-name', name);
    await page.fill('#field-key-password', 'password');
    await send(`button[data-kind=${kind}]`);
  };

  it('a security key is added, and asked for after the password', async () => {
    await password();
    const key = await plug({});
    await add('Blue key', 'key');
    codes = (await page.textContent('#recovery-codes')).trim().split('\n');
    expect(codes).to.have.length(10);
    await look('recovery-codes');
    await page.goto(`${base}/user/settings/security`);
    expect(await page.textContent('main')).to.contain('Blue key');
    await page.goto(`${base}/user/settings/security/two_factor/enroll`);
    await look('enroll');
    await signOut();
    await password();
    expect(path()).to.equal('/user/webauthn');
    await look('webauthn');
    await send('button[data-options]');
    expect(path()).to.equal('/');
    // TFA-01: the password alone opens nothing any more
    const answer = await server.api('GET', '/user', { as: 'root:password' });
    expect([answer.status, /access token/.test(answer.text)]).to.equal([401, true]);
    await unplug(key);
  });

  it('without the key a recovery code leads in', async () => {
    await signOut();
    await password();
    const other = await plug({});
    await page.click('button[data-options]');
    await page.waitForSelector('[data-webauthn-error]:not([hidden])');
    await unplug(other);
    await page.goto(`${base}/user/two_factor`);
    await look('two-factor');
    await page.fill('input[name=passcode]', codes[0]);
    await send('main form button[type=submit]');
    expect(path()).to.equal('/');
  });

  it('a passkey signs in without name and password, and is answered once', async () => {
    await plug(passkeyDevice);
    await add('Laptop', 'passkey');
    await look('security');
    await signOut();
    await page.goto(`${base}/user/login?redirect_to=%2Fexplore%2Fusers`);
    await look('login');
    await page.click('a[href*="/user/login/passkey"]');
    await page.waitForURL('**/user/login/passkey*');
    await look('passkey');
    const sent = page.waitForRequest((request) => request.method() === 'POST');
    await send('button[data-options]');
    expect(path()).to.equal('/explore/users');
    // the same answer again, from elsewhere
    const body = (await sent).postData();
    await signOut();
    await page.goto(`${base}/user/login/passkey`);
    const status = await page.evaluate(async (given) => {
      const fields = new URLSearchParams(given);
      fields.set('_csrf', document.querySelector('input[name=_csrf]').value);
      return (await fetch('/user/login/passkey', { method: 'POST', body: fields })).status;
    }, body);
    expect(status).to.equal(401);
    await page.goto(`${base}/user/settings/account`);
    expect(path()).to.match(/^\/user\/login/);
  });

  it('keys are renamed and removed, and the way is as before without them', async () => {
    await page.goto(`${base}/user/login/passkey`);
    await send('button[data-options]');
    await page.goto(`${base}/user/settings/security`);
    await page.click('summary:has-text("Laptop")');
    await page.fill('details[open] input[name=name]', 'Old laptop');
    await send('details[open] form[action$="/rename"] button');
    expect(await page.textContent('main')).to.contain('Old laptop');
    for (const name of ['Old laptop', 'Blue key']) {
      await page.goto(`${base}/user/settings/security`);
      await page.click(`summary:has-text("${name}")`);
      await page.fill('details[open] input[name=password]', 'password');
      await send('details[open] form[action$="/delete"] button');
    }
    expect(await page.textContent('main')).not.to.contain('Blue key');
    await signOut();
    await password();
    expect(path()).to.equal('/');
  });
});
