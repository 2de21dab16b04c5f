import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { definePlugin, defineRoute, reply } from '@mortise/plugin-sdk';
import { startHost, type TestHost } from '@mortise/plugin-sdk/testing';
import { accounts } from '@mortise/accounts/api';
import { createAccount, password } from '@mortise/accounts/testing';
import { signInFlow, signInSteps } from '../contract/sessions.js';
import { Browser } from '../testing.js';

export const lab = Lab.script();
const { describe, it, before, after } = lab;

/** A step that asks those whose name says so for a word. */
const asking = definePlugin({
  name: 'asking',
  version: '1.0.0',
  sdk: '*',
  requires: { sessions: '*' },
  register(host) {
    host.contribute(signInSteps, {
      key: 'asking',
      order: 10,
      page: ({ account }) => (account.name.startsWith('asked') ? '/asking' : undefined),
    });
    host.routes({ signInFlow }, (services) => [
      defineRoute({
        method: 'GET',
        path: '/asking',
        access: { actor: 'anyone', always: true },
        async handler(context) {
          const pendingSignIn = await services.signInFlow.at(context, 'asking');
          return reply.text(pendingSignIn ? `${pendingSignIn.account.name} by ${pendingSignIn.by}` : 'nobody');
        },
      }),
      defineRoute({
        method: 'POST',
        path: '/asking',
        access: { actor: 'anyone', always: true },
        payload: { as: 'form' },
        async handler(context) {
          const pendingSignIn = await services.signInFlow.at(context, 'asking');
          return pendingSignIn
            ? services.signInFlow.pass(context, pendingSignIn, 'asking')
            : reply.redirect('/user/login');
        },
      }),
    ]);
  },
});

describe('the way in', () => {
  let host: TestHost;

  before(async () => {
    host = await startHost({ plugins: ['sessions', asking] });
  });
  after(() => host.close());

  const signIn = async (name: string, redirect = '') => {
    const browser = new Browser(host);
    await browser.go('/user/login');
    const answer = await browser.submit('/user/login', { user_name: name, password, redirect_to: redirect });
    return { browser, answer };
  };
  const whoIs = async (browser: Browser) => (await browser.go('/user/settings/account')).statusCode === 200;

  it('leads through the steps that are missing, in their order, and to where they wanted', async () => {
    const asked = await createAccount(host, 'asked-ada', { mustChangePassword: true });
    const { browser, answer } = await signIn('asked-ada', '/explore');
    expect([answer.statusCode, answer.headers.location]).to.equal([303, '/asking']);
    expect(await whoIs(browser)).to.be.false();
    expect((await browser.go('/asking')).payload).to.equal('asked-ada by password');
    // a step that is not yet due
    expect((await browser.go('/user/settings/change_password')).headers.location).to.equal('/user/login');
    const next = await browser.submit('/asking');
    expect(next.headers.location).to.equal('/user/settings/change_password');
    expect((await browser.go('/asking')).payload).to.equal('nobody');
    await browser.go('/user/settings/change_password');
    const fresh = { password: 'another one', retype: 'another one' };
    const last = await browser.submit('/user/settings/change_password', fresh);
    expect([last.statusCode, last.headers.location]).to.equal([303, '/explore']);
    expect(await whoIs(browser)).to.be.true();
    expect((await host.services.get(accounts).byId(asked.id))?.mustChangePassword).to.be.false();
  });

  it('asks nothing of who need not do more', async () => {
    await createAccount(host, 'plain');
    const { browser, answer } = await signIn('plain');
    expect([answer.statusCode, answer.headers.location]).to.equal([303, '/']);
    expect(browser.cookies.has('mortise_pending')).to.be.false();
  });

  it('second-factor bypass: what the browser keeps cannot be altered, moved to another account, or used later', async () => {
    const asked = await createAccount(host, 'asked-ben');
    const { browser } = await signIn('asked-ben');
    const real = browser.cookies.get('mortise_pending')!;
    const [body, signature] = real.split('.') as [string, string];
    const altered = (change: object) =>
      Buffer.from(JSON.stringify({ ...JSON.parse(Buffer.from(body, 'base64url').toString()), ...change })).toString(
        'base64url',
      );
    for (const other of [{ passed: ['asking'] }, { user: 1 }, { user: '1' }, { end: Date.now() + 1e9 }, { to: '/x' }]) {
      browser.cookies.set('mortise_pending', `${altered(other)}.${signature}`);
      expect((await browser.go('/asking')).payload, JSON.stringify(other)).to.equal('nobody');
    }
    for (const odd of ['', '.', 'x', `${body}.`, `.${signature}`, 'e30.x', `${'a'.repeat(5000)}.${signature}`]) {
      browser.cookies.set('mortise_pending', odd);
      expect((await browser.go('/asking')).payload, odd).to.equal('nobody');
    }
    browser.cookies.set('mortise_pending', real);
    expect((await browser.go('/asking')).payload).to.equal('asked-ben by password');
    await host.services.get(accounts).update(asked.id, { password: 'changed since' });
    expect((await browser.go('/asking')).payload).to.equal('nobody');
  });

  it('ends for accounts that may not sign in any more', async () => {
    const asked = await createAccount(host, 'asked-cat');
    const { browser } = await signIn('asked-cat');
    await host.services.get(accounts).update(asked.id, { prohibitLogin: true });
    expect((await browser.go('/asking')).payload).to.equal('nobody');
    expect((await signIn('asked-cat')).answer.statusCode).to.equal(403);
  });
});
