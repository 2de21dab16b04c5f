import { type MigrationSource } from '../api.js';
import type { SourceSubject } from '../contract/source.js';
import { t } from '../texts/index.js';
import { GitHubApi, type GitHubDialect } from './github-api.js';
import { GitHubReader } from './github.js';
import { ownerAddress, recordOf, repositoryAddress } from './gitea-api.js';
import { listedOf } from './gitea-records.js';
import { each } from './linked-pages.js';

/** Its lists have no header `Link`, and end with an empty page. */
const dialect: GitHubDialect = { pagesEnd: 'empty', scheme: 'token' };

/** `https://git.example/ada/abacus`, or with `/git/` before the owner, as it is cloned. */
const apiOf = ({ base }: { readonly base: string }): string => `${base.replace(/\/git$/, '')}/api/v3`;

/** A part of the API of GitHub: comments of one issue at a time, and neither reviews nor reactions. */
class GitBucketReader extends GitHubReader {
  override comments = undefined;
  override reviewsOf = undefined;

  commentsOf = ({ number }: SourceSubject, after?: string) =>
    this.api.pages(`${this.repo}/issues/${number}/comments`, {}, after, (all) =>
      each(all, (one) => this.comment(one, number)),
    );
}

export const gitBucketSource: MigrationSource = {
  key: 'gitbucket',
  label: t.later('gitbucket.label'),
  description: t.later('gitbucket.description'),
  icon: 'repo',
  order: 60,
  addressPlaceholder: 'https://gitbucket.example/git/owner/name.git',
  fields: [
    { name: 'auth_username', label: t.later('field.username') },
    { name: 'auth_password', label: t.later('field.password'), type: 'password' },
    { name: 'auth_token', label: t.later('field.token'), type: 'password' },
  ],
  kinds: ['wiki', 'labels', 'milestones', 'releases', 'issues', 'pull_requests'],
  async connect(options, tools) {
    const address = repositoryAddress(options.address);
    const api = new GitHubApi(tools, apiOf(address), options, dialect);
    const { data } = await api.get(`/repos/${encodeURIComponent(address.owner)}/${encodeURIComponent(address.name)}`);
    return new GitBucketReader(api, tools, recordOf(data), options.address);
  },
  async *listRepositories(options, tools, after) {
    const address = ownerAddress(options.address);
    const api = new GitHubApi(tools, apiOf(address), options, dialect);
    const owner = encodeURIComponent(address.owner);
    const { status } = await api.get(`/orgs/${owner}`, [404]);
    yield* api.pages(`/${status === 200 ? 'orgs' : 'users'}/${owner}/repos`, {}, after, (all) => all.map(listedOf));
  },
};
