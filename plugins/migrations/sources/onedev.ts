import { type MigrationSource } from '../api.js';
import {
  SourceFailure,
  type SourceOptions,
  type SourcePages,
  type SourceReader,
  type SourceSubject,
} from '../contract/source.js';
import type {
  SourceComment,
  SourceIssue,
  SourceLabel,
  SourceMilestone,
  SourcePullRequest,
  SourceRepository,
  SourceReview,
  SourceUser,
} from '../contract/records.js';
import { t } from '../texts/index.js';
import { numberOf, pageRecords, recordOf, recordsOf, textOf, timeOf, type Answered } from './gitea-api.js';
import { idOf } from './gitea-records.js';
import { each } from './linked-pages.js';
import { OneDevApi, oneDevAddress, quoted } from './onedev-api.js';
import { pullOffsetOf, withoutNewer } from './pull-offset.js';

const dayMs = 24 * 3_600_000;
const maxUsers = 10_000;
const maxLabels = 1000;
/** Pages that are read at once, of a hundred records each. */
const maxPages = 5000;

/** States that the default workflow of OneDev counts as ended. */
const closedStates = new Set(['closed', 'released', 'done', 'resolved']);
const reviewStates: Readonly<Record<string, SourceReview['state']>> = {
  APPROVED: 'approved',
  REQUESTED_FOR_CHANGES: 'rejected',
};
/** Types of issues as they are coloured where nobody changed them; others are grey. */
const typeColors: Readonly<Record<string, string>> = {
  Bug: 'f64e60',
  'Build Failure': 'f64e60',
  Discussion: '8950fc',
  Improvement: '1bc5bd',
  'New Feature': '1bc5bd',
  'Support Request': '8950fc',
};

/** The type of an issue is a field of it. */
const typeOf = (issue: Answered): string => {
  const type = recordsOf(issue.fields).find(({ name }) => name === 'Type');
  return type ? textOf(type.value) : '';
};

/** Confidential issues stay behind: whoever reads the repository here would read them. */
const isShown = (issue: Answered): boolean => issue.confidential !== true;

class OneDevReader implements SourceReader {
  readonly #users = new Map<number, Promise<SourceUser>>();
  /** Ids by numbers, of what was read so far. */
  readonly #ids = { issues: new Map<number, number>(), pulls: new Map<number, number>() };
  readonly #queries: Readonly<Record<'issues' | 'pulls', Readonly<Record<string, string>>>>;

