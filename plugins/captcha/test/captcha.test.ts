import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { defineService } from '@mortise/plugin-sdk';
import { startHost, type TestHost, type TestResponse } from '@mortise/plugin-sdk/testing';
import { accounts } from '@mortise/accounts/api';
import { createAccount, password } from '@mortise/accounts/testing';
import { Browser } from '@mortise/sessions/testing';
import type { Questions } from '../services/questions.js';

export const lab = Lab.script();
const { describe, it, before, after, afterEach } = lab;

const questions = defineService<Questions>('captcha.questions');
const known = async (host: TestHost, name: string) => (await host.services.get(accounts).byName(name)) !== undefined;
const newcomer = (name: string) => ({
  user_name: name,
  email: `${name}@example.com`,
  password,
  retype: password,
});

describe('a picture captcha', () => {
  let host: TestHost;
  const start = async (service: Record<string, unknown>, plugins = ['sessions', 'captcha']) => {
    host = await startHost({ plugins, settings: { service: { ENABLE_CAPTCHA: true, ...service } } });
    await createAccount(host, 'root', { isAdmin: true });
  };
  afterEach(() => host?.close());

  /** The question on a page, and its answer. */
  const asked = ({ payload }: TestResponse) => {
    const token = /name="img-captcha-id" value="([^"]+)"/.exec(payload)?.[1] ?? '';
    const digits = host.services.get(questions).open(token)?.digits ?? '';
    return { token, digits, fields: { 'img-captcha-id': token, 'img-captcha-response': digits } };
  };

  it('is asked of who registers, and of nobody else', async () => {
    await start({});
    const browser = new Browser(host);
    expect(asked(await browser.go('/user/login')).token).to.equal('');
    const page = await browser.go('/user/sign_up');
    const { token, fields } = asked(page);
    expect(page.payload).to.include(`src="/captcha/${token}"`).and.include('alt="Picture with 6 digits"');
    const wrongs: Record<string, string>[] = [
      {},
      { ...fields, 'img-captcha-response': '' },
      { 'img-captcha-response': '123456' },
    ];
    for (const wrong of wrongs) {
      const refused = await browser.submit('/user/sign_up', { ...newcomer('ada'), ...wrong });
      expect([refused.statusCode, refused.payload.includes('captcha was not solved')]).to.equal([422, true]);
      expect(refused.payload).to.include('value="ada@example.com"');
    }
    const fresh = asked(await browser.go('/user/sign_up'));
    expect((await browser.submit('/user/sign_up', { ...newcomer('ada'), ...fresh.fields })).statusCode).to.equal(303);
    expect(await known(host, 'ada')).to.be.true();
  });

  it('replay: each question is good for one answer, right or wrong', async () => {
    await start({});
    const browser = new Browser(host);
    const { fields } = asked(await browser.go('/user/sign_up'));
    const wrong = { ...fields, 'img-captcha-response': String((Number(fields['img-captcha-response']) + 1) % 1e6) };
    for (const [name, given] of [
      ['one', wrong],
      ['two', fields],
    ] as const) {
      expect((await browser.submit('/user/sign_up', { ...newcomer(name), ...given })).statusCode).to.equal(422);
      expect(await known(host, name)).to.be.false();
    }
    const again = asked(await browser.go('/user/sign_up')).fields;
    const both = ['three', 'four'].map((name) => {
      const one = new Browser(host);
      browser.cookies.forEach((value, key) => one.cookies.set(key, value));
      one.csrf = browser.csrf;
      return one.submit('/user/sign_up', { ...newcomer(name), ...again });
    });
    expect((await Promise.all(both)).map(({ statusCode }) => statusCode).sort()).to.equal([303, 422]);
  });

  it('is asked of who signs in, where the site says so, before the password is looked at', async () => {
    await start({ REQUIRE_CAPTCHA_FOR_LOGIN: true });
    const browser = new Browser(host);
    const page = await browser.go('/user/login');
    const credentials = { user_name: 'root', password };
    const refused = await browser.submit('/user/login', credentials);
    expect([refused.statusCode, refused.payload.includes('captcha was not solved')]).to.equal([422, true]);
    const { fields } = asked(page);
    expect((await browser.submit('/user/login', { ...credentials, ...fields })).statusCode).to.equal(303);
  });

  it('draws a picture for each question, which does not tell the answer', async () => {
    await start({});
    const { token } = asked(await new Browser(host).go('/user/sign_up'));
    const picture = await host.inject(`/captcha/${token}`);
    expect([picture.statusCode, picture.headers['content-type']]).to.equal([200, 'image/png']);
    expect(picture.rawPayload.subarray(1, 4).toString()).to.equal('PNG');
    expect((await host.inject(`/captcha/${token}`)).rawPayload.equals(picture.rawPayload)).to.be.true();
    const other = host.services.get(questions).make();
    expect((await host.inject(`/captcha/${other}`)).rawPayload.equals(picture.rawPayload)).to.be.false();
    const opened = Buffer.from(token, 'base64url').toString('latin1');
    expect(opened).not.to.include(host.services.get(questions).open(token)!.digits);
    const changed = `${token.slice(0, 40)}${token[40] === 'A' ? 'B' : 'A'}${token.slice(41)}`;
    for (const bad of ['x', 'A'.repeat(100), changed, 'a'.repeat(5000)])
      expect([bad.length, (await host.inject(`/captcha/${bad}`)).statusCode]).to.equal([bad.length, 404]);
  });

  it('does not start without what the settings ask for', async () => {
    await expect(start({ CAPTCHA_TYPE: 'missing' })).to.reject(/no plugin brings the captcha "missing"/);
    await expect(start({}, ['sessions'])).to.reject(/is the plugin captcha on/);
    const keyless = { CAPTCHA_TYPE: 'hcaptcha', HCAPTCHA_SITEKEY: 'site' };
    await expect(start(keyless)).to.reject(/HCAPTCHA_SITEKEY and HCAPTCHA_SECRET: .* needs both/);
  });

  it('leaves no trace when it is off', async () => {
    await start({ ENABLE_CAPTCHA: false });
    const browser = new Browser(host);
    const page = await browser.go('/user/sign_up');
    expect(page.payload).not.to.include('captcha');
    expect((await browser.submit('/user/sign_up', newcomer('ada'))).statusCode).to.equal(303);
    await host.close();
    await start({ ENABLE_CAPTCHA: false }, ['sessions']);
    expect((await host.inject('/captcha/x')).statusCode).to.equal(404);
  });
});

