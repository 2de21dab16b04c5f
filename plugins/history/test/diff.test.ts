/** Diffs: reading, words within lines, lines around, rows and slots. */
import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { h } from 'preact';
import { renderToString } from 'preact-render-to-string';
import { inEnglish } from '@mortise/plugin-sdk';
import type { FileChange } from '@mortise/git/api';
import type { DiffFile, DiffLinePosition } from '../contract/diffs.js';
import { FileDiff } from '../pages/diff-file.js';
import { splitRows, unifiedRows } from '../pages/diff-rows.js';
import { expandersOf } from '../pages/expanders.js';
import { pathOfFilePatch, parseFilePatch, sideBySide, splitPatch, unquote } from '../services/diff.js';
import { expandHunks, readExpand, writeExpand } from '../services/expansion.js';
import { WordBudget, changedWords, markSpans, spansOf } from '../services/word-diff.js';

export const lab = Lab.script();
const { describe, it } = lab;

const patch = [
  'diff --git a/a.txt b/a.txt',
  'index 1..2 100644',
  '--- a/a.txt',
  '+++ b/a.txt',
  '@@ -1,3 +1,3 @@ head',
  ' one',
  '-two',
  '+2 <b>',
  '+more',
  ' three',
  '\\ No newline at end of file',
  'diff --git a/old name.txt b/new name.txt',
  'similarity index 100%',
  'rename from old name.txt',
  'rename to new name.txt',
  'diff --git "a/t\\303\\244b\\t.txt" "b/t\\303\\244b\\t.txt"',
  'new file mode 100644',
  'index 0..1',
  '',
].join('\n');

const [first = ''] = splitPatch(patch);
const plain = { html: new Map(), changes: new Map() };

