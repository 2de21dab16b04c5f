import { createRequire } from 'node:module';
import { expect } from '@hapi/code';
import Lab from '@hapi/lab';
import {
  Ago,
  currentLanguage,
  defineRoute,
  defineTexts,
  formatAgo,
  formatDate,
  formatList,
  formatNumber,
  formatSize,
  inEnglish,
  inLanguage,
  Invalid,
  IslandTexts,
  Language,
  NotFound,
  type Route,
  strictTexts,
  type Translation,
  webPage,
} from '@mortise/plugin-sdk';
import { islandTexts } from '@mortise/plugin-sdk/client';
import { watchTexts } from '@mortise/plugin-sdk/testing';
import { h } from 'preact';
import { renderToString } from 'preact-render-to-string';
import { createLanguages } from '../web/languages.js';
import { as, headerAuth, httpKit } from './http-kit.js';

export const lab = Lab.script();
const { describe, it, afterEach } = lab;

const sdk = createRequire(import.meta.url).resolve('@mortise/plugin-sdk/package.json');
const { IntlMessageFormat } = createRequire(sdk)('intl-messageformat') as {
  IntlMessageFormat: new (pattern: string, tag: string) => { format(values: never): string };
};

const en = {
  title: 'Stars',
  files: '{count, plural, one {# file} other {# files}} of {name}',
  taken: 'The name "{name}" is already taken.',
  rich: 'Signed in as <b>{name}</b>',
  quoted: "It''s {name}''s",
} as const;
const de: Translation<typeof en> = {
  title: 'Sterne',
  files: '{count, plural, one {# Datei} other {# Dateien}} von {name}',
  taken: 'Der Name „{name}“ ist bereits vergeben.',
  rich: 'Angemeldet als <b>{name}</b>',
  quoted: 'Es gehört {name}',
};
const t = defineTexts('fixture', en, { de });

const english = new Language('en-US');
const german = new Language('de-DE');
const chinese = new Language('zh-CN');

const Body = () =>
  h('p', {}, t('files', { count: 6158, name: 'ada' }), ' ', t.rich('rich', { name: 'ada', b: (of) => h('b', {}, of) }));

const routes: Route[] = [
  defineRoute({
    method: 'GET',
    path: '/page',
    access: { actor: 'anyone' },
    handler: () => webPage({ title: t.later('title'), body: h(Body, {}) }),
  }),
  defineRoute({
    method: 'GET',
    path: '/made',
    access: { actor: 'anyone' },
    handler: () => webPage(() => ({ title: t('title'), body: h('p', {}, t('taken', { name: 'x' })), status: 201 })),
  }),
  ...(['/refused', '/api/v1/refused'] as const).map((path) =>
    defineRoute({
      method: 'GET',
      path,
      access: { actor: 'anyone' },
      handler: () => {
        throw Invalid(t.later('taken', { name: '<x>' }));
      },
    }),
  ),
  ...(['/compatible', '/api/v1/compatible'] as const).map((path) =>
    defineRoute({
      method: 'GET',
      path,
      access: { actor: 'anyone' },
      handler: () => {
        throw NotFound('user redirect does not exist [name: x]', { text: t.later('title') });
      },
    }),
  ),
];

const settingsOf = {
  key: 'fixture',
  settingsPath: '/user/settings/account',
  language: async (actor: { name: string }) => (actor.name === 'ada' ? 'zh-CN' : undefined),
};
const pack = {
  language: 'fr-FR',
  name: 'Français',
  texts: { fixture: { title: 'Étoiles' }, core: { 'shell.skip': 'Aller au contenu' } },
};
const kit = (more: object = {}) =>
  httpKit({
    routes,
    contributions: { 'core.authMethods': [headerAuth], 'core.language': [settingsOf], 'core.languagePacks': [pack] },
    ...more,
  });

