import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { definePlugin } from '@mortise/plugin-sdk';
import { startHost, type TestHost } from '@mortise/plugin-sdk/testing';
import { accounts, emails } from '@mortise/accounts/api';
import { createAccount, password } from '@mortise/accounts/testing';
import { linkIn, PostOffice } from '@mortise/mail/testing';
import { signInSteps } from '../contract/sessions.js';
import { Browser } from '../testing.js';

export const lab = Lab.script();
const { describe, it, before, after, afterEach } = lab;

const codeIn = (link: string) => new URL(link, 'http://x').searchParams.get('code')!;
const newPassword = 'quite another one';

describe('forgotten passwords', () => {
  let office: PostOffice;
  let host: TestHost;
  const secondFactor = definePlugin({
    name: 'test-second-factor',
    version: '1.0.0',
    sdk: '*',
    requires: { sessions: '*' },
    register: (host) =>
      host.contribute(signInSteps, {
        key: 'second-factor',
        order: 10,
        page: ({ account }) => (account.name === 'fay' ? '/user/second' : undefined),
      }),
  });
  before(async () => {
    office = await PostOffice.start();
    host = await startHost({ plugins: ['sessions', 'mail', secondFactor], settings: { mailer: office.settings } });
    for (const name of ['root', 'ada', 'bob', 'fay']) await createAccount(host, name, { isAdmin: name === 'root' });
  });
  after(async () => {
    await host?.close();
    await office?.close();
  });
  afterEach(() => void (office.mails.length = 0));

  const ask = async (email: string) => {
    const browser = new Browser(host);
    await browser.go('/user/forgot_password');
    const answer = await browser.submit('/user/forgot_password', { email });
    await host.settle();
    return answer;
  };
  const fields = { password: newPassword, retype: newPassword };

  it('gives a new password to who reads the mail, once, and ends all sessions', async () => {
    const elsewhere = await Browser.signedIn(host, 'ada');
    expect((await elsewhere.go('/user/settings')).statusCode).to.equal(200);
    const browser = new Browser(host);
    expect((await browser.go('/user/login')).payload).to.include('href="/user/forgot_password">Forgot password?');
    await ask('ADA@example.com');
    const mail = office.mailTo('ada@example.com');
    expect(mail.subject).to.equal('Choose a new password for Mortise');
    const link = linkIn(mail, '/user/recover_account');
    const shown = await browser.go(link);
    expect(shown.payload).to.include('<strong>ada</strong>');
    const weak = await browser.submit('/user/recover_account', { code: codeIn(link), password: 'x', retype: 'y' });
    expect([weak.statusCode, weak.payload.includes('at least 8 characters')]).to.equal([422, true]);
    const done = await browser.submit('/user/recover_account', { code: codeIn(link), ...fields });
    expect([done.statusCode, done.payload.includes('The password has been changed.')]).to.equal([200, true]);
    expect(browser.cookies.has('mortise_session')).to.be.false();
    expect((await elsewhere.go('/user/settings')).statusCode).to.equal(303);
    expect((await browser.submit('/user/login', { user_name: 'ada', password })).statusCode).to.equal(401);
    expect(
      (await browser.submit('/user/login', { user_name: 'ada', password: newPassword })).headers.location,
    ).to.equal('/');
    await host.settle();
    expect(office.mails.map(({ subject }) => subject)).to.include('Your password on Mortise has been changed');

    const again = new Browser(host);
    expect((await again.go(link)).statusCode).to.equal(410);
    await again.go('/user/login');
    expect((await again.submit('/user/recover_account', { code: codeIn(link), ...fields })).statusCode).to.equal(410);
  });

  it('still asks for the second factor afterwards', async () => {
    await ask('fay@example.com');
    const browser = new Browser(host);
    const link = linkIn(office.mailTo('fay@example.com'), '/user/recover_account');
    await browser.go(link);
    await browser.submit('/user/recover_account', { code: codeIn(link), ...fields });
    const answer = await browser.submit('/user/login', { user_name: 'fay', password: newPassword });
    expect(answer.headers.location).to.equal('/user/second');
    expect(browser.cookies.has('mortise_session')).to.be.false();
  });

  it('does not tell which addresses exist', async () => {
    const service = host.services.get(accounts);
    const external = await createAccount(host, 'external');
    await service.update(external.id, { sourceId: 7, loginName: 'external' });
    const prohibited = await createAccount(host, 'prohibited');
    await service.update(prohibited.id, { prohibitLogin: true });
    await host.settle();
    office.mails.length = 0;
    const plain = (text: string, email: string) =>
      text.replaceAll(email, 'X').replace(/value="[^"]*"|nonce-[^'"]*|nonce="[^"]*"|\/-\/[^"]*/g, '');
    const known = await ask('bob@example.com');
    expect(office.mails).to.have.length(1);
    for (const email of [
      'nobody@example.com',
      'external@example.com',
      'prohibited@example.com',
      'not an address',
      '',
    ]) {
      const answer = await ask(email);
      expect(answer.statusCode).to.equal(known.statusCode);
      if (email) expect(plain(answer.payload, email)).to.equal(plain(known.payload, 'bob@example.com'));
    }
    expect(office.mails).to.have.length(1);
    // each wish costs one job, and what is no address is not kept
    const jobs = await host.database.knex()('job').where('name', 'sessions.sendRecovery');
    expect(JSON.stringify(jobs)).to.not.include('not an address');
    const statements = async (email: string) => {
      const before = await host.database.knex()('job').where('name', 'sessions.sendRecovery');
      const browser = new Browser(host);
      await browser.go('/user/forgot_password');
      await browser.submit('/user/forgot_password', { email });
      return (await host.database.knex()('job').where('name', 'sessions.sendRecovery')).length - before.length;
    };
    expect([await statements('root@example.com'), await statements('no@example.com')]).to.equal([1, 1]);
    await host.settle();
  });

  it('sends few mails to one address, and few for one client', async () => {
    await host.database.write(async () => void (await host.database.knex()('mail_limit').delete()));
    for (let n = 0; n < 5; n++) expect((await ask('bob@example.com')).statusCode).to.equal(200);
    expect(office.mails).to.have.length(3);
    const answers = [];
    for (let n = 0; n < 20; n++) answers.push((await ask(`nobody${n}@example.com`)).statusCode);
    expect([answers[0], answers.at(-1)]).to.equal([200, 429]);
    await host.database.write(async () => void (await host.database.knex()('mail_limit').delete()));
  });

  it('takes no forged code, and none after the address or the account changed', async () => {
    const bob = (await host.services.get(accounts).byName('bob'))!;
    await ask('bob@example.com');
    const code = codeIn(linkIn(office.mailTo('bob@example.com'), 'recover_account'));
    const root = (await host.services.get(accounts).byName('root'))!;
    const browser = new Browser(host);
    await browser.go('/user/login');
    const recover = async (given: string) =>
      (await browser.submit('/user/recover_account', { code: given, ...fields })).statusCode;
    expect(await recover(code.replace(/^\d+/, String(root.id)))).to.equal(410);
    expect(await recover(code.replace(/\.\d{13}\./, (end) => `.${Number(end.slice(1, -1)) + 1}.`))).to.equal(410);
    await host.services.get(accounts).update(bob.id, { prohibitLogin: true });
    expect(await recover(code)).to.equal(410);
    await host.services.get(accounts).update(bob.id, { prohibitLogin: false, email: 'bob@new.example' });
    expect(await recover(code)).to.equal(410);
    await host.services.get(accounts).update(bob.id, { email: 'bob@example.com' });
    expect(await recover(code)).to.equal(200);
  });

  it('S15: a code is spent by its first use, also when six come at once', async () => {
    await host.database.write(async () => void (await host.database.knex()('mail_limit').delete()));
    await ask('bob@example.com');
    const code = codeIn(linkIn(office.mailTo('bob@example.com'), 'recover_account'));
    const browsers = Array.from({ length: 6 }, () => new Browser(host));
    for (const browser of browsers) await browser.go('/user/login');
    const answers = await Promise.all(
      browsers.map((browser, at) => {
        const password = `a new password ${at}`;
        return browser.submit('/user/recover_account', { code, password, retype: password });
      }),
    );
    expect(answers.map((one) => one.statusCode).sort()).to.equal([200, 410, 410, 410, 410, 410]);
  });

  it('is not there without mail', async () => {
    for (const plugins of [['sessions'], ['sessions', 'mail']]) {
      const plain = await startHost({ plugins });
      expect((await plain.inject('/user/login')).payload).to.not.include('Forgot password');
      for (const url of ['/user/forgot_password', '/user/recover_account?code=1', '/user/activate?code=1'])
        expect((await plain.inject(url)).statusCode, url).to.equal(404);
      await plain.close();
    }
  });
});

