import type { VNode } from 'preact';
import { Ago, ChunkedRender, FragmentCache, LazyFragment, Pager, withFallback, icon } from '@mortise/plugin-sdk';
import type { Commit, TreeEntry } from '@mortise/git/api';
import { sshHostOf, submoduleAddress, type SubmoduleContext } from '../services/submodules.js';
import { at, CommitBar, subjectOf, type CommitBarProps, type RevisionView } from '@mortise/history/api';
import { t } from '../texts/index.js';
import { type PageDeps } from './page-deps.js';

const maxShown = 1000;
/** Milliseconds that a page waits for the last commits, and that the part waits which is loaded when they were late. */
const timeouts = { page: 250, part: 5_000 } as const;

const byKind = (one: TreeEntry, other: TreeEntry) =>
  Number(other.type === 'tree') - Number(one.type === 'tree') || (one.name < other.name ? -1 : 1);
const glyphOf = (entry: TreeEntry) =>
  entry.type === 'tree'
    ? 'file-directory-fill'
    : entry.type === 'commit'
      ? 'file-submodule'
      : entry.mode === '120000'
        ? 'file-symlink-file'
        : 'file';

/** Folders that hold nothing but one folder are shown as one line, `src/main/java`. */
async function shortcut(view: RevisionView, entry: TreeEntry): Promise<string> {
  let path = entry.name;
  let { oid } = entry;
  for (let depth = 0; entry.type === 'tree' && depth < 8; depth++) {
    const inner = await withFallback(view.git.tree(oid), []);
    if (inner.length !== 1 || inner[0]!.type !== 'tree') break;
    path += `/${inner[0]!.name}`;
    oid = inner[0]!.oid;
  }
  return path;
}

function submoduleContext({ site, ssh }: PageDeps, { repository }: RevisionView): SubmoduleContext {
  const path = `${repository.ownerName}/${repository.name}`;
  return { repository: path, site, sshHost: sshHostOf(ssh.list()[0]?.address(path) ?? '') };
}

/** The files of a folder, each with the last commit that touched it; `part`: it is loaded into a page by itself. */
export async function fileList(
  services: PageDeps,
  view: RevisionView,
  page: number,
  kind: 'page' | 'part' = 'page',
): Promise<VNode> {
  const { views, site, verification } = services;
  const { git, revision, path } = view;
  const entry = path ? await git.entry(revision.commit, path) : undefined;
  const entries = await git.tree(entry?.oid ?? revision.commit);
  const offset = (page - 1) * maxShown;
  const shown = [...entries].sort(byKind).slice(offset, offset + maxShown);
  const none: ReadonlyMap<string, string> = new Map();
  const [last, own] = await Promise.all([
    withFallback(git.lastCommits(revision.commit, path), none, timeouts[kind]),
    path ? withFallback(git.lastCommit(revision.commit, path), undefined, timeouts[kind]) : revision.commit,
  ]);
  const latestId = own ?? revision.commit;
  const wanted = new Set([latestId, ...shown.flatMap(({ name }) => last.get(name) ?? [])]);
  const commits = await withFallback(git.commits([...wanted]), []);
  const byOid = new Map(commits.map((commit) => [commit.oid, commit]));
  const latest = byOid.get(latestId);
  const [authors, verifications, beside] = await Promise.all([
    views.authors(latest ? [latest] : []),
    verification.verifyWithTrust(view.repository, latest ? [latest] : []),
    views.badges(view.context, latest ? [latest.oid] : []),
  ]);
  const names = await Promise.all(shown.slice(0, 200).map((one) => shortcut(view, one)));
  const submodules = shown.some((one) => one.type === 'commit')
    ? await submoduleAddress(git, revision.commit, submoduleContext(services, view))
    : undefined;
  const table = (
    <FileTable
      view={view}
      latest={
        latest && {
          commit: latest,
          account: authors.get(latest.author.email.toLowerCase()),
          path: site.path,
          avatarUrl: views.avatarUrl,
          verification: verifications[0],
          badges: beside.get(latest.oid),
        }
      }
      rows={shown.map((one, index) => ({
        entry: one,
        name: names[index] ?? one.name,
        commit: byOid.get(last.get(one.name) ?? ''),
        address: submodules?.(path ? `${path}/${one.name}` : one.name),
      }))}
      isLate={last === none && shown.length > 0}
      page={page}
      total={entries.length}
    />
  );
  if (last !== none || shown.length === 0) return table;
  return <LazyFragment href={`${at(view, 'src')}?part=list&page=${page}`}>{table}</LazyFragment>;
}

type Latest = Omit<CommitBarProps, 'view' | 'children'>;

