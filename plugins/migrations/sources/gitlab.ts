import { type MigrationSource } from '../api.js';
import {
  SourceFailure,
  type ListedRepository,
  type SourceOptions,
  type SourceReader,
  type SourceSubject,
  type SourceTools,
} from '../contract/source.js';
import type { SourceAsset, SourceComment, SourceRelease, SourceRepository, SourceReview } from '../contract/records.js';
import { t } from '../texts/index.js';
import { decoded, numberOf, recordOf, recordsOf, textOf, timeOf, userOf, type Answered } from './gitea-api.js';
import { wikiUrlOf } from './git.js';
import { GitLabApi } from './gitlab-api.js';
import {
  gitLabApproval,
  gitLabIssue,
  gitLabLabel,
  gitLabMilestone,
  gitLabPull,
  gitLabReactions,
  gitLabReview,
  isComment,
} from './gitlab-records.js';
import { gitLabProjects } from './gitlab-projects.js';
import { each } from './linked-pages.js';
import { pullOffsetOf, withoutNewer } from './pull-offset.js';
import { httpUrl } from './http-source.js';

const oldestFirst = { order_by: 'created_at', sort: 'asc' };
const everything = { ...oldestFirst, state: 'all', scope: 'all' };

/** `https://gitlab.example/group/subgroup/name.git`: groups lie in groups. */
function addressOf(address: string, what: 'repository' | 'owner'): { origin: string; path: string } {
  const url = httpUrl(address);
  const path = decoded(url.pathname)
    .replace(/^\/+|\/+$/g, '')
    .replace(/\.git$/, '');
  if (what === 'repository' ? !path.includes('/') : !path)
    throw new SourceFailure('notFound', 'The address names no project: https://host/group/name');
  return { origin: url.origin, path };
}

class GitLabReader implements SourceReader {
  readonly #project: string;

  constructor(
    private readonly api: GitLabApi,
    private readonly tools: SourceTools,
    private readonly record: Answered,
    private readonly cloneUrl: string,
    /** Merge requests have numbers of their own there: here they stand behind the issues. */
    private readonly pullOffset: number,
    private readonly options: SourceOptions,
  ) {
    this.#project = `/projects/${numberOf(record.id)}`;
  }

  repository(): Promise<SourceRepository> {
    const { record, cloneUrl, pullOffset } = this;
    const topics = Array.isArray(record.topics) ? record.topics : record.tag_list;
    const hasWiki = record.wiki_enabled !== false && record.wiki_access_level !== 'disabled';
    return Promise.resolve({
      name: textOf(record.path),
      description: textOf(record.description),
      isPrivate: record.visibility !== 'public',
      defaultBranch: textOf(record.default_branch),
      topics: Array.isArray(topics) ? topics.map(textOf) : [],
      cloneUrl,
      ...(hasWiki && { wikiUrl: wikiUrlOf(cloneUrl) }),
      pullRef: 'refs/merge-requests/{number}/head',
      pullOffset,
    });
  }

  /** Those of the groups above too. */
  milestones = (after?: string) =>
    this.api.pages(`${this.#project}/milestones`, { include_ancestors: 'true' }, after, (all) =>
      all.map(gitLabMilestone),
    );

  labels = (after?: string) => this.api.pages(`${this.#project}/labels`, {}, after, (all) => all.map(gitLabLabel));

