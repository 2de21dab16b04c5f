import { type MigrationSource } from '../api.js';
import type { ListedRepository, SourceOptions, SourceReader, SourceSubject, SourceTools } from '../contract/source.js';
import type {
  SourceAsset,
  SourceComment,
  SourceIssue,
  SourceReaction,
  SourceRelease,
  SourceRepository,
  SourceReview,
} from '../contract/records.js';
import { t } from '../texts/index.js';
import {
  GiteaApi,
  authorOf,
  numberOf,
  ownerAddress,
  recordOf,
  recordsOf,
  repositoryAddress,
  textOf,
  timeOf,
  userOf,
  type Answered,
  type RepositoryAddress,
} from './gitea-api.js';
import { GiteaReactions } from './gitea-reactions.js';
import { issueOf, labelOf, milestoneOf, pullOf, reviewCommentOf, reviewOf } from './gitea-records.js';
import { GiteaProjects } from './gitea-projects.js';
import { each } from './linked-pages.js';

const pageSize = 50;

/** The number at the end of an address of an issue or a pull request. */
const subjectOf = (one: Answered): number => {
  const url = textOf(one.issue_url) || textOf(one.pull_request_url);
  return Number(/\/(\d{1,10})$/.exec(url)?.[1] ?? 0);
};

const commentOf = (one: Answered, reactions: readonly SourceReaction[]): SourceComment => ({
  id: String(numberOf(one.id)),
  issue: subjectOf(one),
  body: textOf(one.body),
  author: authorOf(one),
  reactions,
  createdAt: timeOf(one.created_at),
  updatedAt: timeOf(one.updated_at),
});

class GiteaReader implements SourceReader {
  readonly #repo: string;
  readonly #reactions: GiteaReactions;

  constructor(
    private readonly api: GiteaApi,
    private readonly tools: SourceTools,
    private readonly options: SourceOptions,
    private readonly record: Answered,
    { owner, name }: Pick<RepositoryAddress, 'owner' | 'name'>,
    private readonly readDates: boolean,
  ) {
    this.#repo = `/repos/${encodeURIComponent(owner)}/${encodeURIComponent(name)}`;
    this.#reactions = new GiteaReactions(api, this.#repo);
  }

  async repository(): Promise<SourceRepository> {
    const { record, options } = this;
    const topics = recordOf((await this.api.get(`${this.#repo}/topics`, [404])).data).topics;
    return {
      name: textOf(record.name),
      description: textOf(record.description),
      website: textOf(record.website),
      isPrivate: record.private === true,
      defaultBranch: textOf(record.default_branch),
      topics: Array.isArray(topics) ? topics.map(textOf) : [],
      cloneUrl: options.address,
      ...(record.has_wiki !== false && {
        wikiUrl: options.address.replace(/\/+$/, '').replace(/(?:\.git)?$/, '.wiki.git'),
      }),
      pullRef: 'refs/pull/{number}/head',
    };
  }

  milestones = (after?: string) =>
    this.api.pages(`${this.#repo}/milestones?state=all`, pageSize, after, (all) => all.map(milestoneOf));

  labels = (after?: string) => this.api.pages(`${this.#repo}/labels`, pageSize, after, (all) => all.map(labelOf));

