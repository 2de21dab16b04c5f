import type { VNode } from 'preact';
import { Csrf, icon, PostButton, type Slot } from '@mortise/plugin-sdk';
import type { Account } from '@mortise/accounts/api';
import type { IssuePageContext } from '@mortise/issues/api';
import type { Team } from '@mortise/organizations/api';
import { MergeBoxRow, type PullPageContext } from '@mortise/pulls/api';
import type { Review } from '../contract/reviews.js';
import { FinishForm } from './forms.js';
import { UserLink, pullContextOf, StateIcon, type PageDeps } from './page-context.js';
import { t } from '../texts/index.js';

/** Teams that can be ticked at the side; others are asked by their name. */
const maxTeams = 20;

interface ReviewerProps {
  readonly review: Review;
  readonly account: Account | undefined;
  readonly team: Team | undefined;
}

interface SideProps {
  readonly deps: PageDeps;
  readonly action: string;
  readonly me: number;
  /** Ask others, and take it back. */
  readonly mayAsk: boolean;
  /** Of the pull request's page: this one is shown. */
  readonly rows: readonly ReviewerProps[];
  readonly teams: readonly Team[];
}

/** Who reviews: those who are asked, and those who have said something. */
export const reviewersBox = (deps: PageDeps): Slot<IssuePageContext> => ({
  key: 'reviews.reviewers',
  order: 10,
  async render({ context: of, actor, repositoryPath }) {
    const context = await pullContextOf(deps, of);
    if (!context) return null;
    const { accounts, reviewServices } = deps;
    const { reader, reviewers } = reviewServices;
    const { issue, repository } = context;
    const { opinions = [], requests = [] } = (await reader.summary([issue.id])).get(issue.id) ?? {};
    const asked = new Set(requests.map(({ reviewerId }) => reviewerId).filter(Boolean));
    const all = [...requests, ...opinions.filter(({ reviewerId }) => !asked.has(reviewerId))];
    const isActive = actor.kind === 'user' && !repository.isArchived && !issue.isClosed;
    const mayAsk = isActive && (await reviewers.mayAsk(repository, issue.posterId, actor));
    const teamIds = requests.map(({ teamId }) => teamId).filter(Boolean);
    const [users, teams, offered] = await Promise.all([
      accounts.byIds([...new Set(all.map(({ reviewerId }) => reviewerId).filter(Boolean))]),
      teamIds.length ? reviewers.teams?.byIds(teamIds) : undefined,
      mayAsk ? reviewers.askableTeams(repository, actor, maxTeams) : [],
    ]);
    const rows = all.map((review) => ({
      review,
      account: users.get(review.reviewerId),
      team: teams?.get(review.teamId),
    }));
    return (
      <Reviewers
        deps={deps}
        action={`${repositoryPath}/pulls/${issue.index}/reviewers`}
        me={isActive ? actor.id : 0}
        mayAsk={mayAsk}
        rows={rows}
        teams={offered.filter(({ id }) => !teamIds.includes(id))}
      />
    );
  },
});

function Reviewers(props: SideProps): VNode {
  const { rows, mayAsk, action, teams } = props;
  return (
    <section class="issue-side" id="reviewers" aria-label={t('reviewers.title')}>
      <h3 class="f6 color-fg-muted mb-1">{t('reviewers.title')}</h3>
      {rows.length ? (
        <ul class="list-style-none">
          {rows.map((row) => (
            <Reviewer {...row} {...props} />
          ))}
        </ul>
      ) : (
        <span class="f6 color-fg-muted">{t('reviewers.none')}</span>
      )}
      {mayAsk ? (
        <details class="mt-1">
          <summary class="btn-link f6">{t('reviewers.ask')}</summary>
          <form method="post" action={action} class="mt-1">
            <Csrf />
            <input
              class="form-control input-sm width-full"
              name="names"
              maxLength={2000}
              aria-label={t('reviewers.names')}
              placeholder={t('reviewers.names')}
              autocomplete="off"
              data-suggest="users"
            />
            {teams.length ? (
              <fieldset class="border-0 p-0 mt-1 f6">
                <legend class="color-fg-muted">{t('reviewers.teams')}</legend>
                {teams.map(({ name }) => (
                  <label class="d-block text-normal">
                    <input type="checkbox" name="teams" value={name} /> {name}
                  </label>
                ))}
              </fieldset>
            ) : null}
            <button class="btn btn-sm mt-2" type="submit">
              {t('reviewers.askDo')}
            </button>
          </form>
        </details>
      ) : null}
    </section>
  );
}

function Reviewer({ review, account, team, deps, action, me, mayAsk }: ReviewerProps & SideProps): VNode {
  const { state, reviewerId, teamId, isStale } = review;
  const name = teamId ? (team?.name ?? t('team.gone')) : (account?.name ?? t('person.gone'));
  const isRequest = state === 'request';
  return (
    <li class="d-flex flex-items-center gap-1 review-reviewer">
      {account ? (
        <img class="avatar" src={deps.accounts.avatarUrl(account)} width={20} height={20} alt="" />
      ) : (
        icon('people')
      )}
      <span class="flex-auto min-width-0 wb-break-word">
        {teamId ? <strong>{name}</strong> : <UserLink account={account} site={deps.site} />}
      </span>
      {mayAsk && !isRequest && account ? (
        <PostButton
          action={action}
          fields={{ names: account.name }}
          label={t('reviewers.again', { name })}
          class="btn-octicon p-1"
        >
          {icon('sync')}
        </PostButton>
      ) : null}
      {isRequest && (mayAsk || (reviewerId > 0 && reviewerId === me)) ? (
        <PostButton
          action={action}
          fields={teamId ? { remove_team: teamId } : { remove_user: reviewerId }}
          label={t('reviewers.remove', { name })}
          class="btn-octicon p-1"
        >
          {icon('x')}
        </PostButton>
      ) : null}
      <StateIcon
        state={state}
        label={t(`reviewers.${isStale && !isRequest ? 'stale' : state === 'pending' ? 'comment' : state}`)}
      />
    </li>
  );
}

