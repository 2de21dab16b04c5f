import Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import type { MemoryCache, PointReader, Site } from '@mortise/plugin-sdk';
import type { MarkupReference, MarkupRenderer } from '../api.js';
import { MarkupService } from '../services/markup.js';

export const lab = Lab.script();
const { describe, it } = lab;

const site = {
  rootUrl: 'https://example.com/git',
  basePath: '/git',
  url: (path: string) => `https://example.com/git${path}`,
  path: (path: string) => `/git${path}`,
} as Site;

function point<C>(...items: C[]): PointReader<C> {
  return { list: () => items, get: () => undefined, ownerOf: () => undefined };
}

function memory<V>(): MemoryCache<V> & { readonly values: Map<string, V> } {
  const values = new Map<string, V>();
  return {
    values,
    get: (key) => values.get(key),
    set: (key, value) => void values.set(key, value),
    delete: (key) => void values.delete(key),
    clear: () => values.clear(),
    load: async (key, loader) => values.get(key) ?? loader(),
  };
}

function service(references: MarkupReference[] = [], renderers: MarkupRenderer[] = []) {
  const rendered = memory<string>();
  return {
    rendered,
    markup: new MarkupService({
      site,
      renderers: point(...renderers),
      references: point(...references),
      rendered,
      highlighted: memory(),
    }),
  };
}

