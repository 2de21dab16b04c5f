import type { ComponentChildren, VNode } from 'preact';
import { icon, Ago } from '@mortise/plugin-sdk';
import type { Account } from '@mortise/accounts/api';
import type { Commit, GitRepository } from '@mortise/git/api';
import type { Repository } from '@mortise/repositories/api';
import type { Place } from '../services/reading.js';

export const encodePath = (path: string) => path.split('/').map(encodeURIComponent).join('/');
export const subjectOf = (message: string) => message.split('\n', 1)[0] ?? '';
export const bodyOf = (message: string) => message.slice(subjectOf(message).length).trim();

/** Who made a commit: a link for accounts, the written name for others. */
export function Person({
  account,
  name,
  path,
}: {
  account: Account | undefined;
  name: string;
  path: (path: string) => string;
}): VNode {
  return account ? (
    <a class="text-bold color-fg-default" href={path(`/${account.name}`)}>
      {account.name}
    </a>
  ) : (
    <span class="text-bold">{name}</span>
  );
}

export interface View {
  readonly git: GitRepository;
  readonly repository: Repository;
  readonly place: Place;
  readonly path: string;
  /** Address of the repository's page. */
  readonly home: string;
}

export const at = (view: View, word: string, path = view.path) =>
  `${view.home}/${word}/${view.place.kind}/${encodePath(view.place.name)}${path ? `/${encodePath(path)}` : ''}`;

/** Branch and tag switcher that works without a script. */
export async function Switcher(view: View, word: string): Promise<VNode> {
  const branches = await view.git.branches();
  const tags = await view.git.tags();
  const most = 100;
  const path = view.path && word !== 'commits' ? `/${encodePath(view.path)}` : '';
  const list = (title: string, kind: 'branch' | 'tag', names: readonly { name: string }[]) =>
    names.length === 0 ? null : (
      <div>
        <h3 class="f6 color-fg-muted px-3 pt-2">{title}</h3>
        <ul class="list-style-none">
          {names.slice(0, most).map(({ name }) => (
            <li>
              <a
                class="d-block px-3 py-1 Link--primary no-underline"
                href={`${view.home}/${word}/${kind}/${encodePath(name)}${path}`}
                aria-current={kind === view.place.kind && name === view.place.name ? 'true' : undefined}
              >
                {name}
              </a>
            </li>
          ))}
          {names.length > most ? (
            <li class="px-3 py-1">
              <a href={`${view.home}/${kind === 'branch' ? 'branches' : 'tags'}`}>all {names.length}</a>
            </li>
          ) : null}
        </ul>
      </div>
    );
  const shown = view.place.kind === 'commit' ? view.place.name.slice(0, 10) : view.place.name;
  return (
    <details class="position-relative d-inline-block">
      <summary class="btn btn-sm">
        {icon(view.place.kind === 'tag' ? 'tag' : view.place.kind === 'commit' ? 'git-commit' : 'git-branch')}{' '}
        <span class="css-truncate-target v-align-bottom" style="max-width: 180px">
          {shown}
        </span>{' '}
        <span class="dropdown-caret" />
      </summary>
      <div
        class="Box position-absolute mt-1 pb-2 color-shadow-large"
        style="z-index: 20; width: 280px; max-height: 360px; overflow: auto"
      >
        {list('Branches', 'branch', branches)}
        {list('Tags', 'tag', tags)}
      </div>
    </details>
  );
}

export function Crumbs({ view, word = 'src' }: { view: View; word?: string }): VNode | null {
  if (!view.path) return null;
  const segments = view.path.split('/');
  return (
    <nav aria-label="Path" class="f4 wb-break-word d-inline">
      <a class="text-bold" href={at(view, word, '')}>
        {view.repository.name}
      </a>
      {segments.map((segment, index) => (
        <span>
          {' '}
          /{' '}
          {index === segments.length - 1 ? (
            <strong>{segment}</strong>
          ) : (
            <a href={at(view, word, segments.slice(0, index + 1).join('/'))}>{segment}</a>
          )}
        </span>
      ))}
    </nav>
  );
}

export function CloneBox({ http }: { http: string }): VNode {
  return (
    <div class="input-group" style="width: 420px; max-width: 100%">
      <input class="form-control input-sm input-monospace" readOnly value={http} aria-label="Address to clone" />
      <span class="input-group-button">
        <button class="btn btn-sm" type="button" data-copy={http} hidden>
          Copy
        </button>
      </span>
    </div>
  );
}

export function CommitBar({
  commit,
  account,
  view,
  path,
  children,
}: {
  commit: Commit;
  account: Account | undefined;
  view: View;
  path: (path: string) => string;
  children?: ComponentChildren;
}): VNode {
  return (
    <div class="Box-header d-flex flex-items-center" style="gap: 8px">
      <div class="flex-auto css-truncate css-truncate-overflow">
        <Person account={account} name={commit.author.name} path={path} />{' '}
        <a class="Link--secondary" href={`${view.home}/commit/${commit.oid}`}>
          {subjectOf(commit.message)}
        </a>
      </div>
      <a class="text-mono f6 Link--secondary no-wrap" href={`${view.home}/commit/${commit.oid}`}>
        {commit.oid.slice(0, 10)}
      </a>
      <span class="color-fg-muted f6 no-wrap d-none d-md-inline">
        <Ago time={commit.committer.time} />
      </span>
      {children}
    </div>
  );
}
