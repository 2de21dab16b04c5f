import type { VNode } from 'preact';
import { Ago, Csrf, icon, TextField } from '@mortise/plugin-sdk';
import type { Account } from '@mortise/accounts/api';
import type { DeploymentRow } from '../../models/deployment.js';
import type { EnvironmentRow } from '../../models/environment.js';
import { maxComment, type PendingDeployment } from '../../services/deployments/deployment-reviews.js';
import { t } from '../../texts/index.js';

export interface RunDeployments {
  readonly pending: readonly PendingDeployment[];
  readonly reviewed: readonly { readonly deployment: DeploymentRow; readonly environment: EnvironmentRow }[];
  /** Reviewers, by id. */
  readonly users: ReadonlyMap<number, Account>;
  /** Ids of the reviewing teams that the viewer may know of. */
  readonly visibleTeams: ReadonlySet<number>;
}

interface BoxProps extends RunDeployments {
  /** Address of the run. */
  readonly own: string;
  /** Nothing can be done any more. */
  readonly isReadOnly: boolean;
}

const nameOf = (users: BoxProps['users'], id: number): string => users.get(id)?.name ?? 'ghost';

type PendingLineProps = Pick<BoxProps, 'users' | 'visibleTeams'> & { readonly one: PendingDeployment };

/** Who may approve, or that nobody can any more. */
function reviewText({ one, users, visibleTeams }: PendingLineProps): string {
  const { name, reviewers, reviewer_teams: teamIds } = one.environment;
  const present = reviewers.filter((id) => users.has(id));
  if (present.length + one.teams.length === 0)
    return t(teamIds.length > 0 ? 'deployment.teamGone' : 'deployment.reviewersGone', { name });
  const seen = one.teams.filter(({ id }) => visibleTeams.has(id));
  const names = [
    ...present.map((id) => nameOf(users, id)),
    ...seen.map((team) => team.name),
    ...(seen.length < one.teams.length ? [t('deployment.hiddenTeam')] : []),
  ];
  return t('deployment.waitsForReview', { name, reviewers: names.join(', ') });
}

/** What a run waits for, in a sentence for each environment. */
const PendingLine = (props: PendingLineProps): VNode => {
  const { one } = props;
  const { name } = one.environment;
  return (
    <li class="wb-break-word">
      {icon('clock', { class: 'color-fg-attention' })} {one.needsReview ? reviewText(props) : null}
      {one.needsReview && one.opensAt ? ' ' : null}
      {one.opensAt ? t('deployment.waitsUntil', { name, count: Math.ceil((one.opensAt - Date.now()) / 60_000) }) : null}
    </li>
  );
};

const ReviewForm = ({ own, mine }: Pick<BoxProps, 'own'> & { mine: readonly PendingDeployment[] }) => (
  <form method="post" action={`${own}/review-deployments`} class="mt-3">
    <Csrf />
    {mine.length === 1 ? (
      <input type="hidden" name="environment" value={mine[0]!.environment.id} />
    ) : (
      <fieldset class="mb-2">
        <legend class="text-bold">{t('deployment.environments')}</legend>
        {mine.map(({ environment: { id, name } }) => (
          <label key={id} class="d-block">
            <input type="checkbox" name="environment" value={id} checked /> {name}
          </label>
        ))}
      </fieldset>
    )}
    <TextField name="comment" label={t('deployment.comment')} lines={2} maxLength={maxComment} />
    <div class="d-flex flex-wrap gap-2">
      <button class="btn btn-primary" type="submit" name="state" value="approved">
        {t('deployment.approve')}
      </button>
      <button class="btn btn-danger" type="submit" name="state" value="rejected">
        {t('deployment.reject')}
      </button>
    </div>
  </form>
);

/** What waits for reviewers, what they decide, and what they have decided. */
export function ReviewBox({ own, pending, reviewed, users, visibleTeams, isReadOnly }: BoxProps): VNode | null {
  const mine = isReadOnly ? [] : pending.filter((one) => one.isReviewer);
  const waiting = pending.filter((one) => one.needsReview || one.opensAt);
  // the script renews the box when this changes, and keeps what is typed until then
  const version = [...waiting.map((one) => `${one.environment.id}${one.needsReview}`), reviewed.length].join();
  return (
    <div id="run-deployments" data-version={version}>
      {waiting.length > 0 ? (
        <section class="Box p-3 mb-3" aria-labelledby="deployments-title">
          <h3 class="f4 mb-2" id="deployments-title">
            {t('deployment.waiting')}
          </h3>
          <ul class="list-style-none">
            {waiting.map((one) => (
              <PendingLine key={one.environment.id} {...{ one, users, visibleTeams }} />
            ))}
          </ul>
          {mine.length > 0 ? <ReviewForm {...{ own, mine }} /> : null}
        </section>
      ) : null}
      {reviewed.length > 0 ? (
        <ul class="Box list-style-none mb-3" aria-label={t('deployment.reviews')}>
          {reviewed.map(({ deployment, environment }) => (
            <li key={deployment.id} class="Box-row wb-break-word">
              {deployment.review === 'approved'
                ? icon('check', { class: 'color-fg-success' })
                : icon('x', { class: 'color-fg-danger' })}{' '}
              {t.rich(deployment.review === 'approved' ? 'deployment.approvedBy' : 'deployment.rejectedBy', {
                user: <strong>{nameOf(users, deployment.reviewer_id)}</strong>,
                name: environment.name,
                when: <Ago time={Number(deployment.reviewed_at)} />,
              })}
              {deployment.comment ? <p class="mb-0 color-fg-muted">{deployment.comment}</p> : null}
            </li>
          ))}
        </ul>
      ) : null}
    </div>
  );
}