describe('markup', () => {
  it('renders tables, tasks, strikethrough and heading anchors', () => {
    const html = service().markup.renderMarkdown('# One two\n\n- [x] done\n\n~~gone~~\n\n| a |\n|---|\n| 1 |');
    expect(html).to.include('<h1 id="user-content-one-two">');
    expect(html).to.include('<input type="checkbox" disabled checked />done');
    expect(html).to.include('<del>gone</del>');
    expect(html).to.include('<td>1</td>');
  });

  it('takes out whatever could run', () => {
    const { markup } = service();
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
      expect(markup.renderMarkdown(text), text).to.not.match(
        /<(script|iframe|svg|style)|onerror|onload|(href|src)="\s*(java|data:)/i,
      );
  });

  it('leaves a link that may lead nowhere as its text, and closes what follows', () => {
    const { markup } = service();
    const html = markup.renderMarkdown('<a href="javascript:x">a</a> <a href="https://example.com">b</a> c');
    expect(html.trim()).to.equal('<p><span>a</span> <a href="https://example.com" rel="nofollow">b</a> c</p>');
  });

  it('is not held up by very many footnotes', () => {
    const count = 20_000;
    const numbers = Array.from({ length: count }, (_, at) => at);
    const text = `${numbers.map((at) => `[^${at}]`).join('')}\n\n${numbers.map((at) => `[^${at}]: x`).join('\n')}`;
    const start = process.cpuUsage();
    expect(service().markup.renderMarkdown(text)).to.include('>^0</a>');
    // Of the processor, not of the clock: others may be using the machine. It takes 0.4 s.
    expect(process.cpuUsage(start).user).to.be.below(10_000_000);
  });

  it('resolves relative links and images below their bases', () => {
    const html = service().markup.renderMarkdown('[a](../x.md) [b](/y.md) ![c](p.png) [d](#top)', {
      linkBase: '/git/ada/wheel/src/branch/main/docs',
      imageBase: '/git/ada/wheel/raw/branch/main/docs',
    });
    expect(html).to.include('href="/git/ada/wheel/src/branch/main/x.md"');
    expect(html).to.include('href="/git/ada/wheel/src/branch/main/y.md"');
    expect(html).to.include('src="/git/ada/wheel/raw/branch/main/docs/p.png"');
    expect(html).to.include('href="#user-content-top"');
  });

  it('leads to headings of other documents too', () => {
    const html = service().markup.renderMarkdown(
      '[a](x.md#set-up) [b](x.ts#L3) [c](https://example.com/y.md#z) [d](#)',
      {
        linkBase: '/ada/wheel/src/branch/main',
      },
    );
    expect(html).to.include('href="/ada/wheel/src/branch/main/x.md#user-content-set-up"');
    expect(html).to.include('href="/ada/wheel/src/branch/main/x.ts#L3"');
    expect(html).to.include('href="https://example.com/y.md#z"');
    expect(html).to.include('href="#"');
  });

  it('puts footnotes at the end, with ways there and back', () => {
    const html = service().markup.renderMarkdown('Said[^a] and done.\n\n[^a]: By *whom*?');
    const [, to] = /<sup><a href="#([^"]+)" id="([^"]+)"/.exec(html) ?? [];
    expect(to).to.equal('user-content-fn1');
    expect(html).to.include('<li id="user-content-fn1">').and.to.include('By <em>whom</em>?');
    expect(html).to.include('href="#user-content-fnref1"');
    expect(service().markup.renderMarkdown('no[^b]')).to.include('no[^b]');
  });

  it('answers requests of each mode and refuses unknown ones (MKP-01, MKP-02)', () => {
    const { markup } = service();
    expect(markup.renderRequest({ text: 'a\nb', mode: 'comment' })).to.include('<br />');
    expect(markup.renderRequest({ text: 'a\nb', mode: 'gfm' })).to.not.include('<br');
    expect(markup.renderRequest({ text: '[p](Other)', mode: 'wiki', context: 'ada/wheel' })).to.include(
      'href="https://example.com/git/ada/wheel/wiki/Other"',
    );
    expect(
      markup.renderRequest({
        text: '![p](p.png)',
        mode: 'file',
        filePath: 'docs/a.md',
        context: 'ada/wheel/src/branch/main/docs',
      }),
    ).to.include('/git/ada/wheel/media/branch/main/docs/p.png"');
    expect(() => markup.renderRequest({ text: 'a', mode: 'shouting' })).to.throw(/unknown mode/);
    expect(() => markup.renderRequest({ text: 'a', mode: 'file', filePath: 'a.nothing' })).to.throw(/nothing renders/);
  });

  it('links references of other plugins outside of code and links', () => {
    const issue: MarkupReference = {
      key: 'issue',
      pattern: /#(\d+)/g,
      link: (match, context) => (context.repository ? `/${context.repository}/issues/${match[1]}` : undefined),
    };
    const html = service([issue]).markup.renderMarkdown('see #12, `#13` and [#14](https://example.com)', {
      repository: 'ada/wheel',
    });
    expect(html).to.include('<a href="/git/ada/wheel/issues/12">#12</a>');
    expect(html).to.not.include('/issues/13');
    expect(html).to.not.include('/issues/14');
  });

  it('sanitizes what renderers of other plugins give, and shows tables of values', () => {
    const { markup } = service(
      [],
      [{ key: 'shout', endings: ['.shout'], render: (text) => `<b>${text}</b><script>x</script>` }],
    );
    expect(markup.renderFile('a.shout', 'hey')).to.equal('<b>hey</b>');
    expect(markup.renderFile('a.csv', 'a,"b,c"\n1,<i>')).to.include('<th>b,c</th>').and.to.include('&lt;i&gt;');
    expect(markup.renderFile('a.bin', 'x')).to.be.undefined();
  });

  it('colours each line by itself and escapes plain text', () => {
    const { markup } = service();
    const { lines, language } = markup.highlight('a.js', '/* one\ntwo */\nlet a = "<b>";\n');
    expect(language).to.equal('js');
    expect(lines).to.have.length(3);
    expect(lines[0]).to.match(/^<span class="hljs-comment">.*<\/span>$/);
    expect(lines[1]).to.match(/^<span class="hljs-comment">.*<\/span>$/);
    expect(lines[2]).to.include('&lt;b&gt;');
    expect(markup.highlight('notes.txt', '<b>').lines).to.equal(['&lt;b&gt;']);
  });

  it('takes names that every object has as names', () => {
    const { markup } = service();
    for (const name of ['constructor', '__proto__', 'toString', 'a.constructor', 'a.__proto__', 'b/valueOf'])
      expect(markup.highlight(name, '<b>'), name).to.equal({ lines: ['&lt;b&gt;'] });
  });

  it('tells the caches what results take', () => {
    const sizes: number[] = [];
    const sized = <V>(): MemoryCache<V> => ({
      ...memory<V>(),
      set: (_key, _value, options) => void sizes.push(options?.size ?? 0),
    });
    const kept = { rendered: sized<string>(), highlighted: sized<never>() };
    const markup = new MarkupService({ site, renderers: point(), references: point(), ...kept });
    markup.highlight('a.txt', '\n'.repeat(10_000));
    markup.renderMarkdown('ж'.repeat(10_000));
    expect(sizes[0]!).to.be.above(10_000 * 40);
    expect(sizes[1]!).to.be.above(10_000 * 2);
  });

  it('keeps a result under the hash of its text and context', () => {
    const { markup, rendered } = service();
    markup.renderMarkdown('one');
    markup.renderMarkdown('one');
    expect(rendered.values.size).to.equal(1);
    markup.renderMarkdown('one', { hardBreaks: true });
    expect(rendered.values.size).to.equal(2);
  });
});
