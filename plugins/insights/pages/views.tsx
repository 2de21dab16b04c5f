import type { VNode } from 'preact';
import { Blankslate, Ago, LazyFragment, formatDate, formatNumber } from '@mortise/plugin-sdk';
import type { Account } from '@mortise/accounts/api';
import { subjectOf, type Commit } from '@mortise/git/api';
import type { Contributions, Week } from '../services/contributions.js';
import { t } from '../texts/index.js';
import { BarChart } from './chart.js';

const weekSeconds = 7 * 86_400;
const day = (seconds: number) => formatDate(seconds * 1000);

/** Days. */
export const periods = {
  daily: 1,
  halfweekly: 3,
  weekly: 7,
  monthly: 30,
  quarterly: 91,
  semiyearly: 182,
  yearly: 365,
} as const;
export type Period = keyof typeof periods;

const pages = [
  ['', 'pulse'],
  ['/contributors', 'contributors'],
  ['/code-frequency', 'frequency'],
  ['/recent-commits', 'commits'],
] as const;

/** Menu of the four pages. */
export function Menu({ base, active }: { base: string; active: string }): VNode {
  return (
    <nav class="UnderlineNav mb-3" aria-label={t('activity')}>
      <div class="UnderlineNav-body">
        {pages.map(([path, label]) => (
          <a
            key={path}
            class="UnderlineNav-item"
            href={`${base}/activity${path}`}
            aria-current={path === active ? 'page' : undefined}
          >
            {t(label)}
          </a>
        ))}
      </div>
    </nav>
  );
}

/** Shown while the first count is made; a script asks for what comes in its place. */
export const Counting = (): VNode => (
  <LazyFragment href="?part=1">
    <div class="blankslate Box" role="status">
      <h2 class="blankslate-heading">{t('counting.title')}</h2>
      <p>
        {t('counting.text')} <a href="">{t('counting.refresh')}</a>
      </p>
    </div>
  </LazyFragment>
);

/** In the place of a count that failed. */
export const CountingFailed = ({ reason }: { reason: string }): VNode => (
  <div class="blankslate Box" role="status">
    <h2 class="blankslate-heading">{t('counting.failed')}</h2>
    <p>{t('counting.failedText', { reason })}</p>
  </div>
);

/** Every week from the first to the last, so that gaps are seen. */
function filled(weeks: readonly Week[], from: number, to: number): Week[] {
  const known = new Map(weeks.map((one) => [one.week, one]));
  const all: Week[] = [];
  for (let week = from; week <= to; week += weekSeconds)
    all.push(known.get(week) ?? { week, commits: 0, additions: 0, deletions: 0 });
  return all;
}

const range = (weeks: readonly Week[]) => [weeks[0]?.week ?? 0, weeks[weeks.length - 1]?.week ?? 0] as const;

interface ContributorsProps {
  readonly contributions: Contributions;
  /** Accounts by lower-case address. */
  readonly accounts: ReadonlyMap<string, Account>;
  readonly accountUrl: (account: Account) => string;
}

export function Contributors({ contributions, accounts, accountUrl }: ContributorsProps): VNode {
  const { contributors, weeks, truncated } = contributions;
  const [from, to] = range(weeks);
  const all = filled(weeks, from, to);
  return (
    <>
      <h2 class="f3 mb-2">{t('contributors')}</h2>
      <p class="color-fg-muted">
        {t('contributors.text')} {truncated ? t('contributors.truncated') : ''}
      </p>
      <BarChart
        title={t('chart.weeks')}
        labels={all.map(({ week }) => day(week))}
        series={[{ label: t('series.commits'), tone: 'success', values: all.map((one) => one.commits) }]}
      />
      <div class="insight-cards mt-4">
        {contributors.map((person) => {
          const account = accounts.get(person.email.toLowerCase());
          const own = filled(person.weeks, from, to);
          return (
            <section key={person.email} class="Box p-3" aria-label={person.name}>
              <h3 class="f5 wb-break-word">
                {account ? <a href={accountUrl(account)}>{account.fullName || account.name}</a> : person.name}
              </h3>
              <p class="f6 mb-2">
                {t('contributors.count', { count: person.commits })}{' '}
                <span class="color-fg-success">+{formatNumber(person.additions)}</span>{' '}
                <span class="color-fg-danger">−{formatNumber(person.deletions)}</span>
              </p>
              <BarChart
                title={t('chart.weeksOf', { name: person.name })}
                height={60}
                small
                labels={own.map(({ week }) => day(week))}
                series={[{ label: t('series.commits'), tone: 'accent', values: own.map((one) => one.commits) }]}
              />
            </section>
          );
        })}
      </div>
    </>
  );
}