  constructor(
    private readonly api: OneDevApi,
    private readonly record: Answered,
    private readonly cloneUrl: string,
    /** Pull requests have numbers of their own there: here they stand behind the issues. */
    private readonly pullOffset: number,
    path: string,
    private readonly options: SourceOptions,
  ) {
    this.#queries = {
      issues: issueQuery(path),
      pulls: { query: `"Target Project" is ${quoted(path)} order by "Submit Date" asc` },
    };
  }

  repository(): Promise<SourceRepository> {
    return Promise.resolve({
      name: textOf(this.record.name),
      description: textOf(this.record.description),
      isPrivate: true,
      defaultBranch: '',
      topics: [],
      cloneUrl: this.cloneUrl,
      pullRef: 'refs/pulls/{number}/head',
      pullOffset: this.pullOffset,
    });
  }

  milestones = (after?: string): SourcePages<SourceMilestone> =>
    this.api.pages(`/projects/${numberOf(this.record.id)}/iterations`, {}, after, (all) =>
      all.map((one) => ({
        id: idOf(one),
        title: textOf(one.name),
        description: textOf(one.description),
        isClosed: one.closed === true,
        dueAt: numberOf(one.dueDay) * dayMs || timeOf(one.dueDate),
      })),
    );

  /** The types of the issues there are: only administrators may read the list of all. */
  async *labels(): SourcePages<SourceLabel> {
    const types = new Set<string>();
    const pages = this.api.pages('/issues', this.#queries.issues, undefined, (all) =>
      all.filter(isShown).map(typeOf).filter(Boolean),
    );
    for await (const { items } of bounded(pages)) for (const type of items) if (types.size < maxLabels) types.add(type);
    yield {
      items: [...types].map((name) => ({
        name,
        color: (Object.hasOwn(typeColors, name) && typeColors[name]) || 'cccccc',
        description: '',
      })),
    };
  }

  issues = (after?: string): SourcePages<SourceIssue> =>
    withoutNewer(
      this.options,
      this.pullOffset,
      this.api.pages('/issues', this.#queries.issues, after, (all) => each(all.filter(isShown), this.#issue)),
    );

  pullRequests = (after?: string): SourcePages<SourcePullRequest> =>
    this.api.pages('/pulls', this.#queries.pulls, after, (all) => each(all, this.#pull));

  async *commentsOf(subject: SourceSubject): SourcePages<SourceComment> {
    const path = await this.#pathOf(subject);
    const comments = path ? pageRecords((await this.api.get(`${path}/comments`, [404])).data) : [];
    yield {
      items: await each(comments, async (one) => ({
        id: `${subject.isPull ? 'pull' : 'issue'}-${numberOf(one.id)}`,
        issue: subject.number,
        body: textOf(one.content),
        author: await this.#user(one.userId),
        reactions: [],
        createdAt: timeOf(one.date),
      })),
    };
  }

  async *reviewsOf(pull: SourceSubject): SourcePages<SourceReview> {
    const path = await this.#pathOf(pull);
    const reviews = path ? pageRecords((await this.api.get(`${path}/reviews`, [404])).data) : [];
    const items = await each(reviews, (one) => this.#review(one, pull.number));
    yield { items: items.flatMap((one) => one ?? []) };
  }

  #issue = async (one: Answered): Promise<SourceIssue> => {
    this.#ids.issues.set(numberOf(one.number), numberOf(one.id));
    const { data } = await this.api.get(`/issues/${numberOf(one.id)}/iterations`, [404]);
    const iteration = recordOf(recordsOf(data)[0]);
    const milestone = textOf(iteration.name);
    const type = typeOf(one);
    return {
      ...(await this.#text(one)),
      number: numberOf(one.number),
      isClosed: closedStates.has(textOf(one.state).toLowerCase()),
      labels: type ? [type] : [],
      ...(milestone && { milestone, milestoneId: idOf(iteration) }),
    };
  };

  #pull = async (one: Answered): Promise<SourcePullRequest> => {
    this.#ids.pulls.set(numberOf(one.number), numberOf(one.id));
    const { data } = await this.api.get(`/pulls/${numberOf(one.id)}/merge-preview`, [404]);
    const preview = recordOf(data);
    const closed = recordOf(one.closeInfo);
    const status = textOf(one.status) || textOf(closed.status) || 'OPEN';
    const closedAt = timeOf(closed.date) ?? timeOf(one.closeDate) ?? timeOf(recordOf(one.lastActivity).date);
    return {
      ...(await this.#text(one)),
      number: numberOf(one.number) + this.pullOffset,
      isClosed: status !== 'OPEN',
      isMerged: status === 'MERGED',
      labels: [],
      head: { branch: textOf(one.sourceBranch), commit: textOf(preview.headCommitHash) },
      base: {
        branch: textOf(one.targetBranch),
        commit: textOf(preview.targetHeadCommitHash) || textOf(one.baseCommitHash),
      },
      ...(status !== 'OPEN' && { closedAt }),
      ...(status === 'MERGED' && { mergedAt: closedAt, mergeCommit: textOf(preview.mergeCommitHash) }),
    };
  };

  /** What issues and pull requests have in common. */
  async #text(one: Answered) {
    return {
      title: textOf(one.title),
      body: textOf(one.description),
      author: await this.#user(one.submitterId),
      isLocked: false,
      assignees: [],
      reactions: [],
      createdAt: timeOf(one.submitDate),
    };
  }

  async #review(one: Answered, pull: number): Promise<SourceReview | undefined> {
    const result = recordOf(one.result);
    const status = textOf(one.status) || (result.approved === true ? 'APPROVED' : '');
    const body = textOf(result.comment);
    const state = Object.hasOwn(reviewStates, status) ? reviewStates[status]! : 'comment';
    // asked for, and not answered
    if (state === 'comment' && !body) return undefined;
    return {
      id: String(numberOf(one.id)),
      pull,
      state,
      author: await this.#user(one.userId),
      body,
      commit: textOf(result.commit),
      comments: [],
      createdAt: timeOf(one.statusDate),
    };
  }

  /** Undefined for what is gone there. */
  async #pathOf({ number, isPull }: SourceSubject): Promise<string | undefined> {
    const kind = isPull ? 'pulls' : 'issues';
    const ids = this.#ids[kind];
    const sourceNumber = isPull ? number - this.pullOffset : number;
    // an import that goes on has not read the list
    if (!ids.has(sourceNumber)) await this.#readIds(kind);
    const id = ids.get(sourceNumber);
    return id === undefined ? undefined : `/${kind}/${id}`;
  }

  async #readIds(kind: 'issues' | 'pulls'): Promise<void> {
    const pages = this.api.pages(`/${kind}`, this.#queries[kind], undefined, (all) => all);
    for await (const { items } of bounded(pages))
      for (const one of items) this.#ids[kind].set(numberOf(one.number), numberOf(one.id));
  }

  #user(id: unknown): Promise<SourceUser> {
    const number = numberOf(id);
    if (this.#users.size > maxUsers) this.#users.clear();
    const known = this.#users.get(number) ?? this.#readUser(number);
    this.#users.set(number, known);
    return known;
  }

  async #readUser(id: number): Promise<SourceUser> {
    if (id <= 0) return { name: 'Ghost' };
    const { data } = await this.api.get(`/users/${id}`, [401, 403, 404]);
    const { name, email } = recordOf(data);
    return { id, name: textOf(name) || `User ${id}`, ...(textOf(email) && { email: textOf(email) }) };
  }
}

