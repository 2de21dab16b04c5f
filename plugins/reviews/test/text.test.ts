import { expect } from '@hapi/code';
import * as Lab from '@hapi/lab';
import type { ReviewComment } from '../contract/reviews.js';
import { withinLimit } from '../pages/threads.js';
import { followLine, followLines, hunkAround, hunksOf } from '../services/hunks.js';
import { matchingRules, ownerLimits, parseOwners, splitWords } from '../services/owners-file.js';
import { suggestionIn } from '../services/suggestion-text.js';
import { replaceInFile, replaceLines } from '../services/suggestions.js';

export const lab = Lab.script();
const { describe, it } = lab;

const patch = `diff --git a/a.txt b/a.txt
index 1..2 100644
--- a/a.txt
+++ b/a.txt
@@ -1,4 +1,5 @@ heading
 one
-two
+TWO
+and
 three
--- four
+++ vier
@@ -10 +11,0 @@
-ten
\\ No newline at end of file
`;

describe('texts that reviews read', () => {
  it('hunks are cut off below a line, and counted anew', () => {
    const hunks = hunksOf(patch);
    expect(hunks.length).to.equal(2);
    expect(hunks[0]!.lines.slice(-2)).to.equal(['--- four', '+++ vier']);
    expect(hunkAround(hunks, 'new', 3, 0, 1)).to.equal('@@ -3,0 +2,2 @@\n+TWO\n+and');
    expect(hunkAround(hunks, 'new', 3, 1, 0)).to.equal('@@ -1,2 +1,3 @@\n one\n-two\n+TWO\n+and');
    expect(hunkAround(hunks, 'old', 2, 0, 4)).to.equal('@@ -1,2 +1,1 @@\n one\n-two');
    expect(hunkAround(hunks, 'old', 10, 0, 4)).to.equal('@@ -10,1 +11,0 @@\n-ten');
    expect(hunkAround(hunks, 'new', 9, 0, 4)).to.equal('');
    expect(hunksOf('')).to.equal([]);
  });

  it('lines are followed through a difference', () => {
    const hunks = hunksOf('@@ -2 +2,2 @@\n-two\n+TWO\n+and\n@@ -5,0 +7,2 @@\n+x\n+y\n@@ -8,2 +11,0 @@\n-h\n-i\n');
    const followed = [1, 2, 3, 5, 6, 7, 8, 9, 10].map((line) => followLine(hunks, line));
    expect(followed).to.equal([1, undefined, 4, 6, 9, 10, undefined, undefined, 11]);
    const ranges = [
      [5, 6],
      [6, 7],
      [3, 5],
      [1, 3],
      [7, 10],
    ] as const;
    expect(ranges.map(([first, last]) => followLines(hunks, first, last))).to.equal([
      undefined,
      { first: 9, last: 10 },
      { first: 4, last: 6 },
      undefined,
      undefined,
    ]);
  });

  it('lines of code owners have words, remarks and escapes', () => {
    expect(splitWords('src/.* @ben  @org/team # theirs')).to.equal(['src/.*', '@ben', '@org/team']);
    expect(splitWords('a\\ b\\#c\\\\.md @ben\r')).to.equal(['a b#c\\.md', '@ben']);
    expect(splitWords('.*\\.md @ben')).to.equal(['.*\\.md', '@ben']);
    expect(splitWords('# nothing')).to.equal([]);
    // spaces that look like one
    expect(splitWords('*.js\u00a0@ben\u2003@cas\u3000@dot')).to.equal(['*.js', '@ben', '@cas', '@dot']);
  });

  it('BRP-05: rules of code owners fit whole paths, or none where they are negated', async () => {
    const { rules, errors } = parseOwners(
      'src/.* @ben\n!.*\\.md @cas\n[ @bad\nalone\n.*\\.md dot@example.com @org/docs\n',
    )!;
    expect(errors).to.equal([{ line: 3, pattern: '[' }]);
    expect(rules.map(({ pattern, isNegated, owners }) => [pattern, isNegated, owners])).to.equal([
      ['src/.*', false, ['ben']],
      ['.*\\.md', true, ['cas']],
      ['.*\\.md', false, ['dot@example.com', 'org/docs']],
    ]);
    const fit = async (...paths: string[]) => (await matchingRules(rules, paths))!.map(({ line }) => line);
    expect(await fit('src/a.ts')).to.equal([1, 2]);
    expect(await fit('lib/src/a.md')).to.equal([5]);
    expect(await fit()).to.equal([]);
  });

  it('S2: patterns of code owners are understood in both styles where they are clear', async () => {
    const paths = [
      'a.txt',
      'docs/b.txt',
      'docs/deep/c.md',
      'src/d.ts',
      'src/docs/e.ts',
      'README',
      'src/line\nbreak.ts',
    ];
    const owned = async (pattern: string) => {
      const { rules, errors } = parseOwners(`${pattern} @ben\n`)!;
      if (errors.length) return `line ${errors[0]!.line}`;
      const found = await Promise.all(paths.map(async (path) => (await matchingRules(rules, [path]))!.length > 0));
      return paths.filter((_, at) => found[at]).map((path) => path.replace('\n', '␤'));
    };
    const all = paths.map((path) => path.replace('\n', '␤'));
    const expected: Readonly<Record<string, string | readonly string[]>> = {
      // expressions
      '.*': all,
      'src/.*': ['src/d.ts', 'src/docs/e.ts', 'src/line␤break.ts'],
      '.*\\.txt': ['a.txt', 'docs/b.txt'],
      '(a|b)\\.txt': ['a.txt'],
      'a.txt': ['a.txt'],
      '[a-z]+\\.txt': ['a.txt'],
      // globs
      '*': all,
      '*.txt': ['a.txt', 'docs/b.txt'],
      '**': all,
      '**/docs': ['docs/b.txt', 'docs/deep/c.md', 'src/docs/e.ts'],
      'docs/': ['docs/b.txt', 'docs/deep/c.md', 'src/docs/e.ts'],
      '/docs/': ['docs/b.txt', 'docs/deep/c.md'],
      '/docs': ['docs/b.txt', 'docs/deep/c.md'],
      'docs/*': ['docs/b.txt'],
      'docs/**': ['docs/b.txt', 'docs/deep/c.md'],
      'docs/**/*.md': ['docs/deep/c.md'],
      '/*': ['a.txt', 'README'],
      '/a.tx?': ['a.txt'],
      'src/?.ts': ['src/d.ts'],
      '**/*.ts': ['src/d.ts', 'src/docs/e.ts', 'src/line␤break.ts'],
      // neither, or either
      '[': 'line 1',
      '(?!docs).*': 'line 1',
      'doc*': 'line 1',
      'a.tx?': 'line 1',
      '*.{md,txt}': 'line 1',
      'a.{md,txt}': 'line 1',
      '[Docs]': 'line 1',
      '^[Docs][2]': 'line 1',
      '/src/.*': 'line 1',
      '\\/src/.*': 'line 1',
      '^/src/.*': 'line 1',
      '(docs|src)/*.md': 'line 1',
      'a{1000}': 'line 1',
      '/': 'line 1',
      '!': 'line 1',
    };
    const given: Record<string, string | readonly string[]> = {};
    for (const pattern of Object.keys(expected)) given[pattern] = await owned(pattern);
    expect(given).to.equal(expected);
    expect(await owned('a'.repeat(501))).to.equal('line 1');
    expect(await owned('!*.txt')).to.equal([
      'docs/deep/c.md',
      'src/d.ts',
      'src/docs/e.ts',
      'README',
      'src/line␤break.ts',
    ]);
  });

  it('a CODEOWNERS file is read up to its bounds', async () => {
    expect(parseOwners('a @b\n'.repeat(ownerLimits.rules + 1))).to.be.undefined();
    const { rules } = parseOwners('a @b\n'.repeat(ownerLimits.rules))!;
    expect(await matchingRules(rules, Array(ownerLimits.looks / ownerLimits.rules + 1).fill('x'))).to.be.undefined();
    // an expression that makes others try for ever
    const slow = parseOwners('(a+)+b @b\n')!;
    expect(await matchingRules(slow.rules, ['a'.repeat(5000)])).to.equal([]);
  });

  it('suggestions are blocks of their own name', () => {
    expect(suggestionIn('see\n```suggestion\nnew\nlines\n```\nok')).to.equal('new\nlines\n');
    expect(suggestionIn('````suggestion\n```\n````')).to.equal('```\n');
    expect(suggestionIn('```suggestion\n```')).to.equal('');
    expect(suggestionIn('```js\nx\n```')).to.be.undefined();
  });

  it('U3: suggestions keep the bytes of the lines around them', () => {
    const replace = (file: string, text: string) =>
      replaceInFile(Buffer.from(file, 'latin1'), [{ first: 2, last: 2, text }])?.toString('latin1');
    expect(replace('Gr\xfc\xdfe\r\nold\r\n\xe4', 'new\n')).to.equal('Gr\xfc\xdfe\r\nnew\r\n\xe4');
    expect(replace('\xc3\xbc\nold\n', 'ü\n')).to.equal('\xc3\xbc\n\xc3\xbc\n');
    // in which encoding would it be written?
    expect(replace('Gr\xfc\xdfe\nold\n', 'ü\n')).to.be.undefined();
    expect(replace('\0\nold\n', 'new\n')).to.be.undefined();
  });

  it('suggestions replace lines, several at once, with the line ends of the file', () => {
    const at = (first: number, last: number, text: string) => ({ first, last, text });
    expect(replaceLines('a\nb\nc\n', [at(1, 1, 'A\n'), at(3, 3, 'C\nD\n')])).to.equal('A\nb\nC\nD\n');
    expect(replaceLines('a\r\nb\r\n', [at(2, 2, 'B\n')])).to.equal('a\r\nB\r\n');
    expect(replaceLines('a\nb', [at(2, 2, '')])).to.equal('a');
    expect(() => replaceLines('a\nb\n', [at(1, 2, 'x\n'), at(2, 2, 'y\n')])).to.throw();
    expect(() => replaceLines('a\n', [at(2, 2, 'y\n')])).to.throw();
  });

  it('a page has room for whole conversations, however long the first is', () => {
    const of = (...threads: number[]) => threads.map((threadId, id) => ({ id, threadId }) as ReviewComment);
    const idsOf = (comments: readonly ReviewComment[]) => comments.map(({ id }) => id);
    const within = (comments: readonly ReviewComment[], max: number) => {
      const { shown, left } = withinLimit(comments, max);
      return [idsOf(shown), idsOf(left)];
    };
    expect(within(of(1, 2, 1), 3)).to.equal([[0, 1, 2], []]);
    expect(within(of(1, 2, 1, 3), 3)).to.equal([[0, 1, 2], [3]]);
    expect(within(of(1, 2, 2, 3, 1), 3)).to.equal([
      [0, 3, 4],
      [1, 2],
    ]);
    expect(within(of(1, 1, 1, 2), 2)).to.equal([
      [0, 1],
      [2, 3],
    ]);
  });
});
