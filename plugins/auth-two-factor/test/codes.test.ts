import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { database } from '@mortise/plugin-sdk';
import { startHost, type TestHost } from '@mortise/plugin-sdk/testing';
import { accounts } from '@mortise/accounts/api';
import { createAccount } from '@mortise/accounts/testing';
import { secondFactors } from '../api.js';
import { RecoveryCodeRow } from '../models/recovery-code.js';
import { TotpRow } from '../models/totp.js';
import { arrive, basic, Browser, codeAt, enrol, isSignedIn, password, secretOf } from './support.js';

export const lab = Lab.script();
const { describe, it, before, after } = lab;

/** A new moment of codes would make a test wait: each uses those of the step before, now and the next one. */
describe('one-time codes', () => {
  let host: TestHost;
  before(async () => {
    host = await startHost({ plugins: ['sessions', 'auth-basic', 'auth-token', 'git-http', 'auth-two-factor'] });
  });
  after(() => host.close());

  const enrolled = async (name: string) => {
    const account = await createAccount(host, name);
    const browser = await Browser.signedIn(host, name);
    return { account, browser, ...(await enrol(browser)) };
  };
  const user = (headers: Record<string, string>) => host.inject({ url: '/api/v1/user', headers });

  it('are set up with a QR code and the secret, the password and a first code', async () => {
    const { id } = await createAccount(host, 'ada');
    const browser = await Browser.signedIn(host, 'ada');
    expect((await browser.go('/user/settings/security')).payload).to.contain('No authenticator app is set up.');
    const page = (await browser.go('/user/settings/security/two_factor/enroll')).payload;
    expect(page).to.contain('<svg');
    const secret = secretOf(page);
    expect(secret).to.match(/^[A-Z2-7]{32}$/);
    const encrypted = /name="secret" value="([^"]+)"/.exec(page)![1]!;
    const send = (fields: Record<string, string>) =>
      browser.submit('/user/settings/security/two_factor/enroll', { secret: encrypted, ...fields });
    const passcode = codeAt(secret, Date.now());
    const bad: Record<string, string>[] = [{ passcode }, { passcode, password: 'wrong' }, { passcode: '12', password }];
    for (const fields of bad) expect((await send(fields)).statusCode).to.equal(422);
    // the secret of the form is the site's own, made for this account
    expect((await send({ passcode, password, secret: 'JBSWY3DPEHPK3PXP' })).statusCode).to.equal(422);
    expect(await host.services.get(secondFactors).has(id)).to.be.false();
    const done = await send({ passcode, password });
    expect(done.statusCode).to.equal(200);
    const codes = /id="recovery-codes">([^<]+)</.exec(done.payload)![1]!.trim().split('\n');
    expect(new Set(codes).size).to.equal(10);
    expect(await host.services.get(secondFactors).of(id)).to.equal({ totp: true, keys: 0 });
    const after = (await browser.go('/user/settings/security')).payload;
    expect(after).to.contain('10 recovery codes are left.');
    const stored = JSON.stringify([
      await host.services.get(database).query(TotpRow),
      await host.services.get(database).query(RecoveryCodeRow),
    ]);
    for (const word of [secret, codes[0]!, codes[0]!.replace('-', '')]) expect(stored).not.to.contain(word);
  });

  it('are asked for when signing in, and lead to where one wanted', async () => {
    const { secret } = await enrolled('ben');
    const browser = await arrive(host, 'ben', '/explore');
    expect(await isSignedIn(browser)).to.be.false();
    const page = await browser.go('/user/two_factor');
    expect(page.statusCode).to.equal(200);
    expect(page.payload).to.contain('autocomplete="one-time-code"');
    const wrong = await browser.submit('/user/two_factor', { passcode: '12' });
    expect([wrong.statusCode, /The code is wrong/.test(wrong.payload)]).to.equal([401, true]);
    const right = await browser.submit('/user/two_factor', { passcode: ` ${codeAt(secret, Date.now())} ` });
    expect([right.statusCode, right.headers.location]).to.equal([303, '/explore']);
    expect(await isSignedIn(browser)).to.be.true();
    expect((await new Browser(host).go('/user/two_factor')).headers.location).to.equal('/user/login');
  });

  it('recovery codes are good once each, however they are typed, and are made anew', async () => {
    const { codes, browser } = await enrolled('cat');
    const use = async (passcode: string) => {
      const one = await arrive(host, 'cat');
      await one.submit('/user/two_factor', { passcode });
      return isSignedIn(one);
    };
    expect(await use(codes[0]!)).to.be.true();
    expect(await use(codes[0]!)).to.be.false();
    expect(await use(codes[1]!.toUpperCase().replace('-', ' '))).to.be.true();
    expect((await browser.go('/user/settings/security')).payload).to.contain('8 recovery codes are left.');
    const path = '/user/settings/security/recovery_codes';
    expect((await browser.submit(path, { password: 'wrong' })).statusCode).to.equal(422);
    expect((await browser.submit(path, { password })).payload).to.contain('recovery-codes');
    expect(await use(codes[2]!)).to.be.false();
  });

  it('end with the password only, and recovery codes with them', async () => {
    const { account, browser } = await enrolled('dan');
    const path = '/user/settings/security/two_factor/disable';
    const wrong = await browser.submit(path, { password: 'wrong' });
    expect([wrong.statusCode, /id="field-disable-password-error"/.test(wrong.payload)]).to.equal([422, true]);
    expect(await host.services.get(secondFactors).has(account.id)).to.be.true();
    expect((await browser.submit(path, { password })).statusCode).to.equal(303);
    expect(await host.services.get(secondFactors).has(account.id)).to.be.false();
    expect(await host.services.get(database).query(RecoveryCodeRow).where('user_id', account.id)).to.be.empty();
    expect(await isSignedIn(await arrive(host, 'dan'))).to.be.true();
  });

  it('TFA-01: second-factor bypass through basic: the password alone opens nothing', async () => {
    const { secret, account } = await enrolled('eve');
    const authorization = basic('eve');
    const refused = await user({ authorization });
    expect([refused.statusCode, refused.json.message]).to.equal([
      401,
      'two-factor authentication is enabled: send a one-time code in the header X-Gitea-OTP, or use an access token',
    ]);
    for (const url of ['/api/v1/user/repos', '/api/v1/repos/search', '/api/v1/users/eve/tokens'])
      expect((await host.inject({ url, headers: { authorization } })).statusCode, url).to.equal(401);
    expect((await user({ authorization, 'x-gitea-otp': '000000' })).statusCode).to.equal(401);
    const otp = codeAt(secret, Date.now());
    expect((await user({ authorization: basic('eve', 'wrong'), 'x-gitea-otp': otp })).statusCode).to.equal(401);
    const token = await host.inject({
      method: 'POST',
      url: '/api/v1/users/eve/tokens',
      headers: { authorization, 'x-gitea-otp': otp },
      payload: { name: 'machine', scopes: ['all'] },
    });
    expect(token.statusCode).to.equal(201);
    const next = codeAt(secret, Date.now(), 1);
    expect((await user({ authorization, 'x-mortise-otp': next })).statusCode).to.equal(200);
    const sha1: string = token.json.sha1;
    const asToken = { authorization: `token ${sha1}` };
    expect((await user(asToken)).statusCode).to.equal(200);
    const made = await host.inject({
      method: 'POST',
      url: '/api/v1/user/repos',
      headers: asToken,
      payload: { name: 'wheel', private: true },
    });
    expect(made.statusCode).to.equal(201);
    const git = (value: string) =>
      host.inject({ url: '/eve/wheel.git/info/refs?service=git-upload-pack', headers: { authorization: value } });
    expect((await git(authorization)).statusCode).to.equal(401);
    for (const value of [basic('eve', sha1), basic(sha1, '')]) expect((await git(value)).statusCode).to.equal(200);
    await host.services.get(secondFactors).reset(account.id);
    expect((await user({ authorization })).statusCode).to.equal(200);
  });

  it('second-factor bypass through a replayed code: each is good once, on every way in', async () => {
    const { secret } = await enrolled('fay');
    const passcode = codeAt(secret, Date.now());
    const first = await arrive(host, 'fay');
    await first.submit('/user/two_factor', { passcode });
    expect(await isSignedIn(first)).to.be.true();
    const second = await arrive(host, 'fay');
    expect((await second.submit('/user/two_factor', { passcode })).statusCode).to.equal(401);
    expect(await isSignedIn(second)).to.be.false();
    expect((await user({ authorization: basic('fay'), 'x-gitea-otp': passcode })).statusCode).to.equal(401);
    // an earlier one that was never used is no longer good either
    const earlier = codeAt(secret, Date.now(), -1);
    expect((await second.submit('/user/two_factor', { passcode: earlier })).statusCode).to.equal(401);
  });

  it('race of two requests with one code: one of them gets in', async () => {
    const { secret, codes } = await enrolled('gus');
    const passcode = codeAt(secret, Date.now());
    const headers = { authorization: basic('gus'), 'x-gitea-otp': passcode };
    const answers = await Promise.all(Array.from({ length: 8 }, () => user(headers)));
    expect(answers.filter(({ statusCode }) => statusCode === 200)).to.have.length(1);
    const browsers = await Promise.all(Array.from({ length: 4 }, () => arrive(host, 'gus')));
    await Promise.all(browsers.map((browser) => browser.submit('/user/two_factor', { passcode: codes[0]! })));
    const inside = await Promise.all(browsers.map(isSignedIn));
    expect(inside.filter(Boolean)).to.have.length(1);
  });

  it('second-factor bypass through the pending cookie: it signs nobody in, and is nobody else’s', async () => {
    await enrolled('hal');
    const other = await enrolled('ida');
    const browser = await arrive(host, 'hal');
    for (const url of ['/', '/user/settings/security', '/api/v1/user']) {
      const answer = await browser.go(url);
      expect(answer.payload, url).not.to.contain('Signed in as');
      if (url !== '/') expect(answer.statusCode, url).not.to.equal(200);
    }
    // the code of somebody else, with whom the attacker has an account
    const passcode = codeAt(other.secret, Date.now());
    expect((await browser.submit('/user/two_factor', { passcode })).statusCode).to.equal(401);
    // what was shown for one is not taken for the other
    const own = await arrive(host, 'ida');
    await own.submit('/user/two_factor', { passcode });
    expect(await isSignedIn(own)).to.be.true();
    browser.cookies.set('mortise_session', '');
    expect(await isSignedIn(browser)).to.be.false();
  });

  it('second-factor bypass through password reset: a new password is no second factor', async () => {
    const { account } = await enrolled('jan');
    const half = await arrive(host, 'jan');
    await host.services.get(accounts).update(account.id, { password: 'a whole new one' });
    // what was half done ends with the old password
    expect((await half.go('/user/two_factor')).headers.location).to.equal('/user/login');
    const browser = new Browser(host);
    await browser.go('/user/login');
    const answer = await browser.submit('/user/login', { user_name: 'jan', password: 'a whole new one' });
    expect(answer.headers.location).to.equal('/user/two_factor');
    expect(await isSignedIn(browser)).to.be.false();
  });
});

