import type { MigrationSource } from '../api.js';
import type { SourceOptions, SourceReader, SourceSubject, SourceTools } from '../contract/source.js';
import type { SourceComment, SourceRelease, SourceRepository } from '../contract/records.js';
import { t } from '../texts/index.js';
import { GitHubApi, type GitHubDialect } from './github-api.js';
import {
  byReview,
  gitHubIssue,
  gitHubPull,
  gitHubReactions,
  gitHubReview,
  gitHubReviewComment,
  gitHubUser,
} from './github-records.js';
import { numberOf, ownerAddress, recordOf, recordsOf, repositoryAddress, textOf, type Answered } from './gitea-api.js';
import { each } from './linked-pages.js';
import {
  assetOf,
  commentOf,
  labelOf,
  listedOf,
  milestoneOf,
  numberIn,
  releaseOf,
  repositoryOf,
} from './gitea-records.js';

const maxComments = 5000;
const oldestFirst = { sort: 'created', direction: 'asc' };
const dialect: GitHubDialect = { pagesEnd: 'link', scheme: 'Bearer' };

/** Of github.com the API has a host of its own; of an Enterprise Server it lies below `/api/v3`. */
const apiOf = ({ base }: { readonly base: string }): string =>
  /^https?:\/\/(?:www\.)?github\.com$/i.test(base) ? 'https://api.github.com' : `${base}/api/v3`;

const hasReactions = ({ reactions }: Answered): boolean => numberOf(recordOf(reactions).total_count) > 0;

export class GitHubReader implements SourceReader {
  protected readonly repo: string;

  constructor(
    protected readonly api: GitHubApi,
    private readonly tools: SourceTools,
    private readonly record: Answered,
    private readonly cloneUrl: string,
  ) {
    const [owner = '', name = ''] = textOf(record.full_name).split('/');
    this.repo = `/repos/${encodeURIComponent(owner)}/${encodeURIComponent(name)}`;
  }

  repository(): Promise<SourceRepository> {
    return Promise.resolve({ ...repositoryOf(this.record, this.cloneUrl), pullRef: 'refs/pull/{number}/head' });
  }

  milestones = (after?: string) =>
    this.api.pages(`${this.repo}/milestones`, { state: 'all' }, after, (all) => all.map(milestoneOf));

  labels = (after?: string) => this.api.pages(`${this.repo}/labels`, {}, after, (all) => all.map(labelOf));

  releases = (after?: string) =>
    this.api.pages(`${this.repo}/releases`, {}, after, (all) => all.map((one) => this.#release(one)));

  /** Pull requests are issues there; what was moved away or deleted is left out by the source. */
  issues = (after?: string) =>
    this.api.pages(`${this.repo}/issues`, { state: 'all', ...oldestFirst }, after, (all) =>
      each(
        all.filter((one) => !one.pull_request),
        async (one) => gitHubIssue(one, await this.#reactions(one, `/issues/${numberOf(one.number)}`)),
      ),
    );

  pullRequests = (after?: string) =>
    this.api.pages(`${this.repo}/pulls`, { state: 'all', ...oldestFirst }, after, (all) =>
      each(all, async (one) => {
        // lists of pull requests do not count reactions
        const { data } = await this.api.get(
          `${this.repo}/issues/${numberOf(one.number)}/reactions?per_page=100`,
          [404],
        );
        return gitHubPull(one, gitHubReactions(data));
      }),
    );

  comments? = (after?: string) =>
    this.api.pages(`${this.repo}/issues/comments`, oldestFirst, after, (all) =>
      each(all, (one) => this.comment(one, numberIn(one.issue_url))),
    );

  reviewsOf? = (pull: SourceSubject, after?: string) => this.#reviews(pull, after);

  async *#reviews({ number }: SourceSubject, after?: string) {
    const comments = byReview(await this.api.all(`${this.repo}/pulls/${number}/comments`, maxComments));
    yield* this.api.pages(`${this.repo}/pulls/${number}/reviews`, {}, after, async (all) => {
      const reviews = await each(all, async (one) => {
        const reviewComments = await each(comments.get(numberOf(one.id)) ?? [], async (comment) =>
          gitHubReviewComment(comment, await this.#reactions(comment, `/pulls/comments/${numberOf(comment.id)}`)),
        );
        return gitHubReview(one, number, reviewComments);
      });
      return reviews.flatMap((one) => one ?? []);
    });
  }

  protected async comment(one: Answered, issue: number): Promise<SourceComment> {
    const reactions = await this.#reactions(one, `/issues/comments/${numberOf(one.id)}`);
    return commentOf(one, issue, gitHubUser(one.user), reactions);
  }

  /** Asked for only where the record counts some. */
  async #reactions(one: Answered, path: string) {
    if (!hasReactions(one)) return [];
    const { data } = await this.api.get(`${this.repo}${path}/reactions?per_page=100`, [404]);
    return gitHubReactions(data);
  }

  #release(one: Answered): SourceRelease {
    const assets = recordsOf(one.assets).map((asset) => {
      const url = textOf(asset.url) || textOf(asset.browser_download_url);
      return assetOf(asset, (take) => this.tools.client.read(url, take, { headers: this.api.headersFor(url) }));
    });
    return releaseOf(one, gitHubUser(one.author), assets);
  }
}

/** Where an owner's repositories are listed: private ones only for the organization, and for the owner of the token. */
async function listPath(api: GitHubApi, owner: string, { values }: SourceOptions): Promise<string> {
  const { data } = await api.get(`/users/${encodeURIComponent(owner)}`);
  if (recordOf(data).type === 'Organization') return `/orgs/${encodeURIComponent(owner)}/repos`;
  const self = values.auth_token ? recordOf((await api.get('/user', [401, 403])).data).login : '';
  return textOf(self).toLowerCase() === owner.toLowerCase()
    ? '/user/repos'
    : `/users/${encodeURIComponent(owner)}/repos`;
}

export const gitHubSource: MigrationSource = {
  key: 'github',
  label: t.later('github.label'),
  description: t.later('github.description'),
  icon: 'mark-github',
  order: 30,
  addressPlaceholder: 'https://github.com/owner/name',
  fields: [{ name: 'auth_token', label: t.later('field.token'), help: t.later('github.token'), type: 'password' }],
  kinds: ['lfs', 'wiki', 'labels', 'milestones', 'releases', 'issues', 'pull_requests'],
  async connect(options, tools) {
    const address = repositoryAddress(options.address);
    const api = new GitHubApi(tools, apiOf(address), options, dialect);
    const { data } = await api.get(`/repos/${encodeURIComponent(address.owner)}/${encodeURIComponent(address.name)}`);
    return new GitHubReader(api, tools, recordOf(data), options.address);
  },
  async *listRepositories(options, tools, after) {
    const address = ownerAddress(options.address);
    const api = new GitHubApi(tools, apiOf(address), options, dialect);
    const path = await listPath(api, address.owner, options);
    const query: Record<string, string> = path === '/user/repos' ? { affiliation: 'owner' } : {};
    yield* api.pages(path, query, after, (all) => all.map(listedOf));
  },
};
