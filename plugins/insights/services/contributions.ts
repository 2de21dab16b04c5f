/** Additions, deletions and commits of one week. */
export interface Week {
  /** Sunday 00:00 UTC, in seconds since 1970. */
  readonly week: number;
  commits: number;
  additions: number;
  deletions: number;
}

export interface Contributor {
  readonly name: string;
  readonly email: string;
  commits: number;
  additions: number;
  deletions: number;
  /** Ordered by time; weeks without commits are left out. */
  readonly weeks: Week[];
}

export interface Contributions {
  /** Most commits first. */
  readonly contributors: readonly Contributor[];
  readonly weeks: readonly Week[];
  /** The history is longer than what was counted. */
  readonly truncated: boolean;
}

/** Longest history that is counted. */
export const maxCommits = 100_000;
const maxContributors = 100;
const weekSeconds = 7 * 86_400;
/** 1970-01-04 was the first Sunday. */
const firstSunday = 3 * 86_400;

export const weekOf = (seconds: number): number =>
  Math.floor((seconds - firstSunday) / weekSeconds) * weekSeconds + firstSunday;

/** Arguments of git for the text that {@link count} reads. */
export const logArguments = (commit: string): readonly string[] => [
  'log',
  '--no-merges',
  '--no-renames',
  '--use-mailmap',
  '--shortstat',
  `--max-count=${maxCommits}`,
  '--format=%x01%at%x00%aN%x00%aE',
  commit,
  '--',
];

/** Adds up what `git log` wrote: a line for each commit, and behind it its numbers. Times that no clock has are left out. */
export function count(text: string, now = Date.now()): Contributions {
  const users = new Map<string, { contributor: Contributor; byWeek: Map<number, Week> }>();
  const total = new Map<number, Week>();
  let commits = 0;
  const latest = now / 1000 + weekSeconds;
  for (const record of text.split('\x01')) {
    const [head = '', ...rest] = record.split('\n');
    const [at = '', name = '', email = ''] = head.split('\0');
    if (!at) continue;
    commits++;
    const seconds = Number(at);
    if (!Number.isFinite(seconds) || seconds < 0 || seconds > latest) continue;
    const numbers = rest.join(' ');
    const additions = Number(/(\d+) insertion/.exec(numbers)?.[1] ?? 0);
    const deletions = Number(/(\d+) deletion/.exec(numbers)?.[1] ?? 0);
    const key = email.toLowerCase();
    let person = users.get(key);
    if (!person) {
      const contributor: Contributor = { name, email, commits: 0, additions: 0, deletions: 0, weeks: [] };
      users.set(key, (person = { contributor, byWeek: new Map() }));
    }
    const week = weekOf(seconds);
    for (const sum of [weekIn(total, week), weekIn(person.byWeek, week), person.contributor]) {
      sum.commits++;
      sum.additions += additions;
      sum.deletions += deletions;
    }
  }
  const contributors = [...users.values()]
    .sort((a, b) => b.contributor.commits - a.contributor.commits)
    .slice(0, maxContributors)
    .map(({ contributor, byWeek }) => ({ ...contributor, weeks: ordered(byWeek) }));
  return { contributors, weeks: ordered(total), truncated: commits >= maxCommits };
}

function weekIn(weeks: Map<number, Week>, week: number): Week {
  let found = weeks.get(week);
  if (!found) weeks.set(week, (found = { week, commits: 0, additions: 0, deletions: 0 }));
  return found;
}

const ordered = (weeks: ReadonlyMap<number, Week>): Week[] => [...weeks.values()].sort((a, b) => a.week - b.week);
