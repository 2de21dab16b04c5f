import type { ComponentChildren, VNode } from 'preact';
import { CopyButton, icon, ChunkedRender } from '@mortise/plugin-sdk';
import type { DiffFile, DiffHunk, DiffQuery, DiffSlots, DiffView } from '../contract/diffs.js';
import { encodePath } from '../contract/pages.js';
import { t } from '../texts/index.js';
import { link } from './diff-links.js';
import { splitRows, unifiedRows, type DiffRow, type LineHighlights } from './diff-rows.js';
import { isDocument, isModel, isPicture } from '../services/diff-reading.js';
import { DiffDocuments, DiffImages, DiffModels } from './diff-images.js';
import { expandersOf, type Expander } from './expanders.js';

interface FileDiffProps {
  readonly file: DiffFile;
  readonly query: DiffQuery;
  readonly view: DiffView;
  readonly highlights: LineHighlights;
}

/** One file of a diff: its header stays in sight while its lines pass by. */
export function FileDiff({ file, query, view, highlights }: FileDiffProps): VNode {
  const { change, anchor } = file;
  const isGone = change.status === 'deleted';
  const side = isGone ? view.before : view.after;
  const { path } = change;
  return (
    <div class="Box mb-3 diff-file" data-diff-file={path}>
      {/* beside the summary, not in it: what unfolds holds nothing else that can be pressed */}
      <div class="diff-file-links">
        {view.slots?.fileHeader?.(file)}
        <CopyButton text={path} label={t('copyPath')} plain />
        {file.state === 'shown' && !isGone && change.status !== 'added' && !file.isCut ? (
          <a
            class="btn-octicon"
            href={link(query, { expand: `${anchor}:1-999999999` }, `#${anchor}`)}
            data-piece
            aria-label={t('diff.expandFileOf', { path })}
            title={t('diff.expandFile')}
          >
            {icon('unfold')}
          </a>
        ) : null}
        {side.commit && file.state !== 'submodule' ? (
          <a
            class="btn btn-sm"
            href={`${side.repositoryPath}/src/commit/${side.commit}/${encodePath(path)}`}
            aria-label={t('diff.viewFileOf', { path })}
          >
            {icon('file-code')} <span class="d-none d-md-inline">{t('diff.viewFile')}</span>
          </a>
        ) : null}
      </div>
      <details id={anchor} open={!view.slots?.isFolded?.(file)}>
        <summary class="Box-header diff-file-head">
          <span class="diff-chevron">{icon('chevron-down')}</span>
          <span class="text-mono f6 wb-break-all">
            {change.oldPath && change.oldPath !== path ? `${change.oldPath} → ` : ''}
            {path}
          </span>
          <span class="f6 no-wrap">
            <span class="color-fg-success">+{change.additions}</span>{' '}
            <span class="color-fg-danger">−{change.deletions}</span>
          </span>
          {change.status === 'modified' ? null : <span class="Label">{t(`diff.status.${change.status}`)}</span>}
          {change.mode !== change.oldMode && !isGone && change.status !== 'added' ? (
            <span class="f6 color-fg-muted text-mono">
              {change.oldMode} → {change.mode}
            </span>
          ) : null}
        </summary>
        <Content file={file} query={query} view={view} highlights={highlights} />
        {isModel(change) && file.state !== 'submodule' ? <DiffModels file={file} view={view} /> : null}
        {view.slots?.fileNotes?.(file)}
      </details>
    </div>
  );
}

function Content({ file, query, view, highlights }: FileDiffProps): VNode {
  const { change, anchor } = file;
  const load = link(query, { file: change.path, from: undefined }, `#${anchor}`);
  if (file.state === 'submodule')
    return (
      <p class="p-3 mb-0">
        {t.rich('diff.submodule', {
          before: <code>{change.oldOid.slice(0, 10)}</code>,
          after: <code>{change.oid.slice(0, 10)}</code>,
        })}
      </p>
    );
  if (isPicture(change)) return <DiffImages file={file} view={view} />;
  if (isDocument(change)) return <DiffDocuments file={file} view={view} />;
  if (file.state === 'binary')
    return (
      <p class="p-3 mb-0 color-fg-muted">
        {icon('file-binary')} {t('binary')}
      </p>
    );
  if (file.state === 'unchanged') return <p class="p-3 mb-0 color-fg-muted">{t('diff.unchanged')}</p>;
  if (file.state === 'collapsed')
    return (
      <p class="p-3 mb-0 color-fg-muted">
        {query.file === undefined ? (
          <>
            {t(`diff.${file.collapsedFor ?? 'large'}`)}{' '}
            <a class="btn btn-sm" href={load} data-piece>
              {t('diff.load')}
            </a>
          </>
        ) : (
          t('diff.tooLarge')
        )}
      </p>
    );
  return (
    <>
      <div class="code-scroll">
        <Table file={file} query={query} view={view} highlights={highlights} />
      </div>
      {file.isCut ? (
        <p class="p-3 mb-0 border-top">
          {t('diff.cut')}{' '}
          {query.file === undefined ? (
            <a class="btn btn-sm" href={load} data-piece>
              {t('diff.loadAll')}
            </a>
          ) : null}
        </p>
      ) : null}
    </>
  );
}