const issueQuery = (path: string) => ({
  query: `"Project" is ${quoted(path)} order by "Submit Date" asc`,
  withFields: 'true',
});

/** A list that is read at once. */
async function* bounded<T>(pages: SourcePages<T>): SourcePages<T> {
  let count = 0;
  for await (const page of pages) {
    if (++count > maxPages) throw new SourceFailure('invalidData', `The source has more than ${maxPages} pages.`);
    yield page;
  }
}

export const oneDevSource: MigrationSource = {
  key: 'onedev',
  label: t.later('onedev.label'),
  description: t.later('onedev.description'),
  icon: 'repo',
  order: 70,
  addressPlaceholder: 'https://onedev.example/project',
  fields: [
    { name: 'auth_username', label: t.later('field.username') },
    { name: 'auth_password', label: t.later('field.password'), type: 'password' },
  ],
  kinds: ['lfs', 'labels', 'milestones', 'issues', 'pull_requests'],
  async connect(options, tools) {
    const { origin, path } = oneDevAddress(options.address);
    const api = new OneDevApi(tools, origin, options);
    const range = new URLSearchParams({ query: `"Path" is ${quoted(path)}`, offset: '0', count: '1' });
    const [project] = pageRecords((await api.get(`/projects?${range}`)).data);
    if (!project || numberOf(project.id) <= 0)
      throw new SourceFailure('notFound', `The source has no project ${path.slice(0, 200)}.`);
    const offset = await pullOffsetOf(options, tools, () =>
      api.pages('/issues', issueQuery(path), undefined, (all) => all.map(({ number }) => numberOf(number))),
    );
    const cloneUrl = `${origin}/${path.split('/').map(encodeURIComponent).join('/')}`;
    return new OneDevReader(api, project, cloneUrl, offset, path, options);
  },
};
