import type { VNode } from 'preact';
import { Ago, CopyButton, NotFound, withFallback, pageRoute, icon, webPage, type Route } from '@mortise/plugin-sdk';
import type { Account } from '@mortise/accounts/api';
import type { Commit, GitRepository, Ref } from '@mortise/git/api';
import type { SafeHtml } from '@mortise/markup/api';
import { CodeBody } from '../contract/code-body.js';
import { diffIslands, diffQuery, type DiffQuery } from '../contract/diffs.js';
import {
  bodyOf,
  encodePath,
  pageAccess,
  pageContextOf,
  subjectOf,
  viewOf,
  type CodePageContext,
} from '../contract/pages.js';
import { CommitAuthor } from '../contract/commit-bar.js';
import { SignatureBadge, signatureState, signatureText } from '../contract/signature-badge.js';
import type { TrustedVerification } from '../contract/signatures.js';
import { splitTrailers, type Trailer } from '../services/trailers.js';
import { t } from '../texts/index.js';
import type { PageDeps } from './page-deps.js';

const maxBranches = 10;

/** One commit with its diff. */
export function commitPage(services: PageDeps): Route[] {
  const { git: reader, pages, diffs, views, verification, accounts, site, markup, commitActions } = services;

  const show = async (context: CodePageContext, oid: string) => {
    const { repository } = context.resource;
    const git = reader.open(repository.id);
    const commit = await git.commit(oid);
    const view = viewOf(services, context, { kind: 'commit', name: oid, commit: oid });
    const { repositoryPath } = view;
    const query = context.query as DiffQuery;
    const diff = async () => {
      const piece = await diffs.read(git, commit.parents[0], oid, query);
      return diffs.render(piece, {
        before: { repositoryPath, commit: commit.parents[0] },
        after: { repositoryPath, commit: oid },
        viewer: context,
      });
    };
    const title = subjectOf(commit.message);
    if (query.piece) return webPage({ title, fragment: true, body: await diff() });
    const { text, trailers } = splitTrailers(bodyOf(commit.message));
    const message = { repository: `${repository.ownerName}/${repository.name}`, viewer: context };
    const named = trailers.flatMap(({ author }) => author?.email ?? []);
    const [shown, authors, others, [signature], beside, note, branches, subject, body, actions] = await Promise.all([
      withFallback(diff(), undefined),
      views.authors([commit]),
      named.length > 0 ? accounts.byEmails(named) : new Map<string, Account>(),
      verification.verifyWithTrust(repository, [commit]),
      views.badges(context.resource, [oid]),
      withFallback(git.note(oid), undefined),
      branchesWith(git, oid),
      markup.renderMessage(title, message),
      markup.renderMessage(text, message),
      Promise.all(
        commitActions.list().map((slot) => slot.render({ ...pageContextOf(context), commit, repositoryPath })),
      ),
    ]);
    const signer = signature?.signer ? await accounts.byName(signature.signer.username) : undefined;
    return pages.page(pageContextOf(context), 'code', {
      title,
      islands: [...diffIslands, 'shortcuts'],
      body: (
        <CodeBody find={`${repositoryPath}/find/commit/${oid}`}>
          <CommitHeader
            commit={commit}
            repositoryPath={repositoryPath}
            subject={subject}
            body={body}
            trailers={trailers}
            authors={new Map([...authors, ...others])}
            path={site.path}
            avatarUrl={views.avatarUrl}
            verification={signature}
            signer={signer?.name}
            badges={beside.get(oid)}
            note={note?.message}
            branches={branches}
            actions={actions.filter((one): one is VNode => Boolean(one))}
          />
          {shown ?? <Unreadable />}
        </CodeBody>
      ),
    });
  };

  return [
    pageRoute(
      '/{owner}/{repo}/commit/{sha}',
      pageAccess,
      async (context) => {
        const git = reader.open(context.resource.repository.id);
        const { sha } = context.params;
        const oid = /^[0-9a-f]{4,64}$/.test(sha) && (await git.resolve(sha))?.commit;
        if (!oid) throw NotFound('commit');
        return show(context as CodePageContext, oid);
      },
      { query: diffQuery },
    ),
  ];
}

/** With many branches the question costs more than the answer is worth. */
async function branchesWith(git: GitRepository, oid: string): Promise<readonly Ref[]> {
  if ((await git.branches()).length > 200) return [];
  return withFallback(git.refsContaining(oid, 'refs/heads/'), [], 400);
}

const Unreadable = (): VNode => <p class="flash flash-error">{t('diff.unreadable')}</p>;