function Table({ file, query, view, highlights }: FileDiffProps): VNode {
  const isSplit = query.style === 'split';
  const rowsOf = isSplit ? splitRows : unifiedRows;
  const columns = isSplit ? 4 : 3;
  return (
    <table class={`code-lines text-mono f6 ${isSplit ? 'code-split' : ''}`}>
      {isSplit ? (
        <colgroup>
          <col class="diff-number-column" />
          <col />
          <col class="diff-number-column" />
          <col />
        </colgroup>
      ) : null}
      {file.hunks.map((hunk, index) => (
        <>
          <HunkRow hunk={hunk} expanders={expandersOf(file, index)} {...{ file, query, columns }} />
          <Rows
            lines={hunk.lines.length}
            rows={rowsOf(file.anchor, hunk.lines, highlights)}
            path={file.change.path}
            columns={columns}
            slot={view.slots?.diffLine}
          />
        </>
      ))}
      {file.isWhole || file.isCut ? null : (
        <HunkRow expanders={expandersOf(file, file.hunks.length)} {...{ file, query, columns }} />
      )}
    </table>
  );
}

const glyphs = { up: 'fold-up', down: 'fold-down', all: 'unfold' } as const;

/** What stands between hunks: ways to the lines that are not shown, and where the next hunk is. */
function HunkRow({
  hunk,
  expanders,
  file,
  query,
  columns,
}: {
  hunk?: DiffHunk;
  expanders: readonly Expander[];
  file: DiffFile;
  query: DiffQuery;
  columns: number;
}): VNode | null {
  if (expanders.length === 0 && (!hunk || hunk.after.start <= 1)) return null;
  const { before, after, heading } = hunk ?? {};
  const numbers = columns === 4 ? 1 : 2;
  return (
    <tbody>
      <tr class="diff-hunk">
        <td colSpan={numbers} class="diff-expand">
          {expanders.map((one) => (
            <a
              href={link(query, { expand: one.expand(query.expand) }, `#${file.anchor}${one.target}`)}
              data-piece
              aria-label={one.label()}
              title={one.label()}
            >
              {icon(glyphs[one.kind])}
            </a>
          ))}
        </td>
        <td class="blob-code" colSpan={columns - numbers}>
          {before && after ? `@@ -${before.start},${before.count} +${after.start},${after.count} @@ ${heading}` : ''}
        </td>
      </tr>
    </tbody>
  );
}

/** What is drawn in one turn. */
const rowsOfPiece = 300;

/** The rows as text, cut only where a plugin adds something below a line. */
function Rows(props: RowsProps): VNode {
  return props.lines > rowsOfPiece ? <ChunkedRender chunks={() => bodiesOf(props)} /> : <>{[...bodiesOf(props)]}</>;
}

interface RowsProps {
  /** How many lines the rows show. */
  readonly lines: number;
  readonly rows: Iterable<DiffRow>;
  readonly path: string;
  readonly columns: number;
  readonly slot: DiffSlots['diffLine'];
}

function* bodiesOf({ rows, path, columns, slot }: RowsProps): Generator<VNode> {
  let html = '';
  let count = 0;
  const body = (): VNode => <tbody dangerouslySetInnerHTML={{ __html: html }} />;
  for (const row of rows) {
    html += row.html;
    count++;
    const added = slot && addedBelow(row, path, slot);
    if (added || count >= rowsOfPiece) {
      yield body();
      html = '';
      count = 0;
    }
    if (added)
      yield (
        <tbody>
          <tr>
            <td colSpan={columns}>{added}</td>
          </tr>
        </tbody>
      );
  }
  if (html) yield body();
}

function addedBelow(row: DiffRow, path: string, slot: NonNullable<DiffSlots['diffLine']>): ComponentChildren {
  const positions = (['before', 'after'] as const).flatMap((side) => {
    const line = row[side];
    return line === undefined ? [] : [{ path, side, line }];
  });
  return positions.length > 0 ? slot(positions) : undefined;
}
