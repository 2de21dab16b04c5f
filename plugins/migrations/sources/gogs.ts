import { type MigrationSource } from '../api.js';
import {
  notOffered,
  type SourceOptions,
  type SourcePage,
  type SourcePages,
  type SourceReader,
  type SourceSubject,
} from '../contract/source.js';
import type { SourceComment, SourceIssue, SourceRepository } from '../contract/records.js';
import { t } from '../texts/index.js';
import {
  GiteaApi,
  authorOf,
  ownerAddress,
  pageRecords,
  recordOf,
  recordsOf,
  repositoryAddress,
  userOf,
  type Answered,
  type RepositoryAddress,
} from './gitea-api.js';
import { commentOf, issueOf, labelOf, listedOf, milestoneOf, releaseOf, repositoryOf } from './gitea-records.js';

/** Lists of Gogs have no `limit`; a page without records is behind the last. */
const states = ['open', 'closed'] as const;

class GogsReader implements SourceReader {
  readonly #repo: string;

  constructor(
    private readonly api: GiteaApi,
    private readonly options: SourceOptions,
    private readonly record: Answered,
    { owner, name }: Pick<RepositoryAddress, 'owner' | 'name'>,
  ) {
    this.#repo = `/repos/${encodeURIComponent(owner)}/${encodeURIComponent(name)}`;
  }

  repository(): Promise<SourceRepository> {
    return Promise.resolve(repositoryOf(this.record, this.options.address));
  }

  labels = () => this.#all('/labels', (all) => all.map(labelOf));
  milestones = () => this.#all('/milestones', (all) => all.map(milestoneOf));

  /** Without files, which its API does not have. */
  releases = () => this.#all('/releases', (all) => all.map((one) => releaseOf(one, userOf(one.author), [])));

  /** First the open ones, then the closed: `closed 3` is the third page of those. */
  async *issues(after?: string): SourcePages<SourceIssue> {
    const [state = 'open', number = '1'] = (after ?? '').split(' ').filter(Boolean);
    let page = Number(number);
    for (const listedState of states.slice(state === 'closed' ? 1 : 0)) {
      for (; ; page++) {
        const { data } = await this.api.get(`${this.#repo}/issues?state=${listedState}&page=${page}`);
        const records = pageRecords(data);
        if (records.length === 0) break;
        const items = records.filter(({ pull_request: pull }) => !pull).map((issue) => issueOf(issue, []));
        yield { items, next: `${listedState} ${page + 1}` };
      }
      page = 1;
      yield listedState === 'open' ? { items: [], next: 'closed 1' } : { items: [] };
    }
  }

  async *commentsOf({ number, isPull }: SourceSubject): SourcePages<SourceComment> {
    const { data } = isPull ? { data: [] } : await this.api.get(`${this.#repo}/issues/${number}/comments`, [404]);
    yield { items: recordsOf(data).map((one) => commentOf(one, number, authorOf(one), [])) };
  }

  /** A list that comes at once; older versions do not have each of them. */
  async *#all<T>(path: string, read: (records: readonly Answered[]) => T[]): AsyncGenerator<SourcePage<T>> {
    const { status, data } = await this.api.get(`${this.#repo}${path}`, [404]);
    if (status === 404) throw notOffered(`This version of Gogs has no list of ${path.slice(1)}.`);
    yield { items: read(recordsOf(data)) };
  }
}

export const gogsSource: MigrationSource = {
  key: 'gogs',
  label: t.later('gogs.label'),
  description: t.later('gogs.description'),
  icon: 'repo',
  order: 60,
  addressPlaceholder: 'https://gogs.example/owner/name',
  fields: [{ name: 'auth_token', label: t.later('field.token'), type: 'password' }],
  kinds: ['wiki', 'labels', 'milestones', 'releases', 'issues'],
  async connect(options, tools) {
    const address = repositoryAddress(options.address);
    const api = new GiteaApi(tools, address, options);
    const { data } = await api.get(`/repos/${encodeURIComponent(address.owner)}/${encodeURIComponent(address.name)}`);
    return new GogsReader(api, options, recordOf(data), address);
  },
  async *listRepositories(options, tools) {
    const address = ownerAddress(options.address);
    const api = new GiteaApi(tools, address, options);
    const owner = encodeURIComponent(address.owner);
    const { status } = await api.get(`/orgs/${owner}`, [404]);
    const { data } = await api.get(`/${status === 200 ? 'orgs' : 'users'}/${owner}/repos`);
    yield { items: recordsOf(data).map(listedOf) };
  },
};