interface FileTableProps {
  readonly view: RevisionView;
  readonly latest: Latest | undefined;
  readonly rows: readonly Omit<FileRowProps, 'view'>[];
  /** The last commits are not known yet. */
  readonly isLate: boolean;
  readonly page: number;
  /** Entries of the folder, on all pages. */
  readonly total: number;
}

function FileTable({ view, latest, rows, isLate, page, total }: FileTableProps): VNode {
  const { path } = view;
  const offset = (page - 1) * maxShown;
  return (
    <div class="Box mb-3">
      {latest ? (
        <CommitBar view={view} {...latest}>
          <a class="btn btn-sm no-wrap" href={at(view, 'commits')} aria-label={t('history')}>
            {icon('history')} <span class="d-none d-sm-inline">{t('history')}</span>
          </a>
        </CommitBar>
      ) : null}
      <div role="table" aria-label={t('folder.files')}>
        {path ? (
          <div role="row" class="Box-row py-2">
            <div role="cell">
              <a
                class="Link--primary"
                href={at(view, 'src', path.includes('/') ? path.slice(0, path.lastIndexOf('/')) : '')}
                aria-label={t('folder.parent')}
              >
                ..
              </a>
            </div>
          </div>
        ) : null}
        <Rows view={view} rows={rows} page={page} />
      </div>
      {isLate ? (
        <p class="Box-footer mb-0 f6 color-fg-muted" role="status">
          {t('folder.loading')}{' '}
          <a class="text-underline" href="">
            {t('folder.refresh')}
          </a>
        </p>
      ) : null}
      {total > maxShown ? (
        <div class="Box-footer">
          <p class="mb-2 color-fg-muted">
            {t('folder.entries', { from: offset + 1, to: offset + rows.length, total })}
          </p>
          <Pager
            page={page}
            more={offset + rows.length < total}
            href={(wantedPage) => `${at(view, 'src')}?page=${wantedPage}`}
          />
        </div>
      ) : null}
    </div>
  );
}

/** Above these many the HTML is too long to be kept, and drawn in turns. */
const rowsOfPiece = 60;

/** All of it follows from the commit; how long ago the commits were made is right to the minute. */
function Rows({ view, rows, page }: Pick<FileTableProps, 'view' | 'rows' | 'page'>): VNode {
  const row = (one: FileTableProps['rows'][number]) => <FileRow view={view} {...one} />;
  if (rows.length > rowsOfPiece) {
    const pieces = function* () {
      for (let from = 0; from < rows.length; from += rowsOfPiece)
        yield <>{rows.slice(from, from + rowsOfPiece).map(row)}</>;
    };
    return <ChunkedRender chunks={pieces} />;
  }
  const known = rows.reduce((count, { commit }) => count + Number(commit !== undefined), 0);
  const minute = Math.floor(Date.now() / 60_000);
  return (
    <FragmentCache
      name="files.rows"
      cacheKey={JSON.stringify([at(view, ''), view.revision.commit, page, rows.length, known, minute])}
    >
      {() => <>{rows.map(row)}</>}
    </FragmentCache>
  );
}

interface FileRowProps {
  readonly view: RevisionView;
  readonly entry: TreeEntry;
  /** As shown: of folders that hold one folder alone, both. */
  readonly name: string;
  readonly commit: Commit | undefined;
  /** Of a submodule. */
  readonly address: string | undefined;
}

function FileRow({ view, entry, name, commit, address }: FileRowProps): VNode {
  const full = view.path ? `${view.path}/${name}` : name;
  const label =
    entry.type === 'commit' ? (
      <span>
        {address ? (
          <a class="Link--primary" href={address} rel="nofollow noopener">
            {entry.name}
          </a>
        ) : (
          entry.name
        )}{' '}
        @ <span class="text-mono">{entry.oid.slice(0, 10)}</span>
      </span>
    ) : (
      <a class="Link--primary" href={at(view, 'src', full)} title={name}>
        {name}
      </a>
    );
  return (
    <div role="row" class="Box-row Box-row--hover-gray py-2 file-row">
      <div role="cell" class="file-name css-truncate css-truncate-overflow">
        {icon(glyphOf(entry), { class: entry.type === 'tree' ? 'color-fg-accent' : 'color-fg-muted' })} {label}
      </div>
      <div role="cell" class="file-message css-truncate css-truncate-overflow d-none d-md-block color-fg-muted">
        {commit ? (
          <a class="Link--secondary row-link" href={`${view.repositoryPath}/commit/${commit.oid}`}>
            {subjectOf(commit.message)}
          </a>
        ) : null}
      </div>
      <div role="cell" class="file-time color-fg-muted no-wrap f6 text-right">
        {commit ? <Ago time={commit.committer.time} /> : null}
      </div>
    </div>
  );
}