describe('guessing one-time codes', () => {
  let host: TestHost;
  before(async () => {
    host = await startHost({
      plugins: ['sessions', 'auth-basic', 'auth-two-factor'],
      settings: { security: { FAILED_LOGIN_LIMIT: 3, FAILED_LOGIN_ADDRESS_LIMIT: 200, FAILED_LOGIN_WINDOW: 3600 } },
    });
  });
  after(() => host.close());

  it('is slowed for an account and network; the owner gets in from another', async () => {
    await createAccount(host, 'kim');
    const { secret } = await enrol(await Browser.signedIn(host, 'kim'));
    const send = (address: string, otp: string) =>
      host.inject({
        url: '/api/v1/user',
        headers: { authorization: basic('kim'), 'x-gitea-otp': otp, 'x-forwarded-for': address },
      });
    const guesses = [];
    for (let index = 0; index < 5; index++) guesses.push((await send('203.0.113.1', '000000')).statusCode);
    expect(guesses).to.equal([401, 401, 401, 429, 429]);
    const otp = codeAt(secret, Date.now());
    expect((await send('203.0.113.1', otp)).statusCode).to.equal(429);
    expect((await send('203.0.113.2', otp)).statusCode).to.equal(200);
  });

  it('from many networks ends too, and recovery codes go on', async () => {
    const { id } = await createAccount(host, 'leo');
    const { secret, codes } = await enrol(await Browser.signedIn(host, 'leo'));
    const rows = () => host.services.get(database).query(TotpRow).findById(id);
    await host.services
      .get(database)
      .write(() =>
        host.services.get(database).query(TotpRow).findById(id).patch({ failures: 49, failing_since: Date.now() }),
      );
    const send = (otp: string) =>
      host.inject({ url: '/api/v1/user', headers: { authorization: basic('leo'), 'x-gitea-otp': otp } });
    expect((await send('000000')).statusCode).to.equal(401);
    expect((await rows())!.failures).to.equal(50);
    const refused = await send(codeAt(secret, Date.now()));
    expect([refused.statusCode, refused.headers['retry-after']]).to.equal([429, '600']);
    const browser = await arrive(host, 'leo');
    await browser.submit('/user/two_factor', { passcode: codes[0]! });
    expect(await isSignedIn(browser)).to.be.true();
  });
});
