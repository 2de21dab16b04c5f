import { Ago, NotFound, defineRoute, icon, type Route, attempt, within } from '@mortise/plugin-sdk';
import type { Commit, GitRepository, Ref } from '@mortise/git/api';
import { diffQuery, type DiffQuery } from '../contract/diffs.js';
import { bodyOf, pageAccess, placeOf, subjectOf, viewOf, type CodePageContext } from '../contract/pages.js';
import { CopyButton, Person, SignatureBadge, signatureWords } from '../contract/parts.js';
import type { JudgedVerification } from '../contract/signatures.js';
import type { PageServices } from './services.js';

/** One commit with its difference. */
export function commitPage(services: PageServices): Route[] {
  const { git: reader, pages, diffs, views, verification, accounts, site, markup } = services;

  const show = async (context: CodePageContext, oid: string) => {
    const { repository } = context.subject;
    const git = reader.open(repository.id);
    const commit = await git.commit(oid);
    const view = viewOf(services, context, { kind: 'commit', name: oid, commit: oid });
    const query = { ...(context.query as DiffQuery), page: context.page.page };
    const [data, people, [proof], beside, note, branches] = await Promise.all([
      attempt(diffs.read(git, commit.parents[0], oid, query), undefined),
      views.people([commit]),
      verification.judge(context.subject.repository, [commit]),
      views.badges(context.subject, [oid]),
      attempt(git.note(oid), undefined),
      branchesWith(git, oid),
    ]);
    const message = { repository: `${repository.ownerName}/${repository.name}`, viewer: context };
    const subject = await markup.renderMessage(subjectOf(commit.message), message);
    const body = await markup.renderMessage(bodyOf(commit.message), message);
    const { author, committer } = commit;
    const signer = proof?.signer ? await accounts.byName(proof.signer.username) : undefined;
    return pages.page(placeOf(context), 'code', {
      title: subjectOf(commit.message),
      islands: ['highlight', 'lines', 'copy', 'shortcuts'],
      body: (
        <div data-find={`${view.home}/find/commit/${oid}`}>
          <div class="Box mb-3">
            <div class="Box-header d-flex flex-wrap" style="gap: 8px">
              <h2 class="f4 flex-auto wb-break-word">
                {subject ? <span dangerouslySetInnerHTML={{ __html: subject }} /> : '(no message)'}
              </h2>
              {beside.get(oid)}
              <a class="btn btn-sm" href={`${view.home}/src/commit/${oid}`}>
                {icon('code')} Browse files
              </a>
            </div>
            {body ? (
              <pre class="Box-row mb-0" style="white-space: pre-wrap" dangerouslySetInnerHTML={{ __html: body }} />
            ) : null}
            {branches.length > 0 ? (
              <p class="Box-row mb-0 f6 py-2">
                {icon('git-branch')}{' '}
                {branches.slice(0, 10).map(({ name }) => (
                  <a
                    class="Label mr-1 code-short"
                    title={name}
                    href={`${view.home}/src/branch/${name.split('/').map(encodeURIComponent).join('/')}`}
                  >
                    {name}
                  </a>
                ))}
                {branches.length > 10 ? `and ${branches.length - 10} more` : ''}
              </p>
            ) : null}
            <div class="Box-row d-flex flex-wrap flex-items-center f6" style="gap: 8px 16px">
              <span>
                <Person account={people.get(author.email.toLowerCase())} name={author.name} path={site.path} /> wrote
                this <Ago time={author.time} />
              </span>
              {committer.email !== author.email ? (
                <span>
                  <Person account={people.get(committer.email.toLowerCase())} name={committer.name} path={site.path} />{' '}
                  committed it <Ago time={committer.time} />
                </span>
              ) : null}
              <Signed proof={proof} signer={signer?.name} />
              <span class="flex-auto" />
              <Parents commit={commit} home={view.home} />
              <span>
                commit <span class="text-mono">{oid.slice(0, 10)}</span>
                <CopyButton text={oid} label="Copy the whole id" />
              </span>
              <a href={`${view.home}/commit/${oid}.diff`}>.diff</a>
              <a href={`${view.home}/commit/${oid}.patch`}>.patch</a>
            </div>
            {note ? (
              <div class="Box-row">
                <h3 class="f6 color-fg-muted mb-1">{icon('note')} Note</h3>
                <pre class="mb-0" style="white-space: pre-wrap">
                  {note.message.slice(0, 20_000)}
                </pre>
              </div>
            ) : null}
          </div>
          {data ? (
            await diffs.render(
              data,
              { before: { home: view.home, commit: commit.parents[0] }, after: { home: view.home, commit: oid } },
              { viewer: context },
            )
          ) : (
            <p class="flash flash-error">The difference cannot be read; the repository is damaged here.</p>
          )}
        </div>
      ),
    });
  };

  return [
    defineRoute({
      method: 'GET',
      path: '/{owner}/{repo}/commit/{sha}',
      surface: 'page',
      access: pageAccess,
      request: { query: diffQuery },
      async handler(context) {
        const git = reader.open(context.subject.repository.id);
        const { sha } = context.params;
        const oid = /^[0-9a-f]{4,64}$/.test(sha) && (await git.resolve(sha))?.commit;
        if (!oid) throw NotFound('commit');
        return show(context, oid);
      },
    }),
  ];
}

/** With many branches the question costs more than the answer is worth. */
async function branchesWith(git: GitRepository, oid: string): Promise<readonly Ref[]> {
  if ((await git.branches()).length > 200) return [];
  return within(400, git.refsContaining(oid, 'refs/heads/'), []);
}

function Parents({ commit, home }: { commit: Commit; home: string }) {
  return (
    <span>
      {commit.parents.length === 0 ? 'first commit' : commit.parents.length === 1 ? 'parent ' : 'parents '}
      {commit.parents.slice(0, 20).map((parent) => (
        <a class="text-mono mr-1" href={`${home}/commit/${parent}`}>
          {parent.slice(0, 10)}
        </a>
      ))}
    </span>
  );
}

function Signed({ proof, signer }: { proof: JudgedVerification | undefined; signer: string | undefined }) {
  if (!proof?.signature) return null;
  const { about } = signatureWords(proof);
  const owner = signer ?? proof.signer?.name ?? proof.signer?.email ?? 'an account';
  return (
    <details class="position-relative d-inline-block">
      <summary class="btn-invisible p-0 border-0 d-inline">
        <SignatureBadge proof={proof} />
      </summary>
      <div class="code-menu Box position-absolute mt-1 p-3 color-shadow-large">
        <p class="mb-2">
          {proof.verified
            ? `${about}${about === 'Signed' ? '' : ','} with a key of ${owner}.`
            : 'No key that is known here proves this signature.'}
        </p>
        <p class="f6 color-fg-muted mb-0 wb-break-word">{proof.reason}</p>
      </div>
    </details>
  );
}