export function CodeFrequency({ contributions: { weeks } }: { contributions: Contributions }): VNode {
  const all = filled(weeks, ...range(weeks));
  return (
    <>
      <h2 class="f3 mb-3">{t('chart.lines')}</h2>
      <BarChart
        title={t('chart.lines')}
        height={240}
        labels={all.map(({ week }) => day(week))}
        series={[
          { label: t('series.added'), tone: 'success', values: all.map((one) => one.additions) },
          { label: t('series.deleted'), tone: 'danger', below: true, values: all.map((one) => one.deletions) },
        ]}
      />
    </>
  );
}

export function RecentCommits({ contributions: { weeks }, now }: { contributions: Contributions; now: number }): VNode {
  const latest = Math.max(now, ...weeks.slice(-1).map(({ week }) => week));
  const all = filled(weeks, now - 51 * weekSeconds, latest);
  return (
    <>
      <h2 class="f3 mb-3">{t('chart.year')}</h2>
      <BarChart
        title={t('chart.year')}
        labels={all.map(({ week }) => day(week))}
        series={[{ label: t('series.commits'), tone: 'success', values: all.map((one) => one.commits) }]}
      />
    </>
  );
}

interface PulseProps {
  readonly base: string;
  readonly period: Period;
  readonly total: number;
  readonly authors: readonly { readonly name: string; readonly commits: number }[];
  readonly latest: readonly Commit[];
}

export function Pulse({ base, period, total, authors, latest }: PulseProps): VNode {
  return (
    <>
      <div class="insight-head mb-3">
        <h2 class="f3 mb-0">{t('pulse.heading', { period: t(`period.${period}`) })}</h2>
        <nav class="insight-periods" aria-label={t('period')}>
          {(Object.keys(periods) as Period[]).map((key) => (
            <a
              key={key}
              class="btn btn-sm"
              href={`${base}/activity?period=${key}`}
              aria-current={key === period ? 'true' : undefined}
            >
              {t(`period.${key}`)}
            </a>
          ))}
        </nav>
      </div>
      {authors.length === 0 ? (
        <Blankslate title={t('pulse.none')} icon="git-commit" level={3} />
      ) : (
        <p>{t('pulse.text', { people: authors.length, commits: total })}</p>
      )}
      {authors.length > 0 ? (
        <BarChart
          title={t('chart.authors')}
          labels={authors.slice(0, 30).map(({ name }) => name)}
          series={[
            { label: t('series.commits'), tone: 'accent', values: authors.slice(0, 30).map(({ commits }) => commits) },
          ]}
        />
      ) : null}
      {latest.length > 0 ? (
        <section class="Box mt-3" aria-label={t('pulse.latest')}>
          <h3 class="Box-header f5">{t('pulse.latest')}</h3>
          <ul class="list-style-none">
            {latest.map((commit) => (
              <li key={commit.oid} class="Box-row insight-commit">
                <a class="insight-subject" href={`${base}/commit/${commit.oid}`}>
                  {subjectOf(commit.message)}
                </a>
                <span class="no-wrap color-fg-muted f6">
                  {commit.author.name}, <Ago time={commit.author.time} />
                </span>
              </li>
            ))}
          </ul>
        </section>
      ) : null}
    </>
  );
}
