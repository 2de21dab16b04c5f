import { createHash } from 'node:crypto';
import type { VNode } from 'preact';
import { icon } from '@mortise/plugin-sdk';
import type { FileChange } from '@mortise/git/api';
import type { Markup } from '@mortise/markup/api';
import type { FilePatch } from '../services/diff.js';
import { splitRows, unifiedRows } from './diff-rows.js';
import { encodePath } from './shared.js';

export interface DiffQuery {
  /** `split`: before and after side by side. */
  readonly style?: string;
  readonly whitespace?: string;
  /** Only this file, and all of its lines. */
  readonly file?: string;
  /** Lines around a change. */
  readonly context?: number;
  readonly page?: number;
}

/** A side of the difference: where its files can be seen. */
export interface DiffSide {
  readonly home: string;
  readonly commit: string | undefined;
}

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
  markup,
}: {
  change: FileChange;
  patches: readonly FilePatch[];
  isOpen: boolean;
  isMissing: boolean;
  query: DiffQuery;
  before: DiffSide;
  after: DiffSide;
  markup: Markup | undefined;
}): VNode {
  const id = anchorOf(change.path);
  const gone = change.status === 'deleted';
  const side = gone ? before : after;
  const isCut = patches.some((patch) => patch.isCut);
  const lines = patches.flatMap((patch) => patch.lines);
  const submodule = change.mode === '160000' || change.oldMode === '160000';
  const colour = markup && ((text: string) => markup.highlight(change.path, text).lines);
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
              <tbody
                dangerouslySetInnerHTML={{
                  __html: query.style === 'split' ? splitRows(id, lines, colour) : unifiedRows(id, lines, colour),
                }}
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
