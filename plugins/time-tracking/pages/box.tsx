import type { VNode } from 'preact';
import { Ago, Csrf, PostButton, type Slot } from '@mortise/plugin-sdk';
import type { Account, Accounts } from '@mortise/accounts/api';
import type { IssuePageContext } from '@mortise/issues/api';
import { trackerOf, type TimeService } from '../services/times.js';
import { t } from '../texts/index.js';

/** Hours and minutes in the page's language. */
const Duration = ({ seconds }: { seconds: number }): VNode => {
  const minutes = Math.floor(seconds / 60);
  return (
    <span class="no-wrap">
      {minutes
        ? t('page.duration', { hours: Math.floor(minutes / 60), minutes: minutes % 60 })
        : t('page.seconds', { seconds })}
    </span>
  );
};

interface BoxProps {
  readonly action: string;
  readonly total: number;
  readonly estimate: number;
  readonly trackers: readonly { readonly account: Account | undefined; readonly seconds: number }[];
  /** The own stopwatch: since when it runs here, milliseconds since 1970; 0: it does not. */
  readonly runsSince: number;
  readonly mayTrack: boolean;
  readonly maySetEstimate: boolean;
}

/** The box "Time" beside an issue. */
export function timeBox(times: TimeService, accounts: Accounts, isEnabled: boolean): Slot<IssuePageContext> {
  return {
    key: 'time-tracking',
    order: 60,
    async render({ context, actor, repositoryPath }) {
      const { issue, repository } = context;
      const tracker = trackerOf(repository);
      if (!isEnabled || !tracker.isOn || issue.isPull) return null;
      const isUser = actor.kind === 'user' && !repository.isArchived;
      const mayTrack = isUser && (!tracker.isForWriters || context.may('write'));
      const [all, running] = await Promise.all([
        times.sums(issue.id),
        mayTrack ? times.runningOn(issue.id, actor.id) : undefined,
      ]);
      // as over the API: others' times are for those who may write
      const sums = context.may('write') ? all : all.filter(({ userId }) => userId === actor.id);
      if (sums.length === 0 && !mayTrack && !issue.timeEstimate) return null;
      const users = await accounts.byIds(sums.map(({ userId }) => userId));
      return (
        <TimeBox
          action={`${repositoryPath}/issues/${issue.index}`}
          total={sums.reduce((sum, one) => sum + one.seconds, 0)}
          estimate={issue.timeEstimate}
          trackers={sums.map(({ userId, seconds }) => ({ account: users.get(userId), seconds }))}
          runsSince={running?.startedAt ?? 0}
          mayTrack={mayTrack}
          maySetEstimate={isUser && context.may('write')}
        />
      );
    },
  };
}

const Fields = ({ action, seconds, label }: { action: string; seconds: number; label: string }): VNode => (
  <form method="post" action={action} class="d-flex flex-wrap gap-1 mt-2">
    <Csrf />
    <input
      class="form-control form-number input-sm"
      type="number"
      name="hours"
      min={0}
      max={1000}
      placeholder={t('page.hours')}
      aria-label={t('page.hours')}
      value={seconds ? Math.floor(seconds / 3600) : undefined}
    />
    <input
      class="form-control form-number input-sm"
      type="number"
      name="minutes"
      min={0}
      max={59}
      placeholder={t('page.minutes')}
      aria-label={t('page.minutes')}
      value={seconds ? Math.floor(seconds / 60) % 60 : undefined}
    />
    <button class="btn btn-sm" type="submit">
      {label}
    </button>
  </form>
);

const TimeBox = ({
  action,
  total,
  estimate,
  trackers: users,
  runsSince,
  mayTrack,
  maySetEstimate,
}: BoxProps): VNode => (
  <section class="issue-side" aria-label={t('page.title')}>
    <h3 class="f6 color-fg-muted mb-1">{t('page.title')}</h3>
    {estimate ? <p class="mb-1">{t.rich('page.estimated', { time: <Duration seconds={estimate} /> })}</p> : null}
    {total ? <p class="mb-1">{t.rich('page.total', { time: <Duration seconds={total} /> })}</p> : null}
    <ul class="list-style-none f6">
      {users.map(({ account, seconds }) => (
        <li>
          {account?.name ?? t('page.gone')}: <Duration seconds={seconds} />
        </li>
      ))}
    </ul>
    {mayTrack ? (
      <>
        {runsSince ? (
          <>
            <p class="mb-1">{t.rich('page.running', { when: <Ago time={runsSince} /> })}</p>
            <div class="d-flex flex-wrap gap-1">
              <PostButton action={`${action}/stopwatch`} fields={{ action: 'stop' }}>
                {t('page.stop')}
              </PostButton>
              <PostButton action={`${action}/stopwatch`} fields={{ action: 'discard' }}>
                {t('page.discard')}
              </PostButton>
            </div>
          </>
        ) : (
          <PostButton action={`${action}/stopwatch`} fields={{ action: 'start' }}>
            {t('page.start')}
          </PostButton>
        )}
        <details class="mt-1">
          <summary class="f6">{t('page.add')}</summary>
          <Fields action={`${action}/times`} seconds={0} label={t('page.addTime')} />
        </details>
      </>
    ) : null}
    {maySetEstimate ? (
      <details class="mt-1">
        <summary class="f6">{t('page.estimate')}</summary>
        <Fields action={`${action}/estimate`} seconds={estimate} label={t('page.setEstimate')} />
      </details>
    ) : null}
  </section>
);
