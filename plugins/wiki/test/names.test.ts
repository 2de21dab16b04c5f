import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import {
  canonical,
  decodePath,
  fileOfName,
  isReserved,
  nameOfFile,
  nameOfTitle,
  titleOfFile,
  titleOfName,
} from '../services/page-names.js';
import { linkPages } from '../services/links.js';

export const lab = Lab.script();
const { describe, it } = lab;

const table: readonly (readonly [title: string, name: string, file: string])[] = [
  ['Home', 'Home', 'Home.md'],
  ['Two Words', 'Two-Words', 'Two-Words.md'],
  ['Well-Known', 'Well-Known.-', 'Well-Known.-.md'],
  ['2024-03-01 Meeting', '2024-03-01+Meeting.-', '2024-03-01 Meeting.-.md'],
  ['Guide/Chapter One', 'Guide%2FChapter-One', 'Guide%2FChapter-One.md'],
  ['100% Free', '100%25-Free', '100%25-Free.md'],
  ['Why? #1', 'Why%3F-%231', 'Why%3F-%231.md'],
  ['C++', 'C%2B%2B', 'C%2B%2B.md'],
  ['a+b c-d', 'a%2Bb+c-d.-', 'a%2Bb c-d.-.md'],
  ['Über Öfen', '%C3%9Cber-%C3%96fen', '%C3%9Cber-%C3%96fen.md'],
  ['日本語', '%E6%97%A5%E6%9C%AC%E8%AA%9E', '%E6%97%A5%E6%9C%AC%E8%AA%9E.md'],
  ['v1.2.3', 'v1.2.3', 'v1.2.3.md'],
  ['README.md', 'README.md.-', 'README.md.-.md'],
  ['ends with .-', 'ends+with+.-.-', 'ends with .-.-.md'],
  ["it's (a) *star*!", 'it%27s-%28a%29-%2Astar%2A%21', 'it%27s-%28a%29-%2Astar%2A%21.md'],
  ['_Sidebar', '_Sidebar', '_Sidebar.md'],
  ['two  blanks', 'two--blanks', 'two--blanks.md'],
  ['.git', '.git', '.git.md'],
  ['line\nfeed', 'line%0Afeed', 'line%0Afeed.md'],
];

describe('names of pages', () => {
  it('WIK-01: follow from each other in every direction', () => {
    for (const [title, name, file] of table) {
      expect(nameOfTitle(title), title).to.equal(name);
      expect(fileOfName(name), title).to.equal(file);
      expect(nameOfFile(file), title).to.equal(name);
      expect(titleOfName(name), title).to.equal(title);
      expect(titleOfFile(file), title).to.equal(title);
    }
  });

  it('understands names however they are escaped', () => {
    expect(canonical('%c3%9cber-%C3%96fen')).to.equal('%C3%9Cber-%C3%96fen');
    expect(canonical('Two%20Words')).to.equal('Two-Words');
    expect(canonical('Two+Words')).to.equal('Two-Words');
    expect(canonical("it's")).to.equal('it%27s');
    expect(canonical('100%')).to.equal('100%25');
    expect(decodePath('a%20b/%zz')).to.equal('a b/%zz');
  });

  it('understands files that were named without the rules', () => {
    expect(nameOfFile('Two Words.md')).to.equal('Two-Words');
    expect(nameOfFile('C++.md')).to.equal('C%2B%2B');
    expect(nameOfFile('folder/In side.md')).to.equal('folder/In-side');
    for (const no of ['.md', 'a/.md', 'picture.png', 'notes.txt', 'Home.MD'])
      expect(nameOfFile(no), no).to.be.undefined();
    expect(nameOfTitle('\ud800x')).to.equal('%EF%BF%BDx');
  });

  it('keeps the words of its own addresses', () => {
    for (const title of ['_pages', '_new', 'raw', 'a/_edit']) expect(isReserved(title), title).to.be.true();
    for (const title of ['_Sidebar', '_Footer', 'new', 'Raw']) expect(isReserved(title), title).to.be.false();
  });
});

describe('links between pages', () => {
  const wiki = '/ada/book/wiki';
  const link = (html: string) =>
    linkPages(html, { wiki, find: async (name) => (name === 'Home' || name === 'Two-Words' ? name : undefined) });

  it('makes [[Page]] and [[words|Page]] links, but not in code or in links', async () => {
    expect(await link('<p>[[Home]] [[go|Two Words]]</p>')).to.equal(
      `<p><a href="${wiki}/Home">Home</a> <a href="${wiki}/Two-Words">go</a></p>`,
    );
    for (const same of [
      '<code>[[Home]]</code>',
      '<pre><code>[[Home]]</code></pre>',
      '<a href="/x">[[Home]]</a>',
      '[[ ]]',
    ])
      expect((await link(same)).replace(/ $/, '')).to.equal(same === '[[ ]]' ? '' : same);
    expect(await link('[[Nope]]')).to.include('class="wiki-missing"');
    expect(await link('[[Home#Second Part]]')).to.include(`href="${wiki}/Home#user-content-second-part"`);
    expect(await link('[[the web|https://example.com/a&amp;b]]')).to.equal(
      '<a href="https://example.com/a&amp;b" rel="nofollow">the web</a>',
    );
    expect(await link('[[pic|img/a b.png]]')).to.include(`src="${wiki}/raw/img/a%20b.png"`);
    expect(await link(`<a href="${wiki}/Home#part">x</a>`)).to.include('#user-content-part');
    expect(await link('<a href="/elsewhere#part">x</a>')).to.include('/elsewhere#part');
  });

  it('cannot be used to break out of the address', async () => {
    for (const bad of ['&quot; onmouseover=&quot;alert(1)', 'javascript:alert(1)', '&lt;script&gt;', "'&gt;&lt;b"]) {
      const html = await link(`[[x|${bad}]]`);
      expect(
        html
          .match(/<[^>]*>/g)!
          .every((tag) => /^<\/?a( href="\/ada[^"<>]*" class="[\w-]+" title="[\w ]+")?>$/.test(tag)),
        html,
      ).to.be.true();
    }
    expect(await link('[['.repeat(50_000))).to.have.length(100_000);
  });
});