describe('diffs', () => {
  it('tell the path of each part, quoted, renamed or without lines', () => {
    expect(splitPatch(patch).map(pathOfFilePatch)).to.equal(['a.txt', 'new name.txt', 'täb\t.txt']);
    expect(
      pathOfFilePatch('diff --git a/x b/x\ndeleted file mode 100644\n--- a/x\n+++ /dev/null\n@@ -1 +0,0 @@\n-1\n'),
    ).to.equal('x');
    expect(unquote('"\\\\\\"\\101"')).to.equal('\\"A');
    // after names with spaces there is a tab
    expect(
      pathOfFilePatch('diff --git "a/a \\"b" "b/a \\"b"\n--- /dev/null\n+++ "b/a \\"b"\t\n@@ -0,0 +1 @@\n+x\n'),
    ).to.equal('a "b');
    expect(pathOfFilePatch('diff --git a/a\u2028b b/a\u2028b\n--- a/a\u2028b\n+++ b/a\u2028b\n')).to.equal('a\u2028b');
  });

  it('are not cut by what only looks like an end of a line: that would hide what follows', () => {
    const hiding = ['\r', '\u2028', '\u2029'].map((end) => `+x${end}diff --git a/other b/other`);
    const parts = splitPatch(
      ['diff --git a/x b/x', '--- a/x', '+++ b/x', '@@ -0,0 +1,4 @@', ...hiding, '+y', ''].join('\n'),
    );
    expect(parts.length).to.equal(1);
    expect(parseFilePatch(parts[0]!, 100).hunks[0]!.lines.length).to.equal(4);
  });

  it('number lines of both sides, and cut what is too long', () => {
    const { hunks, isCut } = parseFilePatch(first, 100);
    expect(isCut).to.be.false();
    expect(hunks).to.have.length(1);
    expect(hunks[0]).to.include({ heading: 'head', before: { start: 1, count: 3 }, after: { start: 1, count: 4 } });
    expect(hunks[0]!.lines.map((line) => [line.kind, line.before, line.after])).to.equal([
      ['context', 1, 1],
      ['removed', 2, undefined],
      ['added', undefined, 2],
      ['added', undefined, 3],
      ['context', 3, 4],
    ]);
    expect(hunks[0]!.lines.at(-1)!.noNewline).to.be.true();
    expect(parseFilePatch(first, 3)).to.include({ isCut: true });
    expect(parseFilePatch(first, 3).hunks[0]!.lines).to.have.length(3);
    expect(parseFilePatch(first, 5).isCut).to.be.false();
    expect(
      sideBySide(hunks[0]!.lines)
        .map(([left, right]) => [left?.text, right?.text])
        .slice(1, 3),
    ).to.equal([
      ['two', '2 <b>'],
      [undefined, 'more'],
    ]);
  });

  it('escape lines in both forms', () => {
    const { lines } = parseFilePatch(first, 100).hunks[0]!;
    for (const rows of inEnglish(() => [[...unifiedRows('d', lines, plain)], [...splitRows('d', lines, plain)]]))
      expect(rows.map(({ html }) => html).join(''))
        .to.include('2 &lt;b&gt;')
        .and.to.include('id="dR3"')
        .and.to.include('No newline at end of file')
        .and.not.include('<b>');
  });

  it('show characters that change the direction of text where they stand', () => {
    const rows = inEnglish(() => [...unifiedRows('d', [{ kind: 'added', after: 1, text: 'if (a\u202e) {' }], plain)]);
    expect(rows[0]!.html).to.match(/if \(a<span class="bidi-mark" title="[^"]+">U\+202E<\/span>\) \{/);
  });
});

describe('words within lines', () => {
  it('are told for lines that have much in common, and not for others', () => {
    expect(spansOf('const a = one(1);', 'const a = two(1);', 2_000)).to.equal({
      before: [[10, 13]],
      after: [[10, 13]],
    });
    expect(spansOf('entirely different words', 'nothing shared at all here', 2_000)).to.be.undefined();
    expect(spansOf('x'.repeat(601), 'x')).to.be.undefined();
  });

  it('cost no more than their budget', () => {
    const lines = Array.from({ length: 40 }, (_, index) => [
      { kind: 'removed' as const, before: index + 1, text: `a ${index} b c` },
      { kind: 'added' as const, after: index + 1, text: `a ${index} b d` },
    ]).flat();
    const hunk = { before: { start: 1, count: 40 }, after: { start: 1, count: 40 }, heading: '', lines };
    expect(
      changedWords([hunk], new WordBudget({ pairs: 5, milliseconds: 10_000, pairMilliseconds: 2_000 })).size,
    ).to.equal(10);
    const started = performance.now();
    const hostile = (sign: string) =>
      Array.from({ length: 300 }, (_, index) => `${sign}${index % 7}`)
        .join(' ')
        .slice(0, 600);
    for (let index = 0; index < 20; index++) spansOf(hostile('a'), hostile('b'));
    expect(performance.now() - started).to.be.below(2_000);
  });

  it('are marked in highlighted lines without breaking their elements', () => {
    const html = '<span class="k">co&amp;nst</span> a';
    expect(markSpans(html, [[1, 5]], '<b>', '</b>')).to.equal('<span class="k">c<b>o&amp;ns</b>t</span> a');
    expect(markSpans(html, [[5, 8]], '<b>', '</b>')).to.equal('<span class="k">co&amp;ns<b>t</b></span><b> a</b>');
    expect(markSpans('a<b', [], '<i>', '</i>')).to.equal('a<b');
    expect(markSpans('😀x', [[2, 3]], '<b>', '</b>')).to.equal('😀<b>x</b>');
  });
});

describe('lines around changes', () => {
  const text = ['@@ -10,2 +10,3 @@ one', ' a', '+b', ' c', '@@ -40 +41 @@', '-d', '+e'].join('\n');
  const { hunks } = parseFilePatch(`diff --git a/f b/f\n--- a/f\n+++ b/f\n${text}`, 100);
  const lines = Array.from({ length: 60 }, (_, index) => `line ${index + 1}`);
  const numbers = (ranges: [number, number][]) =>
    expandHunks(hunks, lines, ranges, 1000).map(({ before, after }) => [
      before.start,
      before.count,
      after.start,
      after.count,
    ]);

  it('join the hunks that they touch', () => {
    expect(numbers([[8, 9]])).to.equal([
      [8, 4, 8, 5],
      [40, 1, 41, 1],
    ]);
    expect(numbers([[13, 40]])).to.equal([[10, 31, 10, 32]]);
    expect(numbers([[1, 999_999]])).to.equal([[1, 59, 1, 60]]);
    expect(numbers([[20, 21]])).to.equal([
      [10, 2, 10, 3],
      [19, 2, 20, 2],
      [40, 1, 41, 1],
    ]);
  });

  it('stand with the numbers of both sides, within bounds', () => {
    const [hunk] = expandHunks(hunks, lines, [[13, 14]], 1000);
    expect(hunk!.lines.slice(-2)).to.equal([
      { kind: 'context', before: 12, after: 13, text: 'line 13' },
      { kind: 'context', before: 13, after: 14, text: 'line 14' },
    ]);
    expect(expandHunks(hunks, lines, [[1, 60]], 5)[0]!.after).to.equal({ start: 1, count: 5 });
  });

  it('are asked for by links that lead there', () => {
    const file = { hunks, anchor: 'd0123456789ab', isCut: false, isWhole: false, change: { status: 'modified' } };
    const of = (index: number) =>
      expandersOf(file as unknown as DiffFile, index).map((one) => [one.kind, one.expand(undefined)]);
    expect(of(0)).to.equal([['all', 'd0123456789ab:1-9']]);
    expect(of(1)).to.equal([
      ['down', 'd0123456789ab:13-32'],
      ['up', 'd0123456789ab:21-40'],
    ]);
    expect(of(2)).to.equal([['down', 'd0123456789ab:42-61']]);
    const text = writeExpand('d0123456789ab:1-9', 'd0123456789ab', [13, 32]);
    expect(readExpand(text).get('d0123456789ab')).to.equal([
      [1, 9],
      [13, 32],
    ]);
    expect(writeExpand('x:1-2,'.repeat(400).slice(0, -1), 'd0123456789ab', [1, 2]).length).to.be.below(2_000);
  });
});

describe('slots of a diff', () => {
  const { hunks } = parseFilePatch(first, 100);
  const change = {
    path: 'a.txt',
    status: 'modified',
    mode: '100644',
    oldMode: '100644',
    oid: '1',
    oldOid: '2',
    additions: 2,
    deletions: 1,
    binary: false,
  } as FileChange;
  const render = (style: string | undefined) => {
    const asked: DiffLinePosition[][] = [];
    const view = () =>
      renderToString(
        h(FileDiff, {
          file: { change, anchor: 'd1', state: 'shown', hunks, isCut: false, isWhole: true },
          query: { style },
          highlights: plain,
          view: {
            before: { repositoryPath: '/ada/wheel', commit: 'b' },
            after: { repositoryPath: '/ada/wheel', commit: 'a' },
            slots: {
              diffLine(positions) {
                asked.push([...positions]);
                return positions.some(({ side, line }) => side === 'after' && line === 3)
                  ? h('q', {}, 'a comment')
                  : null;
              },
              fileHeader: () => h('i', {}, 'seen'),
            },
          },
        }),
      );
    return { html: inEnglish(view), asked };
  };

  it('are asked for every line that is shown, with the sides that it has', () => {
    expect(render(undefined).asked[0]).to.equal([
      { path: 'a.txt', side: 'before', line: 1 },
      { path: 'a.txt', side: 'after', line: 1 },
    ]);
    expect(render(undefined).asked).to.have.length(5);
    expect(render('split').asked).to.have.length(4);
  });

  it('stand in the table right below their line, over its whole width', () => {
    const unified = render(undefined).html;
    expect(unified).to.include('<tr><td colspan="3"><q>a comment</q></td></tr>').and.to.include('<i>seen</i>');
    expect(unified.slice(0, unified.indexOf('<q>'))).to.include('more');
    expect(unified.slice(unified.indexOf('<q>'))).to.include('R4"');
    expect(render('split').html).to.include('<td colspan="4"><q>a comment</q>');
  });
});
