import type { VNode } from 'preact';
import { icon, ChunkedRender } from '@mortise/plugin-sdk';
import type { FileChange } from '@mortise/git/api';
import { anchorOf } from '../services/diff-reading.js';
import { t } from '../texts/index.js';

const maxShown = 400;
/** What is drawn in one turn. */
const filesOfPiece = 60;

interface Folder {
  readonly name: string;
  readonly folders: Map<string, Folder>;
  readonly files: { readonly change: FileChange; readonly index: number }[];
}

const glyphs: Readonly<Record<FileChange['status'], string>> = {
  added: 'diff-added',
  copied: 'diff-added',
  deleted: 'diff-removed',
  modified: 'diff-modified',
  typechange: 'diff-modified',
  renamed: 'diff-renamed',
};
const tones: Readonly<Record<string, string>> = { added: 'success', copied: 'success', deleted: 'danger' };

function treeOf(changes: readonly FileChange[], first: number): Folder {
  const root: Folder = { name: '', folders: new Map(), files: [] };
  changes.slice(0, maxShown).forEach((change, index) => {
    let folder = root;
    for (const name of change.path.split('/').slice(0, -1)) {
      let next = folder.folders.get(name);
      if (!next) folder.folders.set(name, (next = { name, folders: new Map(), files: [] }));
      folder = next;
    }
    folder.files.push({ change, index: first + index });
  });
  return root;
}

/** A folder that holds nothing but one folder is shown together with it. */
function collapsed(folder: Folder): Folder {
  let [name, shown] = [folder.name, folder];
  while (shown.files.length === 0 && shown.folders.size === 1) {
    shown = [...shown.folders.values()][0]!;
    name += `/${shown.name}`;
  }
  return { ...shown, name };
}

interface DiffTreeProps {
  readonly changes: readonly FileChange[];
  /** Number of the first of them among all. */
  readonly first: number;
  readonly total: number;
  /** Where a file stands in the diff: in this page, or in another piece. */
  readonly href: (index: number, anchor: string) => string;
}

/** The files of a diff beside it, as a tree. */
export function DiffTree({ changes, first, total, href }: DiffTreeProps): VNode {
  const shown = Math.min(maxShown, changes.length);
  const entry = ({ change: { path, status }, index }: Folder['files'][number]): VNode => (
    <li>
      <a class="diff-tree-entry" href={href(index, anchorOf(path))} title={path}>
        {icon(glyphs[status], { class: `color-fg-${tones[status] ?? 'muted'}` })}{' '}
        <span>{path.slice(path.lastIndexOf('/') + 1)}</span>
      </a>
    </li>
  );
  const piecesOf = function* (files: Folder['files']) {
    for (let from = 0; from < files.length; from += filesOfPiece)
      yield <>{files.slice(from, from + filesOfPiece).map(entry)}</>;
  };
  const entries = ({ folders, files }: Folder, depth: number): VNode => (
    <ul class="list-style-none">
      {[...folders.values()].map((one) => {
        const folder = collapsed(one);
        return (
          <li>
            <span class="diff-tree-entry color-fg-muted">
              {icon('file-directory-fill')} <span>{folder.name}</span>
            </span>
            {depth < 30 ? entries(folder, depth + 1) : null}
          </li>
        );
      })}
      {files.length > filesOfPiece ? <ChunkedRender chunks={() => piecesOf(files)} /> : files.map(entry)}
    </ul>
  );
  return (
    <details class="diff-tree" open data-diff-tree>
      <summary class="btn btn-sm">
        {icon('list-unordered')} {t('diff.files')}
      </summary>
      <nav aria-label={t('diff.files')}>
        {entries(treeOf(changes, first), 0)}
        {total > shown ? <p class="f6 color-fg-muted mt-2">{t('diff.moreFiles', { count: total - shown })}</p> : null}
      </nav>
    </details>
  );
}