describe('accounts that are confirmed by mail', () => {
  let office: PostOffice;
  let host: TestHost;
  before(async () => {
    office = await PostOffice.start();
    host = await startHost({
      plugins: ['sessions', 'mail'],
      settings: { mailer: office.settings, service: { REGISTER_EMAIL_CONFIRM: true } },
    });
    await createAccount(host, 'root', { isAdmin: true });
  });
  after(async () => {
    await host?.close();
    await office?.close();
  });
  afterEach(() => void (office.mails.length = 0));

  const register = async (name: string) => {
    const browser = new Browser(host);
    await browser.go('/user/sign_up');
    const answer = await browser.submit('/user/sign_up', {
      user_name: name,
      email: `${name}@example.com`,
      password,
      retype: password,
    });
    await host.settle();
    return { browser, answer };
  };
  const byName = async (name: string) => (await host.services.get(accounts).byName(name))!;
  const primary = async (name: string) => (await host.services.get(emails).list((await byName(name)).id))[0]!;

  it('are inactive until the link was opened and the password given', async () => {
    const { browser, answer } = await register('ada');
    expect(answer.payload).to.include('A confirmation email has been sent to ada@example.com.');
    expect(browser.cookies.has('mortise_session')).to.be.false();
    expect((await byName('ada')).isActive).to.be.false();
    const signIn = await browser.submit('/user/login', { user_name: 'ada', password });
    expect(signIn.headers.location).to.equal('/user/activate');
    expect((await browser.go('/user/activate')).payload).to.include('Resend confirmation email');

    const link = linkIn(office.mailTo('ada@example.com'), '/user/activate');
    expect((await browser.go(link)).payload).to.include('<strong>ada</strong>');
    expect((await byName('ada')).isActive).to.be.false();
    const wrong = await browser.submit('/user/activate', { code: codeIn(link), password: 'not this one' });
    expect([wrong.statusCode, wrong.payload.includes('Incorrect password.')]).to.equal([401, true]);
    const done = await browser.submit('/user/activate', { code: codeIn(link), password });
    expect([done.statusCode, done.headers.location]).to.equal([303, '/']);
    expect(browser.cookies.has('mortise_session')).to.be.true();
    expect((await byName('ada')).isActive).to.be.true();
    expect(await primary('ada')).to.include({ isConfirmed: true });
    const other = new Browser(host);
    expect((await other.go(link)).statusCode).to.equal(410);
    // an administrator turns it off: neither the old link nor a new mail turns it on
    await host.services.get(accounts).update((await byName('ada')).id, { isActive: false });
    expect((await other.go(link)).statusCode).to.equal(410);
    await other.go('/user/activate');
    expect((await other.submit('/user/activate/resend', { user_name: 'ada', password })).statusCode).to.equal(401);
    expect((await other.submit('/user/login', { user_name: 'ada', password })).statusCode).to.equal(403);
  });

  it('S12: an address that somebody registered and never confirmed is free for its owner', async () => {
    const squatter = new Browser(host);
    const fields = { email: 'Olga@example.com', password, retype: password };
    await squatter.go('/user/sign_up');
    await squatter.submit('/user/sign_up', { user_name: 'squatter', ...fields });
    await host.settle();
    office.mails.length = 0;
    const { browser, answer } = await register('olga');
    expect(answer.payload).to.include('A confirmation email has been sent to olga@example.com.');
    const link = linkIn(office.mailTo('olga@example.com'), '/user/activate');
    expect((await browser.submit('/user/activate', { code: codeIn(link), password })).statusCode).to.equal(303);
    expect(await primary('olga')).to.include({ isVerified: true, isConfirmed: true, isProven: true });
    const service = host.services.get(accounts);
    expect((await service.byEmail('olga@example.com'))!.name).to.equal('olga');
    expect((await service.checkPassword('olga@example.com', password))!.name).to.equal('olga');
    // the other account waits, and nobody lets it in with this address
    const other = await byName('squatter');
    await expect(service.update(other.id, { isActive: true })).to.reject(/in use/);
    expect((await byName('squatter')).isActive).to.be.false();
    await service.update(other.id, { email: 'squatter@example.com' });
    expect((await service.update(other.id, { isActive: true })).isActive).to.be.true();
    expect((await register('olga2')).answer.statusCode).to.equal(200);
    await squatter.go('/user/sign_up');
    expect((await squatter.submit('/user/sign_up', { user_name: 'third', ...fields })).statusCode).to.equal(422);
  });

  it('get the mail again, a few times', async () => {
    const { browser } = await register('bob');
    const statuses = [];
    await browser.go('/user/activate');
    for (let n = 0; n < 5; n++)
      statuses.push(
        (await browser.submit('/user/activate/resend', { user_name: 'bob@example.com', password })).statusCode,
      );
    expect(statuses).to.equal([200, 200, 429, 429, 429]);
    expect(
      (await browser.submit('/user/activate/resend', { user_name: 'bob', password: 'wrong' })).statusCode,
    ).to.equal(401);
    await host.settle();
    expect(office.mails).to.have.length(3);
    const link = linkIn(office.mailTo('bob@example.com'), '/user/activate');
    // what an administrator decides meanwhile counts
    await host.services.get(accounts).update((await byName('bob')).id, { prohibitLogin: true });
    expect((await browser.go(link)).statusCode).to.equal(410);
  });

  it('wait for an administrator where mail is off', async () => {
    const plain = await startHost({
      plugins: ['sessions', 'mail'],
      settings: { service: { REGISTER_EMAIL_CONFIRM: true } },
    });
    await createAccount(plain, 'root', { isAdmin: true });
    const browser = new Browser(plain);
    await browser.go('/user/sign_up');
    const answer = await browser.submit('/user/sign_up', {
      user_name: 'eve',
      email: 'eve@example.com',
      password,
      retype: password,
    });
    expect(answer.payload).to.include('An administrator must activate it');
    expect((await browser.submit('/user/login', { user_name: 'eve', password })).statusCode).to.equal(403);
    await plain.close();
  });
});