  releases = (after?: string) =>
    this.api.pages(`${this.#repo}/releases`, pageSize, after, (all) => all.map((one) => this.#release(one)));

  #dated<I extends SourceIssue>(issue: I): I {
    return this.readDates ? issue : { ...issue, startAt: 0, dueAt: 0 };
  }

  issues = (after?: string) =>
    this.api.pages(`${this.#repo}/issues?state=all&type=issues`, pageSize, after, async (all) => {
      const reactions = await this.#reactions.toIssues(all);
      return all.map((one) => this.#dated(issueOf(one, reactions.get(numberOf(one.number)) ?? [])));
    });

  pullRequests = (after?: string) =>
    this.api.pages(`${this.#repo}/pulls?state=all`, pageSize, after, async (all) => {
      const reactions = await this.#reactions.toIssues(all);
      return all.map((one) => this.#dated(pullOf(one, reactions.get(numberOf(one.number)) ?? [])));
    });

  comments = (after?: string) =>
    this.api.pages(`${this.#repo}/issues/comments`, pageSize, after, async (all) => {
      const wanted = all.filter((one) => this.#isWanted(one));
      const reactions = await this.#reactions.toComments(wanted);
      return wanted.map((one) => commentOf(one, reactions.get(numberOf(one.id)) ?? []));
    });

  reviewsOf = ({ number }: SourceSubject, after?: string) =>
    this.api.pages(`${this.#repo}/pulls/${number}/reviews`, pageSize, after, async (all) => {
      const reviews = await each(all, (one) => this.#review(number, one));
      return reviews.flatMap((one) => one ?? []);
    });

  projects = (after?: string) => new GiteaProjects(this.api, this.#repo).pages(after);

  /** Reactions may be asked for one by one: not for what is not imported. */
  #isWanted(one: Answered): boolean {
    return this.options.kinds.has(textOf(one.issue_url) ? 'issues' : 'pull_requests');
  }

  async #review(pull: number, one: Answered): Promise<SourceReview | undefined> {
    if (!reviewOf(one, pull, [])) return undefined;
    const path = `${this.#repo}/pulls/${pull}/reviews/${numberOf(one.id)}/comments`;
    const { data } = numberOf(one.comments_count) ? await this.api.get(path, [404]) : { data: [] };
    return reviewOf(one, pull, recordsOf(data).map(reviewCommentOf));
  }

  #release(one: Answered): SourceRelease {
    return {
      id: String(numberOf(one.id)),
      tagName: textOf(one.tag_name),
      target: textOf(one.target_commitish),
      title: textOf(one.name),
      note: textOf(one.body),
      isDraft: one.draft === true,
      isPrerelease: one.prerelease === true,
      author: userOf(one.author),
      createdAt: timeOf(one.created_at),
      publishedAt: timeOf(one.published_at),
      assets: recordsOf(one.assets).map((asset) => this.#asset(asset)),
    };
  }

  #asset(one: Answered): SourceAsset {
    const url = textOf(one.browser_download_url);
    return {
      id: String(numberOf(one.id)),
      name: textOf(one.name),
      size: numberOf(one.size),
      createdAt: timeOf(one.created_at),
      read: (take) => this.tools.client.read(url, take, { headers: this.api.headersFor(url) }),
    };
  }
}

const listedOf = (one: Answered): ListedRepository => ({
  fullName: textOf(one.full_name),
  name: textOf(one.name),
  description: textOf(one.description),
  isPrivate: one.private === true,
  isFork: one.fork === true,
  address: textOf(one.clone_url),
});

/** Gitea, Forgejo, and whatever has the same API, such as another Mortise. */
/**
 * A repository by the API of such a site. `readDates`: start and due dates of issues too, which imports leave behind as
 * those sites do among each other.
 */
export async function giteaReader(
  options: SourceOptions,
  tools: SourceTools,
  readDates: boolean,
): Promise<SourceReader> {
  const address = repositoryAddress(options.address);
  const api = new GiteaApi(tools, address, options);
  const { data } = await api.get(`/repos/${encodeURIComponent(address.owner)}/${encodeURIComponent(address.name)}`);
  return new GiteaReader(api, tools, options, recordOf(data), address, readDates);
}

export const giteaSource: MigrationSource = {
  key: 'gitea',
  label: t.later('gitea.label'),
  description: t.later('gitea.description'),
  icon: 'repo',
  order: 20,
  addressPlaceholder: 'https://gitea.example/owner/name',
  fields: [{ name: 'auth_token', label: t.later('field.token'), help: t.later('gitea.token'), type: 'password' }],
  kinds: ['lfs', 'wiki', 'labels', 'milestones', 'releases', 'issues', 'pull_requests'],
  connect: (options, tools) => giteaReader(options, tools, false),
  async *listRepositories(options, tools, after) {
    const address = ownerAddress(options.address);
    const api = new GiteaApi(tools, address, options);
    const owner = encodeURIComponent(address.owner);
    const { status } = await api.get(`/orgs/${owner}`, [404]);
    yield* api.pages(`/${status === 200 ? 'orgs' : 'users'}/${owner}/repos`, pageSize, after, (all) =>
      all.map(listedOf),
    );
  },
};
