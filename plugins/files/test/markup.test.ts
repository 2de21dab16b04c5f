import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { startHost, type TestClient, type TestHost } from '@mortise/plugin-sdk/testing';
import { accounts as accountsRef } from '@mortise/accounts/api';
import { bare } from './bare.js';

export const lab = Lab.script();
const { describe, it, before, after } = lab;
const base64 = (text: string) => Buffer.from(text).toString('base64');

describe('rendered texts of repositories', { timeout: 60_000 }, () => {
  let host: TestHost;
  let ada: TestClient;
  let ben: TestClient;
  let sha: string;
  let hidden: string;
  const send = (method: string, url: string, payload?: object, by: Pick<TestClient, 'inject'> = ada) =>
    by.inject({ method: method as 'GET', url, payload });
  const render = async (Text: string, options: object = {}, by: TestClient = ada) =>
    (
      await send('POST', '/api/v1/markup', { Text, Mode: 'comment', Context: 'ada/wheel', ...options }, by)
    ).payload.trim();
  const write = async (repository: string, path: string, text: string): Promise<string> => {
    const made = await send('POST', `/api/v1/repos/${repository}/contents/${path}`, { content: base64(text) });
    expect(made.statusCode).to.equal(201);
    return made.json.commit.sha as string;
  };

  before(async () => {
    host = await startHost({ plugins: ['refs', 'files', 'issues'] });
    const accounts = host.services.get(accountsRef);
    const make = async (name: string, visibility: 'public' | 'private') =>
      host.as(
        accounts.actorOf(
          await accounts.create({ name, email: `${name}@example.com`, password: 'long enough', visibility }),
          'test',
        ),
      );
    ada = await make('ada', 'public');
    ben = await make('ben', 'public');
    await make('shy', 'private');
    for (const [name, isPrivate] of [
      ['wheel', false],
      ['secret', true],
    ] as const)
      expect(
        (await send('POST', '/api/v1/user/repos', { name, private: isPrivate, default_branch: 'main' })).statusCode,
      ).to.equal(201);
    sha = await write('ada/wheel', 'README.md', '# Wheel\n\n`code` @ben [a](docs/a.md) ![p](p.png)');
    hidden = await write('ada/secret', 'README.md', '# Secret');
  });
  after(() => host.close());

  it('mentions lead to accounts that are there and that the reader may see', async () => {
    const root = host.site.rootUrl;
    expect(await render('hi @Ben, @nobody, a@ben.com @shy @ada/team x@ben')).to.equal(
      `<p>hi <a href="${root}/ben">@Ben</a>, @nobody, <a href="mailto:a@ben.com" rel="nofollow">a@ben.com</a> @shy @ada/team x@ben</p>`,
    );
    const shy = host.services.get(accountsRef);
    const self = host.as(shy.actorOf((await shy.byName('shy'))!, 'test'));
    expect(await render('@shy', {}, self)).to.include(`href="${root}/shy"`);
  });

  it('ids of commits lead there when they are there and may be seen', async () => {
    const repositoryPath = `${host.site.rootUrl}/ada/wheel`;
    const link = `<a href="${repositoryPath}/commit/${sha}"><code>${sha.slice(0, 10)}</code></a>`;
    expect(await render(`see ${sha}, ${sha.slice(0, 7)} and deadbeef`)).to.equal(
      `<p>see ${link}, <a href="${repositoryPath}/commit/${sha}"><code>${sha.slice(0, 7)}</code></a> and deadbeef</p>`,
    );
    expect(await render(`${sha}...${sha.slice(0, 8)}`)).to.include(`href="${repositoryPath}/compare/${sha}...${sha}"`);
    expect(await render(`ada/wheel@${sha}`, { Context: 'ada/other' })).to.include(
      `>ada/wheel@${sha.slice(0, 10)}</code></a>`,
    );
    expect(await render(`ada/secret@${hidden}`)).to.include('/ada/secret/commit/');
    for (const text of [`ada/secret@${hidden}`, hidden])
      expect(await render(text, {}, ben), text).to.equal(`<p>${text}</p>`);
    expect(await render(hidden, { Context: 'ada/secret' }, ben)).to.equal(`<p>${hidden}</p>`);
  });

  it('what one reader may see is not kept for another', async () => {
    const text = `both look at ada/secret@${hidden}`;
    expect(await render(text)).to.include('<a ');
    expect(await render(text, {}, ben)).to.not.include('<a ');
    expect(await render(text)).to.include('<a ');
  });

  it('issues of a tracker elsewhere lead there, by the style that is set', async () => {
    const track = async (external_tracker: object) =>
      expect(
        (await send('PATCH', '/api/v1/repos/ada/wheel', { has_issues: true, external_tracker })).statusCode,
      ).to.equal(200);
    const url = 'https://tracker.example';
    const format = `${url}/{user}/{repo}/{index}`;
    await track({ external_tracker_url: url, external_tracker_format: format, external_tracker_style: 'numeric' });
    expect(await render('see #12 and x#3')).to.equal(`<p>see <a href="${url}/ada/wheel/12">#12</a> and x#3</p>`);
    expect(await render('see #12', { Mode: 'markdown' })).to.equal('<p>see #12</p>');
    await track({ external_tracker_url: url, external_tracker_format: format, external_tracker_style: 'alphanumeric' });
    expect(await render('see ABC-12 and #12')).to.equal(
      `<p>see <a href="${url}/ada/wheel/ABC-12">ABC-12</a> and #12</p>`,
    );
    await track({
      external_tracker_url: url,
      external_tracker_format: format,
      external_tracker_style: 'regexp',
      external_tracker_regexp_pattern: 'task (\\d+)',
    });
    expect(await render('do task 7 now')).to.equal(`<p>do <a href="${url}/ada/wheel/7">task 7</a> now</p>`);
  });

  it('a home page shows the readme with its links, and what pages need', async () => {
    const { payload } = await send('GET', '/ada/wheel');
    expect(payload).to.include('<div class="markup Box-body');
    expect(payload).to.include('href="/ada/wheel/src/branch/main/docs/a.md"');
    expect(payload).to.include('src="/ada/wheel/raw/branch/main/p.png"');
    expect(payload).to.include('<a href="/ben">@ben</a>').and.to.include('class="anchor"');
  });

  it('a folder shows its best readme, in whatever format', async () => {
    const shown = async (folder: string) =>
      /id="readme">.*?<a href="[^"]*">([^<]*)<\/a>(.*)/s.exec(
        (await send('GET', `/ada/wheel/src/branch/main/${folder}`)).payload,
      );
    await write('ada/wheel', 'one/README.txt', 'plain *text*');
    expect((await shown('one'))?.slice(1).join()).to.match(/^README.txt,.*plain \*text\*/s);
    await write('ada/wheel', 'one/readme.rst', 'some ``rst``');
    expect((await shown('one'))?.slice(1).join()).to.match(/^readme.rst,.*<code>rst<\/code>/s);
    await write('ada/wheel', 'one/README.de.md', 'deutsch');
    expect((await shown('one'))?.[1]).to.equal('readme.rst');
    await write('ada/wheel', 'one/README.md', 'english');
    expect((await shown('one'))?.[1]).to.equal('README.md');
    await write('ada/wheel', 'two/readme.sh', 'echo');
    expect(await shown('two')).to.be.null();
    await write('ada/secret', '.github/README.adoc', '= Beside\n\nlink:a.md[a]');
    await send('DELETE', '/api/v1/repos/ada/secret/contents/README.md', {
      sha: (await send('GET', '/api/v1/repos/ada/secret/contents/README.md')).json.sha,
    });
    expect((await send('GET', '/ada/secret')).payload)
      .to.include('href="/ada/secret/src/branch/main/.github/README.adoc"')
      .and.to.include('href="/ada/secret/src/branch/main/.github/a.md"');
  });

  it('labels follow the language of the page, the text does not', async () => {
    await write('ada/wheel', 'docs/a.md', '> [!NOTE]\n> Note\n\n- [x] Completed task\n\n```\nx\n```');
    const page = async (lang: string) =>
      (await send('GET', `/ada/wheel/src/branch/main/docs/a.md?lang=${lang}`)).payload;
    expect(await page('en-US')).to.include('<p class="markdown-alert-title">Note</p>');
    const german = await page('de-DE');
    expect(german)
      .to.include('<p class="markdown-alert-title">Hinweis</p>\n<p>Note</p>')
      .and.to.include('aria-label="Erledigte Aufgabe" type="checkbox" disabled checked />Completed task')
      .and.to.include('Kopieren');
  });

  it('answers as clients of the compatible service know it', async () => {
    const link = 'https://example.com';
    const samples: readonly (readonly [string, string, object?])[] = [
      [
        '# One\n\n## Two\n\n*soft* **loud** ~~gone~~ `code`',
        '<h1>One</h1><h2>Two</h2><p><em>soft</em><strong>loud</strong><del>gone</del><code>code</code></p>',
      ],
      ['- a\n- b\n  1. c\n  2. d\n', '<ul><li>a</li><li>b <ol><li>c</li><li>d</li></ol></li></ul>'],
      ['> said\n\n---\n\nafter', '<blockquote><p>said</p></blockquote><hr><p>after</p>'],
      [
        `[site](${link}) <https://example.org>`,
        `<p><a href="${link}">site</a><a href="https://example.org">https://example.org</a></p>`,
      ],
      ['![alt text](https://example.com/p.png)', '<p><img src="https://example.com/p.png"></p>'],
      [
        '| a | b |\n|---|---|\n| 1 | 2 |',
        '<table><thead><tr><th>a</th><th>b</th></tr></thead><tbody><tr><td>1</td><td>2</td></tr></tbody></table>',
      ],
      [
        '- [ ] open\n- [x] done',
        '<ul><li><input type="checkbox">open</li><li><input type="checkbox" checked>done</li></ul>',
      ],
      ['```\nif (a < b) {}\n```', '<pre><code>if (a &lt; b) {} </code></pre>'],
      ['one\ntwo', '<p>one two</p>'],
      ['one\ntwo', '<p>one<br> two</p>', { Mode: 'comment' }],
      ['a <script>alert(1)</script> b', '<p>a b</p>'],
      ['[a](javascript:alert(1)) [b](data:text/html,x)', '<p>a b</p>'],
      [
        '[page](Other-Page)',
        `<p><a href="${host.site.rootUrl}/ada/wheel/wiki/Other-Page">page</a></p>`,
        { Wiki: true },
      ],
      ['', ''],
    ];
    for (const [text, expected, options] of samples)
      expect(bare(await render(text, { Mode: 'markdown', ...options })), text).to.equal(expected);
  });
});
