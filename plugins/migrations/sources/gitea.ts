import { type MigrationSource } from '../api.js';
import type { SourceOptions, SourceReader, SourceSubject, SourceTools } from '../contract/source.js';
import type { SourceIssue, SourceRelease, SourceRepository, SourceReview } from '../contract/records.js';
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
  userOf,
  type Answered,
  type RepositoryAddress,
} from './gitea-api.js';
import { GiteaReactions } from './gitea-reactions.js';
import {
  assetOf,
  commentOf,
  issueOf,
  labelOf,
  listedOf,
  milestoneOf,
  numberIn,
  pullOf,
  releaseOf,
  repositoryOf,
  reviewCommentOf,
  reviewOf,
} from './gitea-records.js';
import { GiteaProjects } from './gitea-projects.js';
import { each } from './linked-pages.js';

const pageSize = 50;

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
      ...repositoryOf(record, options.address),
      topics: Array.isArray(topics) ? topics.map(textOf) : [],
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
      return wanted.map((one) => {
        const issue = numberIn(textOf(one.issue_url) || one.pull_request_url);
        return commentOf(one, issue, authorOf(one), reactions.get(numberOf(one.id)) ?? []);
      });
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
    const assets = recordsOf(one.assets).map((asset) => {
      const url = textOf(asset.browser_download_url);
      return assetOf(asset, (take) => this.tools.client.read(url, take, { headers: this.api.headersFor(url) }));
    });
    return releaseOf(one, userOf(one.author), assets);
  }
}

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

/** Gitea, Forgejo, and whatever has the same API, such as another Mortise. */
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
