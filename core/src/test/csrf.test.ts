import { expect } from '@hapi/code';
import Lab from '@hapi/lab';
import {
  ChunkedRender,
  Csrf,
  csrfToken,
  FragmentCache,
  inEnglish,
  PostButton,
  withCsrf,
  type PageChunk,
} from '@mortise/plugin-sdk';
import { renderWhole, setFragmentRenderer } from '@mortise/plugin-sdk/host';
import { formsWithoutToken } from '@mortise/plugin-sdk/testing';
import { h, type VNode } from 'preact';
import { render } from 'preact-render-to-string';
import { CacheBudget } from '../cache/budget.js';
import { LruMemory } from '../cache/memory.js';
import { renderChunked, type Scope } from '../web/chunked-rendering.js';
import { RenderQueue } from '../web/render-queue.js';

export const lab = Lab.script();
const { describe, it, before, after } = lab;

/** The component; `token` as old plugins hand it down. */
const csrf = (token?: string): VNode => h(Csrf, token === undefined ? {} : { token }) as VNode;
const field = (token: string) => `<input type="hidden" name="_csrf" value="${token}"/>`;
const withToken = <T>(token: string, work: () => T): T => withCsrf(() => token, work);
const inPage = (token: string, node: VNode) => inEnglish(() => withToken(token, () => render(node)));

describe('the token of forms', () => {
  it('is that of the page that is rendered, and made when the first form asks', () => {
    expect(inPage('one', csrf())).to.equal(field('one'));
    expect(inPage('one', PostButton({ action: '/', children: 'Go' }))).to.include(field('one'));
    let made = 0;
    const page = withCsrf(
      () => `token ${++made}`,
      () => render(h('p', null, 'no form')),
    );
    expect([page, made]).to.equal(['<p>no form</p>', 0]);
  });

  it('is never that of another page, though both are rendered in turns', async () => {
    const renderQueue = new RenderQueue();
    const slow = function* (): Iterable<PageChunk> {
      for (let n = 0; n < 5; n++) {
        const end = performance.now() + 5;
        while (performance.now() < end);
        yield csrf();
      }
    };
    const page = async (token: string) => {
      const scope: Scope = (work) => withToken(token, work);
      const make = () => render(h('main', null, csrf(), h(ChunkedRender, { chunks: slow }), csrf()));
      return Buffer.concat(await renderChunked(renderQueue, scope, make)).toString();
    };
    const pages = await Promise.all(['one', 'two', 'three'].map(page));
    expect(pages).to.equal(['one', 'two', 'three'].map((token) => `<main>${field(token).repeat(7)}</main>`));
  });

  it('is known to nothing that goes on after the page', async () => {
    let later: Promise<string> | undefined;
    withToken('one', () => void (later = Promise.resolve().then(csrfToken)));
    await expect(later!).to.reject(/while a page is rendered/);
    expect(() => withToken('one', () => Promise.resolve())).to.throw(/asynchronous part before/);
    expect(csrfToken).to.throw(/while a page is rendered/);
    const failing = () => {
      throw new Error('no page');
    };
    expect(() => withToken('one', failing)).to.throw('no page');
    expect(csrfToken).to.throw(/while a page is rendered/);
  });

  it('is that of the page also where a plugin for SDK 1.0 hands one down; that counts outside of pages', () => {
    expect(inPage('one', csrf('old'))).to.equal(field('one'));
    expect(inPage('one', PostButton({ action: '/', csrf: 'old', children: 'Go' }))).to.include(field('one'));
    expect(render(csrf('old'))).to.equal(field('old'));
  });

  it('is missed in forms of this site that are sent by POST', () => {
    const form = (attributes: string, content = '') => `<form ${attributes}><b>${content}</b></form>`;
    const bad = [form('method="post" action="/a"'), form('class="x" method="post"', field(''))];
    const good = [
      form('method="post" action="/a"', field('one')),
      form('method="get"'),
      form('method="post" action="https://example.com/"'),
    ];
    expect(formsWithoutToken([...good, ...bad, ...good].join('\n'))).to.equal([
      '<form method="post" action="/a">',
      '<form class="x" method="post">',
    ]);
  });
});

describe('a cached fragment', () => {
  const cache = new LruMemory<string>(new CacheBudget(1 << 20).store());
  before(() => setFragmentRenderer({ render: (node) => renderWhole(() => render(node)), cache }));
  after(() => setFragmentRenderer(undefined));

  const forms: Readonly<Record<string, () => VNode>> = {
    'a form': () => h('form', null, csrf()),
    'a form that is handed a token': () => h('form', null, csrf('old')),
    'a button': () => PostButton({ action: '/', children: 'Go' }),
    'a token elsewhere': () => h('i', null, csrfToken()),
  };
  for (const [what, children] of Object.entries(forms)) {
    it(`is refused and not stored with ${what}`, () => {
      const fragment = (of: () => VNode) =>
        h(FragmentCache, { name: 'fixture.form', cacheKey: what, children: of }) as VNode;
      expect(() => inPage('one', fragment(children))).to.throw(/the part fixture\.form is cached for many visitors/);
      expect(
        inPage(
          'two',
          h(
            'main',
            null,
            fragment(() => h('p', null, 'no form')),
            csrf(),
          ),
        ),
      ).to.equal(`<main><p>no form</p>${field('two')}</main>`);
    });
  }
});
