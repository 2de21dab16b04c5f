import type { VNode } from 'preact';
import { Ago, icon, Pager, attempt, within } from '@mortise/plugin-sdk';
import type { Commit, TreeEntry } from '@mortise/git/api';
import { submoduleAddress } from '../services/submodules.js';
import { at, CommitBar, subjectOf, type RevisionView } from '@mortise/history/api';
import { type PageServices } from './services.js';

const maxShown = 1000;
/** Longer the page does not wait for "who touched this last" (ms); the answer is there the next time. */
const patience = 250;

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
    const inner = await attempt(view.git.tree(oid), []);
    if (inner.length !== 1 || inner[0]!.type !== 'tree') break;
    path += `/${inner[0]!.name}`;
    oid = inner[0]!.oid;
  }
  return path;
}

/** The files of a folder, each with the last commit that touched it. */
export async function FileList(services: PageServices, view: RevisionView, page: number): Promise<VNode> {
  const { views, site, verification } = services;
  const { git, revision, path } = view;
  const entry = path ? await git.entry(revision.commit, path) : undefined;
  const entries = await git.tree(entry?.oid ?? revision.commit);
  const offset = (page - 1) * maxShown;
  const shown = [...entries].sort(byKind).slice(offset, offset + maxShown);
  const none: ReadonlyMap<string, string> = new Map();
  const [last, own] = await Promise.all([
    within(patience, git.lastCommits(revision.commit, path), none),
    path ? within(patience, git.lastCommit(revision.commit, path), undefined) : revision.commit,
  ]);
  const latestId = own ?? revision.commit;
  const wanted = new Set([latestId, ...shown.flatMap(({ name }) => last.get(name) ?? [])]);
  const found = await attempt(git.commits([...wanted]), []);
  const byOid = new Map(found.map((commit) => [commit.oid, commit]));
  const latest = byOid.get(latestId);
  const [authors, proofs, beside] = await Promise.all([
    views.authors(latest ? [latest] : []),
    verification.judge(view.repository, latest ? [latest] : []),
    views.badges(view.context, latest ? [latest.oid] : []),
  ]);
  const names = await Promise.all(shown.slice(0, 200).map((one) => shortcut(view, one)));
  const addresses = await submoduleAddress(
    git,
    revision.commit,
    shown.some((one) => one.type === 'commit'),
  );
  const up = path.includes('/') ? path.slice(0, path.lastIndexOf('/')) : '';
  return (
    <div class="Box mb-3">
      {latest ? (
        <CommitBar
          commit={latest}
          account={authors.get(latest.author.email.toLowerCase())}
          view={view}
          path={site.path}
          avatarUrl={views.avatarUrl}
          proof={proofs[0]}
          badges={beside.get(latest.oid)}
        >
          <a class="btn btn-sm no-wrap" href={at(view, 'commits')} aria-label="History">
            {icon('history')} <span class="d-none d-sm-inline">History</span>
          </a>
        </CommitBar>
      ) : null}
      <div role="table" aria-label="Files">
        {path ? (
          <div role="row" class="Box-row py-2">
            <div role="cell">
              <a class="Link--primary" href={at(view, 'src', up)} aria-label="Parent folder (..)">
                ..
              </a>
            </div>
          </div>
        ) : null}
        {shown.map((one, index) => (
          <FileRow
            view={view}
            entry={one}
            name={names[index] ?? one.name}
            commit={byOid.get(last.get(one.name) ?? '')}
            address={addresses(path ? `${path}/${one.name}` : one.name)}
          />
        ))}
      </div>
      {last === none && shown.length > 0 ? (
        <p class="Box-footer mb-0 f6 color-fg-muted">
          Who changed these last is still being looked up. <a href="">Look again</a>
        </p>
      ) : null}
      {entries.length > maxShown ? (
        <div class="Box-footer">
          <p class="mb-2 color-fg-muted">
            Entries {offset + 1} to {offset + shown.length} of {entries.length}
          </p>
          <Pager
            page={page}
            more={offset + shown.length < entries.length}
            href={(wantedPage) => `${at(view, 'src')}?page=${wantedPage}`}
          />
        </div>
      ) : null}
    </div>
  );
}

function FileRow({
  view,
  entry,
  name,
  commit,
  address,
}: {
  view: RevisionView;
  entry: TreeEntry;
  name: string;
  commit: Commit | undefined;
  address: string | undefined;
}): VNode {
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
    <div role="row" class="Box-row Box-row--hover-gray py-2 d-flex" style="gap: 12px">
      <div role="cell" class="css-truncate css-truncate-overflow" style="flex: 2 1 0; min-width: 0">
        {icon(glyphOf(entry), { class: entry.type === 'tree' ? 'color-fg-accent' : 'color-fg-muted' })} {label}
      </div>
      <div
        role="cell"
        class="css-truncate css-truncate-overflow d-none d-md-block color-fg-muted"
        style="flex: 3 1 0; min-width: 0"
      >
        {commit ? (
          <a class="Link--secondary row-link" href={`${view.home}/commit/${commit.oid}`}>
            {subjectOf(commit.message)}
          </a>
        ) : null}
      </div>
      <div role="cell" class="color-fg-muted no-wrap f6 text-right" style="min-width: 90px">
        {commit ? <Ago time={commit.committer.time} /> : null}
      </div>
    </div>
  );
}