describe('texts', () => {
  afterEach(() => strictTexts(false));

  it('are made in the language of the page that is rendered', () => {
    expect(inLanguage(german, () => t('files', { count: 1, name: 'ada' }))).to.equal('1 Datei von ada');
    expect(inLanguage(german, () => t('files', { count: 6158, name: 'ada' }))).to.equal('6.158 Dateien von ada');
    expect(inLanguage(english, () => t('files', { count: 6158, name: 'ada' }))).to.equal('6,158 files of ada');
    expect(inEnglish(() => t('quoted', { name: 'ada' }))).to.equal("It's ada's");
    expect(
      inLanguage(chinese, () => t('title')),
      'a language without the catalogue',
    ).to.equal('Stars');
  });

  it('hold elements where they are asked for', () => {
    const html = inLanguage(german, () => renderToString(h(Body, {})));
    expect(html).to.equal('<p>6.158 Dateien von ada Angemeldet als <b>ada</b></p>');
  });

  it('are put together as the library for ICU messages does', () => {
    const b = (of: unknown) => ['<', ...[of].flat(), '>'] as never;
    const table: readonly [pattern: string, values: Record<string, string | number | typeof b>][] = [
      ['{n} of {name}', { n: 1234.5, name: '' }],
      ['{n, number} and {n}', { n: 1234567.89 }],
      ['{n, plural, =0 {none} one {# file} other {# files}}', { n: 0 }],
      ['{n, plural, =0 {none} one {# file} other {# files}}', { n: 1 }],
      ['{n, plural, offset:1 =1 {you} one {you and # more} other {you and # more}}', { n: 2 }],
      ['{n, plural, offset:1 =1 {you} one {you and # more} other {you and # more}}', { n: 4321 }],
      ['{n, selectordinal, one {#st} two {#nd} few {#rd} other {#th}}', { n: 22 }],
      [
        '{kind, select, fork {a fork, {n, plural, one {one} other {#}} <b>x {n}</b>} other {none}}',
        { kind: 'fork', n: 3, b },
      ],
      ['{kind, select, fork {a fork} other {none of {n, number, percent}}}', { kind: 'x', n: 0.5 }],
      ['<b>{n, plural, one {<b>#</b>} other {# <b>a</b>b}}</b> c', { n: 3, b }],
      ["it''s '{quoted}'", {}],
    ];
    for (const language of [english, german, chinese, new Language('ar-EG')])
      for (const [pattern, values] of table) {
        const { rich } = defineTexts('table', { pattern });
        const made = inLanguage(language, () => rich('pattern', values as never));
        // a text that only English has is made in English
        expect(made, `${language.tag} ${pattern}`).to.equal(
          new IntlMessageFormat(pattern, 'en-US').format(values as never),
        );
      }
    for (const tag of ['de-DE', 'ar-EG', 'pl-PL'])
      for (const [pattern, values] of table) {
        const { rich } = defineTexts('table', { pattern }, { [tag]: { pattern } });
        const made = inLanguage(new Language(tag), () => rich('pattern', values as never));
        expect(made, `${tag} ${pattern}`).to.equal(new IntlMessageFormat(pattern, tag).format(values as never));
      }
  });

  it('take texts as values, made in the same language', () => {
    const nested = t.later('taken', { name: t.later('title') });
    expect([inLanguage(german, nested), inEnglish(nested)]).to.equal([
      'Der Name „Sterne“ ist bereits vergeben.',
      'The name "Stars" is already taken.',
    ]);
  });

  it('are English outside of a page, which is an error in tests', async () => {
    expect(t('title')).to.equal('Stars');
    strictTexts();
    expect(() => t('title')).to.throw(/a text of fixture is made while no page/);
    expect(() => formatNumber(1)).to.throw(/while no page/);
    expect(() => inEnglish(() => t('files', { name: 'x' }))).to.throw();
    expect(() => inEnglish(() => Promise.resolve())).to.throw(/asynchronous/);
    expect(() => inEnglish(() => t.later('title')())).not.to.throw();
    // the scope is gone after an error too
    expect(() =>
      inLanguage(german, () => {
        throw new Error('x');
      }),
    ).to.throw('x');
    expect(() => currentLanguage()).to.throw();
  });

  it('are not lost in an element that holds the function', () => {
    watchTexts();
    expect(() => h('p', {}, t.later('title') as never)).to.throw(/textOf/);
    expect(() => h('p', {}, 'a', ['b', t.later('title') as never])).to.throw(/textOf/);
  });

  it('still show something in production when a value is missing', () => {
    expect(inLanguage(german, () => t('taken', {}))).to.contain('bereits vergeben');
    expect(inLanguage(german, () => t('files', {}))).to.contain('Dateien');
  });

  it("make errors English for the API and logs, and the visitor's for pages", () => {
    const problem = Invalid(t.later('taken', { name: 'x' }));
    expect(problem.message).to.equal('The name "x" is already taken.');
    expect(inLanguage(german, problem.text as () => string)).to.equal('Der Name „x“ ist bereits vergeben.');
  });
});