describe('captchas of services that verify them', () => {
  let verifier: Server;
  let received: URLSearchParams[] = [];
  let answer: { status: number; body: string } = { status: 200, body: '{"success": true}' };
  let url: string;

  before(async () => {
    verifier = createServer((request, response) => {
      let body = '';
      request.on('data', (chunk: Buffer) => (body += chunk.toString()));
      request.on('end', () => {
        received.push(new URLSearchParams(body));
        response.writeHead(answer.status, { 'content-type': 'application/json' }).end(answer.body);
      });
    });
    await new Promise<void>((resolve) => verifier.listen(0, '127.0.0.1', resolve));
    url = `http://127.0.0.1:${(verifier.address() as AddressInfo).port}`;
  });
  after(() => void verifier.close());

  for (const [type, field, source, settings] of [
    ['recaptcha', 'g-recaptcha-response', '127.0.0.1', { RECAPTCHA_SITEKEY: 'site', RECAPTCHA_SECRET: 'top secret' }],
    [
      'hcaptcha',
      'h-captcha-response',
      'https://*.hcaptcha.com',
      { HCAPTCHA_SITEKEY: 'site', HCAPTCHA_SECRET: 'top secret' },
    ],
    [
      'cfturnstile',
      'cf-turnstile-response',
      'https://challenges.cloudflare.com',
      { CF_TURNSTILE_SITEKEY: 'site', CF_TURNSTILE_SECRET: 'top secret' },
    ],
  ] as const)
    it(`${type}: takes what it verifies`, async () => {
      received = [];
      answer = { status: 200, body: '{"success": true}' };
      const addresses = { RECAPTCHA_URL: url, HCAPTCHA_VERIFY_URL: url, CF_TURNSTILE_VERIFY_URL: url };
      const host = await startHost({
        plugins: ['sessions', 'captcha'],
        settings: { service: { ENABLE_CAPTCHA: true, CAPTCHA_TYPE: type, ...settings, ...addresses } },
      });
      try {
        await createAccount(host, 'root', { isAdmin: true });
        const browser = new Browser(host);
        const page = await browser.go('/user/sign_up');
        const policy = String(page.headers['content-security-policy']);
        expect(policy).to.match(new RegExp(`script-src 'self'[^;]*${source.replaceAll('*', '\\*')}`));
        expect(page.payload).to.include('data-sitekey="site"').and.not.to.include('top secret');
        const elsewhere = String((await browser.go('/user/login')).headers['content-security-policy']);
        expect(elsewhere).to.include("script-src 'self';");
        await browser.go('/user/sign_up');
        const submit = (name: string, more = {}) => browser.submit('/user/sign_up', { ...newcomer(name), ...more });
        expect((await submit('none')).statusCode).to.equal(422);
        expect(received).to.have.length(0);
        answer = { status: 200, body: '{"success": false, "error-codes": ["timeout-or-duplicate"]}' };
        expect((await submit('wrong', { [field]: 'answer' })).statusCode).to.equal(422);
        for (const broken of [
          { status: 500, body: '' },
          { status: 200, body: 'no JSON' },
          { status: 200, body: '{"success": false, "error-codes": ["invalid-input-secret"]}' },
        ]) {
          answer = broken;
          const away = await submit('away', { [field]: 'answer' });
          expect([away.statusCode, away.payload.includes('could not be checked')]).to.equal([503, true]);
        }
        answer = { status: 200, body: '{"success": true}' };
        expect((await submit('ada', { [field]: 'answer' })).statusCode).to.equal(303);
        expect(Object.fromEntries(received.at(-1)!)).to.equal({
          secret: 'top secret',
          response: 'answer',
          sitekey: 'site',
        });
        for (const name of ['none', 'wrong', 'away']) expect([name, await known(host, name)]).to.equal([name, false]);
      } finally {
        await host.close();
      }
    });
});