interface HeaderProps {
  readonly commit: Commit;
  readonly repositoryPath: string;
  readonly subject: SafeHtml;
  readonly body: SafeHtml;
  readonly trailers: readonly Trailer[];
  /** By lower-case address. */
  readonly authors: ReadonlyMap<string, Account>;
  readonly path: (path: string) => string;
  readonly avatarUrl: (account: Account) => string;
  readonly verification: TrustedVerification | undefined;
  readonly signer: string | undefined;
  readonly badges: readonly VNode[] | undefined;
  readonly note: string | undefined;
  readonly branches: readonly Ref[];
  readonly actions: readonly VNode[];
}

function CommitHeader(props: HeaderProps): VNode {
  const { commit, repositoryPath, subject, body, trailers, authors, path, avatarUrl, verification, note, branches } =
    props;
  const { oid, author, committer } = commit;
  const authorLink = ({ name, email }: { name: string; email: string }) => (
    <CommitAuthor account={authors.get(email.toLowerCase())} name={name} path={path} avatarUrl={avatarUrl} />
  );
  return (
    <div class="Box mb-3">
      <div class="Box-header code-row">
        <h2 class="f4 flex-auto wb-break-word">
          {subject ? <bdi dangerouslySetInnerHTML={{ __html: subject }} /> : t('commit.noMessage')}
        </h2>
        {props.badges}
        <a class="btn btn-sm" href={`${repositoryPath}/src/commit/${oid}`}>
          {icon('code')} {t('commit.browse')}
        </a>
        {props.actions}
      </div>
      {body ? <pre class="Box-row mb-0 code-wrap" dangerouslySetInnerHTML={{ __html: body }} /> : null}
      {trailers.length > 0 ? (
        <dl class="Box-row commit-trailers f6">
          {trailers.map((one) => (
            <div>
              <dt class="color-fg-muted">{one.key}</dt>
              <dd>{one.author ? authorLink(one.author) : one.value}</dd>
            </div>
          ))}
        </dl>
      ) : null}
      {branches.length > 0 ? (
        <p class="Box-row mb-0 f6 py-2">
          {icon('git-branch')}{' '}
          {branches.slice(0, maxBranches).map(({ name }) => (
            <a class="Label mr-1 code-short" title={name} href={`${repositoryPath}/src/branch/${encodePath(name)}`}>
              {name}
            </a>
          ))}
          {branches.length > maxBranches ? t('commit.moreBranches', { count: branches.length - maxBranches }) : ''}
        </p>
      ) : null}
      <div class="Box-row code-row f6">
        <span>{t.rich('commit.authored', { name: authorLink(author), when: <Ago time={author.time} /> })}</span>
        {committer.email !== author.email ? (
          <span>
            {t.rich('commit.committed', { name: authorLink(committer), when: <Ago time={committer.time} /> })}
          </span>
        ) : null}
        <Signed verification={verification} signer={props.signer} />
        <span class="flex-auto" />
        <Parents commit={commit} repositoryPath={repositoryPath} />
        <span>
          {t.rich('commit.id', { id: <span class="text-mono">{oid.slice(0, 10)}</span> })}
          <CopyButton text={oid} label={t('copyId')} plain />
        </span>
        <a href={`${repositoryPath}/commit/${oid}.diff`}>
          <code>.diff</code>
        </a>
        <a href={`${repositoryPath}/commit/${oid}.patch`}>
          <code>.patch</code>
        </a>
      </div>
      {note ? (
        <div class="Box-row">
          <h3 class="f6 color-fg-muted mb-1">
            {icon('note')} {t('commit.note')}
          </h3>
          <pre class="mb-0 code-wrap">{note.slice(0, 20_000)}</pre>
        </div>
      ) : null}
    </div>
  );
}

function Parents({ commit, repositoryPath }: { commit: Commit; repositoryPath: string }): VNode {
  const { parents } = commit;
  return (
    <span>
      {t('commit.parents', { count: parents.length })}{' '}
      {parents.slice(0, 20).map((parent) => (
        <a class="text-mono mr-1" href={`${repositoryPath}/commit/${parent}`}>
          {parent.slice(0, 10)}
        </a>
      ))}
    </span>
  );
}

function Signed({
  verification,
  signer,
}: {
  verification: TrustedVerification | undefined;
  signer: string | undefined;
}): VNode | null {
  const state = signatureState(verification);
  if (!verification || !state) return null;
  const owner = signer ?? verification.signer?.name ?? verification.signer?.email;
  return (
    <details class="position-relative d-inline-block">
      <summary class="btn-invisible p-0 border-0 d-inline">
        <SignatureBadge verification={verification} />
      </summary>
      <div class="code-menu Box position-absolute mt-1 p-3 color-shadow-large">
        <p class="mb-2">{signatureText(state)}</p>
        {verification.verified && owner ? <p class="mb-2">{t('signature.keyOf', { name: owner })}</p> : null}
        <p class="f6 color-fg-muted mb-0 wb-break-word">{verification.reason}</p>
      </div>
    </details>
  );
}