  releases = (after?: string) =>
    this.api.pages(`${this.#project}/releases`, {}, after, (all) => all.map((one) => this.#release(one)));

  /** Confidential ones stay behind: whoever reads the repository here would read them. */
  issues = (after?: string) =>
    withoutNewer(
      this.options,
      this.pullOffset,
      this.api.pages(`${this.#project}/issues`, everything, after, (all) =>
        each(
          all.filter((one) => one.confidential !== true),
          async (one) => gitLabIssue(one, await this.#reactions(`/issues/${numberOf(one.iid)}`)),
        ),
      ),
    );

  pullRequests = (after?: string) =>
    this.api.pages(`${this.#project}/merge_requests`, everything, after, (all) =>
      each(all, async (one) => {
        const path = `/merge_requests/${numberOf(one.iid)}`;
        const { data } = await this.api.get(`${this.#project}${path}`);
        const project = textOf(this.record.path_with_namespace);
        return gitLabPull({ ...one, ...recordOf(data) }, project, this.pullOffset, await this.#reactions(path));
      }),
    );

  commentsOf = (subject: SourceSubject, after?: string) => {
    const path = this.#pathOf(subject);
    return this.api.pages(`${this.#project}${path}/notes`, oldestFirst, after, (all) =>
      each(all.filter(isComment), (one) => this.#comment(one, subject.number, path)),
    );
  };

  reviewsOf = (pull: SourceSubject, after?: string) => this.#reviews(pull, after);

  /** Discussions at lines, and behind them those who approved. */
  async *#reviews(pull: SourceSubject, after?: string) {
    const path = `${this.#project}${this.#pathOf(pull)}`;
    const pages = this.api.pages(`${path}/discussions`, {}, after, (all) =>
      all.flatMap((one) => gitLabReview(one, pull.number) ?? []),
    );
    for await (const page of pages) {
      const approvals = page.next === undefined ? await this.#approvals(pull, path) : [];
      yield { ...page, items: [...page.items, ...approvals] };
    }
  }

  async #approvals({ number }: SourceSubject, path: string): Promise<SourceReview[]> {
    const { status, data } = await this.api.get(`${path}/approvals`, [401, 403, 404]);
    if (status !== 200) return [];
    const approvals = recordsOf(recordOf(data).approved_by);
    if (approvals.length === 0) return [];
    const { data: pull } = await this.api.get(path);
    return approvals.map((one) => gitLabApproval(one, number, textOf(recordOf(pull).sha)));
  }

  projects = (after?: string) => gitLabProjects(this.api, this.#project, after);

  #pathOf({ number, isPull }: SourceSubject): string {
    return isPull ? `/merge_requests/${number - this.pullOffset}` : `/issues/${number}`;
  }

  async #comment(one: Answered, issue: number, path: string): Promise<SourceComment> {
    const id = numberOf(one.id);
    return {
      id: String(id),
      issue,
      body: textOf(one.body),
      author: userOf(one.author),
      reactions: await this.#reactions(`${path}/notes/${id}`),
      createdAt: timeOf(one.created_at),
      updatedAt: timeOf(one.updated_at),
    };
  }

  async #reactions(path: string) {
    const { status, data } = await this.api.get(`${this.#project}${path}/award_emoji?per_page=100`, [401, 403, 404]);
    return status === 200 ? gitLabReactions(data) : [];
  }

  #release(one: Answered): SourceRelease {
    return {
      id: textOf(one.tag_name),
      tagName: textOf(one.tag_name),
      target: textOf(recordOf(one.commit).id),
      title: textOf(one.name),
      note: textOf(one.description),
      isDraft: false,
      isPrerelease: one.upcoming_release === true,
      author: userOf(one.author),
      createdAt: timeOf(one.created_at),
      publishedAt: timeOf(one.released_at),
      assets: recordsOf(recordOf(one.assets).links).map((link) => this.#asset(link)),
    };
  }

  #asset(link: Answered): SourceAsset {
    const url = textOf(link.direct_asset_url) || textOf(link.url);
    return {
      id: String(numberOf(link.id)),
      name: textOf(link.name),
      read: async (take) => {
        try {
          return await this.tools.client.read(url, take, { headers: this.api.headersFor(url) });
        } catch (error) {
          // a link may lead anywhere: one that is dead holds nothing up
          if (!SourceFailure.is(error) || error.reason !== 'unreachable' || this.api.isOwn(url)) throw error;
          throw new SourceFailure('notFound', error.message);
        }
      },
    };
  }
}

/** Of all issues: those that were moved here are older than their numbers. */
const issueNumbers = (api: GitLabApi, project: string) =>
  api.pages(`${project}/issues`, everything, undefined, (all) => all.map(({ iid }) => numberOf(iid)));

const listedOf = (one: Answered): ListedRepository => ({
  fullName: textOf(one.path_with_namespace),
  name: textOf(one.path),
  description: textOf(one.description),
  isPrivate: one.visibility !== 'public',
  isFork: one.forked_from_project !== undefined && one.forked_from_project !== null,
  address: textOf(one.http_url_to_repo),
});

export const gitLabSource: MigrationSource = {
  key: 'gitlab',
  label: t.later('gitlab.label'),
  description: t.later('gitlab.description'),
  icon: 'repo',
  order: 40,
  addressPlaceholder: 'https://gitlab.com/group/name',
  fields: [{ name: 'auth_token', label: t.later('field.token'), help: t.later('gitlab.token'), type: 'password' }],
  kinds: ['lfs', 'wiki', 'labels', 'milestones', 'releases', 'issues', 'pull_requests'],
  async connect(options, tools) {
    const { origin, path } = addressOf(options.address, 'repository');
    const api = new GitLabApi(tools, origin, options);
    const record = recordOf((await api.get(`/projects/${encodeURIComponent(path)}`)).data);
    const project = `/projects/${numberOf(record.id)}`;
    const offset = await pullOffsetOf(options, tools, () => issueNumbers(api, project));
    return new GitLabReader(api, tools, record, options.address, offset, options);
  },
  async *listRepositories(options, tools, after) {
    const { origin, path } = addressOf(options.address, 'owner');
    const api = new GitLabApi(tools, origin, options);
    const name = encodeURIComponent(path);
    const { status } = await api.get(`/groups/${name}?with_projects=false`, [404]);
    yield* api.pages(`/${status === 200 ? 'groups' : 'users'}/${name}/projects`, {}, after, (all) => all.map(listedOf));
  },
};
