import Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import type { FileRendererModule, MarkupReference } from '../contract/markup.js';
import { closeAll, service } from './kit.js';

export const lab = Lab.script();
const { after, describe, it } = lab;

const shout: FileRendererModule = {
  key: 'shout',
  extensions: ['.shout'],
  module: new URL('./renderers/shout.js', import.meta.url),
};

describe('markup', { timeout: 60_000 }, () => {
  const { markup } = service();
  after(closeAll);

  it('renders tables, tasks, strikethrough and heading anchors', async () => {
    const html = await markup.render('# One two\n\n- [x] done\n\n~~gone~~\n\n| a |\n|---|\n| 1 |');
    expect(html).to.include('<h1 id="user-content-one-two">');
    expect(html).to.include('type="checkbox" disabled checked />done');
    expect(html).to.include('<del>gone</del>');
    expect(html).to.include('<td>1</td>');
  });

  it('takes out whatever could run', async () => {
    for (const text of [
      '<script>alert(1)</script>',
      '<img src=x onerror=alert(1)>',
      '[a](javascript:alert(1))',
      '[a](java\nscript:alert(1))',
      '<a href=" JaVaScRiPt:alert(1)">a</a>',
      '<iframe src="https://example.com"></iframe>',
      '<svg onload=alert(1)>',
      '[a](data:text/html,x)',
      '<style>body{display:none}</style>',
    ])
      expect(await markup.render(text), text).to.not.match(
        /<(script|iframe|svg|style)|onerror|onload|(href|src)="\s*(java|data:)/i,
      );
  });

  it('leaves a link that may lead nowhere as its text, and closes what follows', async () => {
    const html = await markup.render('<a href="javascript:x">a</a> <a href="https://example.com">b</a> c');
    expect(html.trim()).to.equal('<p><span>a</span> <a href="https://example.com" rel="nofollow">b</a> c</p>');
  });

  it('is not held up by very many footnotes', async () => {
    const count = 20_000;
    const numbers = Array.from({ length: count }, (_, at) => at);
    const text = `${numbers.map((at) => `[^${at}]`).join('')}\n\n${numbers.map((at) => `[^${at}]: x`).join('\n')}`;
    const start = process.cpuUsage();
    expect(await markup.render(text)).to.include('>^0</a>');
    // Of the processor, not of the clock: others may be using the machine. It takes 0.4 s.
    expect(process.cpuUsage(start).user).to.be.below(10_000_000);
  });

  it('resolves relative links and images below their bases', async () => {
    const html = await markup.render('[a](../x.md) [b](/y.md) ![c](p.png) [d](#top)', {
      linkBase: '/git/ada/wheel/src/branch/main/docs',
      imageBase: '/git/ada/wheel/raw/branch/main/docs',
    });
    expect(html).to.include('href="/git/ada/wheel/src/branch/main/x.md"');
    expect(html).to.include('href="/git/ada/wheel/src/branch/main/y.md"');
    expect(html).to.include('src="/git/ada/wheel/raw/branch/main/docs/p.png"');
    expect(html).to.include('href="#user-content-top"');
  });

  it('U15: gives whole addresses where its HTML is read elsewhere', async () => {
    const text =
      '![a](/attachments/0-0) [b](docs/x.md) ![c](img/a.png) [d](/x/y) [e](#f) <img src="/y.png" srcset="a.png 2x"> [g](../wiki)';
    const home = 'https://example.com/git/ada/wheel';
    for (const bases of [{}, { linkBase: `${home}/src/branch/main`, imageBase: `${home}/raw/branch/main` }]) {
      const html = await markup.render(text, { kind: 'comment', absolute: true, page: `${home}/issues/1`, ...bases });
      expect(html).to.include(`href="${home}/issues/1#user-content-f"`);
      if (!('linkBase' in bases)) continue;
      for (const [, address] of html.matchAll(/ (?:href|src|srcset)="([^"]*)"/g))
        expect(address!).to.startWith('https://example.com/git/');
    }
    const upload = '/attachments/0b8e4a6e-3a1f-4f39-8d57-7c4b8a0f9d11';
    expect(await markup.render(`![a](${upload})`, { absolute: true, imageBase: `${home}/raw/branch/main` })).to.include(
      `src="https://example.com/git${upload}"`,
    );
  });

  it('leads to headings of other documents too', async () => {
    const html = await markup.render('[a](x.md#set-up) [b](x.ts#L3) [c](https://example.com/y.md#z) [d](#)', {
      linkBase: '/ada/wheel/src/branch/main',
    });
    expect(html).to.include('href="/ada/wheel/src/branch/main/x.md#user-content-set-up"');
    expect(html).to.include('href="/ada/wheel/src/branch/main/x.ts#L3"');
    expect(html).to.include('href="https://example.com/y.md#z"');
    expect(html).to.include('href="#"');
  });

  it('puts footnotes at the end, with ways there and back', async () => {
    const html = await markup.render('Said[^a] and done.\n\n[^a]: By *whom*?');
    const [, to] = /<sup class="footnote-ref"><a href="#([^"]+)" id="([^"]+)"/.exec(html) ?? [];
    expect(to).to.equal('user-content-fn1');
    expect(html).to.include('<li id="user-content-fn1" class="footnote-item">').and.to.include('By <em>whom</em>?');
    expect(html).to.include('href="#user-content-fnref1"');
    expect(await markup.render('no[^b]')).to.include('no[^b]');
  });

  it('answers requests of each mode and refuses unknown ones (MKP-01, MKP-02)', async () => {
    expect(await markup.renderRequest({ text: 'a\nb', mode: 'comment' })).to.include('<br />');
    expect(await markup.renderRequest({ text: 'a\nb', mode: 'gfm' })).to.not.include('<br');
    expect(await markup.renderRequest({ text: '[p](Other)', mode: 'wiki', context: 'ada/wheel' })).to.include(
      'href="https://example.com/git/ada/wheel/wiki/Other"',
    );
    expect(
      await markup.renderRequest({
        text: '![p](p.png)',
        mode: 'file',
        filePath: 'docs/a.md',
        context: 'ada/wheel/src/branch/main/docs',
      }),
    ).to.include('/git/ada/wheel/media/branch/main/docs/p.png"');
    await expect(markup.renderRequest({ text: 'a', mode: 'shouting' })).to.reject(/Unknown mode: shouting/);
    await expect(markup.renderRequest({ text: 'a', mode: 'file', filePath: 'a.nothing' })).to.reject(
      /cannot be rendered/,
    );
  });

  it('links references outside of code and links, asked once for each text with all of them', async () => {
    const asked: (readonly string[])[] = [];
    const issue: MarkupReference = {
      key: 'issue',
      pattern: /(?<![\w&])#(\d+)\b/,
      isShort: true,
      async resolve(texts, { repository, actor }) {
        asked.push(texts);
        expect(actor.kind).to.equal('anonymous');
        return new Map(
          texts
            .filter((text) => text !== '#404')
            .map((text) => [text, { href: `/${repository}/issues/${text.slice(1)}` }]),
        );
      },
    };
    const other: MarkupReference = {
      key: 'other',
      pattern: /\bada\/wheel#(\d+)\b/,
      resolve: async (texts) =>
        new Map(texts.map((text) => [text, { href: 'https://example.org/?a&b', label: '<w>', isCode: true }])),
    };
    const { markup: linking } = service({ references: [issue, other] });
    const text = 'see #12, #12 and #404 & &#39; ada/wheel#3, `#13` and [#14](https://example.com)';
    const html = await linking.render(text, { kind: 'comment', repository: 'ada/wheel' });
    expect(html).to.include(
      'see <a href="/git/ada/wheel/issues/12">#12</a>, <a href="/git/ada/wheel/issues/12">#12</a>',
    );
    expect(html).to.include("and #404 &amp; '");
    expect(html).to.include('<a href="https://example.org/?a&amp;b"><code>&lt;w&gt;</code></a>');
    expect(html).to.not.include('/issues/13').and.to.not.include('/issues/14').and.to.not.include('/issues/3');
    expect(asked).to.equal([['#12', '#404']]);
    expect(await linking.render('see #12 and ada/wheel#3', { repository: 'ada/wheel' }))
      .to.include('see #12')
      .and.to.include('example.org');
    expect(await linking.render('see #12', { kind: 'comment', repository: 'ada/wheel', absolute: true })).to.include(
      'href="https://example.com/git/ada/wheel/issues/12"',
    );
  });

  it('asks once for the few references of many texts, and once for each text where they are many', async () => {
    const asked: (readonly string[])[] = [];
    const issue: MarkupReference = {
      key: 'issue',
      pattern: /#(\d+)\b/,
      async resolve(texts) {
        asked.push(texts);
        return new Map(texts.filter((text) => text !== '#404').map((text) => [text, { href: `/${text.slice(1)}` }]));
      },
    };
    const { markup: linking } = service({ references: [issue] });
    const linksOf = async (texts: readonly string[]) =>
      (await linking.renderAll(texts)).map((html) => [...html.matchAll(/href="\/git\/(\d+)"/g)].map(([, at]) => at));
    expect(await linksOf(['#1 and #2', 'none', '#404 and #3', '#2', '#404'])).to.equal([
      ['1', '2'],
      [],
      ['3'],
      ['2'],
      [],
    ]);
    expect(asked).to.equal([['#1', '#2', '#404', '#3']]);
    asked.length = 0;
    const many = Array.from({ length: 11 }, (_, at) => `#${at + 1}`);
    expect(await linksOf([many.slice(0, 6).join(' '), many.slice(6).join(' ')])).to.equal([
      ['1', '2', '3', '4', '5', '6'],
      ['7', '8', '9', '10', '11'],
    ]);
    expect(asked).to.equal([many.slice(0, 6), many.slice(6)]);
  });

  it('leaves references as text when their look-up fails', async () => {
    const broken: MarkupReference = {
      key: 'broken',
      pattern: /@\w+/,
      resolve: () => Promise.reject(new Error('no database')),
    };
    const { markup: linking, log } = service({ references: [broken] });
    expect(await linking.render('hi @ada <b>')).to.include('hi @ada <b>');
    expect(log[0]).to.include('no database');
  });

  it('sanitizes what renderers of other plugins give, and shows tables of values', async () => {
    const { markup: shouting } = service({ renderers: [shout] });
    const html = await shouting.renderFile('docs/a.SHOUT', 'hey');
    expect(html).to.include('<b>hey</b><p><em>ok</em></p>').and.to.include('hljs-keyword').and.to.not.include('script');
    expect(shouting.canRender('a.shout')).to.be.true();
    expect(await markup.renderFile('a.csv', 'a,"b,c"\n1,<i>'))
      .to.include('<th>b,c</th>')
      .and.to.include('&lt;i&gt;');
    expect(await markup.renderFile('a.bin', 'x')).to.be.undefined();
  });

  it('highlights each line by itself and escapes plain text', async () => {
    const { lines, language } = await markup.highlight('a.js', '/* one\ntwo */\nlet a = "<b>";\n');
    expect(language).to.equal('js');
    expect(lines).to.have.length(3);
    expect(lines[0]).to.match(/^<span class="hljs-comment">.*<\/span>$/);
    expect(lines[1]).to.match(/^<span class="hljs-comment">.*<\/span>$/);
    expect(lines[2]).to.include('&lt;b&gt;');
    expect((await markup.highlight('notes.txt', '<b>')).lines).to.equal(['&lt;b&gt;']);
  });

  it('takes names that every object has as names', async () => {
    for (const name of ['constructor', '__proto__', 'toString', 'a.constructor', 'a.__proto__', 'b/valueOf'])
      expect((await markup.highlight(name, '<b>')).lines, name).to.equal(['&lt;b&gt;']);
  });

  it('highlights many pieces of code in one turn', async () => {
    const { markup: fresh, results } = service();
    const pieces = [
      { fileName: 'a.js', text: 'let a = 1;' },
      { fileName: 'b.unknown', text: '<' },
      { fileName: 'c/a.js', text: 'let a = 1;' },
    ];
    const [one, two, three] = await fresh.highlightAll(pieces);
    expect(one!.lines[0]).to.include('hljs-keyword');
    expect(two!.lines).to.equal(['&lt;']);
    expect(three).to.equal(one);
    expect(await fresh.highlightAll(pieces)).to.equal([one, two, three]);
    expect(results).to.equal(['done', 'cached', 'cached', 'cached']);
  });

  it('tells the caches what results take', async () => {
    const { markup: fresh, caches } = service();
    await fresh.highlight('a.txt', 'x'.repeat(10_000));
    await fresh.render('ж'.repeat(10_000));
    expect([...caches.get('markup.highlighted')!.sizes.values()][0]!).to.be.above(10_000);
    expect([...caches.get('markup.rendered')!.sizes.values()][0]!).to.be.above(20_000);
  });

  it('keeps a result under the hash of its text and options, wherever it is shown', async () => {
    const { markup: fresh, caches } = service();
    const kept = caches.get('markup.rendered')!.values;
    expect(await fresh.render('[a](b)', { linkBase: '/one' })).to.include('/one/b');
    expect(await fresh.render('[a](b)', { linkBase: '/two' })).to.include('/two/b');
    expect(kept.size).to.equal(1);
    await fresh.render('[a](b)', { kind: 'comment' });
    expect(kept.size).to.equal(2);
  });
});
