import Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { h } from 'preact';
import { renderToString } from 'preact-render-to-string';
import type { FileChange } from '@mortise/git/api';
import type { DiffLinePlace } from '../contract/diffs.js';
import { FileDiff } from '../pages/diff-file.js';
import { splitRows, unifiedRows } from '../pages/diff-rows.js';
import { pathOfPart, readPart, sideBySide, splitPatch, unquote } from '../services/diff.js';
import { layOut } from '../services/graph.js';

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

describe('differences', () => {
  it('tells the path of each part, quoted, renamed or without lines', () => {
    expect(splitPatch(patch).map(pathOfPart)).to.equal(['a.txt', 'new name.txt', 'täb\t.txt']);
    expect(
      pathOfPart('diff --git a/x b/x\ndeleted file mode 100644\n--- a/x\n+++ /dev/null\n@@ -1 +0,0 @@\n-1\n'),
    ).to.equal('x');
    expect(unquote('"\\\\\\"\\101"')).to.equal('\\"A');
  });

  it('numbers lines of both sides, and cuts what is too long', () => {
    const { lines, isCut } = readPart(splitPatch(patch)[0]!, 100);
    expect(isCut).to.be.false();
    expect(lines.map((line) => [line.kind, line.left, line.right])).to.equal([
      ['hunk', undefined, undefined],
      ['context', 1, 1],
      ['remove', 2, undefined],
      ['add', undefined, 2],
      ['add', undefined, 3],
      ['context', 3, 4],
      ['note', undefined, undefined],
    ]);
    expect(readPart(splitPatch(patch)[0]!, 3)).to.include({ isCut: true });
    expect(
      sideBySide(lines)
        .map(([left, right]) => [left?.text, right?.text])
        .slice(2, 4),
    ).to.equal([
      ['two', '2 <b>'],
      [undefined, 'more'],
    ]);
  });

  it('escapes lines in both forms', () => {
    const { lines } = readPart(splitPatch(patch)[0]!, 100);
    for (const rows of [unifiedRows('d', lines), splitRows('d', lines)])
      expect(rows.map(({ html }) => html).join(''))
        .to.include('2 &lt;b&gt;')
        .and.to.include('id="dR3"')
        .and.not.include('<b>');
  });
});

describe('slots of a difference', () => {
  const { lines } = readPart(splitPatch(patch)[0]!, 100);
  const change = {
    path: 'a.txt',
    oldPath: undefined,
    status: 'modified',
    mode: '100644',
    oldMode: '100644',
    oid: '1',
    oldOid: '2',
    additions: 2,
    deletions: 1,
    binary: false,
  } as unknown as FileChange;
  const render = (style: string | undefined) => {
    const asked: DiffLinePlace[][] = [];
    const file = FileDiff({
      change,
      patches: [{ path: 'a.txt', lines, isCut: false }],
      isOpen: true,
      isMissing: false,
      query: { style },
      before: { home: '/ada/wheel', commit: 'b' },
      after: { home: '/ada/wheel', commit: 'a' },
      slots: {
        belowLine(places) {
          asked.push([...places]);
          return places.some(({ side, line }) => side === 'after' && line === 3) ? h('q', {}, 'a comment') : undefined;
        },
        inHeader: () => h('i', {}, 'seen'),
      },
    });
    return { asked, html: renderToString(file) };
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
    expect(unified.indexOf('id="d') < unified.indexOf('<q>')).to.be.true();
    expect(unified.slice(0, unified.indexOf('<q>'))).to.include('more');
    expect(unified.slice(unified.indexOf('<q>'))).to.include('R4"');
    expect(render('split').html).to.include('<td colspan="4"><q>a comment</q>');
  });
});

describe('the graph', () => {
  it('gives branches lanes of their own and joins them where they meet', () => {
    const rows = layOut([
      { oid: 'm', parents: ['b', 's'] },
      { oid: 's', parents: ['a'] },
      { oid: 'b', parents: ['a'] },
      { oid: 'a', parents: [] },
    ]);
    expect(rows.map((row) => row.lane)).to.equal([0, 1, 0, 1]);
    expect(rows[0]!.lines.map(([from, to]) => [from, to])).to.equal([
      [0, 0],
      [0, 1],
    ]);
    expect(rows[2]!.lines.map(([from, to]) => [from, to])).to.equal([
      [0, 1],
      [1, 1],
    ]);
    expect(rows[3]!.lines).to.equal([]);
  });
});
