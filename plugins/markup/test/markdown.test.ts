import Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { closeAll, service } from './kit.js';

export const lab = Lab.script();
const { after, describe, it } = lab;

describe('Markdown as people know it', { timeout: 60_000 }, () => {
  const { markup } = service();
  after(closeAll);

  it('shows alerts, and quotations that only look like them', async () => {
    const html = await markup.render(
      '> [!WARNING]\n> Mind the *gap*.\n\n> [!note]\n>\n> - one\n\n> [!NOTE] no\n\n> [!OTHER]\n> x',
    );
    expect(html)
      .to.include(
        '<div class="markdown-alert markdown-alert-warning">\n<p class="markdown-alert-title">Warning</p>\n<p>Mind the <em>gap</em>.</p>\n</div>',
      )
      .and.to.include('<p class="markdown-alert-title">Note</p>\n<ul>\n<li>one</li>')
      .and.to.include('<blockquote>\n<p>[!NOTE] no</p>')
      .and.to.include('[!OTHER]');
    expect(await markup.render('> [!NOTE]')).to.include('markdown-alert-title');
    expect(await markup.render('> > [!TIP]\n> > x\n>\n> y')).to.match(
      /<blockquote>\s*<div class="markdown-alert[^]*<\/div>\s*<p>y/,
    );
  });

  it('gives task boxes labels and no other text', async () => {
    const html = await markup.render('- [x] done\n- [ ] open\n  1. [X] deep');
    expect(html).to.include('<ul class="contains-task-list">').and.to.include('<ol class="contains-task-list">');
    expect(html).to.include('<input aria-label="Completed task" type="checkbox" disabled checked />done');
    expect(html).to.include('<input aria-label="Incomplete task" type="checkbox" disabled />open');
    expect(await markup.render('- [x]done')).to.not.include('<input');
  });

  it('knows names of emoji, outside of code, and those of objects are none', async () => {
    expect(await markup.render(':tada: `:tada:` :nothing: 10:30:45 :constructor:\n\n    :tada:')).to.equal(
      '<p>🎉 <code>:tada:</code> :nothing: 10:30:45 :constructor:</p>\n<div class="markup-code"><pre tabindex="0"><code>:tada:\n</code></pre></div>\n',
    );
    expect(markup.emojify('ship :rocket: <b> :+1:')).to.equal('ship 🚀 <b> 👍');
  });

  it('makes MathML of formulas, and leaves money alone', async () => {
    const html = await markup.render(
      '$x^2$ costs $5 or $6, $`a_b`$ and \\$1$.\n\n$$\n\\frac{a}{b}\n$$\n\n```math\n\\sqrt 2\n```',
    );
    expect(html)
      .to.include('<msup><mi>x</mi><mn>2</mn></msup>')
      .and.to.include('costs $5 or $6')
      .and.to.include('<msub><mi>a</mi><mi>b</mi></msub>')
      .and.to.include('<div class="markup-math"><math xmlns="http://www.w3.org/1998/Math/MathML" display="block">')
      .and.to.include('<mfrac>')
      .and.to.include('<msqrt>');
    expect(await markup.render('$\\unknown$'))
      .to.include('<code class="markup-error"')
      .and.to.include('\\unknown</code>');
    expect(await service({ settings: { ENABLE_MATH: false } }).markup.render('$x^2$')).to.include('$x^2$');
  });

  it('lets formulas run, load and grow nothing', async () => {
    const bomb = `\\def\\a{xxxxxxxxxx}${[...'bcdefghij'].map((name, index) => `\\def\\${name}{${`\\${'abcdefghij'[index]}`.repeat(10)}}`).join('')}\\j`;
    for (const formula of [
      '\\href{javascript:alert(1)}{x}',
      '\\includegraphics{https://example.com/x.png}',
      '\\htmlClass{a}{x}',
      '\\htmlStyle{position:fixed}{x}',
      '\\url{javascript:alert(1)}',
      '\\text{<script>alert(1)</script>}',
      '\\text{</math><img src=x onerror=alert(1)>}',
      '\\unicode{<x>}',
      bomb,
    ]) {
      const html = await markup.render(`\`\`\`math\n${formula}\n\`\`\``);
      expect(html.length < 20_000, formula.slice(0, 40)).to.be.true();
      expect(html, formula.slice(0, 40)).to.not.match(/<(?:script|img|a|style)\b|(?:href|src|style)="/);
    }
  });

  it('leaves diagrams as code that a script may draw', async () => {
    expect(await markup.render('```mermaid\ngraph TD; A-->B\n```')).to.include(
      '<pre tabindex="0"><code class="language-mermaid">graph TD; A--&gt;B\n</code></pre>',
    );
  });

  it('links addresses, www. and mail, as far as they go', async () => {
    const html = await markup.render('www.example.com/a_b. https://example.org/x(y), a@example.com read.me node.js');
    expect(html)
      .to.include('<a href="http://www.example.com/a_b" rel="nofollow">www.example.com/a_b</a>.')
      .and.to.include('<a href="https://example.org/x(y)" rel="nofollow">')
      .and.to.include('<a href="mailto:a@example.com" rel="nofollow">a@example.com</a> read.me node.js');
  });

  it('shows front matter of files as a table, and only there', async () => {
    const text = '---\ntitle: <Hi>\ntags: [a, b]\n---\n# One';
    const html = await markup.renderFile('a.md', text);
    expect(html)
      .to.include('<th>title</th>')
      .and.to.include('<td>&lt;Hi&gt;</td>')
      .and.to.include('<td>a</td><td>b</td>');
    expect(html).to.include('>One');
    expect(await markup.render(text)).to.include('<hr />');
    expect(await markup.renderFile('a.md', '---\nnot\n---\nx')).to.include('<code class="language-yaml">not');
    expect(await markup.renderFile('a.md', '---\na: [\n---\nx')).to.include('<hr />');
    expect(await markup.renderFile('a.md', '---\na: &a [x]\nb: [*a, *a]\n---\nx')).to.not.include('<th>');
    expect(await markup.renderFile('a.md', 'x\n\n---\na: b\n---\n')).to.not.include('<th>');
    const deep = `a: ${'['.repeat(60)}${']'.repeat(60)}`;
    expect(await markup.renderFile('a.md', `---\n${deep}\n---\nx`)).to.not.include('<th>');
  });

  it('hides comments and keeps harmless tags', async () => {
    const html = await markup.render(
      '<!-- secret -->H<sub>2</sub>O <kbd>Ctrl</kbd>\n<details open><summary>s</summary>t</details>',
    );
    expect(html)
      .to.include('H<sub>2</sub>O <kbd>Ctrl</kbd>')
      .and.to.include('<details open')
      .and.to.not.include('secret');
  });

  it('reads pictures of every size and theme below their base', async () => {
    const html = await markup.render(
      '<picture><source media="(prefers-color-scheme: dark)" srcset="d.png, d2.png 2x"><img src="l.png"></picture>',
      { imageBase: '/ada/wheel/raw/branch/main' },
    );
    expect(html).to.include('srcset="/ada/wheel/raw/branch/main/d.png, /ada/wheel/raw/branch/main/d2.png 2x"');
  });

  it('makes no scheme of a relative address', async () => {
    for (const text of [
      '<a href="./javascript:alert(1)">a</a>',
      '[a](./javascript:alert%281%29)',
      '<a href="././java&#9;script:x">a</a>',
    ])
      expect(await markup.render(text), text).to.match(/href="\.\//);
  });

  it('U8: gives headings the anchors that GitHub gives them', async () => {
    const idsOf = async (text: string) =>
      [...(await markup.render(text)).matchAll(/<h\d id="user-content-([^"]*)"/g)].map(([, id]) => id);
    for (const [heading, id] of [
      ['A & B', 'a--b'],
      ['C++ / C# (x)', 'c--c-x'],
      ['Setup & Config!', 'setup--config'],
      ['snake_case and-dash', 'snake_case-and-dash'],
      ['`code` *em* [link](x)', 'code-em-link'],
      ['Ünïcode 中文', 'ünïcode-中文'],
      [':tada: News', 'tada-news'],
      ['🎉 News', '-news'],
      ['What’s new?', 'whats-new'],
    ] as const)
      expect(await idsOf(`## ${heading}`), heading).to.equal([id]);
    expect(await idsOf('# A\n# A\n# A-1\n# A')).to.equal(['a', 'a-1', 'a-1-1', 'a-2']);
  });

  it('U8: keeps ids of several texts on one page apart, and their links with them', async () => {
    const text = '# A\n\nx[^1] [a](#a) <a name="b"></a>\n\n[^1]: note';
    const texts = await markup.renderAll([text, text, `${text}s`], { kind: 'comment' });
    const ids = texts.flatMap((html) => [...html.matchAll(/ (?:id|name)="([^"]+)"/g)].map(([, id]) => id!));
    expect(new Set(ids).size).to.equal(ids.length);
    for (const html of texts)
      for (const [, target] of html.matchAll(/href="#([^"]+)"/g)) expect(html).to.include(`id="${target}"`);
    const [own, ...others] = await markup.renderAll([text, text], {}, 1);
    expect(own).to.equal(await markup.render(text));
    expect(others[0])
      .to.equal((await markup.renderAll([text]))[0])
      .and.to.not.equal(own);
    const named = await markup.render('`id="user-content-x"`', { idScope: 'one' });
    expect(named).to.include('<code>id="user-content-x"</code>');
  });

  it('U8: prefixes names as it prefixes ids and links', async () => {
    expect(await markup.render('[go](#here) <a name="here"></a>')).to.equal(
      '<p><a href="#user-content-here" rel="nofollow">go</a> <a name="user-content-here"></a></p>\n',
    );
  });

  it('U8: strikes what stands between one tilde or two', async () => {
    for (const [text, html] of [
      ['~one~', '<del>one</del>'],
      ['~~two~~', '<del>two</del>'],
      ['~~a~ b~~', '<del>a~ b</del>'],
      ['~~~~no~~~~ ~~~no~~~', '~~~~no~~~~ ~~~no~~~'],
      ['x ~a~~', 'x ~a~~'],
      ['*~a~* [~b~](c)', '<em><del>a</del></em> <a href="c" rel="nofollow"><del>b</del></a>'],
      ['~/bin and ~/lib', '~/bin and ~/lib'],
      ['\\~no\\~ `~no~`', '~no~ <code>~no~</code>'],
    ] as const)
      expect(await markup.render(`x ${text}`), text).to.equal(`<p>x ${html}</p>\n`);
  });

  it('U8: finds the end of a formula behind escaped marks and braces', async () => {
    const formulasOf = async (text: string) =>
      [...(await markup.render(text)).matchAll(/<annotation[^>]*>([^<]*)</g)].map(([, source]) => source);
    expect(await formulasOf('$x = \\$$')).to.equal(['x = \\$']);
    expect(await formulasOf('$a$$b$')).to.equal(['a', 'b']);
    expect(await formulasOf('$\\text{$b$}$ and $c$')).to.equal(['\\text{$b$}', 'c']);
    expect(await formulasOf('costs $5 or $6, ${a} and ${b}')).to.equal([]);
    expect(await formulasOf('$a$b')).to.equal([]);
  });

  it('links headings in pages and nowhere else', async () => {
    expect(await markup.render('## A b')).to.equal(
      '<h2 id="user-content-a-b">A b<a class="anchor" href="#user-content-a-b" aria-label="Link to this section"></a></h2>\n',
    );
    expect(await markup.render('## A b', { absolute: true })).to.equal('<h2 id="user-content-a-b">A b</h2>\n');
  });

  it('shows whole addresses of this site short', async () => {
    const sha = '0123456789abcdef0123456789abcdef01234567';
    const url = 'https://example.com/git/ada/wheel';
    const show = async (text: string) =>
      /<a [^>]*>(.*)<\/a>/.exec(await markup.render(text, { repository: 'ada/wheel', kind: 'comment' }))?.[1];
    expect(await show(`${url}/issues/3`)).to.equal('#3');
    expect(await show(`${url}/pulls/3#issuecomment-7`)).to.equal('!3 (comment)');
    expect(await show('https://example.com/git/ada/other/issues/3')).to.equal('ada/other#3');
    expect(await show(`${url}/commit/${sha}`)).to.equal('<code>0123456789</code>');
    expect(await show(`${url}/compare/main...dev`)).to.equal('<code>main...dev</code>');
    expect(await show(`${url}/settings`)).to.equal(`${url}/settings`);
    expect(await show(`[${url}](${url}/issues/3)`)).to.equal(url);
    expect(await show('https://other.example/git/ada/wheel/issues/3')).to.include('other.example');
  });

  it('renders titles and messages without structure', async () => {
    expect(await markup.renderMessage('# Fix `a<b` :bug:, see https://example.com/x.\n\n<b> **x**')).to.equal(
      '# Fix <code>a&lt;b</code> 🐛, see <a href="https://example.com/x" rel="nofollow">https://example.com/x</a>.\n\n&lt;b&gt; **x**',
    );
  });

  it('matches patterns of users in time that grows with the text', async () => {
    const { markup: linking } = service({
      references: [
        {
          key: 'tracker',
          pattern: async () => '(a+)+!|X-[0-9]+',
          resolve: async (texts) => new Map(texts.map((text) => [text, { href: `https://example.org/${text}` }])),
        },
        { key: 'broken', pattern: async () => '(', resolve: async () => new Map() },
        { key: 'none', pattern: async () => undefined, resolve: async () => new Map() },
      ],
      settings: { RENDER_TIME_LIMIT: 5_000 },
    });
    expect(await linking.render(`X-12 ${'a'.repeat(5_000)}`)).to.include('<a href="https://example.org/X-12">X-12</a>');
  });
});