describe('numbers, dates and sizes', () => {
  it('are written as the language does', () => {
    const now = Date.UTC(2026, 4, 3, 14, 5, 9);
    const all = () => [
      formatNumber(1234.5, 1),
      formatDate(now),
      formatDate(now, 'month'),
      formatSize(1536),
      formatSize(12),
      formatAgo(now - 3 * 86_400_000, now),
      formatAgo(now + 1000, now),
      formatList(['ada', 'grace']),
    ];
    expect(inLanguage(english, all)).to.equal([
      '1,234.5',
      'May 3, 2026',
      'May 2026',
      '1.5 KiB',
      '12 B',
      '3 days ago',
      'just now',
      'ada and grace',
    ]);
    expect(inLanguage(german, all)).to.equal([
      '1.234,5',
      '03.05.2026',
      'Mai 2026',
      '1,5 KiB',
      '12 B',
      'vor 3 Tagen',
      'gerade eben',
      'ada und grace',
    ]);
    expect(inLanguage(chinese, all).slice(5)).to.equal(['3天前', '刚刚', 'ada和grace']);
    expect(inEnglish(() => formatDate(8.7e15))).to.equal('');
  });

  it('say how long ago something was, and when exactly', () => {
    const html = inLanguage(german, () => renderToString(h(Ago, { time: Date.UTC(2020, 0, 2) })));
    expect(html).to.match(
      /^<time datetime="2020-01-02T00:00:00.000Z" title="Donnerstag, 2. Januar 2020.*">vor \d+ Jahren</,
    );
    expect(inEnglish(() => renderToString(h(Ago, { time: 8.7e15 })))).to.equal('<time>just now</time>');
  });
});

describe('the language of a page', () => {
  const lang = (html: string) => /<html lang="([^"]*)"/.exec(html)?.[1];
  const asked = async (headers: Record<string, string>, url = '/page', more: object = {}) => {
    const answer = await (await kit(more)).inject({ url, headers });
    return { lang: lang(answer.payload), answer };
  };

  it('is what the browser asks for', async () => {
    const table: readonly (readonly [string, string])[] = [
      ['de', 'de-DE'],
      ['de-AT, en;q=0.5', 'de-DE'],
      ['en;q=0.5, zh-Hans', 'zh-CN'],
      ['zh-SG', 'zh-CN'],
      ['zh-TW, de;q=0.1', 'de-DE'],
      ['fr-CA', 'fr-FR'],
      ['tlh, *', 'en-US'],
      ['de;q=0, en', 'en-US'],
      ['', 'en-US'],
      [';;;q=,,,=', 'en-US'],
      ['x'.repeat(5000), 'en-US'],
      ['not-a-tag-at-all-because-it-is-much-too-long', 'en-US'],
    ];
    for (const [header, expected] of table)
      expect((await asked({ 'accept-language': header })).lang, header).to.equal(expected);
  });

  it('a page in a language says Vary: Accept-Language to caches', async () => {
    const { answer } = await asked({ 'accept-language': 'de' });
    expect(answer.headers['content-language']).to.equal('de-DE');
    expect(String(answer.headers.vary)).to.contain('accept-language').and.contain('cookie');
    expect(answer.headers['cache-control']).to.contain('private');
    expect(answer.payload).to.contain(['<title>Sterne · Fixture</title>', 'Zum Inhalt springen', '6.158 Dateien']);
  });

  it("is the account's before the browser's", async () => {
    const headers = { ...as({ name: 'ada' }), 'accept-language': 'de', cookie: 'lang=fr-FR' };
    expect((await asked(headers)).lang).to.equal('zh-CN');
    expect((await asked({ ...as({ name: 'bob' }), 'accept-language': 'de' })).lang).to.equal('de-DE');
    const failing = { ...settingsOf, language: async () => Promise.reject(new Error('no database')) };
    const lost = { contributions: { 'core.authMethods': [headerAuth], 'core.language': [failing] } };
    expect((await asked({ ...as(), 'accept-language': 'de' }, '/page', lost)).lang).to.equal('de-DE');
  });

  it('is chosen with ?lang=, which the browser keeps', async () => {
    const { inject } = await kit();
    const chosen = await inject({ url: '/page?lang=de', headers: { 'accept-language': 'en' } });
    expect(lang(chosen.payload)).to.equal('de-DE');
    const cookie = /(lang=[^;]+); Path=\/; Max-Age=31536000/.exec(String(chosen.headers['set-cookie']))![1]!;
    expect(lang((await inject({ url: '/page', headers: { cookie } })).payload)).to.equal('de-DE');
    for (const odd of ['lang=tlh', 'lang=', 'lang=de&lang=en', 'lang=%00']) {
      const answer = await inject(`/page?${odd}`);
      expect(lang(answer.payload), odd).to.equal('en-US');
      expect(String(answer.headers['set-cookie']), odd).not.to.contain('lang=');
    }
  });

  it('can be switched at the foot of every page without scripts', async () => {
    const { inject } = await kit();
    const { payload } = await inject('/page?q=a%26b&lang=de');
    expect(payload).to.contain([
      'href="/page?q=a%26b&amp;lang=en-US" lang="en-US"',
      'lang="zh-CN"',
      '>Français<',
      'rel="nofollow" aria-current="true">Deutsch',
    ]);
    const signedIn = await inject({ url: '/page', headers: as({ name: 'bob' }) });
    expect(signedIn.payload).to.contain('href="/user/settings/account">Language: English').and.not.contain('lang=de');
  });

  it('is one of those that [i18n] offers, the first where nothing is asked for', async () => {
    const limited = { settings: { i18n: { LANGS: 'xx-XX, de-DE,en-US', NAMES: 'X, Hochdeutsch' } } };
    expect((await asked({ 'accept-language': 'zh-CN' }, '/page', limited)).lang).to.equal('de-DE');
    expect((await asked({}, '/page', limited)).answer.payload).to.contain('Hochdeutsch');
    expect(
      (await asked({ 'accept-language': 'de' }, '/page', { settings: { i18n: { LANGS: 'en-US', NAMES: '' } } })).lang,
    ).to.equal('en-US');
  });

  it('comes with texts of language packs; what they leave out is English', async () => {
    const { answer } = await asked({ 'accept-language': 'fr' });
    expect(answer.payload).to.contain(['<title>Étoiles', 'Aller au contenu', 'files of ada']);
  });

  it('holds for errors, whose API texts stay English', async () => {
    const { inject } = await kit();
    const headers = { 'accept-language': 'de' };
    const page = await inject({ url: '/refused', headers: { ...headers, accept: 'text/html' } });
    expect([page.statusCode, lang(page.payload)]).to.equal([422, 'de-DE']);
    expect(page.payload).to.contain(['Ungültige Eingabe', 'Der Name „&lt;x>“ ist bereits vergeben.']);
    const script = await inject({ url: '/refused', headers: { ...headers, accept: 'application/json' } });
    expect(JSON.parse(script.payload).message).to.contain('bereits vergeben');
    const api = await inject({ url: '/api/v1/refused', headers });
    expect(JSON.parse(api.payload).message).to.equal('The name "<x>" is already taken.');
    const compatible = await inject({ url: '/api/v1/compatible', headers });
    expect(JSON.parse(compatible.payload).message).to.equal('user redirect does not exist [name: x]');
    expect((await inject({ url: '/compatible', headers })).payload)
      .to.contain('Sterne')
      .and.not.contain('redirect');
    const missing = await inject({ url: '/nowhere', headers });
    expect([missing.statusCode, missing.payload.includes('Seite nicht gefunden')]).to.equal([404, true]);
  });

  it('holds for pages that are functions', async () => {
    const { answer } = await asked({ 'accept-language': 'de' }, '/made');
    expect([answer.statusCode, answer.payload.includes('<title>Sterne'), answer.payload.includes('vergeben')]).to.equal(
      [201, true, true],
    );
  });
});

