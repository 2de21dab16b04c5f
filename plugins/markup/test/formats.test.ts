import Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { closeAll, service } from './kit.js';

export const lab = Lab.script();
const { after, describe, it } = lab;

describe('formats beside Markdown', { timeout: 120_000 }, () => {
  const { markup } = service();
  const context = {
    linkBase: '/ada/wheel/src/branch/main',
    imageBase: '/ada/wheel/raw/branch/main',
    repository: 'ada/wheel',
  };
  const render = async (name: string, lines: readonly string[]) =>
    (await markup.renderFile(name, lines.join('\n'), context))!;
  after(closeAll);

  it('reStructuredText: titles, inline markup and references', async () => {
    const html = await render('README.rst', [
      '=====',
      'Wheel',
      '=====',
      '',
      'Part one',
      '--------',
      '',
      'Some *soft*, **loud**, ``code``, `site <https://example.com>`_, named_, `two words`_, |who|, :code:`x`,',
      ':math:`a^2`, :py:func:`~a.b`, https://example.org/x. a_b_c 2*3*4 [1]_ `Part one`_',
      '',
      '.. _named: docs/a.rst',
      '.. _two words: named_',
      '.. |who| replace:: *ada*',
      '.. [1] A note.',
      '.. a comment',
      '   over lines',
    ]);
    expect(html).to.include('<h1 id="user-content-wheel">Wheel').and.to.include('<h2 id="user-content-part-one">');
    expect(html)
      .to.include(
        '<em>soft</em>, <strong>loud</strong>, <code>code</code>, <a href="https://example.com" rel="nofollow">site</a>',
      )
      .and.to.include('<a href="/ada/wheel/src/branch/main/docs/a.rst" rel="nofollow">named</a>')
      .and.to.include(
        '<a href="/ada/wheel/src/branch/main/docs/a.rst" rel="nofollow">two words</a>, <em>ada</em>, <code>x</code>',
      )
      .and.to.include('<msup><mi>a</mi><mn>2</mn></msup>')
      .and.to.include('<code>a.b</code>')
      .and.to.include('>https://example.org/x</a>. a_b_c 2*3*4 <sup><a href="#user-content-note-1"')
      .and.to.include('<a href="#user-content-part-one" rel="nofollow">Part one</a>')
      .and.to.include('<p id="user-content-note-1">')
      .and.to.not.include('comment');
  });

  it('reStructuredText: lists, tables, code and directives', async () => {
    const html = await render('a.rst', [
      '* one',
      '',
      '  * deep',
      '* two',
      '',
      '3. three',
      '4. four',
      '',
      'term : kind',
      '   meaning',
      '',
      ':field: value',
      '',
      '| verse',
      '| two',
      '',
      'Code::',
      '',
      '   let a = "<b>";',
      '',
      '.. code-block:: js',
      '   :linenos:',
      '',
      '   let a = 1;',
      '',
      '.. warning:: Mind *this*.',
      '',
      '.. image:: p.png',
      '   :alt: A picture',
      '   :target: https://example.com',
      '',
      '.. list-table::',
      '   :header-rows: 1',
      '',
      '   * - A',
      '     - B',
      '   * - 1',
      '     - 2',
      '',
      '+---+-------+',
      '| a | b     |',
      '+===+=======+',
      '| 1 | - x   |',
      '|   | - y   |',
      '+---+-------+',
      '| joined    |',
      '+---+-------+',
      '',
      '===== =====',
      'h1    h2',
      '===== =====',
      'c     d',
      '===== =====',
      '',
      '.. unheard:: of',
      '',
      '   this <b>',
      '',
      '.. raw:: html',
      '',
      '   <script>alert(1)</script>',
    ]);
    expect(html)
      .to.include('<ol start="3">')
      .and.to.include('<dt>term <em>kind</em></dt>\n<dd>meaning</dd>')
      .and.to.include('<th>field</th><td>value</td>')
      .and.to.include('<p>verse<br />\ntwo</p>')
      .and.to.include('<p>Code:</p>')
      .and.to.include('<code>let a = "&lt;b&gt;";</code>')
      .and.to.include('<code class="language-js"><span class="hljs-keyword">let</span>')
      .and.to.include('<p class="markdown-alert-title">Warning</p>\n<p>Mind <em>this</em>.</p>')
      .and.to.include(
        '<a href="https://example.com" rel="nofollow"><img alt="A picture" loading="lazy" src="/ada/wheel/raw/branch/main/p.png" /></a>',
      )
      .and.to.include('<thead><tr><th>A</th><th>B</th></tr></thead><tbody><tr><td>1</td><td>2</td></tr>')
      .and.to.include('<td colspan="2">joined')
      .and.to.include('<li>x</li>\n<li>y</li>')
      .and.to.match(/<th>h1\s*<\/th><th>h2<\/th>/)
      .and.to.include('.. unheard:: of\n\n   this &lt;b&gt;')
      .and.to.include('&lt;script&gt;alert(1)&lt;/script&gt;');
  });

  it('Org: headings, inline markup, lists and blocks', async () => {
    const html = await render('README.org', [
      '#+TITLE: Wheel',
      '* TODO First :round:',
      ':PROPERTIES:',
      ':ID: secret',
      ':END:',
      'Some *loud*, /soft/, =code=, ~verb~, +gone+, _under_, [[https://example.com][site]], [[file:a.org][file]],',
      '[[./p.png]], https://example.org, H_{2}O, a/b/c 2*3*4 $x^2$ and [fn:1].',
      '- [X] done',
      '- [ ] open',
      '  - deep',
      '1. one',
      '- term :: meaning',
      '| a | b |',
      '|---+---|',
      '| 1 | 2 |',
      '#+BEGIN_SRC js',
      'let a = 1;',
      '#+END_SRC',
      '#+begin_quote',
      'said',
      '#+end_quote',
      ': fixed <b>',
      '#+BEGIN_EXPORT html',
      '<script>alert(1)</script>',
      '#+END_EXPORT',
      '# a comment',
      '#+INCLUDE: "/etc/passwd"',
      '',
      '[fn:1] A note.',
    ]);
    expect(html)
      .to.include('<h1 id="user-content-wheel">Wheel')
      .and.to.include('<code>TODO</code> First <small><code>round</code></small>')
      .and.to.include(
        '<strong>loud</strong>, <em>soft</em>, <code>code</code>, <code>verb</code>, <del>gone</del>, <ins>under</ins>',
      )
      .and.to.include(
        '<a href="https://example.com" rel="nofollow">site</a>, <a href="/ada/wheel/src/branch/main/a.org" rel="nofollow">file</a>',
      )
      .and.to.include('src="/ada/wheel/raw/branch/main/p.png"')
      .and.to.include('H<sub>2</sub>O, a/b/c 2*3*4 <math')
      .and.to.include('type="checkbox" disabled checked />done')
      .and.to.include('<dt>term</dt><dd>meaning</dd>')
      .and.to.include('<thead><tr><th>a</th><th>b</th></tr></thead>')
      .and.to.include('<span class="hljs-keyword">let</span>')
      .and.to.include('<blockquote><p>said</p>')
      .and.to.include('fixed &lt;b&gt;')
      .and.to.include('&lt;script&gt;')
      .and.to.include('<li id="user-content-fn-1">A note.</li>')
      .and.to.not.match(/secret|comment|passwd/);
  });

  it('AsciiDoc: what Asciidoctor makes of it, and nothing read or run', async () => {
    const html = await render('README.adoc', [
      '= Wheel',
      ':stem: latexmath',
      '',
      '== Part one',
      '',
      'Some *loud*, _soft_, `code`, https://example.com[site], xref:a.adoc[other], stem:[x^2], @nobody.',
      '',
      'NOTE: Mind this.',
      '',
      'include::/etc/passwd[]',
      '',
      '* [x] done',
      '',
      '[source,js]',
      '----',
      'let a = 1;',
      '----',
      '',
      '|===',
      '|a |b',
      '',
      '|1 |2',
      '|===',
      '',
      'image::p.png[A picture]',
      '',
      '++++',
      '<script>alert(1)</script>',
      '++++',
      '',
      'link:javascript:alert(1)[x]',
    ]);
    expect(html)
      .to.include('<h1>Wheel</h1>')
      .and.to.include('<h2 id="user-content-_part_one">')
      .and.to.include(
        '<strong>loud</strong>, <em>soft</em>, <code>code</code>, <a href="https://example.com" rel="nofollow">site</a>',
      )
      .and.to.include('href="/ada/wheel/src/branch/main/a.adoc"')
      .and.to.include('<msup><mi>x</mi><mn>2</mn></msup>')
      .and.to.include('<p class="markdown-alert-title">Note</p><p>Mind this.</p>')
      .and.to.include('>/etc/passwd</a>')
      .and.to.not.include('root:')
      .and.to.include('✓ done')
      .and.to.include('<span class="hljs-keyword">let</span>')
      .and.to.include('src="/ada/wheel/raw/branch/main/p.png"')
      .and.to.not.match(/<script|javascript:/);
  });

  it('S3: what is repeated without end stays within the limits', async () => {
    const { markup: bounded, results } = service({ settings: { RENDER_TIME_LIMIT: 10_000 } });
    for (const name of ['a.rst', 'a.org'])
      for (const unit of [
        '`',
        '*',
        '**a ',
        '|a ',
        '[[',
        '\\(',
        '$a ',
        '[fn:',
        '- a\n',
        'a\n b\n',
        '== ==\nx\n\n',
        '#+begin_x\n',
        ':a:\n',
        '.. a::\n',
      ])
        expect(
          await bounded.renderFile(name, unit.repeat(Math.ceil(60_000 / unit.length))),
          `${name} ${unit}`,
        ).to.exist();
    expect(results.filter((result) => result !== 'done')).to.be.empty();
    const deep = Array.from({ length: 2_000 }, (_, index) => `${' '.repeat(index % 300)}- a`).join('\n\n');
    for (const name of ['a.rst', 'a.org', 'a.adoc']) expect(await bounded.renderFile(name, deep), name).to.exist();
  });
});
