/** Additions, deletions and commits of one week. */
export interface Week {
  /** Sunday 00:00 UTC, in seconds since 1970. */
  readonly week: number;
  commits: number;
  additions: number;
  deletions: number;
}

interface Contributor {
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
const maxCommits = 100_000;
const maxContributors = 100;
const weekSeconds = 7 * 86_400;
/** 1970-01-04 was the first Sunday. */
const firstSunday = 3 * 86_400;

export const weekOf = (seconds: number): number =>
  Math.floor((seconds - firstSunday) / weekSeconds) * weekSeconds + firstSunday;

/** Arguments of git that list the commits to count, the newest first. */
export const listArguments = (commit: string): readonly string[] => [
  'rev-list',
  '--no-merges',
  `--max-count=${maxCommits}`,
  commit,
  '--',
];

/** Arguments of git for the text that a {@link Tally} reads, of commits that are named in the input. */
export const logArguments = ({ lines = true } = {}): readonly string[] => [
  'log',
  '--no-walk=unsorted',
  '--stdin',
  '--no-renames',
  '--use-mailmap',
  ...(lines ? ['--shortstat'] : []),
  '--format=%x01%at%x00%aN%x00%aE',
];

/** What was added up so far, to be stored and gone on with. */
export interface TallyState {
  readonly commits: number;
  readonly contributors: readonly Contributor[];
  readonly weeks: readonly Week[];
}

/** Adds up commits, as git writes them, by author and week. */
export class Tally {
  #commits = 0;
  readonly #byAddress = new Map<string, { contributor: Contributor; byWeek: Map<number, Week> }>();
  readonly #weeks: Map<number, Week>;

  constructor({ commits, contributors, weeks }: TallyState = { commits: 0, contributors: [], weeks: [] }) {
    this.#commits = commits;
    this.#weeks = new Map(weeks.map((one) => [one.week, one]));
    for (const one of contributors)
      this.#byAddress.set(one.email.toLowerCase(), {
        contributor: one,
        byWeek: new Map(one.weeks.map((week) => [week.week, week])),
      });
  }

  /** A line for each commit, and behind it its numbers. Times that no clock has are left out. */
  add(text: string, now = Date.now()): void {
    const latest = now / 1000 + weekSeconds;
    for (const record of text.split('\x01')) {
      const [head = '', ...rest] = record.split('\n');
      const [at = '', name = '', email = ''] = head.split('\0');
      if (!at) continue;
      this.#commits++;
      const seconds = Number(at);
      if (!Number.isFinite(seconds) || seconds < 0 || seconds > latest) continue;
      const numbers = rest.join(' ');
      const additions = Number(/(\d+) insertion/.exec(numbers)?.[1] ?? 0);
      const deletions = Number(/(\d+) deletion/.exec(numbers)?.[1] ?? 0);
      const author = this.#authorOf(name, email);
      const week = weekOf(seconds);
      for (const sum of [weekIn(this.#weeks, week), weekIn(author.byWeek, week), author.contributor]) {
        sum.commits++;
        sum.additions += additions;
        sum.deletions += deletions;
      }
    }
  }

  #authorOf(name: string, email: string) {
    const key = email.toLowerCase();
    let author = this.#byAddress.get(key);
    if (!author) {
      const contributor: Contributor = { name, email, commits: 0, additions: 0, deletions: 0, weeks: [] };
      this.#byAddress.set(key, (author = { contributor, byWeek: new Map() }));
    }
    return author;
  }

  /** All authors. */
  state(): TallyState {
    const contributors = [...this.#byAddress.values()].map(({ contributor, byWeek }) => ({
      ...contributor,
      weeks: ordered(byWeek),
    }));
    return { commits: this.#commits, contributors, weeks: ordered(this.#weeks) };
  }

  /** What pages show. */
  contributions(): Contributions {
    const { commits, contributors, weeks } = this.state();
    const highest = [...contributors].sort((a, b) => b.commits - a.commits).slice(0, maxContributors);
    return { contributors: highest, weeks, truncated: commits >= maxCommits };
  }
}

function weekIn(weeks: Map<number, Week>, week: number): Week {
  let contribution = weeks.get(week);
  if (!contribution) weeks.set(week, (contribution = { week, commits: 0, additions: 0, deletions: 0 }));
  return contribution;
}

const ordered = (weeks: ReadonlyMap<number, Week>): Week[] => [...weeks.values()].sort((a, b) => a.week - b.week);