describe('the texts of islands', () => {
  const scope = globalThis as unknown as { document?: object };
  afterEach(() => void delete scope.document);

  it('come with the page, with the placeholders that the island fills in', () => {
    const texts = { saved: inLanguage(german, () => t('taken', { name: '{name}' })), plain: '"<&' };
    const html = renderToString(h(IslandTexts, { name: 'fixture', texts }));
    const messages = /data-messages="([^"]*)"/.exec(html)![1]!.replaceAll('&quot;', '"').replaceAll('&lt;', '<');
    const element = { dataset: { messages: messages.replaceAll('&amp;', '&') } };
    scope.document = { querySelector: (selector: string) => (selector === '[data-texts="fixture"]' ? element : null) };
    const text = islandTexts<'saved' | 'plain' | 'none'>('fixture');
    expect([text('saved', { name: 'x' }), text('saved'), text('plain'), text('none')]).to.equal([
      'Der Name „x“ ist bereits vergeben.',
      'Der Name „{name}“ ist bereits vergeben.',
      '"<&',
      'none',
    ]);
    expect(islandTexts('other')('saved')).to.equal('saved');
  });
});

describe('the languages service', () => {
  const points = { reader: () => ({ list: () => [], get: () => undefined, ownerOf: () => undefined }) };
  const languages = createLanguages({ LANGS: '', NAMES: '' }, points);

  it('makes texts for mails and jobs in the language that they choose', () => {
    expect(languages.offered().map(({ tag }) => tag)).to.include(['en-US', 'de-DE', 'zh-CN', 'ja-JP']);
    expect(languages.in('de', () => t('title'))).to.equal('Sterne');
    expect(languages.in('', () => t('title'))).to.equal('Stars');
    expect(languages.in('tlh', () => t('title'))).to.equal('Stars');
  });
});
