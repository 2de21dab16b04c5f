import type { VNode } from 'preact';
import { icon, ChunkedRender } from '@mortise/plugin-sdk';
import type { Markup } from '@mortise/markup/api';
import type { DiffLine, DiffPage, DiffView } from '../contract/diffs.js';
import { WordBudget, changedWords, type Span } from '../services/word-diff.js';
import { t } from '../texts/index.js';
import { FileDiff } from './diff-file.js';
import { link } from './diff-links.js';
import type { LineHighlights } from './diff-rows.js';
import { DiffTree } from './diff-tree.js';

const maxHighlighted = 6_000;

/** Highlights and changes of the lines of a piece, as far as that is reasonable. */
export async function highlightsOf(
  { files }: DiffPage,
  markup: Pick<Markup, 'highlightAll'>,
  viewer: DiffView['viewer'],
): Promise<LineHighlights> {
  let total = 0;
  const lists = files.flatMap((file) => {
    const lines = file.hunks.flatMap((hunk) => hunk.lines);
    total += lines.length;
    return lines.length > 0 && total <= maxHighlighted ? [{ file, lines }] : [];
  });
  const made = await markup.highlightAll(
    lists.map(({ file, lines }) => ({
      fileName: file.change.path,
      text: lines.map((line) => line.text).join('\n'),
    })),
    viewer,
  );
  const html = new Map<DiffLine, string>();
  lists.forEach(({ lines }, index) =>
    lines.forEach((line, at) => {
      const one = made[index]?.lines[at];
      if (one !== undefined) html.set(line, one);
    }),
  );
  const changes = new Map<DiffLine, readonly Span[]>();
  const budget = new WordBudget();
  for (const { hunks } of files) {
    for (const [line, spans] of changedWords(hunks, budget)) changes.set(line, spans);
    // others get their turn
    await new Promise(setImmediate);
  }
  return { html, changes };
}

interface DiffProps {
  readonly piece: DiffPage;
  readonly view: DiffView;
  readonly highlights: LineHighlights;
}

/** The files of a piece, and the way to the next. */
export function DiffFiles({ piece, view, highlights }: DiffProps): VNode {
  const { files, next, total, query } = piece;
  return (
    <>
      <ChunkedRender
        chunks={() => files.map((file) => <FileDiff file={file} query={query} view={view} highlights={highlights} />)}
      />
      {next === undefined ? null : (
        <p class="text-center" id="diff-more" data-diff-more>
          <a class="btn" href={link(query, { from: next }, '#diff-files')}>
            {t('diff.loadMore', { count: total - next })}
          </a>
        </p>
      )}
    </>
  );
}

/** A diff with everything around its files. */
export function Diff({ piece, view, highlights }: DiffProps): VNode {
  const { changes, listedFrom, total, isCounted, query, from, next } = piece;
  const sum = (key: 'additions' | 'deletions') => changes.reduce((total, change) => total + change[key], 0);
  const hasTree = total > 1;
  return (
    <div class="diff">
      <div class="diff-toolbar">
        <p class="mb-0 flex-auto">
          {t('diff.summary', { count: total })}
          {isCounted ? (
            <>
              {' '}
              <span class="color-fg-success text-bold">+{sum('additions')}</span>{' '}
              <span class="color-fg-danger text-bold">−{sum('deletions')}</span>
            </>
          ) : null}
          {query.file === undefined ? null : (
            <>
              {' '}
              · <a href={link(query, { file: undefined, expand: undefined })}>{t('diff.allFiles')}</a>
            </>
          )}
        </p>
        {view.slots?.toolbar?.()}
        <div class="BtnGroup">
          <a
            class="btn btn-sm BtnGroup-item"
            aria-current={query.style === 'split' ? undefined : 'true'}
            href={link(query, { style: undefined })}
          >
            {t('diff.unified')}
          </a>
          <a
            class="btn btn-sm BtnGroup-item"
            aria-current={query.style === 'split' ? 'true' : undefined}
            href={link(query, { style: 'split' })}
          >
            {t('diff.split')}
          </a>
        </div>
        <a class="btn btn-sm" href={link(query, { whitespace: query.whitespace === 'ignore' ? undefined : 'ignore' })}>
          {query.whitespace === 'ignore' ? t('diff.showWhitespace') : t('diff.ignoreWhitespace')}
        </a>
      </div>
      <div class={hasTree ? 'diff-layout' : ''}>
        {hasTree ? (
          <DiffTree
            changes={changes}
            first={listedFrom}
            total={total}
            href={(index, anchor) =>
              index >= from && (next === undefined || index < next)
                ? `#${anchor}`
                : link(query, { from: index, expand: undefined }, `#${anchor}`)
            }
          />
        ) : null}
        <div class="min-width-0" id="diff-files" data-diff-files>
          {from > 0 ? (
            <p class="text-center">
              <a class="btn" href={link(query, { from: undefined })}>
                {icon('arrow-up')} {t('diff.firstFiles')}
              </a>
            </p>
          ) : null}
          <DiffFiles piece={piece} view={view} highlights={highlights} />
        </div>
      </div>
    </div>
  );
}