/** What is kept and not sent yet, at the end of the conversation. */
export const pendingNotice = (deps: PageDeps): Slot<IssuePageContext> => ({
  key: 'reviews.pending',
  order: 40,
  async render({ context: of, actor, repositoryPath }) {
    if (actor.kind !== 'user' || !of.issue.isPull || !of.context.may('read', 'code')) return null;
    const { reader } = deps.reviewServices;
    const review = await reader.pending(of.issue.id, actor.id);
    const context = review && (await pullContextOf(deps, of));
    if (!context) return null;
    const { issue, pull, repository } = context;
    const count = (await reader.commentCounts([review.id])).get(review.id) ?? 0;
    const own = `${repositoryPath}/pulls/${issue.index}`;
    const isOwn = issue.posterId === actor.id;
    return (
      <Pending own={own} count={count}>
        <FinishForm
          own={own}
          repository={`${repository.ownerName}/${repository.name}`}
          back=""
          Editor={deps.issuePages.Editor}
          commit={pull.headOid}
          pending={{ review, count }}
          mayJudge={!isOwn && !issue.isClosed}
          isOwn={isOwn}
        />
      </Pending>
    );
  },
});

const Pending = ({ own, count, children }: { own: string; count: number; children: VNode }): VNode => (
  <section class="Box p-3 mt-3 review-pending" aria-label={t('pending.title')}>
    <p class="mb-2">
      {icon('clock')} <strong>{t('pending.count', { count })}</strong> {t('pending.note')}{' '}
      <a href={`${own}/files`}>{t('pending.look')}</a>
    </p>
    <details>
      <summary class="btn btn-sm btn-primary">{t('pending.finish')}</summary>
      <div class="mt-3">{children}</div>
    </details>
  </section>
);

interface BoxProps {
  readonly approved: readonly string[];
  readonly outdated: readonly string[];
  /** Approvals that count for no rule of the base branch. */
  readonly uncounted: readonly string[];
  readonly rejected: readonly string[];
  readonly waiting: readonly string[];
}

/** What reviewers say, in the box at the end of the conversation; what the rules miss stands below. */
export const reviewsRow = (deps: PageDeps): Slot<PullPageContext> => ({
  key: 'reviews.rows',
  order: 20,
  async render({ context }) {
    const { accounts, reviewServices } = deps;
    const { reader, reviewers, official } = reviewServices;
    if (!context.pull.isOpen) return null;
    const { opinions = [], requests = [] } = (await reader.summary([context.issue.id])).get(context.issue.id) ?? {};
    if (opinions.length + requests.length === 0) return null;
    const teamIds = requests.map(({ teamId }) => teamId).filter(Boolean);
    const [users, teams] = await Promise.all([
      accounts.byIds([...new Set([...opinions, ...requests].map(({ reviewerId }) => reviewerId).filter(Boolean))]),
      teamIds.length ? reviewers.teams?.byIds(teamIds) : undefined,
    ]);
    const namesOf = (some: readonly Review[]) =>
      some.flatMap(({ reviewerId, teamId }) => (teamId ? teams?.get(teamId)?.name : users.get(reviewerId)?.name) ?? []);
    const given = opinions.filter(({ state }) => state === 'approved');
    const hasRule = (await reviewers.ruleFor(context.pull.repositoryId, context.pull.baseBranch)) !== undefined;
    const counted = hasRule ? await official.among(context, given) : undefined;
    const approvals = counted ? given.filter(({ id }) => counted.has(id)) : given;
    return (
      <Box
        approved={namesOf(approvals.filter(({ isStale }) => !isStale))}
        outdated={namesOf(approvals.filter(({ isStale }) => isStale))}
        uncounted={namesOf(counted ? given.filter(({ id }) => !counted.has(id)) : [])}
        rejected={namesOf(opinions.filter(({ state }) => state === 'rejected'))}
        waiting={namesOf(requests)}
      />
    );
  },
});

const Box = ({ approved, outdated, uncounted, rejected, waiting }: BoxProps): VNode => (
  <>
    {rejected.length ? (
      <MergeBoxRow icon="file-diff" tone="danger">
        <strong>{t('box.rejected', { count: rejected.length })}</strong>
        <p class="mb-0 color-fg-muted">{rejected.join(', ')}</p>
      </MergeBoxRow>
    ) : null}
    {approved.length ? (
      <MergeBoxRow icon="check" tone="success">
        <strong>{t('box.approved', { count: approved.length })}</strong>
        <p class="mb-0 color-fg-muted">{approved.join(', ')}</p>
      </MergeBoxRow>
    ) : null}
    {outdated.length ? (
      <MergeBoxRow icon="history" tone="attention">
        <strong>{t('box.outdated', { count: outdated.length })}</strong>
        <p class="mb-0 color-fg-muted">{outdated.join(', ')}</p>
      </MergeBoxRow>
    ) : null}
    {uncounted.length ? (
      <MergeBoxRow icon="check" tone="muted">
        <strong>{t('box.uncounted', { count: uncounted.length })}</strong>
        <p class="mb-0 color-fg-muted">{uncounted.join(', ')}</p>
      </MergeBoxRow>
    ) : null}
    {waiting.length ? (
      <MergeBoxRow icon="eye" tone="attention">
        <strong>{t('box.waiting', { count: waiting.length })}</strong>
        <p class="mb-0 color-fg-muted">{waiting.join(', ')}</p>
      </MergeBoxRow>
    ) : null}
  </>
);
