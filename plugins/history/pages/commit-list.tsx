import type { VNode } from 'preact';
import { Ago, icon, type Site } from '@mortise/plugin-sdk';
import type { Commit } from '@mortise/git/api';
import type { CommitViews } from '../contract/commits.js';
import { bodyOf, encodePath, subjectOf, type RevisionView } from '../contract/pages.js';
import { CopyButton, Person, SignatureBadge } from '../contract/parts.js';
import type { CommitVerification } from '../contract/signatures.js';

/** Commits one below the other, with people, signatures and marks. */
export async function CommitList(
  { site, verification }: { readonly site: Site; readonly verification: CommitVerification },
  views: Pick<CommitViews, 'people' | 'badges'>,
  list: readonly Commit[],
  view: RevisionView,
): Promise<VNode> {
  const [people, proofs, beside] = await Promise.all([
    views.people(list),
    verification.judge(view.repository, list),
    views.badges(
      view.context,
      list.map((commit) => commit.oid),
    ),
  ]);
  return (
    <ul class="Box list-style-none">
      {list.map((commit, index) => (
        <li class="Box-row d-flex flex-items-start" style="gap: 12px">
          <div class="flex-auto" style="min-width: 0">
            <a class="text-bold Link--primary wb-break-word" href={`${view.home}/commit/${commit.oid}`}>
              {subjectOf(commit.message) || '(no message)'}
            </a>
            {bodyOf(commit.message) ? (
              <details class="d-inline ml-1">
                <summary class="btn-octicon d-inline p-0" aria-label="Whole message">
                  …
                </summary>
                <pre class="f6 mt-1 color-fg-muted" style="white-space: pre-wrap">
                  {bodyOf(commit.message)}
                </pre>
              </details>
            ) : null}
            <p class="f6 color-fg-muted mb-0">
              <Person
                account={people.get(commit.author.email.toLowerCase())}
                name={commit.author.name}
                path={site.path}
              />{' '}
              <Ago time={commit.author.time} />
            </p>
          </div>
          {beside.get(commit.oid)}
          <SignatureBadge proof={proofs[index]} />
          <CopyButton text={commit.oid} label="Copy the whole id" />
          <a class="text-mono f6 btn btn-sm no-wrap" href={`${view.home}/commit/${commit.oid}`}>
            {commit.oid.slice(0, 10)}
          </a>
          <a
            class="btn btn-sm d-none d-md-inline-block"
            href={`${view.home}/src/commit/${commit.oid}${view.path ? `/${encodePath(view.path)}` : ''}`}
            aria-label="Files at this commit"
          >
            {icon('code')}
          </a>
        </li>
      ))}
    </ul>
  );
}
