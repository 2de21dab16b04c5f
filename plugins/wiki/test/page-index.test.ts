import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { fileOfName, isRuly, nameOfFile } from '../services/page-names.js';
import { PageIndex } from '../services/page-index.js';

export const lab = Lab.script();
const { describe, it } = lab;
const oid = (index: number) => index.toString(16).padStart(40, '0');
const row = (path: string, index = 0, mode = '100644', type = 'blob') => `${mode} ${type} ${oid(index)}\t${path}\0`;

describe('the index of pages', () => {
  it('holds pages only, with their names', () => {
    const index = new PageIndex(
      [
        row('.md'),
        row('Two Words.md', 1),
        row('Well-Known.-.md', 2, '100755'),
        row('a/.md'),
        row('a/b/Tab\tand\nline.md', 3),
        row('link.md', 4, '120000'),
        row('module.md', 5, '160000', 'commit'),
        row('picture.png', 6),
        row('Ünï 漢.md', 7),
      ].join(''),
    );
    expect(index.entries(0, 99)).to.equal([
      { path: 'Two Words.md', oid: oid(1), name: 'Two-Words', title: 'Two Words' },
      { path: 'Well-Known.-.md', oid: oid(2), name: 'Well-Known.-', title: 'Well-Known' },
      { path: 'a/b/Tab\tand\nline.md', oid: oid(3), name: 'a/b/Tab%09and%0Aline', title: 'a/b/Tab\tand\nline' },
      { path: 'Ünï 漢.md', oid: oid(7), name: '%C3%9Cn%C3%AF-%E6%BC%A2', title: 'Ünï 漢' },
    ]);
    expect(new PageIndex('').entries(0, 10)).to.equal([]);
  });

  it('finds what is below a folder', () => {
    const paths = ['a-b/x.md', 'a.md', 'a/1.md', 'a/b/2.md', 'a/b/3.md', 'ab/4.md', 'b.md'];
    const index = new PageIndex(paths.map((path, at) => row(path, at)).join(''));
    const below = (folder: string) => {
      const { from, to } = index.range(folder);
      return index.entries(from, to).map(({ path }) => path);
    };
    expect(below('')).to.equal(paths);
    expect(below('a')).to.equal(['a/1.md', 'a/b/2.md', 'a/b/3.md']);
    expect(below('a/b')).to.equal(['a/b/2.md', 'a/b/3.md']);
    for (const none of ['c', 'a/b/3.md', 'a/bb', 'b.md']) expect(below(none), none).to.equal([]);
  });

  it('takes little room and time for many', () => {
    const many = 100_000;
    const listing = Array.from({ length: many }, (_, index) => row(`Chapter-${index}/Page ${index}.md`, index)).join(
      '',
    );
    const began = process.cpuUsage();
    const index = new PageIndex(listing);
    expect(index.length).to.equal(many);
    // Of the processor, not of the clock: others may be using the machine. It takes 0.2 s.
    expect(process.cpuUsage(began).user).to.be.below(5_000_000);
    expect(index.weight).to.be.below(many * 90);
    expect(index.entry(77_777)).to.include({ path: 'Chapter-77777/Page 77777.md', oid: oid(77_777) });
  });

  it('knows files that are found by their names', () => {
    for (const file of ['a.md', 'Two-Words.md', 'Well-Known.-.md', '-a--b-.md', '~x_1.md', '100%25-Free.md', 'v1.2.md'])
      expect([file, isRuly(file)]).to.equal([file, fileOfName(nameOfFile(file)!) === file]);
    for (const file of ['Two Words.md', 'a+b.md', 'é.md', '[x].md', 'a%2fb.md'])
      expect(isRuly(file), file).to.be.false();
    expect(isRuly('picture.png')).to.be.false();
  });
});
