import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { definePlugin, languagePacks } from '@mortise/plugin-sdk';
import { startHost, submitForm, type TestClient, type TestHost } from '@mortise/plugin-sdk/testing';
import { accounts as accountsRef, type Account } from '../api.js';

export const lab = Lab.script();
const { describe, it, before, after } = lab;

const pack = definePlugin({
  name: 'dutch',
  version: '1.0.0',
  sdk: '^1.0.0',
  register(host) {
    host.contribute(languagePacks, {
      language: 'nl-NL',
      name: 'Nederlands',
      texts: { accounts: { 'appearance.title': 'Weergave', 'keys.added': 'Toegevoegd op {date}' } },
    });
  },
});

describe('the language of an account', () => {
  let host: TestHost;
  let ada: Account;
  let client: TestClient;
  before(async () => {
    host = await startHost({ plugins: ['accounts', pack] });
    ada = await host.services
      .get(accountsRef)
      .create({ name: 'ada', email: 'ada@example.com', password: 'correct horse', mustChangePassword: false });
    client = host.as(ada);
  });
  after(() => host.close());

  const send = (url: string, fields: Record<string, string>, language = 'en') =>
    submitForm(client, url, fields, { 'accept-language': language });
  const choose = (language: string) =>
    send('/user/settings/appearance', { theme: 'auto', diff_view_style: 'unified', language });
  const lang = (html: string) => /<html lang="([^"]*)"/.exec(html)?.[1];

  it("is the browser's until one is chosen, which every page then has", async () => {
    const before = await client.inject({ url: '/user/settings/appearance', headers: { 'accept-language': 'de' } });
    expect(before.payload).to.contain(['lang="de-DE"', 'Systemvorgabe', 'selected>Vorgabe des Browsers']);
    expect((await choose('zh-CN')).statusCode).to.equal(303);
    const after = await client.inject({ url: '/user/settings/appearance', headers: { 'accept-language': 'de' } });
    expect(after.payload).to.contain(['lang="zh-CN"', '跟随系统', 'selected>简体中文']);
    expect(after.payload).to.contain('<a href="/user/settings/appearance">语言：简体中文</a>');
    expect((await client.inject('/api/v1/user/settings')).json.language).to.equal('zh-CN');
    // the footer's switch is for one page where an account has its own
    expect(lang((await client.inject('/user/settings?lang=de')).payload)).to.equal('de-DE');
    expect((await choose('xx-XX')).statusCode).to.equal(303);
    expect((await client.inject('/api/v1/user/settings')).json.language).to.equal('');
  });

  it('is that of refused forms, and of what they say about the field', async () => {
    const wrong = await send('/user/settings', { visibility: 'nowhere', location: 'x'.repeat(51) }, 'de');
    expect([wrong.statusCode, lang(wrong.payload)]).to.equal([422, 'de-DE']);
    expect(wrong.payload).to.contain('Ort darf höchstens 50 Zeichen lang sein.');
    const password = { old_password: 'wrong', password: 'something else', retype: 'something else' };
    expect((await send('/user/settings/account/password', password, 'zh-CN')).payload).to.contain('当前密码不正确。');
    const key = await send('/user/settings/keys', { title: 'x', key: 'not a key' });
    expect(key.payload).to.contain('This is not a public SSH key.');
  });

  it('leaves the API in English', async () => {
    const answer = await client.inject({
      method: 'POST',
      url: '/api/v1/user/keys',
      payload: { title: 'x', key: 'not a key' },
      headers: { 'accept-language': 'de' },
    });
    expect([answer.statusCode, answer.json.message]).to.equal([422, 'This is not a public SSH key.']);
  });

  it('can be one that another plugin brings; what it leaves out is English', async () => {
    expect((await choose('nl')).statusCode).to.equal(303);
    const page = await client.inject('/user/settings/appearance');
    expect(page.payload).to.contain([
      'lang="nl-NL"',
      '<title>Weergave · Settings',
      'Diff view',
      '>Nederlands</option>',
    ]);
  });

  it('shows profiles with its numbers and dates', async () => {
    const page = await host.inject({ url: '/ada', headers: { 'accept-language': 'zh-CN' } });
    expect(page.payload)
      .to.match(/<strong>0<\/strong> 位关注者/)
      .and.match(/加入于 \d{4}年\d+月\d+日/);
    expect((await host.inject('/ada')).payload).to.match(/<strong>0<\/strong> followers/);
  });
});

describe('the theme of an account', () => {
  it('[ui] THEMES: is one that may be chosen, else the default', async () => {
    const ui = { THEMES: 'gitea-dark, light, mine', DEFAULT_THEME: 'light' };
    const host = await startHost({ plugins: ['accounts'], settings: { ui } });
    try {
      const ada = await host.services
        .get(accountsRef)
        .create({ name: 'ada', email: 'ada@example.com', password: 'correct horse', mustChangePassword: false });
      const client = host.as(ada);
      const mode = async () =>
        /data-color-mode="(\w+)"/.exec((await client.inject('/user/settings/appearance')).payload)?.[1];
      const choose = (theme: string) =>
        submitForm(client, '/user/settings/appearance', { theme, diff_view_style: 'unified', language: '' });
      const { payload } = await client.inject('/user/settings/appearance');
      const [, options = ''] = /<select[^>]*name="theme"[^>]*>(.*?)<\/select>/s.exec(payload) ?? [];
      expect([...options.matchAll(/value="(\w+)"/g)].map(([, theme]) => theme)).to.equal(['light', 'dark']);
      expect(await mode()).to.equal('light');
      expect((await choose('dark')).statusCode).to.equal(303);
      expect(await mode()).to.equal('dark');
      expect((await choose('auto')).statusCode).to.equal(422);
      await host.services.get(accountsRef).update(ada.id, { theme: 'auto' });
      expect(await mode()).to.equal('light');
    } finally {
      await host.close();
    }
  });
});
