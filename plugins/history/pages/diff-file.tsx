import { createHash } from 'node:crypto';
import type { ComponentChildren, VNode } from 'preact';
import { icon } from '@mortise/plugin-sdk';
import type { FileChange } from '@mortise/git/api';
import type { DiffQuery, DiffSide, DiffSlots } from '../contract/diffs.js';
import { encodePath } from '../contract/pages.js';
import type { FilePatch } from '../services/diff.js';
import { splitRows, unifiedRows, type DiffRow } from './diff-rows.js';

/** Address of the same difference, shown otherwise. */
export const link = (query: DiffQuery, change: Partial<DiffQuery>, anchor = '') => {
  const all = { ...query, page: undefined, ...change };
  const words = Object.entries(all).flatMap(([key, value]) =>
    value === undefined || value === '' ? [] : [`${key}=${encodeURIComponent(String(value))}`],
  );
  return `?${words.join('&')}${anchor}`;
};
export const anchorOf = (path: string) => `d${createHash('sha1').update(path).digest('hex').slice(0, 12)}`;
const isImage = (path: string) => /\.(png|jpe?g|gif|webp|bmp|ico|avif|svg)$/i.test(path);

export function FileDiff({
  change,
  patches,
  isOpen,
  isMissing,
  query,
  before,
  after,
  highlighted,
  slots,
}: {
  change: FileChange;
  patches: readonly FilePatch[];
  isOpen: boolean;
  isMissing: boolean;
  query: DiffQuery;
  before: DiffSide;
  after: DiffSide;
  /** HTML of the lines of code; undefined: plain. */
  highlighted?: readonly string[];
  slots: DiffSlots;
}): VNode {
  const id = anchorOf(change.path);
  const gone = change.status === 'deleted';
  const side = gone ? before : after;
  const isCut = patches.some((patch) => patch.isCut);
  const lines = patches.flatMap((patch) => patch.lines);
  const submodule = change.mode === '160000' || change.oldMode === '160000';
  return (
    <div class="Box mb-3 position-relative">
      {/* beside the summary, not in it: what unfolds holds nothing else that can be pressed */}
      <div class="code-file-links">
        {side.commit && !submodule ? (
          <a
            class="btn btn-sm"
            href={`${side.home}/src/commit/${side.commit}/${encodePath(change.path)}`}
            aria-label={`View file ${change.path}`}
          >
            View file
          </a>
        ) : null}
        {lines.length > 0 && (query.context ?? 3) < 1000 ? (
          <a
            class="btn btn-sm"
            href={link(query, { file: change.path, context: 100_000 }, `#${id}`)}
            aria-label={`Show the lines around in ${change.path}`}
            title="Show the lines around"
          >
            {icon('unfold')}
          </a>
        ) : null}
      </div>
      <details id={id} open={isOpen}>
        <summary class="Box-header code-file-head d-flex flex-wrap flex-items-center py-2" style="gap: 8px">
          <span class="text-mono f6 flex-auto wb-break-all">
            {change.oldPath && change.oldPath !== change.path ? `${change.oldPath} → ` : ''}
            {change.path}
          </span>
          {change.mode !== change.oldMode && !gone && change.status !== 'added' ? (
            <span class="f6 color-fg-muted text-mono">
              {change.oldMode} → {change.mode}
            </span>
          ) : null}
          <span class="f6 no-wrap">
            <span class="color-fg-success">+{change.additions}</span>{' '}
            <span class="color-fg-danger">−{change.deletions}</span>
          </span>
          <span class="Label">{change.status}</span>
          {slots.inHeader?.(change)}
        </summary>
        {submodule ? (
          <p class="p-3 mb-0">
            Submodule <code>{change.oldOid.slice(0, 10)}</code> → <code>{change.oid.slice(0, 10)}</code>
          </p>
        ) : isImage(change.path) && (change.binary || change.path.toLowerCase().endsWith('.svg')) ? (
          <Images change={change} before={before} after={after} />
        ) : change.binary ? (
          <p class="p-3 mb-0 color-fg-muted">{icon('file-binary')} Not text.</p>
        ) : lines.length > 0 ? (
          <div class="code-scroll">
            <table class={`code-lines text-mono f6 ${query.style === 'split' ? 'code-split' : ''}`}>
              {query.style === 'split' ? (
                <colgroup>
                  <col style="width: 54px" />
                  <col />
                  <col style="width: 54px" />
                  <col />
                </colgroup>
              ) : null}
              <Rows
                rows={query.style === 'split' ? splitRows(id, lines, highlighted) : unifiedRows(id, lines, highlighted)}
                path={change.path}
                columns={query.style === 'split' ? 4 : 3}
                below={slots.belowLine}
              />
            </table>
          </div>
        ) : (
          <p class="p-3 mb-0 color-fg-muted">
            {isMissing ? (
              <a href={link(query, { file: change.path }, `#${id}`)}>Show the difference</a>
            ) : (
              'No lines changed.'
            )}
          </p>
        )}
        {isCut ? (
          <p class="p-3 mb-0 border-top">
            The rest is not shown.{' '}
            {query.file ? null : <a href={link(query, { file: change.path }, `#${id}`)}>Show all lines of this file</a>}
          </p>
        ) : null}
      </details>
    </div>
  );
}

/** The rows as one text, cut only where a plugin adds something below a line. */
function Rows({
  rows,
  path,
  columns,
  below,
}: {
  rows: readonly DiffRow[];
  path: string;
  columns: number;
  below: DiffSlots['belowLine'];
}): VNode {
  const bodies: VNode[] = [];
  let html = '';
  const flush = () => {
    if (html) bodies.push(<tbody dangerouslySetInnerHTML={{ __html: html }} />);
    html = '';
  };
  for (const row of rows) {
    html += row.html;
    const added = below && addedBelow(row, path, below);
    if (!added) continue;
    flush();
    bodies.push(
      <tbody>
        <tr>
          <td colSpan={columns}>{added}</td>
        </tr>
      </tbody>,
    );
  }
  flush();
  return <>{bodies}</>;
}

function addedBelow(row: DiffRow, path: string, below: NonNullable<DiffSlots['belowLine']>): ComponentChildren {
  const places = (['before', 'after'] as const).flatMap((side) => {
    const line = row[side];
    return line === undefined ? [] : [{ path, side, line }];
  });
  return places.length > 0 ? below(places) : undefined;
}

/** Pictures before and after. */
function Images({ change, before, after }: { change: FileChange; before: DiffSide; after: DiffSide }): VNode {
  const image = (side: DiffSide, path: string, label: string) =>
    side.commit ? (
      <figure class="flex-auto text-center" style="min-width: 200px">
        <figcaption class="f6 color-fg-muted mb-1">{label}</figcaption>
        <img
          class="code-checkered"
          loading="lazy"
          src={`${side.home}/raw/commit/${side.commit}/${encodePath(path)}`}
          alt={`${path}, ${label}`}
          style="max-width: 100%"
        />
      </figure>
    ) : null;
  return (
    <div class="d-flex flex-wrap p-3" style="gap: 16px">
      {change.status === 'added' ? null : image(before, change.oldPath ?? change.path, 'before')}
      {change.status === 'deleted' ? null : image(after, change.path, 'after')}
    </div>
  );
}
