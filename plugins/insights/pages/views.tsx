import type { VNode } from 'preact';
import { Ago } from '@mortise/plugin-sdk';
import type { Account } from '@mortise/accounts/api';
import type { Commit } from '@mortise/git/api';
import type { Contributions, Week } from '../services/contributions.js';
import { BarChart, formatNumber } from './chart.js';

const green = 'var(--color-success-emphasis, var(--bgColor-success-emphasis, #1f883d))';
const red = 'var(--color-danger-emphasis, var(--bgColor-danger-emphasis, #cf222e))';
const blue = 'var(--color-accent-emphasis, var(--bgColor-accent-emphasis, #0969da))';
const weekSeconds = 7 * 86_400;
const day = (seconds: number) => new Date(seconds * 1000).toISOString().slice(0, 10);

export const periods = {
  daily: ['1 day', 1],
  halfweekly: ['3 days', 3],
  weekly: ['1 week', 7],
  monthly: ['1 month', 30],
  quarterly: ['3 months', 91],
  semiyearly: ['6 months', 182],
  yearly: ['1 year', 365],
} as const;
export type Period = keyof typeof periods;

const pages = [
  ['', 'Pulse'],
  ['/contributors', 'Contributors'],
  ['/code-frequency', 'Code frequency'],
  ['/recent-commits', 'Commits'],
] as const;

/** Menu of the four pages. */
export function Menu({ base, active }: { base: string; active: string }): VNode {
  return (
    <nav class="UnderlineNav mb-3" aria-label="Activity">
      <div class="UnderlineNav-body">
        {pages.map(([path, label]) => (
          <a
            key={path}
            class="UnderlineNav-item"
            href={`${base}/activity${path}`}
            aria-current={path === active ? 'page' : undefined}
          >
            {label}
          </a>
        ))}
      </div>
    </nav>
  );
}

/** Shown while the first count is made; the page asks again by itself. */
export const Counting = (): VNode => (
  <div class="blankslate Box" role="status">
    <h2 class="blankslate-heading">The history is being counted</h2>
    <p>This page shows it in a moment.</p>
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

interface PeopleProps {
  readonly contributions: Contributions;
  /** Accounts by lower-case address. */
  readonly accounts: ReadonlyMap<string, Account>;
  readonly accountUrl: (account: Account) => string;
}

export function Contributors({ contributions, accounts, accountUrl }: PeopleProps): VNode {
  const { contributors, weeks, truncated } = contributions;
  const [from, to] = range(weeks);
  const all = filled(weeks, from, to);
  return (
    <>
      <h2 class="f3 mb-2">Contributors</h2>
      <p class="color-fg-muted">
        Commits to the default branch, merges left out{truncated ? '; only the newest part of the history' : ''}.
      </p>
      <BarChart
        title="Commits by week"
        labels={all.map(({ week }) => day(week))}
        series={[{ label: 'commits', colour: green, values: all.map((one) => one.commits) }]}
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
                {formatNumber(person.commits)} {person.commits === 1 ? 'commit' : 'commits'}{' '}
                <span class="color-fg-success">+{formatNumber(person.additions)}</span>{' '}
                <span class="color-fg-danger">−{formatNumber(person.deletions)}</span>
              </p>
              <BarChart
                title={`Commits of ${person.name} by week`}
                height={60}
                small
                labels={own.map(({ week }) => day(week))}
                series={[{ label: 'commits', colour: blue, values: own.map((one) => one.commits) }]}
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
      <h2 class="f3 mb-3">Lines added and removed by week</h2>
      <BarChart
        title="Lines added and removed by week"
        height={240}
        labels={all.map(({ week }) => day(week))}
        series={[
          { label: 'added', colour: green, values: all.map((one) => one.additions) },
          { label: 'removed', colour: red, below: true, values: all.map((one) => one.deletions) },
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
      <h2 class="f3 mb-3">Commits of the last year by week</h2>
      <BarChart
        title="Commits of the last year by week"
        labels={all.map(({ week }) => day(week))}
        series={[{ label: 'commits', colour: green, values: all.map((one) => one.commits) }]}
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
  const [label] = periods[period];
  return (
    <>
      <div class="d-flex flex-wrap flex-justify-between flex-items-center mb-3" style="gap: 8px">
        <h2 class="f3 mb-0">The last {label.replace(/^1 /, '')}</h2>
        <nav class="d-flex flex-wrap" style="gap: 4px" aria-label="Period">
          {Object.entries(periods).map(([key, [text]]) => (
            <a
              key={key}
              class="btn btn-sm"
              href={`${base}/activity?period=${key}`}
              aria-current={key === period ? 'true' : undefined}
            >
              {text}
            </a>
          ))}
        </nav>
      </div>
      <p>
        {authors.length === 0
          ? 'Nobody has made a commit'
          : `${formatNumber(authors.length)} ${authors.length === 1 ? 'person has' : 'people have'} made ${formatNumber(total)} ${total === 1 ? 'commit' : 'commits'}`}{' '}
        on the default branch, merges left out.
      </p>
      {authors.length > 0 ? (
        <BarChart
          title="Commits by author"
          labels={authors.slice(0, 30).map(({ name }) => name)}
          series={[{ label: 'commits', colour: blue, values: authors.slice(0, 30).map(({ commits }) => commits) }]}
        />
      ) : null}
      {latest.length > 0 ? (
        <section class="Box mt-3" aria-label="Latest commits">
          <h3 class="Box-header f5">Latest commits</h3>
          <ul class="list-style-none">
            {latest.map((commit) => (
              <li key={commit.oid} class="Box-row d-flex flex-justify-between" style="gap: 8px">
                <a
                  class="css-truncate css-truncate-target"
                  style="max-width: none"
                  href={`${base}/commit/${commit.oid}`}
                >
                  {commit.message.split('\n')[0]}
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
